/* The stretch target of msd run: the substeps and stiffness that it chooses, and its messages. */
#include "tests/support/command.h"

#include <math.h>

TestSuite(stretch, .init = command_setup, .fini = command_teardown);

/* Four links of 0.25 m and five particles of 0.1 kg hang from a pin, damped to rest. The top link carries the
   four below it. */
static const char LINKS[] =
    "{\"msd\": 1, \"title\": \"Links\", \"gravity\": [0, -10, 0], \"linear_damping\": 2, \"frame_time\": "
    "0.015625, "
    "\"substeps\": 2, \"duration\": 8, \"bodies\": [{\"type\": \"rope\", \"name\": \"r\", \"from\": [0, 1, "
    "0], "
    "\"to\": [0, 0, 0], \"particles\": 5, \"mass\": 0.5, \"pinned\": [\"first\"], "
    "\"stretch\": {\"stiffness\": 100, \"damping\": 0.5}}]}";

Test(stretch, without_a_target_the_springs_are_what_they_are) {
  write_file("links.json", LINKS, strlen(LINKS));
  json_t *summary = parse_json(msd("run links.json --json").out);
  cr_expect_float_eq(number_of(summary, "max_stretch"), 0.4 * 10 / (100 * 0.25), 2e-3);
  cr_expect_null(json_object_get(summary, "stretch_target"));
}

/* Links of 100 N/m stretch by 16 %, of 50 N/m by 32 %. */
Test(stretch, a_run_that_will_stretch_by_more_than_a_fifth_is_warned_of) {
  char soft[sizeof LINKS];
  strcpy(soft, LINKS);
  memcpy(strstr(soft, "\"stiffness\": 100"), "\"stiffness\":  50", strlen("\"stiffness\": 100"));
  write_file("links.json", LINKS, strlen(LINKS));
  write_file("soft.json", soft, strlen(soft));
  cr_expect_str_empty(msd("run links.json").err);
  const char *warning = msd("run soft.json").err;
  cr_expect(strstr(warning, "expected to stretch by 32 % at rest") && strstr(warning, "--stretch-target 5%"),
            "%s", warning);
  cr_expect_null(strstr(warning, "more --substeps"), "they do not change N/m: %s", warning);
  cr_expect_eq(count_lines(warning), 1);
  cr_expect_str_empty(msd("run soft.json --stretch-target 5%%").err);
}

/* Coefficients are softer in fewer substeps. */
Test(stretch, more_substeps_are_advised_where_they_help) {
  static const char cloth[] =
      "{\"msd\": 1, \"substeps\": 1, \"bodies\": [{\"type\": \"cloth\", \"columns\": 9, \"rows\": 9, "
      "\"pinned\": [\"top\"]}]}";
  write_file("cloth.json", cloth, sizeof cloth - 1);
  const char *warning = msd("run cloth.json --duration 0.1").err;
  cr_expect_not_null(strstr(warning, "use stiffer springs, more --substeps, or --stretch-target 5%"), "%s",
                     warning);
}

Test(stretch, a_target_is_reached_at_rest) {
  write_file("links.json", LINKS, strlen(LINKS));
  const double percents[] = {5, 1, 0.2};
  for (size_t n = 0; n < sizeof percents / sizeof *percents; n++) {
    json_t *summary = parse_json(msd("run links.json --json --stretch-target %g%%", percents[n]).out);
    cr_expect(json_is_true(json_object_get(summary, "stretch_target_reached")));
    cr_expect_leq(number_of(summary, "max_stretch"), percents[n] / 100 * 1.02, "%g %%", percents[n]);
    cr_expect_gt(number_of(summary, "max_stretch"), percents[n] / 100 * 0.3, "%g %%", percents[n]);
    cr_expect_leq(number_of(summary, "frame_time") / number_of(summary, "substeps"),
                  number_of(summary, "stable_substep"));
  }
}

Test(stretch, a_target_that_the_springs_meet_changes_nothing) {
  write_file("links.json", LINKS, strlen(LINKS));
  json_t *summary = parse_json(msd("run links.json --json --stretch-target 0.5").out);
  cr_expect_eq(number_of(summary, "stiffness_factor"), 1);
}

Test(stretch, a_budget_too_small_says_what_it_reaches_and_what_would_be_needed) {
  write_file("links.json", LINKS, strlen(LINKS));
  command_result result =
      msd("run links.json --json --duration 0.1 --stretch-target 0.00001 --frame-budget 1e-6ms");
  cr_expect_eq(result.status, 0, "%s", result.err);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  cr_expect_not_null(strstr(result.err, "not reached"), "%s", result.err);
  json_t *summary = parse_json(result.out);
  cr_expect(json_is_false(json_object_get(summary, "stretch_target_reached")));
  cr_expect_eq(number_of(summary, "substeps"), 1);
  cr_expect_gt(number_of(summary, "stretch_expected"), 1e-5);
  cr_expect_gt(number_of(summary, "stretch_substeps_needed"), 1);
}

