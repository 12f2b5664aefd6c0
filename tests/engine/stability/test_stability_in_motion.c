/* The certified limit against what happens: simulations on both sides of it, and crumpled networks below it. */
#include "tests/support/true_limit.h"

#include <float.h>
#include <math.h>

/* A network on a line, all springs along it: linear as long as no two ends pass, and its stiffness reaches
   the bound, because the graph is bipartite. */
static graph line_of(graph g) {
  for (int32_t i = 0; i < g.particles; i++)
    g.at[i] = (msd_vec3){(msd_real)(i + (i > 0 ? 4 : 0)), 0, 0};
  return g;
}

/* Whether a small disturbance stays small for some thousand steps. */
static bool stays(const graph *g, const making *m, msd_real stiffness, msd_real damping, double dt) {
  msd_world *world = world_of(g, m);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = stiffness;
  def.damping = damping;
  for (int32_t s = 0; s < g->springs; s++)
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
  for (int32_t i = 0; i < g->particles; i++) {
    msd_vec3 x = msd_particle_get_position(world, i);
    x.x += (msd_real)(i % 2 ? 0.001 : -0.001);
    if (!msd_particle_is_pinned(world, i))
      ASSERT_OK(world, msd_particle_set_position(world, i, x));
  }
  bool small = true;
  for (int n = 0; n < 40 && small; n++) {
    small = msd_world_step(world, (msd_real)(100 * dt), 100) == MSD_OK;
    for (int32_t i = 0; i < g->particles; i++)
      small = small && fabs((double)msd_particle_get_position(world, i).x - (double)g->at[i].x) < 0.1;
  }
  msd_destroy_world(world);
  return small;
}

static void assert_limit_is_met(const char *name, graph g, const making *m, msd_real stiffness,
                                msd_real damping) {
  g = line_of(g);
  msd_world *world = world_of(&g, m);
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = stiffness;
  def.damping = damping;
  for (int32_t s = 0; s < g.springs; s++)
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
  const double limit = true_limit(world);
  const double linearized_limit = linearized_limit_of(world);
  msd_destroy_world(world);
  cr_assert(linearized_limit >= limit * 0.999, "%s: %g at this shape, %g is the limit", name,
            linearized_limit, limit);
  double low = 0.9, high = 1.1;
  cr_assert(stays(&g, m, stiffness, damping, low * limit), "%s: unstable at 0.9 of its limit", name);
  cr_assert_not(stays(&g, m, stiffness, damping, high * limit), "%s: stable at 1.1 of its limit", name);
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    *(stays(&g, m, stiffness, damping, middle * limit) ? &low : &high) = middle;
  }
  cr_assert(low > 0.999 && high < 1.001, "%s: unstable from %g of its limit", name, high);
  graph_free(&g);
}

Test(stability_in_motion, a_pair_becomes_unstable_at_its_limit) {
  assert_limit_is_met("pair", graph_rope(2, false), &(making){0}, 100, 0);
  assert_limit_is_met("damped pair", graph_rope(2, false), &(making){0}, 100, 2);
}

Test(stability_in_motion, a_rope_becomes_unstable_at_its_limit) {
  assert_limit_is_met("rope", graph_rope(9, false), &(making){0}, 100, 0);
  assert_limit_is_met("damped rope", graph_rope(9, false), &(making){0}, 100, 2);
  assert_limit_is_met("rope on a pin", graph_rope(6, false), &(making){.pins = true}, 64, 1);
}

Test(stability_in_motion, a_star_becomes_unstable_at_its_limit) {
  assert_limit_is_met("star", graph_star(9, 0), &(making){0}, 100, 1);
}

Test(stability_in_motion, doubled_springs_become_unstable_at_their_limit) {
  assert_limit_is_met("doubled rope", graph_doubled(graph_rope(5, false), true), &(making){0}, 50, 1);
}

static double energy(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy;
}

/* From crumpled starts, far from every rest length, at 0.98 of the certified step. */
Test(stability_in_motion, crumpled_networks_never_explode_below_the_certified_step) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    generator random = {.state = seed};
    graph g = seed % 3 == 0   ? graph_cloth(6, 5, CLOTH_BEND)
              : seed % 3 == 1 ? graph_random(30, 80, seed)
                              : graph_star(25, 3);
    for (int32_t i = 0; i < g.particles; i++)
      g.at[i] = random_vector(&random, 1);
    msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .pins = seed % 2 == 0});
    ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
    for (int32_t s = 0; s < g.springs; s++)
      ASSERT_OK(world, msd_spring_set_rest_length(world, s, (msd_real)(0.125 * random_below(&random, 8))));
    for (int32_t i = 0; i < g.particles; i++)
      ASSERT_OK(world,
                msd_particle_set_mass(world, i, (msd_real)pow(10, 1.5 * (double)random_real(&random))));
    const double start = energy(world), dt = 0.98 * report_of(world, 0.01).stable_substep;
    for (int n = 0; n < 20; n++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)(100 * dt), 100));
      cr_assert(energy(world) < 4 * start, "network %d: energy grew from %g to %g J", (int)seed, start,
                energy(world));
    }
    msd_destroy_world(world);
    graph_free(&g);
  }
}

/* As above, with stiff springs, a long step and the limit; then the report is of the softened springs. */
Test(stability_in_motion, limited_networks_never_explode_at_any_step) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    graph g = seed % 2 ? graph_random(30, 80, seed) : graph_cloth(6, 5, CLOTH_BEND);
    for (int32_t i = 0; i < g.particles; i++)
      g.at[i] = random_vector(&random, 1);
    msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .pins = seed % 3 == 0});
    ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
    ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
    msd_spring_def def = msd_default_spring_def();
    def.stiffness = 1e6;
    def.damping = seed % 4 ? 1000 : 0;
    for (int32_t s = 0; s < g.springs; s += 1 + (int32_t)(seed % 5)) {
      ASSERT_OK(world, msd_spring_set_law(world, s, &def));
      ASSERT_OK(world, msd_spring_set_rest_length(world, s, (msd_real)(0.125 * random_below(&random, 8))));
    }
    for (int32_t i = 0; i < g.particles; i++)
      ASSERT_OK(world,
                msd_particle_set_mass(world, i, (msd_real)pow(10, 1.5 * (double)random_real(&random))));
    const msd_real dt = (msd_real)pow(10, -1 - 2 * fabs((double)random_real(&random)));
    const msd_stability r = report_of(world, (double)dt);
    cr_assert(r.radius <= 3 + 1e-5, "network %d: radius %g", (int)seed, r.radius);
    ASSERT_OK(world, msd_world_step(world, dt, 0));
    const double start = energy(world);
    for (int n = 0; n < 500; n++)
      ASSERT_OK(world, msd_world_step(world, dt, 0));
    cr_assert(energy(world) <= 4 * start + 1e-9, "network %d: energy grew from %g to %g J", (int)seed, start,
              energy(world));
    msd_destroy_world(world);
    graph_free(&g);
  }
}
