/* msd: stability analysis: the longest proven stable substep of a world, its cause and remedies, and the
   stiffness that keeps stretch small. */
#ifndef MSD_STABILITY_H
#define MSD_STABILITY_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------- what limits */

/* Stability of a network with symplectic Euler at a given substep.

   Bound. With inverse masses w and kappa = dt^2 k + 2 dt mu of each spring, the operator (A x)_i = w_i sum
   kappa (x_i + x_j) bounds the linearized network in every configuration. The network is stable if the
   spectral radius of A is below 4 (docs/theory/stability.md).

   Constraints and soft pins add to the diagonal of A. A stiff constraint is evaluated at its current shape,
   with a margin of 2 on its stiffness. In other shapes the substep softens it if necessary (constraint.h).
   That covers the part of the constraint that acts along its gradient, which is the only one at rest.
   Constraints of the coefficient law are proven stable in that part in every configuration; those with
   MSD_MAX_STABLE use 3 of the 4 together with the springs.

   Springs count as defined, except in `radius`, `used` and `certified`. */
typedef struct msd_stability {
  /* s. The substep that was analyzed. */
  double substep;
  /* Whether that substep is certified, that is, proven stable, for the integrator of the world. */
  bool certified;
  /* Upper bound of the spectral radius of A at that substep; symplectic Euler is proven stable below 4. With
     stiffness clamping it is that of the clamped springs, at most 3. With MSD_MASS_SCALING_SELECTIVE it is
     that of the scaled masses, at most 3.92. With MSD_SOLVER_GAUSS_SEIDEL it is 0. */
  double radius;
  /* radius/4: the used fraction of the stability limit of symplectic Euler; proven stable below 1. */
  double used;
  /* s. Longest proven stable substep, in every configuration if every_shape. INFINITY if any substep is
     stable (without stiff springs, or with small coefficients only), 0 if none is. */
  double stable_substep;
  /* s. Lower bound of stable_substep from a single pass over the springs. */
  double stable_substep_quick;
  /* s. Longest stable substep of the rotors alone, an upper bound of the others; INFINITY without torsion
     springs. */
  double rotor_stable_substep;

  /* s. Longest proven stable substep of each msd_integrator:
     - Symplectic Euler: stable_substep. With MSD_MASS_SCALING_SELECTIVE there is no limit, and this is the
       substep that automatic substeps use for accuracy: a wave takes about 32 of them through the longest
       chain of springs. With MSD_SOLVER_GAUSS_SEIDEL it is the one in which gravity stretches that chain by 1
       to 2 %.
     - Explicit Euler: 0 if any spring is stiff.
     - Velocity Verlet: proven without damping, or with damping proportional to stiffness.
     - Sequential impulse: the limit of symplectic Euler if no spring is damped. If no spring is stiff, any
       substep with cd < 2 for every spring (1 with more than one iteration). 0, nothing proven, for networks
       that are both stiff and damped, or damped with warm start. */
  double integrator_stable_substep[MSD_INTEGRATOR_COUNT];
  /* Fewest proven stable substeps of each integrator for a frame as long as that substep; 0 if there are none
     up to a million. With stiffness clamping symplectic Euler needs one. */
  int32_t integrator_substeps[MSD_INTEGRATOR_COUNT];
  /* Those of the integrator of the world. */
  int32_t substeps;

  /* Whether a substep of symplectic Euler at `substep` dissipates energy and adds none: the sum of kinetic,
     elastic and gravitational energy, linearized in any shape where no spring is longer than at rest and
     constraints are at rest.

     A network that is stable but not energy-safe may oscillate beyond its initial energy and back. In motion,
     and with stretched springs, rotating springs leave energy behind at any substep; msd_world_set_energy_mode
     bounds it. With stiffness clamping it refers to the clamped springs. */
  bool energy_safe;
  /* s. Longest energy-safe substep that was found, at most stable_substep. 0 if any spring or constraint is
     stiff and undamped, or a particle has a soft pin. INFINITY if every substep is energy-safe, as with
     MSD_MAX_STABLE only. */
  double energy_safe_substep;

  /* Whether everything is bounded in every configuration. False with stiff constraints: they are bounded at
     the current shape, and softened in other shapes (see above). */
  bool every_shape;
  /* Iterations that computed stable_substep. */
  int32_t sweeps;
  /* 0 to 1. stable_substep divided by an upper bound of the exact limit of A; 1 means that more iterations
     cannot raise it. */
  double tightness;
} msd_stability;

