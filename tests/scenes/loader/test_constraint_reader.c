#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

TestSuite(constraint_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Four particles at the corner of a cube of side 1. */
#define CORNER "\"type\": \"particles\", \"position\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"

static scene *scene_of(const char *constraints) {
  char body[1024];
  snprintf(body, sizeof body, "{ \"type\": \"rope\" }, { " CORNER ", \"constraints\": [ %s ] }", constraints);
  return load_bodies(body);
}

Test(constraint_reader, each_kind_is_made_of_its_particles_and_rests_as_placed) {
  scene *s = scene_of("{ \"type\": \"angle\", \"particles\": [1, 0, 2] },"
                      "{ \"type\": \"dihedral\", \"particles\": [0, 1, 2, \"last\"] },"
                      "{ \"type\": \"area\", \"particles\": [\"first\", 1, 2] },"
                      "{ \"type\": \"volume\", \"particles\": [0, 1, 2, 3] }");
  cr_assert_eq(msd_world_get_constraint_count(s->world), 4);
  const double pi = 3.14159265358979323846, rests[] = {pi / 2, -pi / 2, 0.5, 1.0 / 6};
  for (int32_t i = 0; i < 4; i++) {
    const msd_constraint_def def = msd_constraint_get_def(s->world, i);
    cr_expect_eq((int32_t)def.kind, i);
    cr_expect_float_eq(fabs((double)def.rest), fabs(rests[i]), 1e-6);
    cr_expect(def.law == MSD_SPRING_COEFFICIENT && def.ck == MSD_MAX_STABLE && def.cd == MSD_MAX_STABLE,
              "without a law the stiffest");
  }
  const msd_constraint_def angle = msd_constraint_get_def(s->world, 0),
                           dihedral = msd_constraint_get_def(s->world, 1);
  cr_expect(angle.particles[0] == 3 && angle.particles[1] == 2 && angle.particles[2] == 4,
            "of the second body");
  cr_expect(dihedral.particles[0] == 2 && dihedral.particles[3] == 5);
  const scene_body *body = &s->bodies[1];
  cr_expect(body->constraints.first == 0 && body->constraints.count == 4);
  cr_assert_eq(body->constraint_group_count, 1);
  cr_expect_str_eq(body->constraint_groups[0].name, "constraints");
  cr_expect_eq(body->constraint_groups[0].constraints.count, 4);
  scene_free(s);
}

Test(constraint_reader, laws_and_rests_are_those_of_the_file) {
  scene *s = scene_of(
      "{ \"type\": \"angle\", \"particles\": [1, 0, 2], \"rest\": 1.25, \"stiffness\": 3, \"damping\": 2 },"
      "{ \"type\": \"dihedral\", \"particles\": [0, 1, 2, 3], \"rest\": -1, \"ck\": 0.5, \"cd\": 0.25 },"
      "{ \"type\": \"volume\", \"particles\": [0, 1, 2, 3], \"rest\": -0.5, \"frequency\": 4, "
      "\"damping_ratio\": 0.5 }");
  const msd_constraint_def one = msd_constraint_get_def(s->world, 0),
                           two = msd_constraint_get_def(s->world, 1),
                           three = msd_constraint_get_def(s->world, 2);
  cr_expect(one.law == MSD_SPRING_STIFFNESS && one.rest == (msd_real)1.25 && one.stiffness == 3 &&
            one.damping == 2);
  cr_expect(two.law == MSD_SPRING_COEFFICIENT && two.rest == -1 && two.ck == (msd_real)0.5 &&
            two.cd == (msd_real)0.25);
  cr_expect(three.law == MSD_SPRING_FREQUENCY && three.rest == (msd_real)-0.5 && three.frequency == 4 &&
            three.damping_ratio == (msd_real)0.5);
  scene_free(s);
}

Test(constraint_reader, a_fiber_has_the_weights_of_its_direction) {
  scene *s = scene_of(
      "{ \"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [0, 2, 5], \"stiffness\": 3 },"
      "{ \"type\": \"fiber\", \"particles\": [0, 1, 2, 3], \"direction\": [0, 0, 3], \"rest\": 0.5 }");
  const msd_constraint_def one = msd_constraint_get_def(s->world, 0),
                           two = msd_constraint_get_def(s->world, 1);
  cr_expect(one.kind == MSD_CONSTRAINT_FIBER && one.particles[3] == -1 && one.rest == 1 &&
            one.stiffness == 3);
  cr_expect(one.weights[0] == -1 && one.weights[1] == 0 && one.weights[2] == 1 && one.weights[3] == 0);
  cr_expect(two.particles[3] == 5 && two.rest == (msd_real)0.5 && two.weights[0] == -1 &&
            two.weights[3] == 1);
  scene_free(s);
}

Test(constraint_reader, an_empty_list_is_none) {
  scene *s = scene_of("");
  cr_expect_eq(msd_world_get_constraint_count(s->world), 0);
  cr_expect_eq(s->bodies[1].constraint_group_count, 0);
  scene_free(s);
}

Test(constraint_reader, bad_constraints_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"5", "constraints[0]: is 5", "an object"},
      {"{}", "constraints[0].type: is missing", "\"angle\", \"dihedral\", \"area\", \"volume\" or \"fiber\""},
      {"{ \"type\": \"anlge\" }", "constraints[0].type: is the text \"anlge\"", "did you mean \"angle\"?"},
      {"{ \"type\": \"mesh_volume\" }", "constraints[0].type",
       "known here: angle, dihedral, area, volume, fiber"},
      {"{ \"type\": \"angle\" }", "constraints[0].particles: is missing", "a list of 3 different particles"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1] }", "constraints[0].particles: is a list of 2",
       "a list of 3 different particles"},
      {"{ \"type\": \"volume\", \"particles\": [0, 1, 2] }", "constraints[0].particles: is a list of 3",
       "a list of 4 different particles"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 4] }",
       "constraints[0].particles[2]: there is no particle 4", "has 0 to 3"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, \"first\"] }",
       "constraints[0].particles[2]: is the same particle", "different particles"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, \"all\"] }",
       "constraints[0].particles[2]: means 4 particles", "give an index"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"rest\": 4 }", "constraints[0].rest: is 4",
       "an angle in rad, 0 to pi"},
      {"{ \"type\": \"dihedral\", \"particles\": [0, 1, 2, 3], \"rest\": -4 }", "constraints[0].rest: is -4",
       "-pi to pi"},
      {"{ \"type\": \"area\", \"particles\": [0, 1, 2], \"rest\": -1 }", "constraints[0].rest: is -1",
       "0 or more in m^2"},
      {"{ \"type\": \"volume\", \"particles\": [0, 1, 2, 3], \"rest\": \"big\" }",
       "constraints[0].rest: is the text", "a volume in m^3"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": -1 }",
       "constraints[0].stiffness: is -1", "in N m/rad"},
      {"{ \"type\": \"volume\", \"particles\": [0, 1, 2, 3], \"damping\": -1 }",
       "constraints[0].damping: is -1", "in N s/m^5"},
      {"{ \"type\": \"area\", \"particles\": [0, 1, 2], \"stiffness\": -1 }",
       "constraints[0].stiffness: is -1", "in N/m^3"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"rest_length\": 1 }",
       "constraints[0].rest_length: unknown key", "known here: type"},
      {"{ \"type\": \"fiber\", \"particles\": [0, 1] }", "constraints[0].particles: is a list of 2",
       "a list of 3 or 4 different particles"},
      {"{ \"type\": \"fiber\", \"particles\": [0, 1, 2] }", "constraints[0].direction: is missing",
       "three numbers"},
      {"{ \"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [0, 0, 0] }",
       "constraints[0].direction: is perpendicular to the triangle", "give a direction in its plane"},
      {"{ \"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [1, 0, 0], \"rest\": -1 }",
       "constraints[0].rest: is -1", "a stretch of 0 or more"},
      {"{ \"type\": \"fiber\", \"particles\": [0, 1, 2], \"direction\": [1, 0, 0], \"stiffness\": -1 }",
       "constraints[0].stiffness: is -1", "in N m"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"direction\": [1, 0, 0] }",
       "constraints[0].direction: is only for fibers", "leave it out"},
      {"{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"ck\": 1, \"stiffness\": 1 }", "constraints[0].ck",
       "give stiffness and damping"},
  };
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { " CORNER ", \"constraints\": [ %s ] } ] }");
}

Test(constraint_reader, other_bodies_have_no_list_of_constraints) {
  static const bad_text cases[] = {
      {"{ \"type\": \"cloth\", \"constraints\": [] }", "bodies[0].constraints: unknown key", ""},
      {"{ " CORNER ", \"constraints\": 1 }", "bodies[0].constraints: is 1", "a list of constraints"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ %s ] }");
}
