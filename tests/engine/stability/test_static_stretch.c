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
