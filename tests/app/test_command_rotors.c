/* Rotors on the command line: their trace, and what run and info say of them. */
#include "tests/support/command.h"

#include <math.h>

/* A rotor that turns freely at 4 rad/s, and a torsion pendulum with dt^2 k/I = 1: cosine of 60 degrees a
   step, so that its angles are 1, 0, -1, -1, 0, 1 again and again. */
static const char ROTORS[] =
    "{\"msd\": 1, \"title\": \"Rotors\", \"frame_time\": 0.015625, \"substeps\": 1, \"duration\": 1, "
    "\"bodies\": "
    "[{\"type\": \"rotors\", \"name\": \"two\", \"angle\": [0, 1], \"angular_velocity\": [4, 0], "
    "\"springs\": [{\"between\": [1, \"ground\"], \"rest_angle\": 0, \"stiffness\": 4096}]}]}";

static void setup(void) {
  command_setup();
  write_file("rotors.json", ROTORS, strlen(ROTORS));
}

TestSuite(command_rotors, .init = setup, .fini = command_teardown);

/* The rows of a rotor trace behind its header; the test ends when a row is not of four numbers. */
typedef struct rotor_row {
  double time, angle, angular_velocity;
  int rotor;
} rotor_row;

static rotor_row *read_rotor_trace(const char *path, int *count) {
  char line[200];
  FILE *file = fopen(in_folder(path), "r");
  cr_assert_not_null(file, "%s", path);
  cr_assert_not_null(fgets(line, sizeof line, file));
  cr_assert_str_eq(line, "time,rotor,angle,angular_velocity\n");
  rotor_row *rows = take_memory(1000 * sizeof *rows);
  for (*count = 0; fgets(line, sizeof line, file) != NULL; (*count)++) {
    rotor_row *row = &rows[*count];
    cr_assert_eq(sscanf(line, "%lf,%d,%lf,%lf", &row->time, &row->rotor, &row->angle, &row->angular_velocity),
                 4);
  }
  fclose(file);
  return rows;
}

Test(command_rotors, the_trace_has_every_rotor_of_every_frame) {
  static const double angles[6] = {1, 0, -1, -1, 0, 1};
  command_result result = msd("run rotors.json --trace-rotors r.csv");
  cr_assert_eq(result.status, 0, "%s", result.err);
  int count;
  const rotor_row *rows = read_rotor_trace("r.csv", &count);
  cr_assert_eq(count, 2 * 65);
  for (int n = 0; n < 65; n++) {
    const rotor_row *free = &rows[2 * n], *swings = &rows[2 * n + 1];
    cr_expect(free->time == n / 64.0 && swings->time == free->time && free->rotor == 0 && swings->rotor == 1);
    cr_expect(free->angle == n / 16.0 && free->angular_velocity == 4);
    cr_expect_eq(swings->angle, angles[n % 6], "frame %d: %g", n, swings->angle);
  }
}

Test(command_rotors, every_skips_frames_and_a_resumed_run_completes_the_trace) {
  cr_assert_eq(msd("run rotors.json --duration 1 --trace-rotors whole.csv --every 3").status, 0);
  cr_assert_eq(msd("run rotors.json --duration 0.5 --trace-rotors r.csv --every 3 --save c").status, 0);
  command_result resumed = msd("run rotors.json --duration 1 --trace-rotors r.csv --every 3 --resume c");
  cr_assert_eq(resumed.status, 0, "%s", resumed.err);
  int count, whole;
  const rotor_row *rows = read_rotor_trace("r.csv", &count), *wanted = read_rotor_trace("whole.csv", &whole);
  cr_assert_eq(whole, 2 * 22);
  cr_assert_eq(count, whole);
  for (int n = 0; n < count; n++)
    cr_expect(rows[n].time == wanted[n].time && rows[n].rotor == wanted[n].rotor &&
              rows[n].angle == wanted[n].angle && rows[n].angular_velocity == wanted[n].angular_velocity);
}

Test(command_rotors, another_file_is_not_continued) {
  cr_assert_eq(msd("run rope.json --duration 0.5 --trace particles.csv").status, 0);
  cr_assert_eq(msd("run rotors.json --duration 0.5 --save c").status, 0);
  command_result result = msd("run rotors.json --resume c --trace-rotors particles.csv");
  cr_expect_eq(result.status, 2);
  cr_expect(strstr(result.err, "particles.csv: is not a trace of rotors") != NULL, "%s", result.err);
}

