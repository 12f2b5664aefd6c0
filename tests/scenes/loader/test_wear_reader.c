#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(wear_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const scene_group *group_named(const scene *s, const char *name) {
  for (int g = 0; g < s->bodies[0].group_count; g++)
    if (strcmp(s->bodies[0].groups[g].name, name) == 0)
      return &s->bodies[0].groups[g];
  cr_assert_fail("no group \"%s\"", name);
  return NULL;
}

Test(wear_reader, groups_of_springs_wear_as_they_say) {
  scene *s =
      load_bodies("{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, "
                  "\"structural\": { \"stiffness\": 100, \"tear\": 1.5, \"yield\": 0.25, \"creep\": 0.5, "
                  "\"set_limit\": 2 }, \"shear\": { \"stiffness\": 10, \"tear\": 3 }, "
                  "\"bend\": { \"stiffness\": 1 } }");
  const msd_wear_def structural =
      msd_spring_get_wear(s->world, group_named(s, "structural")->springs.first + 16);
  cr_expect(structural.tear == (msd_real)1.5 && structural.yield == (msd_real)0.25 &&
            structural.creep == (msd_real)0.5 && structural.set_limit == 2);
  const msd_wear_def shear = msd_spring_get_wear(s->world, group_named(s, "shear")->springs.first);
  cr_expect(shear.tear == 3 && shear.yield == 0);
  cr_expect_eq(msd_spring_get_wear(s->world, group_named(s, "bend")->springs.first).tear, 0);
  scene_free(s);
}

Test(wear_reader, what_backs_springs_follows_them_group_by_group) {
  scene *s = load_bodies(
      "{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"pinned\": [\"first\"], \"tethers\": true, "
      "\"structural\": { \"stiffness\": 100, \"stiffening\": [0.25, 4], \"strain_limit\": 1.5 }, "
      "\"shear\": { \"stiffness\": 10, \"stiffening\": [0.5, 3] } }");
  const scene_body *body = &s->bodies[0];
  const msd_range structural = group_named(s, "structural")->springs,
                  shear = group_named(s, "shear")->springs,
                  stiffening = group_named(s, "stiffening")->springs,
                  limit = group_named(s, "strain limit")->springs,
                  tethers = group_named(s, "tethers")->springs;
  cr_expect(structural.count == 17 && shear.count == 12 && stiffening.count == 29 && limit.count == 17);
  cr_expect_eq(stiffening.first, shear.first + shear.count);
  cr_expect_eq(limit.first, stiffening.first + stiffening.count);
  cr_expect_eq(tethers.first, limit.first + limit.count);
  cr_expect_eq(body->springs.first + body->springs.count, tethers.first + tethers.count);
  const msd_spring_def own = msd_spring_get_def(s->world, structural.first + 3),
                       backing = msd_spring_get_def(s->world, stiffening.first + 3),
                       caught = msd_spring_get_def(s->world, limit.first + 3),
                       last = msd_spring_get_def(s->world, stiffening.first + 28);
  cr_expect(backing.a == own.a && backing.b == own.b && backing.stiffness == 300 && backing.damping == 0);
  cr_expect(backing.rest_length == (msd_real)1.25 * own.rest_length && backing.side == MSD_SPRING_TETHER);
  cr_expect(caught.a == own.a && caught.law == MSD_SPRING_CATCH && caught.ck == 1 &&
            caught.rest_length == (msd_real)1.5 * own.rest_length);
  cr_expect_eq(last.stiffness, 20);
  scene_free(s);
}

