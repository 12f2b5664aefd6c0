/* Changes between two substeps that the energy balances (energy_limiter.h) follow without a measuring pass:
   their energy is that of few springs, or is computed here in double.

   The energy e of kernel/energy_meter.h is linear in the substep. With b = dt rate,

       e = 1/2 k tau^2 - dt (1/2 k tau rate + 1/4 mu rate^2).

   - Pins that move, and rest lengths that change in a frame, do work from outside. It is added to the balance,
     so G stays. Springs between two pins are left out; they move nothing.
   - A change of the substep is gain. A balance that continues contains it. One that starts again, because a
     program has changed the world too, would forget it. So G gets it here.

   Balances of constraints follow in the bounded modes only. In the others a balance starts again when pins
   begin or end to move. */
#ifndef MSD_ENGINE_STEP_BALANCE_CHANGES_H
#define MSD_ENGINE_STEP_BALANCE_CHANGES_H

#include "engine/store/model.h"

struct stepper;

/* e = elastic - dt lag, in J and W. All 0 if the spring or constraint is broken or does not act. */
typedef struct energy_terms {
  double elastic, lag;
} energy_terms;

energy_terms energy_terms_of_spring(const world_model *model, int32_t spring);
energy_terms energy_terms_of_constraint(const world_model *model, int32_t constraint);

/* The revision of a balance. It continues if only substeps have changed the world since, of any length. Where
   stiffness or scaled masses follow the tuned substep, a change of that is work from outside. */
revision balance_revision_of_springs(const struct stepper *s);
revision balance_revision_of_constraints(const struct stepper *s);

/* After the coefficients are computed: adds to G what the change from a substep of `last` s (0: none) adds to
   energies, in balances that start again. */
void balance_note_substep(struct stepper *s, double last);

/* After the last substep of a frame, if it was limited: finds what it withholds, for a balance that starts
   again. */
void balance_close(struct stepper *s);

/* The energies at moving pins in balances that continue. */
typedef struct pin_balance {
  bool has_springs, has_constraints;
  double springs, constraints;
} pin_balance;

/* Call both around a change of the positions and velocities of pins that move in the frame, and of the revision
   of the state. */
pin_balance balance_before_pins(const struct stepper *s);
void balance_after_pins(struct stepper *s, const pin_balance *before);

#endif
