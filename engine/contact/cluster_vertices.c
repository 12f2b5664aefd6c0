#include "engine/contact/cluster_vertices.h"

#include "engine/base/sort.h"
#include "engine/base/vec3.h"

#include <string.h>

/* Below SHARED_VERTICES one thread orders all. */
enum { SHARED_VERTICES = 2048, PARTS_MOST = 2 * PARALLEL_THREADS_MAX };

/* The particles sorted along each axis. A subset is the same range of all three arrays. Splitting it by one
   axis preserves the order along the others. */
typedef struct vertex_order {
  const msd_vec3 *rest;
  int32_t leaf;
  /* Particles, and indices into `particles` along each axis. */
  const int32_t *particles;
  int32_t *by[3], *spare;
  /* By index: it is in the first half of the current subset. */
  bool *is_first;
  parallel_range parts[PARTS_MOST];
  int part_count;
  atomic_int next;
} vertex_order;

static double coordinate(const vertex_order *o, int32_t place, int axis) {
  double at[3];
  vec3_components(o->rest[o->particles[place]], at);
  return at[axis];
}

/* ------------------------------------------------------------------------------------- sorting along axes */

/* A key with the order of the given numbers; -0 equals 0. */
static uint64_t rising_key(double value) {
  const double given = value + 0.0;
  uint64_t bits;
  memcpy(&bits, &given, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static int32_t *list_sorted(const sort_item *sorted, int32_t count, int32_t *list) {
  for (int32_t n = 0; n < count; n++)
    list[n] = sorted[n].index;
  return list;
}

/* Coincident particles are ordered by index, so the order is unique. */
static void sort_along_axes(const vertex_order *o, int32_t *particles, int32_t count, sort_item *items,
                            sort_item *spare) {
  for (int32_t n = 0; n < count; n++)
    items[n] = (sort_item){(uint64_t)particles[n], particles[n]};
  list_sorted(sort_by_key(items, spare, count), count, particles);
  for (int axis = 0; axis < 3; axis++) {
    for (int32_t n = 0; n < count; n++)
      items[n] = (sort_item){rising_key(coordinate(o, n, axis)), n};
    list_sorted(sort_by_key(items, spare, count), count, o->by[axis]);
  }
}

/* ---------------------------------------------------------------------------------------------- bisection */

static int longest_axis(const vertex_order *o, parallel_range part) {
  double length[3];
  for (int axis = 0; axis < 3; axis++)
    length[axis] =
        coordinate(o, o->by[axis][part.last - 1], axis) - coordinate(o, o->by[axis][part.first], axis);
  int longest = 0;
  for (int axis = 1; axis < 3; axis++)
    if (length[axis] > length[longest])
      longest = axis;
  return longest;
}

/* Whole leaves on each side, and whole groups of 16 leaves if there are more. */
static int32_t first_half(int32_t count, int32_t leaf) {
  const int32_t group = count > 32 * leaf ? 16 * leaf : count > leaf ? leaf : 1;
  const int32_t groups = count / group + (count % group != 0);
  return groups / 2 * group;
}

/* Stable partition: the first half before the rest. */
static void part(const vertex_order *o, int32_t *list, int32_t *spare, int32_t count) {
  int32_t first = 0, others = 0;
  for (int32_t n = 0; n < count; n++) {
    const int32_t place = list[n];
    const bool is_first = o->is_first[place];
    list[first] = place;
    spare[others] = place;
    first += is_first;
    others += !is_first;
  }
  memcpy(list + first, spare, (size_t)others * sizeof *list);
}

/* Returns where the second half begins. */
static int32_t halve(const vertex_order *o, parallel_range range) {
  const int32_t count = range.last - range.first, half = first_half(count, o->leaf);
  const int longest = longest_axis(o, range);
  for (int32_t n = 0; n < count; n++)
    o->is_first[o->by[longest][range.first + n]] = n < half;
  for (int axis = 0; axis < 3; axis++)
    if (axis != longest)
      part(o, o->by[axis] + range.first, o->spare + range.first, count);
  return range.first + half;
}

static void put_in_order(const vertex_order *o, parallel_range range) {
  while (range.last - range.first > 1) {
    const int32_t middle = halve(o, range);
    put_in_order(o, (parallel_range){range.first, middle});
    range.first = middle;
  }
}

/* Splits all subsets, from the last on. */
static void halve_parts(vertex_order *o) {
  for (int n = o->part_count - 1; n >= 0; n--) {
    const parallel_range range = o->parts[n];
    const int32_t middle = halve(o, range);
    o->parts[2 * n] = (parallel_range){range.first, middle};
    o->parts[2 * n + 1] = (parallel_range){middle, range.last};
  }
  o->part_count *= 2;
}

static void order_share(void *context, int thread, int threads) {
  (void)thread, (void)threads;
  vertex_order *o = context;
  for (int n = atomic_fetch_add(&o->next, 1); n < o->part_count; n = atomic_fetch_add(&o->next, 1))
    put_in_order(o, o->parts[n]);
}

static void make_order(vertex_order *o, int32_t *particles, int32_t count, const msd_tasks *tasks,
                       int threads) {
  const int sharing = count < SHARED_VERTICES ? 1 : threads;
  o->parts[o->part_count++] = (parallel_range){0, count};
  while (o->part_count < sharing)
    halve_parts(o);
  parallel_run(tasks, sharing > 1 ? sharing : 1, order_share, o);
  for (int32_t n = 0; n < count; n++)
    o->spare[n] = particles[o->by[0][n]];
  memcpy(particles, o->spare, (size_t)count * sizeof *particles);
}

bool vertex_order_make(int32_t *particles, int32_t count, const msd_vec3 *rest, int32_t leaf, memory *m,
                       const msd_tasks *tasks, int threads) {
  const size_t size = (size_t)count;
  sort_item *items = memory_allocate_unset_items(m, 2 * (int64_t)count, sizeof *items);
  int32_t *places = memory_allocate_unset_items(m, 4 * (int64_t)count, sizeof *places);
  vertex_order o = {.rest = rest, .leaf = leaf, .particles = particles};
  o.is_first = memory_allocate_unset_items(m, count, sizeof *o.is_first);
  const bool done = items && places && o.is_first;
  if (done) {
    for (int axis = 0; axis < 3; axis++)
      o.by[axis] = places + (size_t)axis * size;
    o.spare = places + 3 * size;
    sort_along_axes(&o, particles, count, items, items + size);
    make_order(&o, particles, count, tasks, threads);
  }
  memory_release(m, o.is_first);
  memory_release(m, places);
  memory_release(m, items);
  return done;
}
