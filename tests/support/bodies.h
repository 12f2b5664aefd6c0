/* What the builders made, looked at from outside. */
#ifndef MSD_TESTS_BODIES_H
#define MSD_TESTS_BODIES_H

#include "tests/support/laboratory.h"

static inline msd_spring_def none(void) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_NONE;
  return def;
}

static inline void expect_range(msd_range range, int32_t first, int32_t count, const char *what) {
  cr_expect(range.first == first && range.count == count, "%s: first %d count %d, not %d and %d", what,
            (int)range.first, (int)range.count, (int)first, (int)count);
}

static inline void expect_position(const msd_world *world, int32_t particle, double x, double y, double z) {
  const msd_vec3 p = msd_particle_get_position(world, particle);
  cr_expect(p.x == (msd_real)x && p.y == (msd_real)y && p.z == (msd_real)z,
            "particle %d stands at (%.17g, %.17g, %.17g), not (%.17g, %.17g, %.17g)", (int)particle,
            (double)p.x, (double)p.y, (double)p.z, x, y, z);
}

/* How often a range of springs joins a to b, in this order. */
static inline int joined(const msd_world *world, msd_range range, int32_t a, int32_t b) {
  int found = 0;
  for (int32_t s = range.first; s < range.first + range.count; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    found += def.a == a && def.b == b;
  }
  return found;
}

static inline void expect_rest(const msd_world *world, msd_range range, int32_t a, int32_t b, double rest) {
  for (int32_t s = range.first; s < range.first + range.count; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    if (def.a != a || def.b != b)
      continue;
    cr_expect(fabs((double)def.rest_length - rest) <= EPSILON * rest,
              "spring %d-%d rests at %.17g, not %.17g", (int)a, (int)b, (double)def.rest_length, rest);
    return;
  }
  cr_expect(0, "no spring joins %d to %d", (int)a, (int)b);
}

/* The number of runs of consecutive springs with one distance between their indices. */
static inline int families(const msd_world *world, msd_range range) {
  int runs = 0;
  int32_t last = 0;
  for (int32_t s = range.first; s < range.first + range.count; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    runs += s == range.first || def.b - def.a != last;
    last = def.b - def.a;
  }
  return runs;
}

static const msd_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int32_t square_triangles[] = {0, 1, 2, 0, 2, 3};

static inline msd_mesh_def square_mesh(void) {
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = square;
  def.vertex_count = 4;
  def.triangles = square_triangles;
  def.triangle_count = 2;
  return def;
}

#endif
