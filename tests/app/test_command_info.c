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
                              "stable_substep",
                              "stable_substep_quick",
                              "current_stable_substep",
                              "energy_safe_substep",
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
  cr_expect_eq(number_of(info, "connections"), 1);
}

/* Two particles and one spring: the limit is exactly 2 / sqrt(k (1/m + 1/m)), at every shape. */
Test(command_info, limit_of_a_pair_is_the_one_of_the_oscillator) {
  json_t *info = parse_json(msd("info bomb.json --json").out);
  double limit = 2 / sqrt(1e6 * 2);
  /* A certificate is never above the truth, and may leave a little room for rounding. */
  cr_expect_leq(number_of(info, "stable_substep"), limit);
  cr_expect_float_eq(number_of(info, "stable_substep"), limit, 1e-5 * limit);
  cr_expect_leq(number_of(info, "stable_substep_quick"), limit);
  cr_expect_float_eq(number_of(info, "stable_substep_quick"), limit, 1e-5 * limit);
  cr_expect_float_eq(number_of(info, "current_stable_substep"), limit, 1e-3 * limit);
  cr_expect_eq(number_of(info, "limiting_spring"), 0);
  cr_expect_eq(number_of(info, "substeps"), ceil(0.1 / limit));
}

Test(command_info, what_has_no_limit_is_null_in_json) {
  json_t *info = parse_json(msd("info ball.json --json").out);
  cr_expect(json_is_null(json_object_get(info, "stable_substep")));
  cr_expect(json_is_null(json_object_get(info, "limiting_spring")));
  cr_expect_eq(number_of(info, "substeps"), 1);
}

Test(command_info, names_the_kind_of_springs_that_limits) {
  command_result result = msd("info bomb.json");
  cr_expect_eq(result.status, 0);
  cr_expect_not_null(strstr(result.out, "limit 1.414 ms, set by the spring of pair (1e+06 N/m)"), "%s",
                     result.out);
  cr_expect_not_null(
      strstr(msd("info bomb.json --details").out, "spring: particles \"pair\" spring, particle 0"));
}

Test(command_info, memory_is_that_of_a_world_that_steps) {
  json_t *info = parse_json(msd("info rope.json --json").out);
  const double bytes = number_of(info, "bytes");
  cr_expect_gt(bytes, number_of(info, "bytes_loaded"));
  cr_expect_float_eq(number_of(info, "bytes_per_particle"), bytes / 10, 1e-6 * bytes);
  cr_expect_float_eq(number_of(info, "bytes_per_spring"), bytes / 17, 1e-6 * bytes);
  /* 40 numbers a particle, 8 a spring. */
  cr_expect_eq(number_of(info, "bytes_aim"), (40 * 10 + 8 * 17) * (int)sizeof(msd_real));
  const char *text = msd("info rope.json --details").out;
  cr_expect_not_null(strstr(text, "when stepped"));
  /* Most of the memory of a small world does not depend on its particles. */
  cr_expect_null(strstr(text, "per particle"), "%s", text);
}

/* The step that lays the scene out is taken back: the estimate for this shape is of the shape in the file. */
Test(command_info, laying_out_leaves_no_trace) {
  json_t *one = parse_json(msd("info bomb.json --json").out);
  cr_expect_float_eq(number_of(one, "current_stable_substep"), 1.41421e-3, 1e-5);
  cr_expect(json_is_null(json_object_get(parse_json(msd("info ball.json --json").out), "bytes_per_spring")));
}

static const char *pair_with(double stiffness, double damping, int substeps) {
  char *scene = format_text(
      "{\"msd\": 1, \"frame_time\": 0.01, \"substeps\": %d, \"bodies\": [{\"type\": \"particles\", "
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
    cr_expect_float_eq(number_of(info, "energy_safe_substep"), limit, 1e-5 * limit);
    cr_expect_eq(json_is_true(json_object_get(info, "energy_safe")), 0.01 / substeps <= limit);
  }
  cr_expect_not_null(strstr(msd("info %s --details", pair_with(1000, 2, 3)).out, "falls in each substep"));
  const char *undamped = msd("info %s", pair_with(1000, 0, 3)).out;
  cr_expect_not_null(strstr(undamped, "light damping: energy can rise unless --energy-mode bounded"), "%s",
                     undamped);
}

/* Some 260,000 springs, of which an estimate takes a while. */
/* In part the estimates of small scenes will do. */
Test(command_info, a_large_scene_gets_its_estimate_when_it_asks, .disabled = in_part) {
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"columns\": 360, \"rows\": 360, "
      "\"stretch\": {\"stiffness\": 100, \"damping\": 0.01}}]}";
  write_file("large.json", scene, sizeof scene - 1);
  cr_expect(
      json_is_null(json_object_get(parse_json(msd("info large.json --json").out), "current_stable_substep")));
  json_t *info = parse_json(msd("info large.json --json --estimate").out);
  cr_expect_geq(number_of(info, "current_stable_substep"), number_of(info, "stable_substep"));
}

