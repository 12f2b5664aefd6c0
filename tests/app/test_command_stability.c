/* msd stability */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_stability, .init = command_setup, .fini = command_teardown);

/* One spring of 1e6 N/m between unit masses that is hardly stretched: symplectic Euler is stable up to
   2 / sqrt(2e6) s, RK4 up to 2 sqrt 2 / sqrt(2e6) s. */
static const char PAIR[] =
    "{\"msd\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.01, \"duration\": 10, \"bodies\": [{\"kind\": "
    "\"particles\", \"name\": \"pair\", \"position\": [[0, 0, 0], [1, 0, 0]], \"mass\": [1, 1], \"springs\": "
    "[{\"between\": [0, 1], \"rest_length\": 0.9999, \"stiffness\": 1e6, \"damping\": 0}]}]}";

static double pair_limit(void) {
  return 2 / sqrt(2e6);
}

/* dt = 2/sqrt(k/I) = 31.25 ms for symplectic Euler, sqrt 2 times that for RK4. */
static const char DISC[] =
    "{\"msd\": 1, \"time_step\": 0.015625, \"duration\": 1, \"bodies\": [{\"kind\": \"rotors\", \"name\": "
    "\"disc\", \"angle\": [1], \"springs\": [{\"between\": [0, \"frame\"], \"rest_angle\": 0, \"stiffness\": "
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
  cr_assert_str_eq(line, "integrator,time_step,predicted_limit,outcome,failed_at,max_stretch,energy_error,"
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

Test(command_stability, the_measured_limit_is_the_predicted_one) {
  write_file("pair.json", PAIR, strlen(PAIR));
  command_result result = msd("stability pair.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  const char *names[] = {"symplectic_euler, predicted limit", "velocity_verlet, predicted limit",
                         "rk4, predicted limit"};
  for (int n = 0; n < 3; n++) {
    const char *line = strstr(result.out, names[n]);
    cr_assert_not_null(line, "%s in: %s", names[n], result.out);
    const char *verdict = strstr(line, "stable up to ");
    double ratio = 0;
    cr_assert(verdict != NULL && sscanf(strchr(verdict, ','), ", %lf times that", &ratio) == 1, "%s", line);
    cr_expect_float_eq(ratio, 1, 0.01, "%s", line);
  }
  cr_expect_not_null(strstr(result.out, "explicit_euler, predicted limit none"));
  cr_expect_not_null(strstr(result.out, "sequential_impulse, predicted limit "));
}

Test(command_stability, a_limit_on_coefficients_leaves_every_step_stable) {
  char *scene = format_text("%.*s, \"limit\": \"coefficients\"}", (int)strlen(PAIR) - 1, PAIR);
  write_file("capped.json", scene, strlen(scene));
  command_result result = msd("stability capped.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  const char *line = strstr(result.out, "symplectic_euler, predicted limit");
  cr_assert_not_null(line);
  cr_expect_not_null(strstr(line, "stable at every step tried"));
}

Test(command_stability, the_plot_is_a_picture) {
  if (system("command -v gnuplot >/dev/null 2>&1") != 0)
    cr_skip_test("gnuplot is not installed");
  write_file("pair.json", PAIR, strlen(PAIR));
  cr_assert_eq(msd("stability pair.json --time 0.05 --plot map.svg").status, 0);
  const char *svg = read_text("map.svg");
  cr_expect_not_null(strstr(svg, "<svg"));
  cr_expect_not_null(strstr(svg, "predicted limit"));
  cr_expect_not_null(strstr(svg, "symplectic Euler"));
  cr_expect_not_null(strstr(svg, "</svg>"));
}

Test(command_stability, bad_usage_is_refused_in_one_line) {
  expect_refused(msd("stability"), 2, "SCENE");
  expect_refused(msd("stability nowhere.json"), 2, "nowhere.json");
  expect_refused(msd("stability bomb.json --time 0"), 2, "--time");
  expect_refused(msd("stability bomb.json --time nan"), 2, "--time");
  expect_refused(msd("stability bomb.json --disturbance -1"), 2, "--disturbance");
  expect_refused(msd("stability bomb.json --plott x.svg"), 2, "--plot");
  expect_refused(msd("stability bomb.json --csv no/such/folder.csv"), 1, "no/such");
  expect_refused(msd("stability bomb.json --plot map.pdf"), 2, ".svg");
  expect_refused(msd("stability bomb.json --plot a.svg --csv a.svg"), 2, "a.svg");
  cr_expect_not(exists("a.svg"));
}

Test(command_stability, a_scene_without_springs_is_stable_at_every_step) {
  command_result result = msd("stability ball.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_null(strstr(result.out, "unstable"));
  cr_expect_null(strstr(result.out, "diverged"));
}

/* The time given is less than one step: growth shows in many. */
Test(command_stability, a_short_time_does_not_hide_or_feign_growth) {
  write_file("disc.json", DISC, strlen(DISC));
  command_result result = msd("stability disc.json --time 0.025 --csv runs.csv");
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
  cr_expect_not_null(strstr(result.out, "1 rotor, 1 angular spring; every run simulates 25 ms"), "%s",
                     result.out);
  cr_expect_null(strstr(result.out, "particle"), "%s", result.out);
}

Test(command_stability, a_certificate_of_the_present_shape_is_not_called_one_of_every_shape) {
  static const char scene[] = "{\"msd\": 1, \"time_step\": 0.015625, \"duration\": 1, \"bodies\": "
                              "[{\"kind\": \"rope\", \"name\": \"r\", "
                              "\"particles\": 4, \"stretch\": {\"stiffness\": 100}, \"bend\": {\"kind\": "
                              "\"angle\", \"stiffness\": 1}}]}";
  write_file("bent.json", scene, sizeof scene - 1);
  command_result result = msd("stability bent.json --time 0.1");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(result.out, "at the present one for other constraints"), "%s", result.out);
  cr_expect_not_null(strstr(result.out, ", 2 constraints;"), "%s", result.out);
}

/* What gnuplot is told is a script, in which a quote would end the title. */
Test(command_stability, the_name_of_a_scene_is_no_command_of_gnuplot) {
  const char *name = "a'; set output 'evil';b.json";
  write_file(name, ROPE, strlen(ROPE));
  const command_result result = msd("stability \"%s\" --time 0.01 --plot p.svg", name);
  if (result.status == 1 && strstr(result.err, "gnuplot, which is not installed"))
    cr_skip_test("gnuplot is not installed");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(read_text("p.svg"), "evil"));
  cr_expect_not(exists("evil"));
}
