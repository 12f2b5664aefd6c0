/* Selective mass scaling: the operator C that takes the place of the inverse masses in the kick by springs.

   A substep of symplectic Euler is v' = v + dt C f instead of v + dt M^-1 f, f the forces of the springs.
   With kappa = dt^2 k + 2 dt mu and the share of each spring (law.h), let

       B = M + sum over springs of b (x_i - x_j)^2,    b = max(0, kappa/rho - share), rho = 3.92

   with pins at 0. Shares add up to M at most, so the sum of kappa (x_i - x_j)^2 is at most rho B. C is one
   cycle over levels that approximates B^-1 and is never more:

       z = S^-1 r,   z += P C' P' (r - B z),   z += S^-1 (r - B z)

   with C' the same of the next level, whose matrix is P' B P. Either matrix may be replaced by one that is not
   less (thinning.h).

   With E = 1 - S^-1 B, in the inner product of B, 1 - C B = E (1 - P C' P' B) E. All three are symmetric
   there, E has no eigenvalue of 1 or more or of -1 or less, and by induction the middle one has none below 0
   or above 1: so 1 - C B is not below 0 and below 1, and 0 < C <= B^-1. So W = C^-1 is at least B, and the
   proof of docs/stability.md holds with W in the place of M and 3.92 below 4, at every shape and every dt.

   Where nothing of a body is pinned, its centre of mass is kept by taking the mean of C f out of C f,
   weighed by the masses. Forces between particles have no sum, so this is Q' C Q f with Q the projection
   that takes the mean out, and 0 < C <= B^-1 stays.

   Everything here follows from the definitions and the substep alone, not from how they came about. */
#ifndef MSD_ENGINE_SCALING_MASS_SCALING_H
#define MSD_ENGINE_SCALING_MASS_SCALING_H

#include "engine/base/record.h"
#include "engine/kernel/sparse_rows.h"
#include "engine/store/model.h"

/* Of the radius 4. */
#define MASS_SCALING_RADIUS 3.92

/* A cycle needs no r but what the smoother makes of it: `start` is S^-1 r, and C r when the cycle is done.
   `rest` is r - B z for the next level and then, in all but the first, C r too. */
typedef struct scaled_level {
  int32_t rows;
  sparse_system system;
  /* To the next level and from it; empty in the last level. */
  sparse_rows restriction, prolongation;
  sparse_vector start, z;
  /* In quads. */
  msd_real *rest;
  void *vectors;
} scaled_level;

/* Nine times fewer rows are usual. */
enum { SCALED_LEVELS_MAX = 24 };

/* Particles of free bodies, body by body, in blocks that are summed one after the other. */
typedef struct free_bodies {
  int32_t body_count, block_count;
  /* Of each slot of all groups; -1: part of none. */
  int32_t *body;
  /* Slots, body by body; the blocks of each, and where they begin; one more of both at the end. */
  int32_t *slots, *first_block, *first_slot;
  /* kg: of each slot that is in a body. */
  double *slot_mass;
  /* 1/kg of each body, and what takes the mean out of it. */
  double *inverse_mass;
  double (*mean)[3], (*block_sum)[3];
  /* m/s: what impulses from outside change the velocity of each body by. */
  double (*pushed)[3];
} free_bodies;

typedef struct mass_scaling {
  scaled_level levels[SCALED_LEVELS_MAX];
  int level_count;
  free_bodies free;
  /* Of each of PARALLEL_THREADS_MAX: whether something beside the forces has acted on its particles. */
  uint8_t *acted;
  revision made_for;
} mass_scaling;

/* For substeps of that many seconds. False, and empty, where there is no memory. */
bool mass_scaling_make(mass_scaling *s, world_model *model, double substep);
void mass_scaling_free(mass_scaling *s, memory *m);

/* b of a spring, in kg. */
double mass_scaling_of(const law_terms *terms, double substep, msd_limit limit);

#endif