Test(command_info, where_nothing_limits_nothing_is_named) {
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\", \"name\": \"r\", \"particles\": 5, \"pinned\": "
      "[\"first\"], \"stretch\": {\"ck\": 0.1, \"cd\": 0.1}}]}";
  write_file("mild.json", scene, sizeof scene - 1);
  const char *text = msd("info mild.json").out;
  cr_expect_not_null(strstr(text, "stability   1 substep per frame (16.7 ms each), stable at any number\n"),
                     "%s", text);
  cr_expect_null(strstr(text, "limit "), "%s", text);
  text = msd("info mild.json --details").out;
  cr_expect_not_null(strstr(text, "proven            any, "), "%s", text);
  cr_expect_null(strstr(text, "quick bound"), "%s", text);
}

Test(command_info, substeps_are_those_of_the_integrator) {
  char *scene = format_text("%.*s, \"integrator\": \"explicit_euler\"}", (int)strlen(BOMB) - 1, BOMB);
  write_file("euler.json", scene, strlen(scene));
  cr_expect_eq(number_of(parse_json(msd("info euler.json --json").out), "substeps"), 0);
  const char *text = msd("info euler.json").out;
  cr_expect_not_null(strstr(text, "NOT proven stable: no number of substeps is with explicit_euler\n"), "%s",
                     text);
  text = msd("info euler.json --details").out;
  cr_expect_not_null(strstr(text, "no number is stable for a frame of 100 ms with explicit_euler\n"), "%s",
                     text);
}

/* One frame of each scene that ships, among them some that leave stiffness and substeps open. */
Test(command_info, substeps_of_a_run_are_those_that_it_takes) {
  char *list = msd("list").out;
  int count = 0, more = 0;
  for (char *row = strtok(list, "\n"); row != NULL; row = strtok(NULL, "\n")) {
    if (*row != ' ' || count++ % MSD_TEST_SHARE > 0)
      continue;
    char name[128];
    cr_assert_eq(sscanf(row, "%127s", name), 1);
    json_t *info = parse_json(msd("info %s --json", name).out);
    json_t *run = parse_json(msd("run %s --json --duration %.17g", name, number_of(info, "frame_time")).out);
    cr_expect_eq(number_of(info, "run_substeps"), number_of(run, "substeps"), "%s", name);
    more += number_of(info, "run_substeps") > number_of(info, "substeps");
  }
  cr_expect(more > 0 || in_part);
}

