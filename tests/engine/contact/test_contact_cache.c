#include "engine/contact/contact_cache.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 37, ROUNDS = 24, FIRST = 1, SECOND = 2 };

/* Particles of which two motion bounds hold, with numbers of no meaning. */
typedef struct watched {
  particle_store store;
  memory m;
  contact_cache l;
  uint32_t random;
} watched;

static msd_real draw(watched *w) {
  w->random = w->random * 1664525u + 1013904223u;
  return (msd_real)(w->random >> 8) / (msd_real)(1 << 24);
}

static void fill(watched *w, motion_bound *f) {
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    for (size_t slot = 0; slot < PARTICLES; slot++)
      f->state[k * f->stride + slot] = draw(w) - (k == MOTION_BOUND_SKIN ? 0 : (msd_real)0.5);
}

static void hold(watched *w, motion_bound *f, double horizon) {
  fill(w, f);
  f->horizon = horizon;
  f->age = 0;
  f->holds = true;
}

static watched begin_watched(void) {
  watched w = {.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}, .random = 7};
  cr_assert(particle_store_reserve(&w.store, &w.m, PARTICLES));
  w.store.count = PARTICLES;
  cr_assert(contact_cache_reserve(&w.l, &w.m, &w.store));
  cr_assert(contact_cache_is_of(&w.l, &w.store));
  hold(&w, &w.l.list, 16);
  contact_cache_begin_list(&w.l, true);
  hold(&w, &w.l.active_bound, 8);
  contact_cache_begin_choice(&w.l);
  return w;
}

static void end_watched(watched *w) {
  contact_cache_free(&w->l, &w->m);
  cr_assert_eq(contact_cache_bytes(&w->l), 0);
  w->store.count = 0;
  particle_store_free(&w->store, &w->m);
  cr_assert_eq(w->m.used, 0);
}

/* What a motion bound says of all. */
typedef struct copy {
  msd_real state[MOTION_BOUND_COMPONENTS][PARTICLES];
} copy;

static copy copy_of(const motion_bound *f) {
  copy c;
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    memcpy(c.state[k], f->state + k * f->stride, sizeof c.state[k]);
  return c;
}

static bool is_same(const motion_bound *f, const copy *c) {
  const copy now = copy_of(f);
  return memcmp(&now, c, sizeof now) == 0;
}

/* Notes a round of about one in three, and expects them elsewhere; some slots are in most of the rounds. */
static void take_round(watched *w, bool of_active) {
  uint8_t marked[PARTICLES] = {0};
  for (int slot = 0; slot < PARTICLES; slot++)
    if (slot % 9 == 4 || draw(w) < (msd_real)0.3)
      marked[slot] = slot % 2 ? FIRST : SECOND;
  cr_assert(contact_cache_note(&w->l, &w->m, of_active, marked, FIRST));
  motion_bound *f = of_active ? &w->l.active_bound : &w->l.list;
  for (size_t slot = 0; slot < PARTICLES; slot++)
    for (size_t k = 0; k < MOTION_BOUND_COMPONENTS && marked[slot] & FIRST; k++)
      f->state[k * f->stride + slot] = draw(w);
}

static void age(watched *w) {
  w->l.list.age += 0.25;
  w->l.active_bound.age += 0.25;
}

/* Of the list and of the watch by turns, in no order. */
static bool is_of_active(int round) {
  return round % 3 == 1 || round % 5 == 0;
}

/* ---------------------------------------------------------------------------------- undone and done again */

Test(contact_cache, rounds_that_are_undone_give_back_what_list_and_choice_were_made_with) {
  for (int rounds = 0; rounds <= ROUNDS; rounds++) {
    watched w = begin_watched();
    const copy list = copy_of(&w.l.list), watch = copy_of(&w.l.active_bound);
    for (int n = 0; n < rounds; n++, age(&w))
      take_round(&w, is_of_active(n));
    cr_assert_eq(rounds > 2, !is_same(&w.l.list, &list) && !is_same(&w.l.active_bound, &watch));
    contact_cache_undo(&w.l);
    cr_assert(is_same(&w.l.list, &list), "%d rounds", rounds);
    cr_assert(is_same(&w.l.active_bound, &watch), "%d rounds", rounds);
    end_watched(&w);
  }
}