/* Analyzes a substep of `substep` seconds (> 0). Returns MSD_BAD_VALUE for a NULL argument, MSD_BAD_FRAME_TIME
   or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_analyze_stability(const msd_world *world, msd_real substep, msd_stability *out);

/* Computes the number of substeps that msd_world_step(world, frame_time, 0) would take now; 0 if none is
   proven stable. Constant time while the limit that the world has stored is valid; otherwise as much work as
   msd_world_analyze_stability.

   The number may differ from `substeps` of msd_stability:
   - After changes of single springs or particles in a world of 256 springs or more, frames use an incremental
     bound without a search, which may need more substeps. They search again after some thousand substeps, or
     when the bound falls below three quarters of the previous limit.
   - With stiff constraints, substeps are computed again only after a frame that softened a constraint, after
     a particle was teleported, and every 32 frames. They do not follow shapes that have collapsed or expanded
     (constraint.h).

   Returns MSD_BAD_VALUE for a NULL argument, MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_find_substeps(const msd_world *world, msd_real frame_time, int32_t *substeps);

/* Computes the longest stable substep in s for the integrator of the world, rotors included; INFINITY: any is
   stable, 0: none is. It is that of msd_stability.integrator_stable_substep, with the exceptions above. The
   world stores it, so that the next frame and msd_world_find_substeps need no search. A search is about a third
   of the work of msd_world_analyze_stability.

   In a distributed world (ranks.h) all ranks call it and receive the limit of the whole. Returns
   MSD_BAD_VALUE for a NULL pointer, MSD_OUT_OF_MEMORY, or MSD_LOCKED inside a callback. */
MSD_API msd_result msd_world_find_stable_substep(msd_world *world, double *step);

/* -------------------------------------------------------------------------- why it limits, and what helps */

/* What limits the stable substep. */
typedef enum msd_limiting {
  /* Any substep is stable, or none is, whatever the springs. */
  MSD_LIMITING_NOTHING,
  MSD_LIMITING_SPRING,
  MSD_LIMITING_CONSTRAINT,
  MSD_LIMITING_SOFT_PIN,
  /* Torsion springs between rotors. */
  MSD_LIMITING_ROTORS,
  MSD_LIMITING_COUNT
} msd_limiting;

/* Why it limits. The load of a spring is inverse mass x number of springs at the particle x stiffness. The
   cause is the factor that exceeds the typical value of the network (its geometric mean) most. */
typedef enum msd_cause {
  /* There is no limit, or the rotors limit. */
  MSD_CAUSE_NONE,
  /* No factor exceeds twice the typical value. */
  MSD_CAUSE_ALL_ALIKE,
  /* One end has less mass than others. */
  MSD_CAUSE_LIGHT_PARTICLE,
  /* It is stiffer or more damped than others, at the longest stable substep. */
  MSD_CAUSE_STIFF_SPRING,
  /* One end has more springs than others. */
  MSD_CAUSE_MANY_SPRINGS,
  MSD_CAUSE_COUNT
} msd_cause;

/* Returns "none", "all_alike", "light_particle", "stiff_spring" or "many_springs"; NULL for any other
   number. */
MSD_API const char *msd_cause_name(msd_cause cause);

/* The cause of the stable limit. */
typedef struct msd_stability_cause {
  msd_limiting limiting;
  /* The one whose stiffness affects the limit most; the other two are -1. */
  int32_t spring, constraint, soft_pin;
  /* The particle whose mass affects the limit most; -1 if rotors or nothing limits. */
  int32_t particle;
  msd_cause cause;
  /* Ratio of that factor to its typical value: 100 for a hundredth of the typical mass. */
  double ratio;
} msd_stability_cause;

