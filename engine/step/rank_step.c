#include "engine/step/rank_step.h"

#include "engine/base/min_max.h"
#include "engine/kernel/records.h"
#include "engine/store/particle.h"

/* A smaller subdomain stays in the caches and gains nothing from temporal blocking. */
enum { CACHE_BYTES = 10 << 20 };

/* The chunks of the first substep after an exchange, the largest list. */
static const span_list *widest(const partition *s) {
  return &s->within[s->depth - 1];
}

static bool are_spans(const partition *s) {
  for (int n = 0; n < s->depth; n++)
    if (s->within[n].count != 1)
      return false;
  return true;
}

blocking_shape rank_blocking(const partition *s, const network *net, int threads) {
  const double bytes = spring_bytes(net) * widest(s)->total / net->chunk_count;
  if (!are_spans(s) || bytes < CACHE_BYTES)
    return (blocking_shape){.depth = 0};
  blocking_shape shape = blocking_choose(net, threads, s->depth);
  if (threads > 1)
    shape.depth = int_min(shape.depth, s->within[0].total / threads / shape.skew / 2);
  return shape.depth < int_min(BLOCKING_DEPTH_MIN, s->depth) ? (blocking_shape){.depth = 0} : shape;
}

/* Number of particles in the largest of `threads` ranges of a list. */
static int32_t range_particles(const partition *s, int threads) {
  return (widest(s)->total / threads + 1) * NETWORK_CHUNK;
}

size_t rank_down_size(const partition *s, const network *net, const blocking_shape *shape, int threads) {
  return shape->depth > 0 ? blocking_down_size(net, shape, threads)
                          : spring_down_size(net, range_particles(s, threads), threads);
}

/* ----------------------------------------------------------------------------------------- halo messages */

static size_t slot_count(const rank_run *run) {
  return (size_t)run->input.net->group_count * NETWORK_GROUP;
}

static void begin_exchange(const rank_run *run, const halo_route *route, const msd_real *slab) {
  const partition *s = run->partition;
  partition_pack(s, route, slab, run->input.stride, slot_count(run), COMPONENTS);
  s->ranks.begin(route->handle, s->give, s->take, s->ranks.context);
}

static void end_exchange(const rank_run *run, const halo_route *route, msd_real *slab, msd_real *records) {
  const partition *s = run->partition;
  s->ranks.end(route->handle, s->give, s->take, s->ranks.context);
  partition_unpack(s, route, slab, run->input.stride, slot_count(run), COMPONENTS);
  for (int32_t n = 0; n < route->take_count && records; n++) {
    const size_t first = (size_t)route->take[n] * NETWORK_CHUNK, last = first + NETWORK_CHUNK;
    records_from_slab(slab, run->input.stride, records, first,
                      last < slot_count(run) ? last : slot_count(run));
  }
}

/* --------------------------------------------------------------------------------- one substep at a time */

typedef struct shared {
  const rank_run *run;
  parallel_barrier barrier;
  atomic_bool failed;
} shared;

typedef struct worker {
  shared *shared;
  const rank_run *run;
  int thread, threads;
  /* Number of completed substeps. */
  int taken;
  bool finite;
} worker;

/* The slab of the state after `substep` substeps; the last two slabs alternate. */
static msd_real *slab_of(const rank_run *run, int substep) {
  return run->slab[substep == 0 ? 0 : 2 - substep % 2];
}

static msd_real *records_of(const rank_run *run, int substep) {
  return run->records[substep % 2];
}

static bool advance_part(const rank_run *run, const spring_input *in, int nth, parallel_range chunks) {
  const network *net = in->net;
  const int32_t first = chunks.first * NETWORK_CHUNK_GROUPS,
                last = int_min(chunks.last * NETWORK_CHUNK_GROUPS, net->group_count);
  if (!run->down)
    return run->kernel.advance_rows(in, first, last);
  const spring_down down = spring_down_place(run->down, net, range_particles(run->partition, run->threads),
                                             nth, run->slab[0], chunks.first * NETWORK_CHUNK);
  return run->kernel.advance_runs(in, &down, first, last);
}

/* Advances this thread's ranges of a list by one substep. There is one range for each requested thread, even
   if fewer threads run. */
