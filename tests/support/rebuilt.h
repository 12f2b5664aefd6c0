/* Whether a world goes on like one made anew from its state. */
#ifndef MSD_TESTS_REBUILT_H
#define MSD_TESTS_REBUILT_H

#include "tests/support/networks.h"

#include "engine/world/world.h"

static inline msd_vec3 vec(double x, double y, double z) {
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static inline void step(msd_world *world, int substeps) {
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, substeps));
}

/* Springs that were appended to a layout are summed behind those of the layout. */
static inline void take_layout(msd_world *world, const msd_world *from) {
  const particle_store *p = &from->model.particles;
  world->model.layout_is_fixed = from->model.layout_is_fixed;
  world->model.late_springs = from->model.late_springs;
  if (!from->model.layout_is_fixed || !p->slot)
    return;
  memory *m = &world->model.memory;
  int32_t *slot = memory_allocate(m, particle_slot_bytes(&world->model.particles));
  cr_assert_not_null(slot);
  cr_assert(particle_reserve_other(&world->model.particles, m));
  memcpy(slot, p->slot, (size_t)p->count * sizeof *slot);
  particle_move_to_slots(&world->model.particles, slot, m);
}

/* A world that was stepped before something was done to it goes on like one made anew from its state, with the
   springs late that are. */
static inline msd_world *made_anew(const msd_world *old) {
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = msd_world_get_gravity(old);
  world_def.linear_damping = msd_world_get_linear_damping(old);
  world_def.integrator = msd_world_get_integrator(old);
  world_def.clamp_stiffness = msd_world_get_clamp_stiffness(old);
  msd_world *world = world_from_def(&world_def);
  for (int32_t i = 0; i < msd_world_get_particle_count(old); i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = msd_particle_get_position(old, i);
    def.velocity = msd_particle_get_velocity(old, i);
    def.mass = msd_particle_get_mass(old, i);
    def.pinned = msd_particle_is_pinned(old, i);
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t s = 0; s < msd_world_get_spring_count(old); s++) {
    const msd_spring_def def = msd_spring_get_def(old, s);
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    if (msd_spring_is_broken(old, s))
      ASSERT_OK(world, msd_spring_break(world, s));
  }
  for (int32_t c = 0; c < msd_world_get_constraint_count(old); c++) {
    const msd_constraint_def def = msd_constraint_get_def(old, c);
    ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
    if (msd_constraint_is_broken(old, c))
      ASSERT_OK(world, msd_constraint_break(world, c));
  }
  take_layout(world, old);
  return world;
}

static inline void assert_goes_on_like_new(const char *what, msd_world *world) {
  msd_world *other = made_anew(world);
  for (int n = 1; n < 4; n++) {
    step(world, n);
    step(other, n);
    cr_assert_eq(first_difference(world, other), -1, "%s: particle %d differs from step %d on", what,
                 first_difference(world, other), n);
  }
  msd_destroy_world(other);
}

#endif
