/* The contents of a snapshot after the header, one store after another:
   - particles, springs, spring impulses of the last substep (for a warm start);
   - constraints and their impulses, soft pins, rotors and torsion springs, colliders;
   - collision meshes, penetrations, the contact cache (if the next frame continues with it);
   - origins of particles (if some were split), destroyed objects, sleeping components (if sleeping is on). */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_CONTENTS_H
#define MSD_ENGINE_WORLD_SNAPSHOT_CONTENTS_H

#include "engine/kernel/warm_start.h"
#include "engine/store/rotor.h"
#include "engine/world/snapshot_header.h"

/* The contents of a snapshot until all of them have been validated. */
typedef struct snapshot_contents {
  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  soft_pin_store soft_pins;
  rotor_store rotors;
  torsion_spring_store torsion_springs;
  collider_store colliders;
  surface_store surfaces;
  penetrations penetrations;
  contact_cache contact_cache;
  sleep_store sleep;
  int32_t *slot;
  given_impulses spring_given, constraint_given;
  tombstone_store tombstones;
} snapshot_contents;

/* Writes everything that the header counts. */
void snapshot_contents_put(unsigned char *to, const snapshot_header *h, const msd_world *world);

/* Reads and validates the contents for a header that has been validated. `c` must be empty, and is empty
   again on failure. Fails with a message. */
msd_result snapshot_contents_get(msd_world *world, snapshot_contents *c, const snapshot_header *h,
                                 const unsigned char *from);

void snapshot_contents_free(snapshot_contents *c, memory *m);

/* Replaces the contents of the world, and applies the settings of the header. */
void snapshot_take_over(msd_world *world, const snapshot_header *h, snapshot_contents *c);

#endif
