#include "engine/contact/contact_cache.h"

#include "engine/contact/flags.h"

#include <math.h>
#include <string.h>

static const growth_array edits[] = {GROWTH_ARRAY(contact_cache, edits)},
                          edit_batches[] = {GROWTH_ARRAY(contact_cache, edit_batches)},
                          kept[] = {GROWTH_ARRAY(contact_cache, kept)};
const growth_table contact_cache_edit_growth =
    GROWTH(contact_cache, count, capacity, edits, .most = INT32_MAX);
const growth_table contact_cache_batch_growth =
    GROWTH(contact_cache, batch_count, batch_capacity, edit_batches, .most = INT32_MAX);
const growth_table contact_cache_kept_growth =
    GROWTH(contact_cache, kept_count, kept_capacity, kept, .most = INT32_MAX);

bool contact_cache_reserve(contact_cache *l, memory *m, const particle_store *p) {
  contact_cache_free(l, m);
  l->chosen_skins = particle_allocate_slab(p, m, 1, &l->chosen_block);
  friction_cache_begin(&l->friction_cache, m, p->count);
  if (l->chosen_skins && motion_bound_reserve(&l->list, m, p) && motion_bound_reserve(&l->active_bound, m, p))
    return true;
  contact_cache_free(l, m);
  return false;
}

void contact_cache_free(contact_cache *l, memory *m) {
  motion_bound_free(&l->list, m);
  motion_bound_free(&l->active_bound, m);
  memory_release(m, l->chosen_block);
  growth_free(&contact_cache_edit_growth, l, m);
  growth_free(&contact_cache_batch_growth, l, m);
  growth_free(&contact_cache_kept_growth, l, m);
  friction_cache_free(&l->friction_cache, m);
  *l = (contact_cache){.has_list = false};
}

size_t contact_cache_bytes(const contact_cache *l) {
  const size_t stride = l->list.stride;
  if (!l->list.state)
    return 0;
  return 2 * memory_cost(particle_slab_bytes(stride, MOTION_BOUND_COMPONENTS)) +
         memory_cost(particle_slab_bytes(stride, 1)) +
         (l->edits ? memory_cost((size_t)l->capacity * sizeof *l->edits) : 0) +
         (l->edit_batches ? memory_cost((size_t)l->batch_capacity * sizeof *l->edit_batches) : 0) +
         (l->kept ? memory_cost((size_t)l->kept_capacity * sizeof *l->kept) : 0) +
         friction_cache_bytes(&l->friction_cache);
}

bool contact_cache_is_of(const contact_cache *l, const particle_store *p) {
  return l->list.state && l->list.particles == p->count && l->list.stride == p->stride;
}

/* -------------------------------------------------------------------------------------------------- edits */

static motion_bound *motion_bound_of(contact_cache *l, int32_t batch) {
  return l->edit_batches[batch].is_of_active ? &l->active_bound : &l->list;
}

static void forget_batches(contact_cache *l) {
  l->count = l->batch_count = l->of_list = l->of_active = l->batches_before = l->kept_count = 0;
  contact_cache_give_up(l);
}

/* Keeps the batches of the list. */
static void forget_batches_of_active(contact_cache *l) {
  const int32_t batch_count = l->batch_count;
  int32_t left = 0, count = 0;
  for (int32_t n = 0; n < batch_count; n++) {
    const contact_cache_edit_batch batch = l->edit_batches[n];
    const int32_t size = contact_cache_end_of(l, n) - batch.first;
    if (batch.is_of_active)
      continue;
    memmove(l->edits + count, l->edits + batch.first, (size_t)size * sizeof *l->edits);
    l->edit_batches[left] = batch;
    l->edit_batches[left++].first = count;
    count += size;
  }
  l->count = count;
  l->batch_count = l->batches_before = left;
  l->of_active = l->kept_count = 0;
}

/* Does nothing if there has been no list. */
void contact_cache_forget(contact_cache *l) {
  if (l->list.horizon == 0)
    return;
  motion_bound_forget(&l->list);
  motion_bound_forget(&l->active_bound);
  forget_batches(l);
  l->has_list = l->is_whole = false;
}

void contact_cache_forget_choice(contact_cache *l) {
  motion_bound_forget(&l->active_bound);
  forget_batches_of_active(l);
}

void contact_cache_begin_list(contact_cache *l, bool is_whole) {
  forget_batches(l);
  l->has_list = true;
  l->is_whole = is_whole;
}

void contact_cache_begin_choice(contact_cache *l) {
  contact_cache_give_up(l);
  forget_batches_of_active(l);
  l->chosen_at = l->list.age;
  memcpy(l->chosen_skins, motion_bound_skins(&l->active_bound),
         (size_t)l->active_bound.particles * sizeof *l->chosen_skins);
}

static void read_state(const motion_bound *f, int32_t slot, msd_real state[MOTION_BOUND_COMPONENTS]) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    state[k] = f->state[k * f->stride + (size_t)slot];
}

bool contact_cache_note(contact_cache *l, memory *m, bool of_active, const uint8_t *marked, uint8_t marks) {
  const motion_bound *f = of_active ? &l->active_bound : &l->list;
  const int32_t count = marks_count(marked, marks, f->particles);
  if (!growth_reserve(&contact_cache_edit_growth, l, m, (int64_t)l->count + count) ||
      !growth_reserve(&contact_cache_batch_growth, l, m, (int64_t)l->batch_count + 1))
    return false;
  l->edit_batches[l->batch_count++] =
      (contact_cache_edit_batch){l->count, of_active, l->list.age, l->active_bound.age};
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    l->edits[l->count].slot = slot;
    read_state(f, slot, l->edits[l->count++].state);
  }
  *(of_active ? &l->of_active : &l->of_list) += count;
  return true;
}

