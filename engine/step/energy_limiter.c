#include "engine/step/energy_limiter.h"

#include <math.h>

/* Ratio of C to the largest energy so far. */
static const double CREDIT_SHARE = 0.01;

const char *msd_energy_mode_name(msd_energy_mode energy) {
  static const char *const names[MSD_ENERGY_MODE_COUNT] = {"off", "monitor", "bounded", "bounded_central"};
  return (unsigned)energy < MSD_ENERGY_MODE_COUNT ? names[energy] : NULL;
}

static double excess(const energy_limiter *g) {
  return g->made - g->credit;
}

/* sqrt(1 - part), where rounding may make `part` exceed 1. */
static double root_of_rest(double part) {
  return part < 1 ? sqrt(1 - part) : 0;
}

static limiter_decision scale_by(double kept, double turned, double paid) {
  return (limiter_decision){LIMITER_SCALE, kept, turned, paid};
}

/* G where a balance starts again. Springs withhold at most the `energy` T + sum e that there is. */
static double gain_to_keep(const energy_limiter *g, double energy) {
  const double own = g->energy < MSD_ENERGY_BOUNDED ? g->made : fmin(g->made, g->credit);
  return fmin(g->made + g->withheld, fmax(own, energy));
}

double energy_limiter_update(energy_limiter *g, const spring_tally *sum, bool is_continued) {
  const double balance =
      is_continued && !g->is_lost ? g->balance : sum->energy - gain_to_keep(g, sum->kinetic + sum->energy);
  const double made = sum->energy - balance, all = sum->kinetic + sum->energy - made;
  g->is_lost = !isfinite(made) || !isfinite(all);
  if (g->is_lost)
    return 0;
  g->balance = balance;
  g->made = made;
  if (g->is_damped && g->made < 0) {
    g->balance = sum->energy;
    g->made = 0;
  }
  g->credit = fmax(g->credit, CREDIT_SHARE * (sum->kinetic + sum->energy - g->made));
  return excess(g);
}

limiter_decision energy_limiter_measure(energy_limiter *g, const spring_tally *sum, bool is_continued) {
  const double over = energy_limiter_update(g, sum, is_continued);
  if (g->energy < MSD_ENERGY_BOUNDED || !(over > 0))
    return (limiter_decision){LIMITER_ACCEPT, 1, 0, 0};
  if (over < sum->energy)
    return scale_by(root_of_rest(over / sum->energy), 0, over);
  return (limiter_decision){LIMITER_NEEDS_SECOND_PASS, 1, 0, 0};
}

limiter_decision energy_limiter_reserve(const energy_limiter *g, const spring_tally *reserve) {
  const double along = reserve->energy, across = reserve->work, over = excess(g);
  if (over <= along)
    return scale_by(root_of_rest(over / along), 0, over);
  if (g->energy == MSD_ENERGY_BOUNDED_CENTRAL || !(across > 0))
    return scale_by(0, 0, along);
  return scale_by(0, 1 - root_of_rest((over - along) / across), fmin(over, along + across));
}

void energy_limiter_commit(energy_limiter *g, const limiter_decision *decision, double work, double dt) {
  const double balance = g->balance - dt / 2 * work;
  g->is_lost = g->is_lost || !isfinite(balance);
  if (!g->is_lost)
    g->balance = balance;
  g->withheld = decision->answer == LIMITER_SCALE ? decision->paid : 0;
  if (decision->answer != LIMITER_SCALE)
    return;
  g->made -= decision->paid;
  g->scaled++;
  g->turned += decision->turned > 0;
  g->least_kept = fmin(g->least_kept, decision->kept);
}
