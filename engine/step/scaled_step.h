/* A substep of symplectic Euler under selective mass scaling: v' = decay (v + dt (C f + g + applied/m)),
   x' = x + dt v', with f the forces of springs, constraints and anchors and C that of scaling/mass_scaling.h.
   What does not come from them is not scaled, so nothing falls late.

   What acts behind a substep, as catches, colliders and air do, changes velocities by M^-1 J. Under scaled
   masses it changes them by C J: see docs/mass_scaling.md. */
#ifndef MSD_ENGINE_STEP_SCALED_STEP_H
#define MSD_ENGINE_STEP_SCALED_STEP_H

#include "engine/base/parallel.h"
#include "engine/kernel/widths.h"
#include "engine/scaling/mass_scaling.h"

/* What acts behind a substep is asked so often: each time it takes back a part of what is left. */
enum { SCALED_TURNS = 4 };

/* One thread of a run, all of which call together. */
typedef struct scaled_thread {
  const mass_scaling *scaling;
  const kernels *kernels;
  parallel_barrier *barrier;
  int thread, threads;
  /* Of the first level, the groups of the network that it moves. */
  parallel_range groups;
} scaled_thread;

/* What the kernels of spring_force.h are to make accelerations of in a substep, and where they are to put them,
   those of all groups, whichever thread does: S^-1 f, f the forces of springs and `acting`, those in N of
   constraints and anchors, as in->force; NULL: there are none. `net` is where the network of the result is to
   stand. */
spring_input scaled_forces(const mass_scaling *scaling, const spring_input *in, const msd_real *acting,
                           network *net);
msd_real *scaled_start(const mass_scaling *scaling);

/* From in->read.slab to in->write.slab, and its records where it has them, behind those accelerations. Where
   `start` has quads each thread must have at least those of its own groups. Returns whether all positions of
   these are finite. */
bool scaled_step(const scaled_thread *t, const spring_input *in);

/* Before and behind what acts behind a substep: keeps the velocities in in->write.slab, and takes what they
   were changed by through C. *changed: some of any thread's were. Returns whether all positions and velocities
   of the thread's own groups are finite. */
void scaled_begin_change(const scaled_thread *t, const spring_input *in);
bool scaled_end_change(const scaled_thread *t, const spring_input *in, bool *changed);

/* `start` = C r of the first level, where each thread has written its rows of S^-1 r to it. Each thread has its
   rows of the result, from which the means of free bodies are not taken. */
void scaled_apply(const scaled_thread *t);

#endif