static void exchange(motion_bound *f, contact_cache_edit *edit) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++) {
    msd_real *at = f->state + k * f->stride + (size_t)edit->slot;
    const msd_real had = *at;
    *at = edit->state[k];
    edit->state[k] = had;
  }
}

void contact_cache_undo(contact_cache *l) {
  for (int32_t batch = l->batch_count - 1; batch >= 0; batch--)
    for (int32_t n = contact_cache_end_of(l, batch) - 1; n >= l->edit_batches[batch].first; n--)
      exchange(motion_bound_of(l, batch), &l->edits[n]);
  l->undone = 0;
  if (l->active_bound.holds)
    memcpy(motion_bound_skins(&l->active_bound), l->chosen_skins,
           (size_t)l->active_bound.particles * sizeof *l->chosen_skins);
}

static void redo(contact_cache *l, int32_t batch) {
  for (int32_t n = l->edit_batches[batch].first; n < contact_cache_end_of(l, batch); n++)
    exchange(motion_bound_of(l, batch), &l->edits[n]);
  l->undone = batch + 1;
}

void contact_cache_redo(contact_cache *l, int32_t batch, uint8_t *marked, uint8_t mark) {
  l->list.age = l->edit_batches[batch].list_age;
  if (l->edit_batches[batch].is_of_active)
    l->active_bound.age = l->edit_batches[batch].active_age;
  redo(l, batch);
  for (int32_t n = l->edit_batches[batch].first; n < contact_cache_end_of(l, batch); n++)
    marked[l->edits[n].slot] |= mark;
}

void contact_cache_redo_rest(contact_cache *l) {
  for (int32_t batch = l->undone; batch < l->batch_count; batch++)
    redo(l, batch);
}

void contact_cache_begin_step(contact_cache *l) {
  l->batches_then = l->batch_count;
  l->chosen_then = l->active_bound.holds;
}

static void drop_last_batch(contact_cache *l) {
  const contact_cache_edit_batch *last = &l->edit_batches[--l->batch_count];
  *(last->is_of_active ? &l->of_active : &l->of_list) -= l->count - last->first;
  l->count = last->first;
}

bool contact_cache_rollback(contact_cache *l) {
  if (l->batches_then < 0)
    return false;
  l->list.holds = true;
  l->active_bound.holds = l->chosen_then;
  contact_cache_undo(l);
  while (l->batch_count > l->batches_then)
    drop_last_batch(l);
  contact_cache_redo_rest(l);
  return true;
}

/* --------------------------------------------------------------------------------------------- validation */

static bool is_within(double age, const motion_bound *f) {
  return age >= 0 && age <= f->horizon * (1 + 1e-6);
}

/* The list monitors all particles. The active set must not contain skins beyond MOTION_BOUND_UNWATCHED,
   which it cannot handle. */
static bool is_skin_sound(msd_real skin, bool of_active) {
  return skin >= 0 && (of_active ? skin <= MOTION_BOUND_UNWATCHED : skin < MOTION_BOUND_UNWATCHED);
}

static bool is_batch_sound(const contact_cache *l, int32_t batch) {
  const contact_cache_edit_batch *r = &l->edit_batches[batch];
  const int32_t particles = l->list.particles;
  bool sound = r->first >= 0 && r->first <= contact_cache_end_of(l, batch) &&
               contact_cache_end_of(l, batch) <= l->count && is_within(r->list_age, &l->list) &&
               (batch > 0 || r->first == 0) &&
               (!r->is_of_active || is_within(r->active_age, &l->active_bound)) &&
               (!r->is_of_active || batch >= l->batches_before);
  for (int32_t n = r->first; sound && n < contact_cache_end_of(l, batch); n++) {
    const contact_cache_edit *edit = &l->edits[n];
    sound = edit->slot < particles && edit->slot > (n > r->first ? edit[-1].slot : -1) &&
            is_skin_sound(edit->state[MOTION_BOUND_SKIN], r->is_of_active);
    for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
      sound = sound && isfinite(edit->state[k]);
  }
  return sound;
}

static bool is_motion_bound_sound(const motion_bound *f, bool of_active) {
  const msd_real horizon = (msd_real)f->horizon;
  bool sound = horizon > 0 && isfinite(horizon) && is_within(f->age, f);
  for (size_t axis = 0; axis < 3; axis++)
    sound = sound && isfinite(f->bend[axis]);
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    for (int32_t slot = 0; slot < f->particles; slot++)
      sound = sound && isfinite(f->state[k * f->stride + (size_t)slot]);
  for (int32_t slot = 0; slot < f->particles; slot++)
    sound = sound && is_skin_sound(motion_bound_skins(f)[slot], of_active);
  return sound;
}

static bool is_choice_sound(const contact_cache *l) {
  bool sound = is_motion_bound_sound(&l->active_bound, true) && is_within(l->chosen_at, &l->list);
  for (int32_t slot = 0; slot < l->active_bound.particles; slot++)
    sound = sound && is_skin_sound(l->chosen_skins[slot], true);
  return sound;
}

bool contact_cache_is_sound(const contact_cache *l) {
  bool sound = is_motion_bound_sound(&l->list, false) && l->batches_before >= 0 &&
               l->batches_before <= l->batch_count && (l->batch_count > 0 || l->count == 0);
  if (l->active_bound.holds)
    sound = sound && is_choice_sound(l);
  for (int32_t batch = 0; batch < l->batch_count && sound; batch++)
    sound = is_batch_sound(l, batch) && (l->active_bound.holds || !l->edit_batches[batch].is_of_active);
  return sound;
}
