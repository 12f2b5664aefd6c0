/* msd: sleeping. Islands of particles at rest are skipped until something wakes them. Off by default.

   Islands. A connected component is a set of particles that springs and constraints connect. An island is a
   component together with the components whose collision meshes (collision_mesh.h) are close to it; static pins
   and colliders do not connect islands. An island falls asleep at the end of a frame when all its particles
   have been slower than `speed` at the end of every frame for `delay` seconds. Velocities become exactly 0,
   and positions do not change until it wakes. This never adds energy. A block of 256 consecutive particles
   has no cost while all of them sleep. Rotors never sleep.

   Waking. An island wakes as a whole, deterministically for any number of threads, in copies, and after
   snapshots and states are restored. It is woken by:
   - any change of its particles, springs, constraints, soft pins or collision meshes: position, velocity,
     force, mass, pin, target, law, rest length, damage, breaking, objects added or destroyed;
   - a nearby collider that is added, changed or destroyed, or that moves close to it;
   - an awake collision mesh that comes close to it;
   - a change of the substep, if the law of its springs depends on it;
   - changes of gravity, linear damping, wind, contact settings or stiffness clamping, and
   msd_world_find_equilibrium;
   - with collision meshes, pins that are teleported or destroyed anywhere.

   msd_world_compact wakes nothing.

   Limits. With turbulent wind, collision meshes do not sleep. Sleeping objects are not damaged
   (msd_damage_def), and their contacts are not reported. Sleeping needs MSD_SYMPLECTIC_EULER,
   MSD_SOLVER_EXPLICIT, MSD_ENERGY_OFF and MSD_MASS_SCALING_NONE; otherwise msd_world_step returns
   MSD_BAD_VALUE. docs/explain/sleep.md describes typical speeds and costs. */
#ifndef MSD_SLEEP_H
#define MSD_SLEEP_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sleep settings of a world. */
typedef struct msd_sleep_def {
  /* m/s, >= 0; default 0.01. Speed below which particles count as at rest. 0 turns sleeping off, which has no
     cost and does not change results. */
  msd_real speed;
  /* s, > 0; default 0.5. Time that an island must be at rest before it falls asleep. */
  msd_real delay;
  /* Internal mark of an initialized definition. Set by msd_default_sleep_def. */
  uint32_t cookie;
} msd_sleep_def;

MSD_API msd_sleep_def msd_default_sleep_def(void);

/* Sets the sleep settings from the next frame on. Everything wakes, and all rest times start at 0. Returns
   MSD_UNINITIALIZED_DEF or MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_world_set_sleep(msd_world *world, const msd_sleep_def *def);

/* Returns the sleep settings; before the first msd_world_set_sleep, the default definition with speed 0. */
MSD_API msd_sleep_def msd_world_get_sleep(const msd_world *world);

/* Returns whether a particle sleeps. msd_stats has the number of sleeping particles. */
MSD_API bool msd_particle_is_asleep(const msd_world *world, int32_t particle);

/* Wake the island of a particle, or everything. The rest times of awake islands start again at 0. Returns
   MSD_BAD_INDEX for a particle that does not exist. */
MSD_API msd_result msd_particle_wake(msd_world *world, int32_t particle);
MSD_API msd_result msd_world_wake_all(msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
