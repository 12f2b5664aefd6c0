#include "engine/step/temporal_blocking.h"

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/kernel/records.h"
#include "engine/store/particle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Measured with cloths, ropes and irregular meshes. The data between the first and the last substep of a
   thread's pass should stay in the caches: at most WINDOW_BYTES_MAX, and WINDOWS_BYTES_MAX for all threads
   together. */
enum { TILE = 16, DEPTH_MAX = 16, WINDOW_BYTES_MAX = 8 << 20, WINDOWS_BYTES_MAX = 32 << 20 };

blocking_shape blocking_choose(const network *net, int threads, int substeps) {
  blocking_shape shape = {.skew = int_max(1, (net->reach - 1) / NETWORK_CHUNK + 1), .tile = TILE};
  const int window_bytes = int_min(WINDOW_BYTES_MAX, WINDOWS_BYTES_MAX / threads);
  const int32_t window = (int32_t)fmin(window_bytes / spring_bytes(net) * net->chunk_count, net->chunk_count);
  shape.depth = int_min(int_min(DEPTH_MAX, substeps), int_max(0, window - TILE) / shape.skew);
  if (threads > 1) /* each range has two ends */
    shape.depth = int_min(shape.depth, net->chunk_count / threads / shape.skew / 2);
  return shape;
}

int blocking_slab(const blocking_run *run, int substeps) {
  return substeps == 0 ? 0 : run->records[0] ? 1 : 2 - substeps % 2;
}

static int32_t tile_particles(const blocking_shape *shape) {
  return shape->tile * NETWORK_CHUNK;
}

/* One buffer for each thread and level. */
size_t blocking_down_size(const network *net, const blocking_shape *shape, int threads) {
  return spring_down_size(net, tile_particles(shape), threads * shape->depth);
}

bool blocking_pins_stand(const spring_input *input, const msd_real *slab) {
  return input->net->held_row_count == 0 || blocking_all_pins_stand(input, slab);
}

bool blocking_all_pins_stand(const spring_input *input, const msd_real *slab) {
  const network *net = input->net;
  for (size_t i = 0; i < (size_t)net->group_count * NETWORK_GROUP; i++)
    for (size_t c = 0; c < 3 && net->inverse_mass[i] == 0; c++) {
      const msd_real *x = slab + c * input->stride + i, moved = *x + input->dt * x[3 * input->stride];
      if (memcmp(&moved, x, sizeof moved) != 0)
        return false;
    }
  return true;
}

size_t blocking_tally_count(const network *net, const blocking_shape *shape) {
  return 2 * (size_t)shape->depth * (size_t)net->chunk_count;
}

typedef struct shared {
  const blocking_run *run;
  /* Synchronizes the threads after each pass. */
  phase_barrier meeting;
  /* Final state of the limiter on thread 0. `over`: a substep would exceed the energy allowance. */
  energy_limiter limiter;
  bool over;
  /* Some thread has failed, so the others can stop. */
  atomic_bool has_failed;
} shared;

/* One thread in one pass. The substeps of a pass are its levels, counted from 0. */
typedef struct worker {
  shared *shared;
  const blocking_run *run;
  int thread, threads;
  parallel_range chunks;
  /* Substeps completed before the pass. */
  int before;
  int depth;
  bool finite;
  /* Number of passes. Passes alternate between two sets of tallies, because a slower thread may still read
     the other one. */
  int passes;
  /* Identical on all threads. */
  energy_limiter limiter;
  bool is_continued;
} worker;

/* Chunks that all threads together advance in a substep of the run. */
static parallel_range bounds_of(const blocking_run *run, int substep) {
  return run->bounds ? run->bounds[substep] : (parallel_range){0, run->input.net->chunk_count};
}

static parallel_range chunks_of(const worker *w) {
  const parallel_range all = bounds_of(w->run, w->before),
                       own = parallel_split(all.last - all.first, w->thread, w->threads);
  return (parallel_range){all.first + own.first, all.first + own.last};
}

/* First chunk of the tiles of a level, before clipping. */
static int32_t first_tile(const worker *w, int level) {
  return w->chunks.first - w->run->shape.skew * level;
}

static spring_down down_of(const worker *w, int level) {
  const blocking_run *run = w->run;
  return spring_down_place(run->down, run->input.net, tile_particles(&run->shape),
                           w->thread * run->shape.depth + level, run->slab[0],
                           first_tile(w, level) * NETWORK_CHUNK);
}

/* The state after `substep` substeps. */
static spring_target target_of(const blocking_run *run, int substep) {
  if (run->records[0])
    return (spring_target){.records = run->records[substep % 2]};
  return (spring_target){.slab = run->slab[blocking_slab(run, substep)]};
}

static spring_source source_of(const blocking_run *run, int substep) {
  const spring_target state = target_of(run, substep);
  return (spring_source){state.slab, state.records};
}

static spring_tally *tallies_of(const worker *w, int level) {
  const blocking_run *run = w->run;
  const int set = w->passes % 2 * run->shape.depth + level;
  return run->limiter.limiter ? run->limiter.tallies + (size_t)set * (size_t)run->input.net->chunk_count
                              : NULL;
}

/* Accounts for the energy of all levels of a pass. Returns false if one of them would have to be repeated. */
static bool account(worker *w) {
  const blocking_run *run = w->run;
  for (int level = 0; level < w->depth && run->limiter.limiter; level++) {
    const spring_tally sum = spring_tally_sum(tallies_of(w, level), run->input.net->chunk_count);
    const limiter_decision order = energy_limiter_measure(&w->limiter, &sum, w->is_continued);
    w->is_continued = true;
    if (order.answer != LIMITER_ACCEPT)
      return false;
    energy_limiter_commit(&w->limiter, &order, sum.work, (double)run->input.dt);
  }
  w->passes++;
  return true;
}

