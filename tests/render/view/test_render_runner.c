#define _POSIX_C_SOURCE 200809L
#include "render/view/runner.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

static msd_world *falling_particle(void) {
  msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  return world;
}

/* A particle falls by g (n dt)^2/2 in n steps. */
Test(runner, takes_the_steps_of_a_job) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world *world = falling_particle();
  hand h = hand_empty();
  for (int job = 1; job <= 3; job++) {
    runner_start(r, &(run_job){&(scene){.world = world}, 0.125, 1, 4, 1e9, &h});
    runner_wait(r);
    cr_assert(runner_is_idle(r));
    run_report report = runner_report(r);
    cr_expect(report.result == MSD_OK && report.steps == 4 && report.seconds >= 0);
    int n = 4 * job;
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, -9.81 * 0.125 * 0.125 * n * n / 2,
                       1e-3);
  }
  runner_destroy(r);
  msd_destroy_world(world);
}

Test(runner, stops_where_a_step_fails) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world *world = falling_particle();
  cr_assert(msd_particle_set_velocity(world, 0, (msd_vec3){0, (msd_real)-3e38, 0}) == MSD_OK);
  cr_assert(msd_particle_set_position(world, 0, (msd_vec3){0, (msd_real)-3e38, 0}) == MSD_OK);
  hand h = hand_empty();
  runner_start(r, &(run_job){&(scene){.world = world}, 1000, 1, 100, 1e9, &h});
  runner_wait(r);
  run_report report = runner_report(r);
  if (msd_precision() == 4)
    cr_expect(report.result == MSD_DIVERGED && report.steps == 0);
  runner_destroy(r);
  msd_destroy_world(world);
}

/* A million substeps take long, and the thread that draws must not wait for them. */
Test(runner, leaves_its_caller_free_and_ends_when_patience_does) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world *world = falling_particle();
  hand h = hand_empty();
  runner_start(r, &(run_job){&(scene){.world = world}, 1e-3, 1000000, 1000000, 1e-6, &h});
  cr_expect_not(runner_is_idle(r));
  runner_wait(r);
  cr_expect_eq(runner_report(r).steps, 1);
  runner_destroy(r);
  msd_destroy_world(world);
}

/* Sleeps when the first step allocates memory, as if another thread had the processor. */
static void *sleepy_allocate(size_t bytes, void *context) {
  if (*(bool *)context)
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *memory, void *context) {
  (void)context;
  free(memory);
}

Test(runner, tells_what_the_processor_worked_on_its_steps) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  bool is_sleepy = false;
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){sleepy_allocate, release, &is_sleepy};
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  is_sleepy = true;
  hand h = hand_empty();
  runner_start(r, &(run_job){&(scene){.world = world}, 1e-3, 1, 1, 1e9, &h});
  runner_wait(r);
  run_report report = runner_report(r);
  cr_assert(report.seconds >= 0.02, "the step did not sleep");
  cr_expect(report.own_seconds > 0 && report.own_seconds < report.seconds - 0.015, "%g of %g s",
            report.own_seconds, report.seconds);
  runner_destroy(r);
  msd_destroy_world(world);
}

Test(runner, is_destroyed_in_the_middle_of_a_job) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world *world = falling_particle();
  hand h = hand_empty();
  runner_start(r, &(run_job){&(scene){.world = world}, 1e-3, 100, 10, 1e9, &h});
  runner_destroy(r);
  cr_expect_eq(msd_world_get_stats(world).particles, 1);
  msd_destroy_world(world);
}
