/* What commands say of contact. */
#include "tests/support/command.h"

TestSuite(contact_report, .init = command_setup, .fini = command_teardown);

#define CLOTH(name, y, more)                                                                                 \
  "{\"kind\": \"cloth\", \"name\": \"" name "\", \"origin\": [0, " y ", 0], \"u\": [1, 0, 0], "              \
  "\"v\": [0, 0, 1], \"columns\": 2, \"rows\": 2, \"mass\": 1, \"structural\": {\"stiffness\": 10}" more "}"
#define ROPE(low, high, more)                                                                                \
  "{\"kind\": \"rope\", \"name\": \"dart\", \"from\": [0.2, " low ", 0.3], \"to\": [0.2, " high ", 0.3], "   \
  "\"particles\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}" more "}"
#define SCENE(contact, bodies)                                                                               \
  "{\"msd\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.015625, \"substeps\": 32, \"duration\": "           \
  "0.25, " contact "\"bodies\": [" bodies "]}"
#define SELF "\"contact\": {\"self\": true}, "
#define PINS ", \"pinned\": [\"top\", \"bottom\"]"

static const char *const ALWAYS[] = {"contacts", "pinched", "shortened_steps"};

static json_t *summary_of(const char *scene) {
  write_file("scene.json", scene, strlen(scene));
  const command_result o = msd("run scene.json --json");
  cr_assert_eq(o.status, 0, "%s", o.err);
  return parse_json(o.out);
}

Test(contact_report, a_run_tells_of_contacts_where_something_can_touch) {
  static const char *const scenes[] = {
      SCENE("", CLOTH("sheet", "1", "")),
      SCENE("\"colliders\": [{\"kind\": \"plane\", \"name\": \"floor\"}], ", CLOTH("sheet", "1", "")),
      SCENE(SELF, CLOTH("sheet", "1", ""))};
  for (int n = 0; n < 3; n++) {
    json_t *summary = summary_of(scenes[n]);
    for (int k = 0; k < 3; k++)
      cr_expect_eq(json_object_get(summary, ALWAYS[k]) != NULL, n > 0, "scene %d: %s", n, ALWAYS[k]);
    cr_expect_eq(json_object_get(summary, "tangles") != NULL, n == 2);
    cr_expect_eq(strstr(msd("run scene.json").out, "contacts") != NULL, n > 0);
  }
}

Test(contact_report, a_run_counts_what_intersects_from_the_start) {
  json_t *summary = summary_of(SCENE(SELF, CLOTH("sheet", "0", PINS) ", " ROPE("-0.2", "0.2", "")));
  cr_expect_eq(number_of(summary, "tangles"), 1);
  cr_expect_eq(number_of(summary, "pinched_pairs"), 0);
  cr_expect(json_is_null(json_object_get(summary, "first_pinched_of")));
  cr_expect(strstr(msd("run scene.json").out, "tangled           1 pair of"), "%s",
            msd("run scene.json").out);
}

/* A pinned rope comes down on a sheet that lies on another one, which is pinned. */
Test(contact_report, a_run_names_what_was_pinched_first) {
  json_t *summary = summary_of(SCENE(
      SELF "\"motions\": [{\"particles\": [\"dart\", 0], \"keys\": [{\"time\": 0, \"offset\": [0, 0, 0]}, "
           "{\"time\": 0.2, \"offset\": [0, -0.2, 0]}]}], ",
      CLOTH("table", "0", PINS) ", " CLOTH("sheet", "0.02", "") ", " ROPE(
          "0.1", "0.5", ", \"pinned\": [\"first\", \"last\"]")));
  cr_expect_gt(number_of(summary, "pinched_pairs"), 0);
  cr_expect(strstr(text_of(summary, "first_pinched_of"), "dart") ||
            strstr(text_of(summary, "first_pinched_with"), "dart") ||
            strstr(text_of(summary, "first_pinched_of"), "sheet") ||
            strstr(text_of(summary, "first_pinched_with"), "sheet"));
  const char *text = msd("run scene.json").out;
  cr_expect(strstr(text, "that prescribed motion forced together; the first: "), "%s", text);
}

Test(contact_report, info_tells_what_can_touch_and_what_it_takes) {
  const char scene[] = SCENE(SELF, CLOTH("sheet", "1", "") ", " ROPE("2", "3", ""));
  write_file("scene.json", scene, strlen(scene));
  json_t *info = parse_json(msd("info scene.json --json").out);
  cr_expect_eq(number_of(info, "surfaces"), 2);
  cr_expect_eq(number_of(info, "surface_triangles"), 2);
  cr_expect_eq(number_of(info, "surface_edges"), 5 + 1);
  cr_expect_gt(number_of(info, "bytes_contact"), 0);
  cr_expect_lt(number_of(info, "bytes_contact"), number_of(info, "bytes"));
  const char *text = msd("info scene.json").out;
  cr_expect(strstr(text, "2 surfaces of 2 triangles and 6 edges"), "%s", text);
}

/* n g dt is at most 1.25 cm/s, and what is softer carries less. */
Test(contact_report, info_tells_how_high_a_pile_may_be) {
  static const struct {
    const char *contact;
    int substeps, sheets;
  } cases[] = {{"\"self\": true", 64, 5},
               {"\"self\": true", 128, 10},
               {"\"self\": true, \"softness\": 0.5", 128, 5},
               {"\"self\": true", 8, 0}};
  for (int n = 0; n < 4; n++) {
    char scene[600];
    snprintf(scene, sizeof scene,
             "{\"msd\": 1, \"time_step\": 0.015625, \"substeps\": %d, \"contact\": {%s}, \"bodies\": [%s]}",
             cases[n].substeps, cases[n].contact, CLOTH("sheet", "1", ""));
    write_file("scene.json", scene, strlen(scene));
    cr_expect_eq(number_of(parse_json(msd("info scene.json --json").out), "sheets_carried"), cases[n].sheets,
                 "case %d", n);
    char line[100];
    snprintf(line, sizeof line, "piles             forces alone carry up to %d equal sheet%s in %d substeps",
             cases[n].sheets, cases[n].sheets == 1 ? "" : "s", cases[n].substeps);
    cr_expect(strstr(msd("info scene.json").out, line), "%s", msd("info scene.json").out);
  }
}

Test(contact_report, info_tells_of_no_pile_where_nothing_falls_or_touches) {
  static const char *const scenes[] = {SCENE(SELF, CLOTH("sheet", "1", "")),
                                       "{\"msd\": 1, \"bodies\": [" CLOTH("sheet", "1", "") "]}"};
  for (int n = 0; n < 2; n++) {
    write_file("scene.json", scenes[n], strlen(scenes[n]));
    cr_expect_null(json_object_get(parse_json(msd("info scene.json --json").out), "sheets_carried"));
    cr_expect_null(strstr(msd("info scene.json").out, "piles"));
  }
}
