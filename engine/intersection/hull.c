#include "engine/intersection/hull.h"

#include <math.h>

/* Bounds the rounding error relative to the sum of absolute products along a direction: (12 + 64 e) e with e
   = 2^-53, rounded up; and far above any loss by underflow, 2^-1070. */
static const double WAY_ERROR = 0x1p-49, WAY_UNDERFLOW = 0x1p-1000;

/* Branch-free, since this is called very often. */
static double lowest(const hull *h, int axis) {
  const double first = h->corner[0]->at[axis], last = h->corner[h->count - 1]->at[axis],
               middle = h->corner[h->count / 2]->at[axis], low = first < last ? first : last;
  return low < middle ? low : middle;
}

static double highest(const hull *h, int axis) {
  const double first = h->corner[0]->at[axis], last = h->corner[h->count - 1]->at[axis],
               middle = h->corner[h->count / 2]->at[axis], high = first > last ? first : last;
  return high > middle ? high : middle;
}

static bool coordinates_overlap(const hull *a, const hull *b, int axis) {
  return lowest(a, axis) <= highest(b, axis) && lowest(b, axis) <= highest(a, axis);
}

static bool hull_boxes_overlap(const hull *a, const hull *b) {
  return coordinates_overlap(a, b, 0) && coordinates_overlap(a, b, 1) && coordinates_overlap(a, b, 2);
}

/* 3 for a triangle, 1 for a segment; that of a point is degenerate. */
static int edge_count(const hull *h) {
  return h->count == 3 ? 3 : 1;
}

static hull edge_of(const hull *h, int i) {
  return (hull){{h->corner[i], h->corner[(i + 1) % h->count]}, 2};
}

static void find_difference(const point *to, const point *from, double difference[3]) {
  for (int k = 0; k < 3; k++)
    difference[k] = to->at[k] - from->at[k];
}

static void find_cross(const double a[3], const double b[3], double cross[3]) {
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    cross[k] = a[next] * b[last] - a[last] * b[next];
  }
}

/* The extent of a hull along a direction, relative to a point; and the sum of all absolute terms, which
   bounds the rounding error. */
typedef struct stretch {
  double low, high, size;
} stretch;

static inline stretch stretch_along(const double way[3], const point *from, const hull *h, int count) {
  stretch s = {INFINITY, -INFINITY, 0};
  for (int i = 0; i < count; i++) {
    double to[3], far = 0;
    find_difference(h->corner[i], from, to);
    for (int k = 0; k < 3; k++) {
      far += way[k] * to[k];
      s.size += fabs(way[k] * to[k]);
    }
    s.low = far < s.low ? far : s.low;
    s.high = far > s.high ? far : s.high;
  }
  return s;
}

/* True if a plane perpendicular to the direction separates two hulls by more than rounding. This proves that
   they do not meet, whatever the direction. Values that are not finite prove nothing. */
static bool are_apart(stretch one, stretch other) {
  const double error = WAY_ERROR * (one.size + other.size) + WAY_UNDERFLOW;
  return other.low - one.high > error || one.low - other.high > error;
}

static bool is_apart_along(const double way[3], const hull *a, const hull *b) {
  return are_apart(stretch_along(way, a->corner[0], a, a->count),
                   stretch_along(way, a->corner[0], b, b->count));
}

/* Tests the direction between their centers, which usually works. */
bool triangles_are_apart(const hull *a, const hull *b) {
  double way[3];
  for (int k = 0; k < 3; k++)
    way[k] = (b->corner[0]->at[k] - a->corner[0]->at[k]) + (b->corner[1]->at[k] - a->corner[1]->at[k]) +
             (b->corner[2]->at[k] - a->corner[2]->at[k]);
  return are_apart(stretch_along(way, a->corner[0], a, HULL_CORNERS_MAX),
                   stretch_along(way, a->corner[0], b, HULL_CORNERS_MAX));
}

