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

/* Laws in a snapshot: all first numbers, all second numbers, and a byte for each, its kind with
   SNAPSHOT_BROKEN. */
typedef struct snapshot_laws {
  size_t first, second, kinds;
} snapshot_laws;

enum { SNAPSHOT_BROKEN = 0x80 };

static inline void snapshot_put_law(unsigned char *bytes, snapshot_laws at, size_t index, law l,
                                    bool is_broken) {
  memcpy(bytes + at.first + index * sizeof l.first, &l.first, sizeof l.first);
  memcpy(bytes + at.second + index * sizeof l.second, &l.second, sizeof l.second);
  bytes[at.kinds + index] = (unsigned char)(l.kind | (is_broken ? SNAPSHOT_BROKEN : 0));
}

static inline law snapshot_get_law(const unsigned char *bytes, snapshot_laws at, size_t index,
                                   bool *is_broken) {
  const unsigned char kind = bytes[at.kinds + index];
  law l = {.kind = kind & (unsigned char)~SNAPSHOT_BROKEN};
  memcpy(&l.first, bytes + at.first + index * sizeof l.first, sizeof l.first);
  memcpy(&l.second, bytes + at.second + index * sizeof l.second, sizeof l.second);
  *is_broken = kind & SNAPSHOT_BROKEN;
  return l;
}

/* Constraints: for each its kind, law, corners, rest and two numbers, then the triangles of all meshes. */
uint64_t constraint_snapshot_size(int32_t constraints, int32_t meshes, int32_t triangles);
/* room_step: the substep that fold_room was found for; 0: it is to be found again. */
void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double room_step);

/* Into a store that was reserved, with the valence of the particles. Fails with MSD_BAD_SNAPSHOT, saying what
   is out of its range, or MSD_OUT_OF_MEMORY. */
msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   int32_t constraints, int32_t meshes, int32_t triangles,
                                   const unsigned char **from);

/* Snapshots: bytes of that many, writing them, and reading them into an empty store for the particles `p`,
   whose masses are there. Fails with MSD_BAD_SNAPSHOT, saying what is out of its range, or
   MSD_OUT_OF_MEMORY. */
uint64_t anchor_snapshot_size(int32_t anchors);
void anchor_snapshot_put(unsigned char **to, const anchor_store *s);
msd_result anchor_snapshot_get(msd_world *world, anchor_store *s, const particle_store *p, int32_t anchors,
                               const unsigned char **from);

#endif
