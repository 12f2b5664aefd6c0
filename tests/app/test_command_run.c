/* msd run: results, summary, warnings and exit status. */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_run, .init = command_setup, .fini = command_teardown);

Test(command_run, json_has_every_promised_key) {
  const char *const keys[] = {"scene",
                              "particles",
                              "springs",
                              "total_substeps",
                              "substeps",
                              "frames",
                              "time",
                              "frame_time",
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
                              "stable_substep",
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
  json_t *summary = parse_json(msd("run rope.json --json --duration 0.5 --substeps 7").out);
  cr_expect_eq(number_of(summary, "frames"), 32);
  cr_expect_eq(number_of(summary, "substeps"), 7);
  cr_expect_eq(number_of(summary, "total_substeps"), 32 * 7);
  cr_expect_float_eq(number_of(summary, "time"), 0.5, 1e-12);
  double rate = number_of(summary, "springs") * number_of(summary, "total_substeps") /
                number_of(summary, "wall_seconds");
  cr_expect_float_eq(number_of(summary, "springs_per_second"), rate, 1e-9 * rate);
}

Test(command_run, automatic_substeps_are_the_fewest_certified) {
  json_t *summary = parse_json(msd("run bomb.json --json --substeps auto --duration 1").out);
  double certified = ceil(0.1 / (2 / sqrt(2e6)));
  cr_expect_eq(number_of(summary, "substeps"), certified);
  cr_expect_eq(number_of(summary, "total_substeps"), certified * 10);
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
}

/* Free fall of a particle: x = v0 t + g t^2/2. */
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
    cr_expect_eq((msd_real)rows[n].x[1], (msd_real)(-8 * dt * dt * n * n / 2));
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
  json_t *summary = parse_json(
      msd("run rope.json --json --frame-time 0.0078125 --duration 0.25 --integrator velocity_verlet "
          "--clamp-stiffness --threads 2")
          .out);
  cr_expect_eq(number_of(summary, "frames"), 32);
  cr_expect_eq(number_of(summary, "frame_time"), 0.0078125);
  cr_expect_str_eq(text_of(summary, "integrator"), "velocity_verlet");
  cr_expect(json_is_true(json_object_get(summary, "clamp_stiffness")));
  cr_expect_eq(number_of(summary, "threads"), 2);
}

Test(command_run, time_0_simulates_nothing_and_is_no_error) {
  command_result result = msd("run rope.json --duration 0 --json --trace t.csv");
  cr_expect_eq(result.status, 0);
  json_t *summary = parse_json(result.out);
  cr_expect_eq(number_of(summary, "frames"), 0);
  cr_expect_eq(number_of(summary, "springs_per_second"), 0);
  int count;
  read_trace("t.csv", &count);
  cr_expect_eq(count, 10);
}

/* 1/60 s written with nine digits is no reason for a frame of a few nanoseconds. */
Test(command_run, a_rounded_frame_time_adds_no_frame) {
  cr_expect_eq(
      number_of(parse_json(msd("run rope.json --duration 5 --frame-time 0.016666666 --json").out), "frames"),
      300);
  cr_expect_eq(
      number_of(parse_json(msd("run rope.json --duration 5 --frame-time 0.016666667 --json").out), "frames"),
      300);
  cr_expect_eq(
      number_of(parse_json(msd("run rope.json --duration 0.33 --frame-time 0.03125 --json").out), "frames"),
      11);
}

/* The first line is the verdict, the last one the hash. */
Test(command_run, prints_a_summary_with_units_and_the_hash_last) {
  command_result result = msd("run rope.json");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "it hangs by soft springs: %s", result.err);
  const char *hash = hash_of(msd("run rope.json --json"));
  cr_expect_eq(strncmp(result.out, "rope: simulated 1 s in ", 23), 0, "%s", result.out);
  cr_expect_not_null(strstr(result.out, format_text("\n  state hash  %s\n", hash)), "%s", result.out);
  cr_expect_str_eq(strstr(result.out, hash), format_text("%s\n", hash), "it is the last line");
  const char *const parts[] = {"x real time)\n",
                               "10 particles (1 pinned), 17 springs\n",
                               "64 frames of 15.62 ms, 4 substeps of 3.91 ms; stable up to 26.2 ms\n",
                               "million springs/s)\n",
                               " J kinetic, ",
                               "max speed 3.6 m/s"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.out, parts[i]), "no '%s' in:\n%s", parts[i], result.out);
}

