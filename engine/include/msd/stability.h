/* msd: how long a step a world can take, what limits it and why, and how stiff its springs must be so that
   they stretch little. */
#ifndef MSD_STABILITY_H
#define MSD_STABILITY_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------- what limits */

/* How long a step of symplectic Euler this network can take. With w the inverse masses and kappa = dt^2 k +
   2 dt mu of each spring, the operator (A x)_i = w_i sum kappa (x_i + x_j) bounds the network at every
   shape, and the network is stable there when the spectral radius of A is below 4. Springs count as they are
   defined, but for `radius`, `used` and `certified`. Constraints and anchors add to the diagonal of A. A
   stiff constraint is taken at the present shape, with a margin of 2 on its stiffness. At every other the
   step softens it as far as it asks for (constraint.h), in the part of it that pulls along the gradient,
   which is all that a step can be too long for at rest. Coefficients are certified in that part at every
   shape; MSD_STIFFEST ones share the 3 of 4 with the springs. */
typedef struct msd_stability {
  /* s: the substep asked about. */
  double time_step;
  /* Whether the world's integrator is certified at that substep. */
  bool certified;
  /* Upper bound of the spectral radius of A at that substep; symplectic Euler is certified below 4. With
     MSD_LIMIT_COEFFICIENTS of the softened springs: 3 at most. With MSD_MASS_SCALING_SELECTIVE 3.92 at
     most, with the masses as they are scaled. With MSD_SOLVER_GAUSS_SEIDEL 0. */
  double radius;
  /* radius/4, the share that is used of what symplectic Euler can take; certified below 1. */
  double used;
  /* s: longest certified, at every shape if every_shape; INFINITY when any step is (no or only mild
     coefficient springs), 0 when none is. */
  double stable_time_step;
  /* s: a lower bound of stable_time_step from one pass over the springs. */
  double stable_time_step_quick;
  /* s: stable_time_step of the rotors alone, which bounds all of these; INFINITY without angular springs. */
  double rotor_time_step;

  /* s: the limit of each integrator by msd_integrator, as stable_time_step. Explicit Euler: 0 when any
     spring is stiff. Velocity Verlet: proven without damping, or with damping that is proportional to
     stiffness. Sequential impulse: that of symplectic Euler when no spring is damped, cd < 2 of every
     spring (1 with more than one iteration) when none is stiff; 0 for a network that has both, or is
     damped and warm started: nothing is proven about it. With MSD_MASS_SCALING_SELECTIVE symplectic Euler
     has no limit, and this is the step that automatic substeps keep to for the motion's sake: a wave
     takes about 32 of them through the longest chain of springs. With MSD_SOLVER_GAUSS_SEIDEL it is the
     one in which gravity stretches that chain by 1 or 2 %. */
  double integrator_time_step[MSD_INTEGRATOR_COUNT];
  /* Fewest certified substeps of each integrator for a frame of time_step; 0 when there are none up to a
     million. With MSD_LIMIT_COEFFICIENTS symplectic Euler needs one. */
  int32_t integrator_substeps[MSD_INTEGRATOR_COUNT];
  /* Those of the world's integrator. */
  int32_t substeps;

  /* Whether a substep of symplectic Euler at time_step takes energy away and adds none: kinetic, elastic and
     that of gravity together, linearised at any shape where no spring is longer than at rest and constraints
     are at theirs. A network that is stable and not energy-safe may swing to more than it was given, and back.
     In motion, and where springs are stretched, turning springs leave energy behind at any step:
     msd_world_set_energy keeps it down. With MSD_LIMIT_COEFFICIENTS of the softened springs. */
  bool energy_safe;
  /* s: the longest that is found to be; stable_time_step at most. 0 when any spring or constraint is stiff
     and not damped, or an anchor holds a particle; INFINITY when every step is, as with MSD_STIFFEST alone. */
  double energy_safe_time_step;

  /* Whether all that counts here is bounded at every shape: false with stiff constraints, which are bounded
     at the present shape, and kept to their part of the step at others by softening; see above. */
  bool every_shape;
  /* Sweeps behind stable_time_step. */
  int32_t sweeps;
  /* 0 to 1: stable_time_step divided by an upper bound of the exact limit of A; 1 means that more sweeps
     cannot raise it. */
  double tightness;
} msd_stability;

