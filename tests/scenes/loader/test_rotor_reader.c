/* Bodies of kind "rotors": what a file may say of them, and what it is told when it says it wrong. */
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(rotor_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(rotor_reader, a_whole_body_arrives_in_the_world_and_for_drawing) {
  scene *s = load_bodies(
      "{ \"type\": \"rotors\", \"name\": \"clock\", \"angle\": [1, 2, 3], \"angular_velocity\": [4, 5, 6], "
      "\"inertia\": [7, 8, 9], \"pinned\": [2], \"springs\": [ { \"between\": [0, 1], \"rest_angle\": 0.5, "
      "\"stiffness\": 10, \"damping\": 0.25 }, { \"between\": [2, \"ground\"], \"ck\": 0.5, \"cd\": 0.125 } "
      "], "
      "\"position\": [[0, 0, 0], [1, 0, 0], [2, 3, 4]], \"axis\": [0, 3, 4], \"radius\": [0.5, 0.25, 0.125] "
      "}");
  cr_assert_eq(msd_world_get_rotor_count(s->world), 3);
  cr_assert_eq(msd_world_get_particle_count(s->world), 0);
  for (int32_t i = 0; i < 3; i++) {
    const msd_rotor_def def = msd_rotor_get_def(s->world, i);
    cr_expect(def.angle == (msd_real)(1 + i) && def.angular_velocity == (msd_real)(4 + i) &&
              def.inertia == (msd_real)(7 + i) && def.pinned == (i == 2));
  }
  cr_assert_eq(msd_world_get_torsion_spring_count(s->world), 2);
  const msd_torsion_spring_def first = msd_torsion_spring_get_def(s->world, 0);
  cr_expect(first.a == 0 && first.b == 1 && first.rest_angle == 0.5 && first.law == MSD_SPRING_STIFFNESS &&
            first.stiffness == 10 && first.damping == (msd_real)0.25);
  const msd_torsion_spring_def second = msd_torsion_spring_get_def(s->world, 1);
  cr_expect(second.a == 2 && second.b == MSD_GROUND && second.rest_angle == 3 &&
            second.law == MSD_SPRING_COEFFICIENT && second.ck == (msd_real)0.5 &&
            second.cd == (msd_real)0.125);
  const scene_body *body = &s->bodies[0];
  cr_assert_str_eq(body->kind, "rotors");
  cr_assert_str_eq(body->name, "clock");
  const scene_rotors *r = &body->rotors;
  cr_assert(r->rotors.first == 0 && r->rotors.count == 3 && r->springs.first == 0 && r->springs.count == 2);
  cr_expect(r->positions[2].x == 2 && r->positions[2].y == 3 && r->positions[2].z == 4);
  cr_expect(r->radii[0] == 0.5 && r->radii[1] == 0.25 && r->radii[2] == 0.125);
  cr_expect(r->axis.x == 0 && r->axis.y == (msd_real)0.6 && r->axis.z == (msd_real)0.8);
  scene_free(s);
}

Test(rotor_reader, what_is_left_out_is_at_rest_weighs_1_and_stands_in_a_row) {
  scene *s = load_bodies("{ \"type\": \"rotors\", \"angle\": [0.5, 0, 0], \"inertia\": 4, \"radius\": 0.5, "
                         "\"springs\": [ { \"between\": [0, 1] } ] }");
  const msd_rotor_def def = msd_rotor_get_def(s->world, 2);
  cr_expect(def.angular_velocity == 0 && def.inertia == 4 && !def.pinned);
  const msd_torsion_spring_def spring = msd_torsion_spring_get_def(s->world, 0);
  cr_expect(spring.law == MSD_SPRING_COEFFICIENT && spring.ck == MSD_MAX_STABLE &&
            spring.cd == MSD_MAX_STABLE);
  cr_expect_eq(spring.rest_angle, 0.5, "it rests as it is placed");
  const scene_rotors *r = &s->bodies[0].rotors;
  for (int i = 0; i < 3; i++)
    cr_expect(r->positions[i].x == (msd_real)(1.25 * i) && r->positions[i].y == 0 && r->radii[i] == 0.5);
  cr_expect(r->axis.x == 0 && r->axis.y == 0 && r->axis.z == 1);
  cr_expect_str_eq(s->bodies[0].name, "rotors 1");
  scene_free(s);
}

Test(rotor_reader, indices_are_those_of_the_body) {
  scene *s =
      load_bodies("{ \"type\": \"rotors\", \"angle\": [0, 0] }, { \"type\": \"rope\", \"particles\": 3 }, "
                  "{ \"type\": \"rotors\", \"angle\": [1, 2], \"pinned\": [1], \"springs\": [ { "
                  "\"between\": [1, 0], \"frequency\": 2 } ] }");
  const scene_rotors *r = &s->bodies[2].rotors;
  cr_assert(r->rotors.first == 2 && r->rotors.count == 2);
  const msd_torsion_spring_def spring = msd_torsion_spring_get_def(s->world, 0);
  cr_expect(spring.a == 3 && spring.b == 2 && spring.law == MSD_SPRING_FREQUENCY && spring.frequency == 2);
  cr_expect(!msd_rotor_get_def(s->world, 1).pinned && msd_rotor_get_def(s->world, 3).pinned);
  cr_expect(s->bodies[1].rotors.rotors.count == 0 && s->bodies[1].rotors.positions == NULL);
  scene_free(s);
}

Test(rotor_reader, what_cannot_be_is_refused_with_its_place_and_a_remedy) {
  const bad_text cases[] = {
      {"", "bodies[0].angle", "is missing; it must be a list of at least one angle in rad"},
      {", \"angle\": []", "bodies[0].angle", "is empty"},
      {", \"angle\": 3", "bodies[0].angle", "is 3; it must be a list"},
      {", \"angle\": [0, \"x\"]", "bodies[0].angle[1]", "it must be an angle in rad"},
      {", \"angle\": [0], \"angel\": [1]", "bodies[0].angel", "did you mean \"angle\"?"},
      {", \"angle\": [0], \"mass\": 1", "bodies[0].mass", "unknown key"},
      {", \"angle\": [0, 0], \"inertia\": [1]", "bodies[0].inertia",
       "has 1 items for 2 rotors; give one for each"},
      {", \"angle\": [0, 0], \"inertia\": [1, 0]", "bodies[0].inertia[1]",
       "is 0; it must be a moment of inertia above 0 in kg m^2"},
      {", \"angle\": [0], \"inertia\": -1", "bodies[0].inertia", "moment of inertia above 0"},
      {", \"angle\": [0], \"angular_velocity\": [1, 2]", "bodies[0].angular_velocity",
       "has 2 items for 1 rotors"},
      {", \"angle\": [0], \"pinned\": 0", "bodies[0].pinned", "it must be a list of rotor indices"},
      {", \"angle\": [0], \"pinned\": [1]", "bodies[0].pinned[0]",
       "there is no rotor 1; this body has 0 to 0"},
      {", \"angle\": [0], \"pinned\": [\"first\"]", "bodies[0].pinned[0]", "a rotor's index"},
      {", \"angle\": [0], \"springs\": {}", "bodies[0].springs", "a list of torsion springs"},
      {", \"angle\": [0], \"springs\": [ {} ]", "bodies[0].springs[0].between",
       "is missing; it must be two rotors of this body, such as [0, 1], or [0, \"ground\"]"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0] } ]", "bodies[0].springs[0].between",
       "two rotors"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, \"groud\"] } ]",
       "bodies[0].springs[0].between[1]", "did you mean \"ground\"?"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [\"ground\", 0] } ]",
       "bodies[0].springs[0].between[0]", "the ground comes second"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, 1] } ]", "bodies[0].springs[0].between[1]",
       "there is no rotor 1"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, 0.5] } ]", "bodies[0].springs[0].between[1]",
       "whole"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, null] } ]", "bodies[0].springs[0].between[1]",
       "a rotor's index or \"ground\""},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, 0] } ]", "bodies[0].springs[0].between",
       "joins a rotor with itself"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, \"ground\"], \"rest_length\": 1 } ]",
       "bodies[0].springs[0].rest_length", "unknown key; did you mean \"rest_angle\"?"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, \"ground\"], \"stiffness\": -1 } ]",
       "bodies[0].springs[0].stiffness", "N m/rad"},
      {", \"angle\": [0], \"springs\": [ { \"between\": [0, \"ground\"], \"rest_angle\": [] } ]",
       "bodies[0].springs[0].rest_angle", "an angle in rad"},
      {", \"angle\": [0, 0], \"position\": [[0, 0, 0]]", "bodies[0].position", "has 1 items for 2 rotors"},
      {", \"angle\": [0], \"position\": 3", "bodies[0].position", "a list of positions [x, y, z] in m"},
      {", \"angle\": [0], \"position\": [[0, 0]]", "bodies[0].position[0]", "three numbers"},
      {", \"angle\": [0], \"axis\": [0, 0, 0]", "bodies[0].axis", "is zero"},
      {", \"angle\": [0], \"radius\": 0", "bodies[0].radius", "a radius above 0 in m"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rotors\"%s } ] }");
}