Test(contact_cache, each_round_that_is_done_again_gives_back_what_stood_behind_it_and_marks_whom_it_is_of) {
  watched w = begin_watched();
  copy lists[ROUNDS], watches[ROUNDS];
  double ages[ROUNDS], watch_ages[ROUNDS];
  for (int n = 0; n < ROUNDS; n++, age(&w)) {
    ages[n] = w.l.list.age;
    watch_ages[n] = w.l.active_bound.age;
    take_round(&w, is_of_active(n));
    lists[n] = copy_of(&w.l.list);
    watches[n] = copy_of(&w.l.active_bound);
  }
  for (int again = 0; again < 3; again++) {
    contact_cache_undo(&w.l);
    for (int n = 0; n < ROUNDS; n++) {
      uint8_t marked[PARTICLES] = {0};
      w.l.list.age = w.l.active_bound.age = -1;
      contact_cache_redo(&w.l, n, marked, SECOND);
      cr_assert(is_same(&w.l.list, &lists[n]), "round %d", n);
      cr_assert(is_same(&w.l.active_bound, &watches[n]), "round %d", n);
      cr_assert_eq(w.l.list.age, ages[n]);
      cr_assert_eq(w.l.active_bound.age, is_of_active(n) ? watch_ages[n] : -1);
      int32_t edit = w.l.edit_batches[n].first;
      for (int32_t slot = 0; slot < PARTICLES; slot++)
        if (marked[slot]) {
          cr_assert_eq(marked[slot], SECOND);
          cr_assert_eq(w.l.edits[edit++].slot, slot);
        }
      cr_assert_eq(edit, contact_cache_end_of(&w.l, n));
    }
  }
  end_watched(&w);
}

/* Who is in all rounds has had what it had before the first one. */
Test(contact_cache, one_slot_in_every_round_goes_all_the_way_back) {
  watched w = begin_watched();
  const uint8_t marked[PARTICLES] = {[5] = FIRST};
  const copy list = copy_of(&w.l.list);
  for (int n = 0; n < ROUNDS; n++) {
    cr_assert(contact_cache_note(&w.l, &w.m, false, marked, FIRST));
    w.l.list.state[5] = (msd_real)(100 + n);
  }
  cr_assert_eq(w.l.count, ROUNDS);
  cr_assert_eq(w.l.of_list, ROUNDS);
  contact_cache_undo(&w.l);
  cr_assert(is_same(&w.l.list, &list));
  uint8_t again[PARTICLES] = {0};
  for (int n = 0; n < ROUNDS; n++) {
    contact_cache_redo(&w.l, n, again, SECOND);
    cr_assert_eq(w.l.list.state[5], (msd_real)(100 + n));
  }
  end_watched(&w);
}

/* A choice leaves some unwatched, whom no round is of. */
Test(contact_cache, skins_of_the_choice_come_back_also_of_whom_it_has_left_unwatched) {
  watched w = begin_watched();
  const copy watch = copy_of(&w.l.active_bound);
  for (int slot = 0; slot < PARTICLES; slot += 2)
    motion_bound_skins(&w.l.active_bound)[slot] = MOTION_BOUND_UNWATCHED;
  take_round(&w, true);
  contact_cache_undo(&w.l);
  cr_assert(is_same(&w.l.active_bound, &watch));
  w.l.active_bound.holds = false;
  motion_bound_skins(&w.l.active_bound)[0] = 77;
  contact_cache_undo(&w.l);
  cr_assert_eq(motion_bound_skins(&w.l.active_bound)[0], 77, "there is no choice to go back to");
  end_watched(&w);
}

Test(contact_cache, what_has_come_since_the_step_began_can_be_taken_back) {
  watched w = begin_watched();
  for (int round = 0; round < 5; round++)
    take_round(&w, round % 2);
  contact_cache_begin_step(&w.l);
  const copy list = copy_of(&w.l.list), watch = copy_of(&w.l.active_bound);
  const contact_cache then = w.l;
  for (int round = 0; round < 4; round++)
    take_round(&w, round % 2);
  w.l.list.holds = w.l.active_bound.holds = false;
  cr_assert(contact_cache_rollback(&w.l));
  cr_expect(is_same(&w.l.list, &list) && is_same(&w.l.active_bound, &watch));
  cr_expect(w.l.list.holds && w.l.active_bound.holds);
  cr_expect_eq(w.l.batch_count, then.batch_count);
  cr_expect_eq(w.l.count, then.count);
  cr_expect_eq(w.l.of_list, then.of_list);
  cr_expect_eq(w.l.of_active, then.of_active);
  contact_cache_begin_choice(&w.l);
  cr_expect_not(contact_cache_rollback(&w.l), "the choice is another one");
  end_watched(&w);
}

