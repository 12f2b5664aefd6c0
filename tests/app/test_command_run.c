/* msd run: what it computes and what it says. */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_run, .init = command_setup, .fini = command_teardown);

Test(command_run, json_has_every_promised_key) {
  const char *const keys[] = {"scene",
                              "particles",
                              "springs",
                              "steps",
                              "substeps",
                              "frames",
                              "time",
                              "dt",
                              "integrator",
                              "threads",
                              "precision",
                              "wall_seconds",
                              "springs_per_second",
                              "kinetic_energy",
                              "elastic_energy",
                              "potential_energy",
                              "momentum",
                              "max_stretch",
                              "mean_stretch",
                              "max_speed",
                              "diverged",
                              "stable_time_step",
                              "hash"};
  command_result result = msd("run rope.json --json");
  cr_expect_eq(result.status, 0, "%s", result.err);
  json_t *summary = parse_json(result.out);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    cr_expect_not_null(json_object_get(summary, keys[i]), "%s", keys[i]);
  cr_expect_str_eq(text_of(summary, "scene"), "rope");
  cr_expect_eq(json_array_size(json_object_get(summary, "momentum")), 3);
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
  cr_expect_eq(strlen(text_of(summary, "hash")), 16);
  cr_expect_eq(strspn(text_of(summary, "hash"), "0123456789abcdef"), 16);
  cr_expect_str_eq(text_of(summary, "precision"), sizeof(msd_real) == 8 ? "double" : "float");
}

Test(command_run, steps_frames_and_rate_fit_together) {
  json_t *summary = parse_json(msd("run rope.json --json --time 0.5 --substeps 7").out);
  cr_expect_eq(number_of(summary, "frames"), 32);
  cr_expect_eq(number_of(summary, "substeps"), 7);
  cr_expect_eq(number_of(summary, "steps"), 32 * 7);
  cr_expect_float_eq(number_of(summary, "time"), 0.5, 1e-12);
  double rate =
      number_of(summary, "springs") * number_of(summary, "steps") / number_of(summary, "wall_seconds");
  cr_expect_float_eq(number_of(summary, "springs_per_second"), rate, 1e-9 * rate);
}

Test(command_run, automatic_substeps_are_the_fewest_certified) {
  json_t *summary = parse_json(msd("run bomb.json --json --substeps auto --time 1").out);
  double certified = ceil(0.1 / (2 / sqrt(2e6)));
  cr_expect_eq(number_of(summary, "substeps"), certified);
  cr_expect_eq(number_of(summary, "steps"), certified * 10);
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
}

/* Symplectic Euler in free fall: x_n = n dt v0 + dt^2 g n (n + 1) / 2. */
Test(command_run, trace_of_free_fall_is_exact) {
  command_result result = msd("run ball.json --trace fall.csv");
  cr_assert_eq(result.status, 0, "%s", result.err);
  int count;
  trace_row *rows = read_trace("fall.csv", &count);
  cr_assert_eq(count, 65);
  const double dt = 1.0 / 64;
  for (int n = 0; n < count; n++) {
    cr_expect_eq(rows[n].time, n * dt);
    cr_expect_eq(rows[n].particle, 0);
    cr_expect_eq((msd_real)rows[n].x[0], (msd_real)(2 * n * dt));
    cr_expect_eq((msd_real)rows[n].x[1], (msd_real)(-8 * dt * dt * n * (n + 1) / 2));
    cr_expect_eq((msd_real)rows[n].v[1], (msd_real)(-8 * dt * n));
  }
  cr_expect_not(exists("fall.csv.part"));
}

Test(command_run, every_thins_the_trace_and_keeps_frame_0) {
  msd("run rope.json --trace all.csv");
  msd("run rope.json --trace some.csv --every 10");
  int all_count, some_count;
  trace_row *all = read_trace("all.csv", &all_count), *some = read_trace("some.csv", &some_count);
  cr_assert_eq(all_count, 65 * 10);
  cr_assert_eq(some_count, 7 * 10);
  for (int i = 0; i < some_count; i++)
    cr_expect_eq(memcmp(&some[i], &all[i / 10 * 100 + i % 10], sizeof *some), 0, "row %d", i);
}

/* The printed digits restore every bit: the last row adds up to the energy that the summary reports. */
Test(command_run, trace_and_summary_tell_the_same_state) {
  json_t *summary = parse_json(msd("run rope.json --trace t.csv --json").out);
  int count;
  trace_row *rows = read_trace("t.csv", &count);
  double energy = 0, mass = (double)(msd_real)0.1;
  for (int i = count - 10; i < count; i++)
    energy +=
        mass / 2 * (rows[i].v[0] * rows[i].v[0] + rows[i].v[1] * rows[i].v[1] + rows[i].v[2] * rows[i].v[2]);
  cr_expect_float_eq(number_of(summary, "kinetic_energy"), energy, 1e-6 * energy);
}

