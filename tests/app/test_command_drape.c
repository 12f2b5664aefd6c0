/* msd drape */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_drape, .init = command_setup, .fini = command_teardown);

/* A mass of 2 kg on a spring of 400 N/m, at 10 m/s^2: 0.05 m. `start` may be a key with a comma. */
static void write_scene(const char *start, const char *pinned) {
  const char *text = format_text(
      "{\"msd\": 1, %s\"gravity\": [0, -10, 0], \"frame_time\": 0.0625, \"duration\": 0.5, \"substeps\": 8, "
      "\"bodies\": [{\"type\": \"particles\", \"name\": \"weight\", \"position\": [[0, 0, 0], [0.25, -1, "
      "0]], "
      "\"mass\": [1, 2], \"pinned\": [%s], \"springs\": [{\"between\": [0, 1], \"rest_length\": 1, "
      "\"stiffness\": "
      "400, \"damping\": 0}]}]}",
      start, pinned);
  write_file("weight.json", text, strlen(text));
}

Test(command_drape, a_weight_hangs_as_statics_has_it_and_a_run_goes_on_from_there) {
  write_scene("", "0");
  json_t *told = parse_json(msd("drape weight.json --json --save rest.msd").out);
  cr_expect(json_is_true(json_object_get(told, "converged")));
  cr_expect_float_eq(number_of(told, "max_stretch"), 0.05, 1e-6);
  cr_expect_float_eq(number_of(told, "energy"), 0.5 * 400 * 0.05 * 0.05 - 20 * 1.05, 1e-5);
  cr_expect_lt(number_of(told, "energy"), number_of(told, "energy_before"));
  const command_result run = msd("run weight.json --resume rest.msd --json");
  cr_expect_eq(run.status, 0);
  cr_expect_lt(number_of(parse_json(run.out), "kinetic_energy"), 1e-6);
}

Test(command_drape, a_scene_that_starts_at_rest_stays_there) {
  write_scene("\"start\": \"equilibrium\", ", "0");
  const command_result run = msd("run weight.json --json");
  cr_expect_eq(run.status, 0);
  cr_expect_lt(number_of(parse_json(run.out), "kinetic_energy"), 1e-6);
}

/* On its spring the weight would hang 5 cm deeper than the floor. */
Test(command_drape, a_scene_with_colliders_starts_at_rest_on_them) {
  const char *text =
      "{\"msd\": 1, \"start\": \"equilibrium\", \"frame_time\": 0.0625, \"duration\": 0.5, \"substeps\": 8, "
      "\"colliders\": [{\"type\": \"plane\"}], \"contact\": {\"thickness\": 0.125}, \"bodies\": [{\"type\": "
      "\"particles\", \"name\": \"weight\", \"position\": [[0, 1, 0], [0.25, 0.5, 0]], \"mass\": [1, 2], "
      "\"pinned\": [0], \"springs\": [{\"between\": [0, 1], \"rest_length\": 1, \"stiffness\": 400, "
      "\"damping\": 0}]}]}";
  write_file("weight.json", text, strlen(text));
  const command_result run = msd("run weight.json --json --trace trace.csv");
  cr_expect_eq(run.status, 0, "%s", run.err);
  cr_expect_lt(number_of(parse_json(run.out), "kinetic_energy"), 1e-6);
  cr_expect_eq(number_of(parse_json(run.out), "contacts"), 1);
}

Test(command_drape, what_cannot_come_to_rest_is_refused) {
  write_scene("", "");
  expect_refused(msd("drape weight.json"), 2, "attached to nothing");
  write_scene("\"start\": \"equilibrium\", ", "");
  expect_refused(msd("run weight.json"), 2, "attached to nothing");
  write_scene("\"start\": \"sleep\", ", "0");
  expect_refused(msd("run weight.json"), 2, "start");
  write_scene("", "0");
  expect_refused(msd("drape weight.json --tolerance 0"), 2, "tolerance");
  expect_refused(msd("drape weight.json --format ply"), 2, "--export");
  cr_expect_eq(msd("drape weight.json --iterations 1").status, 1);
}

Test(command_drape, prints_the_verdict_first) {
  write_scene("", "0");
  const command_result result = msd("drape weight.json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_eq(strncmp(result.out, "weight: in static equilibrium after ", 36), 0, "%s", result.out);
  cr_expect_leq(count_lines(result.out), 12, "%s", result.out);
  const command_result early = msd("drape weight.json --iterations 1");
  cr_expect_not_null(strstr(early.out, "weight: not in equilibrium yet after 1 iteration, "), "%s",
                     early.out);
  cr_expect_not_null(strstr(early.out, "--iterations"), "%s", early.out);
}

Test(command_drape, refuses_contact_between_bodies_and_names_the_option) {
  const char *text = "{\"msd\": 1, \"contact\": {\"self_collision\": true}, \"bodies\": [{\"type\": "
                     "\"cloth\", \"columns\": 4, "
                     "\"rows\": 4, \"pinned\": [\"top\"]}]}";
  write_file("touching.json", text, strlen(text));
  expect_refused(
      msd("drape touching.json"), 2,
      "touching.json: equilibrium cannot include contact between bodies; use --ignore-contact, or");
}