Test(wear_reader, springs_of_their_own_and_joints_wear_too) {
  scene_error error;
  scene *s = load_text("{ \"msd\": 1, \"bodies\": [ { \"kind\": \"particles\", \"name\": \"p\", "
                       "\"position\": [[0,0,0], [1,0,0], [2,0,0]], \"springs\": [ { \"between\": [0, 1], "
                       "\"stiffness\": 5, \"tear\": 2 }, { \"between\": [1, 2], \"stiffness\": 5, "
                       "\"strain_limit\": 3 } ] } ], \"joints\": [ { \"between\": [\"p\", 0, \"p\", 2], "
                       "\"stiffness\": 7, \"yield\": 0.5, \"stiffening\": [1, 3] } ] }",
                       &error);
  cr_assert(s, "%s", error.text);
  cr_assert_eq(msd_world_get_spring_count(s->world), 5);
  cr_expect_eq(msd_spring_get_wear(s->world, 0).tear, 2);
  cr_expect_eq(msd_spring_get_wear(s->world, 1).tear, 0);
  cr_expect_eq(msd_spring_get_def(s->world, 2).rest_length, 3);
  cr_expect(s->bodies[0].springs.count == 3 && group_named(s, "strain limit")->springs.first == 2);
  cr_expect(s->joints.first == 3 && s->joints.count == 2);
  cr_expect_eq(msd_spring_get_wear(s->world, 3).yield, (msd_real)0.5);
  cr_expect_eq(msd_spring_get_def(s->world, 4).stiffness, 14);
  scene_free(s);
}

Test(wear_reader, a_material_says_it_of_all_springs_of_its_body) {
  scene *s = load_bodies(
      "{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"material\": { \"area_density\": 0.2, "
      "\"stretch\": 1000, \"bend\": 1e-4, \"tear\": 1.5, \"yield\": 0.25, "
      "\"stiffening\": [0.0625, 3], \"strain_limit\": 2 } }");
  const msd_range structural = group_named(s, "structural")->springs,
                  shear = group_named(s, "shear")->springs;
  cr_expect(structural.count == 17 && shear.count == 12);
  cr_expect_eq(group_named(s, "stiffening")->springs.count, 29);
  cr_expect_eq(group_named(s, "strain limit")->springs.count, 29);
  for (int32_t e = 0; e < 29; e++) {
    const msd_wear_def wear = msd_spring_get_wear(s->world, e);
    cr_expect(wear.tear == (msd_real)1.5 && wear.yield == (msd_real)0.25);
  }
  scene_free(s);
  s = load_bodies(
      "{ \"kind\": \"rope\", \"particles\": 5, \"material\": { \"line_density\": 0.1, \"stretch\": 1000, "
      "\"tear\": 1.25 } }, { \"kind\": \"block\", \"material\": { \"density\": 10, \"stretch\": 1000, "
      "\"yield\": 0.5 } }");
  cr_expect_eq(msd_spring_get_wear(s->world, 3).tear, (msd_real)1.25);
  cr_expect_eq(msd_spring_get_wear(s->world, s->bodies[1].springs.first).yield, (msd_real)0.5);
  scene_free(s);
}

static msd_range bend_of(const scene *s, int body) {
  for (int g = 0; g < s->bodies[body].constraint_group_count; g++)
    if (strcmp(s->bodies[body].constraint_groups[g].name, "bend") == 0)
      return s->bodies[body].constraint_groups[g].constraints;
  cr_assert_fail("nothing bends");
  return (msd_range){0, 0};
}

Test(wear_reader, folds_and_angles_yield_as_they_say) {
  scene *s = load_bodies(
      "{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"structural\": { \"stiffness\": 100 }, "
      "\"bend\": { \"kind\": \"dihedral\", \"stiffness\": 1, \"yield\": 0.25, \"creep\": 0.5, "
      "\"set_limit\": 2 } }, { \"kind\": \"particles\", \"position\": [[0,0,0], [1,0,0], [2,0,0]], "
      "\"constraints\": [ { \"kind\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": 1 }, "
      "{ \"kind\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": 1, \"yield\": 0.5 } ] }");
  const msd_range folds = bend_of(s, 0);
  const msd_wear_def fold = msd_constraint_get_wear(s->world, folds.first + folds.count - 1);
  cr_expect(fold.yield == (msd_real)0.25 && fold.creep == (msd_real)0.5 && fold.set_limit == 2);
  const int32_t first = s->bodies[1].constraints.first;
  cr_expect_eq(msd_constraint_get_wear(s->world, first).yield, 0);
  cr_expect_eq(msd_constraint_get_wear(s->world, first + 1).yield, (msd_real)0.5);
  scene_free(s);
}