/* Advances the chunks first..last-1, at most a tile, by one level. `continues`: the level has just advanced
   the chunks before them. `goes_on`: it will advance the chunks after them next. */
static void advance(worker *w, int level, int32_t first, int32_t last, bool continues, bool goes_on) {
  const blocking_run *run = w->run;
  if (atomic_load_explicit(&w->shared->has_failed, memory_order_relaxed))
    return;
  const int32_t begin = first * NETWORK_CHUNK_GROUPS,
                end = int_min(last * NETWORK_CHUNK_GROUPS, run->input.net->group_count);
  const int substep = run->before + w->before + level;
  spring_input in = run->input;
  in.read = source_of(run, substep);
  in.write = target_of(run, substep + 1);
  in.tallies = tallies_of(w, level);
  in.pins = (spring_source){.slab = run->slab[0]};
  bool finite;
  if (run->down) {
    spring_down down = down_of(w, level);
    down.continues = continues;
    down.goes_on = goes_on;
    finite = run->kernel.advance_runs(&in, &down, begin, end);
  } else {
    finite = run->kernel.advance_rows(&in, begin, end);
  }
  const blocking_place place = {.thread = w->thread,
                                .substep = w->before + level,
                                .groups = {begin, end},
                                .before = in.read.slab,
                                .behind = in.write.slab};
  if (run->act)
    finite = run->act(run->acting, &place) && finite;
  w->finite = finite && w->finite;
  if (!finite)
    atomic_store_explicit(&w->shared->has_failed, true, memory_order_relaxed);
}

/* Chunks that a level can advance using only the neighbors' state before the pass. */
static parallel_range alone(const worker *w, int level) {
  const int32_t kept = w->run->shape.skew * level;
  const parallel_range all = bounds_of(w->run, w->before + level);
  return (parallel_range){w->thread > 0 ? w->chunks.first + kept : all.first,
                          w->thread < w->threads - 1 ? w->chunks.last - kept : all.last};
}

static void advance_alone(worker *w) {
  const int32_t tile = w->run->shape.tile;
  for (int32_t tiles = 0; first_tile(w, w->depth - 1) + tiles < alone(w, w->depth - 1).last; tiles += tile)
    for (int level = 0; level < w->depth; level++) {
      const parallel_range all = alone(w, level);
      const int32_t at = first_tile(w, level) + tiles;
      const int32_t first = int_max(at, all.first), last = int_min(at + tile, all.last);
      if (first < last)
        advance(w, level, first, last, first > all.first, last < all.last);
    }
}

static void advance_range(worker *w, int level, int32_t first, int32_t last) {
  const int32_t tile = w->run->shape.tile;
  for (int32_t at = first; at < last; at += tile)
    advance(w, level, at, int_min(at + tile, last), at > first, at + tile < last);
}

static void fill_in(worker *w) {
  for (int level = 1; level < w->depth; level++) {
    const parallel_range done = alone(w, level);
    parallel_wait(&w->shared->meeting.barrier, w->threads);
    if (w->thread > 0)
      advance_range(w, level, w->chunks.first, done.first);
    if (w->thread < w->threads - 1)
      advance_range(w, level, done.last, w->chunks.last);
  }
}

/* Returns true if all threads have completed the run; all of them get the same result. */
static bool take_passes(worker *w) {
  const blocking_run *run = w->run;
  bool over = false, well = true;
  for (; well && w->before < run->substeps; w->before += w->depth) {
    const int left = run->substeps - w->before, passes = (left + run->shape.depth - 1) / run->shape.depth;
    w->depth = (left + passes - 1) / passes;
    w->chunks = chunks_of(w);
    advance_alone(w);
    if (w->threads > 1)
      fill_in(w);
    well = phase_barrier_wait(&w->shared->meeting, w->threads, w->before, w->finite);
    if (well && !account(w)) {
      well = false;
      over = true;
    }
  }
  if (w->thread == 0) {
    w->shared->limiter = w->limiter;
    w->shared->over = over;
  }
  return well;
}

static void work(void *context, int thread, int threads) {
  shared *s = context;
  const blocking_run *run = s->run;
  const network *net = run->input.net;
  const size_t stride = run->input.stride;
  const parallel_range groups = parallel_split(net->group_count, thread, threads);
  const size_t first = (size_t)groups.first * NETWORK_GROUP, last = (size_t)groups.last * NETWORK_GROUP;
  worker w = {.shared = s,
              .run = run,
              .thread = thread,
              .threads = threads,
              .finite = true,
              .is_continued = run->limiter.is_continued};
  if (run->limiter.limiter)
    w.limiter = *run->limiter.limiter;
  if (run->records[0]) {
    records_from_slab(run->slab[0], stride, run->records[0], first, last);
    parallel_wait(&s->meeting.barrier, threads);
  }
  if (take_passes(&w) && run->records[0])
    records_to_slab(run->records[run->substeps % 2], run->slab[1], stride, first, last);
}

bool blocking_advance(const blocking_run *run) {
  shared s = {.run = run};
  atomic_init(&s.has_failed, false);
  phase_barrier_begin(&s.meeting);
  parallel_run(run->tasks, run->threads, work, &s);
  const bool done = phase_barrier_failed(&s.meeting) == INT_MAX && !s.over;
  /* An aborted level leaves its carried sums in the buffer. */
  if (!done && run->down)
    memset(run->down, 0, blocking_down_size(run->input.net, &run->shape, run->threads) * sizeof *run->down);
  if (done && run->limiter.limiter)
    *run->limiter.limiter = s.limiter;
  return done;
}
