/* Automatic substeps of worlds in which single springs and particles change. */
#include "tests/support/changing.h"
#include "tests/support/snapshots.h"
#include "tests/support/true_limit.h"

#include "engine/stability/steps.h"
#include "engine/world/world.h"

static const double FRAME = 0.0625;

static void step(msd_world *world) {
  ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, 0));
}

static int32_t substeps_of(const msd_world *world) {
  int32_t substeps;
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)FRAME, &substeps), MSD_OK);
  return substeps;
}

static msd_world *restored(const msd_world *world, int threads) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  msd_world *copy = world_from_def(&def);
  const snapshot saved = snapshot_of(world);
  ASSERT_OK(copy, msd_world_restore(copy, saved.data, saved.size));
  free(saved.data);
  return copy;
}

/* As many as a world has that has never had others. */
static int32_t sharpest(const msd_world *world) {
  return report_of(world, FRAME).substeps;
}

static double energy_of(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

/* Changes add energy of their own. */
static void assert_certified(const graph *g, const making *m, int rounds) {
  generator random = {.state = m->seed};
  msd_world *world = world_of(g, m);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  step(world);
  for (int round = 0; round < rounds; round++) {
    change_one(world, &random, m);
    const int32_t substeps = substeps_of(world);
    const int64_t before = msd_world_get_steps(world);
    step(world);
    cr_assert_eq(msd_world_get_steps(world) - before, substeps);
    cr_assert_leq(true_radius(world, FRAME / substeps), 4, "round %d", round);
  }
  const double before = energy_of(world);
  for (int n = 0; n < 50; n++)
    step(world);
  cr_assert_lt(energy_of(world), 1000 * before + 1e-6);
  msd_destroy_world(world);
}

Test(followed_limits, each_substep_is_certified_by_eigenvalues) {
  for (int of = 0; of < LAWS_COUNT; of++)
    for (uint64_t seed = 1; seed < 4; seed++) {
      graph g = seed % 2 ? graph_random(50, 260, seed) : graph_cloth(9, 9, CLOTH_SHEAR);
      assert_certified(&g, &(making){(laws)of, .seed = seed, .soften = of == LAWS_PHYSICAL ? 1 : 32}, 10);
      graph_free(&g);
    }
}

Test(followed_limits, a_limit_that_is_asked_for_is_that_of_the_report_and_is_remembered) {
  graph g = graph_cloth(20, 20, CLOTH_SHEAR);
  const making m = {LAWS_PHYSICAL, .seed = 5, .soften = 1};
  msd_world *world = world_of(&g, &m);
  const msd_stability told = report_of(world, FRAME);
  const uint64_t state = msd_world_hash(world);
  double limit = 0;
  cr_assert_eq(stability_known_step(&world->model, &world->limits), 0);
  ASSERT_OK(world, msd_world_find_stable_substep(world, &limit));
  cr_expect_eq(limit, told.integrator_stable_substep[MSD_SYMPLECTIC_EULER]);
  cr_expect_eq(stability_known_step(&world->model, &world->limits), limit, "the world knows it");
  cr_expect_eq(world->limits.stable_step[MSD_SYMPLECTIC_EULER], limit);
  cr_expect_eq(msd_world_hash(world), state);
  cr_expect_eq(substeps_of(world), told.substeps);
  step(world);
  cr_expect_eq(msd_world_get_steps(world), told.substeps);
  msd_destroy_world(world);
  graph_free(&g);
}

/* Whatever state the limits are in when it is saved: found, kept, followed, or of before a change. */
static void assert_restored_worlds_go_on(graph g) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    const making m = {(laws)of, .seed = 3, .soften = 8};
    generator random = {.state = 31};
    msd_world *world = world_of(&g, &m);
    step(world);
    for (int round = 0; round < 24; round++) {
      if (round % 3 > 0)
        change_one(world, &random, &m);
      msd_world *copy = restored(world, 1 + round % 2);
      generator again = random;
      for (int n = 0; n < 3; n++) {
        cr_assert_eq(substeps_of(copy), substeps_of(world), "law %d, round %d", of, round);
        step(world);
        step(copy);
        cr_assert_eq(first_difference(world, copy), -1, "law %d, round %d", of, round);
        change_one(world, &random, &m);
        change_one(copy, &again, &m);
      }
      msd_destroy_world(copy);
    }
    msd_destroy_world(world);
  }
  graph_free(&g);
}

Test(followed_limits, a_restored_world_goes_on_with_the_same_bits) {
  assert_restored_worlds_go_on(graph_shuffled(graph_cloth(12, 9, CLOTH_BEND), 7));
  assert_restored_worlds_go_on(graph_cloth(6, 5, CLOTH_BEND));
}

static void pin_and_step(msd_world *world, generator *random, int frames) {
  for (int n = 0; n < frames; n++) {
    const int32_t particle = random_below(random, msd_world_get_particle_count(world));
    const bool pins = random_below(random, 2) > 0;
    ASSERT_OK(world, pins ? msd_particle_pin(world, particle) : msd_particle_unpin(world, particle));
    step(world);
  }
}

