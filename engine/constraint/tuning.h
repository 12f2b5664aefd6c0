/* Stiffness and damping of a constraint in its current configuration, over the lanes of lane.h: the formula
   of factors.h, or with stiffness clamping k <= m^/dt^2 and mu <= m^/dt. */
#ifndef MSD_ENGINE_CONSTRAINT_TUNING_H
#define MSD_ENGINE_CONSTRAINT_TUNING_H

#include "engine/base/lane.h"
#include "engine/constraint/factors.h"

/* A smaller sum of w |gradient|^2, in the units of each type, is rounding noise: the configuration is
   degenerate, and its effective mass counts as 0. */
#ifdef MSD_DOUBLE
#define TUNING_WEIGHT_MIN 1e-140
#else
#define TUNING_WEIGHT_MIN 1e-20f
#endif

LANE_INLINE LANE tuning_mass(LANE weight) {
  return lane_inverse(weight > (LANE_REAL)TUNING_WEIGHT_MIN, weight);
}

#ifdef LANE_DOUBLE
typedef constraint_factors tuning_factors;
#else
typedef struct tuning_factors {
  LANE stiffness, damping, relief;
} tuning_factors;

LANE_INLINE tuning_factors tuning_read(const msd_real *rows, int step) {
  return (tuning_factors){lane_load(rows + CONSTRAINT_STIFFNESS * step),
                          lane_load(rows + CONSTRAINT_DAMPING * step),
                          lane_load(rows + CONSTRAINT_RELIEF * step)};
}
#endif

/* 1/dt^2 and 1/dt; 0: no clamping. */
typedef struct tuning_limit {
  LANE_REAL stiffness, damping;
} tuning_limit;

typedef struct shape_tuning {
  LANE stiffness, damping;
  /* True if softer than its law. */
  LANE_MASK capped;
} shape_tuning;

/* The scale of the factors in a configuration: 1/excess if the excess is above 1, else 0. With clamping the
   excess is 1/m^, and the scale is m^. */
LANE_INLINE LANE tuning_share(LANE excess, tuning_limit limit) {
  return limit.stiffness > 0 ? tuning_mass(excess) : lane_inverse(excess > 1, excess);
}

/* Evaluates the factors at an excess, with its scale. */
LANE_INLINE shape_tuning tuning_by(const tuning_factors *f, LANE excess, LANE share, tuning_limit limit) {
  const LANE k = f->stiffness, mu = f->damping;
  if (limit.stiffness > 0) {
    const LANE most_k = limit.stiffness * share, most_mu = limit.damping * share;
    return (shape_tuning){lane_select(k > most_k, most_k, k), lane_select(mu > most_mu, most_mu, mu),
                          (k > most_k) | (mu > most_mu)};
  }
  const LANE_MASK capped = excess > 1;
  /* The stiffness that damping replaces. */
  const LANE gained = lane_select(f->relief > 0, k * share, lane_set(0));
  const LANE softer = lane_select(f->relief > 0, gained * share, k * share);
  const LANE damped = mu * share + f->relief * (gained - gained * share);
  return (shape_tuning){lane_select(capped, softer, k), lane_select(capped, damped, mu), capped};
}

LANE_INLINE shape_tuning tuning_at(const tuning_factors *f, LANE excess, tuning_limit limit) {
  return tuning_by(f, excess, tuning_share(excess, limit), limit);
}

#endif