/* Perpendicular to the plane of a triangle, or to both of two segments. */
static void find_normal(const hull *a, const hull *b, double normal[3]) {
  const hull *first = a->count == 3 ? a : b, *second = first->count == 3 ? first : a;
  double one[3], other[3];
  find_difference(first->corner[1], first->corner[0], one);
  find_difference(second->corner[second->count - 1], second->corner[0], other);
  find_cross(one, other, normal);
}

/* True if two nearly coplanar hulls are clearly apart within their plane. Neighbors in a flat mesh mostly
   are, and the other tests would give 0 except for rounding. */
static bool is_apart_in_plane(const hull *a, const hull *b) {
  const hull *const both[] = {a, b};
  if (a->count + b->count < 4)
    return false;
  double normal[3], edge[3], way[3];
  find_normal(a, b, normal);
  for (int n = 0; n < 2; n++)
    for (int i = 0; i < edge_count(both[n]) && both[n]->count > 1; i++) {
      find_difference(both[n]->corner[(i + 1) % both[n]->count], both[n]->corner[i], edge);
      find_cross(normal, edge, way);
      if (is_apart_along(way, a, b))
        return true;
    }
  return false;
}

static int side_of(const hull *triangle, const point *p) {
  return orientation_in_space(triangle->corner[0], triangle->corner[1], triangle->corner[2], p);
}

/* Always false for a triangle without area: all points are in its plane. */
static bool is_on_one_side(const hull *triangle, const hull *other) {
  const int side = side_of(triangle, other->corner[0]);
  for (int i = 1; i < other->count; i++)
    if (side_of(triangle, other->corner[i]) != side)
      return false;
  return side != 0;
}

static bool is_in_plane(const hull *triangle, const hull *other) {
  for (int i = 0; i < other->count; i++)
    if (side_of(triangle, other->corner[i]) != 0)
      return false;
  return true;
}

/* An axis along which three points do not appear collinear; -1 if they are collinear. */
static int axis_of_view(const point *a, const point *b, const point *c) {
  for (int axis = 0; axis < 3; axis++)
    if (orientation_in_plane(a, b, c, axis) != 0)
      return axis;
  return -1;
}

static int compare_places(const point *a, const point *b) {
  for (int axis = 0; axis < 3; axis++)
    if (a->at[axis] != b->at[axis])
      return a->at[axis] < b->at[axis] ? -1 : 1;
  return 0;
}

/* The same set of points with the fewest corners. A degenerate triangle is the segment between its extreme
   points, which are the first and last in lexicographic order. */
static hull without_idle_corners(const hull *h) {
  if (h->count == 3 && axis_of_view(h->corner[0], h->corner[1], h->corner[2]) >= 0)
    return *h;
  const point *first = h->corner[0], *last = first;
  for (int i = 1; i < h->count; i++) {
    first = compare_places(h->corner[i], first) < 0 ? h->corner[i] : first;
    last = compare_places(h->corner[i], last) > 0 ? h->corner[i] : last;
  }
  return (hull){{first, last}, compare_places(first, last) == 0 ? 1 : 2};
}

/* Closed segments in a plane, or on one line of it. */
static bool segments_cross(const hull *a, const hull *b, int axis) {
  const point *a0 = a->corner[0], *a1 = a->corner[1], *b0 = b->corner[0], *b1 = b->corner[1];
  return hull_boxes_overlap(a, b) &&
         orientation_in_plane(a0, a1, b0, axis) * orientation_in_plane(a0, a1, b1, axis) <= 0 &&
         orientation_in_plane(b0, b1, a0, axis) * orientation_in_plane(b0, b1, a1, axis) <= 0;
}

/* True if a point is inside a triangle, given its sides of the edges in order; 0 is on the line of an edge. */
static bool is_within(const int sides[3]) {
  bool is_left = false, is_right = false;
  for (int i = 0; i < 3; i++) {
    is_left = is_left || sides[i] > 0;
    is_right = is_right || sides[i] < 0;
  }
  return !(is_left && is_right);
}

