#include "engine/contact/lookout.h"

#include "engine/contact/marks.h"

#include <math.h>
#include <string.h>

static const growth_array mends[] = {GROWTH_ARRAY(lookout, mends)},
                          rounds[] = {GROWTH_ARRAY(lookout, rounds)}, kept[] = {GROWTH_ARRAY(lookout, kept)};
const growth_table lookout_mend_growth = GROWTH(lookout, count, capacity, mends, .most = INT32_MAX);
const growth_table lookout_round_growth =
    GROWTH(lookout, round_count, round_capacity, rounds, .most = INT32_MAX);
const growth_table lookout_kept_growth = GROWTH(lookout, kept_count, kept_capacity, kept, .most = INT32_MAX);

bool lookout_reserve(lookout *l, memory *m, const particle_store *p) {
  lookout_free(l, m);
  l->chosen_skins = particle_allocate_slab(p, m, 1, &l->chosen_block);
  grips_begin(&l->grips, m, p->count);
  if (l->chosen_skins && forecast_reserve(&l->list, m, p) && forecast_reserve(&l->watch, m, p))
    return true;
  lookout_free(l, m);
  return false;
}

void lookout_free(lookout *l, memory *m) {
  forecast_free(&l->list, m);
  forecast_free(&l->watch, m);
  memory_release(m, l->chosen_block);
  growth_free(&lookout_mend_growth, l, m);
  growth_free(&lookout_round_growth, l, m);
  growth_free(&lookout_kept_growth, l, m);
  grips_free(&l->grips, m);
  *l = (lookout){.has_list = false};
}

size_t lookout_bytes(const lookout *l) {
  const size_t stride = l->list.stride;
  if (!l->list.state)
    return 0;
  return 2 * memory_cost(particle_slab_bytes(stride, FORECAST_COMPONENTS)) +
         memory_cost(particle_slab_bytes(stride, 1)) +
         (l->mends ? memory_cost((size_t)l->capacity * sizeof *l->mends) : 0) +
         (l->rounds ? memory_cost((size_t)l->round_capacity * sizeof *l->rounds) : 0) +
         (l->kept ? memory_cost((size_t)l->kept_capacity * sizeof *l->kept) : 0) + grips_bytes(&l->grips);
}

bool lookout_is_of(const lookout *l, const particle_store *p) {
  return l->list.state && l->list.particles == p->count && l->list.stride == p->stride;
}

/* ------------------------------------------------------------------------------------------------- rounds */

static forecast *forecast_of(lookout *l, int32_t round) {
  return l->rounds[round].is_of_watch ? &l->watch : &l->list;
}

static void forget_rounds(lookout *l) {
  l->count = l->round_count = l->of_list = l->of_watch = l->rounds_before = l->kept_count = 0;
  lookout_give_up(l);
}

/* Moves those of the list to the front. */
static void forget_rounds_of_watch(lookout *l) {
  const int32_t round_count = l->round_count;
  int32_t left = 0, count = 0;
  for (int32_t n = 0; n < round_count; n++) {
    const lookout_round round = l->rounds[n];
    const int32_t size = lookout_end_of(l, n) - round.first;
    if (round.is_of_watch)
      continue;
    memmove(l->mends + count, l->mends + round.first, (size_t)size * sizeof *l->mends);
    l->rounds[left] = round;
    l->rounds[left++].first = count;
    count += size;
  }
  l->count = count;
  l->round_count = l->rounds_before = left;
  l->of_watch = l->kept_count = 0;
}

/* What has no list has none of all that. */
void lookout_forget(lookout *l) {
  if (l->list.horizon == 0)
    return;
  forecast_forget(&l->list);
  forecast_forget(&l->watch);
  forget_rounds(l);
  l->has_list = l->is_whole = false;
}

void lookout_forget_choice(lookout *l) {
  forecast_forget(&l->watch);
  forget_rounds_of_watch(l);
}

void lookout_begin_list(lookout *l, bool is_whole) {
  forget_rounds(l);
  l->has_list = true;
  l->is_whole = is_whole;
}

void lookout_begin_choice(lookout *l) {
  lookout_give_up(l);
  forget_rounds_of_watch(l);
  l->chosen_at = l->list.age;
  memcpy(l->chosen_skins, forecast_skins(&l->watch), (size_t)l->watch.particles * sizeof *l->chosen_skins);
}

static void read_state(const forecast *f, int32_t slot, msd_real state[FORECAST_COMPONENTS]) {
  for (size_t k = 0; k < FORECAST_COMPONENTS; k++)
    state[k] = f->state[k * f->stride + (size_t)slot];
}

bool lookout_note(lookout *l, memory *m, bool of_watch, const uint8_t *marked, uint8_t marks) {
  const forecast *f = of_watch ? &l->watch : &l->list;
  const int32_t count = marks_count(marked, marks, f->particles);
  if (!growth_reserve(&lookout_mend_growth, l, m, (int64_t)l->count + count) ||
      !growth_reserve(&lookout_round_growth, l, m, (int64_t)l->round_count + 1))
    return false;
  l->rounds[l->round_count++] = (lookout_round){l->count, of_watch, l->list.age, l->watch.age};
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    l->mends[l->count].slot = slot;
    read_state(f, slot, l->mends[l->count++].state);
  }
  *(of_watch ? &l->of_watch : &l->of_list) += count;
  return true;
}

