#include "engine/contact/friction_cache.h"

#include "engine/base/bits.h"
#include "engine/base/min_max.h"

#include <math.h>
#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(friction_cache, all), GROWTH_ARRAY(friction_cache, links)};
const growth_table friction_anchor_growth =
    GROWTH(friction_cache, count, capacity, arrays, .most = INT32_MAX);

void friction_cache_begin(friction_cache *g, memory *m, int32_t particles) {
  friction_cache_free(g, m);
  g->particles = particles;
}

void friction_cache_free(friction_cache *g, memory *m) {
  growth_free(&friction_anchor_growth, g, m);
  memory_release(m, g->buckets);
  *g = (friction_cache){0};
}

size_t friction_cache_bytes(const friction_cache *g) {
  return (g->buckets ? memory_cost((size_t)g->bucket_count * sizeof *g->buckets) : 0) +
         (g->all ? memory_cost((size_t)g->capacity * sizeof *g->all) +
                       memory_cost((size_t)g->capacity * sizeof *g->links)
                 : 0);
}

enum { LEAST_BUCKETS = 64, MOST_BUCKETS = 1 << 30 };

/* At least twice as many buckets as anchors. False without memory; the old buckets remain. */
static bool make_buckets(friction_cache *g, memory *m) {
  int32_t count = LEAST_BUCKETS;
  while (count < MOST_BUCKETS && count / 2 < g->capacity)
    count *= 2;
  if (g->buckets && g->bucket_count >= count)
    return true;
  int32_t *larger = memory_allocate_unset_items(m, count, sizeof *larger);
  if (!larger)
    return false;
  memory_release(m, g->buckets);
  g->buckets = larger;
  g->bucket_count = count;
  g->is_indexed = false;
  return true;
}

bool friction_cache_make_room(friction_cache *g, memory *m, int32_t pairs) {
  return growth_reserve(&friction_anchor_growth, g, m, int_min(pairs, friction_cache_most(g->particles))) &&
         make_buckets(g, m);
}

static uint32_t mix(int32_t one, int32_t other) {
  const uint32_t a = (uint32_t)one * 0x9e3779b1u, b = ((uint32_t)other + 1) * 0x85ebca77u;
  return (a ^ b >> 15) * 0x2c1b3c6du;
}

/* Independent of the order of two edges. */
static int32_t bucket_of(const friction_cache *g, const int32_t particles[PAIR_CORNERS]) {
  const uint32_t both = mix(particles[0], particles[1]) + mix(particles[2], particles[3]);
  return (int32_t)((both ^ both >> 16) & (uint32_t)(g->bucket_count - 1));
}

void friction_cache_clear(friction_cache *g) {
  g->count = 0;
  g->is_indexed = false;
}

/* Shared by the threads that store anchors or fill buckets; the latter use only `to` and the barrier. */
typedef struct taking {
  friction_cache *to;
  near_pairs *from;
  const int32_t *particle;
  parallel_barrier barrier;
} taking;

static void take_pair(const taking *t, int32_t n, friction_anchor *to) {
  const tangential_spring of = near_pairs_get_tangential(t->from, n);
  *to = (friction_anchor){.kind = near_pairs_kind(t->from, n), .mass = of.mass};
  memcpy(to->way, of.anchor, sizeof to->way);
  near_pairs_slots(t->from, n, to->particles);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    to->particles[corner] = t->particle[to->particles[corner]];
}

static int32_t most_of(const friction_cache *g) {
  return g->buckets ? int_min(g->capacity, friction_cache_most(g->particles)) : 0;
}

/* Anchors in a range of groups, limited to the capacity. */
static int32_t count_held(const taking *t, parallel_range groups) {
  const int32_t most = most_of(t->to);
  int32_t count = 0;
  for (int32_t group = groups.first; group < groups.last; group++)
    count = int_min(count + count_bits(t->from->held[group]), most);
  return count;
}

/* Stores from index `at` on, and returns where the range ends. */
static int32_t take_groups(const taking *t, parallel_range groups, int32_t at) {
  const int32_t most = most_of(t->to);
  for (int32_t group = groups.first; group < groups.last; group++)
    for (uint32_t held = t->from->held[group]; held; held &= held - 1) {
      const int32_t n = group * NEAR_GROUP + lowest_bit(held);
      if (at < most)
        take_pair(t, n, &t->to->all[at++]);
      else
        near_pairs_set_tangential(t->from, n, &(tangential_spring){.most = NEAR_STUCK_NEW});
    }
  return at;
}

