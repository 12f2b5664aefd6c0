#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(motion_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Two pins above, one below; the bodies and motions of a scene. */
#define FRAME                                                                                                \
  "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"rope\", \"name\": \"r\", \"particles\": 4, \"pinned\": "        \
  "[\"first\"], \"anchors\": [ { \"particle\": 1, \"point\": [1, 2, 3] } ] }, { \"kind\": \"cloth\", "       \
  "\"name\": \"c\", \"columns\": 3, \"rows\": 3, \"pinned\": "                                               \
  "[\"top\"], \"bend\": { \"kind\": \"angle\", \"stiffness\": 1 } }, { \"kind\": \"rotors\", \"name\": "     \
  "\"w\", \"angle\": [0] } ], \"joints\": [ { \"between\": [\"r\", \"last\", \"c\", \"bottom_left\"] } ], "  \
  "\"motions\": [ %s ] }"

static scene *load(const char *motions) {
  return load_framed(FRAME, motions);
}

Test(motion_reader, a_scene_without_motions_has_an_empty_timetable) {
  scene *s = load_bodies("{ \"kind\": \"rope\" }");
  cr_expect(s->timetable.motion_count == 0 && s->timetable.event_count == 0 && s->timetable.text == NULL);
  scene_free(s);
}

Test(motion_reader, particles_named_twice_are_led_once_and_turn_about_their_middle) {
  scene *s = load("{ \"particles\": [\"c\", \"top\", 1, \"top_left\"], \"keys\": [ { \"time\": 0.5 }, { "
                  "\"time\": 2, \"offset\": [1, 2, 3], \"rotation\": [0, 90, 0] } ] }");
  cr_assert_eq(s->timetable.motion_count, 1);
  const scene_motion *m = &s->timetable.motions[0];
  cr_assert_eq(m->count, 3);
  for (int32_t i = 0; i < 3; i++) {
    cr_expect_eq(m->particles[i], 4 + i, "after the rope of four");
    cr_expect_eq(m->placed[i].x, msd_particle_get_position(s->world, 4 + i).x);
  }
  cr_expect(m->center[0] == 0.5 && m->center[1] == 0 && m->center[2] == 0);
  cr_assert_eq(m->track.count, 2);
  cr_expect(m->track.keys[0].time == 0.5 && m->track.keys[0].offset[2] == 0);
  cr_expect(m->track.keys[1].offset[2] == 3 && m->track.keys[1].rotation[1] == 90);
  scene_free(s);
}

