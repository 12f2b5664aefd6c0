/* Penetrations in a snapshot: the first forced intersection, if there was one, and all pairs. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

enum { FORCED = 1, CROSSES = 2 };

bool penetrations_are_known(const msd_world *world) {
  return revision_holds(&world->stepper.penetrations.found_for,
                        revision_of_penetrations(&world->model.revision));
}

/* Includes penetrations that will be found again, since that search needs to know which of them were
   forced. */
penetrations_snapshot penetrations_snapshot_of(const msd_world *world) {
  const penetrations *t = &world->stepper.penetrations;
  return (penetrations_snapshot){t->count, t->crossings, t->forced_count};
}

uint64_t penetrations_snapshot_size(penetrations_snapshot h) {
  return ((uint64_t)h.pairs + (h.forced_count > 0)) * ((PAIR_CORNERS + 2) * sizeof(int32_t) + 2);
}

static void put_pair(unsigned char **to, const penetrating_pair *p) {
  snapshot_put(to, p->particle, sizeof p->particle);
  snapshot_put(to, p->surface, sizeof p->surface);
  *(*to)++ = (unsigned char)p->kind;
  *(*to)++ = (unsigned char)((p->is_forced ? FORCED : 0) | (p->crosses ? CROSSES : 0));
}

void penetrations_snapshot_put(unsigned char **to, penetrations_snapshot h, const penetrations *t) {
  if (h.forced_count > 0)
    put_pair(to, &t->first_forced);
  for (int32_t n = 0; n < h.pairs; n++)
    put_pair(to, &t->pairs[n]);
}

static void get_pair(penetrating_pair *p, const unsigned char **from) {
  snapshot_get(p->particle, from, sizeof p->particle);
  snapshot_get(p->surface, from, sizeof p->surface);
  p->kind = (pair_kind) * (*from)++;
  const unsigned char flags = *(*from)++;
  p->is_forced = flags & FORCED;
  p->crosses = flags & CROSSES;
}

bool penetrations_snapshot_get(penetrations *t, penetrations_snapshot h, const surface_store *s,
                               const unsigned char **from) {
  t->crossings = h.crossings;
  t->forced_count = h.forced_count;
  if (h.forced_count > 0)
    get_pair(&t->first_forced, from);
  for (t->count = 0; t->count < h.pairs; t->count++)
    get_pair(&t->pairs[t->count], from);
  return penetrations_are_sound(t, s);
}