Test(command_run, any_number_of_threads_gives_the_same_hash) {
  const char *one = hash_of(msd("run mixed.json --json --threads 1"));
  for (int threads = 2; threads <= 4; threads++)
    cr_expect_str_eq(hash_of(msd("run mixed.json --json --threads %d", threads)), one);
}

Test(command_run, options_take_precedence_over_the_scene) {
  json_t *summary =
      parse_json(msd("run rope.json --json --dt 0.0078125 --time 0.25 --integrator velocity_verlet "
                     "--limit coefficients --threads 2")
                     .out);
  cr_expect_eq(number_of(summary, "frames"), 32);
  cr_expect_eq(number_of(summary, "dt"), 0.0078125);
  cr_expect_str_eq(text_of(summary, "integrator"), "velocity_verlet");
  cr_expect_str_eq(text_of(summary, "limit"), "coefficients");
  cr_expect_eq(number_of(summary, "threads"), 2);
}

Test(command_run, time_0_simulates_nothing_and_is_no_error) {
  command_result result = msd("run rope.json --time 0 --json --trace t.csv");
  cr_expect_eq(result.status, 0);
  json_t *summary = parse_json(result.out);
  cr_expect_eq(number_of(summary, "frames"), 0);
  cr_expect_eq(number_of(summary, "springs_per_second"), 0);
  int count;
  read_trace("t.csv", &count);
  cr_expect_eq(count, 10);
}

/* 1/60 s written with nine digits is no reason for a frame of a few nanoseconds. */
Test(command_run, a_rounded_time_step_adds_no_frame) {
  cr_expect_eq(number_of(parse_json(msd("run rope.json --time 5 --dt 0.016666666 --json").out), "frames"),
               300);
  cr_expect_eq(number_of(parse_json(msd("run rope.json --time 5 --dt 0.016666667 --json").out), "frames"),
               300);
  cr_expect_eq(number_of(parse_json(msd("run rope.json --time 0.33 --dt 0.03125 --json").out), "frames"), 11);
}

Test(command_run, text_summary_has_units_and_the_hash) {
  command_result result = msd("run rope.json");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "it hangs by soft springs: %s", result.err);
  const char *hash = hash_of(msd("run rope.json --json"));
  cr_expect_not_null(strstr(result.out, hash), "%s", result.out);
  const char *const parts[] = {"springs/s", "64 frames of 15.62 ms", "4 substeps", " J kinetic", "m/s",
                               "certified"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.out, parts[i]), "no '%s' in:\n%s", parts[i], result.out);
}

Test(command_run, a_substep_over_the_limit_is_warned_of_in_one_line) {
  command_result result = msd("run bomb.json --time 0 --json");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  const char *const parts[] = {"warning", "100 ms", "1.414 ms", "\"pair\"", "--substeps 71"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.err, parts[i]), "no '%s' in: %s", parts[i], result.err);
  cr_expect_str_empty(msd("run bomb.json --time 0.1 --substeps 71").err);
}

Test(command_run, divergence_exits_1_and_keeps_what_was_finite) {
  command_result result = msd("run bomb.json --json --trace t.csv");
  cr_expect_eq(result.status, 1);
  cr_expect_not_null(strstr(result.err, "diverged"), "%s", result.err);
  cr_expect_not_null(strstr(result.err, "particle 0"), "%s", result.err);
  json_t *summary = parse_json(result.out);
  cr_expect(json_is_true(json_object_get(summary, "diverged")));
  int count;
  trace_row *rows = read_trace("t.csv", &count);
  cr_expect_eq(count, 2 * ((int)number_of(summary, "frames") + 1));
  cr_expect_lt(number_of(summary, "frames"), 100);
  for (int i = 0; i < count; i++)
    cr_expect(isfinite(rows[i].x[0]) && isfinite(rows[i].v[0]), "row %d", i);
}

Test(command_run, limit_coefficients_cures_divergence_and_says_what_it_softened) {
  command_result result = msd("run bomb.json --json --limit coefficients");
  cr_expect_eq(result.status, 0);
  cr_expect_str_empty(result.err);
  json_t *summary = parse_json(result.out);
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
  cr_expect_eq(number_of(summary, "capped_springs"), 1);
}

Test(command_run, stable_at_any_step_is_null_in_json) {
  json_t *summary = parse_json(msd("run ball.json --json").out);
  cr_expect(json_is_null(json_object_get(summary, "stable_time_step")));
}

