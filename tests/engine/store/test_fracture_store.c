/* Surfaces where springs have torn: what is left of them, and what then passes through. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include "engine/store/fracture.h"
#include "engine/world/world.h"

/* Two triangles for each cell of a cloth. */
static void add_cloth_surface(msd_world *world, int32_t columns, int32_t rows) {
  int32_t *corners = calloc((size_t)6 * (size_t)(columns * rows), sizeof *corners), *next = corners;
  cr_assert_not_null(corners);
  for (int32_t r = 0; r + 1 < rows; r++)
    for (int32_t c = 0; c + 1 < columns; c++) {
      const int32_t a = r * columns + c,
                    cell[6] = {a, a + 1, a + columns, a + 1, a + columns + 1, a + columns};
      memcpy(next, cell, sizeof cell);
      next += 6;
    }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = (int32_t)(next - corners) / 3;
  def.thickness = (msd_real)0.03125;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  free(corners);
}

static void tear_strain(msd_world *world, int32_t spring) {
  spring_mark_torn(&world->model.springs, spring);
}

static bool is_torn_between(const msd_world *world, int32_t a, int32_t b) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (msd_spring_is_torn(world, e) && ((def.a == a && def.b == b) || (def.a == b && def.b == a)))
      return true;
  }
  return false;
}

Test(tears, what_is_left_is_what_has_no_torn_edge) {
  graph g = graph_cloth(9, 7, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  graph_free(&g);
  add_cloth_surface(world, 9, 7);
  static const int32_t segments[][2] = {{0, 1}, {20, 21}, {1, 2}};
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = segments[0];
  def.segment_count = 3;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  const surface_store *all = &world->model.surfaces;
  surface_store left;
  cr_assert(tears_leave(&left, &world->model.memory, all, &world->model.springs));
  cr_expect_eq(left.triangles, all->triangles);
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e += 7)
    tear_strain(world, e);
  const size_t used = world->model.memory.used;
  cr_assert(tears_leave(&left, &world->model.memory, all, &world->model.springs));
  int32_t found = 0;
  for (int32_t t = 0; t < all->triangle_count; t++) {
    const int32_t *c = all->triangles[t];
    if (is_torn_between(world, c[0], c[1]) || is_torn_between(world, c[1], c[2]) ||
        is_torn_between(world, c[2], c[0]))
      continue;
    cr_expect(memcmp(c, left.triangles[found++], sizeof *left.triangles) == 0);
  }
  cr_expect(found == left.triangle_count && left.entries[0].triangle_count == found &&
            found < all->triangle_count);
  cr_expect(left.entries[1].first_triangle == found && left.entries[1].triangle_count == 0);
  cr_expect_eq(left.entries[1].segment_count, 3 - is_torn_between(world, 0, 1) -
                                                  is_torn_between(world, 20, 21) -
                                                  is_torn_between(world, 1, 2));
  tears_free(&left, &world->model.memory, all);
  cr_expect_eq(world->model.memory.used, used);
  msd_destroy_world(world);
}

/* A triangle of springs between pins, and a small one above it that falls. Returns how high it ends. */
static double height_after_fall(bool tears) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const msd_real places[][3] = {{-4, 0, -4}, {4, 0, -4}, {0, 0, 4}};
  for (int i = 0; i < 3; i++)
    add_pin(world, (double)places[i][0], (double)places[i][1], (double)places[i][2]);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, (double)places[i][0] / 16, 0.25, (double)places[i][2] / 16);
  for (int i = 0; i < 6; i++)
    add_spring(world, physical(10, 1), i, i / 3 * 3 + (i + 1) % 3, -1);
  static const int32_t corners[] = {0, 1, 2, 3, 4, 5};
  msd_collision_mesh_def defs[2] = {msd_default_collision_mesh_def(), msd_default_collision_mesh_def()};
  for (int n = 0; n < 2; n++) {
    defs[n].triangles = corners + 3 * n;
    defs[n].triangle_count = 1;
    defs[n].thickness = (msd_real)0.0625;
  }
  ok(world, msd_add_collision_meshes(world, defs, 2, NULL));
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, -10, 0}));
  if (tears) {
    msd_damage_def def = msd_default_damage_def();
    def.tear_strain = (msd_real)0.25;
    ok(world, msd_spring_set_rest_length(world, 0, 2));
    ok(world, msd_springs_set_damage(world, (msd_range){0, 1}, &def));
  }
  for (int n = 0; n < 60; n++)
    step(world, 1 / 64.0, 8);
  cr_expect_eq(msd_world_get_stats(world).torn, tears);
  const double height = (double)msd_particle_get_position(world, 3).y;
  msd_destroy_world(world);
  return height;
}

