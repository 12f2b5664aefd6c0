#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(damage_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const scene_group *group_named(const scene *s, const char *name) {
  for (int g = 0; g < s->bodies[0].group_count; g++)
    if (strcmp(s->bodies[0].groups[g].name, name) == 0)
      return &s->bodies[0].groups[g];
  cr_assert_fail("no group \"%s\"", name);
  return NULL;
}

Test(damage_reader, groups_of_springs_damage_as_they_say) {
  scene *s = load_bodies("{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, "
                         "\"stretch\": { \"stiffness\": 100, \"tear_strain\": 0.5, \"yield_strain\": 0.25, "
                         "\"plastic_rate\": 0.5, "
                         "\"max_plastic_strain\": 2 }, \"shear\": { \"stiffness\": 10, \"tear_strain\": 2 }, "
                         "\"bend\": { \"stiffness\": 1 } }");
  const msd_damage_def stretch =
      msd_spring_get_damage(s->world, group_named(s, "stretch")->springs.first + 16);
  cr_expect(stretch.tear_strain == (msd_real)0.5 && stretch.yield_strain == (msd_real)0.25 &&
            stretch.plastic_rate == (msd_real)0.5 && stretch.max_plastic_strain == 2);
  const msd_damage_def shear = msd_spring_get_damage(s->world, group_named(s, "shear")->springs.first);
  cr_expect(shear.tear_strain == 2 && shear.yield_strain == 0);
  cr_expect_eq(msd_spring_get_damage(s->world, group_named(s, "bend")->springs.first).tear_strain, 0);
  scene_free(s);
}

/* Each spring stands for a part of a cut. Those of one direction add up to the length of the cut, whatever the
   cells: here a cut of 3 m in the middle of the sheet. */
Test(damage_reader, an_energy_per_length_is_divided_among_the_springs_of_a_cut) {
  for (int cells = 5; cells <= 17; cells += 6) {
    char text[512];
    snprintf(text, sizeof text,
             "{ \"type\": \"cloth\", \"columns\": %d, \"rows\": %d, \"u\": [2, 0, 0], \"v\": [0, 3, 0], "
             "\"stretch\": { \"stiffness\": 100, \"tear_energy\": 0.5 } }",
             cells + 1, cells + 1);
    scene *s = load_bodies(text);
    const msd_range springs = group_named(s, "stretch")->springs;
    double cut = 0;
    for (int32_t e = springs.first; e < springs.first + springs.count; e++) {
      const msd_spring_def def = msd_spring_get_def(s->world, e);
      const msd_vec3 a = msd_particle_get_position(s->world, def.a),
                     b = msd_particle_get_position(s->world, def.b);
      const bool is_across =
          fabs((double)a.x + (double)b.x - 2) < 1e-5 && fabs((double)a.y - (double)b.y) < 1e-5;
      cut += is_across ? (double)msd_spring_get_damage(s->world, e).tear_energy : 0;
    }
    cr_expect_float_eq(cut, 0.5 * 3, 1e-5, "%d cells: %g J", cells, cut);
    scene_free(s);
  }
}

Test(damage_reader, a_rope_tears_at_the_energy_of_a_piece) {
  scene *s = load_bodies("{ \"type\": \"rope\", \"particles\": 5, \"from\": [0, 0, 0], \"to\": [1, 0, 0], "
                         "\"stretch\": { \"stiffness\": 100, \"tear_energy\": 0.5, \"split\": true } }");
  const msd_damage_def damage = msd_spring_get_damage(s->world, 2);
  cr_expect(damage.tear_energy == (msd_real)0.5 && damage.tear_strain == 0 && damage.split);
  scene_free(s);
}

Test(damage_reader, what_backs_springs_follows_them_group_by_group) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"pinned\": [\"first\"], \"tethers\": true, "
      "\"stretch\": { \"stiffness\": 100, \"stiffening\": { \"strain\": 0.25, \"factor\": 4 }, "
      "\"max_stretch\": 0.5 }, "
      "\"shear\": { \"stiffness\": 10, \"stiffening\": { \"strain\": 0.5, \"factor\": 3 } } }");
  const scene_body *body = &s->bodies[0];
  const msd_range stretch = group_named(s, "stretch")->springs, shear = group_named(s, "shear")->springs,
                  stiffening = group_named(s, "stiffening")->springs,
                  limit = group_named(s, "strain limit")->springs,
                  tethers = group_named(s, "tethers")->springs;
  cr_expect(stretch.count == 17 && shear.count == 12 && stiffening.count == 29 && limit.count == 17);
  cr_expect_eq(stiffening.first, shear.first + shear.count);
  cr_expect_eq(limit.first, stiffening.first + stiffening.count);
  cr_expect_eq(tethers.first, limit.first + limit.count);
  cr_expect_eq(body->springs.first + body->springs.count, tethers.first + tethers.count);
  const msd_spring_def own = msd_spring_get_def(s->world, stretch.first + 3),
                       backing = msd_spring_get_def(s->world, stiffening.first + 3),
                       caught = msd_spring_get_def(s->world, limit.first + 3),
                       last = msd_spring_get_def(s->world, stiffening.first + 28);
  cr_expect(backing.a == own.a && backing.b == own.b && backing.stiffness == 300 && backing.damping == 0);
  cr_expect(backing.rest_length == (msd_real)1.25 * own.rest_length &&
            backing.mode == MSD_SPRING_TENSION_ONLY);
  cr_expect(caught.a == own.a && caught.law == MSD_SPRING_HARD_LIMIT && caught.ck == 1 &&
            caught.rest_length == (msd_real)1.5 * own.rest_length);
  cr_expect_eq(last.stiffness, 20);
  scene_free(s);
}