static bool contains(const hull *triangle, const point *p, int axis) {
  int sides[3];
  for (int i = 0; i < 3; i++)
    sides[i] = orientation_in_plane(triangle->corner[i], triangle->corner[(i + 1) % 3], p, axis);
  return is_within(sides);
}

/* An axis along which these coplanar points do not appear collinear; -1 if they are collinear. */
static int axis_of_plane(const hull *a, const hull *b) {
  const point *all[2 * HULL_CORNERS_MAX];
  int count = 0, axis = -1;
  for (int i = 0; i < a->count; i++)
    all[count++] = a->corner[i];
  for (int i = 0; i < b->count; i++)
    all[count++] = b->corner[i];
  for (int i = 0; i < count && axis < 0; i++)
    for (int j = i + 1; j < count && axis < 0; j++)
      for (int k = j + 1; k < count && axis < 0; k++)
        axis = axis_of_view(all[i], all[j], all[k]);
  return axis;
}

/* For coplanar hulls whose boxes overlap. */
static bool meet_in_plane(const hull *a, const hull *b) {
  const int axis = axis_of_plane(a, b);
  if (axis < 0) /* collinear: the boxes decide */
    return true;
  for (int i = 0; i < edge_count(a); i++)
    for (int j = 0; j < edge_count(b); j++) {
      const hull one = edge_of(a, i), other = edge_of(b, j);
      if (segments_cross(&one, &other, axis))
        return true;
    }
  return (a->count == 3 && contains(a, b->corner[0], axis)) ||
         (b->count == 3 && contains(b, a->corner[0], axis));
}

/* For a segment whose ends are not both in the plane of the triangle. */
static bool pierces(const hull *segment, const hull *triangle) {
  const point *from = segment->corner[0], *to = segment->corner[1];
  if (side_of(triangle, from) * side_of(triangle, to) > 0)
    return false;
  int sides[3];
  for (int i = 0; i < 3; i++)
    sides[i] = orientation_in_space(from, to, triangle->corner[i], triangle->corner[(i + 1) % 3]);
  return is_within(sides);
}

/* For a triangle with an area. */
static bool edge_meets(const hull *edge, const hull *triangle) {
  if (!hull_boxes_overlap(edge, triangle))
    return false;
  return is_in_plane(triangle, edge) ? meet_in_plane(edge, triangle) : pierces(edge, triangle);
}

/* Triangles in different planes share a segment, whose ends are on their edges. */
static bool some_edge_meets(const hull *edges_of, const hull *triangle) {
  for (int i = 0; i < 3; i++) {
    const hull edge = edge_of(edges_of, i);
    if (edge_meets(&edge, triangle))
      return true;
  }
  return false;
}

/* `a` has at least as many corners as `b`; both have no redundant ones. */
static bool meet_anyhow(const hull *a, const hull *b) {
  if (a->count == 3 && is_in_plane(a, b))
    return meet_in_plane(a, b);
  if (a->count == 3)
    return b->count == 3 ? some_edge_meets(a, b) || some_edge_meets(b, a) : b->count == 2 && pierces(b, a);
  if (a->count == 2 && b->count == 2 &&
      orientation_in_space(a->corner[0], a->corner[1], b->corner[0], b->corner[1]) != 0)
    return false;
  return meet_in_plane(a, b);
}

bool hulls_meet(const hull *a, const hull *b) {
  if (!hull_boxes_overlap(a, b) || (a->count == 3 && b->count == 3 && triangles_are_apart(a, b)) ||
      is_apart_in_plane(a, b) || (a->count == 3 && is_on_one_side(a, b)) ||
      (b->count == 3 && is_on_one_side(b, a)))
    return false;
  const hull one = without_idle_corners(a), other = without_idle_corners(b);
  return one.count >= other.count ? meet_anyhow(&one, &other) : meet_anyhow(&other, &one);
}
