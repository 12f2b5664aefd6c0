#include "engine/step/energy_guard.h"

#include <math.h>

/* C over the largest energy so far. */
static const double CREDIT_SHARE = 0.01;

const char *msd_energy_name(msd_energy energy) {
  static const char *const names[MSD_ENERGY_COUNT] = {"plain", "measured", "guarded", "central"};
  return (unsigned)energy < MSD_ENERGY_COUNT ? names[energy] : NULL;
}

static double excess(const energy_guard *g) {
  return g->made - g->credit;
}

/* sqrt(1 - part), where rounding may take `part` past 1. */
static double root_of_rest(double part) {
  return part < 1 ? sqrt(1 - part) : 0;
}

static guard_order scale_by(double kept, double turned, double paid) {
  return (guard_order){GUARD_SCALE, kept, turned, paid};
}

guard_order energy_guard_measure(energy_guard *g, const spring_tally *sum, bool is_continued) {
  const double balance = is_continued && !g->is_lost ? g->balance : sum->energy - g->made;
  const double made = sum->energy - balance, all = sum->kinetic + sum->energy - made;
  g->is_lost = !isfinite(made) || !isfinite(all);
  if (g->is_lost)
    return (guard_order){GUARD_COMMIT, 1, 0, 0};
  g->balance = balance;
  g->made = made;
  if (g->is_damped && g->made < 0) {
    g->balance = sum->energy;
    g->made = 0;
  }
  g->credit = fmax(g->credit, CREDIT_SHARE * (sum->kinetic + sum->energy - g->made));
  const double over = excess(g);
  if (g->energy < MSD_ENERGY_GUARDED || !(over > 0))
    return (guard_order){GUARD_COMMIT, 1, 0, 0};
  if (over < sum->energy)
    return scale_by(root_of_rest(over / sum->energy), 0, over);
  return (guard_order){GUARD_ASK_RESERVE, 1, 0, 0};
}

guard_order energy_guard_reserve(const energy_guard *g, const spring_tally *reserve) {
  const double along = reserve->energy, across = reserve->work, over = excess(g);
  if (over <= along)
    return scale_by(root_of_rest(over / along), 0, over);
  if (g->energy == MSD_ENERGY_CENTRAL || !(across > 0))
    return scale_by(0, 0, along);
  return scale_by(0, 1 - root_of_rest((over - along) / across), fmin(over, along + across));
}

void energy_guard_commit(energy_guard *g, const guard_order *order, double work, double time_step) {
  const double balance = g->balance - time_step / 2 * work;
  g->is_lost = g->is_lost || !isfinite(balance);
  if (!g->is_lost)
    g->balance = balance;
  if (order->answer != GUARD_SCALE)
    return;
  g->made -= order->paid;
  g->scaled++;
  g->turned += order->turned > 0;
  g->least_kept = fmin(g->least_kept, order->kept);
}
