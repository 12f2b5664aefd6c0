/* Runs substeps on all threads. The passes of one substep of symplectic Euler:
   1. forces of constraints and soft pins (extra_forces.h);
   2. springs and kick, in one kernel; with the energy limiter repeated with scaled forces if needed;
   3. soft pins in closed form;
   4. wind;
   5. hard limits;
   6. collider contact.
   Mesh contact follows in contact_step.h, which then also applies colliders.

   Forces and where each acts:
   - forces that depend on the state: sum_forces in extra_forces.c. Symplectic Euler (also with mass scaling and
     Gauss-Seidel springs), explicit Euler, Verlet and RK4 call it; sequential impulses do not;
   - forces that are constant over the frame: particle_store.force, which input_of in scheduler.c passes on;
   - changes of velocity after the kick: `correct` and `change_scaled` in integrator.c.
   sum_forces runs only if stepper_has_forces (stepper.c) returns true, so a new force that depends on the state
   goes there too. Its load on the substep goes into engine/stability, and its reaction on pins into
   frame_record.c.

   A new integrator goes into `methods` of integrator.c and of rotor_step.c. explicit_step.c has its number of
   evaluations and its scratch memory, stability/steps.c and stability/rotor_bound.c have its stable step, and
   settings.c has the objects that it excludes. */
#ifndef MSD_ENGINE_STEP_INTEGRATOR_H
#define MSD_ENGINE_STEP_INTEGRATOR_H

#include "engine/air/wind.h"
#include "engine/base/intervals.h"
#include "engine/kernel/contacts.h"
#include "engine/kernel/hard_limits.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/kernel/widths.h"
#include "engine/step/constraint_account.h"
#include "engine/step/energy_limiter.h"
#include "engine/step/projected_step.h"
#include "engine/step/scaled_step.h"
#include "engine/step/soft_pin_step.h"

/* Scratch memory of an integrator in components, each with the stride of the state. 0 for symplectic Euler,
   which needs a single pass over the springs. */
int integrator_scratch_components(msd_integrator integrator);

/* Sequential impulses; see spring_impulse.h. */
typedef struct integrator_impulses {
  const spring_impulses *springs;
  /* msd_spring_mode of each spring; NULL if all are MSD_SPRING_BOTH. */
  const uint8_t *side;
  int iterations;
  bool warm_start;
  /* For each of the two states, the impulse of each spring in the substep that produced it. NULL with one
     iteration and no warm start. */
  msd_real *given[2];
  /* NULL: no constraints. */
  constraint_impulses *constraints;
  const constraint_store *constraint_store;
  /* Constraint impulses, as `given`. */
  msd_real *constraint_given[2];
} integrator_impulses;

/* Soft pins; see soft_pin_step.h. */
typedef struct integrator_soft_pins {
  /* Sorted by slot. */
  soft_pin_work *works;
  int32_t count;
} integrator_soft_pins;

/* Forces that depend on the state. They are summed in forces->force, which is then input.force. */
typedef struct integrator_acting {
  /* NULL: none. */
  const constraint_forces *forces;
  /* Applied forces in N, with the stride of the states; NULL: none. */
  const msd_real *applied;
  /* Groups of constraints to evaluate. */
  span_list groups, mesh_chunks;
  /* True if soft pins act as forces. */
  bool soft_pins;
} integrator_acting;

typedef struct integrator_contact {
  contact_work *work;
  const collider_store *colliders;
  contact_settings settings;
  /* Chunks of the network in which colliders act. */
  span_list chunks;
  /* As in contact_thread. */
  const msd_real *loose;
} integrator_contact;

typedef struct integrator_wind {
  wind_work *work;
  const msd_wind_def *wind;
  /* As in wind_thread. */
  span_list faces, chunks;
  /* Time in s at the start of the frame. */
  double step_time;
  msd_simd simd;
} integrator_wind;

typedef struct substep_inputs {
  msd_integrator integrator;
  const kernels *kernels;
  /* The run fills in the states and where pins are read. */
  spring_input input;
  /* The two states and the index of the initial one. With records_alone both may be the same slab. */
  msd_real *slab[2];
  int current;
  /* integrator_scratch_components components. */
  msd_real *scratch;
  /* AoS copies of both states; NULL: none. */
  msd_real *records[2];
  /* Intermediate states are stored as records only. Requires processing by rows. */
  bool records_alone;
  /* integrator_down_size reals, all zero before and after, to process diagonal blocks; NULL to process
     rows. */
  msd_real *down;
  integrator_impulses impulses;
  integrator_soft_pins soft_pins;
  integrator_acting acting;
  /* Hard length limits, for symplectic Euler and sequential impulses; NULL: none. */
  const hard_limit_list *hard_limits;
  /* Chunks of the network in which hard limits act. */
  span_list caught;
  /* For the same integrators as hard limits; NULL: none. */
  const integrator_contact *contact;
  const integrator_wind *wind;
  /* For symplectic Euler; needs two tallies for each chunk. See energy_limiter.h. */
  limiter_run limiter;
  /* For symplectic Euler. */
  account_run account;
  /* For symplectic Euler in slabs; input.force then excludes acting->forces. NULL: masses are not scaled. */
  const mass_scaling *scaling;
  /* Gauss-Seidel springs; if `springs` is NULL, springs are forces. */
  projected_run projected;
  /* Chunks of the network to process. All other chunks are identical in both states or unused. Not for
     sequential impulses or the energy limiter. */
  span_list awake;
  const msd_tasks *tasks;
  int threads;
  /* Substeps of the frame that precede this run, and substeps of the run. */
  int before, substeps;
} substep_inputs;

/* Sum of f . (v' - v*), in W, over all particles: f the spring forces of a substep `elapsed` seconds after the
   start of the frame, v* the velocities that it left in `kicked`, three components with the stride of the
   states, and v' those in `written` after other code has changed them. */
double integrator_work_of_changes(const substep_inputs *run, const msd_real *read, const msd_real *kicked,
                                  const msd_real *written, double elapsed);

/* Number of successive force evaluations in a substep. Each uses the state that results from the previous
   one. */
int integrator_evaluations(msd_integrator integrator);

/* The stage state in scratch, six components with the stride of the state; NULL if the integrator has
   none. */
msd_real *integrator_stage(const substep_inputs *run);

/* True if new positions are x + dt v', which hard limits, colliders and wind require. */
bool integrator_predicts(msd_integrator integrator);

/* Size of `down` in reals for a number of threads. */
size_t integrator_down_size(const network *net, int threads);

/* Advances `substeps` substeps from slab[current], alternating between the slabs. Returns the number of
   completed substeps, which is smaller if the next one produced a non-finite value. After `done` substeps the
   state is in slab[(current + done) % 2]. The failed state is in the other slab, or in the other records if
   there is only one slab. */
int integrator_advance(const substep_inputs *run);

#endif