Test(command_run, bad_values_are_refused_in_one_line_that_says_what_would_be_right) {
  expect_refused(msd("run rope.json --dt 0"), 2, "above 0");
  expect_refused(msd("run rope.json --dt nan"), 2, "above 0");
  expect_refused(msd("run rope.json --dt 1e-60"), 2, "1e-60");
  expect_refused(msd("run rope.json --dt 0.01x"), 2, "0.01x");
  expect_refused(msd("run rope.json --time -1"), 2, "0 or more");
  expect_refused(msd("run rope.json --time inf"), 2, "0 or more");
  expect_refused(msd("run rope.json --time 1e300 --dt 1e-30"), 2, "frames");
  expect_refused(msd("run rope.json --substeps 0"), 2, "auto");
  expect_refused(msd("run rope.json --substeps 1.5"), 2, "auto");
  expect_refused(msd("run rope.json --substeps 99999999999999999999"), 2, "1000000");
  expect_refused(msd("run rope.json --threads 257"), 2, "256");
  expect_refused(msd("run rope.json --every 0"), 2, "1 or more");
  expect_refused(msd("run rope.json --integrator rk5"), 2, "did you mean \"rk4\"?");
  expect_refused(msd("run rope.json --integrator leapfrog"), 2, "velocity_verlet");
  expect_refused(msd("run rope.json --limit all"), 2, "coefficients");
  expect_refused(msd("run rope.json --export d --format stl"), 2, "pc2");
  expect_refused(msd("run rope.json --format ply"), 2, "--export");
  expect_refused(msd("run rope.json --save-every 3"), 2, "--save");
  expect_refused(msd("run rope.json --trace x --save x"), 2, "two files");
  expect_refused(msd("run rope.json --size 3"), 2, "--size");
}

/* Explicit Euler feeds energy into every spring that is stiff, and nothing is proven about it. */
Test(command_run, an_integrator_without_a_certificate_is_never_called_certified) {
  command_result result = msd("run rope.json --integrator explicit_euler");
  cr_expect_eq(result.status, 0);
  cr_expect_not_null(strstr(result.err, "no substep is certified for explicit_euler"), "%s", result.err);
  cr_expect_not_null(strstr(result.err, "--integrator symplectic_euler is certified"), "%s", result.err);
  cr_expect_not_null(strstr(result.out, "none certified for explicit_euler"), "%s", result.out);
  json_t *summary = parse_json(msd("run rope.json --integrator explicit_euler --json").out);
  cr_expect_eq(number_of(summary, "stable_time_step"), 0);
}

/* RK4 can take 2 sqrt 2 / sqrt(2 k) = 2 ms of the undamped pair, symplectic Euler 1.41 ms. */
Test(command_run, the_limit_is_that_of_the_integrator) {
  json_t *summary = parse_json(msd("run bomb.json --integrator rk4 --substeps auto --time 1 --json").out);
  const double limit = 2 * sqrt(2) / sqrt(2e6);
  cr_expect_float_eq(number_of(summary, "stable_time_step"), limit, 1e-5 * limit);
  const double taken = number_of(summary, "substeps");
  cr_expect_float_eq(taken, 0.1 / limit, 1.01);
  command_result result = msd("run bomb.json --integrator rk4 --substeps auto --time 1");
  cr_expect_str_empty(result.err);
  result = msd("run bomb.json --integrator rk4 --substeps 45 --time 0.1");
  const char *const parts[] = {"warning", "2.222 ms", "2 ms of rk4", "\"pair\""};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.err, parts[i]), "no '%s' in: %s", parts[i], result.err);
  cr_expect_not_null(strstr(result.err, format_text("--substeps %.0f is certified", taken)), "%s",
                     result.err);
}

/* Softened springs are certified for symplectic Euler alone. */
Test(command_run, a_limit_on_coefficients_promises_nothing_to_other_integrators) {
  command_result result =
      msd("run bomb.json --integrator explicit_euler --limit coefficients --substeps auto");
  expect_refused(result, 2, "no number of substeps is certified for explicit_euler");
  cr_expect_not_null(strstr(result.err, "--integrator symplectic_euler is certified"), "%s", result.err);
  cr_expect_null(strstr(result.err, "--limit coefficients"), "%s", result.err);
  result = msd("run bomb.json --integrator explicit_euler --substeps auto");
  expect_refused(result, 2, "--integrator symplectic_euler is certified with --substeps 71");

  const char *limited = "run bomb.json --integrator rk4 --limit coefficients --time 0.5 --json --substeps";
  result = msd("%s 1", limited);
  cr_expect_not_null(strstr(result.err, "over the certified 2 ms of rk4"), "%s", result.err);
  result = msd("%s auto", limited);
  cr_expect_str_empty(result.err);
  cr_expect_float_eq(number_of(parse_json(result.out), "substeps"), 50, 1.01);
}

