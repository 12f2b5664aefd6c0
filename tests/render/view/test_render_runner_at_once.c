/* The runner of hosts without threads. Its source is part of this test: the library has the
   one with a thread. */
#define _POSIX_C_SOURCE 200809L
#include "render/view/runner_at_once.c"

#include <criterion/criterion.h>

/* A particle falls by g (n dt)^2/2 in n steps. */
Test(runner_at_once, has_done_a_job_when_start_returns) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  hand h = hand_empty();
  for (int job = 1; job <= 3; job++) {
    cr_assert(runner_is_idle(r));
    runner_start(r, &(run_job){&(scene){.world = world}, 0.125, 1, 4, 1e9, &h});
    cr_assert(runner_is_idle(r));
    const run_report report = runner_report(r);
    cr_expect(report.result == MSD_OK && report.steps == 4 && report.seconds >= 0);
    const int n = 4 * job;
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, -9.81 * 0.125 * 0.125 * n * n / 2,
                       1e-3);
  }
  runner_wait(r);
  runner_destroy(r);
  msd_destroy_world(world);
}

Test(runner_at_once, ends_when_patience_does) {
  char error[256];
  runner *r = runner_create(error, sizeof error);
  cr_assert(r != NULL, "%s", error);
  msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  hand h = hand_empty();
  runner_start(r, &(run_job){&(scene){.world = world}, 1e-3, 1, 1000000, 0, &h});
  cr_expect(runner_report(r).steps == 0, "patience of 0 s allows no step");
  runner_start(r, &(run_job){&(scene){.world = world}, 1e-3, 1000, 1000000, 1e-6, &h});
  cr_expect(runner_report(r).steps == 1, "a step of a thousand substeps is longer than a microsecond");
  runner_destroy(r);
  msd_destroy_world(world);
}
