/* Substeps that a few light particles need, in msd info and msd run. */
#include "tests/support/command.h"

#include <math.h>

TestSuite(softening_table, .init = command_setup, .fini = command_teardown);

/* A chain of unit masses on springs of 100 N/m, in which one weighs a milligram. */
enum { PARTICLES = 301, LIGHT = 150 };
static const double STIFFNESS = 100, LIGHT_MASS = 1e-6, FRAME = 1.0 / 64;

static char *put(char *at, const char *format, ...) {
  va_list values;
  va_start(values, format);
  at += vsprintf(at, format, values);
  va_end(values);
  return at;
}

static void write_chain_of(const char *name, double frame, const char *settings) {
  char *text = take_memory(PARTICLES * 100 + 1000), *at = text;
  at = put(at,
           "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": %.17g, \"duration\": 1%s, \"bodies\": "
           "[{\"type\": "
           "\"particles\", \"name\": \"chain\", \"position\": [",
           frame, settings);
  for (int i = 0; i < PARTICLES; i++)
    at = put(at, "%s[%d, 0, 0]", i > 0 ? "," : "", i);
  at = put(at, "], \"mass\": [");
  for (int i = 0; i < PARTICLES; i++)
    at = put(at, "%s%g", i > 0 ? "," : "", i == LIGHT ? LIGHT_MASS : 1);
  at = put(at, "], \"springs\": [");
  for (int i = 0; i + 1 < PARTICLES; i++)
    at = put(at, "%s{\"between\": [%d, %d], \"stiffness\": %g}", i > 0 ? "," : "", i, i + 1, STIFFNESS);
  put(at, "]}]}");
  write_file(name, text, strlen(text));
}

static void write_chain(const char *name, const char *settings) {
  write_chain_of(name, FRAME, settings);
}

static json_t *row_of(const json_t *info, size_t row) {
  json_t *found = json_array_get(json_object_get(info, "softening"), row);
  cr_assert_not_null(found, "no row %zu", row);
  return found;
}

/* The limit leaves k <= share/dt^2, with the share 1/(n_a w_a + n_b w_b): both springs of the light one have
   1/(2/m + 2). With unit masses alone it is 1/4, which is more than any of the rows takes. */
Test(softening_table, rows_count_the_springs_at_the_light_particle) {
  static const int substeps[] = {10, 30, 100};
  write_chain("chain.json", "");
  json_t *info = parse_json(msd("info chain.json --json").out);
  /* m < dt^2 k (1 + x), x = 0 of its heavy neighbors; they take a little more. */
  const double certified = FRAME / sqrt(2 * LIGHT_MASS / STIFFNESS);
  cr_assert_float_eq(number_of(info, "substeps"), ceil(certified), 1);
  cr_assert_eq(json_array_size(json_object_get(info, "softening")), 3);
  for (size_t n = 0; n < 3; n++) {
    const json_t *row = row_of(info, n);
    const double dt = FRAME / substeps[n], left = 1 / (2 / LIGHT_MASS + 2) / (dt * dt * STIFFNESS);
    cr_expect_eq(number_of(row, "substeps"), substeps[n]);
    cr_expect_eq(number_of(row, "springs"), 2);
    cr_expect_eq(number_of(row, "constraints"), 0);
    cr_expect_float_eq(number_of(row, "stiffness_left") / left, 1, 1e-5);
  }
}

/* 2 of 300 springs are few, so ten substeps are the way out; the sum of 2 kappa over 4 is dt^2 k there. */
Test(softening_table, the_particle_is_named_with_the_mass_that_it_needs) {
  write_chain("chain.json", "");
  json_t *info = parse_json(msd("info chain.json --json").out);
  cr_expect_eq(number_of(info, "light_particle_count"), 1);
  cr_expect_eq(number_of(info, "light_particle_substeps"), 10);
  const json_t *light = json_array_get(json_object_get(info, "light_particles"), 0);
  const double needed = FRAME * FRAME / 100 * STIFFNESS;
  cr_expect_eq(number_of(light, "particle"), LIGHT);
  cr_expect_float_eq(number_of(light, "mass") / LIGHT_MASS, 1, 1e-6);
  cr_expect_float_eq(number_of(light, "required_mass") / needed, 1, 1e-5);
  const char *text = msd("info chain.json --details").out;
  cr_expect_not_null(strstr(text, "1 of 301 needs more than 10 substeps\n"), "%s", text);
  cr_expect_not_null(
      strstr(text, format_text("particles \"chain\" particle 150 needs %.3g times its mass of 0.001 g\n",
                               needed / LIGHT_MASS)),
      "%s", text);
  cr_expect_not_null(strstr(text, "\n           10              2 (0.7 %)"), "%s", text);
  cr_expect_not_null(strstr(text, "msd run --substeps 10 --clamp-stiffness: "), "%s", text);
}

Test(softening_table, the_way_out_is_what_it_says) {
  write_chain("chain.json", "");
  command_result result = msd("run chain.json --substeps 10 --clamp-stiffness --duration 0.1 --json");
  cr_assert_eq(result.status, 0);
  cr_expect_str_empty(result.err);
  json_t *summary = parse_json(result.out);
  cr_expect_eq(number_of(summary, "clamped_springs"), 2);
  cr_expect_eq(number_of(summary, "substeps"), 10);
}

