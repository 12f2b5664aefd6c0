/* msd info */
#include "tests/support/command.h"
#include "tests/support/share.h"

#include <math.h>

TestSuite(command_info, .init = command_setup, .fini = command_teardown);

Test(command_info, json_has_every_promised_key) {
  const char *const keys[] = {"particles",
                              "springs",
                              "pinned",
                              "total_mass",
                              "bytes",
                              "stable_time_step",
                              "stable_time_step_quick",
                              "this_shape_time_step",
                              "energy_safe_time_step",
                              "energy_safe",
                              "limiting_spring",
                              "limiting_particle",
                              "coefficient_limit",
                              "substeps"};
  json_t *info = parse_json(msd("info mixed.json --json").out);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    cr_expect_not_null(json_object_get(info, keys[i]), "%s", keys[i]);
}

Test(command_info, counts_and_mass_are_those_of_the_scene) {
  json_t *info = parse_json(msd("info mixed.json --json").out);
  cr_expect_eq(number_of(info, "particles"), 4 * 3 + 4 + 1);
  /* Cloth: 3 rows of 3 right, 2 rows of 4 down. Rope: 3 and 2. One joint. */
  cr_expect_eq(number_of(info, "springs"), 3 * 3 + 2 * 4 + 3 + 2 + 1);
  cr_expect_eq(number_of(info, "pinned"), 4);
  cr_expect_float_eq(number_of(info, "total_mass"), 2.5, 1e-6);
  cr_expect_eq(json_array_size(json_object_get(info, "bodies")), 3);
  cr_expect_eq(number_of(info, "joints"), 1);
}

/* Two particles and one spring: the limit is exactly 2 / sqrt(k (1/m + 1/m)), at every shape. */
Test(command_info, limit_of_a_pair_is_the_one_of_the_oscillator) {
  json_t *info = parse_json(msd("info bomb.json --json").out);
  double limit = 2 / sqrt(1e6 * 2);
  /* A certificate is never above the truth, and may leave a little room for rounding. */
  cr_expect_leq(number_of(info, "stable_time_step"), limit);
  cr_expect_float_eq(number_of(info, "stable_time_step"), limit, 1e-5 * limit);
  cr_expect_leq(number_of(info, "stable_time_step_quick"), limit);
  cr_expect_float_eq(number_of(info, "stable_time_step_quick"), limit, 1e-5 * limit);
  cr_expect_float_eq(number_of(info, "this_shape_time_step"), limit, 1e-3 * limit);
  cr_expect_eq(number_of(info, "limiting_spring"), 0);
  cr_expect_eq(number_of(info, "substeps"), ceil(0.1 / limit));
}

Test(command_info, what_has_no_limit_is_null_in_json) {
  json_t *info = parse_json(msd("info ball.json --json").out);
  cr_expect(json_is_null(json_object_get(info, "stable_time_step")));
  cr_expect(json_is_null(json_object_get(info, "limiting_spring")));
  cr_expect_eq(number_of(info, "substeps"), 1);
}

Test(command_info, text_names_the_limiting_spring_as_a_person_finds_it) {
  command_result result = msd("info bomb.json");
  cr_expect_eq(result.status, 0);
  const char *row = strstr(result.out, "limiting spring");
  cr_assert_not_null(row);
  cr_expect_not_null(strstr(row, "\"pair\""), "%s", result.out);
  cr_expect_not_null(strstr(result.out, "1.414 ms"));
}

Test(command_info, memory_is_that_of_a_world_that_steps) {
  json_t *info = parse_json(msd("info rope.json --json").out);
  const double bytes = number_of(info, "bytes");
  cr_expect_gt(bytes, number_of(info, "bytes_loaded"));
  cr_expect_float_eq(number_of(info, "bytes_per_particle"), bytes / 10, 1e-6 * bytes);
  cr_expect_float_eq(number_of(info, "bytes_per_spring"), bytes / 17, 1e-6 * bytes);
  /* 40 numbers a particle, 8 a spring. */
  cr_expect_eq(number_of(info, "bytes_aim"), (40 * 10 + 8 * 17) * (int)sizeof(msd_real));
  const char *text = msd("info rope.json").out;
  cr_expect_not_null(strstr(text, "when stepped"));
  /* What every world takes says nothing about a particle. */
  cr_expect_null(strstr(text, "a particle"), "%s", text);
}

/* The step that lays the scene out is taken back: the estimate for this shape is of the shape in the file. */
Test(command_info, laying_out_leaves_no_trace) {
  json_t *one = parse_json(msd("info bomb.json --json").out);
  cr_expect_float_eq(number_of(one, "this_shape_time_step"), 1.41421e-3, 1e-5);
  cr_expect(json_is_null(json_object_get(parse_json(msd("info ball.json --json").out), "bytes_per_spring")));
}