Test(command_info, substeps_of_a_run_are_explained_where_they_are_not_the_certified) {
  static const char soft[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"columns\": 20, \"rows\": 20, "
                             "\"pinned\": [\"top\"]}]}";
  write_file("soft.json", soft, sizeof soft - 1);
  const char *text = msd("info soft.json --details").out;
  const int taken = (int)number_of(parse_json(msd("run soft.json --duration 0.01 --json").out), "substeps");
  cr_expect_gt(taken, 1);
  cr_expect_not_null(strstr(text, "substeps          1 for a frame"), "%s", text);
  cr_expect_not_null(
      strstr(text, format_text("msd run takes     %d, so that springs whose stiffness follows", taken)), "%s",
      text);
  text = msd("info rope.json --details").out;
  cr_expect_not_null(strstr(text, "msd run takes     4, from the scene file\n"), "%s", text);
  text = msd("info bomb.json").out;
  cr_expect_not_null(strstr(text, "1 substep per frame (100 ms each), NOT stable: 71 are needed\n"), "%s",
                     text);
}

Test(command_info, bodies_have_their_size_and_meshes_their_edges) {
  static const char mesh[] = "v 0 0 0\nv 2 0 0\nv 2 0.001 0\nv 0 1 0\nf 1 2 3 4\n";
  static const char scene[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"name\": \"m\", \"file\": "
                              "\"m.obj\", \"scale\": 0.5}]}";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("m.json", scene, sizeof scene - 1);
  const char *text = msd("info m.json --details").out;
  cr_expect_not_null(strstr(text, "; 1 x 0.5 x 0 m, edges of 500 um to 1.118 m\n"), "%s", text);
  const json_t *body =
      json_array_get(json_object_get(parse_json(msd("info m.json --json").out), "bodies"), 0);
  cr_expect_float_eq(json_number_value(json_array_get(json_object_get(body, "size"), 0)), 1, 1e-6);
  text = msd("info rope.json").out;
  cr_expect_not_null(strstr(text, "r: rope of 10 particles, 1 x 0 x 0 m; 9 stretch, 8 bend springs\n"), "%s",
                     text);
}

Test(command_info, what_no_substeps_are_certified_for_has_an_integrator_instead) {
  char *scene = format_text("%.*s, \"integrator\": \"explicit_euler\"}", (int)strlen(BOMB) - 1, BOMB);
  write_file("euler.json", scene, strlen(scene));
  const int substeps = (int)number_of(parse_json(msd("info bomb.json --json").out), "substeps");
  const char *text = msd("info euler.json --details").out;
  cr_expect_not_null(strstr(text, format_text("--integrator symplectic_euler, which needs %d\n", substeps)),
                     "%s", text);
}

/* Two triangles that no vertex joins, though they nearly touch, as in meshes put together from parts. */
Test(command_info, pieces_and_pins_of_a_mesh_are_told) {
  static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.000001 0 0\nv 0 1.000001 0\nv 1 1 0\n"
                             "f 1 2 3\nf 4 6 5\n";
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\", "
      "\"pinned\": [0, 1]}, {\"type\": \"rope\"}]}";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("m.json", scene, sizeof scene - 1);
  const char *text = msd("info m.json --details").out;
  cr_expect_not_null(strstr(text, "components        3 that no spring joins, 1 of them attached\n"), "%s",
                     text);
  cr_expect_not_null(strstr(text, "\"m\": 6 particles, 2 pinned, 6 stretch springs;"), "%s", text);
  const json_t *info = parse_json(msd("info m.json --json").out);
  cr_expect(number_of(info, "components") == 3 && number_of(info, "attached_components") == 1);
  cr_expect_eq(number_of(json_array_get(json_object_get(info, "bodies"), 0), "pinned"), 2);
  cr_expect_null(strstr(msd("info rope.json --details").out, "components"));
}

/* Two triangles whose common corners are in the file twice, one of them a tenth of a millimeter apart. */
Test(command_info, welded_vertices_are_counted) {
  static const char scene[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"m.obj\", \"merge_distance\": "
      "0.001}]}",
                    mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.0001 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n";
  write_file("m.obj", mesh, sizeof mesh - 1);
  write_file("weld.json", scene, sizeof scene - 1);
  cr_expect_not_null(
      strstr(msd("info weld.json --details").out, "4 particles (2 vertices merged, over up to 100 um)"));
  json_t *body = json_array_get(json_object_get(parse_json(msd("info weld.json --json").out), "bodies"), 0);
  cr_expect_eq(number_of(body, "merged_vertices"), 2);
  cr_expect_float_eq(number_of(body, "merged_within"), 1e-4, 1e-6);
}

/* One of them names meshes that the fuzzer writes. */
Test(command_info, accepts_the_scenes_from_which_the_fuzzers_start) {
  static const char *const seeds[] = {"colliders", "motions", "all_kinds"};
  static const char cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                             "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
                    nodes[] = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n",
                    elements[] = "1 4 0\n0 0 1 2 3\n";
  write_file("cube.obj", cube, sizeof cube - 1);
  write_file("tet.node", nodes, sizeof nodes - 1);
  write_file("tet.ele", elements, sizeof elements - 1);
  for (size_t n = 0; n < sizeof seeds / sizeof *seeds; n++) {
    const char *copy = format_text("cp '%s/../tests/fuzz/seeds/scene/%s.json' '%s/seed.json'",
                                   MSD_TEST_SCENES, seeds[n], command_folder);
    cr_assert_eq(system(copy), 0);
    command_result result = msd("info seed.json");
    cr_expect_eq(result.status, 0, "%s: %s", seeds[n], result.err);
  }
}

/* ------------------------------------------------------------------------------------------- twelve lines */

Test(command_info, prints_at_most_twelve_lines_and_the_rest_with_details) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  const char *const scenes[] = {"curtain",   "layers",      "denim_skirt", "jelly_block", "clock_spring",
                                "stiff_net", "press_brake", "fabrics",     "tensegrity",  "tarpaulin",
                                "sleepers",  "skirt",       "sheet_stack", "rope_bridge"};
  for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
    const char *brief = msd("info %s", scenes[n]).out, *all = msd("info %s --details", scenes[n]).out;
    cr_expect_leq(count_lines(brief), 12, "%s", brief);
    cr_expect_not_null(strstr(brief, "\nmore        --details: "), "%s", brief);
    cr_expect_not_null(strstr(all, "\nstable substep of symplectic Euler\n"), "%s", all);
    cr_expect_gt(count_lines(all), count_lines(brief), "%s", all);
  }
}

Test(command_info, prints_no_line_over_110_columns) {
  static const char *const scenes[] = {"curtain",     "jelly_block",   "layers",
                                       "denim_skirt", "walking_skirt", "fabrics"};
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
    const char *text = msd("info %s", scenes[n]).out;
    for (const char *at = text; *at != '\0'; at += strcspn(at, "\n") + 1)
      cr_expect_leq(strcspn(at, "\n"), 110, "%s: %.160s", scenes[n], at);
  }
}

