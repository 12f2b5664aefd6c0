/* msd: the shape of rest.

   msd_world_relax takes a world to a shape in which springs, anchors, constraints and gravity are in balance,
   without waiting until its motion has been damped away. It goes downhill: no iteration raises the potential
   energy. For networks of springs, anchors and fibres that is proved, whatever their stiffnesses and masses are
   and wherever they begin; angles, folds, areas and volumes are held to it by a check. Colliders, where they
   now stand, are not come into, and hold by friction what it holds. docs/rest.md has the method, its proof and
   what it costs.

   There may be several shapes of rest: it is the one downhill from the present shape. */
#ifndef MSD_REST_H
#define MSD_REST_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the shape after an iteration. */
typedef struct msd_rest_progress {
  /* 0: the shape that it begins with. */
  int iteration;
  /* J: as msd_rest_report. */
  double energy;
  /* m/s^2: as msd_rest_report. */
  double acceleration;
} msd_rest_progress;

/* Is told in the course of a search; may read the world, which does not move before the end. False ends the
   search with the shape that it has. */
typedef bool msd_rest_function(msd_rest_progress progress, void *context);

typedef struct msd_rest_def {
  /* m/s^2, above 0: converged when no free particle, let go in the shape, would begin to move with more,
     colliders and their friction counted. What that is in the shape, where a pendulum of the length L is the
     slowest to fall back, is about tolerance L/g: default 1e-4, about 10 micrometres for a metre. */
  double tolerance;
  /* 1 or more; default 200000. */
  int iterations;
  /* s: how long the substeps are at which springs that follow them, by coefficients or under a limit, have
     their stiffness. 0 (default): as in the last substep; before the first one such springs are refused. */
  double substep;
  /* Go as if there were no colliders, surfaces and wind; the last two are refused otherwise, as they are no
     energy. Default false. */
  bool ignores_contact;
  /* May be NULL (default); and in how many iterations it is told once, 1 or more: default 100. */
  msd_rest_function *told;
  int told_every;
  void *context;
  /* Set by msd_default_rest_def. */
  uint32_t cookie;
} msd_rest_def;

MSD_API msd_rest_def msd_default_rest_def(void);

typedef struct msd_rest_report {
  bool converged;
  int iterations;
  /* How often it had to begin again from a plain step. */
  int returns;
  /* J: elastic and potential energy, as of msd_stats, in the world before and behind; never more behind than
     before. */
  double energy_before, energy;
  /* m/s^2: the largest force on a free particle by its mass, and whose it is, -1 without any; and that force in
     N, less what colliders hold. Computed in double precision: rounding the positions to single precision,
     which is done last, adds about 6e-8 |x| k/m. */
  double acceleration, force;
  int32_t particle;
} msd_rest_report;

/* Takes a world to its shape of rest. Velocities become 0; pins stay where they are, and time where it is;
   nothing tears or yields. Broken springs do nothing, tethers only pull, struts only push. The same bits on any
   number of threads and any vector width. `report` may be NULL.
   Where it does not converge in the iterations that it has, the world has the shape of the lowest energy that
   was found, and the answer is MSD_OK: look at report->converged.
   MSD_BAD_DEF; MSD_BAD_VALUE: a number out of its range, or a world that has no such shape or not by energy
   alone, which the message names: free pieces that gravity pulls where there are no colliders, and with them
   particles that nothing else pulls at; particles within a collider; catches, angular springs, springs whose
   stiffness follows a substep that is not known, surfaces and wind. MSD_OUT_OF_MEMORY, MSD_BUSY. The world is
   then as before. */
MSD_API msd_result msd_world_relax(msd_world *world, const msd_rest_def *def, msd_rest_report *report);

#ifdef __cplusplus
}
#endif

#endif
