/* Tuning follows single changes: springs are tuned as if all had been tuned anew. */
#include "tests/support/changing.h"
#include "tests/support/snapshots.h"

#include "engine/world/world.h"

static msd_world *restored(const msd_world *world, int threads) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.simd = threads > 1 ? MSD_SIMD_WIDEST : MSD_SIMD_SCALAR;
  msd_world *copy = world_from_def(&def);
  const snapshot saved = snapshot_of(world);
  ASSERT_OK(copy, msd_world_restore(copy, saved.data, saved.size));
  free(saved.data);
  return copy;
}

static msd_result step(msd_world *world, int substeps) {
  return msd_world_step(world, (msd_real)0.001953125, substeps);
}

/* What the kernels read of a spring that moves something. */
static coefficient_class numbers_of(const msd_world *world, int32_t spring) {
  const network *n = &world->stepper.network;
  const network_source source = network_source_of(&world->model);
  const network_place place = network_place_of(n, &source, spring);
  return network_tuning_at(n, network_material_of(n, place.part), place.a);
}

static void assert_tuned_alike(const msd_world *one, const msd_world *other) {
  for (int32_t e = 0; e < one->model.springs.count; e++) {
    if (spring_effective_mass(&one->model.springs, &one->model.particles, e).share == 0)
      continue;
    const coefficient_class a = numbers_of(one, e), b = numbers_of(other, e);
    cr_assert_eq(a.stiffness, b.stiffness, "spring %d: %g and %g", (int)e, (double)a.stiffness,
                 (double)b.stiffness);
    cr_assert_eq(a.damping, b.damping, "spring %d", (int)e);
  }
  const size_t slots = (size_t)one->stepper.network.group_count * NETWORK_GROUP;
  cr_assert_arr_eq(one->stepper.network.inverse_mass, other->stepper.network.inverse_mass,
                   slots * sizeof(msd_real));
}

/* A few changes at a time, of which most are followed one by one, and the substep now and then; the other world
   starts with nothing tuned each time. */
static void assert_follows(const graph *g, const making *m, msd_integrator integrator, bool limit) {
  generator random = {.state = 4 + (uint64_t)integrator};
  msd_world *world = world_of(g, m);
  ASSERT_OK(world, msd_world_set_integrator(world, integrator));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, limit));
  ASSERT_OK(world, step(world, 4));
  for (int round = 0; round < 16; round++) {
    const int changes = 1 + random_below(&random, 5);
    for (int n = 0; n < changes; n++)
      change_one(world, &random, m);
    msd_world *other = restored(world, 1 + round % 2);
    const int substeps = 4 + round / 6;
    const msd_result result = step(world, substeps);
    cr_assert_eq(step(other, substeps), result);
    assert_tuned_alike(world, other);
    cr_assert_eq(first_difference(world, other), -1, "round %d: particle %d", round,
                 (int)first_difference(world, other));
    msd_destroy_world(other);
    if (result == MSD_DIVERGED) /* as explicit Euler may */
      break;
    ASSERT_OK(world, result);
  }
  msd_destroy_world(world);
}

static void assert_all_follow(graph g, int32_t sides, msd_real soften) {
  for (int of = 0; of < LAWS_COUNT; of++)
    for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
      for (int limit = 0; limit < 2; limit++)
        assert_follows(&g, &(making){(laws)of, .seed = 9, .pins = true, .soften = soften, .sides = sides},
                       (msd_integrator)integrator, limit == 1);
  graph_free(&g);
}

Test(tune, single_changes_of_a_cloth_tune_all_springs_as_anew) {
  assert_all_follow(graph_cloth(17, 9, CLOTH_BEND), 0, 8);
}

Test(tune, single_changes_of_a_penetration_tune_all_springs_as_anew) {
  assert_all_follow(graph_shuffled(graph_random(320, 900, 3), 4), 0, 32);
}

Test(tune, single_changes_beside_one_sided_springs_tune_all_springs_as_anew) {
  assert_all_follow(graph_cloth(17, 9, CLOTH_SHEAR), 5, 8);
}

Test(tune, single_changes_of_hubs_tune_all_springs_as_anew) {
  assert_all_follow(graph_hubs(200, 2), 0, 256);
}

/* What the limiter goes by is of the springs as they are when it is asked for. */
Test(tune, a_world_that_begins_to_watch_its_energy_knows_what_is_damped) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 3, .undamped = true});
  ASSERT_OK(world, step(world, 4));
  for (int32_t is_damped = 1; is_damped >= 0; is_damped--) {
    msd_spring_def def = msd_spring_get_def(world, 5);
    def.damping = (msd_real)is_damped / 4;
    ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_OFF));
    ASSERT_OK(world, msd_spring_set_law(world, 5, &def));
    ASSERT_OK(world, step(world, 4));
    ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR));
    ASSERT_OK(world, step(world, 4));
    cr_assert_eq(world->stepper.limiter.is_damped, is_damped == 1);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

/* Of particles of one mass, so that coefficients make springs alike, too. */
static msd_world *large_cloth(msd_spring_law kind, int threads) {
  msd_world_def world_def = msd_default_world_def();
  world_def.thread_count = threads;
  msd_world *world = world_from_def(&world_def);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 64;
  def.stretch.law = kind;
  def.stretch.ck = (msd_real)0.25;
  def.stretch.cd = (msd_real)0.125;
  def.stretch.stiffness = 20;
  def.stretch.damping = (msd_real)0.0625;
  def.shear = def.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  for (int32_t i = 0; i < world->model.particles.count; i++)
    ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)0.0009765625));
  return world;
}

/* At two substeps, which coefficients follow, and with one spring that differs from its neighbors. */
Test(tune, threads_that_share_the_springs_tune_them_as_one_does) {
  static const msd_spring_law kinds[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_COEFFICIENT};
  for (int n = 0; n < 4; n++) {
    msd_world *one = large_cloth(kinds[n % 2], 1), *several = large_cloth(kinds[n % 2], 3);
    const int32_t last = one->model.springs.count - 1;
    msd_spring_def other = msd_spring_get_def(one, last);
    other.ck /= 2;
    other.stiffness /= 2;
    for (int substeps = 4; substeps <= 5; substeps++) {
      if (n >= 2) {
        ASSERT_OK(one, msd_spring_set_law(one, last, &other));
        ASSERT_OK(several, msd_spring_set_law(several, last, &other));
      }
      ASSERT_OK(one, step(one, substeps));
      ASSERT_OK(several, step(several, substeps));
      assert_tuned_alike(one, several);
      cr_expect(one->stepper.limiter.is_damped && several->stepper.limiter.is_damped);
      cr_expect_eq(first_difference(one, several), -1);
    }
    cr_expect_geq(last, 64 * network_part_count(&one->stepper.network), "few springs are not shared");
    msd_destroy_world(one);
    msd_destroy_world(several);
  }
}