Test(tears, what_has_torn_is_no_obstacle) {
  cr_expect_float_eq(height_after_fall(false), 0.0625, 0.01);
  cr_expect_float_eq(height_after_fall(true), 0.25 - 0.5 * 10 * (60 / 64.0) * (60 / 64.0), 0.1);
}

/* A triangle across the wind, of which one edge is torn in the first step. */
Test(tears, what_has_torn_hard_limits_no_wind) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, 0, i == 1, i == 2);
  for (int i = 0; i < 3; i++)
    add_spring(world, physical(1e-3, 0), i, (i + 1) % 3, -1);
  static const int32_t corners[] = {0, 1, 2};
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = 1;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity.x = 10;
  ok(world, msd_world_set_wind(world, &wind));
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.25;
  ok(world, msd_springs_set_damage(world, (msd_range){0, 3}, &damage));
  step(world, 0.0625, 4);
  const double before = (double)msd_particle_get_velocity(world, 0).x;
  cr_assert_gt(before, 0.1);
  step(world, 0.0625, 4);
  cr_assert_gt((double)msd_particle_get_velocity(world, 0).x, before * 1.5);
  ok(world, msd_spring_set_rest_length(world, 1, (msd_real)0.5));
  step(world, 0.0625, 4);
  cr_assert(msd_spring_is_torn(world, 1));
  const double torn = (double)msd_particle_get_velocity(world, 0).x;
  step(world, 0.0625, 4);
  cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, torn, 1e-4);
  msd_destroy_world(world);
}

/* A sheet that touches itself, and tears as it hangs by two corners. */
static msd_world *falling_sheet(void) {
  graph g = graph_cloth(9, 7, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 4});
  graph_free(&g);
  add_cloth_surface(world, 9, 7);
  ASSERT_OK(world, msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_particle_pin(world, 8));
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.75;
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    ASSERT_OK(world, msd_spring_set_rest_length(world, e, msd_spring_get_length(world, e)));
    ASSERT_OK(world, msd_springs_set_damage(world, (msd_range){e, 1}, &def));
  }
  return world;
}

Test(tears, a_sheet_with_surfaces_goes_on_behind_a_snapshot_and_on_any_threads) {
  uint64_t first = 0;
  for (int threads = 1; threads <= 3; threads += 2)
    for (int at = 0; at <= 20; at += 10) {
      msd_world *world = falling_sheet(), *other = new_world(MSD_SYMPLECTIC_EULER);
      ok(world, msd_world_set_thread_count(world, threads));
      for (int n = 0; n < at; n++)
        step(world, 1 / 64.0, 16);
      snapshot s = snapshot_of(world);
      ok(other, msd_world_restore(other, s.data, s.size));
      for (int n = at; n < 40; n++) {
        step(world, 1 / 64.0, 16);
        step(other, 1 / 64.0, 16);
      }
      const msd_stats stats = msd_world_get_stats(world);
      cr_expect_gt(stats.torn, 5, "%d", stats.torn);
      first = first ? first : msd_world_hash(world);
      cr_expect_eq(msd_world_hash(world), first, "%d threads, snapshot after %d frames", threads, at);
      cr_expect_eq(msd_world_hash(other), first, "%d threads, restored after %d frames", threads, at);
      free(s.data);
      msd_destroy_world(world);
      msd_destroy_world(other);
    }
}
