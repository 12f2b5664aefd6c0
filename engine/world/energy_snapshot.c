/* Energy balance in a snapshot. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <math.h>

/* 0: the balance does not continue. */
static double step_of(const msd_world *world) {
  const energy_limiter *g = &world->stepper.limiter;
  const bool holds = !g->is_lost && revision_holds(&g->made_for, revision_of_energy(&world->model.revision,
                                                                                    g->made_for.step));
  return holds ? g->made_for.step : 0;
}

energy_snapshot energy_snapshot_of(const msd_world *world) {
  const energy_limiter *g = &world->stepper.limiter;
  return (energy_snapshot){.scaled = g->scaled,
                           .turned = g->turned,
                           .made = g->made,
                           .credit = g->credit,
                           .balance = g->balance,
                           .least_kept = g->least_kept,
                           .step = step_of(world)};
}

bool energy_snapshot_is_sound(const energy_snapshot *e) {
  return isfinite(e->made) && isfinite(e->credit) && e->credit >= 0 && isfinite(e->balance) &&
         e->least_kept >= 0 && e->least_kept <= 1 && isfinite(e->step) && e->step >= 0 && e->turned >= 0 &&
         e->turned <= e->scaled && e->scaled <= SNAPSHOT_STEPS_MAX;
}

void energy_snapshot_resume(msd_world *world, const energy_snapshot *e) {
  world->stepper.limiter = (energy_limiter){.is_damped = world->stepper.limiter.is_damped,
                                            .made = e->made,
                                            .credit = e->credit,
                                            .balance = e->balance,
                                            .scaled = e->scaled,
                                            .turned = e->turned,
                                            .least_kept = e->least_kept};
  if (e->step > 0)
    world->stepper.limiter.made_for = revision_of_energy(&world->model.revision, e->step);
}
