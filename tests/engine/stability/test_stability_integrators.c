/* Each integrator has a limit of its own. */
#include "tests/support/unit_networks.h"

#include <string.h>

/* A pair of unit masses: k = 2 dt^2 k and d = 2 dt mu of its one mode. */
static bool pair_blows_up(msd_integrator integrator, double stiffness, double damping, double dt) {
  msd_world *world = rope(2, physical(stiffness, damping));
  cr_assert_eq(msd_world_set_integrator(world, integrator), MSD_OK);
  const bool result = blows_up(world, dt, 20000);
  msd_destroy_world(world);
  return result;
}

Test(stability_integrators, the_limits_of_other_integrators_are_their_own) {
  msd_world *world = rope(2, physical(100, 0));
  msd_stability report = report_of(world, 0.01);
  const double *limit = report.integrator_stable_substep;
  cr_assert_eq(limit[MSD_EXPLICIT_EULER], 0);
  cr_assert_eq(limit[MSD_SYMPLECTIC_EULER], report.stable_substep);
  cr_assert_float_eq(limit[MSD_VELOCITY_VERLET], 2 / sqrt(200), 1e-6);
  cr_assert_float_eq(limit[MSD_RK4], sqrt(8.0 / 200), 1e-6);
  cr_assert_not(pair_blows_up(MSD_VELOCITY_VERLET, 100, 0, 0.999 * limit[MSD_VELOCITY_VERLET]));
  cr_assert(pair_blows_up(MSD_VELOCITY_VERLET, 100, 0, 1.001 * limit[MSD_VELOCITY_VERLET]));
  cr_assert_not(pair_blows_up(MSD_RK4, 100, 0, 0.999 * limit[MSD_RK4]));
  cr_assert(pair_blows_up(MSD_RK4, 100, 0, 1.01 * limit[MSD_RK4]));
  cr_assert(pair_blows_up(MSD_EXPLICIT_EULER, 100, 0, 0.1 * limit[MSD_RK4]));
  msd_destroy_world(world);

  /* A damper alone: 2 dt mu below 2, or below 2.7853 for RK4. */
  world = rope(2, physical(0, 3));
  report = report_of(world, 0.01);
  cr_assert_float_eq(report.integrator_stable_substep[MSD_EXPLICIT_EULER], 1 / 3.0, 1e-6);
  cr_assert_float_eq(report.integrator_stable_substep[MSD_RK4], 2.785293563 / 6, 1e-6);
  msd_destroy_world(world);
}

Test(stability_integrators, every_integrator_is_quiet_below_its_limit_at_any_damping) {
  for (double damping = 0.1; damping < 40; damping *= 2.5) {
    msd_world *world = rope(2, physical(100, damping));
    const msd_stability report = report_of(world, 0.01);
    for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
      if (report.integrator_stable_substep[n] > 0)
        cr_assert_not(
            pair_blows_up((msd_integrator)n, 100, damping, 0.999 * report.integrator_stable_substep[n]),
            "%s with damping %g", msd_integrator_name((msd_integrator)n), damping);
    msd_destroy_world(world);
  }
}

Test(stability_integrators, automatic_substeps_are_those_of_the_worlds_integrator) {
  msd_world *world = rope(5, physical(1e4, 0));
  const msd_stability report = report_of(world, 0.1);
  cr_assert_eq(report.substeps, (int)floor(0.1 / report.stable_substep) + 1);
  cr_assert_eq(msd_world_set_integrator(world, MSD_RK4), MSD_OK);
  cr_assert_lt(report_of(world, 0.1).substeps, report.substeps);
  cr_assert_eq(msd_world_step(world, (msd_real)0.1, 0), MSD_OK);
  cr_assert_eq(msd_world_get_steps(world), report_of(world, 0.1).substeps);
  cr_assert_eq(msd_world_set_integrator(world, MSD_EXPLICIT_EULER), MSD_OK);
  cr_assert_eq(report_of(world, 0.1).substeps, 0);
  cr_assert_eq(msd_world_step(world, (msd_real)0.1, 0), MSD_NO_STABLE_STEP);
  cr_assert_neq(strstr(msd_world_message(world), "explicit_euler"), NULL);
  msd_destroy_world(world);
}