/* The moment at which each fold yields is that of its width of a strip at the curvature, k times the angle:
   in cells of 1/3 by 1/2 m the folds along rows and columns and the diagonals have stiffnesses of their own;
   and in a rope of 4 pieces of 1/4 m the angle is the curvature times the length. */
Test(wear_reader, a_material_yields_by_its_curvature_whatever_the_cells) {
  scene *s = load_bodies(
      "{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"material\": { \"area_density\": 0.2, "
      "\"stretch\": 1000, \"bend\": 0.125, \"bend_yield\": 2, \"creep\": 0.5 } }, "
      "{ \"kind\": \"rope\", \"particles\": 5, \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"material\": "
      "{ \"line_density\": 0.1, \"stretch\": 1000, \"bend\": 0.125, \"bend_yield\": 3 } }");
  const msd_range folds = bend_of(s, 0), angles = bend_of(s, 1);
  cr_assert(folds.count == 13 && angles.count == 3);
  double widths = 0;
  for (int32_t c = folds.first; c < folds.first + folds.count; c++) {
    const msd_wear_def wear = msd_constraint_get_wear(s->world, c);
    widths += (double)wear.yield * (double)msd_constraint_get_def(s->world, c).stiffness / 0.25;
    cr_expect_eq(wear.creep, (msd_real)0.5);
  }
  cr_expect_float_eq(widths, 3 * 1.0 / 3 + 4 * 0.5 + 6 * sqrt(13) / 6, 1e-5);
  for (int32_t c = angles.first; c < angles.first + angles.count; c++)
    cr_expect_float_eq((double)msd_constraint_get_wear(s->world, c).yield, 3 * 0.25, 1e-6);
  cr_expect_eq(msd_spring_get_wear(s->world, 0).yield, 0);
  scene_free(s);
}

/* Whether it touches anything or not. */
Test(wear_reader, what_splits_has_a_surface) {
  scene *s = load_bodies("{ \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, "
                         "\"structural\": { \"stiffness\": 100, \"tear\": 1.5, \"split\": true } }");
  cr_expect(msd_spring_get_wear(s->world, 0).splits);
  const msd_surface_def surface = msd_surface_get_def(s->world, s->bodies[0].surface.number);
  cr_expect(surface.triangle_count == 12 && !surface.touches_itself);
  cr_expect_eq(scene_triangles(s, &s->bodies[0]), surface.triangles);
  scene_free(s);
}

/* Of a cloth that does not, if any other spring does: of another group, or not the first of a list. */
Test(wear_reader, one_spring_that_splits_gives_all_bodies_surfaces) {
  static const char frame[] =
      "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 3, "
      "\"structural\": { \"stiffness\": 100 } }%s }";
  static const struct {
    const char *rest;
    int32_t surfaces;
  } scenes[] = {
      {" ]", 0},
      {", { \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"structural\": { \"stiffness\": 100, "
       "\"tear\": 1.5 }, \"shear\": { \"stiffness\": 10 } } ]",
       0},
      {", { \"kind\": \"cloth\", \"columns\": 4, \"rows\": 3, \"structural\": { \"stiffness\": 100 }, "
       "\"shear\": { \"stiffness\": 10, \"tear\": 2, \"split\": true } } ]",
       2},
      {", { \"kind\": \"particles\", \"position\": [[0, 2, 0], [0, 3, 0], [0, 4, 0]], \"springs\": [{ "
       "\"between\": [0, 1], \"stiffness\": 1 }, { \"between\": [1, 2], \"stiffness\": 1, \"tear\": 2, "
       "\"split\": true }] } ]",
       1},
      {" ], \"joints\": [{ \"between\": [\"c\", 0, \"c\", 11], \"stiffness\": 1 }, { \"between\": [\"c\", 3, "
       "\"c\", 8], \"stiffness\": 1, \"tear\": 2, \"split\": true }]",
       1}};
  for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
    scene *s = load_framed(frame, scenes[n].rest);
    cr_expect_eq(msd_world_get_surface_count(s->world), scenes[n].surfaces, "scene %zu", n);
    scene_free(s);
  }
}

