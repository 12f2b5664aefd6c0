/* What the parts of the network compiler share, and those that change a compiled network. */
#ifndef MSD_ENGINE_NETWORK_NETWORK_COMPILER_H
#define MSD_ENGINE_NETWORK_NETWORK_COMPILER_H

#include "engine/base/sort.h"
#include "engine/network/network.h"

/* The ranks of a spring, as network_place_of reads them: of a contiguous spring the up row of its lower end
   in `a`, of a held one the held or, after them, the indexed row of its free end; of the others the indexed
   rows at both ends. All are counted in the group. */
typedef struct compiler_place {
  /* -1: none. */
  int32_t a, b;
} compiler_place;

/* Candidates first..end-1 that follow each other as springs, in the order of their keys. */
typedef struct compiler_run {
  int32_t first, end;
} compiler_run;

/* More are not worth telling apart. */
enum { COMPILER_RUNS_MAX = 256 };

/* What the compiler works on; everything but the network is released at its end. */
typedef struct compiler {
  network *net;
  memory *memory;
  network_source source;
  /* By spring; in memory of the sort where there was one. */
  compiler_place *places;
  /* Springs for contiguous rows, by descending offset, by side, by ascending lower end: runs one behind the
     other, as those of lattices, which nothing need be kept of, or else (with candidates) sorted. */
  compiler_run runs[COMPILER_RUNS_MAX];
  int32_t run_count;
  sort_item *candidates;
  int32_t candidate_count;
  /* What the sort works in. */
  sort_item *items, *spare;
  /* The runs of contiguous rows as they are found, and the lanes that these use. */
  network_run *found;
  int32_t found_count, found_room;
  int64_t found_lanes;
  /* Early springs for held rows. */
  int32_t held_count;
  /* Indexed springs at each particle, and how far any of them reaches. */
  int32_t *degree;
  int32_t reach;
} compiler;

static inline int32_t compiler_end_a(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return s->slot ? s->slot[s->a[spring]] : s->a[spring];
}

static inline int32_t compiler_end_b(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return s->slot ? s->slot[s->b[spring]] : s->b[spring];
}

static inline uint8_t compiler_side(const compiler *c, int32_t spring) {
  return c->source.side ? c->source.side[spring] & NETWORK_SIDE_BITS : MSD_SPRING_BOTH;
}

/* The ends of a held spring. */
static inline int32_t compiler_free_end(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return network_free_end(s, spring) == s->a[spring] ? compiler_end_a(c, spring) : compiler_end_b(c, spring);
}

static inline int32_t compiler_pinned_end(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return network_free_end(s, spring) == s->a[spring] ? compiler_end_b(c, spring) : compiler_end_a(c, spring);
}

enum { COMPILER_RANK_BITS_MIN = 4, COMPILER_RANK_BITS_MAX = 32, COMPILER_HALF = 0xf };

/* The largest rank of so many bits; the number above it says that there is none. */
static inline int32_t compiler_rank_most(int bits) {
  return bits == COMPILER_RANK_BITS_MAX ? INT32_MAX : (1 << bits) - 2;
}

/* The fewest bits, or `least`, that serve a rank. */
static inline int compiler_rank_bits(int32_t rank, int least) {
  while (rank > compiler_rank_most(least))
    least *= 2;
  return least;
}

/* Bytes of both ranks of a spring. */
static inline size_t compiler_rank_pair(int bits) {
  return 2 * (size_t)bits / 8;
}

/* Number n of the ranks; -1: none. Of half a byte the even ones are the lower halves. */
static inline int32_t compiler_rank(const void *ranks, int bits, size_t n) {
  const int64_t rank = bits == 4    ? ((const uint8_t *)ranks)[n / 2] >> n % 2 * 4 & COMPILER_HALF
                       : bits == 8  ? ((const uint8_t *)ranks)[n]
                       : bits == 16 ? ((const uint16_t *)ranks)[n]
                                    : ((const int32_t *)ranks)[n];
  return rank <= compiler_rank_most(bits) ? (int32_t)rank : -1;
}

/* Writes it. */
static inline void compiler_put_rank(void *ranks, int bits, size_t n, int32_t rank) {
  if (bits == 4) {
    uint8_t *both = (uint8_t *)ranks + n / 2;
    const int shift = (int)(n % 2) * 4;
    *both = (uint8_t)((*both & ~(COMPILER_HALF << shift)) | (rank & COMPILER_HALF) << shift);
  } else if (bits == 8) {
    ((uint8_t *)ranks)[n] = (uint8_t)rank;
  } else if (bits == 16) {
    ((uint16_t *)ranks)[n] = (uint16_t)rank;
  } else {
    ((int32_t *)ranks)[n] = rank;
  }
}

/* How far a spring between two slots reaches, or another that reaches farther. */
static inline int32_t compiler_farther(int32_t reach, int32_t particle, int32_t partner) {
  const int32_t apart = particle < partner ? partner - particle : particle - partner;
  return apart > reach ? apart : reach;
}

/* Whether springs that reach so far have partners near enough for network.near. */
static inline bool compiler_is_near(int32_t reach) {
  return reach <= INT16_MAX;
}

/* Makes the held rows, whose lanes begin at net->held_lane, and gives their springs their places; the other
   held springs are left without. False when there is no memory or too many lanes. */
bool compiler_make_held_rows(compiler *c);

#endif
