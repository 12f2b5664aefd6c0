/* Sheets that are torn by steps: what they promise of surfaces, of bits, and without memory. */
#include "tests/support/scarce_memory.h"
#include "tests/support/snapshots.h"
#include "tests/support/torn_sheets.h"

#include "engine/store/tears.h"

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
  const msd_surface_def surface = msd_surface_get_def(world, 0);
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
    cr_expect_eq(stats_of(world).tangles, 0);
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
        cr_expect_gt(stats_of(world).split, 3);
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
  const msd_wear_def none = msd_default_wear_def();
  ok(plain, msd_springs_set_wear(plain, (msd_range){0, msd_world_get_spring_count(plain)}, &none));
  let_split(tough, 1e6);
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
