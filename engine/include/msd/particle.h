/* msd: particles, which are point masses, and views of all of them. */
#ifndef MSD_PARTICLE_H
#define MSD_PARTICLE_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_particle_def {
  /* m; default 0. */
  msd_vec3 position;
  /* m/s; default 0. */
  msd_vec3 velocity;
  /* kg, finite and > 0; default 1. A pinned particle keeps it for when it is unpinned. */
  msd_real mass;
  /* Default false. */
  bool pinned;
  /* Set by msd_default_particle_def. */
  uint32_t cookie;
} msd_particle_def;

MSD_API msd_particle_def msd_default_particle_def(void);

/* Adds `count` >= 0 particles with consecutive indices, the first of which goes to *first (may be NULL).
   All or none are added. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. In a world that has
   been stepped they are appended to its layout: the step behind costs what was added. */
MSD_API msd_result msd_add_particles(msd_world *world, const msd_particle_def *defs, int count,
                                     int32_t *first);

MSD_API int32_t msd_world_get_particle_count(const msd_world *world);

/* A particle as it now is; the default definition for a bad index. */
MSD_API msd_particle_def msd_particle_get_def(const msd_world *world, int32_t particle);
MSD_API msd_vec3 msd_particle_get_position(const msd_world *world, int32_t particle);
MSD_API msd_vec3 msd_particle_get_velocity(const msd_world *world, int32_t particle);
MSD_API msd_real msd_particle_get_mass(const msd_world *world, int32_t particle);
MSD_API bool msd_particle_is_pinned(const msd_world *world, int32_t particle);

/* The particle that was added of which one is a part, since springs have torn that split particles (wear.h):
   itself where it was added. -1 for a bad index. Parts come behind all other particles, in the steps in which
   msd_world_get_particle_count grows. */
MSD_API int32_t msd_particle_get_origin(const msd_world *world, int32_t particle);

/* Puts a particle elsewhere at once; its velocity stays. MSD_BAD_INDEX, MSD_BAD_VALUE. */
MSD_API msd_result msd_particle_set_position(msd_world *world, int32_t particle, msd_vec3 position);

/* Sets a velocity. A pinned particle then travels at it, whatever the springs do, until it is set again. */
MSD_API msd_result msd_particle_set_velocity(msd_world *world, int32_t particle, msd_vec3 velocity);

/* Sets the mass, finite and > 0. */
MSD_API msd_result msd_particle_set_mass(msd_world *world, int32_t particle, msd_real mass);

/* Pins a particle where it is (its velocity becomes 0): neither springs nor gravity move it. Unpinning lets
   it go with the velocity it has. */
MSD_API msd_result msd_particle_pin(msd_world *world, int32_t particle);
MSD_API msd_result msd_particle_unpin(msd_world *world, int32_t particle);

/* Carries a pinned particle in a straight line to `position` during the next msd_world_step; the springs
   feel the velocity of that motion. Afterwards it is still. MSD_BAD_VALUE when it is not pinned. */
MSD_API msd_result msd_particle_move_to(msd_world *world, int32_t particle, msd_vec3 position);

/* Adds a force in N that acts on the particle during the whole of the next msd_world_step. */
MSD_API msd_result msd_particle_apply_force(msd_world *world, int32_t particle, msd_vec3 force);

/* The arrays of the world itself, without a copy. Valid until the next call that steps, changes or destroys
   the world. */
typedef struct msd_view {
  const msd_real *x, *y, *z;
  /* Where particle i is in x, y and z: at slot[i]; at i when slot is NULL. msd_view_at looks it up. */
  const int32_t *slot;
  int32_t count;
} msd_view;

MSD_API msd_view msd_world_get_positions(const msd_world *world);
MSD_API msd_view msd_world_get_velocities(const msd_world *world);

/* Element i of a view, 0 <= i < count. */
static inline msd_vec3 msd_view_at(msd_view view, int32_t i) {
  const int32_t slot = view.slot ? view.slot[i] : i;
  msd_vec3 element;
  element.x = view.x[slot];
  element.y = view.y[slot];
  element.z = view.z[slot];
  return element;
}

#ifdef __cplusplus
}
#endif

#endif
