#include "engine/intersection/box_tree.h"

#include "engine/base/sort.h"

#include <math.h>

enum { LEAF_ITEMS = 4, CELL_BITS = 11, CELLS = 1 << CELL_BITS, DEPTH_MAX = 32 };

static const box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void enclose(box *around, const box *inner) {
  for (int k = 0; k < 3; k++) {
    around->low[k] = inner->low[k] < around->low[k] ? inner->low[k] : around->low[k];
    around->high[k] = inner->high[k] > around->high[k] ? inner->high[k] : around->high[k];
  }
}

/* Halves, since the whole may overflow. */
static double half_width(const box *b, int axis) {
  return (double)b->high[axis] / 2 - (double)b->low[axis] / 2;
}

static uint64_t find_cell(const box *all, const box *b, int axis) {
  const double width = half_width(all, axis);
  if (!(width > 0))
    return 0;
  const double half_middle = (double)b->low[axis] / 4 + (double)b->high[axis] / 4;
  const double place = (half_middle - (double)all->low[axis] / 2) / width * CELLS;
  return place >= CELLS ? CELLS - 1 : place > 0 ? (uint64_t)place : 0;
}

/* Of a cell in each axis the bits in turn. */
static uint64_t place_on_curve(const box *all, const box *b) {
  uint64_t place = 0;
  for (int k = 0; k < 3; k++) {
    const uint64_t cell = find_cell(all, b, k);
    for (int bit = 0; bit < CELL_BITS; bit++)
      place |= (cell >> bit & 1) << (3 * bit + k);
  }
  return place;
}

static bool put_in_order(box_tree *t, memory *m, const box *boxes) {
  sort_item *work = memory_allocate_items(m, 2 * (int64_t)t->count, sizeof *work);
  if (!work)
    return false;
  box all = EMPTY;
  for (int32_t i = 0; i < t->count; i++)
    enclose(&all, &boxes[i]);
  for (int32_t i = 0; i < t->count; i++)
    work[i] = (sort_item){place_on_curve(&all, &boxes[i]), i};
  const sort_item *sorted = sort_by_key(work, work + t->count, t->count);
  for (int32_t i = 0; i < t->count; i++) {
    t->items[i] = sorted[i].index;
    t->boxes[i] = boxes[sorted[i].index];
  }
  memory_release(m, work);
  return true;
}

static void fill_leaf(const box_tree *t, int32_t leaf) {
  tree_node *node = &t->nodes[t->leaves + leaf];
  *node = (tree_node){EMPTY, -1};
  for (int64_t i = (int64_t)leaf * LEAF_ITEMS; i < t->count && i < ((int64_t)leaf + 1) * LEAF_ITEMS; i++) {
    enclose(&node->around, &t->boxes[i]);
    node->last = t->items[i] > node->last ? t->items[i] : node->last;
  }
}

bool box_tree_make(box_tree *t, memory *m, const box *boxes, int32_t count) {
  *t = (box_tree){.count = count, .leaves = 1};
  while (t->leaves < (count - 1) / LEAF_ITEMS + 1)
    t->leaves *= 2;
  t->items = memory_allocate_items(m, count, sizeof *t->items);
  t->boxes = memory_allocate_items(m, count, sizeof *t->boxes);
  t->nodes = memory_allocate_items(m, 2 * (int64_t)t->leaves, sizeof *t->nodes);
  if (!t->items || !t->boxes || !t->nodes || !put_in_order(t, m, boxes)) {
    box_tree_free(t, m);
    return false;
  }
  for (int32_t leaf = 0; leaf < t->leaves; leaf++)
    fill_leaf(t, leaf);
  for (int32_t n = t->leaves - 1; n >= 1; n--) {
    const tree_node *child = &t->nodes[2 * (size_t)n];
    t->nodes[n] = child[0].last > child[1].last ? child[0] : child[1];
    enclose(&t->nodes[n].around, &child[0].around);
    enclose(&t->nodes[n].around, &child[1].around);
  }
  return true;
}

void box_tree_free(box_tree *t, memory *m) {
  memory_release(m, t->items);
  memory_release(m, t->boxes);
  memory_release(m, t->nodes);
  *t = (box_tree){.items = NULL};
}

int32_t box_tree_find(const box_tree *t, int32_t item, const box *around, int32_t *overlapping) {
  int32_t waiting[DEPTH_MAX], count = 0;
  int depth = 0;
  waiting[depth++] = 1;
  while (depth > 0) {
    const int32_t n = waiting[--depth];
    const tree_node *node = &t->nodes[n];
    if (node->last <= item || !boxes_overlap(&node->around, around))
      continue;
    if (n < t->leaves) {
      waiting[depth++] = 2 * n + 1;
      waiting[depth++] = 2 * n;
      continue;
    }
    const int32_t first = (n - t->leaves) * LEAF_ITEMS;
    const int32_t end = t->count - first < LEAF_ITEMS ? t->count : first + LEAF_ITEMS;
    for (int32_t i = first; i < end; i++)
      if (t->items[i] > item && boxes_overlap(&t->boxes[i], around))
        overlapping[count++] = t->items[i];
  }
  return count;
}
