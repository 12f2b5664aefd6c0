/* Small networks of unit masses one meter apart, whose limits have closed forms. */
#ifndef MSD_TESTS_UNIT_NETWORKS_H
#define MSD_TESTS_UNIT_NETWORKS_H

#include "tests/support/stability.h"

#include <criterion/criterion.h>

#include <msd/msd.h>

#include <math.h>

/* Uniform in 0..1, the same sequence everywhere. */
static inline double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline int below(uint64_t *seed, int count) {
  return (int)(uniform(seed) * count);
}

static inline msd_world *empty_world(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline void add_particle(msd_world *world, double x, double y, double z, double mass) {
  msd_particle_def def = msd_default_particle_def();
  def.position = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  def.mass = (msd_real)mass;
  cr_assert_eq(msd_add_particles(world, &def, 1, NULL), MSD_OK);
}

static inline msd_spring_def physical(double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

static inline msd_spring_def coefficient(double ck, double cd) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  return def;
}

static inline int32_t join(msd_world *world, int32_t a, int32_t b, msd_spring_def def) {
  int32_t spring;
  def.a = a;
  def.b = b;
  cr_assert_eq(msd_add_springs(world, &def, 1, &spring), MSD_OK);
  return spring;
}

/* A unit rope along x with unit masses. */
static inline msd_world *rope(int particles, msd_spring_def stretch) {
  msd_world *world = empty_world();
  msd_rope_def def = msd_default_rope_def();
  def.particles = particles;
  def.mass = (msd_real)particles;
  def.to.x = (msd_real)(particles - 1);
  def.stretch = stretch;
  cr_assert_eq(msd_add_rope(world, &def, NULL), MSD_OK);
  return world;
}

/* Unit masses one meter apart; a law of MSD_SPRING_NONE leaves a kind out. */
static inline msd_world *cloth(int side, msd_spring_def stretch, msd_spring_def shear, msd_spring_def bend) {
  msd_world *world = empty_world();
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = side;
  def.mass = (msd_real)(side * side);
  def.u.x = (msd_real)(side - 1);
  def.v.y = (msd_real)(1 - side);
  def.stretch = stretch;
  def.shear = shear;
  def.bend = bend;
  cr_assert_eq(msd_add_cloth(world, &def, NULL), MSD_OK);
  return world;
}

static inline msd_spring_def none(void) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_NONE;
  return def;
}

/* Whether a small disturbance along x grows. */
static inline bool blows_up(msd_world *world, double dt, int steps) {
  const int32_t count = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < count; i++) {
    const double push = 1e-4 * ((i * 7 + 3) % 5 - 2);
    cr_assert_eq(msd_particle_set_position(world, i, (msd_vec3){(msd_real)(i + push), 0, 0}), MSD_OK);
    cr_assert_eq(msd_particle_set_velocity(world, i, (msd_vec3){0, 0, 0}), MSD_OK);
  }
  if (msd_world_step(world, (msd_real)(dt * steps), steps) != MSD_OK)
    return true;
  for (int32_t i = 0; i < count; i++)
    if (fabs((double)msd_particle_get_position(world, i).x - i) > 0.1)
      return true;
  return false;
}

#endif
