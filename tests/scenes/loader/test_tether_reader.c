#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(tether_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static scene *scene_of(const char *tethers) {
  char body[1024];
  snprintf(body, sizeof body,
           "{ \"type\": \"rope\" }, { \"type\": \"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 3, "
           "\"pinned\": [\"top_left\", \"top_right\"], \"tethers\": %s }",
           tethers);
  return load_bodies(body);
}

Test(tether_reader, true_ties_every_particle_to_both_corners_as_the_default_does) {
  scene *s = scene_of("true");
  const scene_body *body = &s->bodies[1];
  cr_assert_eq(body->group_count, 2);
  const scene_group *group = &body->groups[1];
  cr_assert_str_eq(group->name, "tethers");
  cr_assert_eq(group->springs.count, 2 * 10);
  cr_assert_eq(group->springs.first, body->groups[0].springs.first + body->groups[0].springs.count);
  cr_assert_eq(body->springs.count, body->groups[0].springs.count + 20, "the body's springs hold them");
  const msd_tethers_def def = msd_default_tethers_def();
  for (int32_t i = 0; i < 20; i++) {
    const msd_spring_def tether = msd_spring_get_def(s->world, group->springs.first + i);
    cr_expect(tether.mode == MSD_SPRING_TENSION_ONLY && tether.law == def.spring.law &&
              tether.ck == def.spring.ck && tether.cd == def.spring.cd);
    cr_expect(tether.b == 2 || tether.b == 5, "a pinned corner, behind the rope's two particles");
  }
  char text[128];
  scene_describe_spring(s, group->springs.first, text, sizeof text);
  cr_expect_str_eq(text, "cloth \"c\" tether, row 0 column 1 to row 0 column 0");
  scene_free(s);
}

Test(tether_reader, false_or_nothing_makes_none) {
  scene *s = scene_of("false");
  cr_expect_eq(s->bodies[1].group_count, 1);
  scene_free(s);
  s = load_bodies("{ \"type\": \"cloth\" }");
  cr_expect_eq(s->bodies[0].group_count, 1);
  scene_free(s);
}

Test(tether_reader, an_object_sets_pins_slack_and_law) {
  scene *s = scene_of("{ \"pins_each\": 1, \"slack\": 0.5, \"stiffness\": 30, \"damping\": 2 }");
  const scene_group *group = &s->bodies[1].groups[1];
  cr_assert_eq(group->springs.count, 10);
  const msd_spring_def tether = msd_spring_get_def(s->world, group->springs.first);
  cr_expect(tether.law == MSD_SPRING_STIFFNESS && tether.stiffness == 30 && tether.damping == 2);
  const msd_real length = msd_spring_get_length(s->world, group->springs.first);
  cr_expect(tether.rest_length > (msd_real)1.499 * length && tether.rest_length < (msd_real)1.501 * length);
  scene_free(s);
  s = scene_of("{ \"hard_limit\": 0.5 }");
  const msd_spring_def caught = msd_spring_get_def(s->world, s->bodies[1].groups[1].springs.first);
  cr_expect(caught.law == MSD_SPRING_HARD_LIMIT && caught.ck == (msd_real)0.5 &&
            caught.mode == MSD_SPRING_TENSION_ONLY);
  scene_free(s);
  s = scene_of("{}");
  cr_expect_eq(s->bodies[1].groups[1].springs.count, 20, "an empty object is true");
  scene_free(s);
}

Test(tether_reader, every_kind_of_body_with_particles_may_have_them) {
  static const char *const bodies[] = {"\"type\": \"particles\", \"position\": [[0,0,0], [1,0,0]]",
                                       "\"type\": \"rope\"", "\"type\": \"cloth\"", "\"type\": \"block\"",
                                       "\"type\": \"balloon\", \"sphere\": {}"};
  for (size_t i = 0; i < COUNT_OF(bodies); i++) {
    char body[256];
    snprintf(body, sizeof body, "{ %s, \"pinned\": [\"first\"], \"tethers\": true }", bodies[i]);
    scene *s = load_bodies(body);
    const scene_group *last = &s->bodies[0].groups[s->bodies[0].group_count - 1];
    cr_expect_str_eq(last->name, "tethers");
    cr_expect_eq(last->springs.count, s->bodies[0].particles.count - 1);
    cr_expect_eq(last->springs.first + last->springs.count,
                 s->bodies[0].springs.first + s->bodies[0].springs.count);
    scene_free(s);
  }
}

Test(tether_reader, bad_tethers_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"7", "tethers: is 7", "true, false, or an object"},
      {"{ \"pins_each\": 9 }", "tethers.pins_each: is 9", "from 1 to 8"},
      {"{ \"pins_each\": 1.5 }", "tethers.pins_each: is 1.5", "whole number"},
      {"{ \"slack\": -0.1 }", "tethers.slack: is -0.1", "a strain of 0 or more"},
      {"{ \"slck\": 1 }", "tethers.slck: unknown key", "did you mean \"slack\"?"},
      {"{ \"ck\": 2 }", "tethers.ck: is 2", "from 0 to 1"},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"pinned\": [\"first\"], \"tethers\": %s } ] }");
  static const bad_text pinned = {"{}", "bodies[0].tethers: has nothing to tie",
                                  "every particle of the body is pinned"};
  expect_refused(
      &pinned, 1,
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"pinned\": [\"all\"], \"tethers\": %s } ] }");
  static const bad_text pins = {"true", "bodies[0].tethers: ", "is pinned; pin one first"};
  expect_refused(&pins, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"tethers\": %s } ] }");
}
