/* msd export */
#include "tests/support/command.h"

TestSuite(command_export, .init = command_setup, .fini = command_teardown);

static void write_pair(void) {
  static const char text[] =
      "{\"msd\": 1, \"frame_time\": 0.0625, \"substeps\": 8, \"duration\": 1, \"bodies\": [{\"type\": "
      "\"particles\", \"name\": \"p\", \"position\": [[0, 0, 0], [2, 0, 0]], \"mass\": [1, 3], \"pinned\": "
      "[0], "
      "\"springs\": [{\"between\": [0, 1], \"stiffness\": 200, \"rest_length\": 1.5}]}]}";
  write_file("pair.json", text, sizeof text - 1);
}

/* A run whose duration is none has written one frame, and that is the beginning. */
Test(command_export, writes_what_a_run_writes_before_its_first_step) {
  static const char *const files[][2] = {
      {"obj", "pair_000000.obj"}, {"ply", "pair_000000.ply"}, {"vtk", "pair_000000.vtk"}};
  write_pair();
  for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
    const command_result done = msd(format_text("export pair.json out --format %s", files[n][0]));
    cr_assert_eq(done.status, 0, "%s", done.err);
    cr_expect_not_null(strstr(done.out, "pair: wrote 2 particles (1 pinned), 1 spring as"), "%s", done.out);
    cr_assert_eq(
        msd(format_text("run pair.json --duration 0 --export frames --format %s", files[n][0])).status, 0);
    const char *path = format_text("out/%s", files[n][1]);
    cr_assert(exists(path), "no %s", path);
    cr_expect_str_eq(read_text(path), read_text(format_text("frames/%s", files[n][1])));
  }
}

/* 16 frames of 8 substeps. */
Test(command_export, tells_lammps_to_go_on_for_the_duration_of_the_scene) {
  write_pair();
  const command_result done = msd("export pair.json --format lammps out");
  cr_assert_eq(done.status, 0, "%s", done.err);
  cr_expect_not_null(strstr(read_text("out/pair.in"), "frames index 16\nvariable steps equal 8\n"));
}

Test(command_export, asks_for_what_is_missing_and_refuses_what_is_too_much) {
  write_pair();
  expect_refused(msd("export"), 2, "needs a SCENE");
  expect_refused(msd("export pair.json"), 2, "needs a DIR after the SCENE");
  expect_refused(msd("export pair.json out out"), 2, "one SCENE and one DIR");
  expect_refused(msd("export pair.json out --edges"), 2, "--format ply");
  expect_refused(msd("export pair.json out --format abc"), 2, "format");
  cr_expect_not(exists("out"));
}
