/* msd: how long a step a world can take, what limits it and why, and how stiff its springs must be so that
   they stretch little. */
#ifndef MSD_STABILITY_H
#define MSD_STABILITY_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why the limiting spring limits. A spring weighs inverse mass x springs at the particle x stiffness: the
   factor of it that stands out most from the typical one (the geometric mean) of the network. */
typedef enum msd_stability_cause {
  /* There is no limit. */
  MSD_CAUSE_NONE,
  /* Nothing is over twice the typical. */
  MSD_CAUSE_ALL_ALIKE,
  /* Its lighter end has less mass than others. */
  MSD_CAUSE_LIGHT_PARTICLE,
  /* It is stiffer or more damped than others, at the largest certified step. */
  MSD_CAUSE_STIFF_SPRING,
  /* One of its ends has more springs than others. */
  MSD_CAUSE_MANY_SPRINGS,
  MSD_CAUSE_COUNT
} msd_stability_cause;

/* How long a step of symplectic Euler this network can take. With w the inverse masses and kappa = dt^2 k +
   2 dt mu of each spring, the operator (A x)_i = w_i sum kappa (x_i + x_j) bounds the network at every
   shape, and the network is stable there when the spectral radius of A is below 4. Springs count as they are
   defined, but for `radius`.
   Constraints and anchors add to the diagonal of A. A stiff constraint has no bound at every shape: it is
   taken at the present one, with a margin of 2 on its stiffness, until the next msd_world_step finds the
   limit again. Coefficients of constraints are certified at every shape in the part of them that pulls
   along the gradient, which is all that a step can be too long for at rest; MSD_STIFFEST ones share the 3
   of 4 with the springs. */
typedef struct msd_stability {
  /* s: the substep asked about. */
  double time_step;
  /* Upper bound of the spectral radius of A at that step; certified below 4. With MSD_LIMIT_COEFFICIENTS of
     the softened springs: 3 at most. */
  double radius;
  /* s: largest certified, at every shape if every_shape; INFINITY when any step is (no or only mild
     coefficient springs), 0 when none is. */
  double stable_time_step;
  /* s: the same of the rotors alone, which bounds stable_time_step, radius, integrator_time_step and
     substeps as well; INFINITY without angular springs. */
  double rotor_time_step;
  /* s: the same from one pass over the springs; never larger than the truth. */
  double stable_time_step_quick;
  /* s: estimate of the linear limit at the present positions alone. No promise: folding or turning the
     network can lower it to the certified one. */
  double this_shape_time_step;
  /* Sweeps behind stable_time_step. */
  int iterations;
  /* 0..1: stable_time_step divided by an upper bound of the exact limit of A; 1 means that it cannot grow
     by more sweeps. */
  double tightness;
  /* Whether all that counts here is bounded at every shape: false with stiff constraints, which are bounded
     at the present shape; see above. */
  bool every_shape;
  /* The spring whose stiffness moves the limit most; -1 when there is none, or limiting_constraint moves it
     more. */
  int32_t limiting_spring;
  /* The constraint of which that is true; -1 when there is none. */
  int32_t limiting_constraint;
  /* The particle whose mass moves the limit most; -1 when there is none. */
  int32_t limiting_particle;
  /* Ck = Cd = c below this is certified for all springs at once. */
  double coefficient_limit;
  /* With MSD_LIMIT_COEFFICIENTS: springs, angular ones included, that are softened at this step. */
  int32_t capped_springs;
  /* And constraints, at the present shape. */
  int32_t capped_constraints;
  /* What is left of the stiffness of the one that loses most, 0 to 1; 1: all. */
  double capped_stiffness;
  /* With MSD_LIMIT_NONE: physical springs on angles and dihedral angles that a substep of time_step softens
     at the present shape. 0 at stable_time_step and below. Automatic substeps do not follow folds into
     collapse (constraint.h): there they are fewer than `substeps`. */
  int32_t softened_folds;
  /* Fewest certified substeps of the world's integrator for a frame of time_step; 0 when there are none. */
  int32_t substeps;

  /* s: the limit of each integrator by msd_integrator, as stable_time_step. Explicit Euler: 0 when any
     spring is stiff. Velocity Verlet: proven without damping, or with damping that is proportional to
     stiffness. Sequential impulse: that of symplectic Euler when no spring is damped, cd < 2 of every
     spring (1 with more than one iteration) when none is stiff; 0 for a network that has both, or is damped
     and warm started: nothing is proven about it. */
  double integrator_time_step[MSD_INTEGRATOR_COUNT];

  /* Why limiting_spring limits. */
  msd_stability_cause cause;
  /* How many times the typical that factor is: 100 at a hundredth of the mass. */
  double cause_ratio;

  /* What would bring the limit of symplectic Euler to time_step, each alone; also how much room there is. */
  /* Of all stiffness in N/m, with ... */
  double stiffness_factor;
  /* ... this one of all damping in N s/m: damping ratios stay. INFINITY: no limit; 0: no softness helps,
     coefficient springs are over the limit alone. */
  double damping_factor;
  /* Of all masses and inertias; INFINITY: no mass helps. Coefficient springs do not feel it. */
  double mass_factor;
  /* Of all ck and cd; INFINITY: there are none; 0: not their fault alone. */
  double coefficient_factor;

  /* The stiffest certified coefficients, MSD_STIFFEST: 1/n of each spring, from .. to; 0 without springs. */
  double stiffest_min, stiffest_max;

  /* Largest stretch (length/rest_length - 1) to expect where the network hangs from its pins at rest, with
     substeps of time_step: an estimate as if all hung straight down, springs as many steps from a pin
     alike. 0 when nothing hangs from a pin; INFINITY when the stiffness of no spring holds some of it. It
     does not see constraints and anchors carry, spans between pins, springs that are stretched as placed,
     nor the motion before rest. */
  /* With the springs as they are. */
  double static_stretch;
  /* With all of them at MSD_STIFFEST. */
  double static_stretch_stiffest;
} msd_stability;

