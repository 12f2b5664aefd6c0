/* Settling: motion that has all but died out ends, at the same substep however it is stepped. */
#include "engine/step/denormal_flush.h"
#include "engine/world/world.h"
#include "tests/support/laboratory.h"
#include "tests/support/snapshots.h"

enum { SIDE = 8, SUBSTEPS = 10 };
static const double FRAME = 1.0 / 64, LEAST = (double)DENORMAL_FLUSH_LEAST;

/* A flat sheet that hangs from its upper border, and hardly moves out of its plane: springs along the
   threads alone, which hang straight. Beside it a particle swings about an soft pin. */
static msd_world *sheet(msd_integrator integrator) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, -8, 0};
  def.integrator = integrator;
  def.linear_damping = 4;
  def.impulse_warm_start = true;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  cloth.mass = SIDE * SIDE;
  cloth.stretch = physical(2000, 20);
  cloth.shear.law = MSD_SPRING_NONE;
  ok(world, msd_add_cloth(world, &cloth, NULL));
  for (int32_t i = 0; i < SIDE; i++)
    ok(world, msd_particle_pin(world, i));
  const int32_t lone = add_particle(world, 1, 3, 0, 0);
  for (int32_t i = SIDE; i <= lone; i++)
    set_velocity(world, i, 0, 0, LEAST * (512 + 37 * i % 512));
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = lone;
  soft_pin.position = msd_particle_get_position(world, lone);
  soft_pin.damping_ratio = (msd_real)0.125;
  ok(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  return world;
}

/* How many components of the state make processors slow: their squares are denormal or 0, and they are not. */
static int slow_components(const msd_world *world) {
  const double normal = IS_DOUBLE ? DBL_MIN : (double)FLT_MIN;
  int slow = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    for (int c = 0; c < 3; c++) {
      const double x = component(msd_particle_get_position(world, i), c),
                   v = component(msd_particle_get_velocity(world, i), c);
      slow += (x != 0 && x * x < normal) + (v != 0 && v * v < normal);
    }
  return slow;
}

Test(denormal_flush, what_dies_out_does_not_become_denormal) {
  static const msd_integrator INTEGRATORS[] = {MSD_SYMPLECTIC_EULER, MSD_VELOCITY_VERLET, MSD_RK4,
                                               MSD_SEQUENTIAL_IMPULSE};
  for (size_t n = 0; n < sizeof INTEGRATORS / sizeof INTEGRATORS[0]; n++) {
    msd_world *world = sheet(INTEGRATORS[n]);
    for (int frame = 0; frame < 1200; frame++)
      step(world, FRAME, SUBSTEPS);
    cr_expect_eq(slow_components(world), 0, "%s: %d are slow", msd_integrator_name(INTEGRATORS[n]),
                 slow_components(world));
    msd_destroy_world(world);
  }
}

Test(denormal_flush, is_after_every_512th_substep_and_no_other) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 1, 0);
  for (int round = 0; round < 2; round++) {
    set_velocity(world, 0, LEAST / 2, -LEAST / 2, LEAST);
    step(world, 511.0 / 1024, 511);
    const msd_vec3 moving = msd_particle_get_velocity(world, 0);
    cr_expect(moving.x == DENORMAL_FLUSH_LEAST / 2 && moving.y == -DENORMAL_FLUSH_LEAST / 2);
    cr_expect(component(msd_particle_get_position(world, 0), 0) > 0);
    step(world, 1.0 / 1024, 1);
    const msd_vec3 x = msd_particle_get_position(world, 0), v = msd_particle_get_velocity(world, 0);
    cr_expect(x.x == 0 && x.y == 1,
              "a small component of the position ends with its velocity, no other does");
    cr_expect(v.x == 0 && v.y == 0);
    cr_expect(v.z == DENORMAL_FLUSH_LEAST && x.z > 0, "what is as large as the limit goes on");
  }
  msd_destroy_world(world);
}

Test(denormal_flush, pins_stay_where_they_are) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, LEAST / 4, 0, 0);
  step(world, 1, 1024);
  cr_expect_eq(msd_particle_get_position(world, 0).x, DENORMAL_FLUSH_LEAST / 4);
  msd_destroy_world(world);
}

/* An soft pin keeps a velocity V of its own, which need not be small where that of its particle is: at rest it
   is what gravity gives in a substep. */
Test(denormal_flush, an_soft_pin_keeps_a_velocity_that_is_not_small) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 0;
  ok(world, msd_add_soft_pins(world, &def, 1, NULL));
  step(world, 1.0 / 1024, 1);
  particle_store *p = &world->model.particles;
  soft_pin_work *soft_pin = &world->model.soft_pins.works[0];
  double *kept = soft_pin->velocity[p->current], *seen = soft_pin->seen[p->current];
  particle_set_vector(p, VELOCITY_X, 0, (msd_vec3){DENORMAL_FLUSH_LEAST / 2, 0, 0});
  seen[0] = LEAST / 2;
  kept[0] = 1;
  kept[1] = LEAST / 2;
  denormal_flush_apply(&world->stepper, 512);
  cr_expect_eq(msd_particle_get_velocity(world, 0).x, 0);
  cr_expect_eq(seen[0], 0);
  cr_expect(kept[0] == 1 && kept[1] == 0);
  msd_destroy_world(world);
}

static bool stop_at_times(void *context) {
  return ++*(int *)context % 3 == 0;
}

/* One substep at a time, with stops, and from a snapshot between two settlings. */
Test(denormal_flush, how_a_motion_is_divided_changes_no_bit) {
  enum { COUNT = 1500 };
  msd_world *whole = sheet(MSD_SYMPLECTIC_EULER), *single = sheet(MSD_SYMPLECTIC_EULER),
            *stopped = sheet(MSD_SYMPLECTIC_EULER), *restored = new_world(MSD_RK4);
  step(whole, COUNT / 1024.0, COUNT);
  for (int n = 0; n < COUNT; n++) {
    step(single, 1 / 1024.0, 1);
    if (n == 700) {
      snapshot s = snapshot_of(single);
      ok(restored, msd_world_restore(restored, s.data, s.size));
      free(s.data);
    }
  }
  step(restored, (COUNT - 701) / 1024.0, COUNT - 701);
  int questions = 0;
  ok(stopped,
     msd_world_set_callbacks(stopped, &(msd_callbacks){.stop = stop_at_times, .context = &questions}));
  while (msd_world_get_steps(stopped) < COUNT) {
    const int left = COUNT - (int)msd_world_get_steps(stopped);
    const msd_result result = msd_world_step(stopped, (msd_real)(left / 1024.0), left);
    cr_assert(result == MSD_OK || result == MSD_CANCELED);
  }
  cr_expect_gt(questions, 3);
  cr_expect_eq(msd_world_hash(single), msd_world_hash(whole));
  cr_expect_eq(msd_world_hash(stopped), msd_world_hash(whole));
  cr_expect_eq(msd_world_hash(restored), msd_world_hash(whole));
  msd_destroy_world(whole);
  msd_destroy_world(single);
  msd_destroy_world(stopped);
  msd_destroy_world(restored);
}
