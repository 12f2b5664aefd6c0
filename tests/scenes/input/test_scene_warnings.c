#include "scenes/input/scene_warnings.h"

#include <criterion/criterion.h>

Test(scene_warnings, each_line_is_kept_once_and_in_order) {
  scene_warnings warnings = {0};
  scene_warn(&warnings, "%s: %d", "a", 1);
  scene_warn(&warnings, "b\n");
  scene_warn(&warnings, "a: 1");
  cr_assert_eq(warnings.count, 2);
  cr_expect_str_eq(warnings.lines[0], "a: 1");
  cr_expect_str_eq(warnings.lines[1], "b?");
  scene_warnings_free(&warnings);
  cr_expect(warnings.count == 0 && warnings.lines == NULL);
}

Test(scene_warnings, a_flood_is_cut_with_a_line_that_says_so) {
  scene_warnings warnings = {0};
  for (int i = 0; i < 1000; i++)
    scene_warn(&warnings, "%d", i);
  cr_assert_eq(warnings.count, SCENE_WARNINGS_MAX);
  cr_expect_str_eq(warnings.lines[SCENE_WARNINGS_MAX - 2], "18");
  cr_expect_str_eq(warnings.lines[SCENE_WARNINGS_MAX - 1], "there are more warnings than these");
  scene_warnings_free(&warnings);
}

Test(scene_warnings, nobody_need_want_them) {
  scene_warn(NULL, "a");
  scene_warnings none = {0};
  scene_warnings_free(&none);
  cr_expect_eq(none.count, 0);
}
