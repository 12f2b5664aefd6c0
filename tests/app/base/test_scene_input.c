/* Which scene a command gets, and what it says of it */
#include "tests/support/command.h"

TestSuite(scene_input, .init = command_setup, .fini = command_teardown);

Test(scene_input, every_command_says_what_is_odd_about_its_scene) {
  static const char *const commands[] = {"run mixed.json", "info mixed.json --json",
                                         "stability mixed.json --time 0.1"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    const command_result done = msd("%s", commands[i]);
    cr_expect_eq(done.status, 0, "%s: %s", commands[i], done.err);
    cr_expect(strstr(done.err,
                     "warning: mixed.json: 2 pieces, of which 1 is held by nothing: particles \"ball\" "
                     "particle 0 falls for ever"),
              "%s: %s", commands[i], done.err);
  }
}

Test(scene_input, an_error_stays_one_line) {
  expect_refused(msd("run none.json"), 2, "none.json: No such file");
  expect_refused(msd("run mixed.json --export x --format obj --resume none"), 2, "none");
}
