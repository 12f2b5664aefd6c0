/* How a rest value follows what is beyond its yield, and which rules are sound. */
#include "engine/store/damage_rule.h"

#include <criterion/criterion.h>
#include <math.h>

static damage_rule rule(double yield_strain, double plastic_rate, double max_plastic_strain) {
  return (damage_rule){.given = 1,
                       .yield_strain = (msd_real)yield_strain,
                       .plastic_rate = (msd_real)plastic_rate,
                       .max_plastic_strain = (msd_real)max_plastic_strain};
}

/* 1/s: exp(-rate) = 1/2. */
static const double HALF_A_SECOND = 0.69314718055994531;

static void expect_near(double found, double expected) {
  cr_expect_float_eq(found, expected, 1e-7, "%.9g, not %.9g", found, expected);
}

Test(damage_rule, flows_by_the_share_of_what_is_beyond_either_way) {
  const damage_rule r = rule(0.25, HALF_A_SECOND, 0);
  cr_expect_eq(damage_rule_flow(&r, 1, 0, 0.25, 1), 0);
  expect_near(damage_rule_flow(&r, 1, 0, 1.25, 1), 0.5);
  expect_near(damage_rule_flow(&r, 1, 0, -1.25, 1), -0.5);
  expect_near(damage_rule_flow(&r, 4, 0, 1.25, 1), 0.125);
  cr_expect_eq(damage_rule_flow(&r, 1, 0, NAN, 1), 0);
}

/* At a given value the excess falls by exp(-rate time), whatever the pieces in which the time passes. */
Test(damage_rule, flows_by_time_and_not_by_the_number_of_calls) {
  static const double rates[] = {0.01, 1.2, 30, 1e6};
  for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
    for (int calls = 1; calls <= 1000; calls *= 10) {
      const damage_rule r = rule(0.25, rates[k], 0);
      const double rate = (double)r.plastic_rate;
      double set = 0;
      for (int n = 0; n < calls; n++)
        set += damage_rule_flow(&r, 1, set, 1.25 - set, 0.5 / calls);
      expect_near(1 - set, exp(-rate * 0.5));
    }
}

/* From 0.5 beyond what was given, up to 0.75 of it to either side. */
Test(damage_rule, flows_to_the_limit_and_never_away_from_the_value) {
  const damage_rule r = rule(0.25, INFINITY, 0.75);
  cr_expect_eq(damage_rule_flow(&r, 1, 0.5, 4, 1), 0.25);
  cr_expect_eq(damage_rule_flow(&r, 1, 0.5, -4, 1), -1.25);
  cr_expect_eq(damage_rule_flow(&r, 1, 0.5, -0.5, 1), -0.25);
  cr_expect_eq(damage_rule_flow(&r, 1, 2, 4, 1), 0, "what is beyond the limit stays");
  cr_expect_eq(damage_rule_flow(&r, 1, -2, -4, 1), 0);
  cr_expect_eq(damage_rule_flow(&r, 1, 2, -4, 1), -2.75);
}

/* Whatever the numbers the error is less or the same, and of the same sign. */
Test(damage_rule, makes_no_error_larger) {
  uint32_t state = 1;
  for (int n = 0; n < 10000; n++) {
    double numbers[5];
    for (int k = 0; k < 5; k++) {
      state = state * 1664525u + 1013904223u;
      numbers[k] = (double)(state >> 8) / (1 << 24);
    }
    const damage_rule r = rule(numbers[0], numbers[1] + 1e-6, n % 3 ? numbers[2] : 0);
    const double error = 6 * numbers[3] - 3,
                 left = error - damage_rule_flow(&r, 2, 4 * numbers[4] - 2, error, 1);
    cr_assert(fabs(left) <= fabs(error) && left * error >= 0, "%g from %g", left, error);
  }
}

Test(damage_rule, rules_that_no_interface_lets_through_are_found) {
  damage_rule rules[2] = {{0}, rule(0.25, INFINITY, 0.75)};
  cr_expect(damage_rules_are_sound(rules, 2));
  msd_real *const fields[] = {&rules[1].given,        &rules[1].tear_strain,        &rules[1].yield_strain,
                              &rules[1].plastic_rate, &rules[1].max_plastic_strain, &rules[1].tear_energy,
                              &rules[1].wait};
  static const msd_real wrong[] = {(msd_real)INFINITY, -1, -1, -2, (msd_real)NAN, -1, (msd_real)INFINITY};
  for (int n = 0; n < 7; n++) {
    const msd_real was = *fields[n];
    *fields[n] = wrong[n];
    cr_expect_not(damage_rules_are_sound(rules, 2), "number %d", n);
    *fields[n] = was;
  }
  cr_expect(damage_rules_are_sound(rules, 2));
}
