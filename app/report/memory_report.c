#include "app/report/memory_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A step that fails is enough: a world that diverges has its memory layout all the same. */
static bool prepare(scene *s, msd_stats *stepped) {
  size_t size = 0;
  void *state = NULL;
  bool done = msd_world_save(s->world, NULL, 0, &size) == MSD_OK && (state = malloc(size)) != NULL &&
              msd_world_save(s->world, state, size, &size) == MSD_OK;
  if (done) {
    done = msd_world_step(s->world, (msd_real)s->frame_time, 1) != MSD_OUT_OF_MEMORY;
    *stepped = msd_world_get_counts(s->world);
    done = msd_world_restore(s->world, state, size) == MSD_OK && done;
  }
  free(state);
  return done;
}

bool memory_report_make(scene *s, memory_report *out, problem *p) {
  const msd_stats stats = msd_world_get_counts(s->world);
  *out = (memory_report){.particles = stats.particles,
                         .springs = stats.springs,
                         .loaded = stats.bytes,
                         .aim = (double)MEMORY_PARTICLE * stats.particles +
                                (double)MEMORY_SPRING * stats.springs};
  return prepare(s, &out->stepped) || problem_set(p, "%s: out of memory", s->path);
}

/* NaN without any. */
static double per(size_t bytes, int32_t count) {
  return count > 0 ? (double)bytes / count : (double)NAN;
}

/* In smaller worlds most bytes do not depend on the particles. */
enum { PARTICLES_MIN = 1000 };

void memory_report_print(const memory_report *r, FILE *stream) {
  fprintf(stream, "  memory            %s as loaded, %s when stepped", units_megabytes(r->loaded).text,
          units_megabytes(r->stepped.bytes).text);
  if (r->particles >= PARTICLES_MIN) {
    fprintf(stream, ": %s bytes per particle", units_number(per(r->stepped.bytes, r->particles), 4).text);
    if (r->springs > 0)
      fprintf(stream, ", or %.1f per spring", per(r->stepped.bytes, r->springs));
  }
  fprintf(stream, "\n");
}

int memory_report_json(const memory_report *r, json_t *object) {
  int failed = json_object_set_new(object, "bytes", json_integer((json_int_t)r->stepped.bytes));
  failed |= json_object_set_new(object, "bytes_loaded", json_integer((json_int_t)r->loaded));
  failed |= json_object_set_new(object, "bytes_aim", json_integer((json_int_t)r->aim));
  failed |=
      json_object_set_new(object, "bytes_per_particle", json_number(per(r->stepped.bytes, r->particles)));
  failed |= json_object_set_new(object, "bytes_per_spring", json_number(per(r->stepped.bytes, r->springs)));
  return failed;
}
