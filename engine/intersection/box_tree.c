#include "engine/intersection/box_tree.h"

#include "engine/base/sort.h"

#include <math.h>
#include <string.h>

enum { CELL_BITS = 11, CELLS = 1 << CELL_BITS, DEPTH_MAX = 32 };

static const box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void enclose(box *around, const box *inner) {
  for (int k = 0; k < 3; k++) {
    around->low[k] = inner->low[k] < around->low[k] ? inner->low[k] : around->low[k];
    around->high[k] = inner->high[k] > around->high[k] ? inner->high[k] : around->high[k];
  }
}

/* Halves, since the full width may overflow. */
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

/* Interleaves the bits of the cell numbers along three axes. */
static uint64_t place_on_curve(const box *all, const box *b) {
  uint64_t place = 0;
  for (int k = 0; k < 3; k++) {
    const uint64_t cell = find_cell(all, b, k);
    for (int bit = 0; bit < CELL_BITS; bit++)
      place |= (cell >> bit & 1) << (3 * bit + k);
  }
  return place;
}

static void put_item(tree_leaf *leaf, int n, int32_t item, const box *b) {
  for (int k = 0; k < 3; k++) {
    leaf->low[k][n] = b->low[k];
    leaf->high[k][n] = b->high[k];
  }
  leaf->item[n] = item;
}

static bool put_in_order(box_tree *t, memory *m, const box *boxes, int32_t count) {
  sort_item *work = memory_allocate_unset_items(m, 2 * (int64_t)count, sizeof *work);
  if (!work)
    return false;
  box all = EMPTY;
  for (int32_t i = 0; i < count; i++)
    enclose(&all, &boxes[i]);
  for (int32_t i = 0; i < count; i++)
    work[i] = (sort_item){place_on_curve(&all, &boxes[i]), i};
  const sort_item *sorted = sort_by_key(work, work + count, count);
  for (int32_t i = 0; i < t->filled * BOX_TREE_ITEMS; i++) {
    const int32_t item = i < count ? sorted[i].index : -1;
    put_item(&t->leaf[i / BOX_TREE_ITEMS], i % BOX_TREE_ITEMS, item, item < 0 ? &EMPTY : &boxes[item]);
  }
  memory_release(m, work);
  return true;
}

static void fill_leaf(const box_tree *t, int32_t n) {
  tree_node *node = &t->nodes[t->leaves + n];
  *node = (tree_node){EMPTY, -1};
  for (int i = 0; i < BOX_TREE_ITEMS && n < t->filled; i++) {
    const tree_leaf *leaf = &t->leaf[n];
    const box own = {{leaf->low[0][i], leaf->low[1][i], leaf->low[2][i]},
                     {leaf->high[0][i], leaf->high[1][i], leaf->high[2][i]}};
    enclose(&node->around, &own);
    node->last = leaf->item[i] > node->last ? leaf->item[i] : node->last;
  }
}

