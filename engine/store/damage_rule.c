#include "engine/store/damage_rule.h"

#include "engine/base/portable_math.h"

#include <math.h>

/* Fraction of the excess that flows in a time: 1 - exp(-rate time). */
static double flowing(const damage_rule *w, double time) {
  static const double ALL = 64;
  const double exponent = (double)w->plastic_rate * time;
  return exponent < ALL ? -elementary_expm1(-exponent) : 1;
}

double damage_rule_flow(const damage_rule *w, double unit, double set, double error, double time) {
  const double beyond = fabs(error) - (double)w->yield_strain * unit;
  if (!(beyond > 0))
    return 0;
  const double change = flowing(w, time) * beyond, limit = (double)w->max_plastic_strain * unit;
  const double left = error > 0 ? limit - set : limit + set;
  return copysign(w->max_plastic_strain > 0 ? fmin(change, fmax(left, 0)) : change, error);
}

/* 0, or a finite number above `least`. */
static bool is_above(msd_real value, msd_real least) {
  return value == 0 || (isfinite(value) && value > least);
}

static bool is_sound(const damage_rule *w) {
  return isfinite(w->given) && is_above(w->tear_strain, 0) && is_above(w->tear_energy, 0) &&
         is_above(w->yield_strain, 0) && w->plastic_rate >= 0 && is_above(w->max_plastic_strain, 0) &&
         (w->split == 0 || w->split == 1) && is_above(w->wait, 0);
}

bool damage_rules_are_sound(const damage_rule *rules, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    if (!is_sound(&rules[n]))
      return false;
  return true;
}
