#include "scenes/input/scene_error.h"

#include <criterion/criterion.h>
#include <string.h>

Test(scene_error, is_one_line_whatever_is_in_it) {
  scene_error error;
  cr_expect(!scene_fail(&error, "file \"%s\"", "a\nb\tc\x7f"));
  cr_expect_str_eq(error.text, "file \"a?b?c?\"");
}

Test(scene_error, is_cut_and_ended_when_it_is_long) {
  char text[3 * SCENE_ERROR_MAX];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  scene_error error;
  scene_fail(&error, "%s", text);
  cr_expect_eq(strlen(error.text), SCENE_ERROR_MAX - 1);
}
