#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(material_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static bool is_near(msd_real value, double expected) {
  return fabs((double)value - expected) <= 1e-5 * fabs(expected);
}

Test(material_reader, a_body_is_of_what_its_name_says) {
  scene *s = load_bodies("{ \"kind\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": \"denim\" }, "
                         "{ \"kind\": \"rope\", \"particles\": 5, \"material\": \"steel_rope\" }");
  msd_material denim;
  cr_assert_eq(msd_material_named("denim", &denim), MSD_OK);
  cr_expect(is_near(s->bodies[0].material.stretch, (double)denim.stretch));
  cr_expect(is_near(s->bodies[0].material.shear, (double)denim.shear));
  cr_expect(is_near(s->bodies[1].material.line_density, 0.24));
  cr_expect(is_near((msd_real)msd_world_get_stats(s->world).total_mass, 0.324 + 0.24));
  cr_expect_eq(s->bodies[0].constraint_group_count, 1);
  cr_expect_str_eq(s->bodies[0].constraint_groups[0].name, "bend");
  cr_expect_eq(s->bodies[1].constraints.count, 3);
  cr_expect_eq(s->substeps, 0, "the fewest that are certified");
  scene_free(s);
}

Test(material_reader, numbers_stand_alone_or_change_those_of_a_name) {
  scene *s = load_bodies(
      "{ \"kind\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"area_density\": 0.2, "
      "\"stretch\": [800, 400], \"shear\": 100, \"bend\": 1e-4, \"damping_ratio\": 0.3 } }, "
      "{ \"kind\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"name\": \"silk\", \"bend\": 1 } "
      "}, "
      "{ \"kind\": \"block\", \"cells\": [2, 2, 2], \"material\": { \"density\": 500, \"stretch\": 1e5 } }");
  const msd_material *first = &s->bodies[0].material, *second = &s->bodies[1].material;
  cr_expect(is_near(first->area_density, 0.2) && is_near(first->stretch, 800) && is_near(first->weft, 400));
  cr_expect(is_near(first->shear, 100) && is_near(first->bend, 1e-4) && is_near(first->damping_ratio, 0.3));
  cr_expect(is_near(second->stretch, 500) && is_near(second->bend, 1));
  cr_expect(is_near(s->bodies[2].material.stretch, 1e5));
  cr_expect_eq(s->bodies[2].constraints.count, 0);
  scene_free(s);
}

Test(material_reader, a_mesh_and_a_balloon_may_be_of_a_material) {
  write_text("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  scene *s = load_bodies(
      "{ \"kind\": \"mesh\", \"file\": \"square.obj\", \"material\": \"cotton\", \"grain\": [1, 0, 0] }, "
      "{ \"kind\": \"balloon\", \"sphere\": {}, \"material\": { \"name\": \"rubber\", \"elements\": "
      "\"springs\" } }");
  cr_expect(is_near(s->bodies[0].material.stretch, 4070) && is_near(s->bodies[0].material.shear, 60));
  cr_expect(s->bodies[0].springs.count == 0 && s->bodies[0].constraints.count == 2 * 4 + 1);
  cr_expect_str_eq(s->bodies[0].constraint_groups[0].name, "fibre");
  cr_expect(is_near(s->bodies[1].material.shear, 0.375 * 1200), "springs on a mesh know no other");
  cr_expect_eq(s->bodies[1].constraint_group_count, 2);
  scene_free(s);
}

