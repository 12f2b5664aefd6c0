/* The energy that the steps themselves have made, and what is done about it: the decisions behind the passes of
   spring_watch.h. docs/energy.md has the theorem.

   With e of each spring as there, and f . (v + v') summed over the particles, a substep of dt seconds keeps

       G = sum e - E,    E = E_0 - sum over the substeps done of dt/2 sum f . (v + v').

   G is what the step has made since E_0 was set, and T + sum e - G = H_0 + W: what there was to begin with, and
   what came from outside. G may be at most the credit C, a hundredth of the largest T + sum e - G so far. Where
   X = G - C is above 0 the substep is taken again with s and theta such that sum e becomes E + C:

       A = sum 1/2 k y^2,    P = sum kappa (D^2 - b^2)/8
       X <= A:   s = sqrt(1 - X/A), theta = 0
       else      s = 0, theta = 1 - sqrt(1 - (X - A)/P), which may turn the system a little

   A is at least sum e, which the first pass knows: with that instead s is a little smaller, and a second pass
   for A and P is needed only where X > sum e.

   Damping makes G fall. That is heat and no credit: in a damped network E is lowered with G, so that G stays 0
   or more. What changes from outside the step (the substep's length, laws, pins, a particle that is put
   elsewhere) changes sum e; E then changes by as much, and G stays. */
#ifndef MSD_ENGINE_STEP_ENERGY_GUARD_H
#define MSD_ENGINE_STEP_ENERGY_GUARD_H

#include "engine/kernel/spring_watch.h"
#include "engine/store/revision.h"
#include "msd/world.h"

typedef struct energy_guard {
  msd_energy energy;
  /* Some spring is damped. */
  bool is_damped;
  /* J: G, C and E. */
  double made, credit, balance;
  /* What `balance` holds for; all 0: nothing yet. */
  revision made_for;
  /* The last substep had energies beyond all numbers, which are not kept: the next one begins the balance
     anew. */
  bool is_lost;
  /* Substeps that were taken again since the beginning, those of them with theta > 0, and the least s. */
  int64_t scaled, turned;
  double least_kept;
} energy_guard;

/* Of a world that has taken no substep. */
static inline energy_guard energy_guard_begin(void) {
  return (energy_guard){.least_kept = 1};
}

/* What is to be done with a substep that was measured. */
typedef enum guard_answer { GUARD_COMMIT, GUARD_SCALE, GUARD_ASK_RESERVE } guard_answer;

typedef struct guard_order {
  guard_answer answer;
  double kept, turned;
  /* J: what these forces take from sum e. */
  double paid;
} guard_order;

/* Behind a measuring pass. `is_continued`: nothing has come from outside since the substep before. */
guard_order energy_guard_measure(energy_guard *g, const spring_tally *sum, bool is_continued);

/* Behind a pass for A and P. */
guard_order energy_guard_reserve(const energy_guard *g, const spring_tally *reserve);

/* The substep stays, after a measuring pass or the scaling pass that was ordered; `work` is of that pass. */
void energy_guard_commit(energy_guard *g, const guard_order *order, double work, double time_step);

/* A run of substeps that are watched. */
typedef struct guard_run {
  /* NULL: nobody watches the energy. */
  energy_guard *guard;
  /* Nothing has come from outside since the substep before the run. */
  bool is_continued;
  /* A spring_tally for each chunk of the network, as many times as the run asks for. */
  spring_tally *tallies;
} guard_run;

#endif