Test(command_run, after_a_divergence_no_limit_is_advised_that_is_on_already) {
  command_result result =
      msd("run bomb.json --integrator explicit_euler --limit coefficients --substeps 1 --time 300");
  cr_expect_eq(result.status, 1);
  cr_expect_not_null(strstr(result.err, "diverged in frame"), "%s", result.err);
  cr_expect_null(strstr(result.err, "--limit coefficients"), "%s", result.err);
}

/* The amplitude of explicit Euler grows by the factor |1 + i sqrt(dt^2 2 k)| a step, here sqrt(3) and more. */
Test(command_run, a_run_that_blew_up_to_finite_numbers_is_warned_of) {
  const char *line =
      "run bomb.json --integrator explicit_euler --limit coefficients --substeps 1 --json --time";
  cr_expect_not_null(strstr(msd("%s 5", line).err, "blew up"));
  cr_expect_null(strstr(msd("%s 0.2", line).err, "blew up"));
  cr_expect_str_empty(msd("run ball.json --time 1000").err);
}

/* Before the first step a coefficient spring has no stiffness, and all of its energy is yet to come. */
Test(command_run, energy_that_springs_hold_at_the_start_is_no_blow_up) {
  static const char scene[] =
      "{\"msd\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.015625, \"substeps\": 16, \"duration\": 1, "
      "\"bodies\": [{\"kind\": \"particles\", \"name\": \"tight\", \"position\": [[0, 0, 0], [0.001, 0, 0]], "
      "\"springs\": [{\"between\": [0, 1], \"rest_length\": 1000, \"ck\": 0.5, \"cd\": 0}]}]}";
  write_file("tight.json", scene, sizeof scene - 1);
  command_result result = msd("run tight.json");
  cr_expect_eq(result.status, 0);
  cr_expect_str_empty(result.err);
}

/* A cloth that automatic substeps follow single changes of, which loses a spring a frame after the start, and a
   pair, whose spring is cut at that time in s. */
static void write_cut(double time, double stiffness) {
  char text[1024];
  const int length =
      snprintf(text, sizeof text,
               "{\"msd\": 1, \"time_step\": 0.015625, \"duration\": 1, \"bodies\": [{\"kind\": \"cloth\", "
               "\"name\": \"c\", "
               "\"u\": [1, 0, 0], \"v\": [0, -1, 0], \"columns\": 12, \"rows\": 12, \"mass\": 0.1, "
               "\"pinned\": [\"top\"], "
               "\"structural\": {\"stiffness\": 50}, \"shear\": {\"stiffness\": 20}}, {\"kind\": \"rope\", "
               "\"name\": \"r\", "
               "\"particles\": 2, \"mass\": 0.05, \"stretch\": {\"stiffness\": %.9g}}], \"motions\": "
               "[{\"cut\": [\"c\", "
               "143, 142], \"time\": 0.015625}, {\"cut\": [\"r\", \"first\", \"last\"], \"time\": %.9g}]}",
               stiffness, time);
  write_file("cut.json", text, (size_t)length);
}

Test(command_run, what_is_cut_before_the_first_step_counts_in_no_substeps) {
  write_cut(0, 900000);
  const double at_once = number_of(parse_json(msd("run cut.json --json --time 0.25").out), "substeps_max");
  write_cut(1, 900000);
  cr_expect_gt(number_of(parse_json(msd("run cut.json --json --time 0.25").out), "substeps_max"), at_once);
  write_cut(1, 1);
  cr_expect_eq(number_of(parse_json(msd("run cut.json --json --time 0.25").out), "substeps_max"), at_once);
}

/* A limit that follows a change is searched for again behind 1024 substeps; it must not matter whether the run
   is resumed just then, where something else changes it. */
Test(command_run, a_run_that_is_resumed_where_something_is_cut_ends_with_the_same_hash) {
  enum { WAIT = 1024 };
  write_cut(1, 900000);
  const double substeps = number_of(parse_json(msd("run cut.json --json --time 0.25").out), "substeps");
  const int due = 1 + (int)ceil(WAIT / substeps);
  for (int frame = due - 1; frame <= due + 1; frame++) {
    const double time = 0.015625 * frame;
    char save[64];
    snprintf(save, sizeof save, "run cut.json --time %.9g --save c", time);
    write_cut(time, 900000);
    const char *whole = hash_of(msd("run cut.json --json"));
    cr_assert_eq(msd(save).status, 0);
    command_result resumed = msd("run cut.json --resume c --time 1 --json");
    cr_assert_eq(resumed.status, 0, "%s", resumed.err);
    cr_expect_str_eq(hash_of(resumed), whole, "at frame %d", frame);
  }
}
