#include "engine/step/wave_touching.h"

#include <limits.h>

bool wave_touching_acts(const wave_touching *w) {
  return w->surfaces || w->colliders.work;
}

void wave_touching_begin(wave_touching *w) {
  atomic_init(&w->strayed, INT_MAX);
  if (w->colliders.work)
    contact_work_begin(w->colliders.work);
}

void wave_touching_drop(wave_touching *w) {
  if (w->colliders.work)
    contact_work_forget_clear(w->colliders.work);
}

int wave_touching_kept(const wave_touching *w) {
  const int strayed = atomic_load_explicit(&w->strayed, memory_order_relaxed);
  return strayed < w->substeps ? strayed : 0;
}

/* The tally of a thread is that of all its groups in the last substep. */
static bool push(const wave_touching *w, const blocking_place *place) {
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
  *tally = (contact_tally){before.contacts + added.contacts, before.pinched + added.pinched};
  return finite;
}

static void note_strayed(wave_touching *w, int substep) {
  int first = atomic_load_explicit(&w->strayed, memory_order_relaxed);
  while (substep < first && !atomic_compare_exchange_weak_explicit(
                                &w->strayed, &first, substep, memory_order_relaxed, memory_order_relaxed))
    continue;
}

static bool keep(wave_touching *w, const blocking_place *place) {
  const self_contact_place of = {
      .behind = place->behind,
      .particles = {place->groups.first * CONTACT_GROUP, place->groups.last * CONTACT_GROUP},
      .substep = place->substep,
      .time_step = w->time_step,
      .simd = w->simd};
  const bool keeps = self_contact_keeps(w->surfaces, &of);
  if (!keeps)
    note_strayed(w, place->substep);
  return keeps;
}

bool wave_touching_act(void *context, const blocking_place *place) {
  wave_touching *w = context;
  const bool finite = !w->colliders.work || push(w, place);
  return (!w->surfaces || keep(w, place)) && finite;
}
