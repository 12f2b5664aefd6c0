/* What a run says of the energy that its steps have made: how much, at which spring, and when. */
#include "tests/support/command.h"

#include <math.h>

TestSuite(energy_ledger, .init = command_setup, .fini = command_teardown);

/* A bob on an undamped spring falls from the horizontal; another hangs still, and its spring cannot turn. */
static const char BOBS[] =
    "{\"msd\": 1, \"title\": \"Bobs\", \"gravity\": [0, -10, 0], \"frame_time\": 0.015625, \"substeps\": 1, "
    "\"duration\": %g, \"energy_mode\": \"%s\", \"bodies\": ["
    "{\"type\": \"rope\", \"name\": \"still\", \"from\": [5, 1, 0], \"to\": [5, 0, 0], \"particles\": 2, "
    "\"mass\": 2, \"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 4000}}, "
    "{\"type\": \"rope\", \"name\": \"falling\", \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"particles\": 2, "
    "\"mass\": 2, \"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 4000}}]}";

static void write_bobs(double duration, const char *energy) {
  const char *text = format_text(BOBS, duration, energy);
  write_file("bobs.json", text, strlen(text));
}

Test(energy_ledger, a_summary_names_the_spring_that_makes_or_loses_most) {
  write_bobs(2, "monitor");
  json_t *summary = parse_json(msd("run bobs.json --json").out);
  cr_assert_lt(number_of(summary, "numerical_energy_gain"), -1e-3);
  cr_expect_eq(number_of(summary, "energy_gain_most_by_spring"), 1);
  cr_expect_float_eq(number_of(summary, "energy_gain_most_fraction"), 1, 1e-3);
  const char *text = msd("run bobs.json --details").out;
  cr_expect(strstr(text, "J numerical loss\n"), "%s", text);
  cr_expect(strstr(text, "numerical energy     100 % of it from rope \"falling\""), "%s", text);
}

Test(energy_ledger, where_nobody_measures_no_spring_is_named) {
  write_bobs(2, "off");
  json_t *summary = parse_json(msd("run bobs.json --json").out);
  cr_expect(json_is_null(json_object_get(summary, "energy_gain_most_by_spring")));
  cr_expect_null(strstr(msd("run bobs.json --details").out, "numerical"));
}

Test(energy_ledger, a_trace_has_the_energies_of_each_frame_and_the_last_are_those_of_the_summary) {
  write_bobs(2, "monitor");
  json_t *summary = parse_json(msd("run bobs.json --json --trace-energy e.csv --every 4").out);
  const char *at = read_text("e.csv");
  static const char header[] = "time,kinetic,elastic,potential,gain,allowance,bounded_substeps\n";
  cr_assert_eq(strncmp(at, header, strlen(header)), 0, "%s", at);
  cr_expect_eq(count_lines(at), 1 + 1 + 128 / 4);
  const char *last = at + strlen(at) - 1;
  while (last[-1] != '\n')
    last--;
  double values[7];
  cr_assert_eq(sscanf(last, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &values[0], &values[1], &values[2], &values[3],
                      &values[4], &values[5], &values[6]),
               7, "%s", last);
  static const char *const names[] = {"time",
                                      "kinetic_energy",
                                      "elastic_energy",
                                      "potential_energy",
                                      "numerical_energy_gain",
                                      "energy_allowance",
                                      "bounded_substeps"};
  for (int n = 0; n < 7; n++)
    cr_expect_float_eq(values[n], number_of(summary, names[n]), 1e-12 * fabs(values[n]), "%s", names[n]);
}

Test(energy_ledger, what_nobody_measures_is_empty_in_a_trace) {
  write_bobs(0.25, "off");
  cr_assert_eq(msd("run bobs.json --trace-energy e.csv").status, 0);
  const char *text = read_text("e.csv");
  cr_expect_eq(strcmp(text + strlen(text) - 4, ",,,\n"), 0, "%s", text);
}

Test(energy_ledger, a_resumed_run_completes_the_trace) {
  write_bobs(2, "bounded");
  cr_assert_eq(msd("run bobs.json --trace-energy whole.csv --every 3").status, 0);
  cr_assert_eq(msd("run bobs.json --duration 1 --trace-energy e.csv --every 3 --save c").status, 0);
  cr_assert_eq(msd("run bobs.json --duration 2 --trace-energy e.csv --every 3 --resume c").status, 0);
  cr_expect_str_eq(read_text("e.csv"), read_text("whole.csv"));
  expect_refused(msd("run bobs.json --trace-energy e.csv --trace e.csv"), 2, "e.csv");
}
