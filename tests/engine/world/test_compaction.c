/* Closing gaps: the world is then as one of which only what is left was ever built. */
#include "tests/support/removals.h"

static void put_state(msd_world *to, const msd_world *from, const msd_world *original, const part *p) {
  for (int32_t i = 0; i < p->passed[MSD_OBJECT_PARTICLE]; i++) {
    const int32_t particle = p->to[MSD_OBJECT_PARTICLE][i];
    if (particle < 0)
      continue;
    msd_vec3 v = msd_particle_get_velocity(from, i);
    v = (msd_vec3){v.x / 2, v.y / 2, v.z / 2};
    cr_assert_eq(msd_particle_set_position(to, particle, msd_particle_get_position(from, i)), MSD_OK);
    cr_assert_eq(msd_particle_set_velocity(to, particle, v), MSD_OK);
  }
  for (int32_t i = 0; i < p->passed[MSD_OBJECT_ROTOR]; i++)
    if (p->to[MSD_OBJECT_ROTOR][i] >= 0) {
      const msd_rotor_def def = msd_rotor_get_def(original, i);
      cr_assert_eq(msd_rotor_set_def(to, p->to[MSD_OBJECT_ROTOR][i], &def), MSD_OK);
    }
}

static void expect_moves(msd_world *world, const part *p) {
  static int32_t to[MSD_OBJECT_COUNT][ITEMS_MOST];
  msd_index_moves moves;
  for (int item = 0; item < MSD_OBJECT_COUNT; item++)
    moves.to[item] = to[item];
  cr_assert_eq(msd_world_compact(world, &moves), MSD_OK, "%s", msd_world_message(world));
  for (int item = 0; item < MSD_OBJECT_COUNT; item++) {
    cr_expect_eq(msd_world_get_live_count(world, (msd_object)item), p->kept[item], "%s",
                 msd_object_name((msd_object)item));
    for (int32_t i = 0; i < p->passed[item]; i++)
      cr_assert_eq(to[item][i], p->to[item][i], "%s %d", msd_object_name((msd_object)item), i);
  }
}

static void settle_on(msd_world *world, msd_integrator integrator) {
  cr_assert_eq(msd_world_set_integrator(world, integrator), MSD_OK);
  cr_assert_eq(msd_world_set_impulse_iterations(world, 4), MSD_OK);
}

/* The same steps as of a world of what is left alone. */
static void expect_as_new(uint32_t seed, msd_integrator integrator, uint32_t one_in) {
  const bool touches = integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
  static part p;
  memset(&p, 0, sizeof p);
  msd_world *world = world_of_part(&p, touches);
  settle_on(world, integrator);
  for (int n = 0; n < 3; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 8), MSD_OK, "%s", msd_world_message(world));
  destroy_some(world, &p, seed, one_in);
  for (int n = 0; n < 2; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 8), MSD_OK, "%s", msd_world_message(world));
  msd_world *fresh = world_of_part(&p, touches);
  settle_on(fresh, integrator);
  for (int item = 0; item < MSD_OBJECT_COUNT; item++)
    for (int32_t i = 0; i < p.passed[item]; i++)
      cr_assert_eq(msd_object_is_destroyed(world, (msd_object)item, i), p.to[item][i] < 0, "seed %u: %s %d",
                   seed, msd_object_name((msd_object)item), i);
  put_state(fresh, world, world, &p);
  expect_moves(world, &p);
  part all = p;
  for (int item = 0; item < MSD_OBJECT_COUNT; item++) {
    all.passed[item] = p.kept[item];
    for (int32_t i = 0; i < p.kept[item]; i++)
      all.to[item][i] = i;
  }
  put_state(world, world, world, &all);
  for (int n = 0; n < 12; n++) {
    const int substeps = n % 3 == 2 ? 0 : 8;
    const msd_result result = msd_world_step(fresh, (msd_real)0.015625, substeps);
    cr_assert_eq(msd_world_step(world, (msd_real)0.015625, substeps), result, "%s", msd_world_message(world));
    cr_assert(result == MSD_OK || (substeps == 0 && result == MSD_NO_STABLE_STEP), "%s",
              msd_world_message(world));
    cr_assert_eq(msd_world_hash(world), msd_world_hash(fresh), "seed %u, %s: step %d is another one", seed,
                 msd_integrator_name(integrator), n);
  }
  msd_destroy_world(fresh);
  msd_destroy_world(world);
}

Test(compaction, what_is_left_steps_as_if_nothing_else_had_ever_been) {
  for (uint32_t seed = 1; seed <= 12; seed++)
    expect_as_new(seed, (msd_integrator)(seed % MSD_INTEGRATOR_COUNT), seed % 2 ? 6 : 20);
  for (uint32_t seed = 20; seed <= 32; seed++)
    expect_as_new(seed, seed % 2 ? MSD_SYMPLECTIC_EULER : MSD_SEQUENTIAL_IMPULSE, 3 + seed % 16);
}

