#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(animation_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Two pins above, one below; the bodies and motions of a scene. */
#define FRAME                                                                                                \
  "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 4, \"pinned\": "        \
  "[\"first\"], \"soft_pins\": [ { \"particle\": 1, \"position\": [1, 2, 3] } ] }, { \"type\": \"cloth\", "  \
  "\"name\": \"c\", \"columns\": 3, \"rows\": 3, \"pinned\": "                                               \
  "[\"top\"], \"bend\": { \"model\": \"angle\", \"stiffness\": 1 } }, { \"type\": \"rotors\", \"name\": "    \
  "\"w\", \"angle\": [0] } ], \"connections\": [ { \"between\": [\"r\", \"last\", \"c\", \"bottom_left\"] "  \
  "} ], "                                                                                                    \
  "\"animation\": [ %s ] }"

static scene *load(const char *motions) {
  return load_framed(FRAME, motions);
}

Test(animation_reader, a_scene_without_motions_has_an_empty_animation) {
  scene *s = load_bodies("{ \"type\": \"rope\" }");
  cr_expect(s->animation.motion_count == 0 && s->animation.event_count == 0 && s->animation.text == NULL);
  scene_free(s);
}

Test(animation_reader, particles_named_twice_are_led_once_and_turn_about_their_middle) {
  scene *s = load("{ \"particles\": [\"c\", \"top\", 1, \"top_left\"], \"keyframes\": [ { \"time\": 0.5 }, { "
                  "\"time\": 2, \"offset\": [1, 2, 3], \"rotation\": [0, 90, 0] } ] }");
  cr_assert_eq(s->animation.motion_count, 1);
  const scene_motion *m = &s->animation.motions[0];
  cr_assert_eq(m->count, 3);
  for (int32_t i = 0; i < 3; i++) {
    cr_expect_eq(m->particles[i], 4 + i, "after the rope of four");
    cr_expect_eq(m->placed[i][0], (double)msd_particle_get_position(s->world, 4 + i).x);
  }
  cr_expect(m->center[0] == 0.5 && m->center[1] == 0 && m->center[2] == 0);
  cr_assert_eq(m->track.count, 2);
  cr_expect(m->track.keys[0].time == 0.5 && m->track.keys[0].offset[2] == 0);
  cr_expect(m->track.keys[1].offset[2] == 3 && m->track.keys[1].rotation[1] == 90);
  scene_free(s);
}

Test(animation_reader, a_center_is_taken_as_given) {
  scene *s =
      load("{ \"particles\": [\"c\", \"top\"], \"pivot\": [1, 2, 3], \"keyframes\": [ { \"time\": 0 } ] }");
  const double *center = s->animation.motions[0].center;
  cr_expect(center[0] == 1 && center[1] == 2 && center[2] == 3);
  scene_free(s);
}

/* Whether a constraint of the list is on these three particles in a row. */
static bool has_angle(const scene *s, const scene_event *e, int32_t a, int32_t b, int32_t c) {
  for (int32_t i = 0; i < e->constraint_count; i++) {
    const int32_t *p = msd_constraint_get_def(s->world, e->constraints[i]).particles;
    if ((p[0] == a && p[1] == b && p[2] == c) || (p[0] == c && p[1] == b && p[2] == a))
      return true;
  }
  return false;
}

/* Of the cloth 4 5 6 / 7 8 9 / 10 11 12. */
Test(animation_reader, a_cut_has_the_springs_and_constraints_between_its_particles) {
  scene *s = load("{ \"cut\": [\"c\", 0, 1], \"time\": 2 }");
  cr_assert_eq(s->animation.event_count, 1);
  const scene_event *e = &s->animation.events[0];
  cr_expect_eq(e->time, 2);
  cr_assert_eq(e->spring_count, 1);
  const msd_spring_def def = msd_spring_get_def(s->world, e->springs[0]);
  cr_expect(def.a + def.b == 9 && (def.a == 4 || def.b == 4));
  cr_assert_eq(e->constraint_count, 1);
  cr_expect(has_angle(s, e, 4, 5, 6));
  scene_free(s);
}

Test(animation_reader, a_cut_between_groups_has_all_between_them) {
  scene *s = load("{ \"cut\": [\"c\", \"top\", \"all\"], \"time\": 2 }");
  cr_expect_eq(s->animation.events[0].spring_count, 5, "two in the row and three below it");
  cr_expect_eq(s->animation.events[0].constraint_count, 4, "one in the row and three columns");
  scene_free(s);
}

Test(animation_reader, a_cut_may_be_between_two_bodies) {
  scene *s = load("{ \"cut\": [\"r\", \"last\", \"c\", \"bottom_left\"], \"time\": 2 }");
  const scene_event *e = &s->animation.events[0];
  cr_assert_eq(e->spring_count, 1);
  cr_expect_eq(e->springs[0], s->joints.first);
  cr_expect_eq(e->constraint_count, 0);
  scene_free(s);
}

