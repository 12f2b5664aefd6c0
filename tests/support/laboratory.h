/* The apparatus of the physics tests: a world without gravity, particles and springs one by one, and the
   oscillator that most of them watch. */
#ifndef MSD_TESTS_SUPPORT_LABORATORY_H
#define MSD_TESTS_SUPPORT_LABORATORY_H

#include "tests/support/pi.h"

#include <msd/msd.h>

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

static const bool IS_DOUBLE = sizeof(msd_real) == sizeof(double);
static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

static inline double largest(double a, double b) {
  return a > b ? a : b;
}

static inline void ok(const msd_world *world, msd_result result) {
  cr_assert(result == MSD_OK, "%s: %s", msd_result_string(result), msd_world_message(world));
}

/* A world without gravity. */
static inline msd_world *new_world(msd_integrator integrator) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.integrator = integrator;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline int32_t add_particle(msd_world *world, double mass, double x, double y, double z) {
  msd_particle_def def = msd_default_particle_def();
  def.mass = (msd_real)mass;
  def.position = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  int32_t index = -1;
  ok(world, msd_add_particles(world, &def, 1, &index));
  return index;
}

static inline int32_t add_pin(msd_world *world, double x, double y, double z) {
  const int32_t index = add_particle(world, 1, x, y, z);
  ok(world, msd_particle_pin(world, index));
  return index;
}

static inline void set_velocity(msd_world *world, int32_t particle, double x, double y, double z) {
  ok(world, msd_particle_set_velocity(world, particle, (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z}));
}

static inline int32_t add_spring(msd_world *world, msd_spring_def def, int32_t a, int32_t b, double rest) {
  def.a = a;
  def.b = b;
  def.rest_length = (msd_real)rest;
  int32_t index = -1;
  ok(world, msd_add_springs(world, &def, 1, &index));
  return index;
}

static inline msd_spring_def physical(double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
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

static inline msd_spring_def frequency(double hertz, double damping_ratio) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = (msd_real)hertz;
  def.damping_ratio = (msd_real)damping_ratio;
  return def;
}

static inline void step(msd_world *world, double frame_time, int substeps) {
  ok(world, msd_world_step(world, (msd_real)frame_time, substeps));
}

static inline double component(msd_vec3 v, int c) {
  return (double)(c == 0 ? v.x : c == 1 ? v.y : v.z);
}

/* A particle of `mass` at distance rest + x from a pin, on a spring: linear in x as long as |x| < rest. */
typedef struct oscillator {
  msd_world *world;
  double rest;
} oscillator;

static inline oscillator new_oscillator(msd_integrator integrator, msd_spring_def spring, double mass,
                                        double rest, double x, double v) {
  const oscillator o = {new_world(integrator), rest};
  add_pin(o.world, 0, 0, 0);
  add_particle(o.world, mass, rest + x, 0, 0);
  set_velocity(o.world, 1, v, 0, 0);
  add_spring(o.world, spring, 0, 1, rest);
  return o;
}

static inline double displacement(const oscillator *o) {
  return (double)msd_particle_get_position(o->world, 1).x - o->rest;
}

static inline double velocity(const oscillator *o) {
  return (double)msd_particle_get_velocity(o->world, 1).x;
}

#endif
