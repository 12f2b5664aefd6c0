#include "engine/store/sleep.h"

#include <math.h>
#include <string.h>

void sleep_wake_island(sleep_store *s, int32_t piece) {
  s->still[piece] = 0;
  for (int32_t at = s->next[piece]; at >= 0;) {
    const int32_t next = s->next[at];
    s->next[at] = -1;
    s->still[at] = 0;
    s->changes++;
    at = next;
  }
}

void sleep_wake(sleep_store *s, int32_t particle) {
  if (particle >= 0 && particle < s->particles)
    sleep_wake_island(s, s->piece[particle]);
}

void sleep_wake_all(sleep_store *s) {
  for (int32_t piece = 0; piece < s->pieces; piece++)
    sleep_wake_island(s, piece);
}

int32_t sleep_count(const sleep_store *s) {
  int32_t count = 0;
  for (int32_t i = 0; i < s->particles; i++)
    count += s->next[s->piece[i]] >= 0;
  return count;
}

void sleep_fall_asleep(sleep_store *s, int32_t piece, int32_t ring) {
  s->next[piece] = piece == ring ? piece : s->next[ring];
  s->next[ring] = piece;
  s->changes++;
}

void sleep_store_free(sleep_store *s, memory *m) {
  memory_release(m, s->piece);
  memory_release(m, s->still);
  memory_release(m, s->next);
  *s = (sleep_store){.speed = s->speed, .time = s->time, .changes = s->changes + 1};
}

bool sleep_reserve(sleep_store *s, memory *m, int32_t particles, int32_t pieces) {
  s->piece = memory_allocate_items(m, (int64_t)particles + 1, sizeof *s->piece);
  s->still = memory_allocate_items(m, (int64_t)pieces + 1, sizeof *s->still);
  s->next = memory_allocate_items(m, (int64_t)pieces + 1, sizeof *s->next);
  if (!s->piece || !s->still || !s->next) {
    sleep_store_free(s, m);
    return false;
  }
  s->particles = particles;
  s->pieces = pieces;
  return true;
}

void sleep_replace(sleep_store *s, memory *m, const sleep_store *made) {
  sleep_store_free(s, m);
  s->particles = made->particles;
  s->pieces = made->pieces;
  s->piece = made->piece;
  s->still = made->still;
  s->next = made->next;
}

/* ---------------------------------------------------------------------------------------- new components */

/* The lowest component of each ring; -1 if awake. */
static void name_rings(const sleep_store *s, int32_t *ring) {
  for (int32_t piece = 0; piece < s->pieces; piece++)
    ring[piece] = -1;
  for (int32_t piece = 0; piece < s->pieces; piece++)
    for (int32_t at = piece; s->next[at] >= 0 && ring[at] < 0; at = s->next[at])
      ring[at] = piece;
}

/* `ring` is by old component. first[r] receives the new component that represents the old ring r. */
static void carry_over(const sleep_store *s, sleep_store *made, const int32_t *ring, int32_t *first) {
  for (int32_t piece = 0; piece < made->pieces; piece++) {
    made->still[piece] = INFINITY;
    made->next[piece] = INT32_MAX;
  }
  for (int32_t i = 0; i < made->particles; i++) {
    const int32_t old = i < s->particles ? s->piece[i] : -1, at = old >= 0 ? ring[old] : -1;
    const double still = old >= 0 ? s->still[old] : 0;
    int32_t *led = &made->next[made->piece[i]];
    made->still[made->piece[i]] = fmin(made->still[made->piece[i]], still);
    *led = *led == INT32_MAX ? at : *led == at ? at : -1;
  }
  for (int32_t piece = 0; piece < s->pieces; piece++)
    first[piece] = -1;
  for (int32_t piece = 0; piece < made->pieces; piece++) {
    const int32_t led = made->next[piece];
    if (led < 0)
      continue;
    first[led] = first[led] < 0 ? piece : first[led];
    sleep_fall_asleep(made, piece, first[led]);
  }
}

bool sleep_regroup(const sleep_store *s, memory *m, int32_t particles, const int32_t *piece, int32_t pieces,
                   sleep_store *made) {
  int32_t *ring = memory_allocate_items(m, (int64_t)s->pieces + 1, sizeof *ring),
          *first = memory_allocate_items(m, (int64_t)s->pieces + 1, sizeof *first);
  *made = (sleep_store){0};
  const bool done = ring && first && sleep_reserve(made, m, particles, pieces);
  if (done) {
    memcpy(made->piece, piece, (size_t)particles * sizeof *piece);
    name_rings(s, ring);
    carry_over(s, made, ring, first);
  }
  memory_release(m, ring);
  memory_release(m, first);
  return done;
}

void sleep_close_gaps(sleep_store *s, const int32_t *particle_to, int32_t *piece_to) {
  int32_t particles = 0, pieces = 0;
  for (int32_t piece = 0; piece < s->pieces; piece++)
    piece_to[piece] = -1;
  for (int32_t i = 0; i < s->particles; i++)
    if (particle_to[i] >= 0) {
      piece_to[s->piece[i]] = 0;
      s->piece[particles++] = s->piece[i];
    }
  for (int32_t piece = 0; piece < s->pieces; piece++)
    piece_to[piece] = piece_to[piece] < 0 ? -1 : pieces++;
  for (int32_t i = 0; i < particles; i++)
    s->piece[i] = piece_to[s->piece[i]];
  for (int32_t piece = 0; piece < s->pieces; piece++)
    if (piece_to[piece] >= 0) {
      s->still[piece_to[piece]] = s->still[piece];
      s->next[piece_to[piece]] = s->next[piece] < 0 ? -1 : piece_to[s->next[piece]];
    }
  s->particles = particles;
  s->pieces = pieces;
  s->changes++;
}

/* Each sleeping component must be the successor of exactly one component; else a ring would never close. The
   sign of `still` marks visited components. */
bool sleep_is_sound(sleep_store *s) {
  bool sound = true;
  for (int32_t i = 0; i < s->particles && sound; i++)
    sound = s->piece[i] >= 0 && s->piece[i] < s->pieces;
  for (int32_t piece = 0; piece < s->pieces && sound; piece++)
    sound = isfinite(s->still[piece]) && s->still[piece] >= 0 && !signbit(s->still[piece]) &&
            s->next[piece] >= -1 && s->next[piece] < s->pieces;
  for (int32_t piece = 0; piece < s->pieces && sound; piece++) {
    const int32_t next = s->next[piece];
    sound = next < 0 || (s->next[next] >= 0 && !signbit(s->still[next]));
    if (next >= 0)
      s->still[next] = -fabs(s->still[next]);
  }
  for (int32_t piece = 0; piece < s->pieces; piece++)
    s->still[piece] = fabs(s->still[piece]);
  return sound;
}
