#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(wind_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define FRAME                                                                                                \
  "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"particles\": 5 }, { \"type\": \"particles\", "        \
  "\"position\": [[0, 2, 0]] }, { \"type\": \"cloth\", \"columns\": 4, \"rows\": 3 } ], %s }"

Test(wind_reader, air_has_what_the_file_says_and_else_the_defaults) {
  scene *s = load_framed(
      FRAME, "\"wind\": { \"velocity\": [3, 0, -1], \"turbulence\": 0.5, \"turbulence_length\": 4, "
             "\"turbulence_time\": 2, \"seed\": 4294967295, \"density\": 1.5, \"normal_drag\": 2, "
             "\"tangential_drag\": 0.25 }");
  msd_wind_def wind = msd_world_get_wind(s->world);
  cr_expect(wind.velocity.x == 3 && wind.velocity.y == 0 && wind.velocity.z == -1);
  cr_expect(wind.turbulence == (msd_real)0.5 && wind.turbulence_length == 4 && wind.turbulence_time == 2);
  cr_expect(wind.seed == 4294967295 && wind.density == (msd_real)1.5);
  cr_expect(wind.normal_drag == 2 && wind.tangential_drag == (msd_real)0.25);
  scene_free(s);
  s = load_framed(FRAME, "\"wind\": { }");
  const msd_wind_def standard = msd_default_wind_def();
  wind = msd_world_get_wind(s->world);
  cr_expect(wind.velocity.x == 0 && wind.turbulence == 0 && wind.density == standard.density);
  cr_expect(wind.normal_drag == standard.normal_drag && wind.tangential_drag == standard.tangential_drag);
  scene_free(s);
}

/* Surfaces are what air pushes: with it bodies have them, which do not touch unless they are told to. */
Test(wind_reader, bodies_in_the_wind_have_surfaces_that_need_not_touch) {
  static const char *const members[] = {"\"wind\": { }",
                                        "\"wind\": { }, \"contact\": { \"self_collision\": true }",
                                        "\"wind\": { \"density\": 0 }", "\"linear_damping\": 0"};
  for (int n = 0; n < 4; n++) {
    scene *s = load_framed(FRAME, members[n]);
    cr_assert_eq(msd_world_get_collision_mesh_count(s->world), n < 2 ? 2 : 0, "%s", members[n]);
    cr_expect_eq(msd_collision_mesh_excludes(s->world, 0, 0), n == 0);
    cr_expect_eq(msd_collision_mesh_excludes(s->world, 0, 1), n == 0);
    scene_free(s);
  }
}

Test(wind_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"wind\": 1", "wind: is 1", "an object"},
      {"\"wind\": { \"speed\": 1 }", "wind.speed: unknown key", "velocity"},
      {"\"wind\": { \"velocity\": 1 }", "wind.velocity", "[x, y, z]"},
      {"\"wind\": { \"turbulence\": -1 }", "wind.turbulence: is -1", "0 or more in m/s"},
      {"\"wind\": { \"turbulence_length\": 0 }", "wind.turbulence_length: is 0", "above 0 in m"},
      {"\"wind\": { \"turbulence_time\": 0 }", "wind.turbulence_time: is 0", "above 0 in s"},
      {"\"wind\": { \"seed\": 0.5 }", "wind.seed: is 0.5", "whole number"},
      {"\"wind\": { \"density\": -1 }", "wind.density: is -1", "kg/m^3"},
      {"\"wind\": { \"normal_drag\": -1 }", "wind.normal_drag: is -1", "coefficient of drag"},
      {"\"wind\": { \"tangential_drag\": -1 }", "wind.tangential_drag: is -1", "coefficient of drag"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}
