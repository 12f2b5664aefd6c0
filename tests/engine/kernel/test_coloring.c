/* Coloring, against what makes an order safe to share among threads: counted item by item. */
#include "tests/support/networks.h"

#include "engine/kernel/coloring.h"

enum { THREADS = 4 };

/* Items of 0 to 4 particles. */
typedef struct items {
  int32_t count, particles;
  int32_t (*corners)[COLORING_PARTICLES];
  int *corner_count;
  coloring colors;
  int32_t *order;
  memory memory;
} items;

static int corners_of(const void *context, int32_t item, int32_t *particles) {
  const items *list = context;
  memcpy(particles, list->corners[item], sizeof list->corners[item]);
  return list->corner_count[item];
}

static items items_of(int32_t count, int32_t particles) {
  items list = {.count = count,
                .particles = particles,
                .corners = calloc((size_t)count + 1, sizeof *list.corners),
                .corner_count = calloc((size_t)count + 1, sizeof *list.corner_count),
                .memory = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
  cr_assert(list.corners && list.corner_count);
  return list;
}

static items random_items(int32_t count, int32_t particles, uint64_t seed) {
  items list = items_of(count, particles);
  generator random = {.state = seed};
  for (int32_t n = 0; n < count; n++) {
    list.corner_count[n] = random_below(&random, COLORING_PARTICLES + 1);
    for (int k = 0; k < list.corner_count[n]; k++)
      list.corners[n][k] = random_below(&random, particles);
  }
  return list;
}

static void color_items(items *list) {
  list->order = coloring_make(&list->colors, &list->memory, list->count, list->particles, corners_of, list);
  cr_assert_not_null(list->order);
}

static void free_items(items *list) {
  memory_release(&list->memory, list->order);
  cr_assert_eq(list->memory.used, 0);
  free(list->corners);
  free(list->corner_count);
}

static bool touches(const items *list, int32_t item, int32_t particle) {
  for (int k = 0; k < list->corner_count[item]; k++)
    if (list->corners[item][k] == particle)
      return true;
  return false;
}

static bool share(const items *list, int32_t one, int32_t other) {
  for (int k = 0; k < list->corner_count[one]; k++)
    if (touches(list, other, list->corners[one][k]))
      return true;
  return false;
}

static int color_at(const items *list, int32_t place) {
  int color = 0;
  while (place >= list->colors.first[color + 1])
    color++;
  return color;
}

Test(coloring, items_of_one_color_share_no_particle_and_every_item_stands_once) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    items list = random_items(400, seed % 2 ? 40 : 300, seed);
    color_items(&list);
    int *times = calloc((size_t)list.count, sizeof *times);
    cr_assert_not_null(times);
    for (int32_t n = 0; n < list.count; n++) {
      times[list.order[n]]++;
      for (int32_t k = n + 1; k < list.count && color_at(&list, k) == color_at(&list, n); k++) {
        cr_assert_lt(list.order[n], list.order[k], "in the order of their indices");
        cr_assert(color_at(&list, n) == COLORING_COLORS || !share(&list, list.order[n], list.order[k]));
      }
    }
    for (int32_t n = 0; n < list.count; n++)
      cr_assert_eq(times[n], 1);
    cr_assert_eq(list.colors.first[0], 0);
    cr_assert_eq(list.colors.first[COLORING_COLORS + 1], list.count);
    free(times);
    free_items(&list);
  }
}

/* Why it has none of the colors before is an item before it that has it, and shares a particle. */
Test(coloring, an_item_takes_the_first_color_that_is_free) {
  items list = random_items(300, 40, 7);
  color_items(&list);
  for (int32_t n = 0; n < list.count; n++) {
    const int32_t item = list.order[n];
    if (list.corner_count[item] == 0) {
      cr_assert_eq(color_at(&list, n), COLORING_COLORS);
      continue;
    }
    for (int color = 0; color < color_at(&list, n); color++) {
      bool taken = false;
      for (int32_t k = list.colors.first[color]; k < list.colors.first[color + 1]; k++)
        taken = taken || (list.order[k] < item && share(&list, item, list.order[k]));
      cr_assert(taken, "item %d could have color %d", (int)item, color);
    }
  }
  free_items(&list);
}