static const char *pair_with(double stiffness, double damping, int substeps) {
  char *scene = format_text(
      "{\"msd\": 1, \"time_step\": 0.01, \"substeps\": %d, \"bodies\": [{\"kind\": \"particles\", "
      "\"position\": [[0, 0, 0], [1, 0, 0]], "
      "\"springs\": [{\"between\": [0, 1], \"stiffness\": %g, \"damping\": %g}]}]}",
      substeps, stiffness, damping);
  write_file("pair.json", scene, strlen(scene));
  return "pair.json";
}

/* Masses of 1 kg: kappa = delta (2 - delta) of the reduced mass of half a kg. */
Test(command_info, a_run_is_energy_safe_when_its_substeps_are) {
  const double limit = 2 / (1000.0 / 2 + 2 * 2);
  for (int substeps = 2; substeps <= 3; substeps++) {
    json_t *info = parse_json(msd("info %s --json", pair_with(1000, 2, substeps)).out);
    cr_expect_float_eq(number_of(info, "energy_safe_time_step"), limit, 1e-5 * limit);
    cr_expect_eq(json_is_true(json_object_get(info, "energy_safe")), 0.01 / substeps <= limit);
  }
  cr_expect_not_null(strstr(msd("info %s", pair_with(1000, 2, 3)).out, "each step takes energy away"));
  const char *undamped = msd("info %s", pair_with(1000, 0, 3)).out;
  cr_expect_not_null(strstr(undamped, "no step is certified to be: damping is too small"), "%s", undamped);
  cr_expect_not_null(strstr(undamped, "--energy guarded"), "%s", undamped);
}

/* Some 260,000 springs, of which an estimate takes a while. */
/* In part the estimates of small scenes will do. */
Test(command_info, a_large_scene_gets_its_estimate_when_it_asks, .disabled = in_part) {
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"kind\": \"cloth\", \"columns\": 360, \"rows\": 360, "
      "\"structural\": {\"stiffness\": 100, \"damping\": 0.01}}]}";
  write_file("large.json", scene, sizeof scene - 1);
  cr_expect(
      json_is_null(json_object_get(parse_json(msd("info large.json --json").out), "this_shape_time_step")));
  json_t *info = parse_json(msd("info large.json --json --estimate").out);
  cr_expect_geq(number_of(info, "this_shape_time_step"), number_of(info, "stable_time_step"));
}

Test(command_info, where_nothing_limits_nothing_is_named) {
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"kind\": \"rope\", \"name\": \"r\", \"particles\": 5, \"pinned\": "
      "[\"first\"], \"stretch\": {\"ck\": 0.1, \"cd\": 0.1}}]}";
  write_file("mild.json", scene, sizeof scene - 1);
  const char *text = msd("info mild.json").out;
  cr_expect_not_null(strstr(text, "certified         unlimited"), "%s", text);
  cr_expect_null(strstr(text, "limiting"), "%s", text);
  cr_expect_null(strstr(text, "quick bound"), "%s", text);
}

Test(command_info, substeps_are_those_of_the_integrator) {
  char *scene = format_text("%.*s, \"integrator\": \"explicit_euler\"}", (int)strlen(BOMB) - 1, BOMB);
  write_file("euler.json", scene, strlen(scene));
  cr_expect_eq(number_of(parse_json(msd("info euler.json --json").out), "substeps"), 0);
  const char *text = msd("info euler.json").out;
  cr_expect_not_null(strstr(text, "none is certified for a frame of 100 ms of explicit_euler\n"), "%s", text);
}

/* One frame of each scene that ships, among them some that leave stiffness and substeps open. */
Test(command_info, substeps_of_a_run_are_those_that_it_takes) {
  char *list = msd("list").out;
  int count = 0, more = 0;
  for (char *row = strtok(list, "\n"); row != NULL; row = strtok(NULL, "\n")) {
    if (count++ % MSD_TEST_SHARE > 0)
      continue;
    char name[128];
    cr_assert_eq(sscanf(row, "%127s", name), 1);
    json_t *info = parse_json(msd("info %s --json", name).out);
    json_t *run = parse_json(msd("run %s --json --time %.17g", name, number_of(info, "dt")).out);
    cr_expect_eq(number_of(info, "run_substeps"), number_of(run, "substeps"), "%s", name);
    more += number_of(info, "run_substeps") > number_of(info, "substeps");
  }
  cr_expect(more > 0 || in_part);
}

