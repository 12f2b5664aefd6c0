#include "app/report/energy_ledger.h"

#include <stdlib.h>

/* Frames of a run in which springs are asked. */
enum { LOOKS = 64 };

energy_ledger energy_ledger_begin(const msd_world *world, int64_t frames) {
  energy_ledger l = {.every = (frames + LOOKS - 1) / LOOKS};
  const int32_t springs = msd_world_get_spring_count(world);
  if (springs > 0 && frames > 0 && msd_world_get_energy_mode(world) != MSD_ENERGY_OFF)
    l.made = calloc((size_t)springs, sizeof *l.made);
  return l;
}

void energy_ledger_look(energy_ledger *l, const msd_world *world, int64_t frame) {
  if (l->made != NULL && frame % l->every == 0)
    msd_world_add_spring_energy_gain(world, l->made);
}

int32_t energy_ledger_most(const energy_ledger *l, const msd_world *world, double *part) {
  const double sign = msd_world_get_energy_account(world).gain < 0 ? -1 : 1;
  int32_t most = -1;
  double largest = 0, sum = 0;
  for (int32_t s = 0; l->made != NULL && s < msd_world_get_spring_count(world); s++) {
    const double made = sign * l->made[s];
    if (made <= 0)
      continue;
    sum += made;
    if (made > largest) {
      largest = made;
      most = s;
    }
  }
  *part = most >= 0 ? largest / sum : 0;
  return most;
}

void energy_ledger_free(energy_ledger *l) {
  free(l->made);
  l->made = NULL;
}
