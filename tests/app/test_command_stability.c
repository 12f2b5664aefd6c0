/* msd stability */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_stability, .init = command_setup, .fini = command_teardown);

/* One spring of 1e6 N/m between unit masses that is hardly stretched: symplectic Euler is stable up to
   2 / sqrt(2e6) s, RK4 up to 2 sqrt 2 / sqrt(2e6) s. */
static const char PAIR[] =
    "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.01, \"duration\": 10, \"bodies\": [{\"type\": "
    "\"particles\", \"name\": \"pair\", \"position\": [[0, 0, 0], [1, 0, 0]], \"mass\": [1, 1], \"springs\": "
    "[{\"between\": [0, 1], \"rest_length\": 0.9999, \"stiffness\": 1e6, \"damping\": 0}]}]}";

static double pair_limit(void) {
  return 2 / sqrt(2e6);
}

/* dt = 2/sqrt(k/I) = 31.25 ms for symplectic Euler, sqrt 2 times that for RK4. */
static const char DISC[] =
    "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 1, \"bodies\": [{\"type\": \"rotors\", \"name\": "
    "\"disc\", \"angle\": [1], \"springs\": [{\"between\": [0, \"ground\"], \"rest_angle\": 0, "
    "\"stiffness\": "
    "4096}]}]}";

/* One line of the CSV file. */
typedef struct csv_row {
  char integrator[32], outcome[32];
  double step, predicted;
} csv_row;

enum { ROWS_MAX = 256 };

static int read_rows(const char *name, csv_row rows[ROWS_MAX]) {
  char *text = read_text(name);
  char *line = strtok(text, "\n");
  cr_assert_str_eq(line, "integrator,substep,predicted_limit,outcome,failed_at,max_stretch,energy_error,"
                         "position_error,wall_seconds_per_second");
  int count = 0;
  while ((line = strtok(NULL, "\n")) != NULL) {
    csv_row *row = &rows[count++];
    cr_assert_leq(count, ROWS_MAX);
    cr_assert_eq(
        sscanf(line, "%31[^,],%lf,%lf,%31[^,]", row->integrator, &row->step, &row->predicted, row->outcome),
        4, "%s", line);
  }
  return count;
}

Test(command_stability, runs_are_stable_up_to_the_predicted_limit_and_not_beyond) {
  write_file("pair.json", PAIR, strlen(PAIR));
  command_result result = msd("stability pair.json --csv runs.csv");
  cr_assert_eq(result.status, 0, "%s", result.err);
  csv_row rows[ROWS_MAX];
  const int count = read_rows("runs.csv", rows);
  int below = 0, above = 0;
  for (int i = 0; i < count; i++) {
    const bool symplectic = strcmp(rows[i].integrator, "symplectic_euler") == 0;
    const double limit = symplectic ? pair_limit() : sqrt(2) * pair_limit();
    if (!symplectic && strcmp(rows[i].integrator, "rk4") != 0)
      continue;
    cr_expect_float_eq(rows[i].predicted, limit, 1e-5 * limit);
    const bool stable = strcmp(rows[i].outcome, "stable") == 0;
    if (rows[i].step < 0.99 * limit)
      cr_expect(stable, "%s at %g s: %s", rows[i].integrator, rows[i].step, rows[i].outcome);
    if (rows[i].step > 1.01 * limit)
      cr_expect_not(stable, "%s at %g s: %s", rows[i].integrator, rows[i].step, rows[i].outcome);
    below += rows[i].step < 0.99 * limit;
    above += rows[i].step > 1.01 * limit;
  }
  cr_expect_gt(below, 8);
  cr_expect_gt(above, 8);
}

/* The columns of the row of an integrator, "-" where one is empty. */
typedef struct table_row {
  char predicted[32], stable[32], ratio[32], failure[32];
} table_row;

/* Cells end where two spaces stand. */
static table_row row_of(const char *out, const char *integrator) {
  table_row row;
  const char *line = strstr(out, integrator);
  cr_assert_not_null(line, "%s in: %s", integrator, out);
  cr_assert_eq(sscanf(line + strlen(integrator), "  %31[^\n]", row.predicted), 1);
  char *cells[4] = {row.predicted, row.stable, row.ratio, row.failure};
  const char *at = line + strlen(integrator);
  for (int c = 0; c < 4; c++) {
    at += strspn(at, " ");
    size_t length = 0;
    while (at[length] && at[length] != '\n' && !(at[length] == ' ' && at[length + 1] == ' '))
      length++;
    snprintf(cells[c], sizeof row.predicted, "%.*s", (int)(length < 31 ? length : 31), at);
    at += length;
  }
  return row;
}

