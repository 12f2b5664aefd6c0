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

Test(options, the_nearest_name_is_what_was_meant) {
  const char *const names[] = {"run", "info", "list", "stability"};
  cr_expect_str_eq(nearest_name("rnu", names, 4), "run");
  cr_expect_str_eq(nearest_name("inof", names, 4), "info");
  cr_expect_str_eq(nearest_name("LIST", names, 4), "list");
  cr_expect_str_eq(nearest_name("stabilty", names, 4), "stability");
  cr_expect_null(nearest_name("xyzzy", names, 4));
  cr_expect_null(nearest_name("", names, 4));
  cr_expect_null(nearest_name("run", names, 0));
}

Test(options, a_very_long_word_is_near_nothing) {
  char word[1000];
  for (int i = 0; i < 999; i++)
    word[i] = 'r';
  word[999] = '\0';
  const char *const names[] = {"run"};
  cr_expect_null(nearest_name(word, names, 1));
}