Test(rotor_reader, a_joint_to_a_body_without_particles_is_refused) {
  const bad_text cases[] = {
      {"\"r\", 0", "connections[0].between[1]", "type rotors and has none"},
      {"\"r\", \"first\"", "connections[0].between[1]", "type rotors and has none"},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rotors\", \"name\": \"r\", \"angle\": [0] }, { "
      "\"type\": \"rope\", \"name\": \"s\" } ], \"connections\": [ { \"between\": [%s, \"s\", 0] } ] }");
}

/* ------------------------------------------------------------------------------------- scenes that ship */

static scene *shipped(const char *name, double seconds) {
  scene_error error;
  scene *s = scene_load(name, &error);
  cr_assert(s != NULL, "%s", error.text);
  for (int frame = 0; frame < (int)(seconds / s->frame_time + 0.5); frame++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK);
  return s;
}

static double angle(const scene *s, int32_t rotor) {
  return (double)msd_rotor_get_angle(s->world, rotor);
}

/* Ten periods of 2 pi sqrt(0.02/0.5) s; amplitudes fall by exp(-mu t/(2 I)). */
Test(rotor_reader, the_torsion_pendulum_comes_back_after_its_period) {
  const double period = 2 * 3.14159265358979323846 * sqrt(0.02 / 0.5);
  scene *s = shipped("torsion_pendulum", 10 * period);
  const double wanted = 1.5707963 * exp(-0.0005 * 10 * period / (2 * 0.02));
  cr_expect_float_eq(angle(s, 0), wanted, 0.01 * wanted, "%g, not %g", angle(s, 0), wanted);
  scene_free(s);
}

/* pi/(w2 - w1) with w1 = sqrt(0.5/0.02), w2 = sqrt(0.56/0.02): then all swings in the second. */
Test(rotor_reader, the_coupled_pendulums_hand_their_swing_over) {
  scene *s = shipped("coupled_pendulums", 10.777);
  double most[2] = {0, 0};
  for (int frame = 0; frame < 75; frame++) {
    for (int i = 0; i < 2; i++)
      most[i] = fmax(most[i], fabs(angle(s, i)));
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK);
  }
  cr_expect(most[0] < 0.2 && most[1] > 0.98, "%g and %g", most[0], most[1]);
  scene_free(s);
}

/* Against the fly the train follows its spring: 40 pi (1 - exp(-k t/mu)) with k/mu = 0.02/0.5. */
Test(rotor_reader, the_clock_spring_unwinds_in_25_s_by_1_part_in_e) {
  scene *s = shipped("clock_spring", 25);
  const double wanted = 125.66371 * (1 - exp(-1));
  for (int i = 0; i < 3; i++)
    cr_expect_float_eq(angle(s, i), wanted, 0.005 * wanted, "rotor %d: %g, not %g", i, angle(s, i), wanted);
  scene_free(s);
}
