/* Substep of symplectic Euler with Gauss-Seidel springs (kernel/spring_projection.h) instead of spring
   forces:

       v* = decay (D v + dt (g + applied/m)),    v' = T P T v*,    x' = x + dt v'.

   D sweeps over the dampers, P over the springs, and T projects tethers to pins. */
#ifndef MSD_ENGINE_STEP_PROJECTED_STEP_H
#define MSD_ENGINE_STEP_PROJECTED_STEP_H

#include "engine/kernel/tether_projection.h"
#include "engine/kernel/widths.h"

/* Shared by all threads of a run. */
typedef struct projected_run {
  const spring_projections *springs;
  const kernels *kernels;
  /* NULL: no hard limits. */
  const tether_projections *tethers;
  const hard_limit_list *hard_limits;
} projected_run;

/* Advances in->read.slab to in->write.slab for the groups of this thread, as parallel_split assigns them. All
   threads call it together. Returns true if all their positions and velocities are finite. */
bool projected_step(const projected_run *run, const spring_input *in, parallel_barrier *barrier, int thread,
                    int threads);

#endif
