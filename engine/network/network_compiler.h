/* Internals of the network compiler, shared by its source files and those that change a compiled network. */
#ifndef MSD_ENGINE_NETWORK_NETWORK_COMPILER_H
#define MSD_ENGINE_NETWORK_NETWORK_COMPILER_H

#include "engine/base/sort.h"
#include "engine/network/network.h"

/* The row indices of a spring, as network_place_of reads them. For a contiguous spring: the up row of its
   lower end in `a`. For a one-sided spring at a pin: the pinned or, counted after these, the indexed row of
   its free end. For others: the indexed rows at both ends. All are counted within the group. */
typedef struct compiler_place {
  /* -1: none. */
  int32_t a, b;
} compiler_place;

/* A run: candidates first..end-1, consecutive springs in the order of their keys. */
typedef struct compiler_run {
  int32_t first, end;
} compiler_run;

/* With more runs the candidates are sorted instead. */
enum { COMPILER_RUNS_MAX = 256 };

/* The state of the compiler; everything except the network is freed at its end. */
typedef struct compiler {
  network *net;
  memory *memory;
  network_source source;
  /* By spring; may reuse memory of the sort. */
  compiler_place *places;
  /* Candidates for contiguous rows, by descending offset, by mode, by ascending lower end: as runs, which is
     typical for lattices, or else in sorted order in `candidates`. */
  compiler_run runs[COMPILER_RUNS_MAX];
  int32_t run_count;
  sort_item *candidates;
  int32_t candidate_count;
  /* Scratch memory of the sort. */
  sort_item *items, *spare;
  /* The diagonal blocks found so far, and their number of lanes. */
  dia_block *found;
  int32_t found_count, found_room;
  int64_t found_lanes;
  /* The number of springs for pinned rows, without appended ones. */
  int32_t held_count;
  /* The number of indexed springs at each particle, and the largest index distance. */
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

/* The ends of a one-sided spring at a pin. */
static inline int32_t compiler_free_end(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return network_free_end(s, spring) == s->a[spring] ? compiler_end_a(c, spring) : compiler_end_b(c, spring);
}

static inline int32_t compiler_pinned_end(const compiler *c, int32_t spring) {
  const network_source *s = &c->source;
  return network_free_end(s, spring) == s->a[spring] ? compiler_end_b(c, spring) : compiler_end_a(c, spring);
}

enum { COMPILER_RANK_BITS_MIN = 4, COMPILER_RANK_BITS_MAX = 32, COMPILER_HALF = 0xf };

/* The largest row index with that many bits; the next number means none. */
static inline int32_t compiler_rank_most(int bits) {
  return bits == COMPILER_RANK_BITS_MAX ? INT32_MAX : (1 << bits) - 2;
}

/* The number of bits for a row index, at least `least`. */
static inline int compiler_rank_bits(int32_t rank, int least) {
  while (rank > compiler_rank_most(least))
    least *= 2;
  return least;
}

/* Bytes of both row indices of a spring. */
static inline size_t compiler_rank_pair(int bits) {
  return 2 * (size_t)bits / 8;
}

/* Row index number n; -1: none. With 4 bits, even numbers are in the lower halves. */
static inline int32_t compiler_rank(const void *ranks, int bits, size_t n) {
  const int64_t rank = bits == 4    ? ((const uint8_t *)ranks)[n / 2] >> n % 2 * 4 & COMPILER_HALF
                       : bits == 8  ? ((const uint8_t *)ranks)[n]
                       : bits == 16 ? ((const uint16_t *)ranks)[n]
                                    : ((const int32_t *)ranks)[n];
  return rank <= compiler_rank_most(bits) ? (int32_t)rank : -1;
}

/* Stores a row index. */
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

/* The maximum of `reach` and the distance of two slots. */
static inline int32_t compiler_farther(int32_t reach, int32_t particle, int32_t partner) {
  const int32_t apart = particle < partner ? partner - particle : particle - partner;
  return apart > reach ? apart : reach;
}

/* Returns whether all partners fit into network.near. */
static inline bool compiler_is_near(int32_t reach) {
  return reach <= INT16_MAX;
}

/* Creates the pinned rows, whose lanes begin at net->held_lane, and assigns places to their springs. The
   remaining springs at pins get none. Returns false if memory runs out or there are too many lanes. */
bool compiler_make_held_rows(compiler *c);

#endif
