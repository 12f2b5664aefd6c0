#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(soft_pin_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static scene *scene_of(const char *soft_pins) {
  char body[1024];
  snprintf(
      body, sizeof body,
      "{ \"type\": \"rope\" }, { \"type\": \"cloth\", \"columns\": 3, \"rows\": 3, \"soft_pins\": [ %s ] }",
      soft_pins);
  return load_bodies(body);
}

Test(soft_pin_reader, an_soft_pin_holds_its_particle_at_its_point) {
  scene *s =
      scene_of("{ \"particle\": 4, \"position\": [1, 2, 3], \"frequency\": 2, \"damping_ratio\": 0.5 },"
               "{ \"particle\": \"top_left\", \"position\": [0, 0, 1], \"stiffness\": 30, \"damping\": 4 },"
               "{ \"particle\": \"last\", \"ck\": 0.5, \"cd\": 0.25 }");
  cr_assert_eq(msd_world_get_soft_pin_count(s->world), 3);
  const msd_soft_pin_def one = msd_soft_pin_get_def(s->world, 0), two = msd_soft_pin_get_def(s->world, 1),
                         three = msd_soft_pin_get_def(s->world, 2);
  cr_expect(one.particle == 2 + 4 && one.position.x == 1 && one.position.y == 2 && one.position.z == 3);
  cr_expect(one.law == MSD_SPRING_FREQUENCY && one.frequency == 2 && one.damping_ratio == (msd_real)0.5);
  cr_expect(two.particle == 2 && two.position.z == 1);
  cr_expect(two.law == MSD_SPRING_STIFFNESS && two.stiffness == 30 && two.damping == 4);
  cr_expect(three.particle == 2 + 8 && three.law == MSD_SPRING_COEFFICIENT && three.ck == (msd_real)0.5 &&
            three.cd == (msd_real)0.25);
  cr_expect(three.position.x == 1 && three.position.y == -1, "where it is placed");
  cr_expect(s->bodies[1].soft_pins.first == 0 && s->bodies[1].soft_pins.count == 3);
  cr_expect_eq(s->bodies[0].soft_pins.count, 0);
  scene_free(s);
}

Test(soft_pin_reader, a_name_of_many_soft_pins_each_where_it_is) {
  scene *s = scene_of("{ \"particle\": \"left\", \"frequency\": 3 }");
  cr_assert_eq(msd_world_get_soft_pin_count(s->world), 3);
  for (int32_t r = 0; r < 3; r++) {
    const msd_soft_pin_def def = msd_soft_pin_get_def(s->world, r);
    cr_expect_eq(def.particle, 2 + 3 * r);
    cr_expect_eq(def.position.y, (msd_real)(-0.5 * r));
    cr_expect(def.frequency == 3 && def.damping_ratio == 1, "critical when the file does not say");
  }
  scene_free(s);
}

Test(soft_pin_reader, without_a_law_it_has_4_hz_and_the_max_stable_is_there_after_two_steps) {
  scene *s = scene_of("{ \"particle\": 0 }, { \"particle\": 1, \"stiffness\": \"max_stable\" }");
  const msd_soft_pin_def one = msd_soft_pin_get_def(s->world, 0), two = msd_soft_pin_get_def(s->world, 1);
  cr_expect(one.law == MSD_SPRING_FREQUENCY && one.frequency == 4 && one.damping_ratio == 1);
  cr_expect(two.law == MSD_SPRING_COEFFICIENT && two.ck == 1 && two.cd == 1);
  scene_free(s);
}

Test(soft_pin_reader, every_kind_of_body_may_have_soft_pins) {
  static const char *const bodies[] = {"\"type\": \"particles\", \"position\": [[0,0,0]]",
                                       "\"type\": \"rope\"", "\"type\": \"cloth\"", "\"type\": \"block\"",
                                       "\"type\": \"balloon\", \"sphere\": {}"};
  for (size_t i = 0; i < COUNT_OF(bodies); i++) {
    char body[256];
    snprintf(body, sizeof body, "{ %s, \"soft_pins\": [{ \"particle\": \"first\" }] }", bodies[i]);
    scene *s = load_bodies(body);
    cr_expect_eq(msd_world_get_soft_pin_count(s->world), 1);
    scene_free(s);
  }
}

Test(soft_pin_reader, bad_soft_pins_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"7", "soft_pins[0]: is 7", "an object"},
      {"{}", "soft_pins[0].particle: is missing", "a particle's index, or a name"},
      {"{ \"particle\": 9 }", "soft_pins[0].particle: there is no particle 9", "has 0 to 8"},
      {"{ \"particle\": \"frist\" }", "soft_pins[0].particle: \"frist\" names no particle",
       "did you mean \"first\"?"},
      {"{ \"particle\": 0, \"position\": [1, 2] }", "soft_pins[0].position: is a list of 2", "three numbers"},
      {"{ \"particle\": 0, \"positions\": [1, 2, 3] }", "soft_pins[0].positions: unknown key",
       "did you mean \"position\"?"},
      {"{ \"particle\": 0, \"ck\": 1.5 }", "soft_pins[0].ck: is 1.5", "from 0 to 1"},
      {"{ \"particle\": 0, \"stiffness\": 1, \"frequency\": 1 }", "soft_pins[0].frequency",
       "give stiffness and damping"},
      {"{ \"particle\": 0 }, { \"particle\": \"top\" }", "bodies[0].soft_pins: ", "soft_pin"},
  };
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"columns\": 3, \"rows\": 3, "
                 "\"soft_pins\": [ %s ] } "
                 "] }");
  static const bad_text list = {"\"soft_pins\": {}", "bodies[0].soft_pins: is an object",
                                "a list of soft pins"};
  expect_refused(&list, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", %s } ] }");
}
