#include "engine/contact/particle_lists.h"

#include "engine/base/min_max.h"

#include <string.h>

bool corner_lists_reserve(corner_lists *c, memory *m, int32_t particles) {
  corner_lists_free(c, m);
  c->slots = memory_allocate(m, (size_t)particles * sizeof *c->slots);
  c->first = memory_allocate(m, ((size_t)particles + 1) * sizeof *c->first);
  c->last = memory_allocate(m, (size_t)particles * sizeof *c->last);
  c->limit = memory_allocate(m, (size_t)particles * sizeof *c->limit);
  c->owner = memory_allocate(m, (size_t)particles * sizeof *c->owner);
  c->places = memory_allocate(m, (size_t)particles * sizeof *c->places);
  c->makers = 1;
  c->particles = particles;
  if (c->slots && c->first && c->last && c->limit && c->owner && c->places)
    return true;
  corner_lists_free(c, m);
  return false;
}

void corner_lists_free(corner_lists *c, memory *m) {
  memory_release(m, c->slots);
  memory_release(m, c->first);
  memory_release(m, c->last);
  memory_release(m, c->limit);
  memory_release(m, c->corners);
  memory_release(m, c->owner);
  memory_release(m, c->places);
  *c = (corner_lists){0};
}

/* Capacity for a particle without corners; spare capacity beyond 1.5 times the pairs. */
enum { LEAST_ROOM = 4, SPARE_PAIRS = 1024 };

/* Below this number of pairs one thread is as fast as several. */
enum { SHARED_PAIRS = 4096 };

/* Shared by the threads that list corners. */
typedef struct corner_making {
  corner_lists *lists;
  const int32_t *const *slots;
  int corners;
  int32_t pairs;
  parallel_barrier barrier;
  /* By thread: how many of its slots have corners, and how many corners. */
  int32_t owners[PARALLEL_THREADS_MAX], found[PARALLEL_THREADS_MAX];
} corner_making;

static int32_t *places_of(const corner_lists *c, int thread) {
  return c->places + (size_t)thread * (size_t)c->particles;
}

static void count_corners(const corner_making *k, int thread, parallel_range pairs) {
  int32_t *counts = places_of(k->lists, thread);
  memset(counts, 0, (size_t)k->lists->particles * sizeof *counts);
  for (int corner = 0; corner < k->corners; corner++)
    for (int32_t n = pairs.first; n < pairs.last; n++)
      counts[k->slots[corner][n]]++;
}

/* The number of corners of a slot. They begin at `end`, those of each thread after those of the threads
   before it, in the order of pairs. */
static int32_t place_threads(const corner_lists *c, int32_t slot, int32_t end, int threads) {
  int32_t all = 0;
  for (int n = 0; n < threads; n++) {
    int32_t *place = places_of(c, n) + slot;
    const int32_t own = *place;
    *place = end + all;
    all += own;
  }
  return all;
}

static bool is_expected(const corner_lists *c, int32_t slot) {
  return c->expected && atomic_load_explicit(&c->expected[slot], memory_order_relaxed);
}

static void count_owners(corner_making *k, int thread, int threads, parallel_range slots) {
  int32_t owners = 0, found = 0;
  for (int32_t slot = slots.first; slot < slots.last; slot++) {
    int32_t all = 0;
    for (int n = 0; n < threads; n++)
      all += places_of(k->lists, n)[slot];
    owners += all > 0 || is_expected(k->lists, slot);
    found += all;
  }
  k->owners[thread] = owners;
  k->found[thread] = found;
}