Test(coloring, all_but_64_spokes_of_a_hub_have_no_color) {
  items list = items_of(100, 101);
  for (int32_t n = 0; n < list.count; n++) {
    list.corner_count[n] = 2;
    list.corners[n][1] = n + 1;
  }
  color_items(&list);
  for (int32_t n = 0; n < list.count; n++) {
    cr_assert_eq(list.order[n], n);
    cr_assert_eq(color_at(&list, n), n < COLORING_COLORS ? n : COLORING_COLORS);
  }
  free_items(&list);
}

Test(coloring, nothing_to_color_is_an_empty_order) {
  items list = items_of(0, 0);
  color_items(&list);
  for (int color = 0; color <= COLORING_COLORS + 1; color++)
    cr_assert_eq(list.colors.first[color], 0);
  free_items(&list);
}

static void *refuse(size_t bytes, void *context) {
  int *left = context;
  return (*left)-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void release(void *block, void *context) {
  (void)context;
  free(block);
}

Test(coloring, without_memory_there_is_no_order_and_nothing_is_kept) {
  for (int allocations = 0; allocations < 3; allocations++) {
    items list = random_items(10, 10, 3);
    int left = allocations;
    list.memory.allocator = (msd_allocator){refuse, release, &left};
    cr_assert_null(coloring_make(&list.colors, &list.memory, list.count, list.particles, corners_of, &list));
    free_items(&list);
  }
}

/* A run of several threads: each item puts its number behind those that its particles have seen. */
typedef struct visits {
  items *list;
  parallel_barrier barrier;
  int64_t *seen; /* a number of each particle that depends on the order in which items came to it */
  int *times;
} visits;

static void visit(const void *context, parallel_range range) {
  const visits *v = context;
  for (int32_t n = range.first; n < range.last; n++) {
    const int32_t item = v->list->order[n];
    v->times[item]++;
    for (int k = 0; k < v->list->corner_count[item]; k++) {
      int64_t *seen = &v->seen[v->list->corners[item][k]];
      *seen = (*seen * 31 + item + 1) % 1000003;
    }
  }
}

static void visit_all(void *context, int thread, int threads) {
  visits *v = context;
  coloring_run(&v->list->colors, visit, v, &v->barrier, thread, threads);
}

Test(coloring, any_number_of_threads_brings_items_to_a_particle_in_the_same_order) {
  enum { PARTICLES = 200 };
  items list = random_items(2000, PARTICLES, 11);
  color_items(&list);
  int64_t *expected = calloc(PARTICLES, sizeof *expected), *seen = calloc(PARTICLES, sizeof *seen);
  int *times = calloc((size_t)list.count, sizeof *times);
  cr_assert(expected && seen && times);
  for (int32_t n = 0; n < list.count; n++) {
    const int32_t item = list.order[n];
    for (int k = 0; k < list.corner_count[item]; k++)
      expected[list.corners[item][k]] = (expected[list.corners[item][k]] * 31 + item + 1) % 1000003;
  }
  for (int threads = 1; threads <= THREADS; threads++) {
    visits v = {.list = &list, .seen = seen, .times = times};
    memset(seen, 0, PARTICLES * sizeof *seen);
    memset(times, 0, (size_t)list.count * sizeof *times);
    parallel_run(NULL, threads, visit_all, &v);
    for (int32_t n = 0; n < list.count; n++)
      cr_assert_eq(times[n], 1, "%d threads, item %d", threads, (int)n);
    cr_assert_arr_eq(seen, expected, PARTICLES * sizeof *seen, "%d threads", threads);
  }
  free(expected);
  free(seen);
  free(times);
  free_items(&list);
}
