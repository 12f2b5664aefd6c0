#include "engine/kernel/coloring.h"

static int lowest_free(uint64_t used) {
  int color = 0;
  while (color < COLORING_COLORS && used >> color & 1)
    color++;
  return color;
}

/* The color of an item, COLORING_COLORS for none. used[i] is the set of colors at particle i. */
static uint8_t choose_color(uint64_t *used, const int32_t *particles, int count) {
  uint64_t taken = count > 0 ? 0 : UINT64_MAX;
  for (int n = 0; n < count; n++)
    taken |= used[particles[n]];
  const int color = lowest_free(taken);
  for (int n = 0; n < count && color < COLORING_COLORS; n++)
    used[particles[n]] |= (uint64_t)1 << color;
  return (uint8_t)color;
}

static void sort_by_color(coloring *c, const uint8_t *color, int32_t items, int32_t *order) {
  int32_t next[COLORING_COLORS + 1] = {0};
  for (int32_t n = 0; n < items; n++)
    next[color[n]]++;
  for (int k = 0, begin = 0; k <= COLORING_COLORS; k++) {
    const int32_t count = next[k];
    c->first[k] = next[k] = begin;
    begin += count;
  }
  c->first[COLORING_COLORS + 1] = items;
  for (int32_t n = 0; n < items; n++)
    order[next[color[n]]++] = n;
}

int32_t *coloring_make(coloring *c, memory *m, int32_t items, int32_t particles, coloring_corners *corners,
                       const void *context) {
  uint64_t *used = memory_allocate(m, (size_t)particles * sizeof *used);
  uint8_t *color = memory_allocate(m, (size_t)items);
  int32_t *order = memory_allocate(m, (size_t)items * sizeof *order);
  if (used && color && order) {
    for (int32_t n = 0; n < items; n++) {
      int32_t at[COLORING_PARTICLES];
      const int count = corners(context, n, at);
      color[n] = choose_color(used, at, count);
    }
    sort_by_color(c, color, items, order);
  } else {
    memory_release(m, order);
    order = NULL;
  }
  memory_release(m, used);
  memory_release(m, color);
  return order;
}

typedef struct coloring_pass {
  const coloring *colors;
  coloring_work *work;
  const void *context;
  parallel_barrier *barrier;
  int thread, threads;
} coloring_pass;

static void run_color(const coloring_pass *p, int color) {
  const int32_t first = p->colors->first[color], count = p->colors->first[color + 1] - first;
  if (count == 0)
    return;
  parallel_range range = {0, p->thread == 0 ? count : 0};
  if (color < COLORING_COLORS)
    range = parallel_split(count, p->thread, p->threads);
  p->work(p->context, (parallel_range){first + range.first, first + range.last});
  parallel_wait(p->barrier, p->threads);
}

void coloring_run(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                  int thread, int threads) {
  const coloring_pass pass = {c, work, context, barrier, thread, threads};
  for (int color = 0; color <= COLORING_COLORS; color++)
    run_color(&pass, color);
}

void coloring_run_back(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                       int thread, int threads) {
  const coloring_pass pass = {c, work, context, barrier, thread, threads};
  for (int color = COLORING_COLORS; color >= 0; color--)
    run_color(&pass, color);
}