Test(followed_limits, states_repeat_the_bits_of_worlds_whose_pins_change) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    graph g = graph_random(120, 500, 9);
    msd_world *world = world_of(&g, &(making){(laws)of, .seed = 3, .soften = 32});
    generator random = {.state = 5};
    size_t size;
    ASSERT_OK(world, msd_world_save_state(world, NULL, 0, &size));
    void *state = malloc(size);
    for (int round = 0; round < 12; round++) {
      pin_and_step(world, &random, round % 4);
      const generator from = random;
      ASSERT_OK(world, msd_world_save_state(world, state, size, &size));
      pin_and_step(world, &random, 3);
      const uint64_t hash = msd_world_hash(world);
      ASSERT_OK(world, msd_world_restore_state(world, state, size));
      random = from;
      pin_and_step(world, &random, 3);
      cr_assert_eq(msd_world_hash(world), hash, "law %d, round %d", of, round);
    }
    free(state);
    msd_destroy_world(world);
    graph_free(&g);
  }
}

/* Physical springs: to take one away, or to hold something, never asks for more substeps. */
Test(followed_limits, what_relaxes_a_network_leaves_its_substeps) {
  graph g = graph_random(60, 300, 2);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 2});
  step(world);
  const int32_t before = substeps_of(world);
  for (int32_t n = 0; n < 20; n++) {
    msd_spring_def def = msd_spring_get_def(world, 3 * n + 1);
    def.stiffness /= 2;
    ASSERT_OK(world, msd_spring_break(world, 3 * n));
    ASSERT_OK(world, msd_spring_set_law(world, 3 * n + 1, &def));
    ASSERT_OK(world, msd_particle_pin(world, 2 * n));
    ASSERT_OK(world, msd_particle_set_mass(world, 2 * n + 1, 4));
    cr_assert_eq(substeps_of(world), before);
    step(world);
  }
  cr_assert_leq(sharpest(world), before);
  msd_destroy_world(world);
  graph_free(&g);
}

/* A particle that is held for a while, as by a hand. */
Test(followed_limits, what_was_held_since_they_were_found_may_be_let_go) {
  graph g = graph_random(60, 300, 2);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 2});
  step(world);
  const int32_t before = substeps_of(world);
  for (int32_t i = 0; i < 60; i += 7) {
    ASSERT_OK(world, msd_particle_pin(world, i));
    step(world);
    ASSERT_OK(world, msd_particle_unpin(world, i));
    step(world);
    cr_assert_eq(world->limits.state, LIMITS_KEPT);
    cr_assert_eq(substeps_of(world), before);
  }
  cr_assert_eq(sharpest(world), before);
  msd_destroy_world(world);
  graph_free(&g);
}

/* What is pinned when limits are made is no part of them. */
Test(followed_limits, what_was_held_when_they_were_found_asks_for_more_when_it_is_let_go) {
  graph g = graph_cloth(12, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  msd_spring_def more = msd_spring_get_def(world, 0);
  ASSERT_OK(world, msd_particle_set_mass(world, 20, (msd_real)0.0009765625));
  step(world);
  const int32_t before = substeps_of(world);
  ASSERT_OK(world, msd_particle_pin(world, 20));
  ASSERT_OK(world, msd_add_springs(world, &more, 1, NULL));
  step(world);
  cr_assert_lt(substeps_of(world), before / 2);
  ASSERT_OK(world, msd_particle_unpin(world, 20));
  cr_assert_geq(substeps_of(world), before);
  msd_destroy_world(world);
  graph_free(&g);
}

/* The same where somebody has asked for limits, behind which no step was taken. */
Test(followed_limits, what_was_held_when_they_were_asked_for_asks_for_more_when_it_is_let_go) {
  graph g = graph_cloth(12, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  double limit;
  ASSERT_OK(world, msd_particle_set_mass(world, 20, (msd_real)0.0009765625));
  step(world);
  const int32_t before = substeps_of(world);
  ASSERT_OK(world, msd_particle_pin(world, 20));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, false));
  ASSERT_OK(world, msd_world_find_stable_substep(world, &limit));
  cr_assert_lt(substeps_of(world), before / 2);
  ASSERT_OK(world, msd_particle_unpin(world, 20));
  cr_assert_geq(substeps_of(world), before);
  msd_destroy_world(world);
  graph_free(&g);
}

/* A pin makes the springs to it stiffer that are given by a frequency: a heavy hub between pins has k of them,
   of its own mass each, and a limit of 2/(w sqrt(k)). */
