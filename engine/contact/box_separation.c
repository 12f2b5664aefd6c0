#include "engine/contact/box_separation.h"

#define LANE_DOUBLE
#include "engine/contact/closest_points.h"

#include <float.h>

/* The closest points so far: the vector from the box to the element, and its square. */
typedef struct nearest_pair {
  double3 between;
  double square, weight[BOX_CORNERS];
} nearest_pair;

static void take_nearer(nearest_pair *best, double3 between, double square,
                        const double weight[BOX_CORNERS]) {
  if (!(square < best->square))
    return;
  best->between = between;
  best->square = square;
  for (int corner = 0; corner < BOX_CORNERS; corner++)
    best->weight[corner] = weight[corner];
}

/* m^2, along each axis: the squared distance of the bounding box of an element from the lower and the upper
   side of the box, and from all between them. A sum of one of each axis is a lower bound of the squared
   distance of the element from a corner or an edge. */
enum { LOWER, UPPER, BETWEEN };
typedef struct element_bounds {
  double of[3][3];
} element_bounds;

static double beyond(double apart, double both) {
  const double gap = fabs(apart) - both;
  return gap > 0 ? gap * gap : 0;
}

static void bound_axis(double a, double b, double c, double half, double of[3]) {
  const double ab = a < b ? a : b, low = ab < c ? ab : c, ba = a > b ? a : b, high = ba > c ? ba : c;
  const double middle = (low + high) / 2, extent = (high - low) / 2;
  of[LOWER] = beyond(middle + half, extent);
  of[UPPER] = beyond(middle - half, extent);
  of[BETWEEN] = beyond(middle, extent + half);
}

static element_bounds bounds_of(double3 half, const double3 x[BOX_CORNERS]) {
  element_bounds e;
  bound_axis(x[0].x, x[1].x, x[2].x, half.x, e.of[0]);
  bound_axis(x[0].y, x[1].y, x[2].y, half.y, e.of[1]);
  bound_axis(x[0].z, x[1].z, x[2].z, half.z, e.of[2]);
  return e;
}

/* Of the corner of the box with the signs of the three lowest bits; with `axis` below 3, of the edge from it
   along that axis. */
static inline double least_square(const element_bounds *e, int signs, int axis) {
  return e->of[0][axis == 0 ? BETWEEN : signs & 1] + e->of[1][axis == 1 ? BETWEEN : signs >> 1 & 1] +
         e->of[2][axis == 2 ? BETWEEN : signs >> 2 & 1];
}

/* By axis: the first and the last of the sides LOWER and UPPER that are not too far. */
typedef struct box_sides {
  int first[3], last[3];
} box_sides;

static box_sides sides_within(const element_bounds *e, double square) {
  box_sides sides;
  for (int axis = 0; axis < 3; axis++) {
    sides.first[axis] = e->of[axis][LOWER] > square ? UPPER : LOWER;
    sides.last[axis] = e->of[axis][UPPER] > square ? LOWER : UPPER;
  }
  return sides;
}

static double within(double value, double most) {
  return value < -most ? -most : value > most ? most : value;
}

static double3 from_box(double3 half, double3 at) {
  return (double3){at.x - within(at.x, half.x), at.y - within(at.y, half.y), at.z - within(at.z, half.z)};
}

/* The corner of the element that is nearest to the box. */
static nearest_pair find_corner(double3 half, const double3 x[BOX_CORNERS], int corners) {
  nearest_pair best = {.square = (double)INFINITY};
  int nearest = -1;
  for (int corner = 0; corner < corners; corner++) {
    const double3 between = from_box(half, x[corner]);
    const double square = double3_dot(between, between);
    nearest = square < best.square ? corner : nearest;
    best.square = square < best.square ? square : best.square;
  }
  if (nearest >= 0) {
    best.between = from_box(half, x[nearest]);
    best.weight[nearest] = 1;
  }
  return best;
}

/* The corner of the box with the signs of the three lowest bits. */
static double3 box_corner(double3 half, int signs) {
  return (double3){signs & 1 ? half.x : -half.x, signs & 2 ? half.y : -half.y, signs & 4 ? half.z : -half.z};
}

static void try_box_corner(nearest_pair *best, double3 half, const double3 x[BOX_CORNERS], int signs) {
  const double3 at = box_corner(half, signs);
  const closest_points c =
      closest_on_triangle(double3_subtract(x[0], at), double3_subtract(x[1], at), double3_subtract(x[2], at));
  take_nearer(best, c.between, c.square, (double[BOX_CORNERS]){1 - c.b - c.c, c.b, c.c});
}

