/* How a state is advanced through the substeps of one call, one after the other, with all threads. */
#ifndef MSD_ENGINE_STEP_INTEGRATOR_H
#define MSD_ENGINE_STEP_INTEGRATOR_H

#include "engine/air/wind.h"
#include "engine/base/spans.h"
#include "engine/kernel/catches.h"
#include "engine/kernel/contacts.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/kernel/widths.h"
#include "engine/step/anchor_step.h"
#include "engine/step/energy_guard.h"
#include "engine/step/projected_step.h"
#include "engine/step/scaled_step.h"

/* Components of scratch memory, with the stride of the state, that an integrator needs; 0 for symplectic
   Euler, which is one pass over the springs. */
int integrator_scratch_components(msd_integrator integrator);

/* Of sequential impulses; see spring_impulse.h. */
typedef struct integrator_impulses {
  const spring_impulses *springs;
  /* Of each spring, msd_spring_side; NULL: all MSD_SPRING_BOTH. */
  const uint8_t *side;
  int iterations;
  bool warm_start;
  /* With each of the two states: what each spring gave in the substep that led to it; NULL with one iteration
     and no warm start. */
  msd_real *given[2];
  /* NULL: there are none. */
  constraint_impulses *constraints;
  const constraint_store *constraint_store;
  /* As given, of the constraints. */
  msd_real *constraint_given[2];
} integrator_impulses;

/* See anchor_step.h. */
typedef struct integrator_anchors {
  /* In the order of their slots. */
  anchor_work *works;
  int32_t count;
} integrator_anchors;

/* Forces that depend on the state, summed up in forces->force, which is then input.force. */
typedef struct integrator_acting {
  /* NULL: there are none. */
  const constraint_forces *forces;
  /* N: what acts besides, with the stride of the states; NULL: nothing. */
  const msd_real *applied;
  /* The groups of constraints that are to be evaluated. */
  span_list groups, mesh_chunks;
  /* Anchors are forces too. */
  bool anchors;
} integrator_acting;

typedef struct integrator_contact {
  contact_work *work;
  const collider_store *colliders;
  contact_settings settings;
  /* Chunks of the network in which particles are pushed. */
  span_list chunks;
} integrator_contact;

typedef struct integrator_wind {
  wind_work *work;
  const msd_wind_def *wind;
  /* As those of a wind_thread. */
  span_list faces, chunks;
  /* s: the time at the beginning of the step. */
  double step_time;
  msd_simd simd;
} integrator_wind;

typedef struct integrator_run {
  msd_integrator integrator;
  const kernels *kernels;
  /* What is read and written, and where pins are, is filled in by the run. */
  spring_input input;
  /* Two states, and the one to start from. With records alone both may be one slab. */
  msd_real *slab[2];
  int current;
  /* integrator_scratch_components of them. */
  msd_real *scratch;
  /* Both states as records; NULL: none. */
  msd_real *records[2];
  /* Between the first and the last substep the state is in the records alone; of rows only. */
  bool records_alone;
  /* integrator_down_size reals, all zero before and after, to go through runs; NULL: through rows. */
  msd_real *down;
  integrator_impulses impulses;
  integrator_anchors anchors;
  integrator_acting acting;
  /* Of symplectic Euler and sequential impulses; NULL: there are none. */
  const catch_list *catches;
  /* Chunks of the network in which catches act. */
  span_list caught;
  /* As catches. */
  const integrator_contact *contact;
  const integrator_wind *wind;
  /* Of symplectic Euler, with two tallies for each chunk; see energy_guard.h. */
  guard_run guard;
  /* Of symplectic Euler in slabs; input.force is without acting->forces then. NULL: masses are what
     they are. */
  const mass_scaling *scaling;
  /* Springs by Gauss-Seidel; without `springs` they are forces. */
  projected_run projected;
  /* Chunks of the network that are to be gone through; the others have the same numbers in both states, or are
     wanted by nobody. Of all but sequential impulses, not guarded. */
  span_list awake;
  const msd_tasks *tasks;
  int threads;
  /* Substeps of the step that were taken before the run, and those of the run. */
  int before, substeps;
} integrator_run;

/* How many times in a substep an integrator evaluates forces, each at the state that the one before has led
   to. */
int integrator_evaluations(msd_integrator integrator);

/* Where scratch has a state besides, six components with the stride of the state; NULL: nowhere. */
msd_real *integrator_stage(const integrator_run *run);

/* Whether an integrator leaves positions x + dt v', which is what catches, colliders and wind need. */
bool integrator_predicts(msd_integrator integrator);

/* Reals that `down` needs for that many threads. */
size_t integrator_down_size(const network *net, int threads);

/* Advances by `substeps`, from slab[current], each into the other slab. Returns how many were done: fewer
   than asked when the next one gave a position that is not finite. The state after `done` substeps is then in
   slab[(current + done) % 2], and the failed one in the other, or where they are one in the records of the
   other. */
int integrator_advance(const integrator_run *run);

#endif
