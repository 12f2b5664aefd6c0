/* Contact cache in a snapshot. Layout, if the next frame continues with the cache:
   - times;
   - motion bounds by slot, those of the inner neighbor list only if an active set was chosen;
   - repairs by batch;
   - distances of separated pairs.
   Friction anchors are always stored, at the end. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

/* Common acceleration (3 numbers), horizon and age of the motion bound of the neighbor list; time at which the
   active set was chosen; horizon and age of its motion bound. */
enum { TIMES = 8 };
enum { EDIT_BYTES = sizeof(int32_t) + MOTION_BOUND_COMPONENTS * sizeof(msd_real) };
enum { BATCH_BYTES = sizeof(int32_t) + 1 + 2 * sizeof(double) };
enum { ANCHOR_BYTES = PAIR_CORNERS * sizeof(int32_t) + 1 + 4 * sizeof(msd_real) };

/* Without an active set, repairs of the inner neighbor list are not stored. */
static bool is_put(contact_cache_snapshot h, const contact_cache *l, int32_t batch) {
  return h.is_chosen || !l->edit_batches[batch].is_of_active;
}

contact_cache_snapshot contact_cache_snapshot_of(const msd_world *world) {
  const stepper *s = &world->stepper;
  const revision *now = &world->model.revision;
  const contact_cache *l = &s->self.cache;
  const int64_t held =
      l->friction_cache.particles == world->model.particles.count ? l->friction_cache.count : 0;
  if (!revision_holds(&s->listed_for, revision_of_meetings(now)))
    return (contact_cache_snapshot){.particles = 0, .friction_cache = held};
  const bool is_chosen = l->active_bound.holds && revision_holds(&s->chosen_for, revision_of_touches(now));
  contact_cache_snapshot h = {.particles = l->list.particles,
                              .is_chosen = is_chosen,
                              .kept = is_chosen ? l->kept_count : 0,
                              .friction_cache = held};
  for (int32_t batch = 0; batch < l->batch_count; batch++)
    if (is_put(h, l, batch)) {
      h.edits += contact_cache_end_of(l, batch) - l->edit_batches[batch].first;
      h.edit_batches++;
    }
  return h;
}

contact_cache_snapshot contact_cache_snapshot_most(int32_t particles) {
  return (contact_cache_snapshot){.particles = particles,
                                  .is_chosen = 1,
                                  .edits = contact_cache_most_edits(particles),
                                  .edit_batches = contact_cache_most_batches(particles),
                                  .kept = contact_cache_most_kept(particles),
                                  .friction_cache = friction_cache_most(particles)};
}

bool contact_cache_snapshot_counts_are_sound(contact_cache_snapshot h, int32_t particles) {
  if (h.particles < 0)
    return false;
  const contact_cache_snapshot most = contact_cache_snapshot_most(h.particles);
  return (h.particles == 0 || h.particles == particles) && (h.is_chosen == 0 || h.is_chosen == 1) &&
         h.edits >= 0 && h.edits <= most.edits && h.edit_batches >= 0 &&
         h.edit_batches <= most.edit_batches && h.kept >= 0 && h.kept <= (h.is_chosen ? most.kept : 0) &&
         (h.particles > 0 || (h.is_chosen == 0 && h.edit_batches == 0)) && h.friction_cache >= 0 &&
         h.friction_cache <= friction_cache_most(particles);
}

uint64_t contact_cache_snapshot_size(contact_cache_snapshot h) {
  const uint64_t motion_bounds = h.is_chosen ? 2 : 1, held = (uint64_t)h.friction_cache * ANCHOR_BYTES;
  return h.particles == 0
             ? held
             : TIMES * sizeof(double) + sizeof(int32_t) +
                   motion_bounds * MOTION_BOUND_COMPONENTS * (uint64_t)h.particles * sizeof(msd_real) +
                   (h.is_chosen ? (uint64_t)h.particles * sizeof(msd_real) : 0) +
                   (uint64_t)h.edits * EDIT_BYTES + (uint64_t)h.edit_batches * BATCH_BYTES +
                   (uint64_t)h.kept * sizeof(separation_distance) + held;
}

static void put_state(unsigned char **to, const motion_bound *f) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    snapshot_put(to, f->state + k * f->stride, (size_t)f->particles * sizeof *f->state);
}

static void get_state(motion_bound *f, const unsigned char **from) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    snapshot_get(f->state + k * f->stride, from, (size_t)f->particles * sizeof *f->state);
}

static void put_batch(unsigned char **to, const contact_cache *l, int32_t batch) {
  const contact_cache_edit_batch *r = &l->edit_batches[batch];
  const int32_t end = contact_cache_end_of(l, batch), edits = end - r->first;
  snapshot_put(to, &edits, sizeof edits);
  *(*to)++ = r->is_of_active;
  snapshot_put(to, &r->list_age, sizeof r->list_age);
  snapshot_put(to, &r->active_age, sizeof r->active_age);
  for (int32_t n = r->first; n < end; n++) {
    snapshot_put(to, &l->edits[n].slot, sizeof l->edits[n].slot);
    snapshot_put(to, l->edits[n].state, sizeof l->edits[n].state);
  }
}

