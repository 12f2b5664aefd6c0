/* How a state is advanced through the substeps of one call, with all threads. */
#ifndef MSD_ENGINE_STEP_INTEGRATOR_H
#define MSD_ENGINE_STEP_INTEGRATOR_H

#include "engine/kernel/constraint_force.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/step/anchor_step.h"

/* Components of scratch memory, with the stride of the state, that an integrator needs; 0 for symplectic
   Euler, which is one pass over the springs. */
int integrator_scratch_components(msd_integrator integrator);

/* Of sequential impulses; see impulse.h. */
typedef struct integrator_impulses {
  const spring_impulses *springs;
  const uint8_t *side; /* of each spring, msd_spring_side; NULL: all MSD_SPRING_BOTH */
  int iterations;
  bool warm_start;
  msd_real
      *given[2]; /* with each of the two states: what each spring gave in the substep that led to it; NULL
                         with one iteration and no warm start */
  constraint_impulses *constraints; /* NULL: there are none */
  const constraint_store *constraint_store;
  msd_real *constraint_given[2]; /* as given, of the constraints */
} integrator_impulses;

/* See anchor.h. */
typedef struct integrator_anchors {
  anchor_work *works; /* in the order of their slots */
  int32_t count;
  int before; /* substeps of the step that were taken before the run */
} integrator_anchors;

/* Forces that depend on the state, summed up in forces->force, which is then input.force. */
typedef struct integrator_acting {
  const constraint_forces *forces; /* NULL: there are none */
  constraint_kernel kernel;
  const msd_real *applied; /* N: what acts besides, with the stride of the states; NULL: nothing */
  bool anchors;            /* anchors are forces too */
} integrator_acting;

typedef struct integrator_run {
  msd_integrator integrator;
  step_kernel kernel;
  step_input input;     /* read and write are filled by the run */
  msd_real *slab[2];    /* two states */
  int current;          /* the one to start from */
  msd_real *scratch;    /* integrator_scratch_components of them */
  msd_real *records[2]; /* both states as records, with PARTICLE_GUARD more in front and behind; NULL: none */
  bool records_alone;   /* between the first and the last substep the state is in these alone; of rows only */
  msd_real *down;       /* integrator_down_size reals, all zero, to go through runs; NULL: through rows */
  integrator_impulses impulses;
  integrator_anchors anchors;
  integrator_acting acting;
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