Test(softening_table, a_run_of_many_substeps_says_so_before_it_starts) {
  write_chain("chain.json", "");
  const double substeps = number_of(parse_json(msd("info chain.json --json").out), "run_substeps");
  command_result result = msd("run chain.json --duration 0.1");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  cr_expect_not_null(
      strstr(result.err,
             format_text("a frame takes %g substeps, set by the springs of chain; particle 150 has 1/",
                         substeps)),
      "%s", result.err);
  cr_expect_not_null(strstr(result.err, "--substeps 10 --clamp-stiffness, which clamps 2 of 300 springs (0.7 "
                                        "%); see 'msd info chain.json --details'"),
                     "%s", result.err);
  cr_expect_str_empty(msd("run chain.json --duration 0.1 --substeps 500").err, "they were asked for");
  cr_expect_str_empty(msd("run chain.json --duration 0.1 --clamp-stiffness").err);
}

/* To find the reason goes through all springs many times, for a frame that takes a moment. */
Test(softening_table, a_short_run_of_a_large_network_does_not_look_for_what_asks_for_its_substeps) {
  static const char cloth[] =
      ", \"bodies\": [{\"type\": \"cloth\", \"columns\": 400, \"rows\": 400, \"mass\": 1e4, "
      "\"stretch\": {\"stiffness\": 1}, \"shear\": {\"stiffness\": 1}, \"bend\": "
      "{\"stiffness\": 1}}, {";
  write_chain("chain.json", "");
  const char *chain = read_text("chain.json"), *bodies = strstr(chain, ", \"bodies\": [{");
  cr_assert_not_null(bodies);
  char *text = take_memory(strlen(chain) + sizeof cloth);
  put(text, "%.*s%s%s", (int)(bodies - chain), chain, cloth, bodies + strlen(", \"bodies\": [{"));
  write_file("large.json", text, strlen(text));
  command_result result = msd("run large.json --duration 0.015625");
  cr_expect_eq(result.status, 0);
  cr_expect_null(strstr(result.err, "set by"), "%s", result.err);
}

/* More than a million substeps: there is still a way out, and not the one substep that a limit alone takes. */
Test(softening_table, a_run_that_no_substeps_are_certified_for_says_which_would_do) {
  static const char pair[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\", \"name\": \"r\", \"particles\": 500, \"stretch\": "
      "{\"stiffness\": "
      "10}}, {\"type\": \"particles\", \"position\": [[5, 0, 0], [5, 1, 0]], \"mass\": 1e-12, \"springs\": "
      "[{\"between\": [0, 1], \"stiffness\": 1e6}]}]}";
  write_file("pair.json", pair, sizeof pair - 1);
  expect_refused(msd("run pair.json"), 2,
                 "--substeps 10 --clamp-stiffness, which clamps 1 of 500 springs (0.2 %)");
  const char *text = msd("info pair.json --details").out;
  cr_expect_not_null(strstr(text, "no number is stable for a frame"), "%s", text);
  cr_expect_not_null(strstr(text, "\n           10              1 (0.2 %)"), "%s", text);
}

Test(softening_table, a_scene_with_the_limit_says_what_its_own_substeps_soften) {
  write_chain("chain.json", ", \"clamp_stiffness\": true, \"substeps\": 30");
  const char *text = msd("info chain.json --details").out;
  cr_expect_not_null(strstr(text, "clamped           2 of 300 springs (0.7 %), in 30 substeps"), "%s", text);
  cr_expect_null(strstr(text, "remedy"), "%s", text);
  cr_expect_eq(number_of(row_of(parse_json(msd("info chain.json --json").out), 0), "substeps"), 30);
}

/* In one substep of 0.1 s k dt^2 is 1, four times the share of unit masses; in ten a hundredth of that. */
Test(softening_table, a_limit_that_softens_all_in_one_substep_is_told_how_many_would_do) {
  write_chain_of("chain.json", 0.1, "");
  command_result result = msd("run chain.json --clamp-stiffness --duration 0.2 --json");
  cr_assert_eq(result.status, 0);
  cr_expect_eq(number_of(parse_json(result.out), "clamped_springs"), 300);
  cr_expect_not_null(
      strstr(result.err,
             "1 substep per frame clamps 300 of 300 springs (100 %); use --substeps 10, which clamps "
             "2 of 300 springs (0.7 %); see 'msd info chain.json --details'"),
      "%s", result.err);
  cr_expect_str_empty(msd("run chain.json --clamp-stiffness --substeps 1 --duration 0.2").err,
                      "it was asked for");
  write_chain_of("limited.json", 0.1, ", \"clamp_stiffness\": true");
  const char *text = msd("info limited.json --details").out;
  cr_expect_not_null(strstr(text, "clamped           300 of 300 springs (100 %), in 1 substep;"), "%s", text);
  cr_expect_not_null(
      strstr(text, "remedy            msd run --substeps 10, which clamps 2 of 300 springs (0.7 %)\n"), "%s",
      text);
}

/* Where all are alike it is the stiffness of the scene that asks for substeps, and no particle is to blame. */
Test(softening_table, where_nothing_stands_out_nothing_is_named) {
  static const char stiff[] = "{\"msd\": 1, \"frame_time\": 0.015625, \"bodies\": [{\"type\": \"rope\", "
                              "\"name\": \"r\", \"particles\": 50, "
                              "\"mass\": 50, \"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 2e6}}]}";
  write_file("stiff.json", stiff, sizeof stiff - 1);
  const char *text = msd("info stiff.json --details").out;
  cr_expect_not_null(strstr(text, "too many for single vertices"), "%s", text);
  cr_expect_not_null(strstr(text, "lower the stiffness, add mass"), "%s", text);
  cr_expect_str_empty(msd("run stiff.json --duration 0.1").err);
}

Test(softening_table, few_substeps_need_no_table) {
  const char *text = msd("info rope.json --details").out;
  cr_expect_null(strstr(text, "fewer substeps"), "%s", text);
  cr_expect_eq(json_array_size(json_object_get(parse_json(msd("info rope.json --json").out), "softening")),
               0);
}
