#include "engine/step/halos.h"

#include "engine/base/min_max.h"
#include "engine/kernel/records.h"
#include "engine/store/particle.h"

#include <limits.h>
#include <string.h>

/* GROUPS_BETWEEN separates the states of two threads, so that hardware prefetch stays in the thread's own
   memory. HALO_PAYS is the measured halo width, in groups, up to which saving a copy is worth it (ropes and
   cloths). */
enum { GROUPS_BETWEEN = 16, HALO_PAYS = 4, SIDES = 2, PARITIES = 2, STATES = 2 };

halo_shape halo_choose(const network *net, int threads, int substeps) {
  halo_shape shape = {.width = int_max(1, (net->reach - 1) / NETWORK_GROUP + 1)};
  const int room = net->group_count / threads / shape.width;
  shape.depth = int_min(int_min(int_max(1, HALO_PAYS / shape.width), room), substeps);
  return shape;
}

/* In groups. */
static int32_t halo_of(const halo_shape *shape) {
  return shape->width * shape->depth;
}

/* Number of particles in the largest range of this many threads, halos included. */
static int32_t range_particles(const network *net, const halo_shape *shape, int threads) {
  return (net->group_count / threads + 1 + 2 * halo_of(shape)) * NETWORK_GROUP;
}

/* The maximum over all thread counts, because fewer threads may run than requested. */
size_t halo_down_size(const network *net, const halo_shape *shape, int threads) {
  size_t most = 0;
  for (int n = 1; n <= threads; n++) {
    const size_t size = spring_down_size(net, range_particles(net, shape, n), n);
    most = size > most ? size : most;
  }
  return most;
}

/* ------------------------------------------------------------------------------------------------ memory */

/* Offset in groups of a thread's state. The ranges are stored in thread order, each with its halos and a gap.
   The offset lets the groups of a range keep their numbers in the network. */
static int32_t groups_moved(const halo_shape *shape, int thread) {
  return thread * (2 * halo_of(shape) + GROUPS_BETWEEN);
}

/* Offsets in reals of the arrays of a run; each starts on a cache line. */
typedef struct places {
  /* Stride of the slabs and forces. */
  size_t stride;
  size_t slabs[STATES], force, records[STATES], pins, copies;
  /* Size of one halo copy. */
  size_t copy;
  size_t size;
} places;

enum { LINES = 128 / sizeof(msd_real) };

static size_t append(places *p, size_t reals) {
  const size_t at = p->size;
  p->size += (reals + LINES - 1) / LINES * LINES;
  return at;
}

static bool has_held(const halo_run *run) {
  return run->input.net->held_row_count > 0;
}

static places places_of(const halo_run *run) {
  const network *net = run->input.net;
  const size_t slots = (size_t)(net->group_count + groups_moved(&run->shape, run->threads)) * NETWORK_GROUP;
  const size_t records = (slots + 2 * PARTICLE_GUARD) * RECORD_SIZE;
  places p = {.stride = particle_stride((int64_t)slots)};
  for (int state = 0; state < STATES; state++) {
    p.slabs[state] = append(&p, run->slabs ? COMPONENTS * p.stride + 2 * PARTICLE_GUARD : 0);
    p.records[state] = append(&p, run->records ? records : 0);
  }
  p.force = append(&p, run->input.force ? 3 * p.stride : 0);
  p.pins = append(&p, has_held(run) ? records : 0);
  p.copy = (size_t)(halo_of(&run->shape) * NETWORK_GROUP) * RECORD_SIZE;
  p.copies = append(&p, (size_t)run->threads * SIDES * PARITIES * p.copy);
  return p;
}

void halo_memory_free(halo_memory *h, memory *m) {
  memory_release(m, h->reals);
  memory_release(m, h->posts);
  *h = (halo_memory){0};
}

size_t halo_bytes(const halo_run *run) {
  return places_of(run).size * sizeof(msd_real);
}