/* Fills *out for a substep of time_step seconds (> 0). MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out);

/* The number of substeps that msd_world_step(world, time_step, 0) would take now; 0 when none can be
   certified. Remembered by the world as long as its limit is; else as much work as msd_world_stability.
   It may be more than `substeps` above in a world of 256 springs or more in which single springs or particles
   have changed: the next steps keep to what is certified without a search, and search once they have taken some
   thousand substeps so, or where the limit would be less than three quarters of what it was.
   With stiff constraints it may be another number: automatic substeps are found again only after a step that
   softened a constraint, after a particle was placed elsewhere, and every 32 steps, and do not follow what has
   collapsed or blown up (constraint.h). MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_substeps(const msd_world *world, msd_real time_step, int32_t *substeps);

/* s: the longest step of the world's integrator that these substeps stay below, rotors included; INFINITY:
   any is certified, 0: none. As msd_stability.integrator_time_step, but for what is said above. The world
   remembers it, so that neither the next step nor msd_world_find_substeps searches; a search is about a
   third of the work of msd_world_stability. Of a world in parts (ranks.h) all ranks call it, and get that of
   the whole. MSD_BAD_VALUE without a place for it, MSD_OUT_OF_MEMORY; MSD_BUSY in a step. */
MSD_API msd_result msd_world_find_stable_step(msd_world *world, double *step);

/* -------------------------------------------------------------------------- why it limits, and what helps */

/* What limits the time step. */
typedef enum msd_limiting {
  /* Any step is certified, or none is whatever the springs. */
  MSD_LIMITING_NOTHING,
  MSD_LIMITING_SPRING,
  MSD_LIMITING_CONSTRAINT,
  MSD_LIMITING_ANCHOR,
  /* The angular springs between rotors. */
  MSD_LIMITING_ROTORS,
  MSD_LIMITING_COUNT
} msd_limiting;

/* Why it limits. A spring weighs inverse mass x springs at the particle x stiffness: the factor of it that
   stands out most from the typical one (the geometric mean) of the network. */
typedef enum msd_cause {
  /* There is no limit, or the rotors limit. */
  MSD_CAUSE_NONE,
  /* Nothing is over twice the typical. */
  MSD_CAUSE_ALL_ALIKE,
  /* Its lighter end has less mass than others. */
  MSD_CAUSE_LIGHT_PARTICLE,
  /* It is stiffer or more damped than others, at the longest certified step. */
  MSD_CAUSE_STIFF_SPRING,
  /* One of its ends has more springs than others. */
  MSD_CAUSE_MANY_SPRINGS,
  MSD_CAUSE_COUNT
} msd_cause;

/* "none", "all_alike", "light_particle", "stiff_spring", "many_springs"; NULL for any other number. */
MSD_API const char *msd_cause_name(msd_cause cause);

typedef struct msd_stability_cause {
  msd_limiting limiting;
  /* The one whose stiffness moves the limit most; the other two are -1. */
  int32_t spring, constraint, anchor;
  /* The particle whose mass moves the limit most; -1 when the rotors or nothing limits. */
  int32_t particle;
  msd_cause cause;
  /* How many times the typical that factor is: 100 at a hundredth of the mass. */
  double ratio;
} msd_stability_cause;

/* What would bring the limit of symplectic Euler to time_step, each alone; also how much room there is. */
typedef struct msd_stability_remedy {
  /* Of all stiffness in N/m, with ... */
  double stiffness_factor;
  /* ... this one of all damping in N s/m: damping ratios stay. INFINITY: no limit; 0: no softness helps,
     coefficient springs are over the limit alone. */
  double damping_factor;
  /* Of all masses and inertias; INFINITY: no mass helps. Coefficient springs do not feel it. */
  double mass_factor;
  /* Of all ck and cd; INFINITY: there are none; 0: not their fault alone. */
  double coefficient_factor;
} msd_stability_remedy;

typedef struct msd_stability_explanation {
  /* As of msd_world_stability. */
  msd_stability limit;
  msd_stability_cause cause;
  msd_stability_remedy remedy;
  /* ck = cd = c below this is certified for all springs at once. */
  double coefficient_limit;
  /* The stiffest certified coefficients, MSD_STIFFEST: 1/n of each spring, from .. to; 0 without springs. */
  double stiffest_min, stiffest_max;
} msd_stability_explanation;