static void exchange(forecast *f, lookout_mend *mend) {
  for (size_t k = 0; k < FORECAST_COMPONENTS; k++) {
    msd_real *at = f->state + k * f->stride + (size_t)mend->slot;
    const msd_real had = *at;
    *at = mend->state[k];
    mend->state[k] = had;
  }
}

void lookout_undo(lookout *l) {
  for (int32_t round = l->round_count - 1; round >= 0; round--)
    for (int32_t n = lookout_end_of(l, round) - 1; n >= l->rounds[round].first; n--)
      exchange(forecast_of(l, round), &l->mends[n]);
  l->undone = 0;
  if (l->watch.holds)
    memcpy(forecast_skins(&l->watch), l->chosen_skins, (size_t)l->watch.particles * sizeof *l->chosen_skins);
}

static void redo(lookout *l, int32_t round) {
  for (int32_t n = l->rounds[round].first; n < lookout_end_of(l, round); n++)
    exchange(forecast_of(l, round), &l->mends[n]);
  l->undone = round + 1;
}

void lookout_redo(lookout *l, int32_t round, uint8_t *marked, uint8_t mark) {
  l->list.age = l->rounds[round].list_age;
  if (l->rounds[round].is_of_watch)
    l->watch.age = l->rounds[round].watch_age;
  redo(l, round);
  for (int32_t n = l->rounds[round].first; n < lookout_end_of(l, round); n++)
    marked[l->mends[n].slot] |= mark;
}

void lookout_redo_rest(lookout *l) {
  for (int32_t round = l->undone; round < l->round_count; round++)
    redo(l, round);
}

void lookout_begin_step(lookout *l) {
  l->rounds_then = l->round_count;
  l->chosen_then = l->watch.holds;
}

static void drop_last_round(lookout *l) {
  const lookout_round *last = &l->rounds[--l->round_count];
  *(last->is_of_watch ? &l->of_watch : &l->of_list) -= l->count - last->first;
  l->count = last->first;
}

bool lookout_take_back(lookout *l) {
  if (l->rounds_then < 0)
    return false;
  l->list.holds = true;
  l->watch.holds = l->chosen_then;
  lookout_undo(l);
  while (l->round_count > l->rounds_then)
    drop_last_round(l);
  lookout_redo_rest(l);
  return true;
}

/* -------------------------------------------------------------------------------------------------- reading */

static bool is_within(double age, const forecast *f) {
  return age >= 0 && age <= f->horizon * (1 + 1e-6);
}

/* All are watched by the list. Of what is farther out than any skin reaches, near_choice.h would not know how
   near it is. */
static bool is_skin_sound(msd_real skin, bool of_watch) {
  return skin >= 0 && (of_watch ? skin <= FORECAST_UNWATCHED : skin < FORECAST_UNWATCHED);
}

static bool is_round_sound(const lookout *l, int32_t round) {
  const lookout_round *r = &l->rounds[round];
  const int32_t particles = l->list.particles;
  bool sound = r->first >= 0 && r->first <= lookout_end_of(l, round) &&
               lookout_end_of(l, round) <= l->count && is_within(r->list_age, &l->list) &&
               (round > 0 || r->first == 0) && (!r->is_of_watch || is_within(r->watch_age, &l->watch)) &&
               (!r->is_of_watch || round >= l->rounds_before);
  for (int32_t n = r->first; sound && n < lookout_end_of(l, round); n++) {
    const lookout_mend *mend = &l->mends[n];
    sound = mend->slot < particles && mend->slot > (n > r->first ? mend[-1].slot : -1) &&
            is_skin_sound(mend->state[FORECAST_SKIN], r->is_of_watch);
    for (size_t k = 0; k < FORECAST_COMPONENTS; k++)
      sound = sound && isfinite(mend->state[k]);
  }
  return sound;
}

static bool is_forecast_sound(const forecast *f, bool of_watch) {
  const msd_real horizon = (msd_real)f->horizon;
  bool sound = horizon > 0 && isfinite(horizon) && is_within(f->age, f);
  for (size_t axis = 0; axis < 3; axis++)
    sound = sound && isfinite(f->bend[axis]);
  for (size_t k = 0; k < FORECAST_COMPONENTS; k++)
    for (int32_t slot = 0; slot < f->particles; slot++)
      sound = sound && isfinite(f->state[k * f->stride + (size_t)slot]);
  for (int32_t slot = 0; slot < f->particles; slot++)
    sound = sound && is_skin_sound(forecast_skins(f)[slot], of_watch);
  return sound;
}

static bool is_choice_sound(const lookout *l) {
  bool sound = is_forecast_sound(&l->watch, true) && is_within(l->chosen_at, &l->list);
  for (int32_t slot = 0; slot < l->watch.particles; slot++)
    sound = sound && is_skin_sound(l->chosen_skins[slot], true);
  return sound;
}

bool lookout_is_sound(const lookout *l) {
  bool sound = is_forecast_sound(&l->list, false) && l->rounds_before >= 0 &&
               l->rounds_before <= l->round_count && (l->round_count > 0 || l->count == 0);
  if (l->watch.holds)
    sound = sound && is_choice_sound(l);
  for (int32_t round = 0; round < l->round_count && sound; round++)
    sound = is_round_sound(l, round) && (l->watch.holds || !l->rounds[round].is_of_watch);
  return sound;
}
