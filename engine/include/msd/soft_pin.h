/* msd: soft pins, damped springs from a particle to a point in space.

   With symplectic Euler and sequential impulses a single soft pin is stable in a substep of any length. In
   each substep all other forces change the velocity of the particle first. The soft pin then moves the
   particle along the closed-form solution of its own damped oscillation (damped_spring.h) instead of along a
   straight line. Without other forces the motion is exact for a substep of any length. The velocity that
   msd_particle_get_velocity returns is then the mean velocity of the last substep. The other integrators, and
   soft pins of the coefficient law with any integrator, treat the soft pin as a force.

   Motion of the target. A target that moves has a velocity, and the particle follows it without lag. Under a
   constant load f the particle settles at a distance of f/k times w^2 dt Q/(1 - T + E^2) from the target.
   Here w^2 = k/m, and the other symbols are defined below. With critical damping that is f/k times
   1 - (w dt)^2/12 in a short substep, and less in a long one.

   Stability. Let E^2 be the determinant, T the trace and Q the velocity-to-position entry of the closed-form
   matrix of one substep. The other springs at that particle may then use (1 + E^2 + T) dt/Q of the stability
   budget, which is 4 without a soft pin. The load of a soft pin is:
   - damping_ratio >= 1: none. (1 + E^2 + T) dt/Q >= 4, so the soft pin does not reduce the stable substep,
     however stiff it is.
   - damping_ratio < 1: (2/pi)^2 dt^2 k (1 - damping_ratio^2).
   - coefficient law: ck + 2 cd.
   - treated as a force: dt^2 k + 2 dt mu.

   Stiffness clamping (msd_world_set_clamp_stiffness) softens a soft pin to what the other springs leave. The
   proof covers damped networks too; it is in the engine sources. */
#ifndef MSD_SOFT_PIN_H
#define MSD_SOFT_PIN_H

#include "msd/spring.h"
#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_soft_pin_def {
  /* Index of the particle; default -1: the soft pin is inactive. A particle has at most one soft pin. */
  int32_t particle;
  /* m; default (0,0,0). Target position. */
  msd_vec3 position;
  /* Default MSD_SPRING_FREQUENCY. The stiffness, coefficient or frequency law, with m the mass of the
     particle. */
  msd_spring_law law;
  /* N/m, >= 0; default 0. Used by the stiffness law. */
  msd_real stiffness;
  /* N s/m, >= 0; default 0. Used by the stiffness law. */
  msd_real damping;
  /* ck 0 to 4 and cd 0 to 2, with ck + 2 cd < 4; default 1 and 1. Used by the coefficient law. The default
     values reach the target in two substeps. */
  msd_real ck, cd;
  /* Hz, >= 0; default 4. Used by the frequency law. */
  msd_real frequency;
  /* >= 0; default 1, critical damping. Used by the frequency law. */
  msd_real damping_ratio;
  /* Internal mark of an initialized definition. Set by msd_default_soft_pin_def. */
  uint32_t cookie;
} msd_soft_pin_def;

MSD_API msd_soft_pin_def msd_default_soft_pin_def(void);

/* Adds `count` (>= 0) soft pins with consecutive indices, all of them or none. Stores the index of the first
   in *first, which may be NULL. Returns:
   - MSD_UNINITIALIZED_DEF if a definition was not initialized by msd_default_soft_pin_def.
   - MSD_BAD_INDEX if a particle does not exist.
   - MSD_BAD_VALUE if a value is out of its range, or a particle already has a soft pin.
   - MSD_TOO_LARGE or MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_soft_pins(msd_world *world, const msd_soft_pin_def *defs, int count,
                                     int32_t *first);

/* Replaces the definition of a soft pin: another particle, another target at once, or none (particle -1).
   Results are those of msd_add_soft_pins. */
MSD_API msd_result msd_soft_pin_set_def(msd_world *world, int32_t soft_pin, const msd_soft_pin_def *def);

/* Moves the target in a straight line to `point` during the next msd_world_step. Afterwards the target is at
   rest. */
MSD_API msd_result msd_soft_pin_move_to(msd_world *world, int32_t soft_pin, msd_vec3 point);

/* Like msd_soft_pin_move_to, on the path of a rotation (msd_turn) that may take several turns. Substeps cut it
   into chords, with the limits of msd_particle_move_along. */
MSD_API msd_result msd_soft_pin_move_along(msd_world *world, int32_t soft_pin, msd_vec3 point, msd_turn turn);

/* Returns the number of soft pins, destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_soft_pin_count(const msd_world *world);

/* Returns the current definition of a soft pin; the default definition for a bad index. */
MSD_API msd_soft_pin_def msd_soft_pin_get_def(const msd_world *world, int32_t soft_pin);

/* Returns whether an integrator moves particles along the closed-form solution of their soft pins, as
   described above. True for symplectic Euler and sequential impulses. */
MSD_API bool msd_integrator_has_exact_soft_pins(msd_integrator integrator);

/* Returns whether a soft pin is integrated in closed form. True if the integrator supports it, the law is not
   the coefficient law, and mass scaling is off. */
MSD_API bool msd_soft_pin_is_exact(const msd_world *world, int32_t soft_pin);

/* Returns the soft pin of a particle; -1 if it has none. O(soft pins). */
MSD_API int32_t msd_particle_get_soft_pin(const msd_world *world, int32_t particle);

/* Returns the force of a soft pin on its particle in N, averaged over the last substep. 0 before the first
   substep, and for a soft pin that has no particle or whose particle is pinned. */
MSD_API msd_vec3 msd_soft_pin_get_force(const msd_world *world, int32_t soft_pin);

#ifdef __cplusplus
}
#endif

#endif
