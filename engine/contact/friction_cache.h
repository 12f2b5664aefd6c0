/* Friction anchors of all pairs between choices of the active set, by particle index.

   Contact pairs (contact_pairs.h) are chosen again every few substeps, and from scratch after the candidate
   pairs were forgotten. A new pair inherits the friction anchor of the pair that had its corners. Snapshots
   contain the anchors after a step. */
#ifndef MSD_ENGINE_CONTACT_FRICTION_CACHE_H
#define MSD_ENGINE_CONTACT_FRICTION_CACHE_H

#include "engine/base/growth.h"
#include "engine/contact/contact_pairs.h"

/* A pair with its tangential displacement s, in m, and its mass, in kg (tangential_spring). */
typedef struct friction_anchor {
  int32_t particles[PAIR_CORNERS];
  pair_kind kind;
  msd_real way[3], mass;
} friction_anchor;

/* The hash bucket of an anchor and the next entry of that bucket, or -1. A separate array, because every
   thread that fills buckets reads all of it. */
typedef struct friction_anchor_link {
  int32_t bucket, next;
} friction_anchor_link;

/* `particles`: how many the world has. */
typedef struct friction_cache {
  int32_t count, capacity, particles;
  friction_anchor *all;
  friction_anchor_link *links;
  /* A power of two; by bucket, its last entry, or -1. */
  int32_t bucket_count, *buckets;
  /* The buckets contain all anchors. */
  bool is_indexed;
} friction_cache;

/* Empties the cache, for that many particles. */
void friction_cache_begin(friction_cache *g, memory *m, int32_t particles);
void friction_cache_free(friction_cache *g, memory *m);
size_t friction_cache_bytes(const friction_cache *g);

/* The most anchors that are kept; any further ones are dropped. */
static inline int32_t friction_cache_most(int32_t particles) {
  return particles < INT32_MAX / 8 ? 8 * particles : INT32_MAX;
}

/* Reserves memory for the anchors of `pairs` pairs. False without memory. */
bool friction_cache_make_room(friction_cache *g, memory *m, int32_t pairs);

/* Drops all anchors. */
void friction_cache_clear(friction_cache *g);

/* Stores the anchors of contact pairs after near_kernel.hold; pairs that find no more memory lose theirs.
   `particle` is indexed by slot. */
void friction_cache_take(friction_cache *g, near_pairs *p, const int32_t *particle, const msd_tasks *tasks,
                         int threads);

/* Fills the buckets if needed; call before friction_cache_find. */
void friction_cache_index(friction_cache *g, const msd_tasks *tasks, int threads);

/* The anchor of the pair with these slots. Most pairs are looked up in the order in which they were stored:
   `*next` is the index to try first, 0 at the beginning, and is updated. */
tangential_spring friction_cache_find(const friction_cache *g, const int32_t slots[PAIR_CORNERS],
                                      pair_kind kind, const int32_t *particle, int32_t *next);

/* Validates anchors read from a snapshot. */
bool friction_cache_are_sound(const friction_cache *g);

extern const growth_table friction_anchor_growth;

#endif