Test(wear_reader, what_is_wrong_is_said_where_it_is) {
  static const bad_text wrong[] = {
      {"\"stiffness\": 1, \"tear\": 0.5", "bodies[0].structural.tear", "above 1"},
      {"\"stiffness\": 1, \"tear\": 1", "bodies[0].structural.tear", "above 1"},
      {"\"stiffness\": 1, \"split\": true", "bodies[0].structural.split", "needs a \"tear\""},
      {"\"stiffness\": 1, \"tear\": 2, \"split\": 1", "bodies[0].structural.split", "true or false"},
      {"\"stiffness\": 1, \"yield\": 0", "bodies[0].structural.yield", "strain"},
      {"\"stiffness\": 1, \"creep\": 0.5", "bodies[0].structural.creep", "needs a \"yield\""},
      {"\"stiffness\": 1, \"yield\": 0.5, \"creep\": 2", "bodies[0].structural.creep", "share"},
      {"\"stiffness\": 1, \"set_limit\": 1", "bodies[0].structural.set_limit", "needs a \"yield\""},
      {"\"stiffness\": 1, \"stiffening\": 4", "bodies[0].structural.stiffening", "[strain, factor]"},
      {"\"stiffness\": 1, \"stiffening\": [0.05]", "bodies[0].structural.stiffening", "[strain, factor]"},
      {"\"stiffness\": 1, \"stiffening\": [0.05, 1]", "bodies[0].structural.stiffening[1]", "above 1"},
      {"\"stiffness\": 1, \"stiffening\": [-1, 2]", "bodies[0].structural.stiffening[0]", "0 or more"},
      {"\"stiffness\": 1, \"strain_limit\": 0.9", "bodies[0].structural.strain_limit", "1 or more"},
      {"\"stiffening\": [0.05, 4]", "bodies[0].structural", "give it a stiffness"},
      {"\"stiffness\": 1, \"tearing\": 2", "bodies[0].structural.tearing", "tear, split, yield"},
  };
  static const bad_text bodies[] = {
      {"\"kind\": \"cloth\", \"shear\": { \"tear\": 2 }", "bodies[0].shear", "give it a stiffness"},
      {"\"kind\": \"cloth\", \"bend\": { \"kind\": \"dihedral\", \"stiffness\": 1, \"tear\": 2 }",
       "bodies[0].bend", "only those on lengths tear"},
      {"\"kind\": \"cloth\", \"bend\": { \"kind\": \"dihedral\", \"stiffness\": 1, \"strain_limit\": 2 }",
       "bodies[0].bend", "only those on lengths tear"},
      {"\"kind\": \"rope\", \"material\": { \"line_density\": 1, \"stretch\": 9, \"bend_yield\": 1 }",
       "bodies[0].material", "give a \"bend\""},
      {"\"kind\": \"rope\", \"material\": { \"line_density\": 1, \"stretch\": 9, \"bend_yield\": 0 }",
       "bodies[0].material.bend_yield", "curvature above 0"},
      {"\"kind\": \"particles\", \"position\": [[0,0,0]], \"constraints\": [ { \"kind\": \"area\", "
       "\"particles\": [0, 0, 0], \"tear\": 2 } ]",
       "bodies[0].constraints[0].tear", "yield"},
      {"\"kind\": \"block\", \"volume\": { \"stiffness\": 1, \"tear\": 2 }", "bodies[0].volume", "stiffness"},
  };
  expect_refused(wrong, COUNT_OF(wrong),
                 "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", \"structural\": { %s } } ] }");
  expect_refused(bodies, COUNT_OF(bodies), "{ \"msd\": 1, \"bodies\": [ { %s } ] }");
}