Test(damage_reader, springs_of_their_own_and_joints_damage_too) {
  scene_error error;
  scene *s = load_text(
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"particles\", \"name\": \"p\", "
      "\"position\": [[0,0,0], [1,0,0], [2,0,0]], \"springs\": [ { \"between\": [0, 1], "
      "\"stiffness\": 5, \"tear_strain\": 1 }, { \"between\": [1, 2], \"stiffness\": 5, "
      "\"max_stretch\": 2 } ] } ], \"connections\": [ { \"between\": [\"p\", 0, \"p\", 2], "
      "\"stiffness\": 7, \"yield_strain\": 0.5, \"stiffening\": { \"strain\": 1, \"factor\": 3 } } ] }",
      &error);
  cr_assert(s, "%s", error.text);
  cr_assert_eq(msd_world_get_spring_count(s->world), 5);
  cr_expect_eq(msd_spring_get_damage(s->world, 0).tear_strain, 1);
  cr_expect_eq(msd_spring_get_damage(s->world, 1).tear_strain, 0);
  cr_expect_eq(msd_spring_get_def(s->world, 2).rest_length, 3);
  cr_expect(s->bodies[0].springs.count == 3 && group_named(s, "strain limit")->springs.first == 2);
  cr_expect(s->joints.first == 3 && s->joints.count == 2);
  cr_expect_eq(msd_spring_get_damage(s->world, 3).yield_strain, (msd_real)0.5);
  cr_expect_eq(msd_spring_get_def(s->world, 4).stiffness, 14);
  scene_free(s);
}

Test(damage_reader, a_material_says_it_of_all_springs_of_its_body) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"material\": { \"area_density\": 0.2, "
      "\"stretch_modulus\": 1000, \"bend_rigidity\": 1e-4, \"tear_strain\": 0.5, \"yield_strain\": 0.25, "
      "\"stiffening\": { \"strain\": 0.0625, \"factor\": 3 }, \"max_stretch\": 1 } }");
  const msd_range stretch = group_named(s, "stretch")->springs, shear = group_named(s, "shear")->springs;
  cr_expect(stretch.count == 17 && shear.count == 12);
  cr_expect_eq(group_named(s, "stiffening")->springs.count, 29);
  cr_expect_eq(group_named(s, "strain limit")->springs.count, 29);
  for (int32_t e = 0; e < 29; e++) {
    const msd_damage_def damage = msd_spring_get_damage(s->world, e);
    cr_expect(damage.tear_strain == (msd_real)0.5 && damage.yield_strain == (msd_real)0.25);
  }
  scene_free(s);
  s = load_bodies("{ \"type\": \"rope\", \"particles\": 5, \"material\": { \"line_density\": 0.1, "
                  "\"stretch_modulus\": 1000, "
                  "\"tear_strain\": 0.25 } }, { \"type\": \"block\", \"material\": { \"density\": 10, "
                  "\"stretch_modulus\": 1000, "
                  "\"yield_strain\": 0.5 } }");
  cr_expect_eq(msd_spring_get_damage(s->world, 3).tear_strain, (msd_real)0.25);
  cr_expect_eq(msd_spring_get_damage(s->world, s->bodies[1].springs.first).yield_strain, (msd_real)0.5);
  scene_free(s);
}

static msd_range bend_of(const scene *s, int body) {
  for (int g = 0; g < s->bodies[body].constraint_group_count; g++)
    if (strcmp(s->bodies[body].constraint_groups[g].name, "bend") == 0)
      return s->bodies[body].constraint_groups[g].constraints;
  cr_assert_fail("nothing bends");
  return (msd_range){0, 0};
}

