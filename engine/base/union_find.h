/* Union-find. The parent of an item is never later than the item. The first item of a set, its root, is its
   own parent. */
#ifndef MSD_ENGINE_BASE_UNION_FIND_H
#define MSD_ENGINE_BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

/* Makes each item its own set. */
static inline void union_find_init(int32_t *parent, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    parent[i] = i;
}

/* Finds the root, with path halving. */
static inline int32_t union_find_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Merges two sets and returns their root. */
static inline int32_t union_find_join(int32_t *parent, int32_t a, int32_t b) {
  const int32_t ra = union_find_root(parent, a), rb = union_find_root(parent, b), root = ra < rb ? ra : rb;
  parent[ra] = parent[rb] = root;
  return root;
}

/* Merges two sets and returns whether they were different. */
static inline bool forest_joins(int32_t *parent, int32_t a, int32_t b) {
  const int32_t ra = union_find_root(parent, a), rb = union_find_root(parent, b);
  union_find_join(parent, ra, rb);
  return ra != rb;
}

#endif
