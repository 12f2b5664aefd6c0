/* Sheets that are torn by steps: what they promise of surfaces, of bits, and without memory. */
#include "tests/support/scarce_memory.h"
#include "tests/support/snapshots.h"
#include "tests/support/torn_sheets.h"

#include "engine/store/fracture.h"

#include <limits.h>

/* A sheet whose lower border is led away from the upper one, on one side further. */
static msd_world *torn_sheet(void) {
  msd_world *world = sheet_of(12, 10, CLOTH_SHEAR, (making){.laws = LAWS_PHYSICAL});
  for (int32_t c = 0; c < 12; c++) {
    ok(world, msd_particle_pin(world, c));
    ok(world, msd_particle_pin(world, 9 * 12 + c));
  }
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, 0, -1}));
  return world;
}

static void pull(msd_world *world, int frames) {
  for (int n = 0; n < frames; n++) {
    for (int32_t c = 0; c < 12; c++) {
      msd_vec3 at = msd_particle_get_position(world, 9 * 12 + c);
      at.y -= (msd_real)(0.03125 * (1 + c / 16.0));
      ok(world, msd_particle_move_to(world, 9 * 12 + c, at));
    }
    step(world, 1 / 64.0, 48);
  }
}

static int64_t intersections(const msd_world *world) {
  const msd_collision_mesh_def surface = msd_collision_mesh_get_def(world, 0);
  msd_intersection_def def = msd_default_intersection_def();
  surface_store left;
  msd_world *changed = (msd_world *)(uintptr_t)world;
  cr_assert(tears_leave(&left, &changed->model.memory, &world->model.surfaces, &world->model.springs));
  def.triangles = left.triangles[0];
  def.triangle_count = left.entries[0].triangle_count;
  cr_assert_leq(def.triangle_count, surface.triangle_count);
  int64_t found = -1;
  ok(world, msd_world_find_intersections(world, &def, NULL, 0, &found));
  tears_free(&left, &changed->model.memory, &world->model.surfaces);
  return found;
}

Test(split_in_motion, nothing_ever_intersects_at_a_tear) {
  msd_world *world = torn_sheet();
  for (int n = 0; n < 60; n++) {
    pull(world, 1);
    cr_expect_eq(intersections(world), 0, "frame %d", n);
    cr_expect_eq(stats_of(world).penetrations, 0);
  }
  cr_expect_gt(stats_of(world).split, 10, "%d", stats_of(world).split);
  msd_destroy_world(world);
}

Test(split_in_motion, has_the_same_bits_on_any_threads_and_widths) {
  uint64_t first = 0;
  for (int threads = 1; threads <= 3; threads += 2)
    for (int simd = 0; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *world = torn_sheet();
      ok(world, msd_world_set_thread_count(world, threads));
      if (msd_world_set_simd(world, (msd_simd)simd) == MSD_OK) {
        pull(world, 24);
        cr_expect_gt(stats_of(world).split, 3, "%d", stats_of(world).split);
        first = first ? first : msd_world_hash(world);
        cr_expect_eq(msd_world_hash(world), first, "%d threads, vectors %d", threads, simd);
      }
      msd_destroy_world(world);
    }
}

Test(split_in_motion, goes_on_behind_a_snapshot_with_the_same_bits) {
  for (int at = 10; at <= 50; at += 10) {
    msd_world *world = torn_sheet(), *other = new_world(MSD_SYMPLECTIC_EULER);
    pull(world, at);
    snapshot s = snapshot_of(world);
    ok(other, msd_world_restore(other, s.data, s.size));
    for (int32_t i = 0; i < stats_of(world).particles; i++)
      cr_expect_eq(msd_particle_get_origin(other, i), msd_particle_get_origin(world, i));
    pull(world, 15);
    pull(other, 15);
    cr_expect_eq(msd_world_hash(world), msd_world_hash(other), "after %d frames", at);
    cr_expect_eq(stats_of(world).split, stats_of(other).split);
    free(s.data);
    msd_destroy_world(world);
    msd_destroy_world(other);
  }
}

/* Springs that may split and do not, cost no bit where substeps are given. */
Test(split_in_motion, that_does_not_happen_changes_no_bit) {
  msd_world *plain = torn_sheet(), *tough = torn_sheet();
  const msd_damage_def none = msd_default_damage_def();
  ok(plain, msd_springs_set_damage(plain, (msd_range){0, msd_world_get_spring_count(plain)}, &none));
  let_split(tough, 1e+06);
  pull(plain, 10);
  pull(tough, 10);
  cr_expect_eq(msd_world_hash(plain), msd_world_hash(tough));
  msd_destroy_world(plain);
  msd_destroy_world(tough);
}

/* Whatever runs out, what is there is whole: nothing has split or torn, or all of it. */
Test(split_in_motion, without_memory_leaves_the_world_as_it_was) {
  bool done = false;
  for (int left = 0; left < 60 && !done; left++) {
    scarce s = {.left = INT_MAX};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&s);
    msd_world *world = torn_sheet(), *other = NULL;
    cr_assert_eq(msd_create_world(&def, &other), MSD_OK);
    snapshot bytes = snapshot_of(world);
    ok(other, msd_world_restore(other, bytes.data, bytes.size));
    splits due;
    const int32_t springs = msd_world_get_spring_count(other);
    const uint64_t before = msd_world_hash(other);
    s.left = left;
    msd_result result = splits_open(&due, &other->stepper, springs, DT);
    for (int32_t e = 0; e < springs && result == MSD_OK; e++)
      splits_add(&due, e, 2);
    if (result == MSD_OK)
      result = splits_reserve(&due);
    s.left = INT_MAX;
    cr_expect_eq(msd_world_hash(other), before);
    cr_expect_eq(stats_of(other).particles, stats_of(world).particles);
    done = result == MSD_OK;
    if (!done)
      cr_expect_eq(result, MSD_OUT_OF_MEMORY);
    splits_close(&due);
    pull(other, 1);
    free(bytes.data);
    msd_destroy_world(world);
    msd_destroy_world(other);
    cr_expect_eq(s.in_use, 0);
  }
  cr_expect(done);
}

