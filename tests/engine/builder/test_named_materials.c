/* Materials by name. */
#include <msd/msd.h>

#include <criterion/criterion.h>
#include <math.h>
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

/* E t and E t^3/12 of a sheet 0.1 mm thick, in both directions; in the mean E = 3.5 GPa, within what papers
   differ by. */
Test(named_materials, paper_is_a_tenth_of_a_millimeter_of_fibers) {
  msd_material paper;
  cr_assert_eq(msd_material_named("paper", &paper), MSD_OK);
  const double stretch = sqrt((double)paper.stretch_modulus * (double)paper.weft_modulus);
  cr_expect_float_eq(stretch, 3.5e9 * 1e-4, 0.05 * 3.5e5);
  const double square = 1e-4 * 1e-4 / 12;
  cr_expect_float_eq((double)paper.bend_rigidity, (double)paper.stretch_modulus * square, 1e-6);
  cr_expect_float_eq((double)paper.weft_bend_rigidity, (double)paper.weft_modulus * square, 1e-6);
}

Test(named_materials, every_number_tells_what_it_rests_on) {
  for (int n = 0; msd_material_name(n); n++) {
    const msd_material_origin o = msd_material_get_origin(n);
    msd_material m;
    cr_assert_eq(msd_material_named(msd_material_name(n), &m), MSD_OK);
    cr_expect(strlen(o.description) > 0 && strlen(o.source) > 0, "%s", msd_material_name(n));
    cr_expect(o.density > 0 && o.stretch > 0 && o.bend > 0 && o.damping > 0, "%s", msd_material_name(n));
    cr_expect_eq(o.shear > 0, m.area_density > 0, "%s", msd_material_name(n));
    cr_expect_eq(o.compression > 0, m.compression_factor < 1, "%s", msd_material_name(n));
  }
  cr_expect_eq(msd_material_get_origin(-1).source[0], 0);
}

/* UIAA 101: 80 kg fall 4.8 m on 2.8 m of rope. At most 12 kN, 40 % longer, and 10 % under 80 kg at rest. */
Test(named_materials, the_climbing_rope_passes_its_standard) {
  msd_world_def world_def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  msd_material rope;
  cr_assert_eq(msd_material_named("climbing_rope", &rope), MSD_OK);
  rope.bend_rigidity = 0;
  msd_rope_def def = msd_default_rope_def();
  def.particles = 15;
  def.to = (msd_vec3){0, (msd_real)-2.8, 0};
  def.material = &rope;
  cr_assert_eq(msd_add_rope(world, &def, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_particle_set_mass(world, 14, 80), MSD_OK);
  /* As it has fallen, so that no slack rope knots. */
  for (int32_t i = 1; i < 15; i++) {
    const double speed = sqrt(2 * 9.81 * 4.8) * i / 14;
    cr_assert_eq(msd_particle_set_velocity(world, i, (msd_vec3){0, (msd_real)-speed, 0}), MSD_OK);
  }
  double longest = 0, pull = 0;
  for (int frame = 0; frame < 600; frame++) {
    cr_assert_eq(msd_world_step(world, (msd_real)0.001, 0), MSD_OK);
    longest = fmax(longest, -(double)msd_particle_get_position(world, 14).y - 2.8);
    pull = fmax(pull, msd_spring_get_tension(world, 0));
  }
  cr_expect(longest / 2.8 < 0.4 && longest / 2.8 > 0.25, "%g longer", longest / 2.8);
  cr_expect(pull < 12000 && pull > 8000, "%g N", pull);
  cr_expect_lt(80 * 9.81 / (double)rope.stretch_modulus, 0.1);
  msd_destroy_world(world);
}
