/* Which boxes overlap: a tree of boxes around boxes.

   The items are put in the order of a curve that fills space (Morton's), so that neighbours in the order are
   near each other, and a complete binary tree is built over it: node 1 is the root, node n has the children
   2n and 2n + 1, and each of the last `leaves` nodes is a leaf with a few items in a row. Where the curve does
   badly, as with one item far from all others, only time is lost. */
#ifndef MSD_ENGINE_INTERSECTION_BOX_TREE_H
#define MSD_ENGINE_INTERSECTION_BOX_TREE_H

#include "engine/base/memory.h"

typedef struct box {
  msd_real low[3], high[3];
} box;

enum { BOX_TREE_ITEMS = 4 };

/* Items in a row, number by number; of one that is not there the number is -1, and the box empty. */
typedef struct tree_leaf {
  msd_real low[3][BOX_TREE_ITEMS], high[3][BOX_TREE_ITEMS];
  int32_t item[BOX_TREE_ITEMS];
} tree_leaf;

typedef struct tree_node {
  box around;
  /* The last item in it; -1 in an empty one. */
  int32_t last;
} tree_node;

typedef struct box_tree {
  /* The leaves that have items, in the order of the curve, and of all of the complete tree. */
  int32_t filled, leaves;
  tree_leaf *leaf;
  tree_node *nodes;
} box_tree;

/* Of `count` boxes, 1 or more, with finite numbers. False when there is no memory: then there is no tree. */
bool box_tree_make(box_tree *t, memory *m, const box *boxes, int32_t count);
void box_tree_free(box_tree *t, memory *m);

/* Without branches: of what is asked for, much is and much is not. */
static inline bool boxes_overlap(const box *a, const box *b) {
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
         (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

/* Writes the items above `item` whose boxes share a point with `around`, in some order that depends on the
   boxes alone, and returns how many. `overlapping` has room for all. */
int32_t box_tree_find(const box_tree *t, int32_t item, const box *around, int32_t *overlapping);

/* The leaves of a tree are in so many parts. */
int32_t box_tree_part_count(const box_tree *t);

/* Tells of each leaf of a part, and of each pair of one with one behind it, where boxes may share a point. */
typedef void box_tree_listener(void *context, int32_t leaf, int32_t other);
void box_tree_pair(const box_tree *t, int32_t part, box_tree_listener *tell, void *context);

/* Which items of two leaves have boxes that share a point: bit BOX_TREE_ITEMS i + k for the i-th of the one and
   the k-th of the other; within one leaf k is above i. */
uint32_t box_tree_overlaps(const box_tree *t, int32_t leaf, int32_t other);

#endif
