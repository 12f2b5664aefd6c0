/* Bounds that follow single changes, against such as are found anew and against the truth. */
#include "tests/support/changing.h"
#include "tests/support/true_limit.h"

#include "engine/stability/incremental_bound.h"
#include "engine/world/world.h"

static double found_anew(msd_world *world) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  incremental_bounds bounds = {.sums = NULL};
  incidence at;
  double step;
  cr_assert(spring_find_incidence(&at, &m, &world->model.springs, world->model.particles.count));
  cr_assert(incremental_bounds_find(&bounds, &m, &world->model, &at, &step));
  incremental_bounds_free(&bounds, &m);
  incidence_free(&at, &m);
  cr_assert_eq(m.used, 0);
  return step;
}

static double followed(msd_world *world) {
  double step;
  cr_assert(incremental_bounds_find(&world->bounds, &world->model.memory, &world->model,
                                    model_springs_at(&world->model), &step));
  return step;
}

static msd_spring_def spring_between(int32_t a, int32_t b) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = 3;
  return def;
}

/* Some changes are too many to follow. */
static void assert_follows(graph g, laws of) {
  const making m = {of, .seed = 6, .pins = true, .sides = 7};
  generator random = {.state = 12 + (uint64_t)of};
  msd_world *world = world_of(&g, &m);
  for (int round = 0; round < 40; round++) {
    const int changes = round % 10 == 9 ? 200 : 1 + random_below(&random, 4);
    for (int n = 0; n < changes; n++)
      change_one(world, &random, &m);
    if (round == 20) {
      const msd_spring_def def = spring_between(0, g.particles - 1);
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
    const double step = followed(world), anew = found_anew(world);
    cr_assert_eq(step, anew, "round %d: %.17g, and %.17g anew", round, step, anew);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

Test(incremental_bounds, followed_through_changes_are_those_found_anew) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    assert_follows(graph_cloth(23, 17, CLOTH_BEND), (laws)of);
    assert_follows(graph_random(300, 900, 5), (laws)of);
    assert_follows(graph_hubs(200, 3), (laws)of);
  }
}

/* To a particle that was added with it, or between any two. */
static void add_spring(msd_world *world, generator *random, const making *m, bool with_particle) {
  const msd_particle_def particle = msd_default_particle_def();
  int32_t a = random_below(random, msd_world_get_particle_count(world) - 1);
  msd_spring_def def = making_spring(m, a);
  def.a = a;
  def.b = a + 1 + random_below(random, msd_world_get_particle_count(world) - 1 - a);
  if (with_particle)
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, &def.b));
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

/* In a layout that stands, so that particles and springs are appended. Where nothing is made anew arrays stay,
   or grow. */
static void assert_follows_added(graph g, laws of, bool is_local) {
  const making m = {of, .seed = 6, .pins = true, .sides = 7, .soften = 8};
  generator random = {.state = 17 + (uint64_t)of};
  msd_world *world = world_of(&g, &m);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  const uint64_t topology = world->model.revision.topology;
  followed(world);
  for (int round = 0; round < 40; round++) {
    const double *rows = world->bounds.rows;
    const int32_t room = world->bounds.particle_room;
    add_spring(world, &random, &m, round % 3 == 0);
    if (round % 4 == 0)
      add_spring(world, &random, &m, round % 8 == 0);
    if (round % 5 == 0)
      ASSERT_OK(world, msd_spring_break(world, random_below(&random, g.springs)));
    const double step = followed(world), anew = found_anew(world);
    cr_assert_eq(step, anew, "round %d: %.17g, and %.17g anew", round, step, anew);
    cr_assert(!is_local || world->bounds.particle_room > room ||
                  (world->bounds.particle_room == room && world->bounds.rows == rows),
              "round %d: not followed", round);
  }
  cr_assert_eq(world->model.revision.topology, topology);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(incremental_bounds, follow_springs_and_particles_that_are_added) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    assert_follows_added(graph_cloth(23, 17, CLOTH_BEND), (laws)of, of == LAWS_PHYSICAL);
    assert_follows_added(graph_random(300, 900, 5), (laws)of, of == LAWS_PHYSICAL);
    assert_follows_added(graph_hubs(200, 3), (laws)of, false);
  }
}

/* With pins, some of which nothing else holds. */
Test(incremental_bounds, are_never_above_the_true_limit) {
  for (int of = 0; of < LAWS_COUNT; of++)
    for (uint64_t seed = 1; seed < 5; seed++) {
      const making m = {(laws)of, .seed = seed, .soften = 16};
      generator random = {.state = seed};
      graph g = seed % 2 ? graph_random(17, 40, seed) : graph_cloth(6, 4, CLOTH_SHEAR);
      msd_world *world = world_of(&g, &m);
      for (int n = 0; n < 8; n++) {
        change_one(world, &random, &m);
        const double step = followed(world), truth = true_limit(world);
        cr_assert_leq(step, truth, "law %d, seed %d: %.9g, truly %.9g", of, (int)seed, step, truth);
        cr_assert(of != LAWS_PHYSICAL || step > truth / 2, "%.9g, truly %.9g", step, truth);
      }
      msd_destroy_world(world);
      graph_free(&g);
    }
}

/* Where all are alike and joined alike nothing is lost; nor where one is light among heavy ones. */
Test(incremental_bounds, are_the_limit_of_a_ring_and_nearly_that_of_one_light_particle) {
  graph g = graph_rope(12, false);
  graph_join(&g, 11, 0);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .undamped = true});
  for (int32_t e = 0; e < 12; e++) {
    const msd_spring_def def = spring_between(0, 1);
    ASSERT_OK(world, msd_spring_set_law(world, e, &def));
  }
  cr_assert_float_eq(followed(world), true_limit(world), 1e-5);
  ASSERT_OK(world, msd_particle_set_mass(world, 4, (msd_real)0.0009765625));
  cr_assert_float_eq(followed(world) / true_limit(world), 1, 1e-3);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(incremental_bounds, of_a_world_without_springs_certify_every_step) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  const msd_particle_def particle = msd_default_particle_def();
  cr_assert_eq(followed(world), INFINITY);
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  cr_assert_eq(followed(world), INFINITY);
  msd_destroy_world(world);
}

Test(incremental_bounds, without_memory_there_are_none) {
  graph g = graph_cloth(5, 5, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  const incidence *at = model_springs_at(&world->model);
  memory m = {.allocator = memory_default_allocator()};
  incremental_bounds bounds = {.sums = NULL};
  double step;
  for (m.limit = 0; !incremental_bounds_find(&bounds, &m, &world->model, at, &step); m.limit += 100)
    cr_assert_eq(m.used, 0);
  cr_assert_eq(step, found_anew(world));
  incremental_bounds_free(&bounds, &m);
  msd_destroy_world(world);
  graph_free(&g);
}
