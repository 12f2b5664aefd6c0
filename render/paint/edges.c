#include "render/paint/edges.h"

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
