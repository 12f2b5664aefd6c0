/* msd itself, and what all commands share. */
#include "tests/support/command.h"
#include "tests/support/share.h"

TestSuite(command, .init = command_setup, .fini = command_teardown);

Test(command, version_is_that_of_the_library) {
  command_result result = msd("--version");
  cr_expect_eq(result.status, 0);
  cr_expect_not_null(strstr(result.out, msd_version()));
  cr_expect_str_empty(result.err);
}

Test(command, help_lists_every_command_and_exits_0) {
  command_result result = msd("--help");
  cr_expect_eq(result.status, 0);
  const char *const commands[] = {"run", "view", "info", "list", "spring"};
  for (int i = 0; i < 5; i++)
    cr_expect_not_null(strstr(result.out, format_text("\n  %s ", commands[i])), "%s", commands[i]);
}

Test(command, no_command_is_bad_usage_and_prints_help_to_stderr) {
  command_result result = msd("");
  cr_expect_eq(result.status, 2);
  cr_expect_str_empty(result.out);
  cr_expect_not_null(strstr(result.err, "usage: msd"));
}

Test(command, an_unknown_command_is_refused_with_the_nearest_one) {
  expect_refused(msd("rnu rope.json"), 2, "did you mean 'run'?");
  expect_refused(msd("simulate rope.json"), 2, "msd --help");
}

Test(command, an_unknown_option_is_refused_with_the_nearest_one) {
  expect_refused(msd("run rope.json --tmie 3"), 2, "did you mean '--time'?");
  expect_refused(msd("run rope.json --xyzzy"), 2, "msd run --help");
  expect_refused(msd("run rope.json -q"), 2, "-q");
  expect_refused(msd("run rope.json --json=yes"), 2, "takes no value");
  expect_refused(msd("run rope.json --time"), 2, "needs a value");
  expect_refused(msd("info rope.json --jsn"), 2, "did you mean '--json'?");
}

/* What is short for one option today may be short for two tomorrow. */
Test(command, the_name_of_an_option_is_not_cut_short) {
  expect_refused(msd("run rope.json --tim 3"), 2, "did you mean '--time'?");
  expect_refused(msd("run rope.json --js"), 2, "--js");
  expect_refused(msd("run rope.json --hel"), 2, "did you mean '--help'?");
}

Test(command, options_and_the_scene_come_in_any_order) {
  const char *lines[] = {"run rope.json --time 0.25 --json", "run --json --time=0.25 rope.json",
                         "run --time 0.25 --json -- rope.json"};
  for (int i = 0; i < 3; i++) {
    command_result result = msd("%s", lines[i]);
    cr_expect_eq(result.status, 0, "%s: %s", lines[i], result.err);
    cr_expect_eq(number_of(parse_json(result.out), "frames"), 16, "%s", lines[i]);
  }
  expect_refused(msd("run -- --json"), 2, "--json");
}

/* One line, whatever is in a name: no break, and nothing that a terminal obeys. */
Test(command, an_error_is_one_line_even_about_a_value_of_two) {
  expect_refused(msd("run rope.json --dt '0.1\n0.2'"), 2, "0.1?0.2");
  expect_refused(msd("run rope.json --integrator 'rk4\n'"), 2, "rk4?");
  expect_refused(msd("run 'no\nwhere.json'"), 2, "no?where.json");
  expect_refused(msd("run rope.json '--ti\nme' 1"), 2, "ti?me");
  expect_refused(msd("run rope.json --resume '\033[2Jx\n'"), 2, "?[2Jx?");
  expect_refused(msd("run rope.json --export 'a\nb/c'"), 1, "a?b/c");
  expect_refused(msd("'ru\nn' rope.json"), 2, "ru?n");
}

Test(command, a_scene_is_needed_and_only_one) {
  expect_refused(msd("run"), 2, "SCENE");
  expect_refused(msd("info"), 2, "SCENE");
  expect_refused(msd("run rope.json ball.json"), 2, "ball.json");
  expect_refused(msd("list rope.json"), 2, "rope.json");
}

Test(command, a_missing_scene_is_bad_input_and_is_named) {
  expect_refused(msd("run nowhere.json"), 2, "nowhere.json");
  expect_refused(msd("info nowhere.json"), 2, "nowhere.json");
}

Test(command, help_of_a_command_shows_every_option_of_it) {
  const char *const options[] = {"--time",  "--dt",    "--substeps", "--integrator", "--limit",  "--threads",
                                 "--trace", "--every", "--export",   "--format",     "--save",   "--resume",
                                 "--json",  "--help",  "--png",      "--size",       "--camera", "--color"};
  command_result result = msd("run --help");
  cr_expect_eq(result.status, 0);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    cr_expect_not_null(strstr(result.out, format_text("\n  %s", options[i])), "%s", options[i]);
  cr_expect_not_null(strstr(msd("info --help").out, "--json"));
  const char *const others[] = {"list", "view", "spring"};
  for (int i = 0; i < 3; i++)
    cr_expect_eq(msd("%s --help", others[i]).status, 0, "%s", others[i]);
}

/* A full disk, or a reader that went away. */
Test(command, results_that_cannot_be_printed_are_a_failure) {
  if (access("/dev/full", W_OK) != 0)
    cr_skip_test("this system has no /dev/full");
  char *line =
      format_text("'%s' info '%s' >/dev/full 2>'%s'", MSD_COMMAND, in_folder("rope.json"), in_folder(".err"));
  int status = system(line);
  cr_expect_eq(exit_status(status), 1);
  cr_expect_eq(count_lines(read_text(".err")), 1);
}

Test(command, list_names_scenes_that_load_with_their_titles) {
  command_result result = msd("list");
  cr_expect_eq(result.status, 0);
  cr_expect_geq(count_lines(result.out), 12);
  size_t title_column = 0;
  int turn = 0;
  for (char *row = strtok(result.out, "\n"); row != NULL; row = strtok(NULL, "\n")) {
    char name[128];
    cr_assert_eq(sscanf(row, "%127s", name), 1);
    size_t column = strlen(name) + strspn(row + strlen(name), " ");
    cr_expect_gt(strlen(row), column, "%s has no title", name);
    cr_expect(title_column == 0 || column == title_column, "%s is not aligned", name);
    title_column = column;
    if (turn++ % MSD_TEST_SHARE > 0)
      continue;
    command_result info = msd("info %s --json", name);
    cr_expect_eq(info.status, 0, "%s: %s", name, info.err);
  }
}
