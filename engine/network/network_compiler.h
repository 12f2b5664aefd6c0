/* What the parts of the network compiler share. */
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

/* What the compiler works on; everything but the network is released at its end. */
typedef struct compiler {
  network *net;
  memory *memory;
  network_source source;
  /* By spring. */
  compiler_place *places;
  /* Springs for contiguous rows, by descending offset, by side, by ascending lower end. */
  sort_item *candidates;
  int32_t candidate_count;
  /* Indexed springs at each particle. */
  int32_t *degree;
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

/* Makes the held rows, whose lanes begin at net->held_lane, and gives their springs their places; the other
   held springs are left without. False when there is no memory or too many lanes. */
bool compiler_make_held_rows(compiler *c);

#endif