Test(command_run, prints_at_most_twelve_lines_and_the_rest_with_details) {
  static const char wall[] =
      "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 0.0625, \"energy_mode\": \"monitor\", "
      "\"colliders\": [{\"type\": \"plane\", \"position\": [0, -1, 0]}], \"bodies\": [{\"type\": \"cloth\", "
      "\"columns\": 4, \"rows\": 4, \"pinned\": [\"top\"], \"stretch\": {\"stiffness\": 100, "
      "\"tear_strain\": 0.001}}]}";
  write_file("wall.json", wall, sizeof wall - 1);
  const char *const scenes[] = {"rope.json", "mixed.json", "ball.json", "wall.json"};
  for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
    const char *brief = msd("run %s", scenes[n]).out, *all = msd("run %s --details", scenes[n]).out;
    cr_expect_leq(count_lines(brief), 12, "%s", brief);
    cr_expect_null(strstr(brief, "details"), "%s", brief);
    cr_expect_not_null(strstr(all, "\n  details\n"), "%s", all);
    cr_expect_not_null(strstr(all, "    memory  "), "%s", all);
    cr_expect_not_null(strstr(all, "\n  state hash  "), "%s", all);
  }
}

/* What contact costs has nothing to do with the number of springs. */
Test(command_run, prints_no_rate_of_springs_where_contact_is_on) {
  cr_expect_not_null(strstr(msd("run rope.json").out, "springs/s"));
  const char *scene = format_text("%.*s, \"colliders\": [{\"type\": \"plane\", \"position\": [0, -9, 0]}]}",
                                  (int)strlen(ROPE) - 1, ROPE);
  write_file("floor.json", scene, strlen(scene));
  const char *text = msd("run floor.json").out;
  cr_expect_null(strstr(text, "springs/s"), "%s", text);
  cr_expect_not_null(strstr(text, "  contact     0 contacts at the end\n"), "%s", text);
}

/* 1e-7 J beside 1 J. */
Test(command_run, prints_quantities_of_a_block_in_one_unit_and_zero_where_negligible) {
  static const char still[] =
      "{\"msd\": 1, \"gravity\": [0, -10, 0], \"duration\": 0.1, \"bodies\": [{\"type\": \"particles\", "
      "\"position\": [[0, 1, 0], [0, 0, 0]], \"mass\": [1, 1e-9], \"pinned\": [0], \"velocity\": [[0, 0, 0], "
      "[1, 0, 0]]}]}";
  write_file("still.json", still, sizeof still - 1);
  const char *text = msd("run still.json").out;
  cr_expect_not_null(strstr(text, "  energy      0 J kinetic, 0 J elastic, 10 J potential at the end; "),
                     "%s", text);
}

Test(command_run, warns_in_one_line_of_fewer_substeps_than_are_stable) {
  command_result result = msd("run bomb.json --duration 0 --json");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  const char *const parts[] = {"warning: 1 substep of 100 ms is fewer than the 71 that are stable",
                               "up to 1.41 ms", "set by the spring of pair",
                               "; use --substeps auto, or 71 or more"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.err, parts[i]), "no '%s' in: %s", parts[i], result.err);
  cr_expect_str_empty(msd("run bomb.json --duration 0.1 --substeps 71").err);
}

/* A warning and an error, and no number that means nothing. */
Test(command_run, ends_an_unstable_run_with_two_lines_and_no_summary) {
  const command_result result = msd("run bomb.json --trace t.csv");
  cr_expect_eq(result.status, 1);
  cr_expect_str_empty(result.out);
  cr_expect_eq(count_lines(result.err), 2, "%s", result.err);
  /* The precision decides in which frame the state overflows. */
  const char *error = strstr(result.err, "\nmsd run: unstable at ");
  int frame = 0, output = 0, length = 0;
  cr_assert_not_null(error, "%s", result.err);
  cr_expect_eq(sscanf(error + 1,
                      "msd run: unstable at %*g s (frame %d). Output up to frame %d is kept. Use --substeps "
                      "auto, or 71 or more.%n",
                      &frame, &output, &length),
               2, "%s", result.err);
  cr_expect(length > 0 && output == frame - 1, "%s", result.err);
  cr_expect_null(strstr(msd("run bomb.json").err, "is kept"), "there is no output");
}

