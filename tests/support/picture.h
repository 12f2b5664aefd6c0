/* Small worlds, and pictures of whole worlds to compare. */
#ifndef MSD_TESTS_SUPPORT_PICTURE_H
#define MSD_TESTS_SUPPORT_PICTURE_H

#include <msd/msd.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline msd_world *empty_world(void) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline msd_spring_def spring_between(int32_t a, int32_t b) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = 100;
  def.damping = 1;
  return def;
}

/* Four particles in a row, the first pinned, and the three springs between them. */
static inline msd_world *small_world(void) {
  msd_world *world = empty_world();
  msd_particle_def particles[4];
  msd_spring_def springs[3];
  for (int32_t i = 0; i < 4; i++) {
    particles[i] = msd_default_particle_def();
    particles[i].position.x = (msd_real)i;
    particles[i].pinned = i == 0;
  }
  for (int32_t i = 0; i < 3; i++)
    springs[i] = spring_between(i, i + 1);
  cr_assert_eq(msd_add_particles(world, particles, 4, NULL), MSD_OK);
  cr_assert_eq(msd_add_springs(world, springs, 3, NULL), MSD_OK);
  return world;
}

/* The whole of a world as bytes. */
typedef struct picture {
  void *bytes;
  size_t size;
} picture;

static inline picture take_picture(const msd_world *world) {
  picture p = {0};
  cr_assert_eq(msd_world_save(world, NULL, 0, &p.size), MSD_OK);
  p.bytes = malloc(p.size);
  cr_assert(p.bytes != NULL);
  cr_assert_eq(msd_world_save(world, p.bytes, p.size, &p.size), MSD_OK);
  return p;
}

static inline bool is_same(picture a, picture b) {
  return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static inline void forget(picture p) {
  free(p.bytes);
}

/* Whether a world still is what it was; `before` is used up. */
static inline bool is_unchanged(const msd_world *world, picture before) {
  const picture after = take_picture(world);
  const bool same = is_same(before, after);
  forget(before);
  forget(after);
  return same;
}

static inline bool is_finite_vector(msd_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static inline bool is_finite_world(const msd_world *world) {
  bool finite = true;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    finite = finite && is_finite_vector(msd_particle_get_position(world, i)) &&
             is_finite_vector(msd_particle_get_velocity(world, i));
  for (int32_t i = 0; i < msd_world_get_soft_pin_count(world); i++)
    finite = finite && is_finite_vector(msd_soft_pin_get_def(world, i).position);
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
    finite = finite && isfinite(msd_rotor_get_angle(world, i)) &&
             isfinite(msd_rotor_get_angular_velocity(world, i));
  return finite;
}

#endif