/* Of a cube whose volume is held. */
Test(animation_reader, a_cut_edge_opens_the_volume_of_a_mesh) {
  scene_error error;
  write_text("cube.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                         "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  scene *s = load_text("{ \"msd\": 1, \"bodies\": [ { \"type\": \"balloon\", \"name\": \"b\", \"file\": "
                       "\"cube.obj\" } ], \"animation\": [ { \"cut\": [\"b\", 0, 1], \"time\": 1 } ] }",
                       &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(s->animation.events[0].constraint_count, 1);
  cr_expect_eq(s->animation.events[0].spring_count, 1);
  scene_free(s);
}

Test(animation_reader, a_release_has_all_that_it_names) {
  scene *s = load("{ \"release\": [\"c\", \"top_left\", \"bottom\"], \"time\": 0 }");
  const scene_event *e = &s->animation.events[0];
  cr_assert_eq(e->released_count, 4);
  cr_expect_eq(e->released[0], 4);
  cr_expect_eq(e->released[3], 12);
  scene_free(s);
}

Test(animation_reader, soft_pins_are_led_from_their_points) {
  scene *s = load("{ \"particles\": [\"r\", 0, 1], \"keyframes\": [ { \"time\": 0 } ] }");
  const scene_motion *m = &s->animation.motions[0];
  cr_assert_eq(m->count, 2);
  cr_expect_eq(m->soft_pins[0], -1, "a pin");
  cr_expect_eq(m->soft_pins[1], 0);
  cr_expect(m->placed[1][0] == 1 && m->placed[1][1] == 2 && m->placed[1][2] == 3, "not its particle");
  scene_free(s);
}

Test(animation_reader, a_release_lets_go_of_soft_pins_too) {
  scene *s = load("{ \"release\": [\"r\", 1, 2], \"time\": 1 }");
  const scene_event *e = &s->animation.events[0];
  cr_expect_eq(e->released_count, 2);
  cr_assert_eq(e->soft_pin_count, 1);
  cr_expect_eq(e->soft_pins[0], 0);
  scene_free(s);
}

Test(animation_reader, a_steady_force_acts_from_one_time_to_another) {
  scene *s = load("{ \"force\": [1, 2, 3], \"particles\": [\"c\", \"bottom\"], \"interval\": [0.5, 2] }, { "
                  "\"force\": [4, 5, 6], \"particles\": [\"r\", \"last\", 1] }");
  const scene_force *f = s->animation.forces;
  cr_assert_eq(s->animation.force_count, 2);
  cr_expect(f[0].count == 3 && f[0].particles[0] == 10 && f[0].particles[2] == 12);
  cr_assert_eq(f[0].track.count, 2);
  for (int k = 0; k < 2; k++) {
    const scene_key *key = &f[0].track.keys[k];
    cr_expect(key->offset[0] == 1 && key->offset[1] == 2 && key->offset[2] == 3);
    cr_expect_eq(key->time, k == 0 ? 0.5 : 2);
  }
  cr_expect(f[1].count == 2 && f[1].particles[0] == 1 && f[1].particles[1] == 3);
  cr_expect(f[1].track.keys[0].time == 0 && f[1].track.keys[1].time > 1e9, "always");
  scene_free(s);
}

Test(animation_reader, a_force_may_change_from_key_to_key) {
  scene *s = load("{ \"particles\": [\"c\", 8], \"forces\": [ { \"time\": 1 }, { \"time\": 2, \"force\": [0, "
                  "-3, 0] }, { \"time\": 4 } ] }");
  const scene_force *f = s->animation.forces;
  cr_assert(s->animation.force_count == 1 && f->track.count == 3);
  cr_expect(f->track.keys[0].offset[1] == 0 && f->track.keys[1].offset[1] == -3 &&
            f->track.keys[2].time == 4);
  scene_free(s);
}

Test(animation_reader, what_is_wrong_with_a_force_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"{ \"force\": [0, 1, 0] }", "animation[0].particles: is missing", "a body and its particles"},
      {"{ \"force\": 5, \"particles\": [\"c\", 0] }", "animation[0].force: is 5", "three numbers"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"interval\": 1 }", "animation[0].interval: is 1",
       "two times in s"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"interval\": [2, 1] }",
       "animation[0].interval: ends at 1 s", "a later end"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"keyframes\": [] }",
       "animation[0].keyframes: unknown key", "particles, force, interval"},
      {"{ \"forces\": [ { \"time\": 0 }, { \"time\": 1 } ], \"particles\": [\"c\", 0], \"interval\": [0, 1] "
       "}",
       "animation[0].interval: unknown key", "particles, forces"},
      {"{ \"forces\": [ { \"time\": 0, \"force\": [1, 0, 0] } ], \"particles\": [\"c\", 0] }",
       "animation[0].forces: is one key", "give two or more"},
      {"{ \"forces\": [ { \"time\": 0, \"rotation\": [1, 0, 0] } ], \"particles\": [\"c\", 0] }",
       "animation[0].forces[0].rotation: unknown key", "time, force"},
      {"{ \"forces\": [ { \"time\": 1 }, { \"time\": 0 } ], \"particles\": [\"c\", 0] }",
       "animation[0].forces[1].time: is 0 s", "in order"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}

Test(animation_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"1", "animation[0]", "an object"},
      {"{ }", "animation[0]: needs", "\"cut\""},
      {"{ \"particle\": [\"c\", \"top\"] }", "animation[0].particle: unknown key", "\"particles\""},
      {"{ \"particles\": [\"c\", \"top\"] }", "animation[0].keyframes: is missing", "at least one key"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [] }", "animation[0].keyframes: is empty",
       "at least one key"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { } ] }",
       "animation[0].keyframes[0].time: is missing", "a time of 0 or more in s"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": -1 } ] }",
       "animation[0].keyframes[0].time: is -1", "a time of 0 or more"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": 0, \"position\": [0,0,0] } ] }",
       "animation[0].keyframes[0].position: unknown key", "\"rotation\""},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": 0, \"offset\": [0,0] } ] }",
       "animation[0].keyframes[0].offset", "three numbers"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": 0, \"rotation\": 90 } ] }",
       "animation[0].keyframes[0].rotation: is 90", "three angles"},
      {"{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": 1 }, { \"time\": 1 } ] }",
       "animation[0].keyframes[1].time: is 1 s", "not after the keyframe before it"},
      {"{ \"particles\": [\"c\", \"top\"], \"time\": 1, \"keyframes\": [ { \"time\": 1 } ] }",
       "animation[0].time: unknown key", "particles, keyframes, pivot"},
      {"{ \"particles\": [\"c\"], \"keyframes\": [ { \"time\": 1 } ] }",
       "animation[0].particles: is a list of 1", "a body and its particles"},
      {"{ \"particles\": \"c\", \"keyframes\": [ { \"time\": 1 } ] }", "animation[0].particles: is the text",
       "a body and its particles"},
      {"{ \"particles\": [\"d\", \"top\"], \"keyframes\": [ { \"time\": 1 } ] }",
       "animation[0].particles[0]: there is", "no body \"d\""},
      {"{ \"particles\": [\"c\", \"topp\"], \"keyframes\": [ { \"time\": 1 } ] }",
       "animation[0].particles[1]", "did you mean \"top\"?"},
      {"{ \"particles\": [\"c\", 9], \"keyframes\": [ { \"time\": 1 } ] }", "animation[0].particles[1]",
       "this body has 0 to 8"},
      {"{ \"particles\": [\"w\", 0], \"keyframes\": [ { \"time\": 1 } ] }", "animation[0].particles[1]",
       "a body of type rotors"},
      {"{ \"particles\": [\"c\", \"left\"], \"keyframes\": [ { \"time\": 1 } ] }",
       "animation[0].particles: has cloth \"c\" row 1 column 0, which is not pinned",
       "add it to \"pinned\" or \"soft_pins\""},
      {"{ \"particles\": [\"c\", 1], \"keyframes\": [ { \"time\": 1 } ] }, { \"particles\": [\"c\", "
       "\"top\"], "
       "\"keyframes\": [ { \"time\": 1 } ] }",
       "animation[1].particles: has cloth \"c\" row 0 column 1, which is moved by another animation",
       "into one"},
      {"{ \"cut\": [\"c\", 0, 1] }", "animation[0].time: is missing", "a time of 0 or more in s"},
      {"{ \"cut\": [\"c\", 0], \"time\": 1 }", "animation[0].cut: is a list of 2",
       "[body, particle, particle]"},
      {"{ \"cut\": 3, \"time\": 1 }", "animation[0].cut: is 3", "[body, particle, particle]"},
      {"{ \"cut\": [\"c\", 0, 99], \"time\": 1 }", "animation[0].cut[2]: there is no particle 99", "0 to 8"},
      {"{ \"cut\": [\"c\", 0, \"x\", 9], \"time\": 1 }", "animation[0].cut[2]: there is no body \"x\"",
       "known"},
      {"{ \"cut\": [\"c\", 0, 8], \"time\": 1 }", "animation[0].cut: cuts nothing", "no spring"},
      {"{ \"cut\": [\"c\", 0, 0], \"time\": 1 }", "animation[0].cut: cuts nothing", "no spring"},
      {"{ \"release\": [\"c\", \"bottom\"], \"time\": 1 }", "animation[0].release: releases nothing",
       "pinned"},
      {"{ \"release\": [\"c\", \"top\"], \"time\": \"x\" }", "animation[0].time: is the text", "in s"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}