/* Fills *out for a substep of time_step seconds (> 0). Costs a few times as much as msd_world_stability.
   MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_explain_stability(const msd_world *world, msd_real time_step,
                                               msd_stability_explanation *out);

/* s: an estimate of the limit of symplectic Euler at the present positions alone, linearised; INFINITY: any
   step is stable. No promise: folding or turning the network can lower it to stable_time_step, which it is
   never below. It begins its search at time_step seconds (> 0) where nothing is certified to begin at. 16 to
   some 220 passes over the springs: many times the work of msd_world_stability. MSD_BAD_VALUE,
   MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_estimate_this_shape(const msd_world *world, msd_real time_step, double *limit);

/* ---------------------------------------------------------------------------------------- what is softened */

typedef struct msd_softening {
  /* s: the substep asked about. */
  double time_step;
  /* How many the substep softens; angular springs count as springs, constraints at the present shape. */
  int32_t springs, constraints;
  /* What is left of the stiffness of the one that loses most, 0 to 1; 1: all of it. */
  double stiffness_left;
} msd_softening;

/* What a substep of time_step seconds (> 0) softens under a limit: that of the world, or another to see what
   it would do. With MSD_LIMIT_NONE these are constraints alone, in N/m or Hz, whose present shape is too
   stiff for the substep; none at stable_time_step and below. O(springs + constraints), but with
   MSD_LIMIT_NONE and such constraints as much work as msd_world_stability. MSD_BAD_VALUE, MSD_BAD_TIME_STEP,
   MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_softening(const msd_world *world, msd_real time_step, msd_limit limit,
                                            msd_softening *out);

/* For each spring the longest substep in s at which MSD_LIMIT_COEFFICIENTS leaves it as it is: INFINITY for
   one that no substep softens (broken, between pins, or with mild coefficients), 0 for one that every substep
   does. `springs` has msd_world_get_spring_count elements. The same of `constraints`, at the present shape,
   with msd_world_get_constraint_count. Either may be NULL. O(springs + constraints). */
MSD_API msd_result msd_world_find_softening_steps(const msd_world *world, double *springs,
                                                  double *constraints);

/* For each particle the mass in kg that is enough for a substep of time_step seconds (> 0): 0 where no mass
   is asked for (nothing stiff or damped there, or pinned), INFINITY where none helps. When each particle that
   weighs less is given its mass, and the others stay as they are, symplectic Euler is certified at that
   substep. Those that weigh less now are the particles that ask for shorter substeps than that. It is found
   at each particle alone, and so more than the least for particles that are light together. An estimate where
   constraints, coefficients or frequencies take part; springs count as they are defined, whatever the limit.
   `masses` has msd_world_get_particle_count elements. O(springs + constraints). MSD_BAD_VALUE,
   MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_needed_masses(const msd_world *world, msd_real time_step, double *masses);

/* Particles of a world among which mass may be moved. */
typedef struct msd_mass_pool {
  msd_range particles;
  /* How much of what its free particles weigh together may be moved at most, above 0 to 1. */
  double fraction;
} msd_mass_pool;

/* What has been moved. */
typedef struct msd_mass_shift {
  /* The substeps that automatic ones are of a frame, before and after: those certified for the world's
     integrator, 0 for none up to a million. Equal when nothing was moved. */
  int32_t substeps_before, substeps_after;
  /* The free particles of all pools, and how many of them were made heavier. */
  int32_t particles, heavier;
  /* kg: what they weigh together, and what was moved. */
  double mass, moved;
  /* The largest mass after over that before; 1 when nothing was moved. */
  double largest_factor;
} msd_mass_shift;

/* Moves mass within each pool to the particles that ask for more substeps than others, so that frames of
   time_step seconds (> 0) take as few as the fractions allow. Each of these is made as heavy as
   msd_world_find_needed_masses says, and all that have more than they need give it, in proportion to what they
   have to spare, half of that at most. Pinned particles are left alone, and what a pool weighs stays the same,
   to rounding. Springs keep their laws: coefficients and frequencies follow the masses, so those of particles
   that gain are stiffer in N/m.

   Pools must not overlap. They are given the same number of substeps, and where particles outside of them ask
   for more, no more is moved than those need. Nothing is moved where that would save no substep, and that is no
   error: where all particles are alike, where MSD_LIMIT_COEFFICIENTS makes any step certified, or where the
   integrator has no certificate. Masses change together or not at all. `out` may be NULL. As much work as
   msd_world_stability four times, and some passes over the particles. MSD_BAD_INDEX (particles that do not
   exist), MSD_BAD_VALUE (a fraction, an overlap), MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_shift_mass(msd_world *world, const msd_mass_pool *pools, int count,
                                        msd_real time_step, msd_mass_shift *out);

/* How far the two numbers of the law of some springs can go, each alone and all others as they are, so that
   the network stays certified at a substep. */
