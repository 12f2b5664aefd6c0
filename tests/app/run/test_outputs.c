/* msd run: outputs that cannot be written are found before anything is simulated. */
#include "tests/support/command.h"

TestSuite(outputs, .init = command_setup, .fini = command_teardown);

/* So long that a run which began would be stopped by the time limit of the test. */
#define ENDLESS "run rope.json --time 1e7 "

Test(outputs, a_folder_where_a_file_is_wanted_is_refused_at_once, .timeout = 300) {
  mkdir(in_folder("folder"), 0777);
  mkdir(in_folder("folder.png"), 0777);
  expect_refused(msd(ENDLESS "--trace folder"), 1, "folder");
  expect_refused(msd(ENDLESS "--save folder"), 1, "folder");
  expect_refused(msd(ENDLESS "--png folder.png"), 1, "folder.png");
}

Test(outputs, a_missing_folder_is_refused_at_once, .timeout = 300) {
  expect_refused(msd(ENDLESS "--trace no/where.csv"), 1, "no/where.csv");
  expect_refused(msd(ENDLESS "--save no/where"), 1, "no/where");
  expect_refused(msd(ENDLESS "--export no/where"), 1, "no/where");
}

Test(outputs, a_file_where_a_folder_is_wanted_is_refused_at_once, .timeout = 300) {
  expect_refused(msd(ENDLESS "--export ball.json"), 1, "ball.json");
  expect_refused(msd(ENDLESS "--trace ball.json/t.csv"), 1, "ball.json");
}

Test(outputs, a_device_is_not_replaced_by_a_file, .timeout = 300) {
  expect_refused(msd(ENDLESS "--trace /dev/null"), 1, "/dev/null");
  expect_refused(msd(ENDLESS "--save /dev/null"), 1, "/dev/null");
}

/* /proc takes no files, not even from a superuser whom permissions do not stop. */
Test(outputs, an_unwritable_folder_is_refused_at_once, .timeout = 300) {
  if (access("/proc/self", F_OK) != 0)
    cr_skip_test("this system has no /proc");
  expect_refused(msd(ENDLESS "--trace /proc/t.csv"), 1, "/proc/t.csv");
  expect_refused(msd(ENDLESS "--save /proc/checkpoint"), 1, "/proc/checkpoint");
  expect_refused(msd(ENDLESS "--export /proc"), 1, "/proc");
}

Test(outputs, a_refused_run_leaves_nothing_behind, .timeout = 300) {
  msd(ENDLESS "--trace t.csv --save s --export e --png no/where.png");
  cr_expect_not(exists("t.csv"));
  cr_expect_not(exists("t.csv.part"));
  cr_expect_not(exists("s"));
  cr_expect_not(exists("s.part"));
}

Test(outputs, an_old_result_stays_when_a_run_is_refused, .timeout = 300) {
  msd("run rope.json --trace t.csv");
  char *before = read_text("t.csv");
  expect_refused(msd(ENDLESS "--trace t.csv --save no/where"), 1, "no/where");
  cr_expect_str_eq(read_text("t.csv"), before);
}
