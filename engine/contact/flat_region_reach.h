/* Approximate extents in the plane of a patch, along a few directions. */
#ifndef MSD_ENGINE_CONTACT_FLAT_REGION_REACH_H
#define MSD_ENGINE_CONTACT_FLAT_REGION_REACH_H

#include "engine/contact/cluster_frames.h"

enum { WAYS = 8, REACH_LANES = 4 };

/* Their directions. */
static const double ways[WAYS][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 1}, {1, 2}, {2, -1}, {1, -2}};

/* Their lengths, rounded up. */
static const double way_length[WAYS] = {1, 1, 1.415, 1.415, 2.237, 2.237, 2.237, 2.237};

/* Extent along each direction. */
typedef struct reach {
  double low[WAYS], high[WAYS];
} reach;

static inline double far_along(int way, double2 at) {
  return ways[way][0] * at.x + ways[way][1] * at.y;
}

/* The positions of the vertices that a leaf uses, in whole blocks. */
static inline reach reach_of_places(const double *x, const double *y, int32_t count) {
  double low[WAYS][REACH_LANES], high[WAYS][REACH_LANES];
  for (int w = 0; w < WAYS; w++)
    for (int n = 0; n < REACH_LANES; n++)
      low[w][n] = INFINITY, high[w][n] = -INFINITY;
  for (int32_t first = 0; first < count; first += REACH_LANES)
    for (int w = 0; w < WAYS; w++)
      for (int n = 0; n < REACH_LANES; n++) {
        const double far = far_along(w, (double2){x[first + n], y[first + n]});
        low[w][n] = far < low[w][n] ? far : low[w][n];
        high[w][n] = far > high[w][n] ? far : high[w][n];
      }
  reach r;
  for (int w = 0; w < WAYS; w++) {
    r.low[w] = low[w][0], r.high[w] = high[w][0];
    for (int n = 1; n < REACH_LANES; n++) {
      r.low[w] = low[w][n] < r.low[w] ? low[w][n] : r.low[w];
      r.high[w] = high[w][n] > r.high[w] ? high[w][n] : r.high[w];
    }
  }
  return r;
}

static inline reach reach_of_edge(double2 from, double2 to) {
  reach r;
  for (int w = 0; w < WAYS; w++) {
    const double one = far_along(w, from), other = far_along(w, to);
    r.low[w] = one < other ? one : other;
    r.high[w] = one > other ? one : other;
  }
  return r;
}

static inline reach reaches_joined(const reach *a, const reach *b) {
  reach r;
  for (int w = 0; w < WAYS; w++) {
    r.low[w] = a->low[w] < b->low[w] ? a->low[w] : b->low[w];
    r.high[w] = a->high[w] > b->high[w] ? a->high[w] : b->high[w];
  }
  return r;
}

/* True if two extents may overlap by more than `more`; below 0: may be closer than that. Tests all
   directions without branches, since it is unpredictable which one separates. */
static inline bool reaches_overlap(const reach *a, const reach *b, double more) {
  int64_t apart = 0;
  for (int w = 0; w < WAYS; w++) {
    const double own = more * way_length[w];
    apart |= -(int64_t)(a->low[w] > b->high[w] - own) | -(int64_t)(b->low[w] > a->high[w] - own);
  }
  return apart == 0;
}

/* A faster version for an edge, with the first two directions only. */
static inline bool edge_may_overlap(double2 from, double2 to, const reach *all, double more) {
  const double low[2] = {from.x < to.x ? from.x : to.x, from.y < to.y ? from.y : to.y},
               high[2] = {from.x > to.x ? from.x : to.x, from.y > to.y ? from.y : to.y};
  return !((low[0] > all->high[0] - more) | (all->low[0] > high[0] - more) | (low[1] > all->high[1] - more) |
           (all->low[1] > high[1] - more));
}

#endif
