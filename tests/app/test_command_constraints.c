/* Springs on angles and volumes, and soft pins, through the command: counted, checkpointed, exported. */
#include "tests/support/command.h"

TestSuite(command_constraints, .init = command_setup, .fini = command_teardown);

/* A rope of 5 with 3 angles, a balloon of 42 vertices and 80 triangles with 120 folds, a block of 8 with 5
   volumes, two of the rope anchored. */
static const char SOFT[] =
    "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 0.25, \"bodies\": ["
    "{\"type\": \"rope\", \"name\": \"r\", \"particles\": 5, \"bend\": {\"model\": \"angle\", \"stiffness\": "
    "0.01},"
    " \"soft_pins\": [{\"particle\": \"first\"}, {\"particle\": 2, \"frequency\": 2}]},"
    "{\"type\": \"balloon\", \"name\": \"b\", \"sphere\": {\"radius\": 0.5, \"subdivisions\": 1}, "
    "\"area_density\": 0.5,"
    " \"stretch\": {\"stiffness\": 50}, \"bend\": {\"model\": \"dihedral\", \"stiffness\": 0.01},"
    " \"pressure\": {\"stiffness\": 100, \"damping\": 1}, \"rest_volume_scale\": 1.2},"
    "{\"type\": \"block\", \"name\": \"c\", \"stretch\": {\"stiffness\": 50}, \"volume\": {\"stiffness\": "
    "100}}]}";

static void write_scene(void) {
  write_file("soft.json", SOFT, sizeof SOFT - 1);
}

Test(command_constraints, info_counts_them_by_kind) {
  write_scene();
  json_t *info = parse_json(msd("info soft.json --json").out);
  cr_expect_eq(number_of(info, "constraints"), 3 + 120 + 1 + 5);
  cr_expect_eq(number_of(info, "soft_pins"), 2);
  json_t *kinds = json_object_get(info, "constraint_kinds");
  cr_expect_eq(number_of(kinds, "angle"), 3);
  cr_expect_eq(number_of(kinds, "dihedral"), 120);
  cr_expect_eq(number_of(kinds, "area"), 0);
  cr_expect_eq(number_of(kinds, "volume"), 5);
  cr_expect_eq(number_of(kinds, "mesh_volume"), 1);
  json_t *balloon = json_array_get(json_object_get(info, "bodies"), 1);
  cr_expect_eq(number_of(json_object_get(balloon, "constraints"), "bend"), 120);
  cr_expect_eq(number_of(json_object_get(balloon, "constraints"), "pressure"), 1);
  cr_expect_eq(number_of(json_array_get(json_object_get(info, "bodies"), 0), "soft_pins"), 2);
  char *text = msd("info soft.json --details").out;
  cr_expect_not_null(strstr(text, "constraints       129: 3 angle, 120 dihedral, 5 volume, 1 mesh_volume"),
                     "%s", text);
  cr_expect_not_null(strstr(text, "120 bend constraints, 1 pressure constraint; "), "%s", text);
  cr_expect_not_null(strstr(text, "2 soft pins; 1 x 0 x 0 m\n"), "%s", text);
}

Test(command_constraints, scenes_without_them_say_nothing_of_them) {
  char *text = msd("info mixed.json --details").out;
  cr_expect_null(strstr(text, "constraint"), "%s", text);
  cr_expect_null(strstr(text, "soft pin"), "%s", text);
  json_t *info = parse_json(msd("info mixed.json --json").out);
  cr_expect_eq(number_of(info, "constraints"), 0);
}

Test(command_constraints, the_summary_of_a_run_counts_them) {
  write_scene();
  command_result result = msd("run soft.json --json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  json_t *summary = parse_json(result.out);
  cr_expect_eq(number_of(summary, "constraints"), 129);
  cr_expect_eq(number_of(summary, "soft_pins"), 2);
  cr_expect_not(json_is_true(json_object_get(summary, "diverged")));
  char *text = msd("run soft.json").out;
  cr_expect_not_null(strstr(text, ", 1 enclosed volume, 5 volume constraints, 120 bend hinges, 3 bend\n"
                                  "              angles, 2 soft pins, 1 rope, 1 balloon, 1 block\n"),
                     "%s", text);
}

Test(command_constraints, a_resumed_run_ends_with_the_hash_of_one_that_never_stopped) {
  write_scene();
  const char *whole = hash_of(msd("run soft.json --json"));
  cr_assert_eq(msd("run soft.json --duration 0.125 --save c").status, 0);
  command_result resumed = msd("run soft.json --resume c --duration 0.25 --json");
  cr_assert_eq(resumed.status, 0, "%s", resumed.err);
  cr_expect_str_eq(hash_of(resumed), whole);
}

static int count_of_lines_with(const char *text, char first) {
  int count = 0;
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
    count += line[0] == first && line[1] == ' ';
  return count;
}

/* Faces: 80 of the balloon and 2 on each side of the block. Lines: 4 stretch springs of the rope. */
Test(command_constraints, export_writes_the_new_surfaces) {
  write_scene();
  command_result result = msd("run soft.json --duration 0.015625 --export out --format obj");
  cr_assert_eq(result.status, 0, "%s", result.err);
  char *text = read_text("out/soft_000001.obj");
  cr_expect_eq(count_of_lines_with(text, 'v'), 5 + 42 + 8);
  cr_expect_eq(count_of_lines_with(text, 'f'), 80 + 12);
  cr_expect_eq(count_of_lines_with(text, 'l'), 4);
  cr_expect_eq(count_of_lines_with(text, 'p'), 0);
}

/* A leg of 1 m that shortens to 1 - v/64 m in the first frame, with 1 the shape at rest: an angle is as stiff
   as 1/leg^2. */
static void write_leg(double stiffness, double speed) {
  char *text = format_text(
      "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.015625, \"substeps\": \"auto\", \"duration\": "
      "1,"
      " \"bodies\": [{\"type\": \"particles\", \"name\": \"leg\", \"position\": [[-1, 0, 0], [0, 0, 0], [0, "
      "1, "
      "0]], \"velocity\": [[%g, 0, 0], [0, 0, 0], [0, 0, 0]], \"pinned\": [1, 2], \"springs\": [], "
      "\"constraints\": [{\"type\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": %g}]}]}",
      speed, stiffness);
  write_file("leg.json", text, strlen(text));
}

