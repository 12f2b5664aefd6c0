/* A substep of symplectic Euler under selective mass scaling: v' = decay (v + dt (C f + g + applied/m)),
   x' = x + dt v', with f the forces of the springs and C that of scaling/mass_scaling.h. What does not
   come from springs is not scaled, so nothing falls late. */
#ifndef MSD_ENGINE_STEP_SCALED_STEP_H
#define MSD_ENGINE_STEP_SCALED_STEP_H

#include "engine/base/parallel.h"
#include "engine/kernel/widths.h"
#include "engine/scaling/mass_scaling.h"

/* One thread of a run, all of which call together. */
typedef struct scaled_thread {
  const mass_scaling *scaling;
  const kernels *kernels;
  parallel_barrier *barrier;
  int thread, threads;
} scaled_thread;

/* From in->read.slab to in->write.slab. Returns whether all positions and velocities of the thread's own
   groups, which are the share of parallel_split, are finite. */
bool scaled_step(const scaled_thread *t, const spring_input *in);

/* `start` = C r of the first level, where each thread has written its rows of S^-1 r to it. Each thread has its
   rows of the result, from which the means of free bodies are not taken. */
void scaled_apply(const scaled_thread *t);

#endif
