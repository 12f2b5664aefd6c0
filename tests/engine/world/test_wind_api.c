/* The public functions of msd/wind.h: definitions, what is refused, and snapshots in the middle of a
   turbulence. */
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include <float.h>

static msd_wind_def some_wind(void) {
  msd_wind_def def = msd_default_wind_def();
  def.velocity = vector(3, 0.5, -1);
  def.turbulence = 2;
  def.turbulence_length = (msd_real)0.5;
  def.turbulence_time = (msd_real)0.25;
  def.seed = 0xfedcba98;
  def.density = (msd_real)1.5;
  def.normal_drag = (msd_real)1.25;
  def.tangential_drag = (msd_real)0.125;
  return def;
}

static void expect_same(msd_wind_def a, msd_wind_def b) {
  for (int c = 0; c < 3; c++)
    cr_expect_eq(component(a.velocity, c), component(b.velocity, c));
  cr_expect(a.turbulence == b.turbulence && a.turbulence_length == b.turbulence_length &&
            a.turbulence_time == b.turbulence_time);
  cr_expect(a.density == b.density && a.normal_drag == b.normal_drag);
  cr_expect(a.tangential_drag == b.tangential_drag && a.seed == b.seed && a.cookie == b.cookie);
}

Test(wind_api, a_new_world_has_no_air_and_keeps_what_it_is_given) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_wind_def none = msd_default_wind_def();
  none.density = 0;
  expect_same(msd_world_get_wind(world), none);
  expect_same(msd_world_get_wind(NULL), none);
  cr_expect_eq(msd_world_get_wind_velocity(world, vector(1, 2, 3)).x, 0);
  cr_expect_eq(msd_world_get_wind_velocity(NULL, vector(1, 2, 3)).x, 0);
  const msd_wind_def def = some_wind();
  ok(world, msd_world_set_wind(world, &def));
  expect_same(msd_world_get_wind(world), def);
  msd_destroy_world(world);
}

Test(wind_api, a_definition_out_of_range_is_refused_and_nothing_changes) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_wind_def good = some_wind();
  ok(world, msd_world_set_wind(world, &good));
  static const char *const names[] = {"velocity", "turbulence ", "turbulence_length", "turbulence_time",
                                      "density",  "normal_drag", "tangential_drag"};
  static const double bad[] = {-1, INFINITY, NAN};
  for (int field = 0; field < 7; field++)
    for (int n = field == 0; n < 3; n++) {
      msd_wind_def def = good;
      msd_real *const fields[] = {&def.velocity.y,      &def.turbulence, &def.turbulence_length,
                                  &def.turbulence_time, &def.density,    &def.normal_drag,
                                  &def.tangential_drag};
      *fields[field] = (msd_real)bad[n];
      cr_expect_eq(msd_world_set_wind(world, &def), MSD_BAD_VALUE, "%s %g", names[field], bad[n]);
      cr_expect(strstr(msd_world_message(world), "wind definition") &&
                    strstr(msd_world_message(world), names[field]),
                "%s", msd_world_message(world));
      expect_same(msd_world_get_wind(world), good);
    }
  msd_wind_def none = {.density = 1};
  cr_expect_eq(msd_world_set_wind(world, &none), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_set_wind(world, NULL), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_set_wind(NULL, &good), MSD_BAD_VALUE);
  msd_wind_def still = good;
  still.turbulence_length = 0;
  cr_expect_eq(msd_world_set_wind(world, &still), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

/* Turbulence go by the time of the world. */
Test(wind_api, the_wind_at_a_place_changes_with_time_and_is_the_mean_without_turbulence) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_wind_def def = some_wind();
  ok(world, msd_world_set_wind(world, &def));
  const msd_vec3 before = msd_world_get_wind_velocity(world, vector(1, 2, 3));
  step(world, 1, 1);
  cr_expect_neq(msd_world_get_wind_velocity(world, vector(1, 2, 3)).x, before.x);
  def.turbulence = 0;
  ok(world, msd_world_set_wind(world, &def));
  cr_expect_eq(msd_world_get_wind_velocity(world, vector(1, 2, 3)).x, 3);
  msd_destroy_world(world);
}

