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

/* m^2: a lower bound of the squared distance between the bounding boxes of an element and of something else,
   whose middle and half of whose sides are given. */
typedef struct element_bounds {
  double3 middle, half;
} element_bounds;

static double beyond(double apart, double both) {
  const double gap = fabs(apart) - both;
  return gap > 0 ? gap * gap : 0;
}

static double least_square(const element_bounds *e, double3 middle, double3 half) {
  return beyond(e->middle.x - middle.x, e->half.x + half.x) +
         beyond(e->middle.y - middle.y, e->half.y + half.y) +
         beyond(e->middle.z - middle.z, e->half.z + half.z);
}

static void bound_axis(double a, double b, double c, double *middle, double *half) {
  const double low = fmin(fmin(a, b), c), high = fmax(fmax(a, b), c);
  *middle = (low + high) / 2;
  *half = (high - low) / 2;
}

static element_bounds bounds_of(const double3 x[BOX_CORNERS]) {
  element_bounds e;
  bound_axis(x[0].x, x[1].x, x[2].x, &e.middle.x, &e.half.x);
  bound_axis(x[0].y, x[1].y, x[2].y, &e.middle.y, &e.half.y);
  bound_axis(x[0].z, x[1].z, x[2].z, &e.middle.z, &e.half.z);
  return e;
}

static double within(double value, double most) {
  return value < -most ? -most : value > most ? most : value;
}

static void try_corner(nearest_pair *best, double3 half, const double3 x[BOX_CORNERS], int corner) {
  const double3 at = x[corner], on_box = {within(at.x, half.x), within(at.y, half.y), within(at.z, half.z)},
                between = double3_subtract(at, on_box);
  double weight[BOX_CORNERS] = {0, 0, 0};
  weight[corner] = 1;
  take_nearer(best, between, double3_dot(between, between), weight);
}

/* The corner of the box with the signs of the three lowest bits. */
static double3 box_corner(double3 half, int signs) {
  return (double3){signs & 1 ? half.x : -half.x, signs & 2 ? half.y : -half.y, signs & 4 ? half.z : -half.z};
}

static void try_box_corner(nearest_pair *best, double3 half, const double3 x[BOX_CORNERS],
                           const element_bounds *e, int signs) {
  const double3 at = box_corner(half, signs);
  if (least_square(e, at, (double3){0, 0, 0}) > best->square)
    return;
  const closest_points c =
      closest_on_triangle(double3_subtract(x[0], at), double3_subtract(x[1], at), double3_subtract(x[2], at));
  take_nearer(best, c.between, c.square, (double[BOX_CORNERS]){1 - c.b - c.c, c.b, c.c});
}

static void try_edge(nearest_pair *best, const double3 x[BOX_CORNERS], int first, double3 from, double3 to) {
  const int second = (first + 1) % BOX_CORNERS;
  const closest_points c = closest_of_edges(double3_subtract(x[second], x[first]),
                                            double3_subtract(from, x[first]), double3_subtract(to, from));
  double weight[BOX_CORNERS] = {0, 0, 0};
  weight[first] = 1 - c.b;
  weight[second] = c.b;
  take_nearer(best, double3_scale(c.between, -1), c.square, weight);
}

/* The edges of the element and the edge of the box from the corner `signs` along an axis. */
static void try_box_edge(nearest_pair *best, double3 half, const double3 x[BOX_CORNERS],
                         const element_bounds *e, int signs, int axis, int edges) {
  const double3 from = box_corner(half, signs), to = box_corner(half, signs | 1 << axis),
                middle = {(from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2},
                sides = {axis == 0 ? half.x : 0, axis == 1 ? half.y : 0, axis == 2 ? half.z : 0};
  if (least_square(e, middle, sides) > best->square)
    return;
  for (int first = 0; first < edges; first++)
    try_edge(best, x, first, from, to);
}

static nearest_pair find_nearest(double3 half, const double3 x[BOX_CORNERS], bool is_segment) {
  nearest_pair best = {.square = (double)INFINITY};
  const element_bounds e = bounds_of(x);
  const int corners = is_segment ? 2 : 3, edges = is_segment ? 1 : 3;
  for (int corner = 0; corner < corners; corner++)
    try_corner(&best, half, x, corner);
  for (int axis = 0; axis < 3; axis++)
    for (int signs = 0; signs < 8; signs++)
      if (!(signs >> axis & 1))
        try_box_edge(&best, half, x, &e, signs, axis, edges);
  for (int signs = 0; signs < 8 && !is_segment; signs++)
    try_box_corner(&best, half, x, &e, signs);
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

box_separation box_separation_find(double3 half, const double3 x[BOX_CORNERS], bool is_segment) {
  const nearest_pair nearest = find_nearest(half, x, is_segment);
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