Test(command_run, exits_with_1_after_a_divergence_and_keeps_what_was_finite) {
  command_result result = msd("run bomb.json --json --trace t.csv");
  cr_expect_eq(result.status, 1);
  cr_expect_not_null(strstr(result.err, "unstable at "), "%s", result.err);
  json_t *summary = parse_json(result.out);
  cr_expect(json_is_true(json_object_get(summary, "diverged")));
  int count;
  trace_row *rows = read_trace("t.csv", &count);
  cr_expect_eq(count, 2 * ((int)number_of(summary, "frames") + 1));
  cr_expect_lt(number_of(summary, "frames"), 100);
  for (int i = 0; i < count; i++)
    cr_expect(isfinite(rows[i].x[0]) && isfinite(rows[i].v[0]), "row %d", i);
}

Test(command_run, clamps_stiffness_against_divergence_and_counts_what_it_clamped) {
  command_result result = msd("run bomb.json --json --clamp-stiffness");
  cr_expect_eq(result.status, 0);
  cr_expect_str_empty(result.err);
  json_t *summary = parse_json(result.out);
  cr_expect(json_is_false(json_object_get(summary, "diverged")));
  cr_expect_eq(number_of(summary, "clamped_springs"), 1);
}

Test(command_run, stable_at_any_step_is_null_in_json) {
  json_t *summary = parse_json(msd("run ball.json --json").out);
  cr_expect(json_is_null(json_object_get(summary, "stable_substep")));
}

Test(command_run, refuses_bad_values_in_one_line_with_what_would_be_right) {
  expect_refused(msd("run rope.json --frame-time 0"), 2, "above 0");
  expect_refused(msd("run rope.json --frame-time nan"), 2, "above 0");
  expect_refused(msd("run rope.json --frame-time 1e-60"), 2, "1e-60");
  expect_refused(msd("run rope.json --frame-time 0.01x"), 2, "0.01x");
  expect_refused(msd("run rope.json --duration -1"), 2, "0 or more");
  expect_refused(msd("run rope.json --duration inf"), 2, "0 or more");
  expect_refused(msd("run rope.json --duration 1e300 --frame-time 1e-30"), 2, "frames");
  expect_refused(msd("run rope.json --substeps 0"), 2, "auto");
  expect_refused(msd("run rope.json --substeps 1.5"), 2, "auto");
  expect_refused(msd("run rope.json --substeps 99999999999999999999"), 2, "1000000");
  expect_refused(msd("run rope.json --threads 257"), 2, "256");
  expect_refused(msd("run rope.json --every 0"), 2, "1 or more");
  expect_refused(msd("run rope.json --integrator rk5"), 2, "did you mean \"rk4\"?");
  expect_refused(msd("run rope.json --integrator leapfrog"), 2, "velocity_verlet");
  expect_refused(msd("run rope.json --clamp-stiffness=all"), 2, "takes no value");
  expect_refused(msd("run rope.json --export d --format stl"), 2, "pc2");
  expect_refused(msd("run rope.json --format ply"), 2, "--export");
  expect_refused(msd("run rope.json --save-every 3"), 2, "--save");
  expect_refused(msd("run rope.json --trace x --save x"), 2, "two files");
  expect_refused(msd("run rope.json --size 3"), 2, "--size");
}

/* Explicit Euler feeds energy into every spring that is stiff, and nothing is proven about it. */
Test(command_run, calls_an_integrator_without_a_proof_not_proven) {
  command_result result = msd("run rope.json --integrator explicit_euler");
  cr_expect_eq(result.status, 0);
  cr_expect_not_null(strstr(result.err, "no number of substeps is proven stable with explicit_euler"), "%s",
                     result.err);
  cr_expect_not_null(strstr(result.err, "; use --integrator symplectic_euler\n"), "%s", result.err);
  cr_expect_not_null(strstr(result.out, "; no bound known\n"), "%s", result.out);
  json_t *summary = parse_json(msd("run rope.json --integrator explicit_euler --json").out);
  cr_expect_eq(number_of(summary, "stable_substep"), 0);
}

/* RK4 can take 2 sqrt 2 / sqrt(2 k) = 2 ms of the undamped pair, symplectic Euler 1.41 ms. */
Test(command_run, prints_the_limit_of_the_integrator) {
  json_t *summary = parse_json(msd("run bomb.json --integrator rk4 --substeps auto --duration 1 --json").out);
  const double limit = 2 * sqrt(2) / sqrt(2e6);
  cr_expect_float_eq(number_of(summary, "stable_substep"), limit, 1e-5 * limit);
  const double taken = number_of(summary, "substeps");
  cr_expect_float_eq(taken, 0.1 / limit, 1.01);
  command_result result = msd("run bomb.json --integrator rk4 --substeps auto --duration 1");
  cr_expect_str_empty(result.err);
  result = msd("run bomb.json --integrator rk4 --substeps 45 --duration 0.1");
  const char *const parts[] = {"warning", "2.22 ms", "stable with rk4 (up to 2 ms", "the spring of pair"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.err, parts[i]), "no '%s' in: %s", parts[i], result.err);
  cr_expect_not_null(strstr(result.err, format_text("use --substeps auto, or %.0f or more", taken)), "%s",
                     result.err);
}

