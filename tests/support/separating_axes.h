/* Whether closed hulls of a few points with small whole coordinates share a point, by another theorem than the
   engine: two hulls are apart where some direction separates them, and one of a finite list then does. */
#ifndef MSD_TESTS_SEPARATING_AXES_H
#define MSD_TESTS_SEPARATING_AXES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lattice_point {
  int64_t at[3];
} lattice_point;

static inline lattice_point lattice_difference(lattice_point a, lattice_point b) {
  return (lattice_point){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static inline lattice_point lattice_cross(lattice_point a, lattice_point b) {
  return (lattice_point){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                          a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static inline int64_t lattice_dot(lattice_point a, lattice_point b) {
  return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static inline bool axis_separates(lattice_point axis, const lattice_point *a, int a_count,
                                  const lattice_point *b, int b_count) {
  int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
  for (int i = 0; i < a_count + b_count; i++) {
    const int which = i >= a_count;
    const int64_t at = lattice_dot(axis, which ? b[i - a_count] : a[i]);
    low[which] = at < low[which] ? at : low[which];
    high[which] = at > high[which] ? at : high[which];
  }
  return high[0] < low[1] || high[1] < low[0];
}

/* The edges of both hulls; returns how many. */
static inline int lattice_edges(const lattice_point *a, int a_count, const lattice_point *b, int b_count,
                                lattice_point edges[]) {
  int count = 0;
  for (int i = 0; i < a_count; i++)
    for (int j = 0; j < i; j++)
      edges[count++] = lattice_difference(a[i], a[j]);
  for (int i = 0; i < b_count; i++)
    for (int j = 0; j < i; j++)
      edges[count++] = lattice_difference(b[i], b[j]);
  return count;
}

/* The points a - b are a hull, too, and the hulls are apart where it leaves out the origin. With a volume, it
   has a face between them, whose normal is a cross product of two edges. Flat, it is beside the origin in
   direction of that product, or in its plane has an edge between them, whose normal is the product crossed
   with that edge. A line is beside the origin at a right angle to it, or has an end between them; a point is
   where it is. Up to 3 points each, coordinates to 100. */
static inline bool hulls_share_a_point(const lattice_point *a, int a_count, const lattice_point *b,
                                       int b_count) {
  lattice_point edges[6];
  const int count = lattice_edges(a, a_count, b, b_count, edges);
  const lattice_point between = lattice_difference(a[0], b[0]);
  if (axis_separates(between, a, a_count, b, b_count))
    return false;
  for (int i = 0; i < count; i++) {
    const lattice_point beside = lattice_cross(edges[i], lattice_cross(between, edges[i]));
    if (axis_separates(edges[i], a, a_count, b, b_count) || axis_separates(beside, a, a_count, b, b_count))
      return false;
    for (int j = 0; j < i; j++) {
      const lattice_point normal = lattice_cross(edges[i], edges[j]);
      if (axis_separates(normal, a, a_count, b, b_count))
        return false;
      for (int k = 0; k < count; k++)
        if (axis_separates(lattice_cross(normal, edges[k]), a, a_count, b, b_count))
          return false;
    }
  }
  return true;
}

#endif
