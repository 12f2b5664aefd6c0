/* Worlds that are stepped by sequential impulses. */
#ifndef MSD_TESTS_IMPULSES_H
#define MSD_TESTS_IMPULSES_H

#include "tests/support/networks.h"

#include <math.h>

typedef struct setting {
  msd_integrator integrator;
  int iterations;
  bool warm_start;
} setting;

static inline msd_world *empty_world(setting s) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.integrator = s.integrator;
  def.impulse_iterations = s.iterations;
  def.impulse_warm_start = s.warm_start;
  return world_from_def(&def);
}

static const setting FORCES = {MSD_SYMPLECTIC_EULER, 1, false};

static inline setting impulses(int iterations, bool warm_start) {
  return (setting){MSD_SEQUENTIAL_IMPULSE, iterations, warm_start};
}

static inline msd_spring_def coefficient(double ck, double cd) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  return def;
}

/* The points of a graph at rest, each moved by up to `noise`, on springs that rest as the graph lies. */
static inline msd_world *crumpled(const graph *g, setting s, msd_spring_def spring, msd_real noise) {
  msd_world *world = empty_world(s);
  generator random = {.state = 31};
  for (int32_t i = 0; i < g->particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = g->at[i];
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t e = 0; e < g->springs; e++) {
    spring.a = g->a[e];
    spring.b = g->b[e];
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  for (int32_t i = 0; i < g->particles; i++) {
    const msd_vec3 x = g->at[i], shift = random_vector(&random, noise);
    ASSERT_OK(world,
              msd_particle_set_position(world, i, (msd_vec3){x.x + shift.x, x.y + shift.y, x.z + shift.z}));
  }
  return world;
}

static inline double distance(msd_vec3 a, msd_vec3 b) {
  return hypot(hypot((double)a.x - (double)b.x, (double)a.y - (double)b.y), (double)a.z - (double)b.z);
}

/* The largest difference between the velocities of two worlds. */
static inline double velocity_difference(const msd_world *one, const msd_world *other) {
  double most = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(one); i++)
    most = fmax(most, distance(msd_particle_get_velocity(one, i), msd_particle_get_velocity(other, i)));
  return most;
}

#endif
