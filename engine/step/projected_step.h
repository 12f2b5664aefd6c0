/* A substep of symplectic Euler with springs by Gauss-Seidel (kernel/spring_projection.h) in the place of
   forces: v* = decay (D v + dt (g + applied/m)), then v' = T P T v* and x' = x + dt v', with D the sweeps
   through the dampers, P those through the springs and T the tethers to pins. */
#ifndef MSD_ENGINE_STEP_PROJECTED_STEP_H
#define MSD_ENGINE_STEP_PROJECTED_STEP_H

#include "engine/kernel/tether_balls.h"
#include "engine/kernel/widths.h"

/* The same for all threads of a run. */
typedef struct projected_run {
  const spring_projections *springs;
  const kernels *kernels;
  /* NULL: there are no catches. */
  const tether_balls *tethers;
  const catch_list *catches;
} projected_run;

/* From in->read.slab to in->write.slab, for the thread's own groups, which are the share of parallel_split; all
   threads call it together. Returns whether all their positions and velocities are finite. */
bool projected_step(const projected_run *run, const spring_input *in, parallel_barrier *barrier, int thread,
                    int threads);

#endif
