/* Damage and plasticity of a spring or a constraint; see msd/damage.h. Both use the same parameters. */
#ifndef MSD_ENGINE_STORE_DAMAGE_RULE_H
#define MSD_ENGINE_STORE_DAMAGE_RULE_H

#include "msd/msd.h"

/* All 0 if no damage was defined; else plastic_rate is above 0. */
typedef struct damage_rule {
  /* The rest value before plastic flow, in its unit. */
  msd_real given;
  msd_real tear_strain, tear_energy, yield_strain, plastic_rate, max_plastic_strain;
  /* 1: tearing splits an end of the spring instead of breaking it; else 0. It is a real so that the struct
     has no padding bytes: snapshots store it as it is. */
  msd_real split;
  /* The time in s for which the spring does not tear, because a connected one has torn. */
  msd_real wait;
} damage_rule;

/* Whether there is a limit of tearing. */
static inline bool damage_rule_tears(const damage_rule *w) {
  return w->tear_strain > 0 || w->tear_energy > 0;
}

/* The plastic change of the rest value at the error C = value - rest, given the plastic change so far. `unit`
   is the unit of `yield_strain` and `max_plastic_strain`, `time` the duration of the flow in s. The new rest
   value lies between the old one and the value. So the energy falls, even if the old value is beyond the
   limit. */
double damage_rule_flow(const damage_rule *w, double unit, double set, double error, double time);

/* Returns whether all loaded rules are valid. */
bool damage_rules_are_sound(const damage_rule *rules, int32_t count);

#endif