Test(command_info, substeps_of_a_run_are_explained_where_they_are_not_the_certified) {
  static const char soft[] = "{\"msd\": 1, \"bodies\": [{\"kind\": \"cloth\", \"columns\": 20, \"rows\": 20, "
                             "\"pinned\": [\"top\"]}]}";
  write_file("soft.json", soft, sizeof soft - 1);
  const char *text = msd("info soft.json").out;
  const int taken = (int)number_of(parse_json(msd("run soft.json --time 0.01 --json").out), "substeps");
  cr_expect_gt(taken, 1);
  cr_expect_not_null(strstr(text, "substeps          1 for a frame"), "%s", text);
  cr_expect_not_null(
      strstr(text, format_text("msd run takes     %d, so that springs without a stiffness", taken)), "%s",
      text);
  text = msd("info rope.json").out;
  cr_expect_not_null(strstr(text, "msd run takes     4, as the file says\n"), "%s", text);
  text = msd("info bomb.json").out;
  cr_expect_not_null(
      strstr(text, "msd run takes     1, as the file says: a substep over the certified limit\n"), "%s",
      text);
}

Test(command_info, bodies_have_their_size_and_meshes_their_edges) {
  static const char mesh[] = "v 0 0 0\nv 2 0 0\nv 2 0.001 0\nv 0 1 0\nf 1 2 3 4\n";
  static const char scene[] = "{\"msd\": 1, \"bodies\": [{\"kind\": \"mesh\", \"name\": \"m\", \"file\": "
                              "\"m.obj\", \"scale\": 0.5}]}";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("m.json", scene, sizeof scene - 1);
  const char *text = msd("info m.json").out;
  cr_expect_not_null(strstr(text, "; 1 x 0.5 x 0 m, edges of 500 um to 1.118 m\n"), "%s", text);
  const json_t *body =
      json_array_get(json_object_get(parse_json(msd("info m.json --json").out), "bodies"), 0);
  cr_expect_float_eq(json_number_value(json_array_get(json_object_get(body, "size"), 0)), 1, 1e-6);
  text = msd("info rope.json").out;
  cr_expect_not_null(strstr(text, "; 1 x 0 x 0 m\n"), "%s", text);
}

Test(command_info, what_no_substeps_are_certified_for_has_an_integrator_instead) {
  char *scene = format_text("%.*s, \"integrator\": \"explicit_euler\"}", (int)strlen(BOMB) - 1, BOMB);
  write_file("euler.json", scene, strlen(scene));
  const int substeps = (int)number_of(parse_json(msd("info bomb.json --json").out), "substeps");
  const char *text = msd("info euler.json").out;
  cr_expect_not_null(
      strstr(text, format_text("--integrator symplectic_euler, of which %d are certified\n", substeps)), "%s",
      text);
}

/* Two triangles that no vertex joins, though they nearly touch, as in meshes put together from parts. */
Test(command_info, pieces_and_pins_of_a_mesh_are_told) {
  static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.000001 0 0\nv 0 1.000001 0\nv 1 1 0\n"
                             "f 1 2 3\nf 4 6 5\n";
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"kind\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\", "
      "\"pinned\": [0, 1]}, {\"kind\": \"rope\"}]}";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("m.json", scene, sizeof scene - 1);
  const char *text = msd("info m.json").out;
  cr_expect_not_null(strstr(text, "pieces            3 that nothing joins, 1 of them held\n"), "%s", text);
  cr_expect_not_null(strstr(text, "\"m\": 6 particles, 2 pinned, 6 structural springs;"), "%s", text);
  const json_t *info = parse_json(msd("info m.json --json").out);
  cr_expect(number_of(info, "pieces") == 3 && number_of(info, "held_pieces") == 1);
  cr_expect_eq(number_of(json_array_get(json_object_get(info, "bodies"), 0), "pinned"), 2);
  cr_expect_null(strstr(msd("info rope.json").out, "pieces"));
}

/* Two triangles whose common corners are in the file twice, one of them a tenth of a millimetre apart. */
Test(command_info, welded_vertices_are_counted) {
  static const char scene[] = "{\"msd\": 1, \"bodies\": [{\"kind\": \"mesh\", \"file\": \"m.obj\", \"weld\": "
                              "0.001}]}",
                    mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.0001 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("weld.json", scene, sizeof scene - 1);
  cr_expect_not_null(strstr(msd("info weld.json").out, "4 particles (2 vertices welded, over up to 100 um)"));
  json_t *body = json_array_get(json_object_get(parse_json(msd("info weld.json --json").out), "bodies"), 0);
  cr_expect_eq(number_of(body, "welded_vertices"), 2);
  cr_expect_float_eq(number_of(body, "welded_over"), 1e-4, 1e-6);
}
