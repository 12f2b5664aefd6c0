#include "engine/step/blocked_contact.h"

#include <limits.h>

bool blocked_contact_acts(const blocked_contact *w) {
  return w->surfaces || w->colliders.work;
}

void blocked_contact_begin(blocked_contact *w) {
  atomic_init(&w->violators, INT_MAX);
  if (w->colliders.work)
    contact_work_begin(w->colliders.work);
}

void blocked_contact_drop(blocked_contact *w) {
  if (w->colliders.work)
    contact_work_forget_clear(w->colliders.work);
}

int blocked_contact_kept(const blocked_contact *w) {
  const int violators = atomic_load_explicit(&w->violators, memory_order_relaxed);
  return violators < w->substeps ? violators : 0;
}

/* Applies collider contact to the groups of one tile. The run reports the contact counts of its last substep,
   so the counts of earlier substeps are discarded. */
static bool push(const blocked_contact *w, const blocking_place *place) {
  contact_thread own = w->colliders;
  contact_tally *tally = &own.work->tallies[place->thread];
  const contact_tally before = *tally;
  own.thread = place->thread;
  own.groups = place->groups;
  own.before = place->before;
  own.behind = place->behind;
  own.share_before = (double)(w->before + place->substep) / w->all;
  own.share_behind = (double)(w->before + place->substep + 1) / w->all;
  const bool finite = contact_act(&own);
  const bool is_last = place->substep == w->substeps - 1;
  const contact_tally added = is_last ? *tally : (contact_tally){0, 0};
  *tally = (contact_tally){before.contacts + added.contacts, before.squeezed + added.squeezed};
  return finite;
}

static void note_strayed(blocked_contact *w, int substep) {
  int first = atomic_load_explicit(&w->violators, memory_order_relaxed);
  while (substep < first && !atomic_compare_exchange_weak_explicit(
                                &w->violators, &first, substep, memory_order_relaxed, memory_order_relaxed))
    continue;
}

static bool keep(blocked_contact *w, const blocking_place *place) {
  const self_contact_place of = {
      .behind = place->behind,
      .particles = {place->groups.first * CONTACT_GROUP, place->groups.last * CONTACT_GROUP},
      .substep = place->substep,
      .dt = w->dt,
      .simd = w->simd,
      .has_boxes = w->has_boxes};
  const bool keeps = self_contact_within_skins(w->surfaces, &of);
  if (!keeps)
    note_strayed(w, place->substep);
  return keeps;
}

bool blocked_contact_act(void *context, const blocking_place *place) {
  blocked_contact *w = context;
  const bool finite = !w->colliders.work || push(w, place);
  return (!w->surfaces || keep(w, place)) && finite;
}
