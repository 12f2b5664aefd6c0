/* Substep of symplectic Euler with selective mass scaling: v' = decay (v + dt (C f + g + applied/m)), x' = x
   + dt v'. Here f are the forces of springs, constraints and soft pins, and C is the operator of
   scaling/mass_scaling.h. Gravity and applied forces are not scaled, so free fall is exact.

   Hard limits, colliders and wind act after the kick and change velocities by M^-1 J without mass scaling.
   With scaled masses they change them by C J; see docs/theory/mass_scaling.md. */
#ifndef MSD_ENGINE_STEP_SCALED_STEP_H
#define MSD_ENGINE_STEP_SCALED_STEP_H

#include "engine/base/parallel.h"
#include "engine/kernel/widths.h"
#include "engine/scaling/mass_scaling.h"

/* Largest number of passes over hard limits and contact in a substep. Each pass removes part of the remaining
   violation. */
enum { SCALED_PASSES_MAX = 4 };

/* One thread of a run. All threads call the functions below together. */
typedef struct scaled_thread {
  const mass_scaling *scaling;
  const kernels *kernels;
  parallel_barrier *barrier;
  int thread, threads;
  /* Groups of the network that this thread moves, on the first level. */
  parallel_range groups;
} scaled_thread;

/* Input for the kernels of spring_force.h, which then compute S^-1 f into scaled_start for all groups. f are
   the forces of springs and `acting`, the forces of constraints and soft pins in N, laid out as in->force;
   NULL: none. `net` receives the network that the result refers to. */
spring_input scaled_forces(const mass_scaling *scaling, const spring_input *in, const msd_real *acting,
                           network *net);
msd_real *scaled_start(const mass_scaling *scaling);

/* Advances in->read.slab to in->write.slab and to its records if there are any, from the accelerations in
   scaled_start. If `start` has quads, each thread has filled those of its own groups. Returns true if all
   positions of these groups are finite. */
bool scaled_step(const scaled_thread *t, const spring_input *in);

/* Called before and after wind, hard limits or contact. The first saves the velocities of in->write.slab; the
   second passes the changes of velocity through C. *changed: some thread changed a velocity. Returns true if
   all positions and velocities of the thread's groups are finite. */
void scaled_begin_change(const scaled_thread *t, const spring_input *in);
bool scaled_end_change(const scaled_thread *t, const spring_input *in, bool *changed);

/* Applies C of scaling/mass_scaling.h. In: `start` = S^-1 r of the first level, of which each thread has
   written its rows. Out: `start` = C r, of which each thread may read its rows. The means of free bodies are
   not subtracted. */
void scaled_apply(const scaled_thread *t);

#endif