/* Softened springs are certified for symplectic Euler alone. */
Test(command_run, proves_nothing_of_other_integrators_with_clamped_stiffness) {
  command_result result = msd("run bomb.json --integrator explicit_euler --clamp-stiffness --substeps auto");
  expect_refused(result, 2, "no number of substeps is stable with explicit_euler");
  cr_expect_not_null(strstr(result.err, "use --integrator symplectic_euler"), "%s", result.err);
  cr_expect_null(strstr(result.err, "--clamp-stiffness"), "%s", result.err);
  result = msd("run bomb.json --integrator explicit_euler --substeps auto");
  expect_refused(result, 2, "use --integrator symplectic_euler with --substeps auto (71 or more)");

  const char *limited = "run bomb.json --integrator rk4 --clamp-stiffness --duration 0.5 --json --substeps";
  result = msd("%s 1", limited);
  cr_expect_not_null(strstr(result.err, "stable with rk4 (up to 2 ms"), "%s", result.err);
  result = msd("%s auto", limited);
  cr_expect_str_empty(result.err);
  cr_expect_float_eq(number_of(parse_json(result.out), "substeps"), 50, 1.01);
}

Test(command_run, advises_no_clamping_after_a_divergence_where_it_is_on) {
  command_result result =
      msd("run bomb.json --integrator explicit_euler --clamp-stiffness --substeps 1 --duration 300");
  cr_expect_eq(result.status, 1);
  cr_expect_not_null(strstr(result.err, "unstable at "), "%s", result.err);
  cr_expect_null(strstr(result.err, "--clamp-stiffness"), "%s", result.err);
}

/* The amplitude of explicit Euler grows by the factor |1 + i sqrt(dt^2 2 k)| a step, here sqrt(3) and more. */
Test(command_run, calls_a_run_unstable_that_blew_up_to_finite_numbers) {
  const char *line =
      "run bomb.json --integrator explicit_euler --clamp-stiffness --substeps 1 --json --duration";
  const command_result result = msd("%s 5", line);
  cr_expect_eq(result.status, 1);
  cr_expect_not_null(strstr(result.err, "unstable: the energy at the end is over a million times"), "%s",
                     result.err);
  cr_expect(json_is_false(json_object_get(parse_json(result.out), "diverged")));
  cr_expect_null(strstr(msd("%s 0.2", line).err, "unstable:"));
  cr_expect_null(strstr(msd("run ball.json --duration 1000").err, "unstable"));
}

/* Before the first step a coefficient spring has no stiffness, and all of its energy is yet to come. */
Test(command_run, energy_that_springs_hold_at_the_start_is_no_blow_up) {
  static const char scene[] =
      "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.015625, \"substeps\": 16, \"duration\": 1, "
      "\"bodies\": [{\"type\": \"particles\", \"name\": \"tight\", \"position\": [[0, 0, 0], [0.001, 0, 0]], "
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
               "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 1, \"bodies\": [{\"type\": \"cloth\", "
               "\"name\": \"c\", "
               "\"u\": [1, 0, 0], \"v\": [0, -1, 0], \"columns\": 12, \"rows\": 12, \"mass\": 0.1, "
               "\"pinned\": [\"top\"], "
               "\"stretch\": {\"stiffness\": 50}, \"shear\": {\"stiffness\": 20}}, {\"type\": \"rope\", "
               "\"name\": \"r\", "
               "\"particles\": 2, \"mass\": 0.05, \"stretch\": {\"stiffness\": %.9g}}], \"animation\": "
               "[{\"cut\": [\"c\", "
               "143, 142], \"time\": 0.015625}, {\"cut\": [\"r\", \"first\", \"last\"], \"time\": %.9g}]}",
               stiffness, time);
  write_file("cut.json", text, (size_t)length);
}

