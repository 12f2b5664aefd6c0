/* What strain does to a spring or a constraint, as msd/wear.h says it: the same numbers for both. */
#ifndef MSD_ENGINE_STORE_WEAR_RULE_H
#define MSD_ENGINE_STORE_WEAR_RULE_H

#include "msd/msd.h"

/* All 0 where nothing was ever said of it; else creep is above 0. */
typedef struct wear_rule {
  /* The rest value before it has yielded, in its unit. */
  msd_real given;
  msd_real tear, yield, creep, set_limit;
  /* 1: it does not break where it tears, but splits one of its ends; else 0. A number as the others, so that a
     rule has no bytes that mean nothing: snapshots have it as it is. */
  msd_real splits;
} wear_rule;

/* By how much the rest value of what has the error C = value - rest changes, `set` being by how much it has so
   far. `unit` is what `yield` and `set_limit` are counted in. The new rest value is between the old one and the
   value, so that its energy falls, also where the old one is beyond the limit. */
double wear_rule_flow(const wear_rule *w, double unit, double set, double error);

/* Whether all of those that were read are such as an interface lets through. */
bool wear_rules_are_sound(const wear_rule *rules, int32_t count);

#endif
