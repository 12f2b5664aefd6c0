/* Materials by name. */
#include <msd/msd.h>

#include <criterion/criterion.h>
#include <string.h>

Test(named_materials, every_name_of_the_list_is_a_material_that_its_builder_takes) {
  int count = 0;
  for (const char *name; (name = msd_material_name(count)); count++) {
    msd_material material;
    cr_assert_eq(msd_material_named(name, &material), MSD_OK, "%s", name);
    const msd_world_def world_def = msd_default_world_def();
    msd_world *world;
    cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
    msd_rope_def rope = msd_default_rope_def();
    msd_cloth_def cloth = msd_default_cloth_def();
    rope.particles = cloth.columns = cloth.rows = 5;
    rope.material = cloth.material = &material;
    msd_body body;
    const bool is_rope = material.line_density > 0;
    cr_expect_eq(is_rope ? msd_add_rope(world, &rope, &body) : msd_add_cloth(world, &cloth, &body), MSD_OK,
                 "%s: %s", name, msd_world_message(world));
    cr_expect_eq(is_rope ? msd_add_cloth(world, &cloth, &body) : msd_add_rope(world, &rope, &body),
                 MSD_BAD_VALUE, "%s is a rope and a cloth", name);
    cr_expect(strstr(msd_world_message(world), is_rope ? "area_density is 0" : "line_density is 0"), "%s: %s",
              name, msd_world_message(world));
    msd_destroy_world(world);
  }
  cr_expect_geq(count, 10);
  cr_expect_null(msd_material_name(-1));
  cr_expect_null(msd_material_name(count));
}

Test(named_materials, a_name_that_is_not_in_the_list_changes_nothing) {
  msd_material material = msd_default_material();
  material.stretch_modulus = 7;
  cr_expect_eq(msd_material_named("moonstone", &material), MSD_BAD_VALUE);
  cr_expect_eq(msd_material_named(NULL, &material), MSD_BAD_VALUE);
  cr_expect_eq(msd_material_named("denim", NULL), MSD_BAD_VALUE);
  cr_expect_eq(material.stretch_modulus, 7);
}

/* E t and E t^3/12 of a sheet 0.1 mm thick of E = 3.5 GPa, within what papers differ by. */
Test(named_materials, paper_is_a_tenth_of_a_millimeter_of_fibers) {
  msd_material paper;
  cr_assert_eq(msd_material_named("paper", &paper), MSD_OK);
  cr_expect_float_eq((double)paper.stretch_modulus, 3.5e9 * 1e-4, 1);
  cr_expect_float_eq((double)paper.bend_rigidity, 3.5e9 * 1e-12 / 12, 1e-5);
}
