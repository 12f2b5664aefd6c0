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
  scene *s = load_bodies("{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": \"denim\" }, "
                         "{ \"type\": \"rope\", \"particles\": 5, \"material\": \"steel_rope\" }");
  msd_material denim;
  cr_assert_eq(msd_material_named("denim", &denim), MSD_OK);
  cr_expect(is_near(s->bodies[0].material.stretch_modulus, (double)denim.stretch_modulus));
  cr_expect(is_near(s->bodies[0].material.shear_modulus, (double)denim.shear_modulus));
  cr_expect(is_near(s->bodies[1].material.line_density, 0.24));
  cr_expect(is_near((msd_real)msd_world_get_stats(s->world).total_mass, 0.324 + 0.24));
  cr_expect_eq(s->bodies[0].springs.count, 0, "fabrics are made of fibers, to be softer in compression");
  cr_expect_eq(s->bodies[0].constraint_group_count, 2);
  cr_expect_eq(s->bodies[1].constraints.count, 3);
  cr_expect_eq(s->substeps, 0, "the fewest that are certified");
  scene_free(s);
}

Test(material_reader, numbers_stand_alone_or_change_those_of_a_name) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"area_density\": 0.2, "
      "\"stretch_modulus\": [800, 400], \"shear_modulus\": 100, \"bend_rigidity\": 1e-4, \"damping_ratio\": "
      "0.3 } }, "
      "{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"name\": \"silk\", "
      "\"bend_rigidity\": 1 } "
      "}, "
      "{ \"type\": \"block\", \"cells\": [2, 2, 2], \"material\": { \"density\": 500, \"stretch_modulus\": "
      "1e5 } }");
  const msd_material *first = &s->bodies[0].material, *second = &s->bodies[1].material;
  cr_expect(is_near(first->area_density, 0.2) && is_near(first->stretch_modulus, 800) &&
            is_near(first->weft_modulus, 400));
  cr_expect(is_near(first->shear_modulus, 100) && is_near(first->bend_rigidity, 1e-4) &&
            is_near(first->damping_ratio, 0.3));
  cr_expect(is_near(second->stretch_modulus, 500) && is_near(second->bend_rigidity, 1));
  cr_expect(is_near(second->compression_factor, 0.05));
  cr_expect(is_near(s->bodies[2].material.stretch_modulus, 1e5));
  cr_expect_eq(s->bodies[2].constraints.count, 0);
  scene_free(s);
}

Test(material_reader, bending_has_a_number_along_warp_and_weft) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"area_density\": 0.2, "
      "\"stretch_modulus\": 800, \"bend_rigidity\": [2e-4, 1e-4], \"damping_time\": 0.01 } }, "
      "{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 5, \"material\": { \"name\": \"paper\", "
      "\"stretch_modulus\": 1000, \"bend_rigidity\": 1e-3 } }");
  const msd_material *own = &s->bodies[0].asked, *changed = &s->bodies[1].asked;
  cr_expect(is_near(own->bend_rigidity, 2e-4) && is_near(own->weft_bend_rigidity, 1e-4));
  cr_expect(is_near(own->damping_time, 0.01));
  cr_expect(changed->weft_bend_rigidity == MSD_ISOTROPIC && changed->weft_modulus == MSD_ISOTROPIC,
            "one number replaces both of a name");
  scene_free(s);
}

Test(material_reader, a_mesh_and_a_balloon_may_be_of_a_material) {
  write_text("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  scene *s = load_bodies(
      "{ \"type\": \"mesh\", \"file\": \"square.obj\", \"material\": \"denim\", \"warp\": [1, 0, 0] }, "
      "{ \"type\": \"balloon\", \"sphere\": {}, \"material\": { \"name\": \"rubber\", \"elements\": "
      "\"springs\" } }");
  cr_expect(is_near(s->bodies[0].material.stretch_modulus, 410) &&
            is_near(s->bodies[0].material.weft_modulus, 2030) &&
            is_near(s->bodies[0].material.shear_modulus, 100));
  cr_expect(s->bodies[0].springs.count == 0 && s->bodies[0].constraints.count == 2 * 4 + 1);
  cr_expect_str_eq(s->bodies[0].constraint_groups[0].name, "fiber");
  cr_expect(is_near(s->bodies[1].material.shear_modulus, 0.375 * 1200), "springs on a mesh know no other");
  cr_expect_eq(s->bodies[1].constraint_group_count, 2);
  scene_free(s);
}

