/* msd drape */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_drape, .init = command_setup, .fini = command_teardown);

/* A mass of 2 kg on a spring of 400 N/m, at 10 m/s^2: 0.05 m. `start` may be a key with a comma. */
static void write_scene(const char *start, const char *pinned) {
  const char *text = format_text(
      "{\"msd\": 1, %s\"gravity\": [0, -10, 0], \"time_step\": 0.0625, \"duration\": 0.5, \"substeps\": 8, "
      "\"bodies\": [{\"kind\": \"particles\", \"name\": \"weight\", \"position\": [[0, 0, 0], [0.25, -1, "
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
  write_scene("\"start\": \"rest\", ", "0");
  const command_result run = msd("run weight.json --json");
  cr_expect_eq(run.status, 0);
  cr_expect_lt(number_of(parse_json(run.out), "kinetic_energy"), 1e-6);
}

/* On its spring the weight would hang 5 cm deeper than the floor. */
Test(command_drape, a_scene_with_colliders_starts_at_rest_on_them) {
  const char *text =
      "{\"msd\": 1, \"start\": \"rest\", \"time_step\": 0.0625, \"duration\": 0.5, \"substeps\": 8, "
      "\"colliders\": [{\"kind\": \"plane\"}], \"contact\": {\"thickness\": 0.125}, \"bodies\": [{\"kind\": "
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
  expect_refused(msd("drape weight.json"), 2, "nothing holds");
  write_scene("\"start\": \"rest\", ", "");
  expect_refused(msd("run weight.json"), 2, "nothing holds");
  write_scene("\"start\": \"sleep\", ", "0");
  expect_refused(msd("run weight.json"), 2, "start");
  write_scene("", "0");
  expect_refused(msd("drape weight.json --tolerance 0"), 2, "tolerance");
  expect_refused(msd("drape weight.json --format ply"), 2, "--export");
  cr_expect_eq(msd("drape weight.json --iterations 1").status, 1);
}