static touching new_flag(void) {
  touching t = contact_step_new(vector(0, -9.81, 0), 0.3, 0);
  const int32_t first =
      touching_sheet(&t, 8, 6, vector(0, 0, 0), vector(0.8, 0, 0), vector(0, -0.5, 0), true);
  for (int32_t row = 0; row < 6; row++)
    ok(t.world, msd_particle_pin(t.world, first + 8 * row));
  const msd_wind_def def = some_wind();
  ok(t.world, msd_world_set_wind(t.world, &def));
  return t;
}

Test(wind_api, a_snapshot_in_the_middle_of_a_turbulence_goes_on_with_the_same_bits) {
  touching t = new_flag();
  for (int frame = 0; frame < 5; frame++)
    step(t.world, 1.0 / 60, 10);
  const snapshot saved = snapshot_of(t.world);
  msd_world *restored = new_world(MSD_SYMPLECTIC_EULER), *copy = NULL;
  ok(restored, msd_world_restore(restored, saved.data, saved.size));
  ok(t.world, msd_copy_world(t.world, &copy));
  expect_same(msd_world_get_wind(restored), some_wind());
  for (int frame = 0; frame < 5; frame++) {
    step(t.world, 1.0 / 60, 10);
    step(restored, 1.0 / 60, 10);
    step(copy, 1.0 / 60, 10);
    cr_expect_eq(msd_world_hash(restored), msd_world_hash(t.world));
    cr_expect_eq(msd_world_hash(copy), msd_world_hash(t.world));
  }
  free(saved.data);
  msd_destroy_world(copy);
  msd_destroy_world(restored);
  contact_step_free(&t);
}

/* The layout of faces is made anew when surfaces, particles or the thickness of all change. */
Test(wind_api, what_is_added_between_steps_is_pushed_too) {
  touching t = new_flag();
  step(t.world, 1.0 / 60, 10);
  ok(t.world, msd_world_set_gravity(t.world, vector(0, 0, 0)));
  const int32_t late = touching_sheet(&t, 3, 3, vector(0, 0, 2), vector(0.2, 0, 0), vector(0, -0.2, 0), true),
                rope = touching_rope(&t, 5, vector(0, 0, 4), vector(0, 0.4, 4));
  step(t.world, 1.0 / 60, 10);
  cr_expect_neq(msd_particle_get_velocity(t.world, late).z, 0);
  const double thin = component(msd_particle_get_velocity(t.world, rope + 2), 0);
  cr_expect_gt(thin, 0);
  touching wide = new_flag();
  ok(wide.world, msd_world_set_gravity(wide.world, vector(0, 0, 0)));
  const int32_t other = touching_rope(&wide, 5, vector(0, 0, 4), vector(0, 0.4, 4));
  set_contact(wide.world, 0.02, 0.3, 0);
  step(wide.world, 1.0 / 60, 10);
  cr_expect_gt(component(msd_particle_get_velocity(wide.world, other + 2), 0), thin);
  contact_step_free(&wide);
  contact_step_free(&t);
}

Test(wind_api, integrators_without_surfaces_have_no_wind_on_them) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    touching t = new_flag();
    ok(t.world, msd_world_set_integrator(t.world, (msd_integrator)n));
    const bool has = n == MSD_SYMPLECTIC_EULER || n == MSD_SEQUENTIAL_IMPULSE;
    cr_expect_eq(msd_world_step(t.world, (msd_real)0.001, 1), has ? MSD_OK : MSD_BAD_VALUE);
    contact_step_free(&t);
  }
}

Test(wind_api, a_wind_beyond_all_numbers_leaves_the_last_finite_state) {
  touching t = new_flag();
  msd_wind_def def = some_wind();
  def.velocity = (msd_vec3){sizeof(msd_real) == sizeof(double) ? (msd_real)DBL_MAX : (msd_real)FLT_MAX, 0, 0};
  def.density = def.velocity.x;
  ok(t.world, msd_world_set_wind(t.world, &def));
  const uint64_t before = msd_world_hash(t.world);
  const msd_result result = msd_world_step(t.world, (msd_real)0.1, 1);
  cr_expect(result == MSD_OK || result == MSD_DIVERGED);
  cr_expect(result == MSD_OK || msd_world_hash(t.world) == before);
  cr_expect(isfinite(msd_world_get_stats(t.world).max_speed));
  contact_step_free(&t);
}
