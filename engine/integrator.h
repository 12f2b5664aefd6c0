/* How a state is advanced through the substeps of one call, with all threads. */
#ifndef MSD_INTEGRATOR_H
#define MSD_INTEGRATOR_H

#include "impulse.h"
#include "step.h"

/* Components of scratch memory, with the stride of the state, that an integrator needs; 0 for symplectic
   Euler, which is one pass over the springs. */
int integrator_scratch_components(msd_integrator integrator);

/* Of sequential impulses; see impulse.h. */
typedef struct integrator_impulses {
  const impulse_plan *plan;
  int iterations;
  bool warm_start;
  msd_real
      *given[2]; /* with each of the two states: what each spring gave in the substep that led to it; NULL
                         with one iteration and no warm start */
} integrator_impulses;

typedef struct integrator_run {
  msd_integrator integrator;
  step_kernel kernel;
  step_input input;     /* read and write are filled by the run */
  msd_real *slab[2];    /* two states */
  int current;          /* the one to start from */
  msd_real *scratch;    /* integrator_scratch_components of them */
  msd_real *records[2]; /* of both states, STEP_RECORD reals for each particle and 15 more; NULL: none */
  msd_real *down;       /* integrator_down_size reals, all zero, to go through runs; NULL: through rows */
  integrator_impulses impulses;
  int threads;
  int substeps;
} integrator_run;

/* Reals that `down` needs for that many threads. */
size_t integrator_down_size(const network *net, int threads);

/* Advances by `substeps`, from slab[current], each into the other slab. Returns how many were done: fewer
   than asked when the next one gave a position that is not finite. The state after `done` substeps is then in
   slab[(current + done) % 2], and the failed one in the other. */
int integrator_advance(const integrator_run *run);

/* What air drag leaves of a velocity after `time_step` seconds: exp(-rate time_step). Made of + - * / alone,
   so that it has the same bits with every C library. */
double integrator_drag_decay(double rate, double time_step);

#endif
