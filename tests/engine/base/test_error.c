/* Messages: about what they are, whole or cut, and told to the log. */
#include "engine/base/error.h"

#include <criterion/criterion.h>
#include <string.h>

static void keep(const char *message, void *context) {
  *(const char **)context = message;
}

Test(report, a_message_is_kept_and_told_to_the_log) {
  const memory m = {.limit = 1000};
  const char *told = NULL;
  report r = {.log = keep, .log_context = &told, .memory = &m};
  cr_expect_eq(report_fail(&r, MSD_BAD_VALUE, "%d is %s", 3, "odd"), MSD_BAD_VALUE);
  cr_expect_str_eq(r.message, "3 is odd");
  cr_expect_eq(told, r.message);
}

Test(report, a_message_begins_with_what_it_is_about) {
  const memory m = {.limit = 1000};
  report r = {.memory = &m};
  report_refuse(&r, MSD_BAD_VALUE, (subject){"spring", 7, NULL}, "ck is %g", 2.5);
  cr_expect_str_eq(r.message, "spring 7: ck is 2.5");
  report_refuse(&r, MSD_BAD_VALUE, the_only("rope"), "mass is %g", 0.0);
  cr_expect_str_eq(r.message, "rope: mass is 0");
  report_refuse(&r, MSD_BAD_VALUE, (subject){"rope", -1, "stretch"}, "ck is %g", -3.0);
  cr_expect_str_eq(r.message, "rope: stretch.ck is -3");
}

Test(report, want_of_memory_for_the_limit_is_another_result) {
  memory m = {.limit = 2000000000, .over_limit = false};
  report r = {.memory = &m};
  cr_expect_eq(report_fail(&r, MSD_OUT_OF_MEMORY, "no memory for %d springs", 4), MSD_OUT_OF_MEMORY);
  cr_expect_str_eq(r.message, "no memory for 4 springs");
  m.over_limit = true;
  cr_expect_eq(report_fail(&r, MSD_OUT_OF_MEMORY, "no memory for %d springs", 4), MSD_TOO_LARGE);
  cr_expect_str_eq(r.message, "no memory for 4 springs within the memory_limit of 2 GB");
}

Test(report, what_does_not_fit_is_left_out) {
  memory m = {.limit = 2000000000, .over_limit = true};
  report r = {.memory = &m};
  char longer[2 * REPORT_MESSAGE_MAX];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  for (int32_t length = REPORT_MESSAGE_MAX - 40; length < REPORT_MESSAGE_MAX + 40; length++) {
    r.message[REPORT_MESSAGE_MAX - 1] = 'y';
    report_refuse(&r, MSD_OUT_OF_MEMORY, (subject){"spring", 1, NULL}, "%.*s", (int)length, longer);
    cr_expect(strlen(r.message) < REPORT_MESSAGE_MAX && strstr(r.message, "spring 1: x") == r.message);
  }
}