Test(contact_cache, only_those_that_have_one_of_the_marks_are_noted) {
  watched w = begin_watched();
  uint8_t marked[PARTICLES] = {[0] = FIRST, [8] = SECOND, [9] = FIRST | SECOND, [36] = FIRST};
  cr_assert(contact_cache_note(&w.l, &w.m, true, marked, FIRST));
  cr_assert_eq(w.l.count, 3);
  cr_assert(w.l.edits[0].slot == 0 && w.l.edits[1].slot == 9 && w.l.edits[2].slot == 36);
  cr_assert(w.l.of_active == 3 && w.l.of_list == 0);
  cr_assert(contact_cache_note(&w.l, &w.m, false, marked, SECOND));
  cr_assert(w.l.count == 5 && w.l.of_active == 3 && w.l.of_list == 2 && w.l.batch_count == 2);
  end_watched(&w);
}

/* -------------------------------------------------------------------------------------- what is forgotten */

typedef void forgetting(contact_cache *l);

static void forget_by_choosing(contact_cache *l) {
  contact_cache_begin_choice(l);
}

/* And the list still goes back to what it was made with. */
static void expect_list_rounds_alone(forgetting *forget, const char *name) {
  watched w = begin_watched();
  const copy list = copy_of(&w.l.list);
  contact_cache_edit edits[ROUNDS * PARTICLES];
  double ages[ROUNDS];
  int32_t count = 0, rounds = 0;
  for (int n = 0; n < ROUNDS; n++, age(&w)) {
    const int32_t first = w.l.count;
    const double at = w.l.list.age;
    take_round(&w, is_of_active(n));
    if (is_of_active(n))
      continue;
    memcpy(edits + count, w.l.edits + first, (size_t)(w.l.count - first) * sizeof *edits);
    count += w.l.count - first;
    ages[rounds++] = at;
  }
  forget(&w.l);
  cr_assert_eq(w.l.count, count, "%s", name);
  cr_assert_eq(w.l.batch_count, rounds, "%s", name);
  cr_assert_eq(w.l.batches_before, rounds, "%s", name);
  cr_assert(w.l.of_list == count && w.l.of_active == 0, "%s", name);
  cr_assert_eq(memcmp(w.l.edits, edits, (size_t)count * sizeof *edits), 0, "%s", name);
  for (int n = 0; n < rounds; n++)
    cr_assert(w.l.edit_batches[n].list_age == ages[n] && !w.l.edit_batches[n].is_of_active, "%s", name);
  contact_cache_undo(&w.l);
  cr_assert(is_same(&w.l.list, &list), "%s", name);
  end_watched(&w);
}

Test(contact_cache, rounds_of_the_watch_go_with_the_choice_and_those_of_the_list_stay_in_their_order) {
  expect_list_rounds_alone(contact_cache_forget_choice, "forgotten");
  expect_list_rounds_alone(forget_by_choosing, "chosen anew");
}

Test(contact_cache, a_choice_begins_with_the_skins_and_the_age_that_there_are) {
  watched w = begin_watched();
  take_round(&w, false);
  w.l.list.age = 3;
  hold(&w, &w.l.active_bound, 5);
  const copy watch = copy_of(&w.l.active_bound);
  contact_cache_begin_choice(&w.l);
  cr_assert_eq(w.l.chosen_at, 3);
  cr_assert_eq(
      memcmp(w.l.chosen_skins, watch.state[MOTION_BOUND_SKIN], sizeof watch.state[MOTION_BOUND_SKIN]), 0);
  cr_assert_eq(w.l.batches_before, 1);
  end_watched(&w);
}

static bool is_nothing(const motion_bound *f) {
  bool nothing = !f->holds && f->horizon == 0 && f->age == 0;
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    for (size_t slot = 0; slot < PARTICLES; slot++)
      nothing = nothing && f->state[k * f->stride + slot] == 0;
  return nothing;
}

