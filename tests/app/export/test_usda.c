/* msd run --export --format usda. What it says is read by tests/app/export/readers.py. */
#include "tests/support/command.h"

TestSuite(usda, .init = command_setup, .fini = command_teardown);

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
    count++;
  return count;
}

static void expect_same_file(const char *name, const char *other) {
  size_t size, other_size;
  const char *bytes = read_bytes(name, &size), *other_bytes = read_bytes(other, &other_size);
  cr_assert_eq(size, other_size);
  cr_expect_eq(memcmp(bytes, other_bytes, size), 0);
}

Test(usda, a_resumed_run_ends_with_the_file_of_one_that_never_stopped) {
  static const char *const formats[] = {"usda", "glb"};
  for (int n = 0; n < 2; n++) {
    cr_assert_eq(msd("run mixed.json --export out --format %s", formats[n]).status, 0);
    cr_assert_eq(msd("run mixed.json --duration 0.125 --save c --export two --format %s", formats[n]).status,
                 0);
    const command_result result =
        msd("run mixed.json --resume c --duration 0.25 --export two --format %s", formats[n]);
    cr_assert_eq(result.status, 0, "%s", result.err);
    expect_same_file(format_text("two/mixed.%s", formats[n]), format_text("out/mixed.%s", formats[n]));
    cr_expect_not(exists(format_text("out/mixed.%s.part", formats[n])));
  }
}

/* The checkpoint is of frame 8. */
Test(usda, a_run_that_is_resumed_elsewhere_begins_where_it_does) {
  cr_assert_eq(msd("run mixed.json --duration 0.125 --save c").status, 0);
  cr_assert_eq(msd("run mixed.json --resume c --duration 0.25 --export new --format usda").status, 0);
  const char *text = read_text("new/mixed.usda");
  cr_expect_not_null(strstr(text, "startTimeCode = 9\n    endTimeCode = 16\n"));
}

/* Its lines are two curves: the rope is one of three springs, the joint one of its own. */
Test(usda, springs_in_a_row_are_one_curve) {
  cr_assert_eq(msd("run mixed.json --duration 0 --export out --format usda").status, 0);
  const char *text = read_text("out/mixed.usda");
  cr_expect_eq(count_of(text, "curveVertexCounts = [4]"), 1);
  cr_expect_eq(count_of(text, "curveVertexCounts = [2]"), 1);
  cr_expect_eq(count_of(text, "def Xform \"table_cloth_0\""), 1);
}

/* Also where the run is resumed when particles have split: the mesh is that of the beginning. */
Test(usda, keeps_the_mesh_that_was_loaded_where_it_tears) {
  static const char torn[] =
      "{\"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 16, \"duration\": 0.5, \"bodies\": [{\"type\": "
      "\"cloth\", \"name\": \"c\", \"columns\": 8, \"rows\": 3, \"pinned\": [\"left\", \"right\"], "
      "\"stretch\": {\"stiffness\": 500, \"damping\": 0.5, \"tear_strain\": 0.5, \"split\": true}}], "
      "\"animation\": [{\"particles\": [\"c\", \"right\"], \"keyframes\": [{\"time\": 0, \"offset\": [0, 0, "
      "0]}, "
      "{\"time\": 0.5, \"offset\": [0.6, 0, 0]}]}]}";
  write_file("torn.json", torn, strlen(torn));
  const json_t *summary = parse_json(msd("run torn.json --export out --format usda --save c --json").out);
  cr_assert_gt(number_of(summary, "split"), 0);
  const char *text = read_text("out/torn.usda"), *indices = strstr(text, "faceVertexIndices = [");
  cr_assert_not_null(indices);
  const int corners = count_of(format_text("%.*s", (int)strcspn(indices, "\n"), indices), ",") + 1;
  cr_expect_eq(corners, 3 * 28);
  cr_assert_eq(msd("run torn.json --resume c --duration 0.75 --export new --format usda").status, 0);
  const char *later = strstr(read_text("new/torn.usda"), "faceVertexIndices = [");
  cr_assert_not_null(later);
  cr_expect_eq(strncmp(later, indices, strcspn(indices, "\n") + 1), 0);
  cr_assert_eq(msd("run torn.json --resume c --duration 0.75 --export other --format pc2").status, 0);
  cr_expect_null(strstr(read_text("other/torn.obj"), "f 25"), "a corner behind the points of the cache");
}

Test(usda, texture_coordinates_are_of_corners_so_that_seams_stay) {
  static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0.25 0.5\n"
                             "f 1/1 2/2 3/3\nf 2/1 4/3 3/2\n";
  static const char scene[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"m.obj\"}]}";
  write_file("m.obj", mesh, strlen(mesh));
  write_file("s.json", scene, strlen(scene));
  cr_assert_eq(msd("run s.json --duration 0 --export out --format usda").status, 0);
  cr_expect_not_null(strstr(read_text("out/s.usda"),
                            "texCoord2f[] primvars:st = [(0, 0), (1, 0), (0.25, 0.5), "
                            "(0, 0), (0.25, 0.5), (1, 0)]"));
}

/* Room for the cache, but not for the text: what an earlier run has left stays. */
Test(usda, a_full_disk_leaves_the_file_that_was_there) {
  cr_assert_eq(msd("run mixed.json --duration 0.03125 --export out --format usda").status, 0);
  size_t size, left_size;
  const char *before = read_bytes("out/mixed.usda", &size);
  cr_assert_lt(size, 16384);
  const int status =
      system(format_text("cd '%s' && (trap '' XFSZ; ulimit -f 32; '%s' run mixed.json --export out "
                         "--format usda >.out 2>.err)",
                         command_folder, MSD_COMMAND));
  cr_expect_eq(exit_status(status), 3);
  cr_expect_not_null(strstr(read_text(".err"), "mixed.usda"), "%s", read_text(".err"));
  const char *left = read_bytes("out/mixed.usda", &left_size);
  cr_expect(left_size == size && memcmp(left, before, size) == 0);
  cr_expect_not(exists("out/mixed.usda.part"));
}