Test(damage_reader, folds_and_angles_yield_as_they_say) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"stretch\": { \"stiffness\": 100 }, "
      "\"bend\": { \"model\": \"dihedral\", \"stiffness\": 1, \"yield_strain\": 0.25, \"plastic_rate\": 0.5, "
      "\"max_plastic_strain\": 2 } }, { \"type\": \"particles\", \"position\": [[0,0,0], [1,0,0], [2,0,0]], "
      "\"constraints\": [ { \"type\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": 1 }, "
      "{ \"type\": \"angle\", \"particles\": [0, 1, 2], \"stiffness\": 1, \"yield_strain\": 0.5 } ] }");
  const msd_range folds = bend_of(s, 0);
  const msd_damage_def fold = msd_constraint_get_damage(s->world, folds.first + folds.count - 1);
  cr_expect(fold.yield_strain == (msd_real)0.25 && fold.plastic_rate == (msd_real)0.5 &&
            fold.max_plastic_strain == 2);
  const int32_t first = s->bodies[1].constraints.first;
  cr_expect_eq(msd_constraint_get_damage(s->world, first).yield_strain, 0);
  cr_expect_eq(msd_constraint_get_damage(s->world, first + 1).yield_strain, (msd_real)0.5);
  scene_free(s);
}

/* The moment at which each fold yields is that of its width of a strip at the curvature, k times the angle:
   in cells of 1/3 by 1/2 m the folds along rows and columns and the diagonals have stiffnesses of their own;
   and in a rope of 4 pieces of 1/4 m the angle is the curvature times the length. */
Test(damage_reader, a_material_yields_by_its_curvature_whatever_the_cells) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"material\": { \"area_density\": 0.2, "
      "\"stretch_modulus\": 1000, \"bend_rigidity\": 0.125, \"bend_yield\": 2, \"plastic_rate\": 0.5 } }, "
      "{ \"type\": \"rope\", \"particles\": 5, \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"material\": "
      "{ \"line_density\": 0.1, \"stretch_modulus\": 1000, \"bend_rigidity\": 0.125, \"bend_yield\": 3 } }");
  const msd_range folds = bend_of(s, 0), angles = bend_of(s, 1);
  cr_assert(folds.count == 13 && angles.count == 3);
  double widths = 0;
  for (int32_t c = folds.first; c < folds.first + folds.count; c++) {
    const msd_damage_def damage = msd_constraint_get_damage(s->world, c);
    widths += (double)damage.yield_strain * (double)msd_constraint_get_def(s->world, c).stiffness / 0.25;
    cr_expect_eq(damage.plastic_rate, (msd_real)0.5);
  }
  cr_expect_float_eq(widths, 3 * 1.0 / 3 + 4 * 0.5 + 6 * sqrt(13) / 6, 1e-5);
  for (int32_t c = angles.first; c < angles.first + angles.count; c++)
    cr_expect_float_eq((double)msd_constraint_get_damage(s->world, c).yield_strain, 3 * 0.25, 1e-6);
  cr_expect_eq(msd_spring_get_damage(s->world, 0).yield_strain, 0);
  scene_free(s);
}

/* Whether it touches anything or not. */
Test(damage_reader, what_splits_has_a_surface) {
  scene *s = load_bodies("{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, "
                         "\"stretch\": { \"stiffness\": 100, \"tear_strain\": 0.5, \"split\": true } }");
  cr_expect(msd_spring_get_damage(s->world, 0).split);
  const msd_collision_mesh_def surface = msd_collision_mesh_get_def(s->world, s->bodies[0].surface.number);
  cr_expect(surface.triangle_count == 12 && !surface.self_collision);
  cr_expect_eq(scene_triangles(s, &s->bodies[0]), surface.triangles);
  scene_free(s);
}

/* Of a cloth that does not, if any other spring does: of another group, or not the first of a list. */
Test(damage_reader, one_spring_that_splits_gives_all_bodies_surfaces) {
  static const char frame[] =
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 3, "
      "\"stretch\": { \"stiffness\": 100 } }%s }";
  static const struct {
    const char *rest;
    int32_t surfaces;
  } scenes[] = {
      {" ]", 0},
      {", { \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"stretch\": { \"stiffness\": 100, "
       "\"tear_strain\": 0.5 }, \"shear\": { \"stiffness\": 10 } } ]",
       0},
      {", { \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"stretch\": { \"stiffness\": 100 }, "
       "\"shear\": { \"stiffness\": 10, \"tear_strain\": 1, \"split\": true } } ]",
       2},
      {", { \"type\": \"particles\", \"position\": [[0, 2, 0], [0, 3, 0], [0, 4, 0]], \"springs\": [{ "
       "\"between\": [0, 1], \"stiffness\": 1 }, { \"between\": [1, 2], \"stiffness\": 1, \"tear_strain\": "
       "1, "
       "\"split\": true }] } ]",
       1},
      {" ], \"connections\": [{ \"between\": [\"c\", 0, \"c\", 11], \"stiffness\": 1 }, { \"between\": "
       "[\"c\", 3, "
       "\"c\", 8], \"stiffness\": 1, \"tear_strain\": 1, \"split\": true }]",
       1}};
  for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
    scene *s = load_framed(frame, scenes[n].rest);
    cr_expect_eq(msd_world_get_collision_mesh_count(s->world), scenes[n].surfaces, "scene %zu", n);
    scene_free(s);
  }
}

