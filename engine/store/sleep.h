/* Which pieces of a world sleep, and for how long the others have been at rest; see step/sleep_step.h.

   A piece is what springs and constraints join (pieces.h), as it was when a step last looked. Pieces that fell
   asleep together, since their surfaces touched, are a ring and wake together. Particles that were added since
   belong to none, and are awake. */
#ifndef MSD_ENGINE_STORE_SLEEP_H
#define MSD_ENGINE_STORE_SLEEP_H

#include "engine/base/memory.h"

#include "msd/base.h"

#include <math.h>

typedef struct sleep_store {
  /* m/s; 0: nothing sleeps, and all else is empty. */
  msd_real speed;
  /* s */
  msd_real time;
  int32_t particles, pieces;
  /* Of each particle. */
  int32_t *piece;
  /* Of each piece: the s for which it has been at rest, and the next of its ring; -1: it is awake. */
  double *still;
  int32_t *next;
  /* Counts what has woken or fallen asleep. */
  uint64_t changes;
} sleep_store;

/* Numbers that settings can have. */
static inline bool sleep_settings_are_sound(msd_real speed, msd_real time) {
  return isfinite(speed) && speed >= 0 && isfinite(time) && time > 0;
}

static inline bool sleep_is_on(const sleep_store *s) {
  return s->speed > 0;
}

static inline bool sleep_has(const sleep_store *s, int32_t particle) {
  return particle >= 0 && particle < s->particles && s->next[s->piece[particle]] >= 0;
}

/* In the place of `next` while it is found out who falls asleep: some piece of the island does not rest. */
enum { SLEEP_RESTLESS = -2 };

/* The piece of a particle and what fell asleep with it begin to rest anew. */
void sleep_wake_piece(sleep_store *s, int32_t piece);
void sleep_wake(sleep_store *s, int32_t particle);
void sleep_wake_all(sleep_store *s);

/* Particles that sleep. */
int32_t sleep_count(const sleep_store *s);

/* Makes what other pieces are, as many as pieces_find counts, of no fewer particles: they have rested as long
   as the particle in them that has rested least, and sleep where all of them do. False, and nothing made, when
   there is no memory. */
bool sleep_regroup(const sleep_store *s, memory *m, int32_t particles, const int32_t *piece, int32_t pieces,
                   sleep_store *made);

/* Moves what is known of particles to other indices, -1: it goes. What goes was woken, so that it is in no
   ring. `piece_to` has room for a number for each piece. */
void sleep_close_gaps(sleep_store *s, const int32_t *particle_to, int32_t *piece_to);

/* Joins pieces to one ring: `piece` sleeps on with those of `ring`, which may be itself alone. */
void sleep_fall_asleep(sleep_store *s, int32_t piece, int32_t ring);

/* Makes room for that many, whose contents are then read. False, and empty, when there is no memory. */
bool sleep_reserve(sleep_store *s, memory *m, int32_t particles, int32_t pieces);

/* Whether what was read could be of some world. */
bool sleep_is_sound(sleep_store *s);

/* Takes over the pieces of another, and keeps the settings. */
void sleep_replace(sleep_store *s, memory *m, const sleep_store *made);

/* Forgets all but the settings. */
void sleep_store_free(sleep_store *s, memory *m);

#endif
