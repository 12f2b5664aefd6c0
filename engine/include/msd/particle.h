/* msd: particles, which are point masses, and views of all of them. */
#ifndef MSD_PARTICLE_H
#define MSD_PARTICLE_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_particle_def {
  /* m; default (0,0,0). */
  msd_vec3 position;
  /* m/s; default (0,0,0). */
  msd_vec3 velocity;
  /* kg, finite and > 0; default 1. A pinned particle keeps its mass for when it is unpinned. */
  msd_real mass;
  /* Default false. A pinned particle is static or kinematic: forces do not move it. */
  bool pinned;
  /* Internal mark of an initialized definition. Set by msd_default_particle_def. */
  uint32_t cookie;
} msd_particle_def;

MSD_API msd_particle_def msd_default_particle_def(void);

/* Adds `count` (>= 0) particles with consecutive indices, all of them or none. Stores the index of the first
   in *first, which may be NULL. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE or
   MSD_OUT_OF_MEMORY on failure.

   Particles that are added after the first msd_world_step are appended to the compiled layout, so the cost in
   the next frame is proportional to their number. */
MSD_API msd_result msd_add_particles(msd_world *world, const msd_particle_def *defs, int count,
                                     int32_t *first);

/* Returns the number of particles, destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_particle_count(const msd_world *world);

/* Return the current state of a particle. For a bad index they return the default definition or zero. */
MSD_API msd_particle_def msd_particle_get_def(const msd_world *world, int32_t particle);
MSD_API msd_vec3 msd_particle_get_position(const msd_world *world, int32_t particle);
MSD_API msd_vec3 msd_particle_get_velocity(const msd_world *world, int32_t particle);
MSD_API msd_real msd_particle_get_mass(const msd_world *world, int32_t particle);
MSD_API bool msd_particle_is_pinned(const msd_world *world, int32_t particle);

/* Returns the particle that was split, possibly several times, to create this one (msd_damage_def); the index
   itself for a particle that the program added; -1 for a bad index. A frame that splits particles appends the
   new ones, so msd_world_get_particle_count grows. */
MSD_API int32_t msd_particle_get_origin(const msd_world *world, int32_t particle);

/* Teleports a particle; its velocity is unchanged. Returns MSD_BAD_INDEX or MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_particle_set_position(msd_world *world, int32_t particle, msd_vec3 position);

/* Sets a velocity in m/s. A pinned particle then moves at this velocity, whatever forces act on it, until the
   velocity is set again. */
MSD_API msd_result msd_particle_set_velocity(msd_world *world, int32_t particle, msd_vec3 velocity);

/* Sets the mass in kg, finite and > 0. */
MSD_API msd_result msd_particle_set_mass(msd_world *world, int32_t particle, msd_real mass);

/* Pins a particle at its current position and sets its velocity to 0; springs and gravity no longer move it.
   Unpinning releases the particle with its current velocity. */
MSD_API msd_result msd_particle_pin(msd_world *world, int32_t particle);
MSD_API msd_result msd_particle_unpin(msd_world *world, int32_t particle);

/* Sets the kinematic target of a pinned particle: it moves in a straight line to `position` during the next
   msd_world_step and is at rest afterwards. Damped springs respond to its velocity. Returns MSD_BAD_VALUE if
   the particle is not pinned. */
MSD_API msd_result msd_particle_move_to(msd_world *world, int32_t particle, msd_vec3 position);

/* Like msd_particle_move_to, on the path of a rotation (msd_turn) that may take several turns: a pin on a
   circle stays on it within the frame. Substeps cut the path into chords. MSD_BAD_VALUE also if the turn is not
   finite. msd_world_step returns MSD_BAD_VALUE if it turns by more than half a turn in a substep; with substeps
   0 it takes at least 64 substeps a turn. */
MSD_API msd_result msd_particle_move_along(msd_world *world, int32_t particle, msd_vec3 position,
                                           msd_turn turn);

/* Adds a force in N that acts on the particle during the whole of the next msd_world_step and is then
   cleared. */
MSD_API msd_result msd_particle_apply_force(msd_world *world, int32_t particle, msd_vec3 force);

/* View of an array of the world, without a copy. Valid until the next call that steps, changes or destroys
   the world. */
typedef struct msd_view {
  const msd_real *x, *y, *z;
  /* Particle i is at x[slot[i]], y[slot[i]], z[slot[i]]; at index i if slot is NULL. msd_view_at does this
     lookup. */
  const int32_t *slot;
  int32_t count;
} msd_view;

/* Return views of all positions in m, and of all velocities in m/s. */
MSD_API msd_view msd_world_get_positions(const msd_world *world);
MSD_API msd_view msd_world_get_velocities(const msd_world *world);

/* Returns element i of a view, 0 <= i < count. */
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
