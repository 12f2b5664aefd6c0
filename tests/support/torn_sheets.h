/* Sheets whose springs split particles when they tear. */
#ifndef MSD_TESTS_SUPPORT_TORN_SHEETS_H
#define MSD_TESTS_SUPPORT_TORN_SHEETS_H

#include "tests/support/laboratory.h"
#include "tests/support/networks.h"

#include "engine/step/fracture.h"
#include "engine/world/world.h"

static const double DT = 0.0009765625;

/* Two triangles for each cell of a cloth, with the diagonal that its shear springs have. */
static inline void add_surface(msd_world *world, int32_t columns, int32_t rows, double thickness) {
  int32_t *corners = calloc((size_t)6 * (size_t)(columns * rows), sizeof *corners), *next = corners;
  cr_assert_not_null(corners);
  for (int32_t r = 0; r + 1 < rows; r++)
    for (int32_t c = 0; c + 1 < columns; c++) {
      const int32_t a = r * columns + c,
                    cell[6] = {a, a + columns, a + 1, a + 1, a + columns, a + columns + 1};
      memcpy(next, cell, sizeof cell);
      next += 6;
    }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = (int32_t)(next - corners) / 3;
  def.thickness = (msd_real)thickness;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  free(corners);
}

static inline msd_damage_def splitting(double tear_strain) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)tear_strain;
  def.split = true;
  return def;
}

static inline void let_split(msd_world *world, double tear_strain) {
  const msd_damage_def def = splitting(tear_strain);
  ok(world, msd_springs_set_damage(world, (msd_range){0, msd_world_get_spring_count(world)}, &def));
}

static inline msd_world *sheet_of(int32_t columns, int32_t rows, cloth_springs springs, making how) {
  graph g = graph_cloth(columns, rows, springs);
  msd_world *world = world_of(&g, &how);
  graph_free(&g);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  ok(world, msd_world_set_thread_count(world, 1));
  add_surface(world, columns, rows, 0.0078125);
  let_split(world, 0.25);
  return world;
}

/* The unbroken spring between two particles that is the first; -1: none. */
static inline int32_t spring_between(const msd_world *world, int32_t a, int32_t b) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (!msd_spring_is_broken(world, e) && ((def.a == a && def.b == b) || (def.a == b && def.b == a)))
      return e;
  }
  return -1;
}

/* Splits at one spring, as if it had torn in a step of DT: particle `first`, if it may choose. */
static inline void split_at(msd_world *world, int32_t spring, int32_t first) {
  splits due;
  world->model.tuned_step = DT;
  ok(world, splits_open(&due, &world->stepper, 1, DT));
  splits_add(&due, spring, 2);
  due.load[first] += 1;
  ok(world, splits_reserve(&due));
  splits_apply(&due);
  splits_close(&due);
}

static inline msd_stats stats_of(const msd_world *world) {
  return msd_world_get_stats(world);
}

static inline const int32_t *triangle_of(const msd_world *world, int32_t triangle) {
  return msd_collision_mesh_get_def(world, 0).triangles + 3 * triangle;
}

static inline double total_mass(const msd_world *world) {
  double sum = 0;
  for (int32_t i = 0; i < stats_of(world).particles; i++)
    sum += (double)msd_particle_get_mass(world, i);
  return sum;
}

#endif
