/* msd: sleep. What has come to rest is left out of the steps until something touches it. Off unless asked
   for.

   An island is a piece of particles that springs and constraints join, with the pieces whose surfaces
   (surface.h) are near it; pins that stand, and colliders, join nothing. It falls asleep at the end of a step
   when each of its particles has been slower than `speed` at the ends of all steps for `time`: velocities
   become exactly 0, and positions stay, bit by bit, until it wakes. That never adds energy. Chunks of 256
   particles that were added one after the other cost nothing in a step when all of them sleep; rotors never
   do.

   It wakes as a whole, with the same bits on any number of threads, in copies and behind snapshots and
   states: by whatever changes one of its particles, springs, constraints, anchors or surfaces (position,
   velocity, force, mass, pin, target, law, rest length, wear, break, something added or destroyed), by a
   collider near it that is added, set or destroyed, or moves and comes near, by a surface that is awake and
   comes near, by another substep where the law of its springs follows that, and by what changes all (gravity,
   drag, wind, contact, limits, msd_world_relax; and where there are surfaces, pins that are set elsewhere or
   destroyed). msd_world_compact wakes nothing.
   Where wind gusts nothing with a surface sleeps. What sleeps does not wear (wear.h), and its contacts are
   not told.

   It needs MSD_SYMPLECTIC_EULER, MSD_SOLVER_FORCES, MSD_ENERGY_PLAIN and MSD_MASS_SCALING_NONE: msd_world_step
   is refused with MSD_BAD_VALUE otherwise.
   docs/sleep.md has what falls asleep at which speed, and what it costs. */
#ifndef MSD_SLEEP_H
#define MSD_SLEEP_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_sleep_def {
  /* m/s, >= 0: default 0.01. 0: nothing sleeps, and no bit and no cycle of the steps is another than
     without. */
  msd_real speed;
  /* s, > 0: default 0.5. */
  msd_real time;
  /* Set by msd_default_sleep_def. */
  uint32_t cookie;
} msd_sleep_def;

MSD_API msd_sleep_def msd_default_sleep_def(void);

/* From the next step on; all is awake, and begins to rest anew. MSD_BAD_DEF, MSD_BAD_VALUE. */
MSD_API msd_result msd_world_set_sleep(msd_world *world, const msd_sleep_def *def);

/* As it was set; before that the default definition with a speed of 0. */
MSD_API msd_sleep_def msd_world_get_sleep(const msd_world *world);

/* How many sleep is in msd_stats. */
MSD_API bool msd_particle_is_asleep(const msd_world *world, int32_t particle);

/* Wakes the island of a particle, or all; those that are awake begin to rest anew. MSD_BAD_INDEX. */
MSD_API msd_result msd_particle_wake(msd_world *world, int32_t particle);
MSD_API msd_result msd_world_wake_all(msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
