#include "trace.h"

#include "numbers.h"
#include "output_file.h"
#include "views.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "time,particle,x,y,z,vx,vy,vz\n";

struct trace {
  output_file file;
};

static trace *trace_make(problem *p) {
  trace *t = calloc(1, sizeof *t);
  if (t == NULL)
    problem_set(p, "out of memory for a trace");
  return t;
}

void trace_discard(trace *t) {
  if (t == NULL)
    return;
  output_file_discard(&t->file);
  free(t);
}

trace *trace_open(const char *path, problem *p) {
  trace *t = trace_make(p);
  if (t == NULL)
    return NULL;
  if (!output_file_open(&t->file, path, p)) {
    free(t);
    return NULL;
  }
  fputs(header, t->file.stream);
  return t;
}

enum { ROW_MAX = 512 };

/* Keeps the rows up to the frame at `last_time`, which must be there whole. */
static bool keep_until(output_file *file, int32_t particles, double last_time, double time_step, problem *p) {
  char row[ROW_MAX];
  if (fgets(row, sizeof row, file->stream) == NULL || strcmp(row, header) != 0)
    return problem_set(p, "%s: is not a trace of this command, so it is not continued; name another file",
                       file->path);
  long long kept = (long long)ftello(file->stream);
  long last_particle = -1;
  double kept_time = -1;
  while (fgets(row, sizeof row, file->stream) != NULL && strchr(row, '\n') != NULL) {
    char *end;
    double row_time = strtod(row, &end);
    /* Half a frame of room for the rounding of printed times. */
    if (*end != ',' || row_time > last_time + time_step / 2)
      break;
    kept_time = row_time;
    last_particle = strtol(end + 1, NULL, 10);
    kept = (long long)ftello(file->stream);
  }
  if (last_particle != particles - 1 || kept_time < last_time - time_step / 2)
    return problem_set(
        p,
        "%s: does not hold particles 0 to %ld at %.9g s, where the checkpoint goes on, so it is not "
        "continued; name another file, or give the same --every",
        file->path, (long)particles - 1, last_time);
  return output_file_cut(file, kept, p);
}

trace *trace_continue(const char *path, int32_t particles, double last_time, double time_step, problem *p) {
  trace *t = trace_make(p);
  if (t == NULL)
    return NULL;
  bool found;
  if (!output_file_continue(&t->file, path, &found, p)) {
    free(t);
    return NULL;
  }
  if (!found) {
    fputs(header, t->file.stream);
    return t;
  }
  if (!keep_until(&t->file, particles, last_time, time_step, p)) {
    trace_discard(t);
    return NULL;
  }
  return t;
}

bool trace_write(trace *t, const msd_world *world, double time, problem *p) {
  msd_view positions = msd_world_positions(world), velocities = msd_world_velocities(world);
  char start[40];
  snprintf(start, sizeof start, NUMBER_FORMAT, time);
  for (int32_t i = 0; i < positions.count; i++) {
    msd_vec3 x = view_at(&positions, i), v = view_at(&velocities, i);
    fprintf(t->file.stream,
            "%s,%ld," NUMBER_FORMAT "," NUMBER_FORMAT "," NUMBER_FORMAT "," NUMBER_FORMAT "," NUMBER_FORMAT
            "," NUMBER_FORMAT "\n",
            start, (long)i, (double)x.x, (double)x.y, (double)x.z, (double)v.x, (double)v.y, (double)v.z);
  }
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