Test(material_reader, tetrahedra_may_be_of_a_material) {
  write_text("tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
  write_text("tet.ele", "1 4 0\n0 0 1 2 3\n");
  scene *s = load_bodies("{ \"type\": \"tetmesh\", \"file\": \"tet.node\", \"material\": { \"density\": 600, "
                         "\"stretch_modulus\": 1e4 } }");
  cr_expect_eq(s->bodies[0].constraints.count, 6);
  cr_expect(is_near((msd_real)msd_world_get_stats(s->world).total_mass, 100));
  scene_free(s);
}

/* What tears is a spring. */
Test(material_reader, a_material_that_strain_changes_is_of_springs) {
  write_text("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  scene *s =
      load_bodies("{ \"type\": \"mesh\", \"file\": \"square.obj\", \"material\": { \"name\": \"paper\", "
                  "\"tear_strain\": 0.1 } }");
  cr_expect(s->bodies[0].springs.count == 5 && s->bodies[0].material.elements == MSD_ELEMENTS_SPRINGS);
  scene_free(s);
}

Test(material_reader, soft_stretch_tells_what_was_asked_and_what_was_made) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"pinned\": [0], \"columns\": 5, \"rows\": 5, \"material\": { \"name\": "
      "\"paper\", \"bend_rigidity\": 0, \"stretch_under_weight\": 0.01 } }");
  cr_expect(is_near(s->bodies[0].asked.stretch_modulus, 500000));
  cr_expect(is_near(s->bodies[0].material.weft_modulus, 0.08 * 9.81 / 0.01));
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

Test(material_reader, cells_that_cannot_be_as_soft_as_asked_are_warned_of) {
  scene *s = load_bodies("{ \"type\": \"cloth\", \"pinned\": [0], \"u\": [4, 0, 0], \"columns\": 3, "
                         "\"rows\": 5, \"material\": { "
                         "\"area_density\": 0.2, \"stretch_modulus\": 1000, \"elements\": \"springs\" } }");
  cr_assert_eq(s->warnings.count, 1);
  cr_expect(strstr(s->warnings.lines[0], "bodies[0]: the shear modulus is too large"), "%s",
            s->warnings.lines[0]);
  scene_free(s);
}

Test(material_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"material\": 1", "material: is 1", "an object"},
      {"\"material\": \"denin\"", "material: is \"denin\"", "did you mean \"denim\"?"},
      {"\"material\": { \"name\": \"moonstone\" }", "material.name: is \"moonstone\"", "cotton"},
      {"\"material\": { \"name\": 1 }", "material.name: is 1", "text"},
      {"\"material\": { \"stretch_modulu\": 1 }", "material.stretch_modulu: unknown key",
       "did you mean \"stretch_modulus\"?"},
      {"\"material\": { \"density\": 1 }", "material.density: unknown key", "area_density"},
      {"\"material\": { \"stretch_modulus\": 1 }", "material: has no \"area_density\"", "kg/m^2"},
      {"\"material\": { \"area_density\": 1 }", "material: has no \"stretch_modulus\"", "N/m"},
      {"\"material\": { \"area_density\": 0 }", "material.area_density: is 0", "above 0 in kg/m^2"},
      {"\"material\": { \"stretch_modulus\": [1] }", "material.stretch", "two"},
      {"\"material\": { \"stretch_modulus\": [1, 0] }", "material.stretch_modulus[1]: is 0",
       "above 0 in N/m"},
      {"\"material\": { \"shear_modulus\": -1 }", "material.shear_modulus: is -1", "0 or more in N/m"},
      {"\"material\": { \"bend_rigidity\": -1 }", "material.bend_rigidity: is -1", "N m"},
      {"\"material\": { \"bend_rigidity\": [1, 0] }", "material.bend_rigidity[1]: is 0", "above 0 in N m"},
      {"\"material\": { \"compression_factor\": 2 }", "material.compression_factor: is 2", "from 0 to 1"},
      {"\"material\": { \"damping_time\": -1 }", "material.damping_time: is -1", "0 to 10 s"},
      {"\"material\": \"cotton_shirt\"", "material: is \"cotton_shirt\"",
       "did you mean \"cotton_shirting\"?"},
      {"\"material\": { \"damping_ratio\": 11 }", "material.damping_ratio: is 11", "from 0 to 10"},
      {"\"material\": { \"stretch_under_weight\": 0 }", "material.stretch_under_weight: is 0", "strain"},
      {"\"material\": \"climbing_rope\"",
       "material: is \"climbing_rope\", which is not a known material of a sheet", "cotton"},
      {"\"material\": \"denim\", \"mass\": 1", "bodies[0].mass: cannot be combined with \"material\"",
       "leave it out"},
      {"\"material\": { \"elements\": \"cubes\" }", "material.elements: is the text \"cubes\"", "springs"},
      {"\"material\": \"denim\", \"rows\": 1", "bodies[0]: cloth: material: columns and rows", "2 or more"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", %s } ] }");
  static const bad_text warp = {"\"warp\": [1, 0, 0]", "bodies[0].warp: is the direction of the warp",
                                "give one too"};
  expect_refused(&warp, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"a.obj\", %s } ] }");
  static const bad_text tearing = {
      "{ \"name\": \"silk\", \"tear_strain\": 1, \"elements\": \"fibers\" }",
      "material.elements: is \"fibers\", which have no springs for \"tear_strain\"", "must be \"springs\""};
  expect_refused(&tearing, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"material\": %s } ] }");
  static const bad_text ropes[] = {
      {"\"material\": { \"shear_modulus\": 1 }", "material.shear_modulus: unknown key", "stretch_modulus"},
      {"\"material\": \"denim\"", "material: is \"denim\", which is not a known material of a rope",
       "climbing_rope"},
      {"\"material\": { \"stretch_modulus\": 1 }",
       "material: has no \"line_density\", as a material of a rope", "kg/m"},
      {"\"material\": \"steel_rope\", \"bend\": {}", "bend: cannot be combined with \"material\"",
       "leave it out"},
  };
  expect_refused(ropes, COUNT_OF(ropes), "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", %s } ] }");
}

/* With a density of its own the numbers of a name would be taken in another unit, and reported as of a rope. */
Test(material_reader, a_name_is_for_bodies_that_it_is_a_material_of) {
  static const bad_text cases[] = {
      {"\"cloth\", \"material\": { \"name\": \"steel_rope\", \"area_density\": 1 }",
       "material.name: is \"steel_rope\", which is not a known material of a sheet", "cotton"},
      {"\"rope\", \"material\": { \"name\": \"silk\", \"line_density\": 1 }",
       "material.name: is \"silk\", which is not a known material of a rope", "steel_rope"},
      {"\"block\", \"material\": \"denim\"", "material: is \"denim\", but no material of a solid has a name",
       "\"density\" and \"stretch_modulus\""},
      {"\"block\", \"material\": { \"name\": \"denim\", \"density\": 1 }", "material.name: unknown key",
       "density"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"type\": %s } ] }");
}
