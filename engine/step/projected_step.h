/* A substep of symplectic Euler with springs by Gauss-Seidel (kernel/spring_projection.h) in the place of
   forces: v* = decay (D v + dt (g + applied/m)), then v' = T P T v* and x' = x + dt v', with D the sweeps
   through the dampers, P those through the springs and T the tethers to pins. */
#ifndef MSD_ENGINE_STEP_PROJECTED_STEP_H
#define MSD_ENGINE_STEP_PROJECTED_STEP_H

#include "engine/kernel/tether_balls.h"
#include "engine/kernel/widths.h"

/* One thread of a run, all of which call together. */
typedef struct projected_thread {
  const spring_projections *springs;
  const kernels *kernels;
  /* NULL: there are no catches. */
  const tether_balls *tethers;
  const catch_list *catches;
  parallel_barrier *barrier;
  int thread, threads;
} projected_thread;

/* From in->read.slab to in->write.slab, for the thread's own groups, which are the share of parallel_split.
   Returns whether all their positions and velocities are finite. */
bool projected_step(const projected_thread *t, const spring_input *in);

#endif