Test(command_info, says_what_a_setting_softened) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  const char *text = msd("info denim_skirt").out;
  cr_expect_not_null(strstr(text, "softer than the material: skirt 1.2 times (stretch_under_weight)\n"), "%s",
                     text);
}

/* Bend springs are much softer than those that limit. */
static const char GRID[] =
    "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"name\": \"c\", \"columns\": 12, \"rows\": 12, "
    "\"pinned\": "
    "[\"top\"], \"stretch\": {\"stiffness\": 5000}, \"bend\": {\"stiffness\": 1}}%s]%s}";

static const char *grid_info(const char *bodies, const char *settings, const char *options) {
  const char *scene = format_text(GRID, bodies, settings);
  write_file("grid.json", scene, strlen(scene));
  return msd("info grid.json %s", options).out;
}

Test(command_info, compares_springs_with_their_own_kind) {
  const char *text = grid_info("", "", "--details");
  cr_expect_not_null(strstr(text, "set by the stretch springs of c (5,000 N/m, all 264 alike)\n"), "%s",
                     text);
  cr_expect_null(strstr(text, "typical"), "%s", text);
}

/* A rope of unit masses and springs, with one particle of a gram. */
Test(command_info, names_a_light_particle_among_its_own_kind) {
  static const char rope[] =
      "{\"msd\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"type\": \"particles\", \"name\": \"p\", "
      "\"position\": "
      "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0]], \"mass\": [1, 1, 1, 0.001, 1, 1], "
      "\"springs\": [{\"between\": [0, 1], \"stiffness\": 1000}, {\"between\": [1, 2], \"stiffness\": 1000}, "
      "{\"between\": [2, 3], \"stiffness\": 1000}, {\"between\": [3, 4], \"stiffness\": 1000}, {\"between\": "
      "[4, 5], "
      "\"stiffness\": 1000}]}]}";
  write_file("light.json", rope, sizeof rope - 1);
  const char *text = msd("info light.json").out;
  cr_expect_not_null(strstr(text, "set by the springs of p (1,000 N/m); particle 3 has 1/"), "%s", text);
}

Test(command_info, says_what_its_cost_leaves_out) {
  cr_expect_not_null(strstr(grid_info("", "", ""), " ms per frame on one core\n"));
  const char *text = grid_info("", ", \"colliders\": [{\"type\": \"plane\", \"position\": [0, -5, 0]}]", "");
  cr_expect_not_null(strstr(text, "cost        springs about "), "%s", text);
  cr_expect_not_null(strstr(text, " on one core, without collisions (see msd run)\n"), "%s", text);
  cr_expect_null(strstr(text, "(cheapest)"), "costs that are not complete are not compared: %s", text);
  text = grid_info(", {\"type\": \"block\", \"volume\": {\"stiffness\": 100}}", "", "");
  cr_expect_null(strstr(text, "see msd run"), "constraints are counted: %s", text);
  cr_expect_not_null(strstr(text, "(cheapest)"), "%s", text);
}

Test(command_info, does_not_estimate_the_stretch_where_nothing_hangs) {
  cr_expect_not_null(strstr(msd("info ball.json").out, "ball: 1 particle"));
  const char *text = msd("info bomb.json").out;
  cr_expect_null(strstr(text, "\nstretch "), "%s", text);
  cr_expect_null(strstr(msd("info bomb.json --details").out, "0 % stretch expected"));
}

/* The substeps of the scene, and not those that would be chosen for it. */
Test(command_info, prints_the_cost_of_the_solver_and_the_substeps_of_the_scene) {
  const char *text = grid_info("", ", \"mass_scaling\": \"selective\", \"substeps\": 3", "");
  cr_expect_not_null(
      strstr(text, "3 substeps per frame (5.56 ms each), stable at any number (mass scaling)\n"), "%s", text);
  cr_expect_not_null(strstr(text, "mass scaling 3, "), "%s", text);
}

Test(command_info, aligns_the_columns_of_the_table_of_clamped_stiffness) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  const char *text = msd("info jelly_block --details").out;
  cr_expect_not_null(
      strstr(text, "\n     substeps        clamped springs    clamped constraints   least stiffness kept\n"
                   "           10         2,996 (55.5 %)          2,560 (100 %)                    3 %\n"),
      "%s", text);
}