Test(motion_reader, a_centre_is_taken_as_given) {
  scene *s =
      load("{ \"particles\": [\"c\", \"top\"], \"center\": [1, 2, 3], \"keys\": [ { \"time\": 0 } ] }");
  const double *center = s->timetable.motions[0].center;
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
Test(motion_reader, a_cut_has_the_springs_and_constraints_between_its_particles) {
  scene *s = load("{ \"cut\": [\"c\", 0, 1], \"time\": 2 }");
  cr_assert_eq(s->timetable.event_count, 1);
  const scene_event *e = &s->timetable.events[0];
  cr_expect_eq(e->time, 2);
  cr_assert_eq(e->spring_count, 1);
  const msd_spring_def def = msd_spring_get_def(s->world, e->springs[0]);
  cr_expect(def.a + def.b == 9 && (def.a == 4 || def.b == 4));
  cr_assert_eq(e->constraint_count, 1);
  cr_expect(has_angle(s, e, 4, 5, 6));
  scene_free(s);
}

Test(motion_reader, a_cut_between_groups_has_all_between_them) {
  scene *s = load("{ \"cut\": [\"c\", \"top\", \"all\"], \"time\": 2 }");
  cr_expect_eq(s->timetable.events[0].spring_count, 5, "two in the row and three below it");
  cr_expect_eq(s->timetable.events[0].constraint_count, 4, "one in the row and three columns");
  scene_free(s);
}

Test(motion_reader, a_cut_may_be_between_two_bodies) {
  scene *s = load("{ \"cut\": [\"r\", \"last\", \"c\", \"bottom_left\"], \"time\": 2 }");
  const scene_event *e = &s->timetable.events[0];
  cr_assert_eq(e->spring_count, 1);
  cr_expect_eq(e->springs[0], s->joints.first);
  cr_expect_eq(e->constraint_count, 0);
  scene_free(s);
}

/* Of a cube whose volume is held. */
Test(motion_reader, a_cut_edge_opens_the_volume_of_a_mesh) {
  scene_error error;
  write_text("cube.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                         "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  scene *s = load_text("{ \"msd\": 1, \"bodies\": [ { \"kind\": \"balloon\", \"name\": \"b\", \"file\": "
                       "\"cube.obj\" } ], \"motions\": [ { \"cut\": [\"b\", 0, 1], \"time\": 1 } ] }",
                       &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(s->timetable.events[0].constraint_count, 1);
  cr_expect_eq(s->timetable.events[0].spring_count, 1);
  scene_free(s);
}

Test(motion_reader, a_release_has_all_that_it_names) {
  scene *s = load("{ \"release\": [\"c\", \"top_left\", \"bottom\"], \"time\": 0 }");
  const scene_event *e = &s->timetable.events[0];
  cr_assert_eq(e->released_count, 4);
  cr_expect_eq(e->released[0], 4);
  cr_expect_eq(e->released[3], 12);
  scene_free(s);
}

Test(motion_reader, anchors_are_led_from_their_points) {
  scene *s = load("{ \"particles\": [\"r\", 0, 1], \"keys\": [ { \"time\": 0 } ] }");
  const scene_motion *m = &s->timetable.motions[0];
  cr_assert_eq(m->count, 2);
  cr_expect_eq(m->anchors[0], -1, "a pin");
  cr_expect_eq(m->anchors[1], 0);
  cr_expect(m->placed[1].x == 1 && m->placed[1].y == 2 && m->placed[1].z == 3, "not its particle");
  scene_free(s);
}

Test(motion_reader, a_release_lets_go_of_anchors_too) {
  scene *s = load("{ \"release\": [\"r\", 1, 2], \"time\": 1 }");
  const scene_event *e = &s->timetable.events[0];
  cr_expect_eq(e->released_count, 2);
  cr_assert_eq(e->anchor_count, 1);
  cr_expect_eq(e->anchors[0], 0);
  scene_free(s);
}

Test(motion_reader, a_steady_force_acts_from_one_time_to_another) {
  scene *s = load("{ \"force\": [1, 2, 3], \"particles\": [\"c\", \"bottom\"], \"time\": [0.5, 2] }, { "
                  "\"force\": [4, 5, 6], \"particles\": [\"r\", \"last\", 1] }");
  const scene_force *f = s->timetable.forces;
  cr_assert_eq(s->timetable.force_count, 2);
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

Test(motion_reader, a_force_may_change_from_key_to_key) {
  scene *s = load("{ \"particles\": [\"c\", 8], \"forces\": [ { \"time\": 1 }, { \"time\": 2, \"force\": [0, "
                  "-3, 0] }, { \"time\": 4 } ] }");
  const scene_force *f = s->timetable.forces;
  cr_assert(s->timetable.force_count == 1 && f->track.count == 3);
  cr_expect(f->track.keys[0].offset[1] == 0 && f->track.keys[1].offset[1] == -3 &&
            f->track.keys[2].time == 4);
  scene_free(s);
}

Test(motion_reader, what_is_wrong_with_a_force_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"{ \"force\": [0, 1, 0] }", "motions[0].particles: is missing", "a body and its particles"},
      {"{ \"force\": 5, \"particles\": [\"c\", 0] }", "motions[0].force: is 5", "three numbers"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"time\": 1 }", "motions[0].time: is 1",
       "two times in s"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"time\": [2, 1] }",
       "motions[0].time: ends at 1 s", "a later end"},
      {"{ \"force\": [0, 1, 0], \"particles\": [\"c\", 0], \"keys\": [] }", "motions[0].keys: unknown key",
       "particles, force, time"},
      {"{ \"forces\": [ { \"time\": 0 }, { \"time\": 1 } ], \"particles\": [\"c\", 0], \"time\": [0, 1] }",
       "motions[0].time: unknown key", "particles, forces"},
      {"{ \"forces\": [ { \"time\": 0, \"force\": [1, 0, 0] } ], \"particles\": [\"c\", 0] }",
       "motions[0].forces: is one key", "give more"},
      {"{ \"forces\": [ { \"time\": 0, \"rotation\": [1, 0, 0] } ], \"particles\": [\"c\", 0] }",
       "motions[0].forces[0].rotation: unknown key", "time, force"},
      {"{ \"forces\": [ { \"time\": 1 }, { \"time\": 0 } ], \"particles\": [\"c\", 0] }",
       "motions[0].forces[1].time: is 0 s", "in order"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}

Test(motion_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"1", "motions[0]", "an object"},
      {"{ }", "motions[0]: needs", "\"cut\""},
      {"{ \"particle\": [\"c\", \"top\"] }", "motions[0].particle: unknown key", "\"particles\""},
      {"{ \"particles\": [\"c\", \"top\"] }", "motions[0].keys: is missing", "at least one key"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [] }", "motions[0].keys: is empty", "at least one key"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { } ] }", "motions[0].keys[0].time: is missing",
       "a time of 0 or more in s"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { \"time\": -1 } ] }",
       "motions[0].keys[0].time: is -1", "a time of 0 or more"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { \"time\": 0, \"position\": [0,0,0] } ] }",
       "motions[0].keys[0].position: unknown key", "\"rotation\""},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { \"time\": 0, \"offset\": [0,0] } ] }",
       "motions[0].keys[0].offset", "three numbers"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { \"time\": 0, \"rotation\": 90 } ] }",
       "motions[0].keys[0].rotation: is 90", "three angles"},
      {"{ \"particles\": [\"c\", \"top\"], \"keys\": [ { \"time\": 1 }, { \"time\": 1 } ] }",
       "motions[0].keys[1].time: is 1 s", "not after the key before it"},
      {"{ \"particles\": [\"c\", \"top\"], \"time\": 1, \"keys\": [ { \"time\": 1 } ] }",
       "motions[0].time: unknown key", "particles, keys, center"},
      {"{ \"particles\": [\"c\"], \"keys\": [ { \"time\": 1 } ] }", "motions[0].particles: is a list of 1",
       "a body and its particles"},
      {"{ \"particles\": \"c\", \"keys\": [ { \"time\": 1 } ] }", "motions[0].particles: is the text",
       "a body and its particles"},
      {"{ \"particles\": [\"d\", \"top\"], \"keys\": [ { \"time\": 1 } ] }",
       "motions[0].particles[0]: there is", "no body \"d\""},
      {"{ \"particles\": [\"c\", \"topp\"], \"keys\": [ { \"time\": 1 } ] }", "motions[0].particles[1]",
       "did you mean \"top\"?"},
      {"{ \"particles\": [\"c\", 9], \"keys\": [ { \"time\": 1 } ] }", "motions[0].particles[1]",
       "this body has 0 to 8"},
      {"{ \"particles\": [\"w\", 0], \"keys\": [ { \"time\": 1 } ] }", "motions[0].particles[1]",
       "a body of kind rotors"},
      {"{ \"particles\": [\"c\", \"left\"], \"keys\": [ { \"time\": 1 } ] }",
       "motions[0].particles: has cloth \"c\" row 1 column 0, which nothing holds",
       "add it to \"pinned\" or "
       "\"anchors\""},
      {"{ \"particles\": [\"c\", 1], \"keys\": [ { \"time\": 1 } ] }, { \"particles\": [\"c\", \"top\"], "
       "\"keys\": [ { \"time\": 1 } ] }",
       "motions[1].particles: has cloth \"c\" row 0 column 1, which another motion leads", "into one"},
      {"{ \"cut\": [\"c\", 0, 1] }", "motions[0].time: is missing", "a time of 0 or more in s"},
      {"{ \"cut\": [\"c\", 0], \"time\": 1 }", "motions[0].cut: is a list of 2",
       "[body, particle, particle]"},
      {"{ \"cut\": 3, \"time\": 1 }", "motions[0].cut: is 3", "[body, particle, particle]"},
      {"{ \"cut\": [\"c\", 0, 99], \"time\": 1 }", "motions[0].cut[2]: there is no particle 99", "0 to 8"},
      {"{ \"cut\": [\"c\", 0, \"x\", 9], \"time\": 1 }", "motions[0].cut[2]: there is no body \"x\"",
       "known"},
      {"{ \"cut\": [\"c\", 0, 8], \"time\": 1 }", "motions[0].cut: cuts nothing", "no spring"},
      {"{ \"cut\": [\"c\", 0, 0], \"time\": 1 }", "motions[0].cut: cuts nothing", "no spring"},
      {"{ \"release\": [\"c\", \"bottom\"], \"time\": 1 }", "motions[0].release: lets nothing go", "pinned"},
      {"{ \"release\": [\"c\", \"top\"], \"time\": \"x\" }", "motions[0].time: is the text", "in s"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}