/* Changes that would bring the limit of symplectic Euler to exactly `substep`, each on its own. If the limit
   is already longer than `substep`, they show the reserve. */
typedef struct msd_stability_remedy {
  /* Factor for all stiffness in N/m, to be combined with ... */
  double stiffness_factor;
  /* ... this factor for all damping in N s/m, which keeps damping ratios. INFINITY: no limit; 0: no reduction
     helps, because springs of the coefficient law alone exceed the limit. */
  double damping_factor;
  /* Factor for all masses and inertias. INFINITY: no mass helps, because springs of the coefficient law do
     not depend on it. */
  double mass_factor;
  /* Factor for all ck and cd. INFINITY: there are none; 0: they are not the only cause. */
  double coefficient_factor;
} msd_stability_remedy;

/* The stable limit, its cause and remedies. */
typedef struct msd_stability_explanation {
  /* As computed by msd_world_analyze_stability. */
  msd_stability limit;
  msd_stability_cause cause;
  msd_stability_remedy remedy;
  /* ck = cd = c below this value is proven stable for all springs at once. */
  double coefficient_limit;
  /* Smallest and largest maximum stable coefficient 1/n of all springs (MSD_MAX_STABLE); 0 without springs. */
  double max_stable_min, max_stable_max;
} msd_stability_explanation;

/* Analyzes and explains a substep of `substep` seconds (> 0). Costs a few times as much as
   msd_world_analyze_stability. Returns MSD_BAD_VALUE for a NULL argument, MSD_BAD_FRAME_TIME or
   MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_explain_stability(const msd_world *world, msd_real substep,
                                               msd_stability_explanation *out);

/* Estimates the stability limit in s of symplectic Euler for the current configuration alone, linearized;
   INFINITY: any substep is stable. The limit is never below stable_substep, but bending or rotating the
   network can lower it down to that. The search starts at `substep` seconds (> 0) if no substep is proven
   stable. It takes 16 to about 220 passes over the springs, many times the work of msd_world_analyze_stability.
   Returns MSD_BAD_VALUE, MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_estimate_current_limit(const msd_world *world, msd_real substep, double *limit);

/* ---------------------------------------------------------------------------------------- what is softened */

/* What a substep softens. */
typedef struct msd_softening {
  /* s. The substep that was analyzed. */
  double substep;
  /* Numbers of softened objects. Torsion springs count as springs; constraints are evaluated at the current
     shape. */
  int32_t springs, constraints;
  /* 0 to 1. Smallest remaining fraction of a stiffness; 1: nothing is softened. */
  double stiffness_left;
} msd_softening;

/* Computes what a substep of `substep` seconds (> 0) softens, with the stiffness clamping of the world or
   another setting. Without clamping it is the constraints of the stiffness or frequency law whose current
   shape is too stiff for the substep; none at stable_substep and below. O(springs + constraints); without
   clamping and with such constraints as much work as msd_world_analyze_stability. Returns MSD_BAD_VALUE,
   MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_find_softening(const msd_world *world, msd_real substep, bool clamp_stiffness,
                                            msd_softening *out);

/* Computes for each spring the longest substep in s that stiffness clamping does not soften: INFINITY if no
   substep does (broken, between pins, or with small coefficients), 0 if every substep does. `springs` has
   msd_world_get_spring_count elements. `constraints` receives the same at the current shape, with
   msd_world_get_constraint_count elements. Either may be NULL. O(springs + constraints). Returns
   MSD_BAD_VALUE for a NULL world. */
MSD_API msd_result msd_world_find_softening_steps(const msd_world *world, double *springs,
                                                  double *constraints);