/* Masses are shared by the longest step that is known to be certified: a copy knows it too. */
Test(split_in_motion, a_copy_shares_masses_by_the_limit_that_its_original_knew) {
  msd_world *world = sheet_of(5, 5, CLOTH_SHEAR, (making){.laws = LAWS_PHYSICAL}), *copy;
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.damping = def.stiffness * (msd_real)(e % 4) / 8192;
    ok(world, msd_spring_set_law(world, e, &def));
  }
  const msd_vec3 middle = msd_particle_get_position(world, 12);
  for (int32_t i = 0; i < 25; i++) {
    const msd_vec3 at = msd_particle_get_position(world, i);
    ok(world, msd_particle_set_velocity(world, i, (msd_vec3){32 * (at.x - middle.x), at.y * at.x, 0}));
  }
  ok(world, msd_world_step(world, (msd_real)1e-5, 0));
  ok(world, msd_copy_world(world, &copy));
  for (int frame = 0; frame < 12; frame++) {
    ok(world, msd_world_step(world, (msd_real)0.00390625, 8));
    ok(copy, msd_world_step(copy, (msd_real)0.00390625, 8));
    cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "frame %d", frame);
  }
  cr_assert_gt(stats_of(world).split, 0);
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

/* Of the springs between two particles, torn ones or others. */
static bool joins(const msd_world *world, int32_t a, int32_t b, bool is_torn) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (msd_spring_is_torn(world, e) == is_torn && ((def.a == a && def.b == b) || (def.a == b && def.b == a)))
      return true;
  }
  return false;
}

static int edges_joined(const msd_world *world, const int32_t *corners, bool is_torn) {
  int count = 0;
  for (int k = 0; k < 3; k++)
    count += joins(world, corners[k], corners[(k + 1) % 3], is_torn);
  return count;
}

/* One spring breaks and another splits their common end in the same step: the triangle between the two stays
   torn. */
Test(split_in_motion, every_edge_of_a_triangle_that_is_left_has_a_spring) {
  msd_world *world = sheet_of(5, 5, CLOTH_SHEAR, (making){.laws = LAWS_PHYSICAL});
  const int32_t one = spring_between(world, 12, 17), other = spring_between(world, 12, 13);
  msd_damage_def def = splitting(0.25);
  def.split = false;
  ok(world, msd_springs_set_damage(world, (msd_range){one, 1}, &def));
  for (int frame = 0; frame < 3; frame++) {
    if (frame == 0) {
      ok(world, msd_spring_set_rest_length(world, one, msd_spring_get_def(world, one).rest_length / 4));
      ok(world, msd_spring_set_rest_length(world, other, msd_spring_get_def(world, other).rest_length / 4));
    }
    ok(world, msd_world_step(world, (msd_real)1e-5, 1));
    for (int32_t t = 0; t < msd_collision_mesh_get_def(world, 0).triangle_count; t++)
      cr_assert(edges_joined(world, triangle_of(world, t), true) > 0 ||
                    edges_joined(world, triangle_of(world, t), false) == 3,
                "frame %d, triangle %d", frame, t);
  }
  cr_assert(msd_spring_is_torn(world, one));
  cr_assert_gt(stats_of(world).split, 0, "what waited has split");
  msd_destroy_world(world);
}

/* What stays has a millionth of the row, and of the mass; its rounding is of its own size. */
Test(split_in_motion, a_tiny_part_has_a_row_no_longer_than_that_of_the_particle) {
  for (int n = 0; n < 20; n++) {
    msd_world *world = sheet_of(5, 5, CLOTH_SHEAR, (making){.laws = LAWS_PHYSICAL});
    for (int32_t i = 0; i < 25; i++)
      ok(world, msd_particle_set_mass(world, i, i == 12 ? (msd_real)(0.02 + n / 1000.0) : 1));
    for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
      msd_spring_def def = msd_spring_get_def(world, e);
      const int32_t other = def.a == 12 ? def.b : def.b == 12 ? def.a : -1;
      def.stiffness = other >= 0 && other % 5 == 3 ? 1000 : (msd_real)(0.001 * (1 + n));
      def.damping = 0;
      ok(world, msd_spring_set_law(world, e, &def));
    }
    msd_stability before, after;
    ok(world, msd_world_analyze_stability(world, (msd_real)DT, &before));
    split_at(world, spring_between(world, 12, 13), 12);
    cr_assert_eq(stats_of(world).split, 1);
    ok(world, msd_world_analyze_stability(world, (msd_real)DT, &after));
    const int euler = MSD_SYMPLECTIC_EULER;
    cr_expect_geq(after.integrator_stable_substep[euler],
                  before.integrator_stable_substep[euler] * (1 - 1e-6), "%d", n);
    msd_destroy_world(world);
  }
}
