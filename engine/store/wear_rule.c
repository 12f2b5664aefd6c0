#include "engine/store/wear_rule.h"

#include <math.h>

double wear_rule_flow(const wear_rule *w, double unit, double set, double error) {
  const double beyond = fabs(error) - (double)w->yield * unit;
  if (!(beyond > 0))
    return 0;
  const double change = (double)w->creep * beyond, limit = (double)w->set_limit * unit;
  const double left = error > 0 ? limit - set : limit + set;
  return copysign(w->set_limit > 0 ? fmin(change, fmax(left, 0)) : change, error);
}

/* 0, or a finite number above `least`. */
static bool is_above(msd_real value, msd_real least) {
  return value == 0 || (isfinite(value) && value > least);
}

static bool is_sound(const wear_rule *w) {
  return isfinite(w->given) && is_above(w->tear, 1) && is_above(w->yield, 0) && w->creep >= 0 &&
         w->creep <= 1 && is_above(w->set_limit, 0) && (w->splits == 0 || w->splits == 1);
}

bool wear_rules_are_sound(const wear_rule *rules, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    if (!is_sound(&rules[n]))
      return false;
  return true;
}
