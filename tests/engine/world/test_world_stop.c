/* The stop function of msd_callbacks: steps that end before their time. */
#include "tests/support/laboratory.h"

/* Stops at the question with this number, from 0. */
typedef struct patience {
  int questions, stop_at;
} patience;

static bool ask(void *context) {
  patience *p = context;
  return p->questions++ == p->stop_at;
}

/* Two masses on a spring of 1 N/m, and a pin. */
static msd_world *make(patience *p) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 2, 0, 0);
  add_pin(world, 0, 5, 0);
  add_spring(world, physical(1, 0), 0, 1, 1);
  ok(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = ask, .context = p}));
  return world;
}

Test(world_stop, a_step_ends_after_the_substeps_that_were_done) {
  patience p = {.stop_at = 1};
  msd_world *world = make(&p), *other = make(&(patience){.stop_at = -1});
  cr_expect_eq(msd_world_step(world, 1000, 1000000), MSD_CANCELED);
  cr_expect_not_null(strstr(msd_world_message(world), "of 1000000"), "%s", msd_world_message(world));
  const int64_t done = msd_world_get_steps(world);
  cr_assert(done >= 1 && done < 1000000);
  cr_expect_float_eq(msd_world_get_time(world), (double)done / 1000, 1e-9);
  /* And they are what they would have been one by one. */
  ok(other, msd_world_set_callbacks(other, NULL));
  for (int64_t n = 0; n < done; n++)
    ok(other, msd_world_step(other, (msd_real)(1.0 / 1000), 1));
  cr_expect_eq(msd_world_hash(world), msd_world_hash(other));
  msd_destroy_world(world);
  msd_destroy_world(other);
}

Test(world_stop, one_that_is_stopped_at_once_leaves_the_state_as_it_was) {
  patience p = {.stop_at = 0};
  msd_world *world = make(&p);
  const uint64_t before = msd_world_hash(world);
  cr_expect_eq(msd_world_step(world, 1, 10), MSD_CANCELED);
  cr_expect_eq(p.questions, 1);
  cr_expect_eq(msd_world_hash(world), before);
  cr_expect_eq(msd_world_get_steps(world), 0);
  /* And goes on as if nothing had been. */
  patience q = {.stop_at = -1};
  msd_world *other = make(&q);
  ok(world, msd_world_step(world, 1, 10));
  ok(other, msd_world_step(other, 1, 10));
  cr_expect_eq(msd_world_hash(world), msd_world_hash(other));
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* As after a divergence: a pin is still where it has come to, a force is gone. */
Test(world_stop, forces_and_moves_end_with_the_step) {
  patience p = {.stop_at = 1};
  msd_world *world = make(&p);
  ok(world, msd_particle_move_to(world, 2, (msd_vec3){0, 6, 0}));
  ok(world, msd_particle_apply_force(world, 0, (msd_vec3){0, 0, 1}));
  cr_expect_eq(msd_world_step(world, 100, 1000000), MSD_CANCELED);
  const double gone = (double)msd_world_get_steps(world) / 1000000;
  const double y = (double)msd_particle_get_position(world, 2).y;
  cr_expect_float_eq(y, 5 + gone, 1e-4);
  const msd_vec3 v = msd_particle_get_velocity(world, 0);
  cr_expect_gt(v.z, 0);
  ok(world, msd_world_step(world, (msd_real)0.01, 4));
  cr_expect_eq((double)msd_particle_get_position(world, 2).y, y);
  cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).z, (double)v.z, 1e-4);
  msd_destroy_world(world);
}

Test(world_stop, a_long_step_is_asked_about_and_a_short_one_once) {
  patience p = {.stop_at = -1};
  msd_world *world = make(&p);
  ok(world, msd_world_step(world, 1, 32));
  cr_expect_eq(p.questions, 1);
  ok(world, msd_world_step(world, 1, 1000));
  cr_expect_gt(p.questions, 2);
  ok(world, msd_world_set_callbacks(world, NULL));
  p.questions = 0;
  ok(world, msd_world_step(world, 1, 1000));
  cr_expect_eq(p.questions, 0);
  cr_expect_eq(msd_world_set_callbacks(NULL, &(msd_callbacks){.stop = ask, .context = &p}), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

/* Rotors and particles have done the same substeps. */
Test(world_stop, rotors_end_with_the_particles) {
  patience p = {.stop_at = 1};
  msd_world *world = make(&p);
  msd_rotor_def rotor = msd_default_rotor_def();
  rotor.angular_velocity = 2;
  ok(world, msd_add_rotors(world, &rotor, 1, NULL));
  cr_expect_eq(msd_world_step(world, 1000, 1000000), MSD_CANCELED);
  cr_expect_float_eq(msd_rotor_get_angle(world, 0), 2 * msd_world_get_time(world),
                     1e-6 * msd_world_get_time(world));
  msd_destroy_world(world);
}
