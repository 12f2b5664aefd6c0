/* msd run: outputs that cannot be written are found before anything is simulated. */
#include "tests/support/command.h"

TestSuite(outputs, .init = command_setup, .fini = command_teardown);

/* So short that one which began by mistake soon ends, with status 0. */
#define SHORT_RUN "run rope.json --duration 0.1 "

static const char FLAG[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
static const char FLAG_SCENE[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"flag.obj\"}]}";

Test(outputs, a_folder_where_a_file_is_wanted_is_refused_at_once, .timeout = 300) {
  mkdir(in_folder("folder"), 0777);
  mkdir(in_folder("folder.png"), 0777);
  expect_refused(msd(SHORT_RUN "--trace folder"), 2, "folder");
  expect_refused(msd(SHORT_RUN "--save folder"), 2, "folder");
  expect_refused(msd(SHORT_RUN "--png folder.png"), 2, "folder.png");
}

Test(outputs, a_missing_folder_is_refused_at_once, .timeout = 300) {
  expect_refused(msd(SHORT_RUN "--trace no/where.csv"), 2, "no/where.csv");
  expect_refused(msd(SHORT_RUN "--save no/where"), 2, "no/where");
  expect_refused(msd(SHORT_RUN "--export no/where"), 2, "no/where");
}

Test(outputs, a_file_where_a_folder_is_wanted_is_refused_at_once, .timeout = 300) {
  expect_refused(msd(SHORT_RUN "--export ball.json"), 2, "ball.json");
  expect_refused(msd(SHORT_RUN "--trace ball.json/t.csv"), 2, "ball.json");
}

/* By whatever name it is called. */
Test(outputs, what_the_scene_is_read_from_is_not_written_over, .timeout = 300) {
  char *scene_text = read_text("rope.json");
  symlink(in_folder("rope.json"), in_folder("link"));
  expect_refused(msd(SHORT_RUN "--save rope.json"), 2, "rope.json: is read by the scene");
  expect_refused(msd(SHORT_RUN "--save ./rope.json"), 2, "name another file");
  expect_refused(msd(SHORT_RUN "--trace link"), 2, "link: is read by the scene");
  cr_expect_str_eq(read_text("rope.json"), scene_text);

  write_file("flag.obj", FLAG, sizeof FLAG - 1);
  write_file("flag.json", FLAG_SCENE, sizeof FLAG_SCENE - 1);
  expect_refused(msd("run flag.json --duration 0.1 --export . --format pc2"), 2,
                 "flag.obj: is read by the scene");
  expect_refused(msd("run flag.json --duration 0.1 --trace flag.obj"), 2, "flag.obj: is read by the scene");
  cr_expect_str_eq(read_text("flag.obj"), FLAG);
}

/* A shape that an earlier run has exported, and that this one would come to. */
Test(outputs, a_frame_that_the_scene_is_read_from_is_not_written_over, .timeout = 300) {
  write_file("flag_000002.obj", FLAG, sizeof FLAG - 1);
  const char *scene =
      format_text("{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"flag_000002.obj\"}]}");
  write_file("flag.json", scene, strlen(scene));
  const command_result o = msd("run flag.json --export .");
  cr_expect_eq(o.status, 3);
  cr_expect(strstr(o.err, "flag_000002.obj: is read by the scene"), "%s", o.err);
  cr_expect_str_eq(read_text("flag_000002.obj"), FLAG);
}

Test(outputs, two_results_in_one_file_are_refused_by_whatever_names, .timeout = 300) {
  expect_refused(msd(SHORT_RUN "--trace a --save ./a"), 2, "name two files");
  expect_refused(msd(SHORT_RUN "--trace a --save ../$(basename \"$PWD\")/a"), 2, "name two files");
}

Test(outputs, a_device_is_not_replaced_by_a_file, .timeout = 300) {
  expect_refused(msd(SHORT_RUN "--trace /dev/null"), 2, "/dev/null");
  expect_refused(msd(SHORT_RUN "--save /dev/null"), 2, "/dev/null");
}

/* /proc takes no files, not even from a superuser whom permissions do not stop. */
Test(outputs, an_unwritable_folder_is_refused_at_once, .timeout = 300) {
  if (access("/proc/self", F_OK) != 0)
    cr_skip_test("this system has no /proc");
  expect_refused(msd(SHORT_RUN "--trace /proc/t.csv"), 2, "/proc/t.csv");
  expect_refused(msd(SHORT_RUN "--save /proc/checkpoint"), 2, "/proc/checkpoint");
  expect_refused(msd(SHORT_RUN "--export /proc"), 2, "/proc");
}

Test(outputs, a_refused_run_leaves_nothing_behind, .timeout = 300) {
  msd(SHORT_RUN "--trace t.csv --save s --export e --png no/where.png");
  cr_expect_not(exists("t.csv"));
  cr_expect_not(exists("t.csv.part"));
  cr_expect_not(exists("s"));
  cr_expect_not(exists("s.part"));
}

Test(outputs, an_old_result_stays_when_a_run_is_refused, .timeout = 300) {
  msd("run rope.json --trace t.csv");
  char *before = read_text("t.csv");
  expect_refused(msd(SHORT_RUN "--trace t.csv --save no/where"), 2, "no/where");
  cr_expect_str_eq(read_text("t.csv"), before);
}
