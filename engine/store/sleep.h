/* Sleeping: the components that sleep, and how long the others have been at rest; see step/sleep_step.h.

   A component is connected by springs and constraints (components.h), as of the last update. Components in
   contact that fell asleep together form a ring and wake together; a ring is an island. Particles added since
   then belong to no component and are awake. */
#ifndef MSD_ENGINE_STORE_SLEEP_H
#define MSD_ENGINE_STORE_SLEEP_H

#include "engine/base/memory.h"

#include "msd/base.h"

#include <math.h>

typedef struct sleep_store {
  /* m/s: the speed below which bodies are at rest; 0: sleeping is off, and all else is empty. */
  msd_real speed;
  /* s: the time at rest before a body falls asleep. */
  msd_real time;
  int32_t particles, pieces;
  /* The component of each particle. */
  int32_t *piece;
  /* For each component: the time at rest in s, and the next component of its ring; -1: awake. */
  double *still;
  int32_t *next;
  /* Increments each time a component falls asleep or wakes. */
  uint64_t changes;
} sleep_store;

/* Returns whether settings are valid. */
static inline bool sleep_settings_are_sound(msd_real speed, msd_real time) {
  return isfinite(speed) && speed >= 0 && isfinite(time) && time > 0;
}

static inline bool sleep_is_on(const sleep_store *s) {
  return s->speed > 0;
}

static inline bool sleep_has(const sleep_store *s, int32_t particle) {
  return particle >= 0 && particle < s->particles && s->next[s->piece[particle]] >= 0;
}

/* A temporary value of `next` while islands are determined: some component of the island is not at rest. */
enum { SLEEP_RESTLESS = -2 };

/* Wake a component and its ring; their time at rest restarts at 0. */
void sleep_wake_island(sleep_store *s, int32_t piece);
void sleep_wake(sleep_store *s, int32_t particle);
void sleep_wake_all(sleep_store *s);

/* The number of sleeping particles. */
int32_t sleep_count(const sleep_store *s);

/* Builds the state for new components, as components_find numbers them, with at least as many particles. The
   time at rest of a new component is the minimum over its particles. It sleeps if all its particles do. Returns
   false, and builds nothing, if memory runs out. */
bool sleep_regroup(const sleep_store *s, memory *m, int32_t particles, const int32_t *piece, int32_t pieces,
                   sleep_store *made);

/* Renumbers particles; -1: removed. Removed particles must be awake, so that no ring loses a member.
   `piece_to` is scratch with one entry per component. */
void sleep_close_gaps(sleep_store *s, const int32_t *particle_to, int32_t *piece_to);

/* Adds `piece` to the ring of `ring`; both may be the same component. */
void sleep_fall_asleep(sleep_store *s, int32_t piece, int32_t ring);

/* Allocates arrays whose contents are then loaded. Returns false, and leaves the store empty, if memory runs
   out. */
bool sleep_reserve(sleep_store *s, memory *m, int32_t particles, int32_t pieces);

/* Returns whether loaded data is valid. */
bool sleep_is_sound(sleep_store *s);

/* Takes ownership of the components of another store, and keeps the settings. */
void sleep_replace(sleep_store *s, memory *m, const sleep_store *made);

/* Frees everything except the settings. */
void sleep_store_free(sleep_store *s, memory *m);

#endif
