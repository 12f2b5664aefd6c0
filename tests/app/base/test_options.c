/* app/base/options.c */
#include "app/base/options.h"

#include <criterion/criterion.h>

Test(options, numbers_are_taken_whole_and_finite) {
  double value = 7;
  cr_expect(parse_number("0.25", &value));
  cr_expect_eq(value, 0.25);
  cr_expect(parse_number("-1e-3", &value));
  cr_expect_eq(value, -1e-3);
  const char *const bad[] = {"", " 1", "1 ", "1s", "0x10", "nan", "inf", "1e999", "1e", ".", "--1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_expect_not(parse_number(bad[i], &value), "'%s'", bad[i]);
  cr_expect_eq(value, -1e-3, "a refused text changes nothing");
}

Test(options, counts_are_whole_and_in_range) {
  int64_t value = 7;
  cr_expect(parse_count("12", 0, 12, &value));
  cr_expect_eq(value, 12);
  const char *const bad[] = {"", "13", "-1", "1.0", "1e3", "0x3", " 3", "99999999999999999999", "+", "3-"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_expect_not(parse_count(bad[i], 0, 12, &value), "'%s'", bad[i]);
  cr_expect_eq(value, 12);
}