static void advance(worker *w, const span_list *list) {
  const rank_run *run = w->run;
  spring_input in = run->input;
  in.read = (spring_source){slab_of(run, w->taken), records_of(run, w->taken)};
  in.write = (spring_target){slab_of(run, w->taken + 1), records_of(run, w->taken + 1)};
  in.pins = (spring_source){.slab = run->slab[0]};
  for (int nth = w->thread; nth < run->threads; nth += w->threads) {
    const parallel_range own = span_share(list, in.net->chunk_count, nth, run->threads);
    for (parallel_range part = {own.first, own.first}; span_next(list, 1, own, &part);)
      w->finite = advance_part(run, &in, nth, part) && w->finite;
  }
}

/* First substep after an exchange: chunks that need no halo are advanced while messages are in flight. */
static void advance_beside_exchange(worker *w, int depth) {
  const rank_run *run = w->run;
  const partition *s = run->partition;
  if (w->thread == 0)
    begin_exchange(run, &s->rings, slab_of(run, w->taken));
  advance(w, &s->inner);
  if (w->thread == 0)
    end_exchange(run, &s->rings, slab_of(run, w->taken), records_of(run, w->taken));
  parallel_wait(&w->shared->barrier, w->threads);
  advance(w, &s->outer[depth - 1]);
}

/* Number of substeps before the next exchange, chosen so that all periods are nearly equal. */
static int next_depth(const rank_run *run, int taken) {
  const int left = run->substeps - taken, most = run->partition->depth, periods = (left + most - 1) / most;
  return (left + periods - 1) / periods;
}

static void work(void *context, int thread, int threads) {
  shared *all = context;
  const rank_run *run = all->run;
  const size_t slots = (size_t)run->input.net->group_count;
  worker w = {.shared = all, .run = run, .thread = thread, .threads = threads, .finite = true};
  if (run->records[0]) {
    const parallel_range groups = parallel_split((int32_t)slots, thread, threads);
    records_from_slab(run->slab[0], run->input.stride, run->records[0], (size_t)groups.first * NETWORK_GROUP,
                      (size_t)groups.last * NETWORK_GROUP);
    parallel_wait(&all->barrier, threads);
  }
  while (w.taken < run->substeps) {
    const int depth = next_depth(run, w.taken);
    for (int level = depth - 1; level >= 0; level--, w.taken++) {
      if (level == depth - 1 && w.taken > 0)
        advance_beside_exchange(&w, depth);
      else
        advance(&w, &run->partition->within[level]);
      parallel_wait(&all->barrier, threads);
    }
  }
  if (!w.finite)
    atomic_store_explicit(&all->failed, true, memory_order_relaxed);
}

static bool advance_one_by_one(const rank_run *run) {
  shared all = {.run = run};
  atomic_init(&all.failed, false);
  parallel_run(run->tasks, run->threads, work, &all);
  return !atomic_load_explicit(&all.failed, memory_order_relaxed);
}

/* -------------------------------------------------------------------------------------- temporal blocking */

/* Advances `depth` substeps between two exchanges. A rank with a non-finite state keeps exchanging, because
   the other ranks do not know yet. */
static bool advance_block(const rank_run *run, int taken, int depth, bool finite) {
  const partition *s = run->partition;
  parallel_range bounds[MSD_RANKS_DEPTH_MAX];
  for (int n = 0; n < depth; n++)
    bounds[n] = s->within[depth - 1 - n].spans[0];
  const blocking_run blocks = {.shape = run->blocking,
                               .kernel = run->kernel,
                               .input = run->input,
                               .slab = {run->slab[0], run->slab[1], run->slab[2]},
                               .before = taken,
                               .bounds = bounds,
                               .down = run->down,
                               .tasks = run->tasks,
                               .threads = run->threads,
                               .substeps = depth};
  return finite && blocking_advance(&blocks);
}

static bool advance_in_blocks(const rank_run *run) {
  const halo_route *rings = &run->partition->rings;
  bool finite = true;
  for (int taken = 0; taken < run->substeps;) {
    const int depth = next_depth(run, taken);
    if (taken > 0) {
      begin_exchange(run, rings, slab_of(run, taken));
      end_exchange(run, rings, slab_of(run, taken), NULL);
    }
    finite = advance_block(run, taken, depth, finite);
    taken += depth;
  }
  return finite;
}

bool rank_advance(const rank_run *run) {
  const partition *s = run->partition;
  const bool finite = run->blocking.depth > 0 ? advance_in_blocks(run) : advance_one_by_one(run);
  if (rank_on_any(&s->ranks, !finite))
    return false;
  msd_real *last = slab_of(run, run->substeps);
  begin_exchange(run, &s->whole, last);
  end_exchange(run, &s->whole, last, NULL);
  return true;
}
