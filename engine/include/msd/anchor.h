/* msd: anchors, damped springs from a particle to a point in space, stable at any step.

   In a substep of symplectic Euler (and of sequential impulses) all other forces change the velocity of the
   particle first; then the anchor moves it along the closed form of its own damped motion (damped_spring.h)
   instead of in a straight line. A particle that feels nothing else moves exactly, however long the
   substep; the velocity that it tells is then the mean one of the last substep. The other integrators, and
   an anchor of the coefficient law in all of them, take it as a force.

   A point that moves has its velocity: the particle follows it without lag. At rest under a load f the
   particle is off the point by f/k times w^2 dt Q/(1 - T + E^2) (see below; w^2 = k/m): critically damped,
   1 - (w dt)^2/12 of f/k in a short substep, and less in a long one.

   Stability. An anchor with a ratio >= 1 takes nothing of what a step can carry, however stiff it is: with
   E^2 the determinant, T the trace and Q the velocity-to-position part of its closed form, the other
   springs may use (1 + E^2 + T) dt/Q >= 4 at that particle. Below ratio 1 it counts as (2/pi)^2 dt^2 k (1 -
   ratio^2), of the coefficient law as ck + 2 cd, and as a force with dt^2 k + 2 dt mu.
   MSD_LIMIT_COEFFICIENTS softens it to what other springs leave. The proof, for damped networks too, is in
   the engine. */
#ifndef MSD_ANCHOR_H
#define MSD_ANCHOR_H

#include "msd/spring.h"
#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_anchor_def {
  /* At most one anchor each that holds; -1 (default): holds nothing. */
  int32_t particle;
  /* m; default 0. */
  msd_vec3 point;
  /* Physical, coefficient or frequency (default); m is the mass of the particle. */
  msd_spring_law law;
  /* Physical: N/m, >= 0; default 0. */
  msd_real stiffness;
  /* Physical: N s/m, >= 0; default 0. */
  msd_real damping;
  /* Coefficient: 0 to 4 and 0 to 2 with ck + 2 cd < 4; default 1 and 1: there after two substeps. */
  msd_real ck, cd;
  /* Frequency: Hz, >= 0; default 4. */
  msd_real frequency;
  /* Frequency: >= 0; default 1, critical. */
  msd_real damping_ratio;
  /* Set by msd_default_anchor_def. */
  uint32_t cookie;
} msd_anchor_def;

MSD_API msd_anchor_def msd_default_anchor_def(void);

/* Adds `count` >= 0 anchors with consecutive indices, the first of which goes to *first (may be NULL). All or
   none are added. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (also a particle that another anchor holds),
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_anchors(msd_world *world, const msd_anchor_def *defs, int count, int32_t *first);

/* Gives an anchor another definition: another particle, another point at once, or none (particle -1). */
MSD_API msd_result msd_anchor_set_def(msd_world *world, int32_t anchor, const msd_anchor_def *def);

/* Carries the point in a straight line to `point` during the next msd_world_step; afterwards it is still. */
MSD_API msd_result msd_anchor_move_to(msd_world *world, int32_t anchor, msd_vec3 point);

MSD_API int32_t msd_world_get_anchor_count(const msd_world *world);

/* The definition as it now is; the default one for a bad index. */
MSD_API msd_anchor_def msd_anchor_get_def(const msd_world *world, int32_t anchor);

/* Whether an integrator moves anchored particles along their closed form, as is told above: symplectic
   Euler and sequential impulses do. */
MSD_API bool msd_integrator_has_exact_anchors(msd_integrator integrator);

/* Whether an anchor is one of those: the integrator of the world does so, its law is not the coefficient one,
   and masses are not scaled. */
MSD_API bool msd_anchor_is_exact(const msd_world *world, int32_t anchor);

/* The anchor that holds a particle; -1 when none does. O(anchors). */
MSD_API int32_t msd_particle_get_anchor(const msd_world *world, int32_t particle);

/* The force on the particle in N that the anchor gave on average over the last substep; 0 before the first,
   and of an anchor that holds nothing or a pin. */
MSD_API msd_vec3 msd_anchor_get_force(const msd_world *world, int32_t anchor);

#ifdef __cplusplus
}
#endif

#endif