/* Computes for each particle the mass in kg that it needs for a substep of `substep` seconds (> 0). 0 if it
   needs none (nothing stiff or damped there, or pinned), INFINITY if no mass helps. If every lighter particle
   is given its mass and the others stay as they are, symplectic Euler is proven stable at that substep. So
   the particles that are lighter now are those that limit it.

   Each mass is computed for one particle at a time, so for adjacent light particles it is more than
   necessary. It is an estimate with constraints, and with the coefficient or frequency law. Springs count as
   defined, without clamping. `masses` has msd_world_get_particle_count elements. O(springs + constraints).
   Returns MSD_BAD_VALUE, MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_find_required_masses(const msd_world *world, msd_real substep, double *masses);

/* Particles among which mass may be redistributed. */
typedef struct msd_mass_pool {
  msd_range particles;
  /* Above 0 to 1. Largest fraction of the total mass of the free particles that may be moved. */
  double fraction;
} msd_mass_pool;

/* Result of mass redistribution. */
typedef struct msd_mass_redistribution {
  /* Automatic substeps of a frame for the integrator of the world, before and after; 0 if none is proven
     stable up to a million. Equal if nothing was moved. */
  int32_t substeps_before, substeps_after;
  /* Free particles of all pools, and how many of them became heavier. */
  int32_t particles, heavier;
  /* kg. Total mass of these particles, and the mass that was moved. */
  double mass, moved;
  /* Largest ratio of mass after to mass before; 1 if nothing was moved. */
  double largest_factor;
} msd_mass_redistribution;

/* Redistributes mass within each pool so that frames of frame_time seconds (> 0) take as few substeps as the
   fractions allow. Particles that limit the substep receive the mass that msd_world_find_required_masses
   computes. Particles with more mass than they need give it, in proportion to their excess and at most half
   of it. Pinned particles are unchanged, and the total mass of a pool is conserved, except for rounding.
   Springs keep their laws: those of the coefficient and frequency laws follow the masses, so they become
   stiffer in N/m at particles that gain mass.

   Pools must not overlap. All pools are redistributed for the same number of substeps, and never more than
   particles outside them allow to save. Nothing is moved, and MSD_OK returned, if that saves no substep: all
   particles are alike, stiffness clamping makes any substep stable, or the integrator has no proven limit.
   All masses change or none. `out` may be NULL. The work is about four times that of
   msd_world_analyze_stability. Returns:
   - MSD_BAD_INDEX if a pool has particles that do not exist.
   - MSD_BAD_VALUE if a fraction is out of its range or pools overlap.
   - MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_redistribute_mass(msd_world *world, const msd_mass_pool *pools, int count,
                                               msd_real frame_time, msd_mass_redistribution *out);

/* Limits of the two numbers of the law of some springs at which the network remains proven stable. Each is
   the limit with the other number and all other springs unchanged. */
typedef struct msd_stiffness_limits {
  /* Limit of stiffness, ck or frequency. INFINITY: no limit; 0: nothing is stable, whatever the value. */
  double stiffness;
  /* Limit of damping, cd or damping ratio. */
  double damping;
} msd_stiffness_limits;

/* Computes limits[0] to limits[count - 1] for `count` ranges of springs, at a substep of `substep` seconds (>
   0). In each range the springs that have the law of its first spring change together, to one value. If they
   all have the same numbers, none of them MSD_MAX_STABLE, both are below their limits exactly if
   msd_stability.used < 1 at that substep. With stiffness clamping all limits are INFINITY.

   The work is that of msd_world_analyze_stability plus about 20 passes over the springs for each range. Returns
   MSD_BAD_INDEX for a range that is empty or has springs that do not exist, MSD_BAD_VALUE, MSD_BAD_FRAME_TIME
   or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_find_stiffness_limits(const msd_world *world, const msd_range *springs,
                                                   int count, msd_real substep, msd_stiffness_limits *limits);

/* ------------------------------------------------------------------------------------------------ stretch */

/* Estimate of the largest strain (length/rest_length - 1) of a network that hangs from its pins at rest, with
   substeps of this length. The model is that everything hangs straight down, and springs at the same number of
   springs from a pin carry equal loads. 0 if nothing hangs from a pin; INFINITY if some of it is not held by
   the stiffness of any spring or fiber.

   Sheets and solids of fibers are estimated as if they kept their width; a sheet with Poisson's ratio nu that
   contracts freely stretches 1/(1 - nu^2) times as much. Not included: loads carried by soft pins and other
   constraints, spans between pins, springs and fibers that are stretched as built, and motion before rest. */
