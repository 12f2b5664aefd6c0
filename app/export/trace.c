#include "app/export/trace.h"

#include "app/base/numbers.h"
#include "app/base/output_file.h"
#include "app/base/write_buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct trace_form {
  const char *header, *items;
  void (*write)(FILE *stream, const msd_world *world, const char *time);
} trace_form;

static void write_particles(FILE *stream, const msd_world *world, const char *time) {
  const msd_view positions = msd_world_get_positions(world), velocities = msd_world_get_velocities(world);
  const size_t time_length = strlen(time);
  write_buffer out;
  write_buffer_begin(&out, stream);
  for (int32_t i = 0; i < positions.count; i++) {
    const msd_vec3 x = msd_view_at(positions, i), v = msd_view_at(velocities, i);
    const msd_real columns[] = {x.x, x.y, x.z, v.x, v.y, v.z};
    char *to = write_buffer_room(&out, 9 * NUMBER_MAX);
    memcpy(to, time, time_length);
    to += time_length;
    *to++ = ',';
    to = number_put_count(to, i);
    for (int c = 0; c < 6; c++) {
      *to++ = ',';
      to = number_put(to, (double)columns[c]);
    }
    *to++ = '\n';
    write_buffer_take(&out, to);
  }
  write_buffer_flush(&out);
}

static void write_rotors(FILE *stream, const msd_world *world, const char *time) {
  const int32_t count = msd_world_get_rotor_count(world);
  for (int32_t i = 0; i < count; i++)
    fprintf(stream, "%s,%ld,%.17g,%.17g\n", time, (long)i, msd_rotor_get_angle(world, i),
            msd_rotor_get_angular_velocity(world, i));
}

static void write_energies(FILE *stream, const msd_world *world, const char *time) {
  const msd_stats stats = msd_world_get_stats(world);
  fprintf(stream, "%s,%.17g,%.17g,%.17g,", time, stats.kinetic_energy, stats.elastic_energy,
          stats.potential_energy);
  const msd_energy_account account = msd_world_get_energy_account(world);
  if (msd_world_get_energy(world) == MSD_ENERGY_PLAIN)
    fputs(",,\n", stream);
  else
    fprintf(stream, "%.17g,%.17g,%" PRId64 "\n", account.made, account.credit, account.guarded_substeps);
}

static const trace_form forms[TRACE_KIND_COUNT] = {
    [TRACE_PARTICLES] = {"time,particle,x,y,z,vx,vy,vz\n", "particles", write_particles},
    [TRACE_ROTORS] = {"time,rotor,angle,angular_velocity\n", "rotors", write_rotors},
    [TRACE_ENERGY] = {"time,kinetic,elastic,potential,made,credit,guarded_substeps\n", "energies",
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

enum { ROW_MAX = 512 };

/* Keeps the rows up to the frame at `last_time`, which must be there whole. */
static bool keep_until(trace *t, int32_t count, double last_time, double time_step, problem *p) {
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
    if (*end != ',' || row_time > last_time + time_step / 2)
      break;
    kept_time = row_time;
    if (count > 0)
      last_item = strtol(end + 1, NULL, 10);
    kept = (long long)ftello(file->stream);
  }
  if (last_item != count - 1 || kept_time < last_time - time_step / 2)
    return problem_set(p,
                       "%s: does not hold all %s at %.9g s, where the checkpoint goes on, so it is not "
                       "continued; name another file, or give the same --every",
                       file->path, t->form->items, last_time);
  return output_file_cut(file, kept, p);
}

trace *trace_continue(trace_kind kind, const char *path, int32_t count, double last_time, double time_step,
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
  if (!keep_until(t, count, last_time, time_step, p)) {
    trace_discard(t);
    return NULL;
  }
  return t;
}

bool trace_write(trace *t, const msd_world *world, double time, problem *p) {
  char start[40];
  snprintf(start, sizeof start, NUMBER_FORMAT, time);
  t->form->write(t->file.stream, world, start);
  return !ferror(t->file.stream) || output_file_flush(&t->file, p);
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
