/* Energy account of constraints: bounds the energy that softening, a jump of an angle and the steps of
   symplectic Euler gain.

   Softening lowers the stiffness k of a constraint to k' in some configurations. That is no potential: as the
   configuration returns, k' rises at the C of that moment, and 1/2 k' C^2 with it. So the account compares the
   energies e of kernel/constraint_force.h with the work that the constraints have received, by the same
   formulas as for springs (energy_limiter.h). Where the gain G exceeds the allowance C by X, the forces of the
   substep are evaluated again with

       X <= sum A:  a cap with sum min(A, cap) = sum A - X, theta = 0
       else         the cap 0, theta = 1 - sqrt(1 - (X - sum A)/sum P)

   The cap touches the constraints with the most energy only. The kick has not happened by then, so nothing is
   repeated but the evaluation of the constraints.

   In energy modes `off` and `monitor` the account begins with the first substep in which a constraint is
   softened or may jump, and goes on from there; until then the motion is that without it. In the bounded modes
   it is always kept. A change of the substep is no change of the balance: a shorter substep softens less, and
   that energy counts as gain too (balance_changes.h). For symplectic Euler, while no particle sleeps. */
#ifndef MSD_ENGINE_STEP_CONSTRAINT_ACCOUNT_H
#define MSD_ENGINE_STEP_CONSTRAINT_ACCOUNT_H

#include "engine/base/memory.h"
#include "engine/kernel/constraint_force.h"
#include "engine/step/energy_limiter.h"

typedef struct constraint_account {
  energy_limiter limiter;
  bool is_active;
  /* The decision about a substep that has not ended yet. */
  limiter_decision order;
  /* Per group of particles: kinetic energy in J, and the power of constraints in W. */
  double *kinetic, *power;
  int32_t groups;
} constraint_account;

/* Reserves the sums of that many groups of particles. Returns false if memory runs out. */
bool constraint_account_reserve(constraint_account *a, memory *m, int32_t groups);
void constraint_account_free(constraint_account *a, memory *m);

/* The account in a run of substeps. */
typedef struct account_run {
  /* NULL: none. */
  constraint_account *account;
  bool is_continued;
  /* True if constraint_account_close ends the substep, because velocities change after the run. */
  bool stays_open;
} account_run;

struct worker;

/* Evaluates the constraints at `state` with scaled forces, if they have gained too much. The forces have been
   evaluated with account_meter. All threads call it. */
void constraint_account_act(const struct worker *w, const msd_real *state);

/* The meter of the first evaluation of a substep; NULL: none. */
const constraint_meter *constraint_account_meter(const struct worker *w);

/* Ends the substep at the velocities that were written. All threads call it. */
void constraint_account_end(const struct worker *w);

/* The same after a run that stays open, for one thread. `in` is that of the run. */
void constraint_account_close(constraint_account *a, const constraint_forces *f, const spring_input *in,
                              const msd_real *written);

#endif
