/* Bodies for worlds of which each rank has a part, the same in one process. */
#ifndef MSD_TESTS_SUPPORT_PARTS_H
#define MSD_TESTS_SUPPORT_PARTS_H

#include "engine/world/world.h"
#include "tests/support/networks.h"
#include "tests/support/rank_room.h"

static inline msd_world *empty(void) {
  msd_world_def def = msd_default_world_def();
  def.air_drag = (msd_real)0.1;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline msd_spring_def stiff(msd_real stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_PHYSICAL;
  def.stiffness = stiffness;
  def.damping = (msd_real)0.001;
  return def;
}

static inline msd_spring_def coefficients(void) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.1;
  def.cd = (msd_real)0.05;
  return def;
}

/* A particle of the whole, where the world has it; -1. */
static inline int32_t local(const msd_world *world, int32_t particle) {
  const msd_part part = msd_world_get_part(world);
  const int32_t at = particle - part.kept.first;
  if (!world->part.is_open)
    return particle;
  return at >= 0 && at < part.kept.count ? at : -1;
}

/* Each to be found at its place in the whole, whoever has it. */
static inline void pin(msd_world *world, int32_t particle) {
  const int32_t at = local(world, particle);
  if (at >= 0 && at < msd_world_get_particle_count(world))
    ASSERT_OK(world, msd_particle_pin(world, at));
}

static inline void add_cloth(msd_world *world, int32_t columns, int32_t rows, msd_spring_def springs,
                             msd_real z) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.origin.z = z;
  def.structural = def.shear = def.bend = springs;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

static inline void cloth(msd_world *world) {
  add_cloth(world, 40, 77, stiff(20), 0);
  pin(world, 0);
  pin(world, 39);
}

/* The mass that acts at a spring follows from how many there are at its ends. */
static inline void cloth_of_coefficients(msd_world *world) {
  add_cloth(world, 48, 60, coefficients(), 0);
  pin(world, 0);
  pin(world, 47);
}

static inline void rope(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 5001;
  def.mass = 500;
  def.stretch = stiff(500);
  def.bend = stiff(7);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 0);
  pin(world, 5000);
}

static inline void block(msd_world *world) {
  msd_block_def def = msd_default_block_def();
  def.cells[0] = 15;
  def.cells[1] = 12;
  def.cells[2] = 21;
  def.structural = def.shear = stiff(30);
  def.mass = 50;
  ASSERT_OK(world, msd_add_block(world, &def, NULL));
  pin(world, 5);
}

/* Three columns: no group of 16 particles has 12 springs to the right, or along a diagonal. */
static inline void add_narrow(msd_world *world, int32_t rows) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 3;
  def.rows = rows;
  def.structural = def.shear = stiff(1);
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

/* The last rank has little in rows, and the whole enough. */
static inline void several(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  cloth(world);
  def.particles = 333;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  block(world);
  add_cloth(world, 31, 17, coefficients(), 2);
  add_narrow(world, 1200);
}

static inline void of_a_material(msd_world *world) {
  msd_material material = msd_default_material();
  msd_cloth_def def = msd_default_cloth_def();
  material.stretch = 30;
  material.shear = 10;
  material.bend = 0;
  material.area_density = 1;
  def.columns = def.rows = 50;
  def.material = &material;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  pin(world, 0);
}

/* Fewer chunks than ranks. */
static inline void small(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 300;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 299);
}

/* What bodies bring, from a world that keeps none of it. */
static inline msd_part measure(void (*fill)(msd_world *world)) {
  rank_room room;
  room_begin_with(&room, 5, 0);
  const msd_ranks ranks = room_ranks(&room.seats[2], 0);
  msd_world *world = empty();
  ASSERT_OK(world, msd_world_set_part(world, &ranks, 0, 0));
  fill(world);
  cr_assert_eq(msd_world_get_particle_count(world) + msd_world_get_spring_count(world), 0);
  const msd_part part = msd_world_get_part(world);
  msd_destroy_world(world);
  return part;
}

#endif