Test(damage_reader, what_is_wrong_is_said_where_it_is) {
  static const bad_text wrong[] = {
      {"\"stiffness\": 1, \"tear_strain\": -0.5", "bodies[0].stretch.tear_strain", "a strain above 0"},
      {"\"stiffness\": 1, \"tear_strain\": 0", "bodies[0].stretch.tear_strain", "a strain above 0"},
      {"\"stiffness\": 1, \"tear_energy\": 0", "bodies[0].stretch.tear_energy", "J/m"},
      {"\"stiffness\": 1, \"split\": true", "bodies[0].stretch.split", "needs a \"tear_strain\""},
      {"\"stiffness\": 1, \"tear_strain\": 1, \"split\": 1", "bodies[0].stretch.split", "true or false"},
      {"\"stiffness\": 1, \"yield_strain\": 0", "bodies[0].stretch.yield_strain", "strain"},
      {"\"stiffness\": 1, \"plastic_rate\": 0.5", "bodies[0].stretch.plastic_rate",
       "needs a \"yield_strain\""},
      {"\"stiffness\": 1, \"yield_strain\": 0.5, \"plastic_rate\": 0", "bodies[0].stretch.plastic_rate",
       "rate in 1/s"},
      {"\"stiffness\": 1, \"max_plastic_strain\": 1", "bodies[0].stretch.max_plastic_strain",
       "needs a \"yield_strain\""},
      {"\"stiffness\": 1, \"stiffening\": 4", "bodies[0].stretch.stiffening", "an object such as"},
      {"\"stiffness\": 1, \"stiffening\": [0.05]", "bodies[0].stretch.stiffening", "an object such as"},
      {"\"stiffness\": 1, \"stiffening\": { \"strain\": 0.05, \"factor\": 1 }",
       "bodies[0].stretch.stiffening.factor", "a factor above 1"},
      {"\"stiffness\": 1, \"stiffening\": { \"strain\": -1, \"factor\": 2 }",
       "bodies[0].stretch.stiffening.strain", "0 or more"},
      {"\"stiffness\": 1, \"max_stretch\": -0.1", "bodies[0].stretch.max_stretch", "a strain of 0 or more"},
      {"\"stiffening\": { \"strain\": 0.05, \"factor\": 4 }", "bodies[0].stretch", "give it a stiffness"},
      {"\"stiffness\": 1, \"tearing\": 2", "bodies[0].stretch.tearing",
       "tear_strain, tear_energy, split, yield_strain"},
  };
  static const bad_text bodies[] = {
      {"\"type\": \"cloth\", \"shear\": { \"tear_strain\": 1 }", "bodies[0].shear", "give it a stiffness"},
      {"\"type\": \"cloth\", \"bend\": { \"model\": \"dihedral\", \"stiffness\": 1, \"tear_strain\": 1 }",
       "bodies[0].bend", "only springs on lengths tear"},
      {"\"type\": \"cloth\", \"bend\": { \"model\": \"dihedral\", \"stiffness\": 1, \"max_stretch\": 1 }",
       "bodies[0].bend", "only springs on lengths tear"},
      {"\"type\": \"rope\", \"material\": { \"line_density\": 1, \"stretch_modulus\": 9, \"bend_yield\": 1 }",
       "bodies[0].material", "give a \"bend\""},
      {"\"type\": \"rope\", \"material\": { \"line_density\": 1, \"stretch_modulus\": 9, \"bend_yield\": 0 }",
       "bodies[0].material.bend_yield", "curvature above 0"},
      {"\"type\": \"particles\", \"position\": [[0,0,0]], \"constraints\": [ { \"type\": \"area\", "
       "\"particles\": [0, 0, 0], \"tear_strain\": 1 } ]",
       "bodies[0].constraints[0].tear_strain", "yield_strain"},
      {"\"type\": \"block\", \"volume\": { \"stiffness\": 1, \"tear_strain\": 1 }", "bodies[0].volume",
       "stiffness"},
  };
  expect_refused(wrong, COUNT_OF(wrong),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"stretch\": { %s } } ] }");
  expect_refused(bodies, COUNT_OF(bodies), "{ \"msd\": 1, \"bodies\": [ { %s } ] }");
}