bool halo_reserve(const halo_run *run, memory *m) {
  halo_memory *h = run->memory;
  const size_t size = places_of(run).size;
  if (size > h->size) {
    msd_real *larger = memory_replace(m, h->reals, size * sizeof *larger);
    if (!larger)
      return false;
    h->reals = larger;
    h->size = size;
  }
  if (run->threads > h->post_count) {
    progress_counter *more = memory_replace(m, h->posts, (size_t)run->threads * sizeof *more);
    if (!more)
      return false;
    h->posts = more;
    h->post_count = run->threads;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ threads */

typedef struct shared {
  const halo_run *run;
  places at;
  parallel_barrier barrier;
  atomic_bool failed;
} shared;

typedef struct worker {
  shared *shared;
  const halo_run *run;
  int thread, threads;
  /* In groups. */
  parallel_range range;
  /* The states of the thread, indexed by the group numbers of the network. */
  msd_real *slab[STATES], *records[STATES];
  /* Index of the current state. */
  int now;
  /* Number of halo copies so far. */
  int copies;
  bool finite;
} worker;

static msd_real *at(const shared *s, size_t place) {
  return s->run->memory->reals + place;
}

/* The range with `groups` more groups on either side, clipped to the network. */
static parallel_range around(const worker *w, int32_t groups) {
  return (parallel_range){int_max(0, w->range.first - groups),
                          int_min(w->run->input.net->group_count, w->range.last + groups)};
}

static size_t slot(int32_t group) {
  return (size_t)group * NETWORK_GROUP;
}

static void copy_components(const msd_real *from, size_t from_stride, msd_real *to, size_t to_stride,
                            int components, size_t slots) {
  for (size_t c = 0; c < (size_t)components; c++)
    memcpy(to + c * to_stride, from + c * from_stride, slots * sizeof *to);
}

static worker open_worker(shared *s, int thread, int threads) {
  const halo_run *run = s->run;
  worker w = {.shared = s,
              .run = run,
              .thread = thread,
              .threads = threads,
              .range = parallel_split(run->input.net->group_count, thread, threads),
              .finite = true};
  const size_t moved = slot(groups_moved(&run->shape, thread)) + PARTICLE_GUARD;
  for (int state = 0; state < STATES; state++) {
    w.slab[state] = run->slabs ? at(s, s->at.slabs[state]) + moved : NULL;
    w.records[state] = run->records ? at(s, s->at.records[state]) + moved * RECORD_SIZE : NULL;
  }
  return w;
}

/* Copies the initial state with its halos, and the thread's range of the data that all threads read. */
static void begin(worker *w) {
  const shared *s = w->shared;
  const halo_run *run = w->run;
  const spring_input *in = &run->input;
  const parallel_range all = around(w, halo_of(&run->shape));
  const size_t first = slot(all.first), count = slot(all.last) - first, own = slot(w->range.first),
               own_count = slot(w->range.last) - own;
  if (run->slabs)
    copy_components(run->from + first, in->stride, w->slab[0] + first, s->at.stride, COMPONENTS, count);
  if (run->records)
    records_from_slab(run->from, in->stride, w->records[0], first, first + count);
  if (in->force)
    copy_components(in->force + own, in->stride, at(s, s->at.force) + own, s->at.stride, 3, own_count);
  if (has_held(run))
    records_from_slab(run->from, in->stride, at(s, s->at.pins) + PARTICLE_GUARD * RECORD_SIZE, own,
                      own + own_count);
  if (in->force || has_held(run))
    parallel_wait(&w->shared->barrier, w->threads);
}

static void end(const worker *w) {
  const size_t first = slot(w->range.first), last = slot(w->range.last), stride = w->run->input.stride;
  if (w->run->slabs)
    copy_components(w->slab[w->now] + first, w->shared->at.stride, w->run->to + first, stride, COMPONENTS,
                    last - first);
  else
    records_to_slab(w->records[w->now], w->run->to, stride, first, last);
}

/* Advances the range and `groups` groups on either side by one substep. */
static void advance(worker *w, int32_t groups) {
  const shared *s = w->shared;
  const halo_run *run = w->run;
  const parallel_range all = around(w, groups);
  const int next = !w->now;
  spring_input in = run->input;
  in.stride = s->at.stride;
  in.read = (spring_source){w->slab[w->now], w->records[w->now]};
  in.write = (spring_target){w->slab[next], w->records[next]};
  in.pins = has_held(run) ? (spring_source){NULL, at(s, s->at.pins) + PARTICLE_GUARD * RECORD_SIZE} : in.read;
  in.force = run->input.force ? at(s, s->at.force) : NULL;
  bool finite;
  if (run->down) {
    const spring_down down =
        spring_down_place(run->down, in.net, range_particles(in.net, &run->shape, w->threads), w->thread,
                          w->slab[0], all.first * NETWORK_GROUP);
    finite = run->kernel.advance_runs(&in, &down, all.first, all.last);
  } else {
    finite = run->kernel.advance_rows(&in, all.first, all.last);
  }
  w->finite = finite && w->finite;
  w->now = next;
}

/* ------------------------------------------------------------------------------------------------- halos */

enum { LOWER, UPPER };

static int neighbor(const worker *w, int side) {
  const int thread = w->thread + (side == LOWER ? -1 : 1);
  return thread >= 0 && thread < w->threads ? thread : -1;
}

/* The copy that a thread makes for its neighbor on one side. Copies alternate between two buffers, because
   the neighbor may still be reading the previous one. */
static msd_real *copy_of(const worker *w, int thread, int side) {
  const size_t n = ((size_t)thread * SIDES + (size_t)side) * PARITIES + (size_t)(w->copies % PARITIES);
  return at(w->shared, w->shared->at.copies) + n * w->shared->at.copy;
}

static void give(const worker *w, int side) {
  const int32_t halo = halo_of(&w->run->shape);
  const size_t first = slot(side == LOWER ? w->range.first : w->range.last - halo), count = slot(halo);
  msd_real *to = copy_of(w, w->thread, side);
  if (w->run->slabs)
    copy_components(w->slab[w->now] + first, w->shared->at.stride, to, count, COMPONENTS, count);
  else
    memcpy(to, w->records[w->now] + first * RECORD_SIZE, count * RECORD_SIZE * sizeof *to);
}

static void take(const worker *w, int side) {
  const int32_t halo = halo_of(&w->run->shape);
  const size_t first = slot(side == LOWER ? w->range.first - halo : w->range.last), count = slot(halo),
               stride = w->shared->at.stride;
  const msd_real *from = copy_of(w, neighbor(w, side), !side);
  msd_real *records = w->records[w->now];
  if (w->run->slabs)
    copy_components(from, count, w->slab[w->now] + first, stride, COMPONENTS, count);
  if (w->run->slabs && records)
    records_from_slab(w->slab[w->now], stride, records, first, first + count);
  else if (records)
    memcpy(records + first * RECORD_SIZE, from, count * RECORD_SIZE * sizeof *from);
}

/* Returns false if some thread has found a non-finite position. */
static bool exchange(worker *w) {
  progress_counter *posts = w->run->memory->posts;
  for (int side = LOWER; side <= UPPER; side++)
    if (neighbor(w, side) >= 0)
      give(w, side);
  if (!w->finite)
    atomic_store_explicit(&w->shared->failed, true, memory_order_relaxed);
  progress_counter_publish(&posts[w->thread], w->copies + 1);
  for (int side = LOWER; side <= UPPER; side++)
    if (neighbor(w, side) >= 0) {
      progress_counter_wait(&posts[neighbor(w, side)], w->copies + 1);
      take(w, side);
    }
  w->copies++;
  return !atomic_load_explicit(&w->shared->failed, memory_order_relaxed);
}

static void work(void *context, int thread, int threads) {
  shared *s = context;
  const halo_run *run = s->run;
  worker w = open_worker(s, thread, threads);
  begin(&w);
  bool well = true;
  for (int left = run->substeps; well && left > 0;) {
    const int passes = (left + run->shape.depth - 1) / run->shape.depth, depth = (left + passes - 1) / passes;
    for (int level = depth - 1; level >= 0; level--)
      advance(&w, level * run->shape.width);
    left -= depth;
    if (left > 0)
      well = exchange(&w);
  }
  if (!w.finite)
    atomic_store_explicit(&s->failed, true, memory_order_relaxed);
  /* Releases threads that wait for this one; they then see the failure flag. */
  progress_counter_publish(&run->memory->posts[thread], INT_MAX);
  end(&w);
}

bool halo_advance(const halo_run *run) {
  shared s = {.run = run, .at = places_of(run)};
  atomic_init(&s.failed, false);
  for (int n = 0; n < run->threads; n++)
    progress_counter_begin(&run->memory->posts[n]);
  parallel_run(run->tasks, run->threads, work, &s);
  return !atomic_load_explicit(&s.failed, memory_order_relaxed);
}
