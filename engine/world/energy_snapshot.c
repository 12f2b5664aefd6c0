/* Energy balance in a snapshot. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <math.h>

/* 0: the balance does not continue. */
static double step_of(const msd_world *world, const energy_limiter *g) {
  const bool holds = !g->is_lost && revision_holds(&g->made_for, revision_of_energy(&world->model.revision,
                                                                                    g->made_for.step));
  return holds ? g->made_for.step : 0;
}

static energy_snapshot snapshot_of(const msd_world *world, const energy_limiter *g) {
  return (energy_snapshot){.scaled = g->scaled,
                           .turned = g->turned,
                           .made = g->made,
                           .credit = g->credit,
                           .balance = g->balance,
                           .withheld = g->withheld,
                           .least_kept = g->least_kept,
                           .step = step_of(world, g)};
}

energy_snapshots energy_snapshot_of(const msd_world *world) {
  const stepper *s = &world->stepper;
  return (energy_snapshots){.springs = snapshot_of(world, &s->limiter),
                            .constraints = snapshot_of(world, &s->account.limiter),
                            .is_active = s->account.is_active};
}

static bool is_sound(const energy_snapshot *e) {
  return isfinite(e->made) && isfinite(e->credit) && e->credit >= 0 && isfinite(e->balance) &&
         isfinite(e->withheld) && e->withheld >= 0 && e->least_kept >= 0 && e->least_kept <= 1 &&
         isfinite(e->step) && e->step >= 0 && e->turned >= 0 && e->turned <= e->scaled &&
         e->scaled <= SNAPSHOT_STEPS_MAX;
}

bool energy_snapshot_is_sound(const energy_snapshots *e) {
  return is_sound(&e->springs) && is_sound(&e->constraints) && (e->is_active == 0 || e->is_active == 1);
}

static void resume(const msd_world *world, energy_limiter *g, const energy_snapshot *e) {
  *g = (energy_limiter){.is_damped = g->is_damped,
                        .made = e->made,
                        .credit = e->credit,
                        .balance = e->balance,
                        .withheld = e->withheld,
                        .scaled = e->scaled,
                        .turned = e->turned,
                        .least_kept = e->least_kept};
  if (e->step > 0)
    g->made_for = revision_of_energy(&world->model.revision, e->step);
}

void energy_snapshot_resume(msd_world *world, const energy_snapshots *e) {
  resume(world, &world->stepper.limiter, &e->springs);
  resume(world, &world->stepper.account.limiter, &e->constraints);
  world->stepper.account.is_active = e->is_active;
}