Test(command_run, what_is_cut_before_the_first_step_counts_in_no_substeps) {
  write_cut(0, 900000);
  const double at_once =
      number_of(parse_json(msd("run cut.json --json --duration 0.25").out), "substeps_max");
  write_cut(1, 900000);
  cr_expect_gt(number_of(parse_json(msd("run cut.json --json --duration 0.25").out), "substeps_max"),
               at_once);
  write_cut(1, 1);
  cr_expect_eq(number_of(parse_json(msd("run cut.json --json --duration 0.25").out), "substeps_max"),
               at_once);
}

/* A limit that follows a change is searched for again behind 1024 substeps; it must not matter whether the run
   is resumed just then, where something else changes it. */
Test(command_run, a_run_that_is_resumed_where_something_is_cut_ends_with_the_same_hash) {
  enum { WAIT = 1024 };
  write_cut(1, 900000);
  const double substeps = number_of(parse_json(msd("run cut.json --json --duration 0.25").out), "substeps");
  const int due = 1 + (int)ceil(WAIT / substeps);
  for (int frame = due - 1; frame <= due + 1; frame++) {
    const double time = 0.015625 * frame;
    char save[64];
    snprintf(save, sizeof save, "run cut.json --duration %.9g --save c", time);
    write_cut(time, 900000);
    const char *whole = hash_of(msd("run cut.json --json"));
    cr_assert_eq(msd(save).status, 0);
    command_result resumed = msd("run cut.json --resume c --duration 1 --json");
    cr_assert_eq(resumed.status, 0, "%s", resumed.err);
    cr_expect_str_eq(hash_of(resumed), whole, "at frame %d", frame);
  }
}

/* ------------------------------------------------------------------------------------------------ warnings */

#define CLOTH(name, y, more)                                                                                 \
  "{\"type\": \"cloth\", \"name\": \"" name "\", \"origin\": [0, " y ", 0], \"u\": [1, 0, 0], "              \
  "\"v\": [0, 0, 1], \"columns\": 2, \"rows\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}" more "}"
#define SCENE(settings, bodies)                                                                              \
  "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 0.0625, " settings "\"bodies\": [" bodies "]}"

static command_result run_scene(const char *scene, const char *options) {
  write_file("scene.json", scene, strlen(scene));
  return msd("run scene.json %s", options);
}

Test(command_run, warns_of_a_body_that_nothing_holds_and_nothing_can_stop) {
  static const char warning[] =
      "msd run: warning: nothing holds \"cloth 1\" and there are no colliders: it will fall "
      "freely; pin some particles, or add a collider such as a plane\n";
  const command_result falling = run_scene(SCENE("", CLOTH("cloth 1", "1", "")), "");
  cr_expect_eq(falling.status, 0);
  cr_expect_str_eq(falling.err, warning);
  cr_expect_not_null(strstr(falling.out, "\n  warnings    nothing holds \"cloth 1\"\n  state hash"), "%s",
                     falling.out);
  const char *const stopped[] = {
      SCENE("", CLOTH("cloth 1", "1", ", \"pinned\": [\"top\"]")),
      SCENE("\"gravity\": [0, 0, 0], ", CLOTH("cloth 1", "1", "")),
      SCENE("\"colliders\": [{\"type\": \"plane\"}], ", CLOTH("cloth 1", "1", ""))};
  for (size_t n = 0; n < sizeof stopped / sizeof *stopped; n++) {
    const command_result held = run_scene(stopped[n], "");
    cr_expect_null(strstr(held.err, "fall"), "scene %zu: %s", n, held.err);
    cr_expect_null(strstr(held.out, "nothing holds"), "scene %zu: %s", n, held.out);
  }
}

/* A pinned sheet, and another one upright through it. */
Test(command_run, warns_of_bodies_that_intersect_at_the_start_and_names_them) {
  static const char upright[] = "{\"type\": \"cloth\", \"name\": \"wall\", \"origin\": [0.3, 0.5, 0.2], "
                                "\"u\": [0, -1, 0], \"v\": [0, 0, 0.5], "
                                "\"columns\": 2, \"rows\": 2, \"stretch\": {\"stiffness\": 10}}";
  const char *scene = format_text(
      "{\"msd\": 1, \"duration\": 0.0625, \"contact\": {\"self_collision\": true}, \"bodies\": [%s, %s]}",
      CLOTH("floor", "0", ", \"pinned\": [\"top\", \"bottom\"]"), upright);
  const command_result result = run_scene(scene, "");
  cr_expect_eq(result.status, 0);
  cr_expect_not_null(strstr(result.err, "warning: bodies \"floor\" and \"wall\" intersect at the start ("),
                     "%s", result.err);
  cr_expect_not_null(strstr(result.err, "move the bodies apart by more than their thickness\n"), "%s",
                     result.err);
  cr_expect_not_null(strstr(result.out, "  warnings    \"floor\" and \"wall\" intersect at the start\n"),
                     "%s", result.out);
  const char *apart = format_text(
      "{\"msd\": 1, \"duration\": 0.0625, \"contact\": {\"self_collision\": true}, \"bodies\": [%s, %s]}",
      CLOTH("floor", "0", ", \"pinned\": [\"top\", \"bottom\"]"), CLOTH("lid", "1", ""));
  cr_expect_null(strstr(run_scene(apart, "").err, "intersect"));
}