static void put_known(unsigned char **to, contact_cache_snapshot h, const contact_cache *l) {
  const double none[3] = {0, 0, 0},
               of_choice[] = {l->chosen_at, l->active_bound.horizon, l->active_bound.age};
  const int32_t before = h.is_chosen ? l->batches_before : 0;
  snapshot_put(to, l->list.bend, sizeof l->list.bend);
  snapshot_put(to, &l->list.horizon, sizeof l->list.horizon);
  snapshot_put(to, &l->list.age, sizeof l->list.age);
  snapshot_put(to, h.is_chosen ? of_choice : none, sizeof of_choice);
  snapshot_put(to, &before, sizeof before);
  put_state(to, &l->list);
  if (h.is_chosen) {
    put_state(to, &l->active_bound);
    snapshot_put(to, l->chosen_skins, (size_t)h.particles * sizeof *l->chosen_skins);
  }
  for (int32_t batch = 0; batch < l->batch_count; batch++)
    if (is_put(h, l, batch))
      put_batch(to, l, batch);
  snapshot_put(to, l->kept, (size_t)h.kept * sizeof *l->kept);
}

void contact_cache_snapshot_put(unsigned char **to, contact_cache_snapshot h, const contact_cache *l) {
  if (h.particles > 0)
    put_known(to, h, l);
  for (int64_t n = 0; n < h.friction_cache; n++) {
    const friction_anchor *of = &l->friction_cache.all[n];
    snapshot_put(to, of->particles, sizeof of->particles);
    *(*to)++ = (unsigned char)of->kind;
    snapshot_put(to, of->way, sizeof of->way);
    snapshot_put(to, &of->mass, sizeof of->mass);
  }
}

/* The particle store may still be empty. */
bool contact_cache_snapshot_reserve(contact_cache *l, memory *m, contact_cache_snapshot h,
                                    const particle_store *p, int32_t particles) {
  if (h.particles == 0 && h.friction_cache == 0)
    return true;
  if (!contact_cache_reserve(l, m, p))
    return false;
  friction_cache_begin(&l->friction_cache, m, particles);
  if (!friction_cache_make_room(&l->friction_cache, m, (int32_t)h.friction_cache) ||
      !growth_reserve(&contact_cache_edit_growth, l, m, h.edits) ||
      !growth_reserve(&contact_cache_batch_growth, l, m, h.edit_batches) ||
      !growth_reserve(&contact_cache_kept_growth, l, m, h.kept))
    return false;
  l->list.particles = l->active_bound.particles = particles;
  return true;
}

/* Reads one batch. Fails if it has more repairs than remain. */
static bool get_batch(contact_cache *l, contact_cache_snapshot h, const unsigned char **from) {
  int32_t edits;
  contact_cache_edit_batch *r = &l->edit_batches[l->batch_count++];
  snapshot_get(&edits, from, sizeof edits);
  const unsigned char is_of_active = *(*from)++;
  snapshot_get(&r->list_age, from, sizeof r->list_age);
  snapshot_get(&r->active_age, from, sizeof r->active_age);
  r->first = l->count;
  r->is_of_active = is_of_active != 0;
  if (is_of_active > 1 || edits < 0 || edits > h.edits - l->count)
    return false;
  for (const int32_t end = l->count + edits; l->count < end; l->count++) {
    snapshot_get(&l->edits[l->count].slot, from, sizeof l->edits->slot);
    snapshot_get(l->edits[l->count].state, from, sizeof l->edits->state);
  }
  *(r->is_of_active ? &l->of_active : &l->of_list) += edits;
  return true;
}

static void get_motion_bounds(contact_cache *l, contact_cache_snapshot h, const unsigned char **from) {
  snapshot_get(l->list.bend, from, sizeof l->list.bend);
  memcpy(l->active_bound.bend, l->list.bend, sizeof l->active_bound.bend);
  snapshot_get(&l->list.horizon, from, sizeof l->list.horizon);
  snapshot_get(&l->list.age, from, sizeof l->list.age);
  snapshot_get(&l->chosen_at, from, sizeof l->chosen_at);
  snapshot_get(&l->active_bound.horizon, from, sizeof l->active_bound.horizon);
  snapshot_get(&l->active_bound.age, from, sizeof l->active_bound.age);
  snapshot_get(&l->batches_before, from, sizeof l->batches_before);
  get_state(&l->list, from);
  if (h.is_chosen) {
    get_state(&l->active_bound, from);
    snapshot_get(l->chosen_skins, from, (size_t)h.particles * sizeof *l->chosen_skins);
  }
}

static bool get_known(contact_cache *l, contact_cache_snapshot h, const unsigned char **from) {
  l->has_list = l->is_whole = l->list.holds = true;
  l->active_bound.holds = h.is_chosen;
  get_motion_bounds(l, h, from);
  bool sound = true;
  while (l->batch_count < h.edit_batches && sound)
    sound = get_batch(l, h, from);
  if (!sound || l->count != h.edits)
    return false;
  snapshot_get(l->kept, from, (size_t)h.kept * sizeof *l->kept);
  l->kept_count = (int32_t)h.kept;
  return contact_cache_is_sound(l);
}

static bool get_friction_cache(friction_cache *g, contact_cache_snapshot h, const unsigned char **from) {
  for (; g->count < h.friction_cache; g->count++) {
    friction_anchor *to = &g->all[g->count];
    snapshot_get(to->particles, from, sizeof to->particles);
    to->kind = (pair_kind) * (*from)++;
    snapshot_get(to->way, from, sizeof to->way);
    snapshot_get(&to->mass, from, sizeof to->mass);
  }
  return friction_cache_are_sound(g);
}

bool contact_cache_snapshot_get(contact_cache *l, contact_cache_snapshot h, const unsigned char **from) {
  return (h.particles == 0 || get_known(l, h, from)) && get_friction_cache(&l->friction_cache, h, from);
}

void contact_cache_snapshot_resume(msd_world *world, contact_cache_snapshot h) {
  stepper *s = &world->stepper;
  const revision *now = &world->model.revision;
  s->listed_for = h.particles > 0 ? revision_of_meetings(now) : (revision){0};
  s->chosen_for = h.is_chosen ? revision_of_touches(now) : (revision){0};
}
