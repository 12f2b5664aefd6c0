/* How far a network stretches under its own weight. */
#include "tests/support/unit_networks.h"

Test(static_stretch, a_hanging_chain_stretches_as_foretold) {
  msd_world *world = rope(21, physical(5000, 20));
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
  const msd_static_stretch stretch = stretch_of(world, 0.001);
  /* The top spring carries 20 kg at 10 m/s^2 over k times its metre. */
  cr_assert_float_eq(stretch.present, 20 * 10 / 5000.0, 1e-6);
  /* At Ck = 1/2 between two unit masses k = 1/2 1/2 /dt^2; the pinned end has k = 1/2 /dt^2. */
  cr_assert_float_eq(stretch.stiffest, 19 * 10 / (0.25 / 1e-6), 1e-7);
  cr_assert_eq(msd_world_set_air_drag(world, 1), MSD_OK);
  cr_assert_eq(msd_world_step(world, 60, 60000), MSD_OK);
  cr_assert_float_eq(msd_world_get_stats(world).max_stretch, stretch.present, 1e-3);
  msd_destroy_world(world);
}

Test(static_stretch, nothing_hangs_without_a_pin_or_gravity) {
  msd_world *world = rope(5, physical(100, 0));
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, -10, 0}), MSD_OK);
  cr_assert_eq(stretch_of(world, 0.01).present, 0);
  cr_assert_eq(msd_particle_pin(world, 2), MSD_OK);
  /* Two masses hang on each of two springs. */
  cr_assert_float_eq(stretch_of(world, 0.01).present, 0.2, 1e-6);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 0, 0}), MSD_OK);
  cr_assert_eq(stretch_of(world, 0.01).present, 0);
  msd_destroy_world(world);
}

/* Beside 100 N/m a catch of half the mass of 1 kg has 0.5/0.1^2 = 50 N/m. */
Test(static_stretch, a_catch_from_a_pin_holds_unless_it_is_slack) {
  for (int slack = 0; slack < 2; slack++) {
    msd_world *world = rope(2, physical(100, 0));
    msd_spring_def def = msd_default_spring_def();
    def.a = 0;
    def.b = 1;
    def.law = MSD_SPRING_CATCH;
    def.ck = (msd_real)0.5;
    def.side = MSD_SPRING_TETHER;
    def.rest_length = (msd_real)(1 + slack);
    cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
    cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
    cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
    cr_expect_float_eq(stretch_of(world, 0.1).present, slack ? 10.0 / 100 : 10.0 / 150, 1e-6);
    msd_destroy_world(world);
  }
}