Test(contact_cache, a_choice_that_is_forgotten_leaves_nothing_of_the_watch) {
  watched w = begin_watched();
  take_round(&w, true);
  w.l.kept_count = 1;
  contact_cache_forget_choice(&w.l);
  cr_assert_eq(w.l.kept_count, 0);
  cr_assert(is_nothing(&w.l.active_bound));
  cr_assert(w.l.list.holds && w.l.has_list && w.l.is_whole);
  end_watched(&w);
}

Test(contact_cache, what_is_forgotten_leaves_nothing_at_all) {
  watched w = begin_watched();
  take_round(&w, false);
  take_round(&w, true);
  w.l.kept_count = 1;
  contact_cache_forget(&w.l);
  cr_assert_eq(w.l.kept_count, 0);
  cr_assert(is_nothing(&w.l.list) && is_nothing(&w.l.active_bound));
  cr_assert(w.l.count == 0 && w.l.batch_count == 0 && w.l.of_list == 0 && w.l.of_active == 0);
  cr_assert(w.l.batches_before == 0 && !w.l.has_list && !w.l.is_whole);
  contact_cache_forget(&w.l);
  end_watched(&w);
}

Test(contact_cache, a_list_that_begins_has_no_rounds) {
  watched w = begin_watched();
  take_round(&w, false);
  contact_cache_begin_list(&w.l, false);
  cr_assert(w.l.count == 0 && w.l.batch_count == 0 && w.l.of_list == 0);
  cr_assert(w.l.has_list && !w.l.is_whole);
  end_watched(&w);
}

/* ------------------------------------------------------------------------------------------------- memory */

Test(contact_cache, without_memory_for_a_round_nothing_changes) {
  static const uint8_t all[] = {FIRST, FIRST, FIRST, FIRST, FIRST, FIRST, FIRST, FIRST};
  watched w = begin_watched();
  uint8_t marked[PARTICLES] = {0};
  memcpy(marked, all, sizeof all);
  int failed = 0;
  for (int n = 0; n < 200; n++) {
    const contact_cache before = w.l;
    const copy list = copy_of(&w.l.list), watch = copy_of(&w.l.active_bound);
    w.m.limit = w.m.used;
    const bool noted = contact_cache_note(&w.l, &w.m, n % 2, marked, FIRST);
    w.m.limit = SIZE_MAX;
    cr_assert(is_same(&w.l.list, &list) && is_same(&w.l.active_bound, &watch));
    if (noted)
      continue;
    failed++;
    cr_assert(w.l.count == before.count && w.l.batch_count == before.batch_count);
    cr_assert(w.l.of_list == before.of_list && w.l.of_active == before.of_active);
    cr_assert(contact_cache_note(&w.l, &w.m, n % 2, marked, FIRST));
  }
  cr_assert_gt(failed, 2);
  cr_assert_eq(w.l.count, 1600);
  cr_assert_gt(contact_cache_bytes(&w.l), 1600 * sizeof *w.l.edits);
  end_watched(&w);
}

Test(contact_cache, without_memory_there_is_none_and_nothing_is_held) {
  watched w = begin_watched();
  const size_t bytes = contact_cache_bytes(&w.l);
  cr_assert_gt(bytes, 0);
  contact_cache_free(&w.l, &w.m);
  for (size_t limit = 0; limit < bytes; limit += bytes / 7) {
    const size_t used = w.m.used;
    w.m.limit = used + limit;
    cr_assert_not(contact_cache_reserve(&w.l, &w.m, &w.store));
    cr_assert(w.m.used == used && !contact_cache_is_of(&w.l, &w.store));
  }
  w.m.limit = SIZE_MAX;
  cr_assert(contact_cache_reserve(&w.l, &w.m, &w.store));
  cr_assert_eq(contact_cache_bytes(&w.l), bytes);
  w.store.count--;
  cr_assert_not(contact_cache_is_of(&w.l, &w.store), "of fewer particles");
  end_watched(&w);
}

