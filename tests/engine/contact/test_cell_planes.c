/* The planes between the sides of a pair. The oracle is how edges were laid: each through the foot of a common
   perpendicular of known length. */
#include "tests/support/colliders.h"

#define LANE_DOUBLE
#include "engine/contact/separation_planes.h"

#include <criterion/criterion.h>
#include <math.h>

static double3 random_direction(generator *random) {
  const msd_vec3 at = random_vector(random, 1);
  const double3 d = {(double)at.x, (double)at.y, (double)at.z};
  return double3_scale(d, 1 / sqrt(double3_dot(d, d)));
}

/* Which shares of the lengths of two edges lie before the feet, and the angle between them. */
typedef struct edges_laid {
  double lengths[2], shares[2], angle, distance;
} edges_laid;

static void lay(const edges_laid *e, generator *random, double3 x[PAIR_CORNERS]) {
  const double3 up = random_direction(random), other = random_direction(random),
                foot = random_direction(random);
  double3 along = double3_cross(up, other);
  along = double3_scale(along, 1 / sqrt(double3_dot(along, along)));
  const double3 across = double3_cross(up, along);
  for (int edge = 0; edge < 2; edge++) {
    const double3 to =
        edge ? along : double3_add_scaled(double3_scale(along, cos(e->angle)), across, sin(e->angle));
    const double3 own = double3_add_scaled(foot, up, edge ? 0 : e->distance);
    for (int end = 0; end < 2; end++)
      x[2 * edge + end] = double3_add_scaled(own, to, e->lengths[edge] * (end - e->shares[edge]));
  }
}

Test(cell_planes, edges_keep_their_distance_across_the_witness_however_parallel_and_long_they_are) {
  generator random = {.state = 21};
  for (double angle = 1; angle > 1e-10; angle /= 2)
    for (int n = 0; n < 200; n++) {
      const edges_laid e = {.lengths = {0.007, n % 2 ? 0.5 : 0.007},
                            .shares = {0.1 + 0.8 * random_share(&random), 0.1 + 0.8 * random_share(&random)},
                            .angle = angle,
                            .distance = 1e-5 * (1 + 9 * random_share(&random))};
      double3 x[PAIR_CORNERS];
      lay(&e, &random, x);
      const separation_witness w = separation_find_witness(PAIR_EDGE_EDGE, x);
      cr_assert(w.found);
      const double gap = separation_gap(PAIR_EDGE_EDGE, &w);
      cr_assert_gt(gap, 0.49 * e.distance, "%g of %g at %g", gap, e.distance, angle);
      cr_assert_leq(gap, e.distance * (1 + 1e-6), "%g of %g at %g", gap, e.distance, angle);
    }
}