Test(compaction, without_gaps_nothing_moves) {
  static part p;
  memset(&p, 0, sizeof p);
  msd_world *world = world_of_part(&p, true);
  cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 4), MSD_OK);
  const picture before = take_picture(world);
  expect_moves(world, &p);
  cr_expect(is_unchanged(world, before));
  msd_destroy_world(world);
}

Test(compaction, a_world_of_which_nothing_is_left_steps_on) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = empty_world();
    msd_block_def block = msd_default_block_def();
    msd_body body;
    block.volume.law = MSD_SPRING_STIFFNESS;
    block.volume.stiffness = 100;
    cr_assert_eq(msd_world_set_integrator(world, (msd_integrator)integrator), MSD_OK);
    cr_assert_eq(msd_add_block(world, &block, &body), MSD_OK);
    cr_assert_gt(msd_world_get_constraint_count(world), 0);
    cr_assert_eq(msd_particle_apply_force(world, body.particles.first, (msd_vec3){1, 2, 3}), MSD_OK);
    cr_assert_eq(msd_world_step(world, (msd_real)1e-4, 2), MSD_OK);
    cr_assert_eq(msd_destroy_range(world, MSD_OBJECT_PARTICLE, body.particles), MSD_OK);
    cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
    cr_expect_eq(msd_world_step(world, (msd_real)1e-4, 2), MSD_OK);
    cr_expect_eq(msd_world_get_particle_count(world) + msd_world_get_constraint_count(world), 0);
    msd_destroy_world(world);
  }
}

Test(compaction, memory_is_given_back) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  msd_body first, second;
  cloth.columns = cloth.rows = 100;
  cr_assert_eq(msd_add_cloth(world, &cloth, &first), MSD_OK);
  cloth.columns = cloth.rows = 10;
  cr_assert_eq(msd_add_cloth(world, &cloth, &second), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-3, 1), MSD_OK);
  const size_t before = msd_world_get_stats(world).bytes;
  cr_assert_eq(msd_destroy_range(world, MSD_OBJECT_PARTICLE, first.particles), MSD_OK);
  cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-3, 1), MSD_OK);
  cr_expect_lt(msd_world_get_stats(world).bytes, before / 20);
  cr_expect_eq(msd_world_get_particle_count(world), 100);
  cr_expect_eq(msd_world_get_spring_count(world), second.springs.count);
  msd_destroy_world(world);
}

Test(compaction, parts_of_a_particle_that_is_gone_have_the_first_of_them_as_their_origin) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  msd_body body;
  msd_damage_def damage = msd_default_damage_def();
  cloth.columns = cloth.rows = 8;
  damage.tear_strain = (msd_real)0.02;
  damage.split = true;
  cr_assert_eq(msd_add_cloth(world, &cloth, &body), MSD_OK);
  cr_assert_eq(msd_springs_set_damage(world, body.springs, &damage), MSD_OK);
  int32_t triangles[3 * 98], faces;
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  cr_assert_eq(msd_cloth_get_triangles(&cloth, 0, triangles, 98, &faces), MSD_OK);
  surface.triangles = triangles;
  surface.triangle_count = faces;
  surface.thickness = (msd_real)0.001;
  cr_assert_eq(msd_add_collision_meshes(world, &surface, 1, NULL), MSD_OK);
  for (int32_t i = 0; i < 64; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i);
    cr_assert_eq(msd_particle_set_velocity(world, i, (msd_vec3){5 * x.x, 3 * x.y, (msd_real)(i % 3)}),
                 MSD_OK);
  }
  for (int n = 0; n < 40; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.01, 4), MSD_OK);
  const int32_t count = msd_world_get_particle_count(world);
  cr_assert_gt(count, 64);
  static int32_t origin[256], to[256], expected[256];
  cr_assert_leq(count, 256);
  for (int32_t i = 0; i < count; i++)
    origin[i] = msd_particle_get_origin(world, i);
  for (int32_t i = 64; i < count; i += 2) {
    const int32_t gone = origin[i];
    if (!msd_object_is_destroyed(world, MSD_OBJECT_PARTICLE, gone))
      cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &gone, 1), MSD_OK);
  }
  cr_assert_eq(msd_world_compact(world, &(msd_index_moves){.to = {to}}), MSD_OK);
  for (int32_t i = 0; i < count; i++) {
    expected[i] = -1;
    for (int32_t other = 0; other <= i && expected[i] < 0; other++)
      if (to[other] >= 0 && origin[other] == origin[i])
        expected[i] = to[other];
  }
  for (int32_t i = 0; i < count; i++)
    cr_expect(to[i] < 0 || msd_particle_get_origin(world, to[i]) == expected[i], "particle %d", i);
  msd_world *copy;
  cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 4), MSD_OK);
  cr_expect_eq(msd_world_step(copy, (msd_real)0.01, 4), MSD_OK);
  cr_expect_eq(msd_world_hash(world), msd_world_hash(copy));
  msd_destroy_world(copy);
  msd_destroy_world(world);
}