Test(contact_cache, it_is_full_of_as_many_mends_as_particles_or_of_a_quarter_as_many_rounds) {
  watched w = begin_watched();
  uint8_t marked[PARTICLES];
  memset(marked, FIRST, sizeof marked);
  cr_assert(contact_cache_note(&w.l, &w.m, false, marked, FIRST));
  cr_assert_not(contact_cache_is_full(&w.l));
  cr_assert(contact_cache_note(&w.l, &w.m, false, (const uint8_t[PARTICLES]){FIRST}, FIRST));
  cr_assert(contact_cache_is_full(&w.l));
  contact_cache_begin_list(&w.l, true);
  while (!contact_cache_is_full(&w.l))
    cr_assert(contact_cache_note(&w.l, &w.m, true, (const uint8_t[PARTICLES]){0}, FIRST));
  cr_assert(w.l.batch_count > PARTICLES / 4 && w.l.batch_count < contact_cache_most_batches(PARTICLES));
  cr_assert_eq(contact_cache_most_edits(PARTICLES), 3 * PARTICLES);
  cr_assert_eq(contact_cache_most_edits(INT32_MAX - 1), INT32_MAX);
  end_watched(&w);
}

/* --------------------------------------------------------------------------------------- what can be read */

/* With two rounds of the list, the first before the choice, and one of the watch. */
static watched begin_sound(void) {
  watched w = begin_watched();
  take_round(&w, false);
  contact_cache_begin_choice(&w.l);
  for (int n = 0; n < 2; n++, age(&w))
    take_round(&w, n);
  cr_assert(w.l.batches_before == 1 && w.l.batch_count == 3);
  cr_assert(contact_cache_is_sound(&w.l));
  return w;
}

/* In place of a number for the time of a look. */
static void expect_refused(watched *w, double *at, double bad, const char *name) {
  const double good = *at;
  *at = bad;
  cr_expect_not(contact_cache_is_sound(&w->l), "%s: %g", name, bad);
  *at = good;
  cr_assert(contact_cache_is_sound(&w->l), "%s", name);
}

static void expect_real_refused(watched *w, msd_real *at, double bad, const char *name) {
  const msd_real good = *at;
  *at = (msd_real)bad;
  cr_expect_not(contact_cache_is_sound(&w->l), "%s: %g", name, bad);
  *at = good;
  cr_assert(contact_cache_is_sound(&w->l), "%s", name);
}

static void expect_number_refused(watched *w, int32_t *at, int32_t bad, const char *name) {
  const int32_t good = *at;
  *at = bad;
  cr_expect_not(contact_cache_is_sound(&w->l), "%s: %d", name, (int)bad);
  *at = good;
  cr_assert(contact_cache_is_sound(&w->l), "%s", name);
}

Test(contact_cache, times_that_cannot_be_are_refused) {
  static const double bad[] = {-1, 17, INFINITY, NAN};
  watched w = begin_sound();
  for (int n = 0; n < 4; n++) {
    expect_refused(&w, &w.l.list.age, bad[n], "age of the list");
    expect_refused(&w, &w.l.active_bound.age, bad[n], "age of the watch");
    expect_refused(&w, &w.l.chosen_at, bad[n], "age at the choice");
    for (int round = 0; round < 3; round++)
      expect_refused(&w, &w.l.edit_batches[round].list_age, bad[n], "age of the list at a round");
    expect_refused(&w, &w.l.edit_batches[2].active_age, bad[n], "age of the watch at a round");
    if (n == 1)
      continue;
    expect_refused(&w, &w.l.list.horizon, bad[n], "horizon of the list");
    expect_refused(&w, &w.l.active_bound.horizon, bad[n], "horizon of the watch");
  }
  w.l.list.age = w.l.active_bound.age = w.l.chosen_at = 0;
  for (int round = 0; round < 3; round++)
    w.l.edit_batches[round].list_age = w.l.edit_batches[round].active_age = 0;
  expect_refused(&w, &w.l.list.horizon, 0, "horizon of the list");
  expect_refused(&w, &w.l.active_bound.horizon, 0, "horizon of the watch");
  end_watched(&w);
}

