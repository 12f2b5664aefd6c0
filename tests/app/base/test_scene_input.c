/* Which scene a command gets, and what it says of it */
#include "tests/support/command.h"

TestSuite(scene_input, .init = command_setup, .fini = command_teardown);

Test(scene_input, every_command_says_what_is_odd_about_its_scene) {
  static const char *const commands[] = {"run mixed.json", "info mixed.json --json",
                                         "stability mixed.json --duration 0.1"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    const command_result done = msd("%s", commands[i]);
    cr_expect_eq(done.status, 0, "%s: %s", commands[i], done.err);
    cr_expect(strstr(done.err,
                     "warning: mixed.json: 1 of 2 connected components is attached to nothing: particles "
                     "\"ball\" "
                     "particle 0 will fall freely"),
              "%s: %s", commands[i], done.err);
  }
}

Test(scene_input, an_error_stays_one_line) {
  expect_refused(msd("run none.json"), 2, "none.json: No such file");
  expect_refused(msd("run mixed.json --export x --format obj --resume none"), 2, "none");
}

Test(scene_input, a_skeleton_that_a_scene_reads_is_not_written_over) {
  const char skeleton[] = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0 End Site { OFFSET 0 1 0 } }\n"
                          "MOTION Frames: 1 Frame Time: 1\n";
  const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\"}], \"colliders\": [{\"type\": \"skeleton\", "
      "\"file\": \"walk.bvh\"}]}";
  write_file("walk.bvh", skeleton, strlen(skeleton));
  write_file("walker.json", scene, strlen(scene));
  expect_refused(msd("run walker.json --trace walk.bvh"), 2, "not written over");
}
