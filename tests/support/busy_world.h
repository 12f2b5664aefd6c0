/* A world in which much happens. */
#ifndef MSD_TESTS_BUSY_WORLD_H
#define MSD_TESTS_BUSY_WORLD_H

#include "tests/support/networks.h"

static inline msd_world *empty_world(void) {
  const msd_world_def def = msd_default_world_def();
  return world_from_def(&def);
}

/* A frame of a run in which much happens, the same for equal frame numbers. */
static inline void play(msd_world *world, int frame) {
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)(0.01 * frame), 0}));
  ASSERT_OK(world, msd_particle_apply_force(world, particles / 2, (msd_vec3){1, (msd_real)frame, 0}));
  ASSERT_OK(world, msd_spring_break(world, (frame * 37 + 5) % springs));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 1 + frame % 3));
}

/* Settings away from their defaults; broken springs, forces and moves that wait for the next step. */
static inline msd_world *busy_world(int frames) {
  graph g = graph_cloth(13, 9, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 3, .pins = true, .breaks = 11, .sides = 4});
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){1, -8, (msd_real)0.3}));
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)0.7));
  for (int frame = 0; frame < frames; frame++)
    play(world, frame);
  ASSERT_OK(world, msd_particle_move_to(world, 50, (msd_vec3){0, (msd_real)0.5, 0}));
  ASSERT_OK(world, msd_particle_apply_force(world, 7, (msd_vec3){0, 3, 0}));
  ASSERT_OK(world, msd_spring_break(world, 2));
  graph_free(&g);
  return world;
}

#endif
