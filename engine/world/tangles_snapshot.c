/* Tangles as bytes of a snapshot: the first that was pinched, if one was, and the pairs. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

enum { PINCHED = 1, CROSSES = 2 };

bool tangles_are_known(const msd_world *world) {
  return revision_holds(&world->stepper.tangles.found_for, revision_of_tangles(&world->model.revision));
}

/* Also those that are to be found again: what was pinched of them counts then. */
tangles_snapshot tangles_snapshot_of(const msd_world *world) {
  const tangles *t = &world->stepper.tangles;
  return (tangles_snapshot){t->count, t->crossings, t->pinched};
}

uint64_t tangles_snapshot_size(tangles_snapshot h) {
  return ((uint64_t)h.pairs + (h.pinched > 0)) * ((PAIR_CORNERS + 2) * sizeof(int32_t) + 2);
}

static void put_pair(unsigned char **to, const tangled_pair *p) {
  snapshot_put(to, p->particle, sizeof p->particle);
  snapshot_put(to, p->surface, sizeof p->surface);
  *(*to)++ = (unsigned char)p->kind;
  *(*to)++ = (unsigned char)((p->is_pinched ? PINCHED : 0) | (p->crosses ? CROSSES : 0));
}

void tangles_snapshot_put(unsigned char **to, tangles_snapshot h, const tangles *t) {
  if (h.pinched > 0)
    put_pair(to, &t->first_pinched);
  for (int32_t n = 0; n < h.pairs; n++)
    put_pair(to, &t->pairs[n]);
}

static void get_pair(tangled_pair *p, const unsigned char **from) {
  snapshot_get(p->particle, from, sizeof p->particle);
  snapshot_get(p->surface, from, sizeof p->surface);
  p->kind = (pair_kind) * (*from)++;
  const unsigned char flags = *(*from)++;
  p->is_pinched = flags & PINCHED;
  p->crosses = flags & CROSSES;
}

bool tangles_snapshot_get(tangles *t, tangles_snapshot h, const surface_store *s,
                          const unsigned char **from) {
  t->crossings = h.crossings;
  t->pinched = h.pinched;
  if (h.pinched > 0)
    get_pair(&t->first_pinched, from);
  for (t->count = 0; t->count < h.pairs; t->count++)
    get_pair(&t->pairs[t->count], from);
  return tangles_are_sound(t, s);
}
