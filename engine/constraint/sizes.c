#include "engine/constraint/sizes.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>

static double length(double3 a) {
  return sqrt(lane_dot(a, a));
}

static double distance(double3 a, double3 b) {
  return length(lane_subtract(a, b));
}

/* 0 for tiny x: a shape without size has no gradient. */
static double inverse(double x) {
  return x > 1e-140 ? 1 / x : 0;
}

static constraint_sizes angle_sizes(const double3 *x, const double *weights, double error) {
  (void)weights;
  const double3 a = lane_subtract(x[0], x[1]), b = lane_subtract(x[2], x[1]);
  const double inverse_a = inverse(length(a)), inverse_b = inverse(length(b));
  const double product = length(a) * length(b), along = lane_dot(a, b), across = length(lane_cross(a, b));
  const double cot_half = (product + along) * inverse(across), tan_half = (product - along) * inverse(across);
  const double e = fmax(fabs(error), fmax(error * cot_half, -error * tan_half));
  const double at_a = 2 * e * inverse_a * inverse_a, at_b = 2 * e * inverse_b * inverse_b;
  return (constraint_sizes){{inverse_a, distance(x[0], x[2]) * inverse_a * inverse_b, inverse_b},
                            {at_a, at_a + at_b, at_b}};
}

/* One of the two triangles at the edge of a dihedral angle. */
typedef struct wing {
  /* dC/dx at its tip, and its norm. */
  double3 slope;
  double inverse_height;
  /* The s of the foot of its height on the edge. */
  double foot;
} wing;

static wing wing_of(double3 edge, double3 normal, double3 to_tip) {
  const double square = lane_dot(edge, edge), size = lane_dot(normal, normal);
  const double scale = sqrt(square) * inverse(size);
  return (wing){{scale * normal.x, scale * normal.y, scale * normal.z},
                scale * sqrt(size),
                lane_dot(to_tip, edge) * inverse(square)};
}

/* |g| at the end of the edge that carries the fractions s and t of the two tips. */
static double edge_norm(const wing *one, double s, const wing *other, double t) {
  return length((double3){s * one->slope.x + t * other->slope.x, s * one->slope.y + t * other->slope.y,
                          s * one->slope.z + t * other->slope.z});
}

static constraint_sizes dihedral_sizes(const double3 *x, const double *weights, double error) {
  (void)weights;
  const double3 edge = lane_subtract(x[1], x[0]), a = lane_subtract(x[2], x[0]),
                b = lane_subtract(x[3], x[0]);
  const wing wings[2] = {wing_of(edge, lane_cross(edge, a), a), wing_of(edge, lane_cross(b, edge), b)};
  constraint_sizes o = {{edge_norm(&wings[0], 1 - wings[0].foot, &wings[1], 1 - wings[1].foot),
                         edge_norm(&wings[0], wings[0].foot, &wings[1], wings[1].foot),
                         wings[0].inverse_height, wings[1].inverse_height},
                        {0}};
  const double inverse_edge = inverse(length(edge));
  for (int n = 0; n < 2; n++) {
    const double s = fabs(wings[n].foot), r = fabs(1 - wings[n].foot);
    const double tip = fabs(error) * (1 + r + s) * wings[n].inverse_height * wings[n].inverse_height;
    const double ends = 3 * fabs(error) * inverse_edge * inverse_edge;
    o.curve[2 + n] = tip;
    o.curve[0] += r * tip + ends;
    o.curve[1] += s * tip + ends;
  }
  return o;
}

static constraint_sizes area_sizes(const double3 *x, const double *weights, double error) {
  (void)weights;
  const double side[3] = {distance(x[1], x[2]), distance(x[2], x[0]), distance(x[0], x[1])};
  const double twice = length(lane_cross(lane_subtract(x[1], x[0]), lane_subtract(x[2], x[0])));
  const double excess = fmax(error - twice / 2, 0);
  const double across = excess * inverse(2 * twice) * (side[0] + side[1] + side[2]);
  constraint_sizes o = {{0}, {0}};
  for (int n = 0; n < 3; n++) {
    o.norm[n] = side[n] / 2;
    o.curve[n] = fabs(error) + across * side[n];
  }
  return o;
}

static constraint_sizes volume_sizes(const double3 *x, const double *weights, double error) {
  (void)weights;
  constraint_sizes o = {{0}, {0}};
  for (int n = 0; n < 4; n++) {
    const double3 a = x[(n + 1) % 4], b = x[(n + 2) % 4], c = x[(n + 3) % 4];
    o.norm[n] = length(lane_cross(lane_subtract(b, a), lane_subtract(c, a))) / 6;
    o.curve[n] = fabs(error) * (distance(a, b) + distance(b, c) + distance(c, a)) / 6;
  }
  return o;
}

/* H is (1 - u u')/|y| times w w'. */
static constraint_sizes fiber_sizes(const double3 *x, const double *weights, double error) {
  double3 gradient[CONSTRAINT_CORNERS];
  const double stretch = constraint_fiber_double(x, weights, gradient);
  double sum = 0;
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    sum += fabs(weights[n]);
  constraint_sizes o = {{0}, {0}};
  for (int n = 0; n < CONSTRAINT_CORNERS; n++) {
    o.norm[n] = fabs(weights[n]);
    o.curve[n] = fmax(error, 0) * inverse(stretch) * fabs(weights[n]) * sum;
  }
  return o;
}

typedef constraint_sizes sizes_of_kind(const double3 *x, const double *weights, double error);

static sizes_of_kind *const kind_sizes[MSD_CONSTRAINT_KIND_COUNT] = {
    [MSD_CONSTRAINT_ANGLE] = angle_sizes, [MSD_CONSTRAINT_DIHEDRAL] = dihedral_sizes,
    [MSD_CONSTRAINT_AREA] = area_sizes,   [MSD_CONSTRAINT_VOLUME] = volume_sizes,
    [MSD_CONSTRAINT_FIBER] = fiber_sizes,
};

constraint_sizes constraint_sizes_of(msd_constraint_kind kind, const double3 *x, const double *weights,
                                     double error) {
  return kind_sizes[kind](x, weights, error);
}
