/* msd itself, and the command line that all commands share. */
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
  expect_refused(msd("run rope.json --duratoin 3"), 2, "did you mean '--duration'?");
  expect_refused(msd("run rope.json --xyzzy"), 2, "msd run --help");
  expect_refused(msd("run rope.json -q"), 2, "unknown option '-q'; 'msd run --help' shows all options");
  expect_refused(msd("run rope.json -o out"), 2, "unknown option '-o'; files are written by --export DIR");
  expect_refused(msd("run rope.json -s"), 2, "options have long names, such as --substeps");
  expect_refused(msd("run rope.json --fps 60"), 2, "did you mean --frame-time");
  expect_refused(msd("run rope.json --output out"), 2, "did you mean --export DIR?");
  expect_refused(msd("run rope.json --json=yes"), 2, "takes no value");
  expect_refused(msd("run rope.json --duration"), 2, "needs a value");
  expect_refused(msd("info rope.json --jsn"), 2, "did you mean '--json'?");
}

/* What is short for one option today may be short for two tomorrow. */
Test(command, the_name_of_an_option_is_not_cut_short) {
  expect_refused(msd("run rope.json --dur 3"), 2, "unknown option");
  expect_refused(msd("run rope.json --js"), 2, "--js");
  expect_refused(msd("run rope.json --hel"), 2, "did you mean '--help'?");
}

Test(command, options_and_the_scene_come_in_any_order) {
  const char *lines[] = {"run rope.json --duration 0.25 --json", "run --json --duration=0.25 rope.json",
                         "run --duration 0.25 --json -- rope.json"};
  for (int i = 0; i < 3; i++) {
    command_result result = msd("%s", lines[i]);
    cr_expect_eq(result.status, 0, "%s: %s", lines[i], result.err);
    cr_expect_eq(number_of(parse_json(result.out), "frames"), 16, "%s", lines[i]);
  }
  expect_refused(msd("run -- --json"), 2, "--json");
}

/* One line, whatever is in a name: no break, and nothing that a terminal obeys. */
Test(command, an_error_is_one_line_even_about_a_value_of_two) {
  expect_refused(msd("run rope.json --frame-time '0.1\n0.2'"), 2, "0.1?0.2");
  expect_refused(msd("run rope.json --integrator 'rk4\n'"), 2, "rk4?");
  expect_refused(msd("run 'no\nwhere.json'"), 2, "no?where.json");
  expect_refused(msd("run rope.json '--ti\nme' 1"), 2, "ti?me");
  expect_refused(msd("run rope.json --resume '\033[2Jx\n'"), 2, "?[2Jx?");
  expect_refused(msd("run rope.json --export 'a\nb/c'"), 2, "a?b/c");
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

Test(command, lists_scenes_in_groups_and_three_to_try_first) {
  const char *text = msd("list").out;
  cr_expect_eq(strncmp(text, "Try first\n  layers  ", 20), 0, "%s", text);
  const char *const groups[] = {"\n\nContact and collision\n  drape ", "\n\nCloth\n  hanging_cloth ",
                                "\n\nRopes and soft bodies\n  hanging_rope ",
                                "\n\nRotors\n  torsion_pendulum "};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    cr_expect_not_null(strstr(text, groups[g]), "no '%s' in:\n%s", groups[g], text);
  cr_expect_null(strstr(text, "Other scenes"), "a built-in scene is in no group");
}

Test(command, prints_the_help_of_a_command_after_the_word_help) {
  cr_expect_str_eq(msd("help run").out, msd("run --help").out);
  cr_expect_str_eq(msd("help info").out, msd("info --help").out);
  cr_expect_str_eq(msd("help").out, msd("--help").out);
  expect_refused(msd("help rnu"), 2, "did you mean 'run'?");
}

Test(command, groups_the_options_of_a_run_and_ends_its_help_with_examples) {
  const char *text = msd("run --help").out;
  const char *const headings[] = {"Time",        "Solver", "Output",   "Pictures",
                                  "Checkpoints", "Checks", "Parallel", "Help"};
  const char *at = text;
  for (size_t n = 0; n < sizeof headings / sizeof *headings && at != NULL; n++) {
    at = strstr(at, format_text("\n\n%s:\n  --", headings[n]));
    cr_expect_not_null(at, "no '%s' in its place in:\n%s", headings[n], text);
  }
  const char *examples = strstr(text, "\nExamples:\n");
  cr_assert_not_null(examples);
  cr_expect_eq(count_lines(examples), 2 + 5, "%s", examples);
  const char *const others[] = {"info", "spring", "export", "mesh"};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    cr_expect_not_null(
        strstr(msd("%s --help", others[n]).out, format_text("\nExamples:\n  msd %s ", others[n])));
}

Test(command, help_of_a_command_shows_every_option_of_it) {
  const char *const options[] = {
      "--duration", "--frame-time", "--substeps", "--integrator", "--clamp-stiffness", "--threads", "--trace",
      "--every",    "--export",     "--format",   "--save",       "--resume",          "--json",    "--help",
      "--png",      "--size",       "--camera",   "--color"};
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
  cr_expect_eq(exit_status(status), 3);
  cr_expect_eq(count_lines(read_text(".err")), 1);
}

/* Headings begin at the left edge, scenes two columns behind it. */
Test(command, lists_scenes_that_load_with_their_titles) {
  command_result result = msd("list");
  cr_expect_eq(result.status, 0);
  cr_expect_geq(count_lines(result.out), 12);
  size_t title_column = 0;
  int turn = 0;
  for (char *row = strtok(result.out, "\n"); row != NULL; row = strtok(NULL, "\n")) {
    char name[128];
    if (*row != ' ')
      continue;
    cr_assert_eq(sscanf(row, "%127s", name), 1);
    size_t column = 2 + strlen(name) + strspn(row + 2 + strlen(name), " ");
    cr_expect_gt(strlen(row), column, "%s has no title", name);
    cr_expect(title_column == 0 || column == title_column, "%s is not aligned", name);
    title_column = column;
    if (turn++ % MSD_TEST_SHARE > 0)
      continue;
    command_result info = msd("info %s --json", name);
    cr_expect_eq(info.status, 0, "%s: %s", name, info.err);
  }
}
