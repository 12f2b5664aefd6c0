/* Worlds in which something comes to rest: blocks, sheets and ropes, one behind the other. */
#ifndef MSD_TESTS_SUPPORT_SLEEPERS_H
#define MSD_TESTS_SUPPORT_SLEEPERS_H

#include "tests/support/networks.h"

#define SLEEPERS_FRAME ((msd_real)0.015625)
enum { SLEEPERS_SUBSTEPS = 8, BLOCK_PARTICLES = 7 * 7 * 7 };

static inline msd_world *sleepers_world(int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = 4;
  def.thread_count = threads;
  def.simd = simd;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.02;
  sleep.delay = (msd_real)0.25;
  ASSERT_OK(world, msd_world_set_sleep(world, &sleep));
  return world;
}

static inline msd_spring_def sleepers_spring(msd_real stiffness, msd_real damping) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = stiffness;
  def.damping = damping;
  return def;
}

/* A block of 343 particles; returns the first. */
static inline int32_t add_sleepers_block(msd_world *world, msd_vec3 origin) {
  msd_block_def def = msd_default_block_def();
  def.origin = origin;
  def.cells[0] = def.cells[1] = def.cells[2] = 6;
  def.mass = 3;
  def.stretch = def.shear = sleepers_spring(100, (msd_real)0.0625);
  msd_body body;
  ASSERT_OK(world, msd_add_block(world, &def, &body));
  return body.particles.first;
}

static inline void add_sleepers_ground(msd_world *world) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_PLANE;
  def.friction = (msd_real)0.5;
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
}

enum { SLEEPERS_SIDE = 12, SLEEPERS_SHEET = SLEEPERS_SIDE * SLEEPERS_SIDE };

/* A sheet of 1.1 m by 1.1 m at that height, with a surface; returns its first particle. */
static inline int32_t add_sleepers_sheet(msd_world *world, msd_real x, msd_real height, bool pinned) {
  msd_cloth_def def = msd_default_cloth_def();
  def.origin = (msd_vec3){x, height, 0};
  def.u = (msd_vec3){(msd_real)1.1, 0, 0};
  def.v = (msd_vec3){0, 0, (msd_real)1.1};
  def.columns = def.rows = SLEEPERS_SIDE;
  def.mass = (msd_real)0.5;
  def.stretch = sleepers_spring(40, (msd_real)0.03);
  def.shear = sleepers_spring(20, (msd_real)0.02);
  msd_body body;
  ASSERT_OK(world, msd_add_cloth(world, &def, &body));
  int32_t triangles[6 * SLEEPERS_SHEET], count = 0;
  for (int32_t row = 0; row + 1 < SLEEPERS_SIDE; row++)
    for (int32_t column = 0; column + 1 < SLEEPERS_SIDE; column++) {
      const int32_t a = body.particles.first + row * SLEEPERS_SIDE + column, c = a + SLEEPERS_SIDE;
      const int32_t cell[6] = {a, a + 1, c, a + 1, c + 1, c};
      memcpy(triangles + count, cell, sizeof cell);
      count += 6;
    }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = count / 3;
  surface.thickness = (msd_real)0.02;
  surface.friction = (msd_real)0.5;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  for (int32_t i = 0; i < SLEEPERS_SHEET && pinned; i++)
    ASSERT_OK(world, msd_particle_pin(world, body.particles.first + i));
  return body.particles.first;
}

static inline void step_sleepers(msd_world *world, int frames) {
  for (int frame = 0; frame < frames; frame++)
    ASSERT_OK(world, msd_world_step(world, SLEEPERS_FRAME, SLEEPERS_SUBSTEPS));
}

/* Steps until so many sleep, for ten seconds at most. */
static inline void step_until_asleep(msd_world *world, int32_t count) {
  int frames = 0;
  while (msd_world_get_stats(world).asleep < count && frames++ < 640)
    step_sleepers(world, 1);
  cr_assert_eq(msd_world_get_stats(world).asleep, count, "%d", (int)msd_world_get_stats(world).asleep);
}

#endif
