/* How heavy each particle must be for a substep. */
#include "tests/support/unit_networks.h"

#include <stdlib.h>

enum { MOST = 64 };

static void find(const msd_world *world, double dt, double masses[MOST]) {
  cr_assert_leq(msd_world_get_particle_count(world), MOST);
  cr_assert_eq(msd_world_find_required_masses(world, (msd_real)dt, masses), MSD_OK);
}

static bool is_certified(const msd_world *world, double dt) {
  msd_stability report;
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)dt, &report), MSD_OK);
  return report.certified;
}

/* Gives each particle that weighs less what it needs, and tells how many did. */
static int raise(msd_world *world, const double masses[MOST]) {
  int raised = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    if ((double)msd_particle_get_mass(world, i) * (1 + 1e-6) < masses[i]) {
      cr_assert(isfinite(masses[i]), "particle %d", (int)i);
      cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)masses[i]), MSD_OK);
      raised++;
    }
  return raised;
}

/* Two masses m on a spring: dt^2 k 2/m + 2 dt mu 2/m < 4. */
Test(required_mass, of_a_pair_is_that_of_the_oscillator) {
  const double k = 1000, mu = 3, dt = 0.01, least = (dt * dt * k + 2 * dt * mu) / 2;
  msd_world *world = rope(2, physical(k, mu));
  double masses[MOST];
  find(world, dt, masses);
  cr_assert_float_eq(masses[0] / least, 1, 1e-5);
  cr_assert_float_eq(masses[1] / least, 1, 1e-5);
  for (int32_t i = 0; i < 2; i++)
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)masses[i]), MSD_OK);
  cr_assert(is_certified(world, dt));
  for (int32_t i = 0; i < 2; i++)
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)(0.999 * masses[i])), MSD_OK);
  cr_assert_not(is_certified(world, dt));
  msd_destroy_world(world);
}

/* As in a mesh with one tiny triangle: the others weigh enough, its neighbors as well. */
Test(required_mass, a_light_particle_is_found_by_itself) {
  msd_world *world = cloth(6, physical(100, 0), none(), none());
  cr_assert_eq(msd_particle_set_mass(world, 14, (msd_real)1e-4), MSD_OK);
  const double dt = 0.05; /* sum 2 kappa / 4 is 4 x 100 x 0.05^2 / 2 = 0.5 kg inside */
  cr_assert_not(is_certified(world, dt));
  double masses[MOST];
  find(world, dt, masses);
  cr_assert_float_eq(masses[14], 0.5, 1e-5);
  cr_assert_float_eq(masses[0], 0.25, 1e-5, "a corner has two springs");
  cr_assert_eq(raise(world, masses), 1);
  cr_assert(is_certified(world, dt));
  msd_destroy_world(world);
}

/* Whatever its neighbors do: five springs, of which four cannot move at their other end. */
Test(required_mass, springs_to_pins_ask_for_half) {
  const double k = 1000, dt = 0.01, kappa = dt * dt * k;
  msd_world *world = empty_world();
  for (int i = 0; i < 10; i++)
    add_particle(world, i, 0, 0, 1);
  for (int i = 2; i < 10; i++) {
    cr_assert_eq(msd_particle_pin(world, i), MSD_OK);
    join(world, i % 2, i, physical(k, 0));
  }
  join(world, 0, 1, physical(k, 0));
  double masses[MOST];
  find(world, dt, masses);
  for (int32_t i = 0; i < 2; i++) {
    cr_assert_float_eq(masses[i] / (6 * kappa / 4), 1, 1e-5);
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)masses[i]), MSD_OK);
  }
  msd_stability report;
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)dt, &report), MSD_OK);
  cr_assert_geq(report.stable_substep_quick, (double)(msd_real)dt);
  msd_destroy_world(world);
}