static void expect_refusal(const char *scene, const char *options, const char *words) {
  command_result result = msd("run %s --duration 0.1 %s", scene, options);
  cr_expect_eq(result.status, 2, "%s: %d", options, result.status);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  cr_expect_not_null(strstr(result.err, words), "%s", result.err);
}

Test(stretch, what_cannot_be_reached_or_known_is_refused_and_says_why) {
  write_file("links.json", LINKS, strlen(LINKS));
  expect_refusal("links.json", "--stretch-target 1e-14", "no number of substeps up to 1,000,000");
  static const char dampers[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\", \"pinned\": [\"first\"], "
                                "\"stretch\": {\"damping\": 1}}]}";
  write_file("dampers.json", dampers, strlen(dampers));
  expect_refusal("dampers.json", "--stretch-target 2%", "is unknown");
  cr_expect_not_null(strstr(msd("info dampers.json").out, "stretch     unknown"));
}

Test(stretch, a_budget_in_which_springs_would_become_softer_is_refused) {
  static const char stiff[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\", \"particles\": 20, \"pinned\": "
                              "[\"first\"], \"stretch\": "
                              "{\"stiffness\": 1e6}}]}";
  write_file("stiff.json", stiff, strlen(stiff));
  expect_refusal("stiff.json", "--stretch-target 0.001 --frame-budget 1e-12s", "leaves 1 substep of about");
}

Test(stretch, constraints_that_the_estimate_does_not_see_are_told) {
  static const char block[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"block\", \"pinned\": [\"top\"], "
                              "\"volume\": {\"stiffness\": 100}}]}";
  write_file("block.json", block, strlen(block));
  cr_expect_not_null(strstr(msd("info block.json").out, "; 5 constraints not counted\n"));
}

Test(stretch, a_length_of_several_times_the_rest_length_is_told_as_a_length) {
  static const char soft[] =
      "{\"msd\": 1, \"gravity\": [0, -10, 0], \"bodies\": [{\"type\": \"rope\", \"mass\": 2, \"pinned\": "
      "[\"first\"], \"stretch\": {\"stiffness\": 2.5}}]}";
  write_file("soft.json", soft, strlen(soft));
  /* 1 kg at 2.5 N/m: 4 m longer than 1 m. */
  cr_expect_not_null(strstr(msd("info soft.json").out, "estimate at rest: 5 times the length below pins"));
}

Test(stretch, options_that_do_not_fit_are_refused) {
  write_file("links.json", LINKS, strlen(LINKS));
  const char *const bad[] = {"--stretch-target 0",    "--stretch-target -1",
                             "--stretch-target lots", "--stretch-target 5% --substeps 4",
                             "--frame-budget 0.01",   "--stretch-target 5% --frame-budget 0"};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    command_result result = msd("run links.json %s", bad[n]);
    cr_expect_eq(result.status, 2, "%s: %d", bad[n], result.status);
    cr_expect_eq(count_lines(result.err), 1, "%s: %s", bad[n], result.err);
  }
}

/* A number without % is a strain. */
Test(stretch, takes_a_target_in_percent_or_as_a_strain) {
  write_file("links.json", LINKS, strlen(LINKS));
  const char *strain = msd("run links.json --json --duration 0.1 --stretch-target 0.05").out,
             *percent = msd("run links.json --json --duration 0.1 --stretch-target 5%%").out;
  cr_expect_float_eq(number_of(parse_json(strain), "stretch_target"), 0.05, 1e-12);
  cr_expect_eq(number_of(parse_json(strain), "stretch_target"),
               number_of(parse_json(percent), "stretch_target"));
  expect_refusal("links.json", "--stretch-target 5", "write 5% for 5 percent");
  expect_refusal("links.json", "--stretch-target 5%%", "such as 5% or 0.05");
}

Test(stretch, takes_a_budget_with_a_unit) {
  write_file("links.json", LINKS, strlen(LINKS));
  const char *const budgets[] = {"4ms", "0.004s", "0.004", "4000us"};
  for (size_t n = 0; n < sizeof budgets / sizeof *budgets; n++) {
    command_result result =
        msd("run links.json --duration 0.1 --stretch-target 5%% --frame-budget %s", budgets[n]);
    cr_expect_eq(result.status, 0, "%s", result.err);
  }
  expect_refusal("links.json", "--stretch-target 5% --frame-budget 4m", "such as 0.01 or 10ms");
}
