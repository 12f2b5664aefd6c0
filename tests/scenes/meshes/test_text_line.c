/* Numbers in text, against the C library. */
#include "scenes/meshes/text_line.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

static void expect_number(const char *text) {
  char *end, *expected_end;
  const double expected = strtod(text, &expected_end), found = text_number(text, &end);
  cr_expect(memcmp(&found, &expected, sizeof found) == 0, "\"%s\" is %.17g, not %.17g", text, expected,
            found);
  cr_expect_eq(end, expected_end, "\"%s\" ends %td characters on, not %td", text, expected_end - text,
               end - text);
}

static void expect_whole(const char *text) {
  char *end, *expected_end;
  const long expected = strtol(text, &expected_end, 10), found = text_whole(text, &end);
  cr_expect_eq(found, expected, "\"%s\" is %ld, not %ld", text, expected, found);
  cr_expect_eq(end, expected_end, "\"%s\" ends %td characters on, not %td", text, expected_end - text,
               end - text);
}

static const char *const forms[] = {"0",
                                    "-0",
                                    "+0",
                                    "1",
                                    "-1",
                                    "+1",
                                    "1.",
                                    ".5",
                                    "-.5",
                                    ".",
                                    "-",
                                    "+",
                                    "",
                                    "e",
                                    "1e",
                                    "1e+",
                                    "1e5",
                                    "1E5",
                                    "1e-5",
                                    "1e+5",
                                    "1.5e22",
                                    "1e23",
                                    "1e-22",
                                    "1e-23",
                                    "1e022",
                                    "1e0022",
                                    "1.5.5",
                                    "1,5",
                                    "1 2",
                                    " 1",
                                    "\t\r\n\v\f 1",
                                    "- 1",
                                    "+-1",
                                    "0x10",
                                    "0X1p4",
                                    "0x",
                                    "1x",
                                    "inf",
                                    "-inf",
                                    "nan",
                                    "infinity",
                                    "1e400",
                                    "1e-400",
                                    "4.9e-324",
                                    "2.2250738585072011e-308",
                                    "1d5",
                                    "1/2",
                                    "123456789012345678",
                                    "1234567890123456789",
                                    "9007199254740992",
                                    "9007199254740993",
                                    "900719925474099.3",
                                    "0.00000000000000000000001",
                                    "000000000000000000000000001",
                                    "0.1",
                                    "0.2",
                                    "0.3",
                                    "3.14159265358979",
                                    "1e99999999999999999999",
                                    "1.7976931348623157e308"};

Test(text_line, numbers_of_all_forms_are_those_of_strtod) {
  for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
    expect_number(forms[n]);
}

/* In as many digits as files have, with and without a power of ten. */
Test(text_line, numbers_at_random_are_those_of_strtod) {
  static const char *const formats[] = {"%.9g", "%.17g", "%.6f", "%.12f", "%.3e", "%.15e", "%.0f"};
  uint64_t state = 1;
  for (int n = 0; n < 200000; n++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double value = ldexp((double)(int64_t)state, (int)(state >> 33 & 63) - 95);
    char text[512];
    snprintf(text, sizeof text, formats[n % 7], value);
    expect_number(text);
  }
}

Test(text_line, digits_without_end_are_read_to_their_end) {
  char text[300];
  memset(text, '7', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  expect_number(text);
  text[0] = '.';
  expect_number(text);
  expect_whole(text + 1);
}

Test(text_line, whole_numbers_are_those_of_strtol) {
  static const char *const texts[] = {"0",
                                      "-0",
                                      "7",
                                      "-7",
                                      "+7",
                                      " 7",
                                      "7/1",
                                      "7//3",
                                      "-1/2",
                                      "",
                                      "-",
                                      "/",
                                      "x",
                                      "12345678",
                                      "123456789",
                                      "1234567890",
                                      "-123456789",
                                      "99999999999999999999",
                                      "-99999999999999999999",
                                      "007",
                                      "7.5",
                                      "- 7"};
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
    expect_whole(texts[n]);
}
