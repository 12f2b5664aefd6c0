#include "scenes/loader/edges.h"

#include <stdlib.h>

static edge edge_make(int32_t a, int32_t b) {
  return a < b ? (edge){a, b} : (edge){b, a};
}

static int compare(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->low != q->low)
    return p->low < q->low ? -1 : 1;
  return (p->high > q->high) - (p->high < q->high);
}

void edge_set_add(edge_set *set, int32_t a, int32_t b) {
  set->edges[set->count++] = edge_make(a, b);
}

void edge_set_sort(edge_set *set) {
  if (set->count > 0)
    qsort(set->edges, (size_t)set->count, sizeof *set->edges, compare);
}

bool edge_set_has(const edge_set *set, int32_t a, int32_t b) {
  edge key = edge_make(a, b);
  return set->count > 0 && bsearch(&key, set->edges, (size_t)set->count, sizeof key, compare) != NULL;
}

bool edge_set_cuts(const edge_set *set, const int32_t corners[3]) {
  return edge_set_has(set, corners[0], corners[1]) || edge_set_has(set, corners[1], corners[2]) ||
         edge_set_has(set, corners[2], corners[0]);
}

edge_set edge_set_of_springs(const msd_world *world, bool (*is)(const msd_world *world, int32_t spring)) {
  const int32_t springs = msd_world_get_spring_count(world);
  int32_t count = 0;
  for (int32_t i = 0; i < springs; i++)
    count += is(world, i);
  edge_set set = {.edges = malloc(((size_t)count + 1) * sizeof *set.edges)};
  for (int32_t i = 0; i < springs && set.edges; i++)
    if (is(world, i)) {
      const msd_spring_def def = msd_spring_get_def(world, i);
      edge_set_add(&set, def.a, def.b);
    }
  edge_set_sort(&set);
  return set;
}