bool box_tree_make(box_tree *t, memory *m, const box *boxes, int32_t count) {
  *t = (box_tree){.filled = (count - 1) / BOX_TREE_ITEMS + 1, .leaves = 1};
  while (t->leaves < t->filled)
    t->leaves *= 2;
  t->leaf = memory_allocate_unset_items(m, t->filled, sizeof *t->leaf);
  t->nodes = memory_allocate_unset_items(m, 2 * (int64_t)t->leaves, sizeof *t->nodes);
  if (!t->leaf || !t->nodes || !put_in_order(t, m, boxes, count)) {
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
  memory_release(m, t->leaf);
  memory_release(m, t->nodes);
  *t = (box_tree){.leaf = NULL};
}

/* One number for each item of a leaf; and a comparison of two, with all bits of an element set where it is
   true. */
typedef msd_real items_real __attribute__((vector_size(BOX_TREE_ITEMS * sizeof(msd_real))));
#ifdef MSD_DOUBLE
typedef int64_t item_mask;
#else
typedef int32_t item_mask;
#endif
typedef item_mask items_mask __attribute__((vector_size(BOX_TREE_ITEMS * sizeof(item_mask))));

/* Adds bit `first` + n for each item n of a leaf whose box shares a point with the box low..high. */
static inline void note_overlaps(const tree_leaf *leaf, const msd_real low[3], const msd_real high[3],
                                 int first, items_mask *bits) {
  items_mask is = {1, 2, 4, 8};
  is <<= first;
  for (int k = 0; k < 3; k++) {
    items_real from, to;
    memcpy(&from, leaf->low[k], sizeof from);
    memcpy(&to, leaf->high[k], sizeof to);
    is &= (from <= high[k]) & (to >= low[k]);
  }
  *bits |= is;
}

static inline uint32_t join_bits(const items_mask *bits) {
  return (uint32_t)((*bits)[0] | (*bits)[1] | (*bits)[2] | (*bits)[3]);
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
    const tree_leaf *leaf = &t->leaf[n - t->leaves];
    items_mask bits = {0};
    note_overlaps(leaf, around->low, around->high, 0, &bits);
    for (int i = 0; i < BOX_TREE_ITEMS; i++)
      if (bits[i] && leaf->item[i] > item)
        overlapping[count++] = leaf->item[i];
  }
  return count;
}

/* Leaves in a subtree of box_tree_part_count. */
enum { PART_LEAVES = 64 };

int32_t box_tree_part_count(const box_tree *t) {
  return t->leaves > PART_LEAVES ? t->leaves / PART_LEAVES : 1;
}

/* The callback for pairs. */
typedef struct pairing {
  const box_tree *tree;
  box_tree_listener *tell;
  void *context;
} pairing;

/* Pairs the leaves under two nodes of one level, or under one node. */
static void pair_under(const pairing *p, int32_t node, int32_t other) {
  const box_tree *t = p->tree;
  if (!boxes_overlap(&t->nodes[node].around, &t->nodes[other].around))
    return;
  if (node >= t->leaves) {
    p->tell(p->context, node - t->leaves, other - t->leaves);
    return;
  }
  pair_under(p, 2 * node, 2 * other);
  pair_under(p, 2 * node, 2 * other + 1);
  if (node != other)
    pair_under(p, 2 * node + 1, 2 * other);
  pair_under(p, 2 * node + 1, 2 * other + 1);
}

/* Pairs a subtree with the leaves under a node. */
static void pair_part(const pairing *p, int32_t part, int32_t node) {
  const box_tree *t = p->tree;
  if (!boxes_overlap(&t->nodes[part].around, &t->nodes[node].around))
    return;
  if (node >= box_tree_part_count(t)) {
    pair_under(p, part, node);
    return;
  }
  pair_part(p, part, 2 * node);
  pair_part(p, part, 2 * node + 1);
}

void box_tree_pair(const box_tree *t, int32_t part, box_tree_listener *tell, void *context) {
  const pairing p = {t, tell, context};
  const int32_t own = box_tree_part_count(t) + part;
  pair_under(&p, own, own);
  for (int32_t n = own; n > 1; n /= 2)
    if (n % 2 == 0)
      pair_part(&p, own, n + 1);
}

/* Within one leaf: each item with the later ones. */
static const uint32_t BEHIND = 0xe | 0xc << BOX_TREE_ITEMS | 0x8 << 2 * BOX_TREE_ITEMS;

uint32_t box_tree_overlaps(const box_tree *t, int32_t leaf, int32_t other) {
  const tree_leaf *one = &t->leaf[leaf];
  items_mask bits = {0};
  for (int i = 0; i < BOX_TREE_ITEMS; i++) {
    const msd_real low[3] = {one->low[0][i], one->low[1][i], one->low[2][i]},
                   high[3] = {one->high[0][i], one->high[1][i], one->high[2][i]};
    note_overlaps(&t->leaf[other], low, high, BOX_TREE_ITEMS * i, &bits);
  }
  return join_bits(&bits) & (leaf == other ? BEHIND : ~(uint32_t)0);
}
