/* app/base/units.c */
#include "app/base/units.h"

#include <criterion/criterion.h>

#include <math.h>

Test(units, quantities_carry_the_si_prefix_that_keeps_them_short) {
  const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0 s"},        {1, "1 s"},           {0.016666667, "16.67 ms"},
               {1e-3, "1 ms"},    {0.9999, "999.9 ms"}, {999.96, "1 ks"},
               {1000, "1 ks"},    {-2.5e-6, "-2.5 us"}, {6.2e8, "620 Ms"},
               {1e18, "1e+18 s"}, {1e-20, "1e-20 s"},   {INFINITY, "unlimited"},
               {NAN, "undefined"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_str_eq(units_si(cases[i].value, "s").text, cases[i].text, "%g: %s", cases[i].value,
                     units_si(cases[i].value, "s").text);
}

Test(units, bytes_are_in_powers_of_1024) {
  cr_expect_str_eq(units_bytes(0).text, "0 bytes");
  cr_expect_str_eq(units_bytes(1023).text, "1023 bytes");
  cr_expect_str_eq(units_bytes(1024).text, "1 KiB");
  cr_expect_str_eq(units_bytes(1536u * 1024u).text, "1.5 MiB");
  cr_expect_str_eq(units_bytes((size_t)8 << 30).text, "8 GiB");
}

/* 1023.5 KiB are 1024 in four digits. */
Test(units, no_quantity_is_printed_as_1024_of_a_unit) {
  cr_expect_str_eq(units_bytes(1023 * 1024 + 511).text, "1023 KiB");
  cr_expect_str_eq(units_bytes(1023 * 1024 + 512).text, "0.9995 MiB");
}

Test(units, a_wait_is_told_in_two_units_at_most) {
  cr_expect_str_eq(units_wait(0.2).text, "0 s");
  cr_expect_str_eq(units_wait(59.4).text, "59 s");
  cr_expect_str_eq(units_wait(59.6).text, "1 min 00 s");
  cr_expect_str_eq(units_wait(3725).text, "1 h 02 min");
  cr_expect_str_eq(units_wait(NAN).text, "?");
  cr_expect_str_eq(units_wait(INFINITY).text, "?");
}
