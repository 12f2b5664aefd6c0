#include "engine/step/temporal_blocking.h"

#include "engine/base/parallel.h"
#include "engine/store/particle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* As measured with cloths, ropes and irregular meshes. What a network of less than STREAM_BYTES_MIN reads and writes
   in a substep stays in the caches anyway. What lies between the first and the last substep of a thread's pass should
   stay there too: at most WINDOW_BYTES_MAX, and of many threads their share of WINDOWS_BYTES_MAX. */
enum {
  TILE = 16,
  DEPTH_MAX = 16,
  STREAM_BYTES_MIN = 10 << 20,
  WINDOW_BYTES_MAX = 8 << 20,
  WINDOWS_BYTES_MAX = 32 << 20
};

static int32_t smaller(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b) {
  return a > b ? a : b;
}

/* What a substep goes through: two states, inverse masses, and the springs. */
static double stream_bytes(const network *net) {
  const double particles = (double)net->group_count * NETWORK_GROUP;
  const double indexed = net->lane_count - net->indexed_lane, streamed = net->indexed_lane;
  const double tunings = (net->streamed.stiffness ? streamed : 0) + (net->indexed.stiffness ? indexed : 0);
  return ((2 * COMPONENTS + 1) * particles + streamed + indexed + 2 * tunings) * sizeof(msd_real) +
         indexed * sizeof *net->partner;
}

wave_shape wave_choose(const network *net, int threads, int substeps) {
  wave_shape shape = {.skew = larger(1, (net->reach - 1) / STEP_CHUNK + 1), .tile = TILE};
  const double bytes = stream_bytes(net);
  if (bytes < STREAM_BYTES_MIN)
    return shape;
  const int window_bytes = smaller(WINDOW_BYTES_MAX, WINDOWS_BYTES_MAX / threads);
  const int32_t window = (int32_t)fmin(window_bytes / bytes * net->chunk_count, net->chunk_count);
  shape.depth = smaller(smaller(DEPTH_MAX, substeps), larger(0, window - TILE) / shape.skew);
  if (threads > 1) /* each range has two ends */
    shape.depth = smaller(shape.depth, net->chunk_count / threads / shape.skew / 2);
  return shape;
}

int wave_slab(const wave_run *run, int substeps) {
  return substeps == 0 ? 0 : run->records[0] ? 1 : 2 - substeps % 2;
}

static int32_t tile_particles(const wave_shape *shape) {
  return shape->tile * STEP_CHUNK;
}

/* A range for each thread and level. */
size_t wave_down_size(const network *net, const wave_shape *shape, int threads) {
  return step_down_size(net, tile_particles(shape), threads * shape->depth);
}

bool wave_pins_stand(const step_input *input, const msd_real *state) {
  const network *net = input->net;
  for (size_t i = 0; net->held_row_count > 0 && i < (size_t)net->group_count * NETWORK_GROUP; i++)
    for (size_t c = 0; c < 3 && input->inverse_mass[i] == 0; c++) {
      const msd_real *x = state + c * input->stride + i, moved = *x + input->time_step * x[3 * input->stride];
      if (memcmp(&moved, x, sizeof moved) != 0)
        return false;
    }
  return true;
}

typedef struct shared {
  const wave_run *run;
  parallel_meeting meeting; /* after each pass */
} shared;

/* One thread's part of one pass. The substeps of a pass are its levels, from 0 on. */
typedef struct part {
  shared *shared;
  const wave_run *run;
  int thread, threads;
  parallel_range chunks;
  int before; /* substeps that were taken before the pass */
  int depth;
  bool finite;
} part;

/* Where a level begins with its tiles, if nothing cuts them off. */
static int32_t first_tile(const part *p, int level) {
  return p->chunks.first - p->run->shape.skew * level;
}

static void go_through_runs(const part *p, int level, step_input *in) {
  const wave_run *run = p->run;
  const int32_t particles = tile_particles(&run->shape);
  in->down_stride = step_down_stride(in->net, particles);
  in->down = step_down_place(run->down, in->net, particles, p->thread * run->shape.depth + level,
                             run->slab[0], first_tile(p, level) * STEP_CHUNK);
}

