/* What sticks, of all pairs, in numbers of their particles.

   Near pairs (near_pairs.h) are chosen anew every few substeps, and all of them when nothing is known any more
   of which surfaces may meet. Whatever a new one is held by it takes along from the one that had its corners.
   Snapshots have what sticks behind a step. */
#ifndef MSD_ENGINE_CONTACT_GRIPS_H
#define MSD_ENGINE_CONTACT_GRIPS_H

#include "engine/base/growth.h"
#include "engine/contact/near_pairs.h"

/* A pair, the way that it is held by, and its mass (near_grip). */
typedef struct grip {
  int32_t particles[PAIR_CORNERS];
  pair_kind kind;
  msd_real way[3], mass;
} grip;

/* The bucket of a grip, and the next one there, or -1. In an array of its own, since every thread that fills
   buckets reads all of them. */
typedef struct grip_link {
  int32_t bucket, next;
} grip_link;

/* `particles` is of the world. */
typedef struct grips {
  int32_t count, capacity, particles;
  grip *all;
  grip_link *links;
  /* A power of two; by bucket, the last of those whose corners fall there, or -1. */
  int32_t bucket_count, *buckets;
  /* All grips are in the buckets. */
  bool is_indexed;
} grips;

/* Of that many particles nothing sticks. */
void grips_begin(grips *g, memory *m, int32_t particles);
void grips_free(grips *g, memory *m);
size_t grips_bytes(const grips *g);

/* How many are taken at most, the first ones. */
static inline int32_t grips_most(int32_t particles) {
  return particles < INT32_MAX / 8 ? 8 * particles : INT32_MAX;
}

/* Room for what may stick of so many pairs. False without memory. */
bool grips_make_room(grips *g, memory *m, int32_t pairs);

/* Nothing sticks. */
void grips_clear(grips *g);

/* What sticks of near pairs whose grips are held as ways (near_kernel.hold), for which there is room; the
   others let go. `particle`: by slot. By so many threads at most. */
void grips_take(grips *g, near_pairs *p, const int32_t *particle, const msd_tasks *tasks, int threads);

/* Makes the buckets unless all are in them; grips_find needs that. By so many threads at most. */
void grips_index(grips *g, const msd_tasks *tasks, int threads);

/* The grip of a pair with these slots. Most are asked for in the order that they were taken in: `next` is where
   that of the one before was found, or 0, and goes on. */
near_grip grips_find(const grips *g, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                     const int32_t *particle, int32_t *next);

/* Whether those that were read can be of its particles. */
bool grips_are_sound(const grips *g);

extern const growth_table grip_growth;

#endif
