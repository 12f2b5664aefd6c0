/* The stability of a network of springs from the definition: the spectral radius of
   (A x)_i = w_i sum kappa (x_i + x_j), by dense eigenvalues. */
#ifndef MSD_TESTS_TRUE_LIMIT_H
#define MSD_TESTS_TRUE_LIMIT_H

#include "tests/support/eigenvalue.h"
#include "tests/support/networks.h"
#include "tests/support/pi.h"
#include "tests/support/stability.h"

#include <math.h>

static inline double inverse_mass(const msd_world *world, int32_t particle) {
  return msd_particle_is_pinned(world, particle) ? 0 : 1 / (double)msd_particle_get_mass(world, particle);
}

static inline int springs_at(const msd_world *world, int32_t particle) {
  int count = 0;
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    count += !msd_spring_is_broken(world, s) && (def.a == particle || def.b == particle);
  }
  return count;
}

/* kappa of a spring at the step dt, from the definitions of the laws; 0 when nothing is moved by it. */
static inline double weight(const msd_world *world, int32_t spring, double dt) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  const double wa = inverse_mass(world, def.a), wb = inverse_mass(world, def.b);
  if (msd_spring_is_broken(world, spring) || wa + wb == 0)
    return 0;
  const double reduced = 1 / (wa + wb), w = 2 * PI * (double)def.frequency;
  const double max_stable = (wa + wb) / (wa * springs_at(world, def.a) + wb * springs_at(world, def.b));
  const double ck = def.ck < 0 ? max_stable : (double)def.ck, cd = def.cd < 0 ? max_stable : (double)def.cd;
  switch (def.law) {
  case MSD_SPRING_COEFFICIENT:
    return reduced * (ck + 2 * cd);
  case MSD_SPRING_FREQUENCY:
    return reduced * (dt * dt * w * w + 2 * dt * 2 * (double)def.damping_ratio * w);
  default:
    return dt * dt * (double)def.stiffness + 2 * dt * (double)def.damping;
  }
}

/* The spectral radius of A, of the similar symmetric matrix sqrt(w_i w_j) (D + K)_ij. */
static inline double true_radius(const msd_world *world, double dt) {
  const int n = msd_world_get_particle_count(world);
  double *m = calloc((size_t)(n * n), sizeof *m);
  cr_assert_not_null(m);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    const double kappa = weight(world, s, dt), wa = inverse_mass(world, def.a),
                 wb = inverse_mass(world, def.b);
    m[def.a * n + def.a] += wa * kappa;
    m[def.b * n + def.b] += wb * kappa;
    m[def.a * n + def.b] += sqrt(wa * wb) * kappa;
    m[def.b * n + def.a] += sqrt(wa * wb) * kappa;
  }
  const double radius = largest_eigenvalue(m, n, n);
  free(m);
  return radius;
}

/* The step at which the radius is 4: 0 when it is at every step, INFINITY when it never is. */
static inline double true_limit(const msd_world *world) {
  double low = 1e-9, high = 1e9;
  if (true_radius(world, low) >= 4)
    return 0;
  if (true_radius(world, high) < 4)
    return INFINITY;
  while (high / low > 1 + 1e-12) {
    const double middle = sqrt(low * high);
    *(true_radius(world, middle) < 4 ? &low : &high) = middle;
  }
  return low;
}

#endif