/* The begin and end of the corners of each slot in a thread's range. */
static void place_owners(const corner_making *k, int thread, int threads, parallel_range slots) {
  corner_lists *c = k->lists;
  int32_t owner = 0, end = 0;
  for (int n = 0; n < thread; n++)
    owner += k->owners[n], end += k->found[n];
  for (int32_t slot = slots.first; slot < slots.last; slot++) {
    const int32_t own = place_threads(c, slot, end, threads);
    const bool is_listed = own > 0 || is_expected(c, slot);
    c->owner[slot] = is_listed ? owner : 0;
    if (!is_listed)
      continue;
    c->slots[owner] = slot;
    c->first[owner] = end;
    end += own;
    c->last[owner] = c->limit[owner] = end;
    owner++;
  }
  if (thread + 1 == threads) {
    c->first[owner] = c->used = end;
    c->late = c->count = owner;
  }
}

static void make_share(void *context, int thread, int threads) {
  corner_making *k = context;
  const parallel_range pairs = parallel_split(k->pairs, thread, threads),
                       slots = parallel_split(k->lists->particles, thread, threads);
  count_corners(k, thread, pairs);
  parallel_wait(&k->barrier, threads);
  count_owners(k, thread, threads, slots);
  parallel_wait(&k->barrier, threads);
  place_owners(k, thread, threads, slots);
  parallel_wait(&k->barrier, threads);
  int32_t *places = places_of(k->lists, thread);
  for (int32_t n = pairs.first; n < pairs.last; n++)
    for (int corner = 0; corner < k->corners; corner++)
      k->lists->corners[places[k->slots[corner][n]]++] = PAIR_CORNERS * n + corner;
}

/* More threads than one for each `particles` corners would spend most of their time on counting slots. */
static int useful_makers(const corner_lists *c, int64_t corners, int threads) {
  const int64_t most = 1 + corners / c->particles;
  return most < threads ? (int)most : threads;
}

/* Reserves memory for that many threads; returns for how many there is. */
static int reserve_places(corner_lists *c, memory *m, int threads) {
  if (threads <= c->makers)
    return threads;
  int32_t *larger = memory_allocate_items(m, (int64_t)threads * c->particles, sizeof *larger);
  if (!larger)
    return c->makers;
  memory_release(m, c->places);
  c->places = larger;
  c->makers = threads;
  return threads;
}

bool corner_lists_make(corner_lists *c, memory *m, const int32_t *const *slots, int corners, int32_t pairs,
                       const msd_tasks *tasks, int threads) {
  c->late = c->count = c->used = 0;
  if (pairs > c->capacity - c->capacity / 8) {
    const int32_t room = pairs < INT32_MAX / 8 ? pairs + pairs / 2 + SPARE_PAIRS : pairs;
    int32_t *larger = memory_replace(m, c->corners, (size_t)room * PAIR_CORNERS * sizeof *larger);
    if (!larger)
      return false;
    c->corners = larger;
    c->capacity = room;
  }
  if (pairs == 0)
    return true;
  corner_making making = {.lists = c, .slots = slots, .corners = corners, .pairs = pairs};
  int makers = 1;
  if (pairs >= SHARED_PAIRS)
    makers = reserve_places(c, m, useful_makers(c, (int64_t)corners * pairs, threads));
  parallel_run(tasks, makers, make_share, &making);
  return true;
}

/* The index of a slot in `slots`, or -1. */
static int32_t owner_of(const corner_lists *c, int32_t slot) {
  const int32_t owner = c->owner[slot];
  return owner < c->count && c->slots[owner] == slot ? owner : -1;
}

/* Moves the corners of a particle to the end of the array, with twice the capacity. */
static bool move_to_room(corner_lists *c, int32_t owner) {
  const int32_t size = c->last[owner] - c->first[owner], room = int_max(2 * size, LEAST_ROOM);
  if (room > PAIR_CORNERS * c->capacity - c->used)
    return false;
  memcpy(c->corners + c->used, c->corners + c->first[owner], (size_t)size * sizeof *c->corners);
  c->first[owner] = c->used;
  c->last[owner] = c->used + size;
  c->used += room;
  c->limit[owner] = c->used;
  return true;
}

/* Adds a particle without corners; -1 if there are too many late ones. */
static int32_t add_late(corner_lists *c, int32_t slot) {
  if (c->count - c->late == CORNERS_LATE)
    return -1;
  const int32_t owner = c->count++;
  c->slots[owner] = slot;
  c->owner[slot] = owner;
  c->first[owner] = c->first[owner + 1] = c->last[owner] = c->limit[owner] = c->used;
  return owner;
}