/* A blade between the corners of a sheet, which all are outside; and one below it. */
Test(command_run, warns_of_bodies_that_begin_in_a_box_and_names_both) {
  static const char pattern[] =
      "{\"msd\": 1, \"duration\": 0.0625, \"contact\": {\"self_collision\": true}, \"bodies\": [%s], "
      "\"colliders\": [{\"type\": \"plane\", \"position\": [0, -1, 0]}, {\"type\": \"box\", \"name\": "
      "\"blade\", \"position\": [0.251, %s, 0.26], \"size\": [0.002, 0.4, 0.02], \"rotation\": [0, 10, 0]}]}";
  const char *sheet = CLOTH("sheet", "0", "");
  const command_result through = run_scene(format_text(pattern, sheet, "0"), "");
  cr_expect_eq(through.status, 0, "%s", through.err);
  cr_expect_not_null(strstr(through.err, "warning: body \"sheet\" begins in the box \"blade\" ("), "%s",
                     through.err);
  cr_expect_not_null(strstr(through.out, "\"sheet\" begins in box \"blade\""), "%s", through.out);
  const command_result below = run_scene(format_text(pattern, sheet, "-0.25"), "");
  cr_expect_null(strstr(below.err, "begins in"), "%s", below.err);
}

/* Three triangles at one edge. */
Test(command_run, warns_of_edges_that_three_triangles_share_where_a_body_collides_with_itself) {
  static const char mesh[] =
      "v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0.5 0 1\nv 0.5 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n";
  static const char scene[] =
      "{\"msd\": 1, \"duration\": 0.0625, \"contact\": {\"self_collision\": %s}, \"bodies\": [{\"type\": "
      "\"mesh\", \"name\": \"fin\", \"file\": \"fin.obj\", \"pinned\": [0]}]}";
  write_file("fin.obj", mesh, sizeof mesh - 1);
  const command_result result = run_scene(format_text(scene, "true"), "");
  cr_expect_not_null(
      strstr(result.err, "body \"fin\" has 1 non-manifold edge (shared by three or more triangles)"), "%s",
      result.err);
  cr_expect_null(strstr(run_scene(format_text(scene, "false"), "").err, "manifold"));
}

Test(command_run, repeats_all_warnings_in_one_line_and_lists_them_in_json) {
  const char *scene = SCENE("\"substeps\": 1, ", CLOTH("cloth 1", "1", ""));
  const command_result text = run_scene(scene, "--integrator explicit_euler");
  cr_expect_eq(count_lines(text.err), 2, "%s", text.err);
  cr_expect_not_null(
      strstr(text.out, "  warnings    nothing holds \"cloth 1\"; explicit_euler is not proven stable\n"),
      "%s", text.out);
  const json_t *warnings =
      json_object_get(parse_json(run_scene(scene, "--integrator explicit_euler --json").out), "warnings");
  cr_assert_eq(json_array_size(warnings), 2);
  cr_expect_not_null(strstr(json_string_value(json_array_get(warnings, 0)), "fall freely"));
  cr_expect_eq(json_array_size(json_object_get(parse_json(msd("run mixed.json --json").out), "warnings")), 1,
               "the ball of it falls");
}

Test(command_run, prints_how_far_an_interrupted_or_failed_run_came) {
  static const char limited[] = "ulimit -f 8; trap '' XFSZ; exec \"$@\"\n";
  write_file("limited.sh", limited, sizeof limited - 1);
  const int status =
      system(format_text("cd '%s' && sh limited.sh '%s' run rope.json --duration 20 --trace t.csv >out 2>err",
                         command_folder, MSD_COMMAND));
  cr_expect_eq(exit_status(status), 3, "a file that cannot be written: %s", read_text("err"));
  cr_expect_not_null(strstr(read_text("out"), "rope: failed after "), "%s", read_text("out"));
  cr_expect_not_null(strstr(read_text("out"), " of 1280)"), "%s", read_text("out"));
}
