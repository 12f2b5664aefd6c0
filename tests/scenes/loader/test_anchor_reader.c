#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(anchor_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static scene *scene_of(const char *anchors) {
  char body[1024];
  snprintf(
      body, sizeof body,
      "{ \"kind\": \"rope\" }, { \"kind\": \"cloth\", \"columns\": 3, \"rows\": 3, \"anchors\": [ %s ] }",
      anchors);
  return load_bodies(body);
}

Test(anchor_reader, an_anchor_holds_its_particle_at_its_point) {
  scene *s =
      scene_of("{ \"particle\": 4, \"point\": [1, 2, 3], \"frequency\": 2, \"damping_ratio\": 0.5 },"
               "{ \"particle\": \"top_left\", \"point\": [0, 0, 1], \"stiffness\": 30, \"damping\": 4 },"
               "{ \"particle\": \"last\", \"ck\": 0.5, \"cd\": 0.25 }");
  cr_assert_eq(msd_world_get_anchor_count(s->world), 3);
  const msd_anchor_def one = msd_anchor_get_def(s->world, 0), two = msd_anchor_get_def(s->world, 1),
                       three = msd_anchor_get_def(s->world, 2);
  cr_expect(one.particle == 2 + 4 && one.point.x == 1 && one.point.y == 2 && one.point.z == 3);
  cr_expect(one.law == MSD_SPRING_FREQUENCY && one.frequency == 2 && one.damping_ratio == (msd_real)0.5);
  cr_expect(two.particle == 2 && two.point.z == 1);
  cr_expect(two.law == MSD_SPRING_PHYSICAL && two.stiffness == 30 && two.damping == 4);
  cr_expect(three.particle == 2 + 8 && three.law == MSD_SPRING_COEFFICIENT && three.ck == (msd_real)0.5 &&
            three.cd == (msd_real)0.25);
  cr_expect(three.point.x == 1 && three.point.y == -1, "where it is placed");
  cr_expect(s->bodies[1].anchors.first == 0 && s->bodies[1].anchors.count == 3);
  cr_expect_eq(s->bodies[0].anchors.count, 0);
  scene_free(s);
}

Test(anchor_reader, a_name_of_many_anchors_each_where_it_is) {
  scene *s = scene_of("{ \"particle\": \"left\", \"frequency\": 3 }");
  cr_assert_eq(msd_world_get_anchor_count(s->world), 3);
  for (int32_t r = 0; r < 3; r++) {
    const msd_anchor_def def = msd_anchor_get_def(s->world, r);
    cr_expect_eq(def.particle, 2 + 3 * r);
    cr_expect_eq(def.point.y, (msd_real)(-0.5 * r));
    cr_expect(def.frequency == 3 && def.damping_ratio == 1, "critical when the file does not say");
  }
  scene_free(s);
}

Test(anchor_reader, without_a_law_it_has_4_hz_and_the_stiffest_is_there_after_two_steps) {
  scene *s = scene_of("{ \"particle\": 0 }, { \"particle\": 1, \"stiffest\": true }");
  const msd_anchor_def one = msd_anchor_get_def(s->world, 0), two = msd_anchor_get_def(s->world, 1);
  cr_expect(one.law == MSD_SPRING_FREQUENCY && one.frequency == 4 && one.damping_ratio == 1);
  cr_expect(two.law == MSD_SPRING_COEFFICIENT && two.ck == 1 && two.cd == 1);
  scene_free(s);
}

Test(anchor_reader, every_kind_of_body_may_have_anchors) {
  static const char *const bodies[] = {"\"kind\": \"particles\", \"position\": [[0,0,0]]",
                                       "\"kind\": \"rope\"", "\"kind\": \"cloth\"", "\"kind\": \"block\"",
                                       "\"kind\": \"balloon\", \"sphere\": {}"};
  for (size_t i = 0; i < COUNT_OF(bodies); i++) {
    char body[256];
    snprintf(body, sizeof body, "{ %s, \"anchors\": [{ \"particle\": \"first\" }] }", bodies[i]);
    scene *s = load_bodies(body);
    cr_expect_eq(msd_world_get_anchor_count(s->world), 1);
    scene_free(s);
  }
}

Test(anchor_reader, bad_anchors_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"7", "anchors[0]: is 7", "an object"},
      {"{}", "anchors[0].particle: is missing", "a particle's index, or a name"},
      {"{ \"particle\": 9 }", "anchors[0].particle: there is no particle 9", "has 0 to 8"},
      {"{ \"particle\": \"frist\" }", "anchors[0].particle: \"frist\" names no particle",
       "did you mean \"first\"?"},
      {"{ \"particle\": 0, \"point\": [1, 2] }", "anchors[0].point: is a list of 2", "three numbers"},
      {"{ \"particle\": 0, \"points\": [1, 2, 3] }", "anchors[0].points: unknown key",
       "did you mean \"point\"?"},
      {"{ \"particle\": 0, \"ck\": 1.5 }", "anchors[0].ck: is 1.5", "from 0 to 1"},
      {"{ \"particle\": 0, \"stiffness\": 1, \"frequency\": 1 }", "anchors[0].frequency",
       "give a spring in one way"},
      {"{ \"particle\": 0 }, { \"particle\": \"top\" }", "bodies[0].anchors: ", "anchor"},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", \"columns\": 3, \"rows\": 3, \"anchors\": [ %s ] } "
      "] }");
  static const bad_text list = {"\"anchors\": {}", "bodies[0].anchors: is an object", "a list of anchors"};
  expect_refused(&list, 1, "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", %s } ] }");
}