Test(command_rotors, options_that_cannot_be_are_refused) {
  expect_refused(msd("run rope.json --trace-rotors r.csv"), 2, "has no rotors to trace");
  expect_refused(msd("run rotors.json --trace-rotors r.csv --trace r.csv"), 2, "name two files");
  expect_refused(msd("run rotors.json --trace r.csv"), 2, "has no particles to trace");
  expect_refused(msd("run rotors.json --export shapes"), 2, "has no particles to export");
  cr_expect_not(exists("r.csv") || exists("shapes"));
  expect_refused(msd("run rotors.json --trace-rotors r.csv --resume r.csv"), 2, "name two files");
  expect_refused(msd("run rotors.json --trace-rotors /nowhere/r.csv"), 2, "/nowhere/r.csv");
}

Test(command_rotors, prints_rotors_where_there_are_any) {
  command_result result = msd("run rotors.json --duration 0.5");
  cr_expect(strstr(result.out, "  model       2 rotors, 1 torsion spring\n") != NULL, "%s", result.out);
  cr_expect(strstr(result.out, "  rotors      0.3183 turns at 4 rad/s, ") != NULL, "%s", result.out);
  cr_expect(strstr(msd("run rotors.json --duration 0.5 --details").out,
                   "rotor 0              2 rad, 4 rad/s") != NULL);
  cr_expect(strstr(msd("run rope.json --duration 0.5").out, "rotor") == NULL);
  json_t *summary = parse_json(msd("run rotors.json --duration 0.5 --json").out);
  cr_expect_eq(number_of(summary, "rotors"), 2);
  cr_expect_eq(number_of(summary, "torsion_springs"), 1);
  cr_expect_eq(json_number_value(json_array_get(json_object_get(summary, "angles"), 0)), 2);
  cr_expect_eq(json_number_value(json_array_get(json_object_get(summary, "angular_velocities"), 0)), 4);
  cr_expect_float_eq(number_of(summary, "stable_substep"), 2.0 / 64, 1e-6);
}

Test(command_rotors, counts_rotors_in_info_and_names_them_as_the_limit) {
  command_result result = msd("info rotors.json");
  cr_expect(strstr(result.out, "scene       2 rotors, 1 torsion spring; ") != NULL, "%s", result.out);
  cr_expect(strstr(result.out, "limit 31.25 ms, set by the torsion springs\n") != NULL, "%s", result.out);
  json_t *info = parse_json(msd("info rotors.json --json").out);
  cr_expect_eq(number_of(info, "rotors"), 2);
  cr_expect_float_eq(number_of(info, "rotor_stable_substep"), 2.0 / 64, 1e-6);
  cr_expect_eq(number_of(json_array_get(json_object_get(info, "bodies"), 0), "torsion_springs"), 1);
}

Test(command_rotors, warns_of_a_substep_that_is_too_long_before_it_fails) {
  command_result result = msd("run rotors.json --frame-time 0.125 --duration 100");
  cr_expect_eq(result.status, 1);
  cr_expect(strstr(result.err, "set by the torsion springs") != NULL, "%s", result.err);
  cr_expect(strstr(result.err, "unstable at ") != NULL, "%s", result.err);
}

Test(command_rotors, nothing_is_said_of_particles_where_there_are_none) {
  static const char *const words[] = {"article",   "momentum", "springs/s", "m/s",
                                      "potential", " kg",      "stretch"};
  char *const texts[] = {msd("run rotors.json --details").out, msd("info rotors.json").out};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      cr_expect_null(strstr(texts[t], words[w]), "'%s' in:\n%s", words[w], texts[t]);
}

/* Explicit Euler multiplies the amplitude of dt^2 k/I = 1 by sqrt 2 a step. */
Test(command_rotors, calls_explicit_euler_not_proven) {
  command_result result = msd("run rotors.json --integrator explicit_euler --duration 2");
  cr_expect_not_null(strstr(result.err, "no number of substeps is proven stable with explicit_euler"), "%s",
                     result.err);
  cr_expect_not_null(strstr(result.err, "unstable: the energy at the end"), "%s", result.err);
}