typedef struct msd_static_stretch {
  /* s. The substep of the estimate. */
  double substep;
  /* Strain with the current springs. */
  double present;
  /* Strain with all springs at MSD_MAX_STABLE. */
  double max_stable;
  /* Numbers of objects that the estimate does not include. Constraints: all unbroken ones except fibers of
     the stiffness or frequency law; also such fibers that are now more than a thousandth longer than at rest.
     Soft pins: those that have a particle. Springs: unbroken ones that are longer than at rest by as much. */
  int32_t unseen_constraints, unseen_soft_pins, unseen_springs;
} msd_static_stretch;

/* Estimates the strain for substeps of `substep` seconds (> 0). O(springs + constraints). Returns
   MSD_BAD_VALUE for a NULL argument, MSD_BAD_FRAME_TIME or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_estimate_stretch(const msd_world *world, msd_real substep,
                                              msd_static_stretch *out);

/* Target for msd_world_plan_stretch: a strain that the network should not exceed. The strain falls with the
   square of the number of substeps. */
typedef struct msd_stretch_target {
  /* > 0; default 0.05, which is 5 %. Largest strain length/rest_length - 1 of the network hanging at rest. */
  double stretch;
  /* s, > 0; default 1/60. Frame time. */
  double frame_time;
  /* 1 to 1000000 (default). Most substeps of a frame: the time budget of a frame divided by the time of a
     substep. */
  int32_t substeps_max;
  /* Default false. If true, springs keep their stiffness and only the number of substeps is chosen; springs
     of the coefficient law become stiffer with it. If springs of the stiffness law stretch beyond the target
     at any number of substeps, the plan comes within a tenth of the strain that remains. */
  bool keep_stiffness;
  /* Internal mark of an initialized definition. Set by msd_default_stretch_target. */
  uint32_t cookie;
} msd_stretch_target;

MSD_API msd_stretch_target msd_default_stretch_target(void);

/* Result of msd_world_plan_stretch. */
typedef struct msd_stretch_plan {
  /* Whether the target is met within substeps_max. */
  bool reached;
  /* Substeps of a frame, proven stable with the factor below, at most substeps_max. 0: the current springs
     need more, and softer springs would not help. */
  int32_t substeps;
  /* Substeps that meet the target without substeps_max; 0: no number up to 1000000 does. */
  int32_t substeps_needed;
  /* Argument for msd_world_scale_stiffness; 1 if springs can stay as they are. */
  double stiffness_factor;
  /* Expected strain with the plan: an estimate like msd_static_stretch.present. */
  double stretch;
} msd_stretch_plan;

/* Plans the fewest substeps, and the stiffness that is proven stable with them, that keep the strain to the
   target. If substeps_max is too small, the plan is the stiffest that fits. The world is unchanged.
   - Springs that are stiff enough keep their stiffness if its substeps fit, with stiffness clamping as
     softened by it.
   - Springs are softened only for a target that is then met. If no number of substeps meets it, they stay as
     they are.

   Returns MSD_BAD_VALUE, MSD_UNINITIALIZED_DEF, MSD_OUT_OF_MEMORY, or MSD_NO_STABLE_STEP: the springs of the
   coefficient law alone allow no stable substep, the integrator has none, or the rotors need more substeps
   than substeps_max. */
MSD_API msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                          msd_stretch_plan *plan);

/* Multiplies the stiffness of all springs and constraints by `factor` (> 0) and their damping by its square
   root, which keeps damping ratios. Springs of the coefficient law are unchanged, because they follow the
   substep. All or none change: returns MSD_BAD_VALUE if some number would not be finite. */
MSD_API msd_result msd_world_scale_stiffness(msd_world *world, double factor);

#ifdef __cplusplus
}
#endif

#endif
