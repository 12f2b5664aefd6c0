#include "app/export/trace.h"

#include "app/base/numbers.h"
#include "app/base/output_file.h"
#include "app/base/parallel_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* `stream` is NULL where each process has a part of the world and this is not the first. */
typedef struct trace_form {
  const char *header, *items;
  msd_result (*write)(FILE *stream, msd_world *world, const char *time);
} trace_form;

enum { ROW_MAX = 512 };

/* Those of the particles of a world, of whose whole so many come before its first. */
typedef struct particle_rows {
  msd_view positions, velocities;
  const char *time;
  size_t time_length;
  int32_t before;
} particle_rows;

static char *put_row(const particle_rows *r, char *to, int32_t particle) {
  const msd_vec3 x = msd_view_at(r->positions, particle), v = msd_view_at(r->velocities, particle);
  const msd_real columns[] = {x.x, x.y, x.z, v.x, v.y, v.z};
  memcpy(to, r->time, r->time_length);
  to += r->time_length;
  *to++ = ',';
  to = number_put_count(to, (int64_t)r->before + particle);
  for (int c = 0; c < 6; c++) {
    *to++ = ',';
    to = number_put(to, (double)columns[c]);
  }
  *to++ = '\n';
  return to;
}

static char *put_rows(char *to, int32_t first, int32_t count, const void *context) {
  for (int32_t i = first; i < first + count; i++)
    to = put_row(context, to, i);
  return to;
}

/* Those of particles `next` to `end` - 1. */
typedef struct given_rows {
  particle_rows rows;
  int32_t next, end;
} given_rows;

static size_t give_rows(void *bytes, size_t room, void *context) {
  given_rows *g = context;
  char *to = bytes;
  while (g->next < g->end && room - (size_t)(to - (char *)bytes) >= ROW_MAX)
    to = put_row(&g->rows, to, g->next++);
  return (size_t)(to - (char *)bytes);
}

static void write_bytes(const void *bytes, size_t count, void *stream) {
  fwrite(bytes, 1, count, stream);
}

static msd_result write_particles(FILE *stream, msd_world *world, const char *time) {
  const msd_subdomain part = msd_world_get_subdomain(world);
  const particle_rows rows = {msd_world_get_positions(world), msd_world_get_velocities(world), time,
                              strlen(time), part.kept.first};
  if (part.ranks > 0) {
    const int32_t first = part.own.first - part.kept.first;
    given_rows given = {rows, first, first + part.own.count};
    return msd_world_gather_text(world, give_rows, &given, write_bytes, stream);
  }
  parallel_text_write(&(parallel_text){put_rows, &rows, ROW_MAX, parallel_text_to_stream, stream},
                      msd_world_get_thread_count(world), rows.positions.count);
  return MSD_OK;
}

static msd_result write_rotors(FILE *stream, msd_world *world, const char *time) {
  const int32_t count = msd_world_get_rotor_count(world);
  for (int32_t i = 0; stream != NULL && i < count; i++)
    fprintf(stream, "%s,%ld,%.17g,%.17g\n", time, (long)i, msd_rotor_get_angle(world, i),
            msd_rotor_get_angular_velocity(world, i));
  return MSD_OK;
}

static msd_result write_energies(FILE *stream, msd_world *world, const char *time) {
  const msd_stats stats = msd_world_get_stats(world);
  if (stream == NULL)
    return MSD_OK;
  fprintf(stream, "%s,%.17g,%.17g,%.17g,", time, stats.kinetic_energy, stats.elastic_energy,
          stats.potential_energy);
  const msd_energy_account account = msd_world_get_energy_account(world);
  if (msd_world_get_energy_mode(world) == MSD_ENERGY_OFF)
    fputs(",,\n", stream);
  else
    fprintf(stream, "%.17g,%.17g,%" PRId64 "\n", account.gain, account.allowance, account.bounded_substeps);
  return MSD_OK;
}

