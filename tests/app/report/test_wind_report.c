/* What commands say of air. */
#include "tests/support/command.h"

TestSuite(wind_report, .init = command_setup, .fini = command_teardown);

/* A cloth of 3 x 2 cells, and a rope of 4 segments. */
#define SCENE(wind)                                                                                          \
  "{\"msd\": 1, \"bodies\": [{\"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"pinned\": [\"top\"], "     \
  "\"structural\": {\"stiffness\": 50}}, {\"kind\": \"rope\", \"particles\": 5, \"pinned\": [\"first\"], "   \
  "\"stretch\": {\"stiffness\": 50}}]" wind "}"

static const char *info_of(const char *scene, const char *options) {
  write_file("scene.json", scene, strlen(scene));
  const command_result o = msd(options);
  cr_assert_eq(o.status, 0, "%s", o.err);
  return o.out;
}

Test(wind_report, info_tells_what_the_wind_pushes_and_that_it_takes_nothing) {
  const char *text =
      info_of(SCENE(", \"wind\": {\"velocity\": [3, 0, -4], \"gust\": 0.5}"), "info scene.json");
  cr_expect(strstr(text, "  wind              5 m/s on average, gusts of 500 mm/s; pushes 12 triangles and 4 "
                         "segments, and takes nothing of the stable time step\n"),
            "%s", text);
}

Test(wind_report, the_certified_step_is_that_without_wind) {
  json_t *still = parse_json(info_of(SCENE(""), "info scene.json --json"));
  json_t *windy = parse_json(
      info_of(SCENE(", \"wind\": {\"velocity\": [30, 0, 0], \"density\": 1000}"), "info scene.json --json"));
  cr_expect_eq(number_of(still, "stable_time_step"), number_of(windy, "stable_time_step"));
  cr_expect_null(json_object_get(still, "wind"));
}

Test(wind_report, json_has_the_wind_and_what_it_pushes) {
  json_t *info =
      parse_json(info_of(SCENE(", \"wind\": {\"velocity\": [1, 2, 3]}"), "info scene.json --json"));
  const json_t *wind = json_object_get(info, "wind");
  for (size_t c = 0; c < 3; c++)
    cr_expect_eq(json_number_value(json_array_get(wind, c)), 1 + (double)c);
  cr_expect_eq(number_of(info, "gust"), 0);
  cr_expect_eq(number_of(info, "wind_triangles"), 12);
  cr_expect_eq(number_of(info, "wind_segments"), 4);
}

Test(wind_report, where_there_is_no_air_nothing_is_said) {
  cr_expect_null(strstr(info_of(SCENE(""), "info scene.json"), "  wind"));
  cr_expect_null(strstr(info_of(SCENE(", \"wind\": {\"density\": 0}"), "info scene.json"), "  wind"));
}