Test(followed_limits, a_pin_at_springs_that_follow_the_masses_asks_for_more_substeps) {
  graph g = graph_star(301, 300);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 16;
  ASSERT_OK(world, msd_springs_set_law(world, (msd_range){0, g.springs}, &def));
  ASSERT_OK(world, msd_particle_set_mass(world, 300, 10000));
  step(world);
  for (int32_t i = 0; i < 300; i++) {
    ASSERT_OK(world, msd_particle_pin(world, i));
    if (i % 50 < 49)
      continue;
    const double substep = FRAME / substeps_of(world);
    cr_assert_leq(substep, 2 / (2 * PI * 16 * sqrt(i + 1)), "%d pins", (int)i + 1);
    step(world);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

/* One stiff spring asks for many substeps, and is broken. */
Test(followed_limits, fewer_substeps_are_found_after_some_work) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  msd_spring_def def = msd_spring_get_def(world, 7);
  def.stiffness = 4e6;
  ASSERT_OK(world, msd_spring_set_law(world, 7, &def));
  step(world);
  const int32_t before = substeps_of(world);
  ASSERT_OK(world, msd_spring_break(world, 7));
  cr_assert_gt(before, 10 * sharpest(world));
  cr_assert_eq(substeps_of(world), before);
  int frames = 0;
  for (; substeps_of(world) == before && frames < 1000; frames++)
    step(world);
  cr_assert_eq(substeps_of(world), sharpest(world));
  cr_assert_geq(frames * before, 1024);
  cr_assert_lt((frames - 1) * before, 1024);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(followed_limits, other_integrators_have_their_own) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    graph g = graph_cloth(12, 9, CLOTH_SHEAR);
    msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 3, .undamped = true});
    step(world);
    ASSERT_OK(world, msd_particle_set_mass(world, 20, msd_particle_get_mass(world, 20) * (msd_real)0.9375));
    step(world);
    cr_assert_eq(world->limits.state, LIMITS_FOLLOWED);
    ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    const int32_t found = report_of(world, FRAME).integrator_substeps[integrator];
    if (integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_VELOCITY_VERLET)
      cr_assert_geq(substeps_of(world), found);
    else
      cr_assert_eq(substeps_of(world), found, "%s", msd_integrator_name((msd_integrator)integrator));
    msd_destroy_world(world);
    graph_free(&g);
  }
}

Test(followed_limits, those_of_small_networks_are_found_each_time) {
  const making m = {LAWS_PHYSICAL, .seed = 8};
  generator random = {.state = 3};
  graph g = graph_cloth(6, 6, CLOTH_BEND);
  msd_world *world = world_of(&g, &m);
  for (int n = 0; n < 20; n++) {
    step(world);
    cr_assert_eq(world->limits.state, LIMITS_FOUND);
    change_one(world, &random, &m);
    cr_assert_eq(substeps_of(world), sharpest(world));
  }
  msd_destroy_world(world);
  graph_free(&g);
}

/* Their snapshots are the same. */
static void end_alike(msd_world *world, msd_world *copy) {
  const snapshot one = snapshot_of(world), other = snapshot_of(copy);
  cr_assert_eq(one.size, other.size);
  cr_assert_arr_eq(one.data, other.data, one.size);
  free(one.data);
  free(other.data);
  msd_destroy_world(copy);
  msd_destroy_world(world);
}

/* A restored world begins with as many changes as there have been: both find anew at the same one. */
static void expect_the_same(msd_world *world, void (*change)(msd_world *world)) {
  msd_world *copy = restored(world, 1);
  change(world);
  change(copy);
  step(world);
  step(copy);
  end_alike(world, copy);
}

static msd_world *stepped_cloth(int32_t side, cloth_springs springs) {
  graph g = graph_cloth(side, side, springs);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 3, .undamped = true});
  step(world);
  graph_free(&g);
  return world;
}

static void make_heavier(msd_world *world) {
  for (int32_t i = 0; i < 40; i++)
    ASSERT_OK(world, msd_particle_set_mass(world, i, msd_particle_get_mass(world, i) + 1));
}

Test(followed_limits, are_found_anew_after_as_many_changes_in_a_restored_world) {
  msd_world *world = stepped_cloth(12, CLOTH_BEND);
  make_heavier(world);
  expect_the_same(world, make_heavier);
}

static void add_some(msd_world *world) {
  msd_spring_def def = msd_spring_get_def(world, 0);
  def.stiffness /= 1024;
  def.damping /= 1024;
  for (int n = 0; n < 20; n++)
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

Test(followed_limits, those_of_a_network_that_was_small_are_not_followed) {
  msd_world *world = stepped_cloth(8, CLOTH_SHEAR);
  while (msd_world_get_spring_count(world) + 20 < 256)
    add_some(world);
  cr_assert_lt(msd_world_get_spring_count(world), 256);
  expect_the_same(world, add_some);
}

static void leave(msd_world *world) {
  (void)world;
}

/* That it would have been of no use to search for them again says nothing of other limits. */
Test(followed_limits, those_of_something_else_put_no_search_off) {
  msd_world *world = stepped_cloth(12, CLOTH_BEND);
  make_heavier(world);
  step(world);
  cr_assert_eq(world->limits.state, LIMITS_KEPT);
  while (world->limits.worked < world->limits.wait)
    step(world);
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, false));
  expect_the_same(world, leave);
}

/* Pins are new to limits that stand. */
Test(followed_limits, no_pins_are_new_to_limits_of_something_else) {
  msd_world *world = stepped_cloth(12, CLOTH_BEND);
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  msd_world *copy = restored(world, 1);
  ASSERT_OK(world, msd_particle_pin(world, 4));
  ASSERT_OK(copy, msd_particle_pin(copy, 4));
  end_alike(world, copy);
}
