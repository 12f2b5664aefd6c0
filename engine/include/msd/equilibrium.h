/* msd: static equilibrium, without simulation over time.

   msd_world_find_equilibrium finds a shape in which springs, soft pins, constraints and gravity are in balance.
   It minimizes the potential energy, and no iteration increases it. That is proven for springs, soft pins and
   fibers with any stiffnesses, masses and initial shapes; for angles, hinges, areas and volumes it is checked
   in each iteration. Static colliders are not penetrated, and their static friction is included.
   docs/theory/equilibrium.md has the method, the proof and the cost.

   If there are several equilibria, it finds one that can be reached from the current shape by a path of
   decreasing energy. */
#ifndef MSD_EQUILIBRIUM_H
#define MSD_EQUILIBRIUM_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Progress after an iteration. */
typedef struct msd_equilibrium_progress {
  /* 0: the initial shape. */
  int iteration;
  /* J, as in msd_equilibrium_report. */
  double energy;
  /* m/s^2, as in msd_equilibrium_report. */
  double acceleration;
} msd_equilibrium_progress;

/* Progress callback. It may read the world, which does not change before the end. Returns false to stop with
   the current shape. */
typedef bool msd_equilibrium_function(msd_equilibrium_progress progress, void *context);

/* Settings of msd_world_find_equilibrium. */
typedef struct msd_equilibrium_def {
  /* m/s^2, > 0; default 1e-4. The search has converged when no free particle would accelerate by more than
     this if released, including contact forces and friction of colliders. The error of the shape is about
     tolerance L/g, where a pendulum of length L is the slowest mode: about 10 micrometers for a meter by
     default. */
  double tolerance;
  /* >= 1; default 200000. Largest number of iterations. */
  int iterations;
  /* s, >= 0; default 0: the last substep. Substep that determines the stiffness of springs that depend on it,
     by the coefficient law or stiffness clamping. If it is 0 and no substep has been taken, such springs are
     refused. */
  double substep;
  /* Default false. If true, colliders, collision meshes and wind are ignored. Otherwise collision meshes, and
     so wind, are refused, because they have no potential energy. */
  bool ignore_contact;
  /* Progress callback, default NULL; and the number of iterations between two calls, >= 1, default 100. */
  msd_equilibrium_function *progress;
  int progress_interval;
  /* Passed to the progress callback. */
  void *context;
  /* Internal mark of an initialized definition. Set by msd_default_equilibrium_def. */
  uint32_t cookie;
} msd_equilibrium_def;

MSD_API msd_equilibrium_def msd_default_equilibrium_def(void);

/* Result of msd_world_find_equilibrium. */
typedef struct msd_equilibrium_report {
  bool converged;
  int iterations;
  /* Number of restarts from a plain gradient step. */
  int returns;
  /* J. Elastic plus gravitational potential energy, as in msd_stats, before and after. It never increases. */
  double energy_before, energy;
  /* m/s^2 and N. Largest residual acceleration of a free particle and the corresponding force, without what
     colliders and friction support; and the index of that particle, -1 if there is none. Computed in double
     precision. Rounding the final positions to single precision adds about 6e-8 |x| k/m. */
  double acceleration, force;
  int32_t particle;
} msd_equilibrium_report;

/* Moves a world to static equilibrium. Velocities become 0; pins and the time are unchanged; nothing tears or
   yields. Broken springs are ignored, and tension-only and compression-only springs are respected. The result
   is bitwise identical for any number of threads and any vector width. `report` may be NULL.

   Returns MSD_OK also if the search has not converged: check report->converged. The world then has the shape
   of lowest energy that was found. Otherwise the world is unchanged and the result is:
   - MSD_UNINITIALIZED_DEF if the definition was not initialized.
   - MSD_BAD_VALUE if a number is out of its range, or the world has no equilibrium that minimizes an energy.
     The message names the cause. Refused are, without colliders, components without a pin or soft pin under
     gravity; with colliders, particles without springs under gravity, and particles inside a collider. Also
     refused are hard length limits, torsion springs, springs that depend on an unknown substep, and collision
     meshes; so boxes stop vertices only.
   - MSD_OUT_OF_MEMORY or MSD_LOCKED. */
MSD_API msd_result msd_world_find_equilibrium(msd_world *world, const msd_equilibrium_def *def,
                                              msd_equilibrium_report *report);

#ifdef __cplusplus
}
#endif

#endif
