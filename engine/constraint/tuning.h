/* Stiffness and damping of a constraint at its present shape, over the lanes of lane.h: the formulas of
   factors.h, and the limit that a world may set on coefficients, k <= m^/dt^2 and mu <= m^/dt. */
#ifndef MSD_ENGINE_CONSTRAINT_TUNING_H
#define MSD_ENGINE_CONSTRAINT_TUNING_H

#include "engine/base/lane.h"
#include "engine/constraint/factors.h"

/* A sum of w |gradient|^2 below this, in the units of each kind, is no more than rounding: the shape has no
   direction, and its effective mass counts as 0. */
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
  LANE stiffness, mass_stiffness, shared_stiffness;
  LANE damping, mass_damping, shared_damping;
  LANE room_per_load;
} tuning_factors;

LANE_INLINE tuning_factors tuning_read(const msd_real *rows, int step) {
  return (tuning_factors){lane_load(rows + CONSTRAINT_STIFFNESS * step),
                          lane_load(rows + CONSTRAINT_MASS_STIFFNESS * step),
                          lane_load(rows + CONSTRAINT_SHARED_STIFFNESS * step),
                          lane_load(rows + CONSTRAINT_DAMPING * step),
                          lane_load(rows + CONSTRAINT_MASS_DAMPING * step),
                          lane_load(rows + CONSTRAINT_SHARED_DAMPING * step),
                          lane_load(rows + CONSTRAINT_ROOM_PER_LOAD * step)};
}
#endif

/* 1/dt^2 and 1/dt; 0: there is no limit. */
typedef struct tuning_limit {
  LANE_REAL stiffness, damping;
} tuning_limit;

typedef struct shape_tuning {
  LANE stiffness, damping;
  /* Softer than its law says. */
  LANE_MASK capped;
} shape_tuning;

/* At the masses m and m^ of a shape. is_fold: room_per_load may be more than 0. */
LANE_INLINE shape_tuning tuning_at(const tuning_factors *f, bool is_fold, LANE mass, LANE share,
                                   tuning_limit limit) {
  LANE k = f->stiffness, mu = f->damping;
  LANE_MASK capped = {0};
  if (is_fold) {
    const LANE scale = f->room_per_load * share;
    capped = (scale > 0) & (scale < 1);
    k = lane_select(capped, k * scale, k);
    mu = lane_select(capped, mu * scale, mu);
  }
  k = k + f->mass_stiffness * mass + f->shared_stiffness * share;
  mu = mu + f->mass_damping * mass + f->shared_damping * share;
  if (limit.stiffness > 0) {
    const LANE most_k = limit.stiffness * share, most_mu = limit.damping * share;
    capped = (k > most_k) | (mu > most_mu);
    k = lane_select(k > most_k, most_k, k);
    mu = lane_select(mu > most_mu, most_mu, mu);
  }
  return (shape_tuning){k, mu, capped};
}

#endif
