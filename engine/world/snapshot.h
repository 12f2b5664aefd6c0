/* Writing the parts of a world as bytes and reading them back; the layout is told in snapshot.c. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_H
#define MSD_ENGINE_WORLD_SNAPSHOT_H

#include "engine/store/anchor.h"
#include "engine/store/constraint.h"

#include <string.h>

/* Copies `bytes` and moves on behind them. */
static inline void snapshot_put(unsigned char **to, const void *from, size_t bytes) {
  if (bytes > 0)
    memcpy(*to, from, bytes);
  *to += bytes;
}

static inline void snapshot_get(void *to, const unsigned char **from, size_t bytes) {
  if (bytes > 0)
    memcpy(to, *from, bytes);
  *from += bytes;
}

/* Stiffness or damping in the range of its law; negative is MSD_STIFFEST, and has no other value. */
static inline bool snapshot_is_tuning(msd_real value, int law) {
  return value - value == 0 && (value >= 0 || (law == MSD_SPRING_COEFFICIENT && value == MSD_STIFFEST));
}

/* Constraints: for each its kind, law, corners, rest and two numbers, then the triangles of all meshes. */
uint64_t constraint_snapshot_size(int32_t constraints, int32_t meshes, int32_t triangles);
/* room_step: the substep that fold_room was found for; 0: it is to be found again. */
void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double room_step);

/* Into a store that was reserved, with the valence of the particles. Fails with MSD_BAD_SNAPSHOT, saying what is
   out of its range, or MSD_OUT_OF_MEMORY. */
msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   int32_t constraints, int32_t meshes, int32_t triangles,
                                   const unsigned char **from);

/* Snapshots: bytes of that many, writing them, and reading them into an empty store for the particles `p`, whose
   masses are there. Fails with MSD_BAD_SNAPSHOT, saying what is out of its range, or MSD_OUT_OF_MEMORY. */
uint64_t anchor_snapshot_size(int32_t anchors);
void anchor_snapshot_put(unsigned char **to, const anchor_store *s);
msd_result anchor_snapshot_get(msd_world *world, anchor_store *s, const particle_store *p, int32_t anchors,
                               const unsigned char **from);

#endif
