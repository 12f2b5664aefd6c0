/* A tree of bounding boxes that finds which boxes overlap.

   The items are sorted along a space-filling curve (Morton's), so that items close in the order are close in
   space. A complete binary tree is built over this order: node 1 is the root, node n has the children 2n and
   2n + 1, and each of the last `leaves` nodes is a leaf with a few consecutive items. Where the curve does
   badly, for example with one item far from all others, only time is lost. */
#ifndef MSD_ENGINE_INTERSECTION_BOX_TREE_H
#define MSD_ENGINE_INTERSECTION_BOX_TREE_H

#include "engine/base/memory.h"

typedef struct box {
  msd_real low[3], high[3];
} box;

enum { BOX_TREE_ITEMS = 4 };

/* Consecutive items, component by component. An unused item has the number -1 and an empty box. */
typedef struct tree_leaf {
  msd_real low[3][BOX_TREE_ITEMS], high[3][BOX_TREE_ITEMS];
  int32_t item[BOX_TREE_ITEMS];
} tree_leaf;

typedef struct tree_node {
  box around;
  /* The highest item number in it; -1 if it is empty. */
  int32_t last;
} tree_node;

typedef struct box_tree {
  /* The leaves that contain items, in the order of the curve; all leaves of the complete tree. */
  int32_t filled, leaves;
  tree_leaf *leaf;
  tree_node *nodes;
} box_tree;

/* `count` is at least 1 and all boxes are finite. False without memory; then there is no tree. */
bool box_tree_make(box_tree *t, memory *m, const box *boxes, int32_t count);
void box_tree_free(box_tree *t, memory *m);

/* Branch-free, since the result is unpredictable. */
static inline bool boxes_overlap(const box *a, const box *b) {
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
         (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

/* Writes the items above `item` whose boxes share a point with `around`, and returns how many. Their order
   depends on the boxes alone. `overlapping` must have space for all items. */
int32_t box_tree_find(const box_tree *t, int32_t item, const box *around, int32_t *overlapping);

/* The leaves are divided into this many subtrees, which can be paired concurrently. */
int32_t box_tree_part_count(const box_tree *t);

/* Calls `tell` for each leaf of a subtree, and for each pair of one with a later leaf, where boxes may share
   a point. */
typedef void box_tree_listener(void *context, int32_t leaf, int32_t other);
void box_tree_pair(const box_tree *t, int32_t part, box_tree_listener *tell, void *context);

/* Which items of two leaves have boxes that share a point: bit BOX_TREE_ITEMS i + k for item i of the first
   and k of the second; within one leaf, k is above i. */
uint32_t box_tree_overlaps(const box_tree *t, int32_t leaf, int32_t other);

#endif