Test(contact_cache, numbers_of_particles_that_cannot_be_are_refused) {
  static const double bad[] = {INFINITY, -INFINITY, NAN};
  watched w = begin_sound();
  motion_bound *both[] = {&w.l.list, &w.l.active_bound};
  for (int n = 0; n < 3; n++) {
    for (int which = 0; which < 2; which++) {
      for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
        for (size_t slot = 0; slot < PARTICLES; slot += PARTICLES - 1)
          expect_real_refused(&w, both[which]->state + k * both[which]->stride + slot, bad[n], "X, V or R");
      for (int axis = 0; axis < 3; axis++)
        expect_refused(&w, &both[which]->bend[axis], bad[n], "A");
    }
    for (int32_t edit = 0; edit < w.l.count; edit++)
      for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
        expect_real_refused(&w, &w.l.edits[edit].state[k], bad[n], "X, V or R of a edit");
    expect_real_refused(&w, &w.l.chosen_skins[PARTICLES - 1], bad[n], "R at the choice");
  }
  end_watched(&w);
}

/* Nobody need be watched by the choice, whose R is the most that there is; all are by the list. */
Test(contact_cache, skins_that_cannot_be_are_refused) {
  static const double bad[] = {-1e-6, 1.01 * (double)MOTION_BOUND_UNWATCHED, 1e38};
  watched w = begin_sound();
  for (int n = 0; n < 3; n++) {
    for (int slot = 0; slot < PARTICLES; slot += 12) {
      expect_real_refused(&w, &motion_bound_skins(&w.l.list)[slot], bad[n], "R of the list");
      expect_real_refused(&w, &motion_bound_skins(&w.l.active_bound)[slot], bad[n], "R of the watch");
      expect_real_refused(&w, &w.l.chosen_skins[slot], bad[n], "R at the choice");
    }
    for (int32_t edit = 0; edit < w.l.count; edit++)
      expect_real_refused(&w, &w.l.edits[edit].state[MOTION_BOUND_SKIN], bad[n], "R of a edit");
  }
  for (int slot = 0; slot < PARTICLES; slot++)
    w.l.chosen_skins[slot] = motion_bound_skins(&w.l.active_bound)[slot] = MOTION_BOUND_UNWATCHED;
  w.l.edits[w.l.edit_batches[2].first].state[MOTION_BOUND_SKIN] = MOTION_BOUND_UNWATCHED;
  cr_assert(contact_cache_is_sound(&w.l));
  expect_real_refused(&w, &motion_bound_skins(&w.l.list)[3], (double)MOTION_BOUND_UNWATCHED, "R of the list");
  expect_real_refused(&w, &w.l.edits[0].state[MOTION_BOUND_SKIN], (double)MOTION_BOUND_UNWATCHED,
                      "R of a edit of the list");
  end_watched(&w);
}

Test(contact_cache, rounds_that_cannot_be_are_refused) {
  watched w = begin_sound();
  contact_cache *l = &w.l;
  expect_number_refused(&w, &l->edit_batches[0].first, -1, "first of a round");
  expect_number_refused(&w, &l->edit_batches[0].first, 1, "first of the first round");
  expect_number_refused(&w, &l->edit_batches[1].first, l->edit_batches[2].first + 1, "first of a round");
  expect_number_refused(&w, &l->edit_batches[2].first, l->count + 1, "first of a round");
  expect_number_refused(&w, &l->batches_before, -1, "rounds before the choice");
  expect_number_refused(&w, &l->batches_before, 4, "rounds before the choice");
  expect_number_refused(&w, &l->batches_before, 3, "rounds before the choice, of which one is of the watch");
  for (int round = 0; round < 3; round++) {
    expect_number_refused(&w, &l->edits[l->edit_batches[round].first].slot, -1, "slot");
    expect_number_refused(&w, &l->edits[contact_cache_end_of(l, round) - 1].slot, PARTICLES, "slot");
    expect_number_refused(&w, &l->edits[l->edit_batches[round].first + 1].slot,
                          l->edits[l->edit_batches[round].first].slot, "slot twice in a round");
  }
  l->active_bound.holds = false;
  cr_expect_not(contact_cache_is_sound(l), "a round of a watch that there is not");
  contact_cache_forget_choice(l);
  cr_expect(contact_cache_is_sound(l));
  l->batch_count = l->batches_before = 0;
  cr_expect_not(contact_cache_is_sound(l), "edits of no round");
  l->count = 0;
  cr_expect(contact_cache_is_sound(l));
  end_watched(&w);
}
