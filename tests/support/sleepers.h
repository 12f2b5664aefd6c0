/* Worlds in which something comes to rest: blocks, sheets and ropes, one behind the other. */
#ifndef MSD_TESTS_SUPPORT_SLEEPERS_H
#define MSD_TESTS_SUPPORT_SLEEPERS_H

#include "tests/support/networks.h"

#define SLEEPERS_FRAME ((msd_real)0.015625)
enum { SLEEPERS_SUBSTEPS = 8, BLOCK_PARTICLES = 7 * 7 * 7 };

static inline msd_world *sleepers_world(int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.air_drag = 4;
  def.thread_count = threads;
  def.simd = simd;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.02;
  sleep.time = (msd_real)0.25;
  ASSERT_OK(world, msd_world_set_sleep(world, &sleep));
  return world;
}

static inline msd_spring_def sleepers_spring(msd_real stiffness, msd_real damping) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_PHYSICAL;
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
  def.structural = def.shear = sleepers_spring(100, (msd_real)0.0625);
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