Test(material_reader, tetrahedra_may_be_of_a_material) {
  write_text("tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
  write_text("tet.ele", "1 4 0\n0 0 1 2 3\n");
  scene *s = load_bodies("{ \"kind\": \"tetmesh\", \"file\": \"tet.node\", \"material\": { \"density\": 600, "
                         "\"stretch\": 1e4 } }");
  cr_expect_eq(s->bodies[0].constraints.count, 6);
  cr_expect(is_near((msd_real)msd_world_get_stats(s->world).total_mass, 100));
  scene_free(s);
}

/* What tears is a spring. */
Test(material_reader, a_material_that_strain_changes_is_of_springs) {
  write_text("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  scene *s =
      load_bodies("{ \"kind\": \"mesh\", \"file\": \"square.obj\", \"material\": { \"name\": \"paper\", "
                  "\"tear\": 1.1 } }");
  cr_expect(s->bodies[0].springs.count == 5 && s->bodies[0].material.elements == MSD_ELEMENTS_SPRINGS);
  scene_free(s);
}

Test(material_reader, soft_stretch_tells_what_was_asked_and_what_was_made) {
  scene *s = load_bodies("{ \"kind\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"name\": "
                         "\"paper\", \"bend\": 0, \"soft_stretch\": 0.01 } }");
  cr_expect(is_near(s->bodies[0].asked.stretch, 350000));
  cr_expect(is_near(s->bodies[0].material.stretch, 0.08 * 9.81 / 0.01));
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

Test(material_reader, cells_that_cannot_be_as_soft_as_asked_are_warned_of) {
  scene *s =
      load_bodies("{ \"kind\": \"cloth\", \"u\": [4, 0, 0], \"columns\": 3, \"rows\": 5, \"material\": { "
                  "\"area_density\": 0.2, \"stretch\": 1000, \"elements\": \"springs\" } }");
  cr_assert_eq(s->warnings.count, 1);
  cr_expect(strstr(s->warnings.lines[0], "bodies[0]: the shear is too much for the stretch"), "%s",
            s->warnings.lines[0]);
  scene_free(s);
}

Test(material_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"material\": 1", "material: is 1", "an object"},
      {"\"material\": \"denin\"", "material: is \"denin\"", "did you mean \"denim\"?"},
      {"\"material\": { \"name\": \"moonstone\" }", "material.name: is \"moonstone\"", "cotton"},
      {"\"material\": { \"name\": 1 }", "material.name: is 1", "text"},
      {"\"material\": { \"strech\": 1 }", "material.strech: unknown key", "did you mean \"stretch\"?"},
      {"\"material\": { \"density\": 1 }", "material.density: unknown key", "area_density"},
      {"\"material\": { \"stretch\": 1 }", "material: has no \"area_density\"", "kg/m^2"},
      {"\"material\": { \"area_density\": 1 }", "material: has no \"stretch\"", "N/m"},
      {"\"material\": { \"area_density\": 0 }", "material.area_density: is 0", "above 0 in kg/m^2"},
      {"\"material\": { \"stretch\": [1] }", "material.stretch", "two"},
      {"\"material\": { \"stretch\": [1, 0] }", "material.stretch[1]: is 0", "above 0 in N/m"},
      {"\"material\": { \"shear\": -1 }", "material.shear: is -1", "0 or more in N/m"},
      {"\"material\": { \"bend\": -1 }", "material.bend: is -1", "N m"},
      {"\"material\": { \"damping_ratio\": 11 }", "material.damping_ratio: is 11", "from 0 to 10"},
      {"\"material\": { \"soft_stretch\": 0 }", "material.soft_stretch: is 0", "strain"},
      {"\"material\": \"climbing_rope\"", "material: is \"climbing_rope\", no material of a sheet", "cotton"},
      {"\"material\": \"denim\", \"mass\": 1", "bodies[0].mass: does not go with \"material\"",
       "leave it out"},
      {"\"material\": { \"elements\": \"cubes\" }", "material.elements: is the text \"cubes\"", "springs"},
      {"\"material\": \"denim\", \"rows\": 1", "bodies[0]: cloth: material: columns and rows", "2 or more"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", %s } ] }");
  static const bad_text grain = {"\"grain\": [1, 0, 0]", "bodies[0].grain: is the direction of the warp",
                                 "give one too"};
  expect_refused(&grain, 1,
                 "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"mesh\", \"file\": \"a.obj\", %s } ] }");
  static const bad_text tearing = {"{ \"name\": \"silk\", \"tear\": 2, \"elements\": \"exact\" }",
                                   "material.elements: is \"exact\", without springs that \"tear\"",
                                   "must be \"springs\""};
  expect_refused(&tearing, 1, "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"cloth\", \"material\": %s } ] }");
  static const bad_text ropes[] = {
      {"\"material\": { \"shear\": 1 }", "material.shear: unknown key", "tear"},
      {"\"material\": \"denim\"", "material: is \"denim\", no material of a rope", "climbing_rope"},
      {"\"material\": { \"stretch\": 1 }", "material: has no \"line_density\", as a material of a rope",
       "kg/m"},
      {"\"material\": \"steel_rope\", \"bend\": {}", "bend: does not go with \"material\"", "leave it out"},
  };
  expect_refused(ropes, COUNT_OF(ropes), "{ \"msd\": 1, \"bodies\": [ { \"kind\": \"rope\", %s } ] }");
}

/* With a density of its own the numbers of a name would be taken in another unit, and reported as of a rope. */
Test(material_reader, a_name_is_for_bodies_that_it_is_a_material_of) {
  static const bad_text cases[] = {
      {"\"cloth\", \"material\": { \"name\": \"steel_rope\", \"area_density\": 1 }",
       "material.name: is \"steel_rope\", no material of a sheet", "cotton"},
      {"\"rope\", \"material\": { \"name\": \"silk\", \"line_density\": 1 }",
       "material.name: is \"silk\", no material of a rope", "steel_rope"},
      {"\"block\", \"material\": \"denim\"", "material: is \"denim\", but no material of a solid has a name",
       "\"density\" and \"stretch\""},
      {"\"block\", \"material\": { \"name\": \"denim\", \"density\": 1 }", "material.name: unknown key",
       "density"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"kind\": %s } ] }");
}