/* Each thread counts the anchors before its own range. */
static void take_part(void *context, int thread, int threads) {
  taking *t = context;
  const parallel_range own = parallel_split(t->from->group_count, thread, threads);
  const int32_t end = take_groups(t, own, count_held(t, (parallel_range){0, own.first}));
  if (thread == threads - 1)
    t->to->count = end;
}

void friction_cache_take(friction_cache *g, near_pairs *p, const int32_t *particle, const msd_tasks *tasks,
                         int threads) {
  taking t = {.to = g, .from = p, .particle = particle};
  parallel_run(tasks, threads, take_part, &t);
  g->is_indexed = false;
}

/* Each thread fills its own range of buckets from all anchors. */
static void fill_buckets(friction_cache *g, parallel_range buckets) {
  for (int32_t n = buckets.first; n < buckets.last; n++)
    g->buckets[n] = -1;
  for (int32_t n = 0; n < g->count; n++) {
    friction_anchor_link *link = &g->links[n];
    if (link->bucket < buckets.first || link->bucket >= buckets.last)
      continue;
    link->next = g->buckets[link->bucket];
    g->buckets[link->bucket] = n;
  }
}

static void index_part(void *context, int thread, int threads) {
  taking *t = context;
  friction_cache *g = t->to;
  const parallel_range own = parallel_split(g->count, thread, threads);
  for (int32_t n = own.first; n < own.last; n++)
    g->links[n].bucket = bucket_of(g, g->all[n].particles);
  parallel_wait(&t->barrier, threads);
  fill_buckets(g, parallel_split(g->bucket_count, thread, threads));
}

/* Below this number one thread is as fast as several. */
enum { FEW_ANCHORS = 4096 };

void friction_cache_index(friction_cache *g, const msd_tasks *tasks, int threads) {
  taking t = {.to = g};
  if (g->is_indexed || g->count == 0)
    return;
  parallel_run(tasks, g->count < FEW_ANCHORS ? 1 : threads, index_part, &t);
  g->is_indexed = true;
}

static bool is_of(const friction_anchor *g, const int32_t a[PAIR_CORNERS], int first) {
  const int32_t *b = g->particles;
  const int second = (first + 2) % PAIR_CORNERS;
  return b[0] == a[first] && b[1] == a[first + 1] && b[2] == a[second] && b[3] == a[second + 1];
}

/* Edges may be stored in the other order. */
static bool is_turned(const friction_anchor *g, const int32_t a[PAIR_CORNERS], pair_kind kind) {
  return kind == PAIR_EDGE_EDGE && is_of(g, a, 2);
}

static bool is_pair(const friction_anchor *g, const int32_t a[PAIR_CORNERS], pair_kind kind) {
  return g->kind == kind && (is_of(g, a, 0) || is_turned(g, a, kind));
}

tangential_spring friction_cache_find(const friction_cache *g, const int32_t slots[PAIR_CORNERS],
                                      pair_kind kind, const int32_t *particle, int32_t *next) {
  tangential_spring found = {.most = NEAR_STUCK_NEW};
  if (g->count == 0)
    return found;
  const int32_t as[PAIR_CORNERS] = {particle[slots[0]], particle[slots[1]], particle[slots[2]],
                                    particle[slots[3]]};
  int32_t n = *next;
  if (n >= g->count || !is_pair(&g->all[n], as, kind))
    for (n = g->buckets[bucket_of(g, as)]; n >= 0 && !is_pair(&g->all[n], as, kind);)
      n = g->links[n].next;
  if (n < 0)
    return found;
  const friction_anchor *there = &g->all[n];
  const msd_real sign = is_turned(there, as, kind) ? -1 : 1;
  for (int axis = 0; axis < 3; axis++)
    found.anchor[axis] = sign * there->way[axis];
  found.mass = there->mass;
  *next = n + 1;
  return found;
}

/* No displacement from a snapshot can raise friction above mu J, but it must be small enough to be added to
   others. */
static bool is_way_sound(msd_real way) {
  static const double longest = 1e12;
  return fabs((double)way) <= longest;
}

bool friction_cache_are_sound(const friction_cache *g) {
  bool sound = true;
  for (int32_t n = 0; n < g->count && sound; n++) {
    const friction_anchor *of = &g->all[n];
    sound = (of->kind == PAIR_POINT_TRIANGLE || of->kind == PAIR_EDGE_EDGE) && of->mass >= 0 &&
            isfinite(of->mass);
    for (int axis = 0; axis < 3; axis++)
      sound = sound && is_way_sound(of->way[axis]);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      sound = sound && of->particles[corner] >= 0 && of->particles[corner] < g->particles;
  }
  return sound;
}