Test(command_stability, measures_the_predicted_limit) {
  write_file("pair.json", PAIR, strlen(PAIR));
  command_result result = msd("stability pair.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  const char *names[] = {"symplectic_euler", "velocity_verlet", "rk4"};
  for (int n = 0; n < 3; n++) {
    const table_row row = row_of(result.out, names[n]);
    cr_expect_float_eq(atof(row.ratio), 1, 0.015, "%s: %s", names[n], row.ratio);
    cr_expect_gt(atof(row.failure), atof(row.stable));
  }
  cr_expect_str_eq(row_of(result.out, "explicit_euler").predicted, "no bound known");
  cr_expect_str_eq(row_of(result.out, "explicit_euler").stable, "none");
}

Test(command_stability, prints_a_row_for_each_integrator_and_every_run_on_request) {
  write_file("pair.json", PAIR, strlen(PAIR));
  const command_result result = msd("stability pair.json --duration 0.05"),
                       all = msd("stability pair.json --duration 0.05 --table");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_leq(count_lines(result.out), 12, "%s", result.out);
  cr_expect_eq(strncmp(result.out, "pair: 110 runs of ", 18), 0, "%s", result.out);
  cr_assert_eq(all.status, 0, "%s", all.err);
  cr_expect_geq(count_lines(all.out), 110);
}

Test(command_stability, finds_every_step_stable_where_stiffness_is_clamped) {
  char *scene = format_text("%.*s, \"clamp_stiffness\": true}", (int)strlen(PAIR) - 1, PAIR);
  write_file("capped.json", scene, strlen(scene));
  command_result result = msd("stability capped.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_str_eq(row_of(result.out, "symplectic_euler").stable, "all tried");
}

Test(command_stability, the_plot_is_a_picture) {
  if (system("command -v gnuplot >/dev/null 2>&1") != 0)
    cr_skip_test("gnuplot is not installed");
  write_file("pair.json", PAIR, strlen(PAIR));
  cr_assert_eq(msd("stability pair.json --duration 0.05 --plot map.svg").status, 0);
  const char *svg = read_text("map.svg");
  cr_expect_not_null(strstr(svg, "<svg"));
  cr_expect_not_null(strstr(svg, "predicted limit"));
  cr_expect_not_null(strstr(svg, "symplectic Euler"));
  cr_expect_not_null(strstr(svg, "</svg>"));
}

Test(command_stability, bad_usage_is_refused_in_one_line) {
  expect_refused(msd("stability"), 2, "SCENE");
  expect_refused(msd("stability nowhere.json"), 2, "nowhere.json");
  expect_refused(msd("stability bomb.json --duration 0"), 2, "--duration");
  expect_refused(msd("stability bomb.json --duration nan"), 2, "--duration");
  expect_refused(msd("stability bomb.json --disturbance -1"), 2, "--disturbance");
  expect_refused(msd("stability bomb.json --plott x.svg"), 2, "--plot");
  expect_refused(msd("stability bomb.json --csv no/such/folder.csv"), 3, "no/such");
  expect_refused(msd("stability bomb.json --plot map.pdf"), 2, ".svg");
  expect_refused(msd("stability bomb.json --plot a.svg --csv a.svg"), 2, "a.svg");
  cr_expect_not(exists("a.svg"));
}

Test(command_stability, a_scene_without_springs_is_stable_at_every_step) {
  command_result result = msd("stability ball.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_str_eq(row_of(result.out, "symplectic_euler").stable, "all tried");
  cr_expect_str_eq(row_of(result.out, "symplectic_euler").failure, "-");
}

/* The time given is less than one step: growth shows in many. */
Test(command_stability, a_short_time_does_not_hide_or_feign_growth) {
  write_file("disc.json", DISC, strlen(DISC));
  command_result result = msd("stability disc.json --duration 0.025 --csv runs.csv");
  cr_assert_eq(result.status, 0, "%s", result.err);
  csv_row rows[ROWS_MAX];
  const int count = read_rows("runs.csv", rows);
  for (int i = 0; i < count; i++) {
    if (strcmp(rows[i].integrator, "symplectic_euler") != 0)
      continue;
    const bool stable = strcmp(rows[i].outcome, "stable") == 0;
    cr_expect(stable == (rows[i].step < 1.0 / 32), "%g s: %s", rows[i].step, rows[i].outcome);
    cr_expect(i == 0 || rows[i].step > rows[i - 1].step * 1.01, "%g s twice", rows[i].step);
  }
  cr_expect_not_null(strstr(result.out, "110 runs of 25 ms, at least 300 substeps\n"), "%s", result.out);
  cr_expect_null(strstr(result.out, "disturbance"), "%s", result.out);
}

Test(command_stability, says_which_limits_hold_only_in_the_current_configuration) {
  static const char scene[] = "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 1, \"bodies\": "
                              "[{\"type\": \"rope\", \"name\": \"r\", "
                              "\"particles\": 4, \"stretch\": {\"stiffness\": 100}, \"bend\": {\"model\": "
                              "\"angle\", \"stiffness\": 1}}]}";
  write_file("bent.json", scene, sizeof scene - 1);
  command_result result = msd("stability bent.json --duration 0.1");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(result.out, "for other constraints in the initial"), "%s", result.out);
}

Test(command_stability, judges_the_predictions) {
  write_file("pair.json", PAIR, strlen(PAIR));
  const command_result result = msd("stability pair.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(result.out, "verdict     the predictions hold: none of "), "%s", result.out);
  cr_expect_not_null(strstr(result.out, "Errors: at substeps of 1.39 ms against "), "%s", result.out);
}

/* What gnuplot is told is a script, in which a quote would end the title. */
Test(command_stability, the_name_of_a_scene_is_no_command_of_gnuplot) {
  const char *name = "a'; set output 'evil';b.json";
  write_file(name, ROPE, strlen(ROPE));
  const command_result result = msd("stability \"%s\" --duration 0.01 --plot p.svg", name);
  if (result.status == 1 && strstr(result.err, "gnuplot, which is not installed"))
    cr_skip_test("gnuplot is not installed");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(read_text("p.svg"), "evil"));
  cr_expect_not(exists("evil"));
}

/* Two bodies that circle each other, without damping: no substep keeps their energy from growing. */
Test(command_stability, names_light_damping_where_energy_grows_below_the_limit) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  command_result result = msd("stability two_body_spring");
  cr_expect_eq(result.status, 1, "%s", result.err);
  cr_expect_not_null(
      strstr(result.out, " runs below the predicted limits FAILED, the first with symplectic_euler"), "%s",
      result.out);
  cr_expect_not_null(strstr(result.out, "\n            damping is light: springs that turn can gain energy"),
                     "%s", result.out);
}
