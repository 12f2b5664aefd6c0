/* Soft pins in the laboratory. */
#ifndef MSD_TESTS_SOFT_PINS_H
#define MSD_TESTS_SOFT_PINS_H

#include "tests/support/laboratory.h"

#include <stdint.h>

/* splitmix64 */
typedef struct generator {
  uint64_t state;
} generator;

static inline uint64_t next_random(generator *g) {
  uint64_t z = g->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static inline double next_unit(generator *g) {
  return (double)(next_random(g) >> 11) * 0x1p-53;
}

static inline msd_vec3 at(double x, double y, double z) {
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static inline msd_soft_pin_def held(int32_t particle, double frequency, double ratio) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = particle;
  def.frequency = (msd_real)frequency;
  def.damping_ratio = (msd_real)ratio;
  return def;
}

static inline int32_t soft_pin(msd_world *world, msd_soft_pin_def def) {
  int32_t index = -1;
  ok(world, msd_add_soft_pins(world, &def, 1, &index));
  return index;
}

/* A network in a random penetration, of every stiffness and damping, some particles on soft pins. */
static inline msd_world *new_penetration(generator *random, bool is_critical) {
  enum { PARTICLES = 14, SPRINGS = 30 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  for (int i = 1; i < PARTICLES; i++)
    add_particle(world, pow(10, 2 * next_unit(random) - 1), next_unit(random), next_unit(random),
                 next_unit(random));
  for (int s = 0; s < SPRINGS; s++) {
    const int32_t a = s % PARTICLES, b = (int32_t)(next_random(random) % PARTICLES);
    const double k = next_unit(random) < 0.2 ? 0 : pow(10, 3 * next_unit(random));
    const double mu = next_unit(random) < 0.4 ? 0 : pow(10, 2 * next_unit(random) - 1);
    if (a != b)
      add_spring(world, physical(k, mu), a, b, 1.5 * next_unit(random));
  }
  for (int32_t i = 1; i < PARTICLES; i++)
    if (next_unit(random) < 0.4) {
      const double hertz = pow(10, 6 * next_unit(random) - 2);
      msd_soft_pin_def def =
          held(i, hertz, is_critical ? 1 + 3 * next_unit(random) * (i % 2) : next_unit(random));
      if (!is_critical)
        def.frequency = (msd_real)(5 * next_unit(random));
      def.position = msd_particle_get_position(world, i);
      soft_pin(world, def);
    }
  return world;
}

#endif
