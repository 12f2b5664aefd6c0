/* Contact in the reports of commands. */
#include "tests/support/command.h"

TestSuite(contact_report, .init = command_setup, .fini = command_teardown);

#define CLOTH(name, y, more)                                                                                 \
  "{\"type\": \"cloth\", \"name\": \"" name "\", \"origin\": [0, " y ", 0], \"u\": [1, 0, 0], "              \
  "\"v\": [0, 0, 1], \"columns\": 2, \"rows\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}" more "}"
#define ROPE(low, high, more)                                                                                \
  "{\"type\": \"rope\", \"name\": \"dart\", \"from\": [0.2, " low ", 0.3], \"to\": [0.2, " high ", 0.3], "   \
  "\"particles\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}" more "}"
#define SCENE(contact, bodies)                                                                               \
  "{\"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.015625, \"substeps\": 32, \"duration\": "          \
  "0.25, " contact "\"bodies\": [" bodies "]}"
#define SELF "\"contact\": {\"self_collision\": true}, "
#define PINS ", \"pinned\": [\"top\", \"bottom\"]"

static const char *const ALWAYS[] = {"contacts", "squeezed", "clipped_moves"};

static json_t *summary_of(const char *scene) {
  write_file("scene.json", scene, strlen(scene));
  const command_result o = msd("run scene.json --json");
  cr_assert_eq(o.status, 0, "%s", o.err);
  return parse_json(o.out);
}

Test(contact_report, reports_contacts_of_a_run_where_something_can_collide) {
  static const char *const scenes[] = {
      SCENE("", CLOTH("sheet", "1", "")),
      SCENE("\"colliders\": [{\"type\": \"plane\", \"name\": \"floor\"}], ", CLOTH("sheet", "1", "")),
      SCENE(SELF, CLOTH("sheet", "1", ""))};
  for (int n = 0; n < 3; n++) {
    json_t *summary = summary_of(scenes[n]);
    for (int k = 0; k < 3; k++)
      cr_expect_eq(json_object_get(summary, ALWAYS[k]) != NULL, n > 0, "scene %d: %s", n, ALWAYS[k]);
    cr_expect_eq(json_object_get(summary, "penetrations") != NULL, n == 2);
    cr_expect_eq(strstr(msd("run scene.json").out, "contacts") != NULL, n > 0);
  }
}

Test(contact_report, counts_pairs_that_intersect_from_the_start) {
  json_t *summary = summary_of(SCENE(SELF, CLOTH("sheet", "0", PINS) ", " ROPE("-0.2", "0.2", "")));
  cr_expect_eq(number_of(summary, "penetrations"), 1);
  cr_expect_eq(number_of(summary, "forced_intersections"), 0);
  cr_expect(json_is_null(json_object_get(summary, "first_forced_of")));
  cr_expect(strstr(msd("run scene.json").out, "; 1 pair intersecting at the end (ignored until separated)"),
            "%s", msd("run scene.json").out);
}

/* A pinned rope comes down on a sheet that lies on another one, which is pinned. */
Test(contact_report, names_the_first_forced_intersection) {
  json_t *summary = summary_of(SCENE(
      SELF
      "\"animation\": [{\"particles\": [\"dart\", 0], \"keyframes\": [{\"time\": 0, \"offset\": [0, 0, 0]}, "
      "{\"time\": 0.2, \"offset\": [0, -0.2, 0]}]}], ",
      CLOTH("table", "0", PINS) ", " CLOTH("sheet", "0.02", "") ", " ROPE(
          "0.1", "0.5", ", \"pinned\": [\"first\", \"last\"]")));
  cr_expect_gt(number_of(summary, "forced_intersections"), 0);
  cr_expect(strstr(text_of(summary, "first_forced_of"), "dart") ||
            strstr(text_of(summary, "first_forced_with"), "dart") ||
            strstr(text_of(summary, "first_forced_of"), "sheet") ||
            strstr(text_of(summary, "first_forced_with"), "sheet"));
  const char *text = msd("run scene.json --details").out;
  cr_expect(strstr(text, "forced to intersect"), "%s", text);
  cr_expect(strstr(text, "forced intersection  the first of "), "%s", text);
}

Test(contact_report, prints_the_size_of_contact_in_info) {
  const char scene[] = SCENE(SELF, CLOTH("sheet", "1", "") ", " ROPE("2", "3", ""));
  write_file("scene.json", scene, strlen(scene));
  json_t *info = parse_json(msd("info scene.json --json").out);
  cr_expect_eq(number_of(info, "collision_meshes"), 2);
  cr_expect_eq(number_of(info, "collision_triangles"), 2);
  cr_expect_eq(number_of(info, "collision_edges"), 5 + 1);
  cr_expect_gt(number_of(info, "bytes_contact"), 0);
  cr_expect_lt(number_of(info, "bytes_contact"), number_of(info, "bytes"));
  const char *text = msd("info scene.json --details").out;
  cr_expect(strstr(text, "self-collision of 2 surfaces (2 triangles)"), "%s", text);
  cr_expect(strstr(text, "2 surfaces of 2 triangles and 6 edges"), "%s", text);
}

/* n g dt is at most 1.25 cm/s, and what is softer carries less. */
Test(contact_report, prints_in_info_how_high_a_stack_settles) {
  static const struct {
    const char *contact;
    int substeps, sheets;
  } cases[] = {{"\"self_collision\": true", 64, 5},
               {"\"self_collision\": true", 128, 10},
               {"\"self_collision\": true, \"relaxation\": 0.5", 128, 5},
               {"\"self_collision\": true", 8, 0}};
  for (int n = 0; n < 4; n++) {
    char scene[600];
    snprintf(scene, sizeof scene,
             "{\"msd\": 1, \"frame_time\": 0.015625, \"substeps\": %d, \"contact\": {%s}, \"bodies\": [%s]}",
             cases[n].substeps, cases[n].contact, CLOTH("sheet", "1", ""));
    write_file("scene.json", scene, strlen(scene));
    cr_expect_eq(number_of(parse_json(msd("info scene.json --json").out), "sheets_carried"), cases[n].sheets,
                 "case %d", n);
    const char *line = cases[n].sheets > 0 ? format_text("%d layers rest, ", cases[n].sheets)
                                           : "layers do not settle on each other";
    cr_expect(strstr(msd("info scene.json").out, line), "%s", msd("info scene.json").out);
  }
}

Test(contact_report, prints_no_stack_where_nothing_falls_or_collides) {
  static const char *const scenes[] = {SCENE(SELF, CLOTH("sheet", "1", "")),
                                       "{\"msd\": 1, \"bodies\": [" CLOTH("sheet", "1", "") "]}"};
  for (int n = 0; n < 2; n++) {
    write_file("scene.json", scenes[n], strlen(scenes[n]));
    cr_expect_null(json_object_get(parse_json(msd("info scene.json --json").out), "sheets_carried"));
    cr_expect_null(strstr(msd("info scene.json").out, "settle"));
  }
}
