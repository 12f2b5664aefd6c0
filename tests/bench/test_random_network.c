/* Whether what is certified holds for random constraints in motion; ./dev stability tries more of them for
   longer. */
#include "bench/random_network.h"

#include "tests/support/laboratory.h"

enum { STEPS = 1500, LOOKS = 15 };

/* Springs that are pushed through zero length gain energy by powers of the number of steps; what explodes gains
   as much every hundred. */
static const double EXPLOSION = 1e6;

static double energy_of(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

static void expect_no_explosion(random_network_kind kind, uint64_t seed) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.thread_count = 1;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  cr_assert_eq(random_network_add(world, kind, seed), MSD_OK);
  msd_stability report;
  cr_assert_eq(msd_world_analyze_stability(world, 1, &report), MSD_OK);
  if (report.stable_substep > 0) {
    const double step = isfinite(report.stable_substep) ? 0.98 * report.stable_substep : 1.0 / 60;
    cr_assert_eq(msd_world_step(world, (msd_real)step, 1), MSD_OK);
    const double begun = energy_of(world);
    for (int look = 0; look < LOOKS; look++) {
      const msd_result result = msd_world_step(world, (msd_real)(step * STEPS / LOOKS), STEPS / LOOKS);
      cr_assert_eq(result, MSD_OK, "%s %d: %s", random_network_kind_name(kind), (int)seed,
                   msd_world_message(world));
      cr_assert(energy_of(world) <= EXPLOSION * begun, "%s %d: %g J, %g J at the beginning",
                random_network_kind_name(kind), (int)seed, energy_of(world), begun);
    }
  }
  msd_destroy_world(world);
}

Test(random_network, constraints_of_all_kinds_and_laws_do_not_explode_below_their_certified_step) {
  for (uint64_t seed = 0; seed < 150; seed++)
    expect_no_explosion(RANDOM_NETWORK_TANGLE, seed);
}

Test(random_network, the_max_stable_angles_that_nothing_holds_together_do_not_explode) {
  for (uint64_t seed = 0; seed < 100; seed++)
    expect_no_explosion(RANDOM_NETWORK_MAX_STABLE, seed);
}