/* Takes the chunks first..last-1, at most a tile, through a level. `continues`: the level has just taken those in
   front of them. `goes_on`: it will take those behind them next. */
static void advance(part *p, int level, int32_t first, int32_t last, bool continues, bool goes_on) {
  const wave_run *run = p->run;
  const int32_t end = smaller(last * NETWORK_CHUNK_GROUPS, run->input.net->group_count);
  const int substep = p->before + level;
  step_input in = run->input;
  in.read = run->records[0] ? NULL : run->slab[wave_slab(run, substep)];
  in.write = run->records[0] ? NULL : run->slab[wave_slab(run, substep + 1)];
  in.read_records = run->records[substep % 2];
  in.write_records = run->records[(substep + 1) % 2];
  in.read_pins = run->slab[0];
  in.down_continues = continues;
  in.down_goes_on = goes_on;
  if (run->down)
    go_through_runs(p, level, &in);
  step_function *kernel = run->down ? run->kernel.advance_runs : run->kernel.advance_rows;
  p->finite = kernel(&in, first * NETWORK_CHUNK_GROUPS, end) && p->finite;
}

/* What a level reaches with nothing of the neighbours' but the state before the pass. */
static parallel_range alone(const part *p, int level) {
  const int32_t kept = p->run->shape.skew * level;
  return (parallel_range){p->chunks.first + (p->thread > 0 ? kept : 0),
                          p->chunks.last - (p->thread < p->threads - 1 ? kept : 0)};
}

static void advance_alone(part *p) {
  const int32_t tile = p->run->shape.tile;
  for (int32_t tiles = 0; first_tile(p, p->depth - 1) + tiles < alone(p, p->depth - 1).last; tiles += tile)
    for (int level = 0; level < p->depth; level++) {
      const parallel_range all = alone(p, level);
      const int32_t at = first_tile(p, level) + tiles;
      const int32_t first = larger(at, all.first), last = smaller(at + tile, all.last);
      if (first < last)
        advance(p, level, first, last, first > all.first, last < all.last);
    }
}

static void advance_range(part *p, int level, int32_t first, int32_t last) {
  const int32_t tile = p->run->shape.tile;
  for (int32_t at = first; at < last; at += tile)
    advance(p, level, at, smaller(at + tile, last), at > first, at + tile < last);
}

static void fill_in(part *p) {
  for (int level = 1; level < p->depth; level++) {
    const parallel_range done = alone(p, level);
    parallel_wait(&p->shared->meeting.barrier, p->threads);
    advance_range(p, level, p->chunks.first, done.first);
    advance_range(p, level, done.last, p->chunks.last);
  }
}

static void advance_part(void *context, int thread, int threads) {
  shared *s = context;
  const wave_run *run = s->run;
  const network *net = run->input.net;
  const size_t stride = run->input.stride;
  const parallel_range groups = parallel_split(net->group_count, thread, threads);
  part p = {.shared = s,
            .run = run,
            .thread = thread,
            .threads = threads,
            .chunks = parallel_split(net->chunk_count, thread, threads),
            .finite = true};
  if (run->records[0]) {
    step_make_records(run->slab[0], stride, run->records[0], groups.first, groups.last);
    parallel_wait(&s->meeting.barrier, threads);
  }
  for (bool well = true; well && p.before < run->substeps; p.before += p.depth) {
    const int left = run->substeps - p.before, passes = (left + run->shape.depth - 1) / run->shape.depth;
    p.depth = (left + passes - 1) / passes;
    advance_alone(&p);
    if (threads > 1)
      fill_in(&p);
    well = parallel_meet(&s->meeting, threads, p.before, p.finite);
  }
  if (run->records[0])
    step_read_records(run->records[run->substeps % 2], run->slab[1], stride, groups.first, groups.last);
}

bool wave_advance(const wave_run *run) {
  shared s = {.run = run};
  parallel_meeting_begin(&s.meeting);
  parallel_run(run->threads, advance_part, &s);
  return parallel_meeting_failed(&s.meeting) == INT_MAX;
}
