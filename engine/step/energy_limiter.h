/* Bounds the energy that symplectic Euler gains numerically. After a substep it compares kinetic plus spring
   energy with the work of external forces. If the gain exceeds an allowance, the substep is repeated with
   scaled spring forces. kernel/energy_meter.h defines e and the passes; docs/theory/energy.md has the theorem.

   With the spring energies e and f . (v + v') summed over the particles, a substep of
   dt seconds updates

       G = sum e - E,    E = E_0 - sum over the completed substeps of dt/2 sum f . (v + v').

   G is the numerical energy gain since E_0 was recorded, and T + sum e - G = H_0 + W: the initial energy plus
   the work of external forces. G may be at most the allowance C, one hundredth of the largest T + sum e - G
   so far. If X = G - C is positive, the substep is repeated with factors s and theta that reduce sum e to
   E + C:

       A = sum 1/2 k y^2,    P = sum kappa (D^2 - b^2)/8
       X <= A:   s = sqrt(1 - X/A), theta = 0
       else      s = 0, theta = 1 - sqrt(1 - (X - A)/P), which may rotate the system a little

   A is at least sum e, which the first pass computes. With sum e instead of A, s is slightly smaller. So a
   second pass, for A and P, is needed only if X > sum e.

   Damping lowers G. A damped network must not save up this loss for later gains, so a negative G is reset to
   0. The length of a substep may change: each has its own dt, and what the change adds
   to sum e is gain. Other changes between substeps (spring laws, pins, a teleported particle) change sum e; E
   changes by the same amount, and G stays, with what the last substep withheld. See balance_changes.h. */
#ifndef MSD_ENGINE_STEP_ENERGY_LIMITER_H
#define MSD_ENGINE_STEP_ENERGY_LIMITER_H

#include "engine/kernel/energy_meter.h"
#include "engine/store/revision.h"
#include "msd/world.h"

typedef struct energy_limiter {
  msd_energy_mode energy;
  /* True if some spring is damped. */
  bool is_damped;
  /* G, C and E in J. A limited substep lowers G by what its forces withhold, but the springs still have that
     energy. `withheld`: that of the last substep. */
  double made, credit, balance, withheld;
  /* Revision for which `balance` is valid; all 0 at first. */
  revision made_for;
  /* The last substep had non-finite energies, which were discarded. The next one starts a new balance. */
  bool is_lost;
  /* Since the start: substeps that were repeated, those of them with theta > 0, and the smallest s. */
  int64_t scaled, turned;
  double least_kept;
} energy_limiter;

/* The state before the first substep. */
static inline energy_limiter energy_limiter_begin(void) {
  return (energy_limiter){.least_kept = 1};
}

/* Decision about a measured substep. LIMITER_NEEDS_SECOND_PASS: A and P must be computed first. */
typedef enum limiter_answer { LIMITER_ACCEPT, LIMITER_SCALE, LIMITER_NEEDS_SECOND_PASS } limiter_answer;

typedef struct limiter_decision {
  limiter_answer answer;
  double kept, turned;
  /* Energy in J that the scaled forces remove from sum e. */
  double paid;
} limiter_decision;

/* `is_continued` below: nothing has changed since the previous substep. */

/* Updates G, C and E from a measuring pass and returns G - C, or 0 if an energy is not finite. */
double energy_limiter_update(energy_limiter *g, const spring_tally *sum, bool is_continued);

/* Decides after a measuring pass. */
limiter_decision energy_limiter_measure(energy_limiter *g, const spring_tally *sum, bool is_continued);

/* After a pass for A and P. */
limiter_decision energy_limiter_reserve(const energy_limiter *g, const spring_tally *reserve);

/* Accepts the substep after a measuring pass or the scaling pass that was decided. `work` is that of the last
   pass; dt is in s. */
void energy_limiter_commit(energy_limiter *g, const limiter_decision *order, double work, double dt);

/* Energy measurement of a run of substeps. */
typedef struct limiter_run {
  /* NULL: the energy is not measured. */
  energy_limiter *limiter;
  /* Nothing has changed since the substep before the run. */
  bool is_continued;
  /* One spring_tally for each chunk of the network, in as many copies as the job needs. */
  spring_tally *tallies;
} limiter_run;

#endif
