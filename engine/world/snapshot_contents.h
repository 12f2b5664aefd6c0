/* What follows the header of a snapshot, store by store as their files write them: particles, springs, impulses
   of the springs in the last substep (if the next one begins with them), constraints, their impulses, anchors,
   rotors and angular springs, colliders, surfaces, their tangles, what is known of which may meet (if the next
   step goes on with it), what particles are parts of (if some were split), what has been destroyed, and who
   sleeps (if anything can). */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_CONTENTS_H
#define MSD_ENGINE_WORLD_SNAPSHOT_CONTENTS_H

#include "engine/kernel/given_impulses.h"
#include "engine/store/rotor.h"
#include "engine/world/snapshot_header.h"

/* The contents of a snapshot, until all of them have been checked. */
typedef struct snapshot_contents {
  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  anchor_store anchors;
  rotor_store rotors;
  angular_spring_store angular_springs;
  collider_store colliders;
  surface_store surfaces;
  tangles tangles;
  lookout look;
  sleep_store sleep;
  int32_t *slot;
  given_impulses spring_given, constraint_given;
  gap_store gaps;
} snapshot_contents;

/* Writes all that the header counts. */
void snapshot_contents_put(unsigned char *to, const snapshot_header *h, const msd_world *world);

/* Reads and checks all that a header counts which has been checked, into what is empty, and leaves it empty
   where that fails, with a message. */
msd_result snapshot_contents_get(msd_world *world, snapshot_contents *c, const snapshot_header *h,
                                 const unsigned char *from);

void snapshot_contents_free(snapshot_contents *c, memory *m);

/* Puts it in the place of what the world has, with the settings of the header. */
void snapshot_take_over(msd_world *world, const snapshot_header *h, snapshot_contents *c);

#endif