/* Whatever springs join them. */
Test(required_mass, networks_with_it_are_certified) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t random = seed;
    msd_world *world = empty_world();
    const int count = 3 + below(&random, 30);
    for (int i = 0; i < count; i++)
      add_particle(world, uniform(&random), uniform(&random), uniform(&random),
                   pow(10, -4 * uniform(&random)));
    for (int e = 0; e < 3 * count; e++) {
      const int a = below(&random, count), b = (a + 1 + below(&random, count - 1)) % count;
      join(world, a, b, physical(pow(10, 6 * uniform(&random)), below(&random, 2) * 10 * uniform(&random)));
    }
    cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
    cr_assert_eq(msd_spring_break(world, 0), MSD_OK);
    double masses[MOST];
    const double dt = pow(10, -1 - 3 * uniform(&random));
    find(world, dt, masses);
    cr_assert_eq(masses[0], 0, "pinned");
    raise(world, masses);
    cr_assert(is_certified(world, dt), "network %d", (int)seed);
    find(world, dt, masses);
    cr_assert_eq(raise(world, masses), 0, "network %d: its masses do not matter to what is asked", (int)seed);
    msd_destroy_world(world);
  }
}

Test(required_mass, what_is_certified_by_its_law_asks_for_none) {
  msd_world *world = cloth(5, coefficient(MSD_MAX_STABLE, MSD_MAX_STABLE), coefficient(0.01, 0.01), none());
  double masses[MOST];
  find(world, 1, masses);
  for (int i = 0; i < 25; i++)
    cr_assert_eq(masses[i], 0);
  msd_destroy_world(world);
}

/* kappa (w_a n_a + w_b n_b) of a coefficient spring is at most (ck + 2 cd) n: 0.6 x 2 of the 4 here, at any
   masses, and 2.8 are left to the stiff spring. */
Test(required_mass, coefficients_leave_less_to_what_is_stiff) {
  const double k = 1000, dt = 0.01;
  msd_world *world = rope(3, physical(k, 0));
  msd_spring_def def = coefficient(0.2, 0.2);
  cr_assert_eq(msd_spring_set_law(world, 1, &def), MSD_OK);
  double masses[MOST];
  find(world, dt, masses);
  cr_assert_float_eq(masses[0], 2 * dt * dt * k / 2.8, 1e-5);
  cr_assert_float_eq(masses[1], masses[0], 1e-12);
  cr_assert_eq(masses[2], 0);
  for (double last = 1e-3; last < 1e4; last *= 10) {
    const double given[3] = {masses[0], masses[1], last};
    for (int32_t i = 0; i < 3; i++)
      cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)given[i]), MSD_OK);
    cr_assert(is_certified(world, dt), "the last weighs %g kg", last);
  }
  def = coefficient(1, 1);
  cr_assert_eq(msd_spring_set_law(world, 1, &def), MSD_OK);
  find(world, dt, masses);
  cr_assert(isinf(masses[0]) && isinf(masses[1]), "no mass helps beside 3 x 2 of 4");
  msd_destroy_world(world);
}

static msd_constraint_def stiff_area(void) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_AREA;
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 1e5;
  for (int32_t i = 0; i < 3; i++)
    def.particles[i] = i;
  return def;
}

Test(required_mass, constraints_ask_for_mass_at_their_corners) {
  msd_world *world = empty_world();
  add_particle(world, 0, 0, 0, 1e-3);
  add_particle(world, 1, 0, 0, 1);
  add_particle(world, 0, 1, 0, 1);
  add_particle(world, 5, 5, 5, 1e-3);
  const msd_constraint_def area = stiff_area();
  cr_assert_eq(msd_add_constraints(world, &area, 1, NULL), MSD_OK);
  const double dt = 0.01;
  double masses[MOST];
  find(world, dt, masses);
  cr_assert_not(is_certified(world, dt));
  cr_assert_eq(masses[3], 0, "nothing is joined to it");
  cr_assert_gt(raise(world, masses), 0);
  cr_assert(is_certified(world, dt));
  msd_destroy_world(world);
}