/* Fills *out for a substep of time_step seconds (> 0). MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out);

/* How stiff a network must be so that it stretches little, and the substeps that it then takes. Stretch falls
   with the square of the substeps: stability is cheap, stiffness is what costs. */
typedef struct msd_stretch_target {
  /* Largest length/rest_length - 1 wanted where the network hangs at rest; > 0; default 0.05, which is 5 %.
     */
  double stretch;
  /* s of a frame, > 0; default 1/60. */
  double time_step;
  /* Most substeps that a frame may take, 1 to 1000000 (default): the time budget of a frame over the time
     that one substep takes. */
  int32_t substeps_max;
  /* Set by msd_default_stretch_target. */
  uint32_t cookie;
} msd_stretch_target;

MSD_API msd_stretch_target msd_default_stretch_target(void);

typedef struct msd_stretch_plan {
  /* Whether the target is met within substeps_max. */
  bool reached;
  /* Of a frame, certified with the factor below; at most substeps_max; 0: as they are the springs need
     more, and softer ones would not help. */
  int32_t substeps;
  /* That meet the target, whatever substeps_max; 0: no number up to 1000000 does. */
  int32_t substeps_needed;
  /* For msd_world_scale_stiffness: 1 when the springs may stay as they are. */
  double stiffness_factor;
  /* To expect with the plan: static_stretch of msd_stability, an estimate. */
  double stretch;
} msd_stretch_plan;

/* Plans the fewest substeps, and the stiffness certified with them, that keep the stretch to the target;
   with too small a substeps_max the plan is the stiffest that fits. Springs that are stiff enough already
   keep their stiffness when its substeps fit, with MSD_LIMIT_COEFFICIENTS as that softens them. Springs
   become softer only for a target that is then met; when no number of substeps meets it they stay as they
   are. Changes nothing. MSD_BAD_DEF, MSD_BAD_VALUE; MSD_NO_STABLE_STEP when the coefficient springs alone
   allow no step, the integrator none, or the rotors need more substeps than substeps_max;
   MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                          msd_stretch_plan *plan);

/* Multiplies the stiffness of all springs and constraints by `factor` (> 0) and their damping by its square
   root, so that damping ratios stay. Coefficient springs follow the substep by themselves and are left
   alone. All or none change: MSD_BAD_VALUE when some number would not be finite. */
MSD_API msd_result msd_world_scale_stiffness(msd_world *world, double factor);

#ifdef __cplusplus
}
#endif

#endif
