/* Wind in the reports of commands. */
#include "tests/support/command.h"

TestSuite(wind_report, .init = command_setup, .fini = command_teardown);

/* A cloth of 3 x 2 cells, and a rope of 4 segments. */
#define SCENE(wind)                                                                                          \
  "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"pinned\": [\"top\"], "     \
  "\"stretch\": {\"stiffness\": 50}}, {\"type\": \"rope\", \"particles\": 5, \"pinned\": [\"first\"], "      \
  "\"stretch\": {\"stiffness\": 50}}]" wind "}"

static const char *info_of(const char *scene, const char *options) {
  write_file("scene.json", scene, strlen(scene));
  const command_result o = msd(options);
  cr_assert_eq(o.status, 0, "%s", o.err);
  return o.out;
}

Test(wind_report, prints_the_wind_in_info_and_that_it_does_not_limit) {
  const char *text = info_of(SCENE(", \"wind\": {\"velocity\": [3, 0, -4], \"turbulence\": 0.5}"),
                             "info scene.json --details");
  cr_expect(strstr(text,
                   "  wind              5 m/s on average, turbulence of 0.5 m/s; acts on 12 triangles and 4 "
                   "segments; does not reduce the stable substep\n"),
            "%s", text);
}

Test(wind_report, keeps_the_stable_substep_of_still_air) {
  json_t *still = parse_json(info_of(SCENE(""), "info scene.json --json"));
  json_t *windy = parse_json(
      info_of(SCENE(", \"wind\": {\"velocity\": [30, 0, 0], \"density\": 1000}"), "info scene.json --json"));
  cr_expect_eq(number_of(still, "stable_substep"), number_of(windy, "stable_substep"));
  cr_expect_null(json_object_get(still, "wind"));
}

Test(wind_report, puts_the_wind_and_its_faces_into_json) {
  json_t *info =
      parse_json(info_of(SCENE(", \"wind\": {\"velocity\": [1, 2, 3]}"), "info scene.json --json"));
  const json_t *wind = json_object_get(info, "wind");
  for (size_t c = 0; c < 3; c++)
    cr_expect_eq(json_number_value(json_array_get(wind, c)), 1 + (double)c);
  cr_expect_eq(number_of(info, "turbulence"), 0);
  cr_expect_eq(number_of(info, "wind_triangles"), 12);
  cr_expect_eq(number_of(info, "wind_segments"), 4);
}

Test(wind_report, prints_nothing_without_air) {
  cr_expect_null(strstr(info_of(SCENE(""), "info scene.json --details"), "  wind"));
  cr_expect_null(
      strstr(info_of(SCENE(", \"wind\": {\"density\": 0}"), "info scene.json --details"), "  wind"));
}