Test(command_constraints, ends_a_run_in_a_configuration_that_no_substep_is_stable_for_with_a_remedy) {
  write_leg(1e15, 63.9);
  command_result result = msd("run leg.json");
  cr_expect_eq(result.status, 1);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  const char *const parts[] = {"unstable at 0.0156 s (frame 2)",
                               "no number of substeps is stable in this configuration",
                               "set by the bend angle of leg", "--substeps N"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect_not_null(strstr(result.err, parts[i]), "no '%s' in: %s", parts[i], result.err);
  cr_expect_str_empty(result.out);
}

Test(command_constraints, substeps_that_change_with_the_shape_are_told_from_least_to_most) {
  write_leg(1e4, 10);
  json_t *summary = parse_json(msd("run leg.json --json").out);
  const double least = number_of(summary, "substeps_min"), most = number_of(summary, "substeps_max");
  cr_expect_lt(least, most);
  cr_expect_eq(number_of(summary, "substeps"), most);
  cr_expect_gt(number_of(summary, "total_substeps"), 64 * least);
  cr_expect_lt(number_of(summary, "total_substeps"), 64 * most);
  char *text = msd("run leg.json").out;
  cr_expect_not_null(strstr(text, format_text("%.0f to %.0f substeps of ", least, most)), "%s", text);
}

/* A leg that grows longer needs fewer substeps, which are looked for now and then. */
Test(command_constraints, the_least_substeps_may_be_those_of_the_last_frame) {
  write_leg(1e4, -1);
  json_t *summary = parse_json(msd("run leg.json --json").out);
  const double least = number_of(summary, "substeps_min"), most = number_of(summary, "substeps_max");
  cr_expect_lt(least, most);
  cr_expect_gt(number_of(summary, "total_substeps"), 64 * least);
}

/* What the limit leaves is certified for symplectic Euler alone: any other integrator needs what each shape
   asks for. */
Test(command_constraints, automatic_substeps_follow_the_shape_under_a_limit_too) {
  write_leg(1e4, 10);
  json_t *limited = parse_json(msd("run leg.json --integrator velocity_verlet --clamp-stiffness --json").out);
  cr_expect_lt(number_of(limited, "substeps_min"), number_of(limited, "substeps_max"));
  cr_expect_gt(number_of(limited, "total_substeps"), 64 * number_of(limited, "substeps_min"));
}

Test(command_constraints, fixed_substeps_are_warned_of_at_the_shape_that_needs_most) {
  write_leg(1e4, 10);
  const double most = number_of(parse_json(msd("run leg.json --json").out), "substeps_max");
  command_result result = msd("run leg.json --substeps 4");
  cr_expect_eq(result.status, 0);
  cr_expect_eq(count_lines(result.err), 1, "%s", result.err);
  cr_expect_not_null(
      strstr(result.err, " substeps to be stable, more than the 4 taken; use --substeps auto, or "), "%s",
      result.err);
  cr_expect_str_empty(msd("run leg.json --substeps %.0f", 4 * most).err);
}

/* Pinned, so that it stays as it was placed: 1 m where 0.8 m would be at rest. */
Test(command_constraints, the_summary_of_a_run_has_the_stretch_of_fibers) {
  static const char SHEET[] =
      "{\"msd\": 1, \"duration\": 0.1, \"bodies\": [{\"type\": \"particles\", \"name\": \"sheet\", "
      "\"position\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"mass\": 1, \"pinned\": [\"all\"], \"constraints\": "
      "["
      "{\"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [0, 1, 0], \"rest\": 1, \"stiffness\": "
      "9},"
      "{\"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [1, 0, 0], \"rest\": 0.8, "
      "\"stiffness\": 9}]}]}";
  write_file("sheet.json", SHEET, sizeof SHEET - 1);
  command_result result = msd("run sheet.json --json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  json_t *summary = parse_json(result.out);
  cr_expect_float_eq(number_of(summary, "max_stretch"), 0.25, 1e-6);
  cr_expect_float_eq(number_of(summary, "mean_stretch"), 0.125, 1e-6);
  const char *text = msd("run sheet.json").out;
  cr_expect_not_null(
      strstr(text, "  stretch     12.5 % mean, 25 % max at the end (sheet, fiber at particle 0)\n"), "%s",
      text);
}
