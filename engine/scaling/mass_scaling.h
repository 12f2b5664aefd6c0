/* Selective mass scaling: the operator C that replaces the inverse masses in the kick by springs.

   A substep of symplectic Euler is v' = v + dt C f instead of v + dt M^-1 f, with f the forces of the
   springs. With kappa = dt^2 k + 2 dt mu and the mass fraction `share` of each spring (law.h), let

       B = M + sum over springs of b (x_i - x_j)^2,    b = max(0, kappa/rho - share), rho = 3.92

   with pins at 0. The mass fractions sum to at most M, so the sum of kappa (x_i - x_j)^2 is at most rho B. C
   is one multigrid cycle that approximates B^-1 and never exceeds it:

       z = S^-1 r,   z += P C' P' (r - B z),   z += S^-1 (r - B z)

   with C' the same for the next level, whose matrix is P' B P. Either matrix may be replaced by one that is
   not below it (sparsify.h).

   With E = 1 - S^-1 B, in the inner product of B, 1 - C B = E (1 - P C' P' B) E. All three are symmetric
   there. The eigenvalues of E are strictly between -1 and 1, and by induction those of the middle factor are
   between 0 and 1. So 0 <= 1 - C B < 1 and 0 < C <= B^-1. Therefore W = C^-1 is at least B, and the stability
   proof (docs/theory) holds with W instead of M and 3.92 below 4, in every configuration and for every dt.

   If a component has no pins, its center of mass is conserved by subtracting the mass-weighted mean of C f
   from C f. Forces between particles have no sum, so this is Q' C Q f with Q the projection that removes the
   mean, and 0 < C <= B^-1 still holds.

   Everything here depends on the definitions and the substep alone, not on their history. */
#ifndef MSD_ENGINE_SCALING_MASS_SCALING_H
#define MSD_ENGINE_SCALING_MASS_SCALING_H

#include "engine/base/record.h"
#include "engine/kernel/sparse_rows.h"
#include "engine/store/model.h"

/* The part of the radius 4 that is used. */
#define MASS_SCALING_RADIUS 3.92

/* A cycle needs r only as the smoother transforms it: `start` is S^-1 r, and C r when the cycle is done.
   `rest` is r - B z for the next level and then, in all levels except the first, also C r. */
typedef struct scaled_level {
  int32_t rows;
  sparse_system system;
  /* To and from the next level; empty in the last level. */
  sparse_rows restriction, prolongation;
  sparse_vector start, z;
  /* As quads. */
  msd_real *rest;
  void *vectors;
} scaled_level;

/* Each level typically has a ninth of the rows of the previous one. */
enum { SCALED_LEVELS_MAX = 24 };

/* The particles of free bodies, body by body, in blocks that are summed in order. */
typedef struct free_components {
  int32_t body_count, block_count;
  /* By slot of all groups; -1: in no free body. */
  int32_t *body;
  /* Slots, body by body; the first block of each body, and the first slot of each block; both with one more
     entry at the end. */
  int32_t *slots, *first_block, *first_slot;
  /* kg: by slot, for slots in a body. */
  double *slot_mass;
  /* 1/kg of each body, and the mean that is subtracted from its motion. */
  double *inverse_mass;
  double (*mean)[3], (*block_sum)[3];
  /* m/s: the velocity change of each body by external impulses. */
  double (*pushed)[3];
} free_components;

typedef struct mass_scaling {
  scaled_level levels[SCALED_LEVELS_MAX];
  int level_count;
  free_components free;
  /* By thread, PARALLEL_THREADS_MAX entries: true if anything except the forces has acted on its
     particles. */
  uint8_t *acted;
  revision made_for;
} mass_scaling;

/* Builds the operator for substeps of that many seconds. Returns false, and leaves it empty, if memory runs
   out. */
bool mass_scaling_make(mass_scaling *s, world_model *model, double substep);
void mass_scaling_free(mass_scaling *s, memory *m);

/* b of a spring, in kg. */
double mass_scaling_of(const law_terms *terms, double substep, bool limit);

#endif