static const trace_form forms[TRACE_KIND_COUNT] = {
    [TRACE_PARTICLES] = {"time,particle,x,y,z,vx,vy,vz\n", "particles", write_particles},
    [TRACE_ROTORS] = {"time,rotor,angle,angular_velocity\n", "rotors", write_rotors},
    [TRACE_ENERGY] = {"time,kinetic,elastic,potential,gain,allowance,bounded_substeps\n", "energies",
                      write_energies},
};

struct trace {
  const trace_form *form;
  output_file file;
};

static trace *trace_make(trace_kind kind, problem *p) {
  trace *t = calloc(1, sizeof *t);
  if (t == NULL)
    problem_set(p, "out of memory for a trace");
  else
    t->form = &forms[kind];
  return t;
}

void trace_discard(trace *t) {
  if (t == NULL)
    return;
  output_file_discard(&t->file);
  free(t);
}

trace *trace_open(trace_kind kind, const char *path, problem *p) {
  trace *t = trace_make(kind, p);
  if (t == NULL)
    return NULL;
  if (!output_file_open(&t->file, path, p)) {
    free(t);
    return NULL;
  }
  fputs(t->form->header, t->file.stream);
  return t;
}

/* Keeps the rows up to the frame at `last_time`, which must be there whole. */
static bool keep_until(trace *t, int32_t count, double last_time, double frame_time, problem *p) {
  output_file *file = &t->file;
  char row[ROW_MAX];
  if (fgets(row, sizeof row, file->stream) == NULL || strcmp(row, t->form->header) != 0)
    return problem_set(p, "%s: is not a trace of %s, so it is not continued; name another file", file->path,
                       t->form->items);
  long long kept = (long long)ftello(file->stream);
  long last_item = -1; /* stays so of a trace with one row a frame */
  double kept_time = -1;
  while (fgets(row, sizeof row, file->stream) != NULL && strchr(row, '\n') != NULL) {
    char *end;
    double row_time = strtod(row, &end);
    /* Half a frame of room for the rounding of printed times. */
    if (*end != ',' || row_time > last_time + frame_time / 2)
      break;
    kept_time = row_time;
    if (count > 0)
      last_item = strtol(end + 1, NULL, 10);
    kept = (long long)ftello(file->stream);
  }
  if (last_item != count - 1 || kept_time < last_time - frame_time / 2)
    return problem_set(p,
                       "%s: does not hold all %s at %.9g s, where the checkpoint goes on, so it is not "
                       "continued; name another file, or give the same --every",
                       file->path, t->form->items, last_time);
  return output_file_cut(file, kept, p);
}

trace *trace_continue(trace_kind kind, const char *path, int32_t count, double last_time, double frame_time,
                      problem *p) {
  trace *t = trace_make(kind, p);
  if (t == NULL)
    return NULL;
  bool found;
  if (!output_file_continue(&t->file, path, &found, p)) {
    free(t);
    return NULL;
  }
  if (!found) {
    fputs(t->form->header, t->file.stream);
    return t;
  }
  if (!keep_until(t, count, last_time, frame_time, p)) {
    trace_discard(t);
    return NULL;
  }
  return t;
}

static bool write_rows(const trace_form *form, FILE *stream, msd_world *world, double time, problem *p) {
  char start[40];
  snprintf(start, sizeof start, NUMBER_FORMAT, time);
  const msd_result result = form->write(stream, world, start);
  return result == MSD_OK || problem_set(p, "%s", msd_world_message(world));
}

bool trace_write(trace *t, msd_world *world, double time, problem *p) {
  return write_rows(t->form, t->file.stream, world, time, p) &&
         (!ferror(t->file.stream) || output_file_flush(&t->file, p));
}

bool trace_give(trace_kind kind, msd_world *world, double time, problem *p) {
  return write_rows(&forms[kind], NULL, world, time, p);
}

bool trace_flush(trace *t, problem *p) {
  return output_file_flush(&t->file, p);
}

bool trace_close(trace *t, problem *p) {
  if (t == NULL)
    return true;
  bool ok = output_file_commit(&t->file, false, p);
  free(t);
  return ok;
}
