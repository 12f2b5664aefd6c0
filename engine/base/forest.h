/* Which items are joined, directly or by others: each has a parent that is no later than it is, and the first
   item of those that are joined, their root, is its own parent. */
#ifndef MSD_ENGINE_BASE_FOREST_H
#define MSD_ENGINE_BASE_FOREST_H

#include <stdbool.h>
#include <stdint.h>

/* None is joined to another. */
static inline void forest_plant(int32_t *parent, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    parent[i] = i;
}

/* Makes the way shorter as it goes. */
static inline int32_t forest_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Returns the root of both. */
static inline int32_t forest_join(int32_t *parent, int32_t a, int32_t b) {
  const int32_t ra = forest_root(parent, a), rb = forest_root(parent, b), root = ra < rb ? ra : rb;
  parent[ra] = parent[rb] = root;
  return root;
}

/* Whether they had been apart. */
static inline bool forest_joins(int32_t *parent, int32_t a, int32_t b) {
  const int32_t ra = forest_root(parent, a), rb = forest_root(parent, b);
  forest_join(parent, ra, rb);
  return ra != rb;
}

#endif