static bool append(corner_lists *c, const int32_t *const *slots, int32_t pair) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const int32_t slot = slots[corner][pair], known = owner_of(c, slot),
                  owner = known < 0 ? add_late(c, slot) : known;
    if (owner < 0 || (c->last[owner] == c->limit[owner] && !move_to_room(c, owner)))
      return false;
    c->corners[c->last[owner]++] = PAIR_CORNERS * pair + corner;
  }
  return true;
}

corners_extended corner_lists_extend(corner_lists *c, memory *m, const int32_t *const *slots, int32_t first,
                                     int32_t pairs, const msd_tasks *tasks, int threads) {
  int32_t n = first;
  while (n > 0 && n < pairs && append(c, slots, n))
    n++;
  if (n > 0 && n == pairs)
    return CORNERS_APPENDED;
  return corner_lists_make(c, m, slots, PAIR_CORNERS, pairs, tasks, threads) ? CORNERS_MADE : CORNERS_NONE;
}

int32_t corner_lists_find(const corner_lists *c, const int32_t *const *slots,
                          const int32_t wanted[PAIR_CORNERS], int32_t pair) {
  int32_t owner = -1, least = INT32_MAX, corner = 0;
  for (int32_t k = 0; k < PAIR_CORNERS && least > 0; k++) {
    const int32_t other = owner_of(c, wanted[k]), count = other < 0 ? 0 : c->last[other] - c->first[other];
    if (count < least)
      owner = other, least = count, corner = k;
  }
  for (int32_t k = least > 0 ? c->first[owner] : 0; least > 0 && k < c->last[owner]; k++) {
    const int32_t n = c->corners[k] / PAIR_CORNERS;
    if (n >= pair && c->corners[k] % PAIR_CORNERS == corner && slots[0][n] == wanted[0] &&
        slots[1][n] == wanted[1] && slots[2][n] == wanted[2] && slots[3][n] == wanted[3])
      return n;
  }
  return -1;
}

/* The first of `count` ascending numbers that is not below `least`, or `count`. */
static int32_t find_first(const int32_t *ascending, int32_t count, int64_t least) {
  int32_t low = 0, high = count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (ascending[middle] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static parallel_range find_ascending(const corner_lists *c, parallel_range particles) {
  return (parallel_range){find_first(c->slots, c->late, particles.first),
                          find_first(c->slots, c->late, particles.last)};
}

static bool is_in(parallel_range particles, int32_t slot) {
  return slot >= particles.first && slot < particles.last;
}

static parallel_range find_late(const corner_lists *c, int32_t n, parallel_range particles) {
  parallel_range late = {n, n};
  while (late.first < c->count && !is_in(particles, c->slots[late.first]))
    late.first++;
  late.last = late.first;
  while (late.last < c->count && is_in(particles, c->slots[late.last]))
    late.last++;
  return late;
}

parallel_range corner_lists_next(const corner_lists *c, int32_t n, parallel_range particles) {
  const parallel_range ascending = n == 0 ? find_ascending(c, particles) : (parallel_range){n, n};
  return ascending.first < ascending.last ? ascending : find_late(c, int_max(n, c->late), particles);
}

/* The first index with that many corners before it, by the initial order. Lists that have moved since then
   only make the ranges less even; the result still increases with `corner`. */
static int32_t find_corner(const corner_lists *c, int64_t corner) {
  return find_first(c->first, c->count, corner);
}

parallel_range corner_lists_split(const corner_lists *c, int thread, int threads) {
  const int64_t all = c->count > 0 ? c->first[c->count] : 0;
  return (parallel_range){thread == 0 ? 0 : find_corner(c, all * thread / threads),
                          thread + 1 == threads ? c->count : find_corner(c, all * (thread + 1) / threads)};
}
