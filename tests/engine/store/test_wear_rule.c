/* How a rest value follows what is beyond its yield, and which rules are sound. */
#include "engine/store/wear_rule.h"

#include <criterion/criterion.h>
#include <math.h>

static wear_rule rule(double yield, double creep, double set_limit) {
  return (wear_rule){
      .given = 1, .yield = (msd_real)yield, .creep = (msd_real)creep, .set_limit = (msd_real)set_limit};
}

Test(wear_rule, flows_by_the_share_of_what_is_beyond_either_way) {
  const wear_rule r = rule(0.25, 0.5, 0);
  cr_expect_eq(wear_rule_flow(&r, 1, 0, 0.25), 0);
  cr_expect_eq(wear_rule_flow(&r, 1, 0, 1.25), 0.5);
  cr_expect_eq(wear_rule_flow(&r, 1, 0, -1.25), -0.5);
  cr_expect_eq(wear_rule_flow(&r, 4, 0, 1.25), 0.125);
  cr_expect_eq(wear_rule_flow(&r, 1, 0, NAN), 0);
}

/* From 0.5 beyond what was given, up to 0.75 of it to either side. */
Test(wear_rule, flows_to_the_limit_and_never_away_from_the_value) {
  const wear_rule r = rule(0.25, 1, 0.75);
  cr_expect_eq(wear_rule_flow(&r, 1, 0.5, 4), 0.25);
  cr_expect_eq(wear_rule_flow(&r, 1, 0.5, -4), -1.25);
  cr_expect_eq(wear_rule_flow(&r, 1, 0.5, -0.5), -0.25);
  cr_expect_eq(wear_rule_flow(&r, 1, 2, 4), 0, "what is beyond the limit stays");
  cr_expect_eq(wear_rule_flow(&r, 1, -2, -4), 0);
  cr_expect_eq(wear_rule_flow(&r, 1, 2, -4), -2.75);
}

/* Whatever the numbers the error is less or the same, and of the same sign. */
Test(wear_rule, makes_no_error_larger) {
  uint32_t state = 1;
  for (int n = 0; n < 10000; n++) {
    double numbers[5];
    for (int k = 0; k < 5; k++) {
      state = state * 1664525u + 1013904223u;
      numbers[k] = (double)(state >> 8) / (1 << 24);
    }
    const wear_rule r = rule(numbers[0], numbers[1] + 1e-6, n % 3 ? numbers[2] : 0);
    const double error = 6 * numbers[3] - 3, left = error - wear_rule_flow(&r, 2, 4 * numbers[4] - 2, error);
    cr_assert(fabs(left) <= fabs(error) && left * error >= 0, "%g from %g", left, error);
  }
}

Test(wear_rule, rules_that_no_interface_lets_through_are_found) {
  wear_rule rules[2] = {{0}, rule(0.25, 1, 0.75)};
  cr_expect(wear_rules_are_sound(rules, 2));
  msd_real *const fields[] = {&rules[1].given, &rules[1].tear, &rules[1].yield, &rules[1].creep,
                              &rules[1].set_limit};
  static const msd_real wrong[] = {(msd_real)INFINITY, 1, -1, 2, (msd_real)NAN};
  for (int n = 0; n < 5; n++) {
    const msd_real was = *fields[n];
    *fields[n] = wrong[n];
    cr_expect_not(wear_rules_are_sound(rules, 2), "number %d", n);
    *fields[n] = was;
  }
  cr_expect(wear_rules_are_sound(rules, 2));
}
