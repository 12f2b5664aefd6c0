/* Particles and constraints at random places. */
#ifndef MSD_TESTS_CRUMPLED_H
#define MSD_TESTS_CRUMPLED_H

#include "tests/support/constraints.h"
#include "tests/support/stability.h"

static const double PI = 3.14159265358979323846;

enum { KINDS = MSD_CONSTRAINT_KIND_COUNT };

static inline msd_world *empty_world(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

/* In a cube of side 2, with masses between 1/10 and 10. */
static inline void add_crumpled_particles(msd_world *world, generator *random, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(random, 1);
    def.mass = (msd_real)pow(10, (double)random_real(random));
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
}

typedef struct corners {
  int32_t at[4];
} corners;

static inline corners different_corners(generator *random, int32_t particles) {
  corners c;
  for (int n = 0; n < 4; n++) {
    bool taken = true;
    while (taken) {
      c.at[n] = random_below(random, particles);
      taken = false;
      for (int other = 0; other < n; other++)
        taken = taken || c.at[other] == c.at[n];
    }
  }
  return c;
}

static inline double random_rest(generator *random, msd_constraint_kind kind) {
  static const double most[KINDS] = {3.14, 3.14, 1, 0.5, 1, 0.5};
  const double part = (double)random_real(random);
  return most[kind] * (kind == MSD_CONSTRAINT_ANGLE ? fabs(part) : part);
}

/* A closed mesh is a tetrahedron here; its volume is that of the other kind, and must be as stiff. */
static inline void add_random_constraint(msd_world *world, generator *random, msd_constraint_kind kind,
                                         int law_kind) {
  const corners c = different_corners(random, msd_world_get_particle_count(world));
  const int32_t triangles[12] = {c.at[0], c.at[2], c.at[1], c.at[0], c.at[1], c.at[3],
                                 c.at[1], c.at[2], c.at[3], c.at[2], c.at[0], c.at[3]};
  msd_constraint_def def = constraint_of(kind, c.at[0], c.at[1], c.at[2], c.at[3]);
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  def.rest = (msd_real)random_rest(random, kind);
  give_law(&def, law_kind);
  add_constraint(world, def);
}

#endif
