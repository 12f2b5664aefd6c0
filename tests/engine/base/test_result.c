/* Results, version and precision. */
#include <msd/msd.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(result, every_result_has_a_text_of_its_own_that_begins_with_its_name) {
  static const char *const names[] = {
#define NAME(name, text) #name,
      MSD_RESULTS(NAME)
#undef NAME
  };
  for (int r = 0; r < MSD_RESULT_COUNT; r++) {
    const char *text = msd_result_string((msd_result)r);
    cr_assert_eq(strncmp(text, names[r], strlen(names[r])), 0, "result %d: %s", r, text);
    cr_assert(strlen(text) > strlen(names[r]) + 5, "result %d says too little: %s", r, text);
    cr_assert_null(strchr(text, '\n'));
    for (int other = 0; other < r; other++)
      cr_assert_str_neq(text, msd_result_string((msd_result)other));
  }
}

Test(result, numbers_that_are_no_result_are_unknown) {
  cr_assert_str_eq(msd_result_string(MSD_RESULT_COUNT), "unknown result");
  const int strange[] = {-1, 1000, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
    msd_result result;
    memcpy(&result, &strange[i], sizeof result);
    cr_assert_str_eq(msd_result_string(result), "unknown result");
  }
}

Test(result, the_version_is_that_of_the_header) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", MSD_VERSION_MAJOR, MSD_VERSION_MINOR, MSD_VERSION_PATCH);
  cr_assert_str_eq(msd_version(), text);
}

Test(result, the_precision_is_the_size_of_a_real) {
  cr_assert_eq(msd_precision(), (int)sizeof(msd_real));
}