/* The edges of the element and the edge of the box from the corner `signs` along an axis. */
static void try_box_edge(nearest_pair *best, box_edges_find *find, double3 half, const double3 x[BOX_CORNERS],
                         int signs, int axis, int edges) {
  const double3 from = box_corner(half, signs), to = box_corner(half, signs | 1 << axis);
  box_edge_pairs found;
  const box_edge_pairs *pairs = &found;
  find(x, &from, &to, &found);
  for (int first = 0; first < edges; first++) {
    if (!(pairs->square[first] < best->square))
      continue;
    best->square = pairs->square[first];
    best->between =
        (double3){-pairs->between[0][first], -pairs->between[1][first], -pairs->between[2][first]};
    best->weight[first] = 1 - pairs->share[first];
    best->weight[(first + 1) % BOX_CORNERS] = pairs->share[first];
    best->weight[(first + 2) % BOX_CORNERS] = 0;
  }
}

static nearest_pair find_nearest(box_edges_find *find_edges, double3 half, const double3 x[BOX_CORNERS],
                                 bool is_segment) {
  nearest_pair best = find_corner(half, x, is_segment ? 2 : 3);
  const element_bounds e = bounds_of(half, x);
  const int edges = is_segment ? 1 : 3;
  const box_sides near = sides_within(&e, best.square);
  for (int axis = 0; axis < 3; axis++) {
    const int low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
    for (int b = near.first[high]; b <= near.last[high]; b++)
      for (int a = near.first[low]; a <= near.last[low]; a++)
        if (!(least_square(&e, a << low | b << high, axis) > best.square))
          try_box_edge(&best, find_edges, half, x, a << low | b << high, axis, edges);
  }
  for (int c = near.first[2]; c <= near.last[2] && !is_segment; c++)
    for (int b = near.first[1]; b <= near.last[1]; b++)
      for (int a = near.first[0]; a <= near.last[0]; a++)
        if (!(least_square(&e, a | b << 1 | c << 2, 3) > best.square))
          try_box_corner(&best, half, x, a | b << 1 | c << 2);
  return best;
}

/* ------------------------------------------------------------------------------------------ separating axes
   */

static void try_axis(box_separation *best, double3 half, const double3 x[BOX_CORNERS], double3 normal) {
  for (int side = 0; side < 2; side++) {
    const double distance = box_separation_along(half, normal, x);
    if (distance > best->distance) {
      best->distance = distance;
      best->normal = normal;
    }
    normal = double3_scale(normal, -1);
  }
}

/* Products of nearly parallel edges are left out: others are as good. */
static const double PARALLEL_SQUARE = 1e-16;

static void try_product(box_separation *best, double3 half, const double3 x[BOX_CORNERS], double3 a,
                        double3 b) {
  const double3 product = double3_cross(a, b);
  const double square = double3_dot(product, product);
  if (square > PARALLEL_SQUARE * double3_dot(a, a) * double3_dot(b, b))
    try_axis(best, half, x, double3_scale(product, 1 / sqrt(square)));
}

/* The corners that are nearest to the box along the normal share the weight. */
static void share_weight(box_separation *s, double3 half, const double3 x[BOX_CORNERS]) {
  const double least = s->distance + box_separation_extent(half, s->normal),
               size = box_separation_extent(half, s->normal) + fabs(least);
  int count = 0;
  for (int corner = 0; corner < BOX_CORNERS; corner++) {
    s->weight[corner] = double3_dot(s->normal, x[corner]) <= least + 1e-9 * size;
    count += s->weight[corner] > 0;
  }
  for (int corner = 0; corner < BOX_CORNERS; corner++)
    s->weight[corner] /= count > 0 ? count : 1;
}

static box_separation find_axis(double3 half, const double3 x[BOX_CORNERS], bool is_segment) {
  const double3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  box_separation best = {.distance = -(double)INFINITY, .normal = {1, 0, 0}};
  const int edges = is_segment ? 1 : 3;
  for (int axis = 0; axis < 3; axis++)
    try_axis(&best, half, x, axes[axis]);
  if (!is_segment)
    try_product(&best, half, x, double3_subtract(x[1], x[0]), double3_subtract(x[2], x[0]));
  for (int first = 0; first < edges; first++)
    for (int axis = 0; axis < 3; axis++)
      try_product(&best, half, x, double3_subtract(x[(first + 1) % BOX_CORNERS], x[first]), axes[axis]);
  share_weight(&best, half, x);
  return best;
}

/* The share of the distance that the direction between the closest points must separate. */
static const double SOUND_SHARE = 0.99;

box_separation box_separation_find(box_edges_find *edges, double3 half, const double3 x[BOX_CORNERS],
                                   bool is_segment) {
  const nearest_pair nearest = find_nearest(edges, half, x, is_segment);
  const double length = sqrt(nearest.square);
  if (!(nearest.square > DBL_MIN) || !(length < (double)INFINITY))
    return find_axis(half, x, is_segment);
  box_separation s = {.normal = double3_scale(nearest.between, 1 / length)};
  for (int corner = 0; corner < BOX_CORNERS; corner++)
    s.weight[corner] = nearest.weight[corner];
  s.distance = box_separation_along(half, s.normal, x);
  if (s.distance >= SOUND_SHARE * length)
    return s;
  const box_separation other = find_axis(half, x, is_segment);
  return other.distance > s.distance ? other : s;
}