typedef struct msd_law_limits {
  /* Of stiffness, ck or frequency. INFINITY: anywhere; 0: nothing is certified, whatever they are. */
  double first;
  /* Of damping, cd or damping ratio. */
  double second;
} msd_law_limits;

/* Fills limits[0] to limits[count - 1] for as many ranges of springs, at a substep of time_step seconds (>
   0). In a range the springs with the law of its first move together, to one value. While they all have the
   same numbers, none MSD_STIFFEST, both are below their limits exactly when msd_world_stability says `used`
   < 1 at that substep. With MSD_LIMIT_COEFFICIENTS all are INFINITY. As much work as msd_world_stability,
   and some 20 passes over the springs for each range. MSD_BAD_INDEX (a range that is empty, or of springs
   that do not exist), MSD_BAD_VALUE, MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_law_limits(const msd_world *world, const msd_range *springs, int count,
                                             msd_real time_step, msd_law_limits *limits);

/* ------------------------------------------------------------------------------------------------ stretch */

/* Largest stretch (length/rest_length - 1) to expect where the network hangs from its pins at rest, with
   substeps of time_step: an estimate as if all hung straight down, springs as many steps from a pin alike. 0
   when nothing hangs from a pin; INFINITY when the stiffness of no spring or fibre holds some of it. Sheets and
   solids of fibres count as if they kept their width: a sheet with Poisson's ratio nu that narrows as it likes
   stretches 1/(1 - nu^2) times as much. It does not see what anchors and other constraints carry, spans between
   pins, springs and fibres that are stretched as placed, nor the motion before rest. */
typedef struct msd_static_stretch {
  /* s: the substep asked about. */
  double time_step;
  /* With the springs as they are. */
  double present;
  /* With all of them at MSD_STIFFEST. */
  double stiffest;
  /* How many there are of what the estimate does not see: unbroken constraints but fibres in N m or Hz, anchors
     that hold a particle, and unbroken springs that are over a thousandth longer than their rest length as they
     now are; fibres as much longer are among the constraints. */
  int32_t unseen_constraints, unseen_anchors, unseen_springs;
} msd_static_stretch;

/* Fills *out for time_step > 0, in s: O(springs + constraints). MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_estimate_stretch(const msd_world *world, msd_real time_step,
                                              msd_static_stretch *out);

/* How stiff a network must be so that it stretches little, and the substeps that it then takes. Stretch falls
   with the square of the substeps: stability is cheap, stiffness is what costs. */
typedef struct msd_stretch_target {
  /* Largest length/rest_length - 1 wanted where the network hangs at rest, > 0; default 0.05, 5 %. */
  double stretch;
  /* s of a frame, > 0; default 1/60. */
  double time_step;
  /* Most substeps that a frame may take, 1 to 1000000 (default): the time budget of a frame over the time
     that one substep takes. */
  int32_t substeps_max;
  /* Springs keep their stiffness, and substeps alone are chosen, with which coefficient springs grow
     stiffer. Where physical springs stretch further than the target whatever the substeps, the plan comes
     within a tenth of what they leave. Default false. */
  bool keep_stiffness;
  /* Set by msd_default_stretch_target. */
  uint32_t cookie;
} msd_stretch_target;

MSD_API msd_stretch_target msd_default_stretch_target(void);

typedef struct msd_stretch_plan {
  /* Whether the target is met within substeps_max. */
  bool reached;
  /* Of a frame, certified with the factor below; at most substeps_max. 0: the springs as they are need more,
     and softer ones would not help. */
  int32_t substeps;
  /* Substeps that meet the target, whatever substeps_max; 0: no number up to 1000000 does. */
  int32_t substeps_needed;
  /* For msd_world_scale_stiffness: 1 when the springs may stay as they are. */
  double stiffness_factor;
  /* To expect with the plan: an estimate, as `present` of msd_static_stretch. */
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
