#include "engine/contact/self_contact.h"

#include "engine/base/min_max.h"
#include "engine/contact/marks.h"
#include "engine/contact/pair_mending.h"
#include "engine/contact/self_contact_turn.h"

#include <math.h>
#include <string.h>

/* The mesh and what has been counted stay; and what is known where that is wanted. */
static void free_all_but_mesh(self_contact *c, memory *m, bool keeps_look) {
  const surface_mesh mesh = c->mesh;
  const lookout look = c->look;
  const int64_t shortened = c->shortened_steps;
  c->mesh = (surface_mesh){0};
  if (keeps_look)
    c->look = (lookout){.has_list = false};
  self_contact_free(c, m);
  c->mesh = mesh;
  if (keeps_look)
    c->look = look;
  c->shortened_steps = shortened;
}

bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads) {
  const bool stays = lookout_is_of(&c->look, p);
  free_all_but_mesh(c, m, stays);
  c->predicted = particle_allocate_slab(p, m, COMPONENTS, &c->predicted_block);
  c->strayed = memory_allocate(m, (size_t)p->count);
  c->tallies = memory_allocate(m, (size_t)threads * sizeof *c->tallies);
  c->piles = memory_allocate(m, (size_t)threads * sizeof *c->piles);
  grips_begin(&c->grips, m, p->count);
  c->stride = p->stride;
  c->particles = p->count;
  c->threads = threads;
  const bool has_room = (stays || lookout_reserve(&c->look, m, p)) && c->predicted && c->strayed &&
                        c->tallies && c->piles && near_choice_reserve(&c->choice, m, p->count, threads) &&
                        near_pairs_reserve(&c->near, m, p->count) && cells_reserve(&c->cells, m, p->count);
  if (!has_room)
    free_all_but_mesh(c, m, stays);
  return has_room;
}

void self_contact_free(self_contact *c, memory *m) {
  surface_mesh_free(&c->mesh, m);
  pair_search_free(&c->search, m);
  lookout_free(&c->look, m);
  near_choice_free(&c->choice, m);
  contact_team_free(&c->team, m);
  near_pairs_free(&c->near, m);
  grips_free(&c->grips, m);
  cells_free(&c->cells, m);
  memory_release(m, c->strayed);
  memory_release(m, c->predicted_block);
  memory_release(m, c->tallies);
  memory_release(m, c->piles);
  *c = (self_contact){0};
}

static void begin_step(self_contact *c, bool goes_on) {
  c->goes_on = goes_on;
  c->is_chosen = c->near.has_followed = false;
  c->is_restless = false;
  memset(c->strayed, 0, (size_t)c->particles);
}

void self_contact_forget(self_contact *c) {
  begin_step(c, false);
  lookout_forget(&c->look);
}

/* A step that was stopped before its first substep has not listed what it began with. */
void self_contact_end_step(self_contact *c) {
  if (!c->is_listed)
    return;
  cells_tell(&c->cells, c->look.kept);
  c->look.kept_count = c->cells.count;
}

void self_contact_go_on(self_contact *c, bool with_choice) {
  begin_step(c, true);
  c->is_chosen = with_choice && c->look.watch.holds;
  if (!c->is_chosen)
    lookout_forget_choice(&c->look);
  lookout_begin_step(&c->look);
}

bool self_contact_take_back(self_contact *c) {
  const bool done = c->goes_on && lookout_take_back(&c->look);
  c->is_listed = c->is_listed && !done;
  return done;
}

/* ------------------------------------------------------------------------------------- lists and choices */

/* Substeps that a list, and a choice of what is near, should last; that of few pairs, too. */
enum { LEAST_LIST_SUBSTEPS = 8, MOST_LIST_SUBSTEPS = 256, WATCH_SUBSTEPS = 4, QUIET_SUBSTEPS = 16 };

/* Skins as shares of the thickness; and by how much those of lists become wider and narrower. */
static const double LEAST_LIST_SKIN = 0.25, MOST_LIST_SKIN = 0.35, WATCH_SKIN = 0.08, WIDER = 1.5,
                    NARROWER = 0.75;

/* How far the fastest go while a watch of more than the fewest substeps lasts, as a share of the thickness. */
static const double MOST_SLID = 0.5;

/* What a list is worth in mends, one a particle: where few are near that share of the particles; and so much
   more for each pair that it has for a particle, up to that many times as much more. */
static const double WORTH_SHARE = 1.0 / 64, WORTH_OF_PAIR = 0.5, MOST_WORTH_OF_PAIRS = 4;

static forecast_substep substep_of(const self_contact_step *s) {
  return (forecast_substep){s->before, s->behind, s->stride, s->time_step};
}

/* m: a skin that is such a share of the thickness, and that something can leave. */
static double share_of_thickness(const self_contact_step *s, double share) {
  return fmin(share * (double)s->settings.thickness, (double)FORECAST_UNWATCHED / 8);
}

static double watch_skin(const self_contact_step *s) {
  return share_of_thickness(s, WATCH_SKIN);
}

static near_choosing choosing_of(const self_contact_step *s, const near_substep *taken) {
  self_contact *c = s->contact;
  return (near_choosing){.choice = &c->choice,
                         .list = &c->search.list,
                         .expected = &c->look.list,
                         .watch = &c->look.watch,
                         .mesh = &c->mesh,
                         .tangles = s->tangles,
                         .near = &c->near,
                         .cells = &c->cells,
                         .memory = s->memory,
                         .team = &c->team,
                         .taken = taken,
                         .inverse_mass = s->inverse_mass,
                         .friction = s->settings.friction,
                         .tasks = s->tasks,
                         .threads = s->threads,
                         .simd = s->simd};
}

static pair_question question_of(const self_contact_step *s) {
  self_contact *c = s->contact;
  return (pair_question){.state = c->look.list.state,
                         .stride = c->stride,
                         .skins = forecast_skins(&c->look.list),
                         .horizon = (msd_real)c->look.list.horizon,
                         .awake = s->awake,
                         .awake_for = s->awake ? *s->awake_for : 0,
                         .team = &c->team,
                         .tasks = s->tasks,
                         .threads = s->threads,
                         .simd = s->simd};
}

/* What the next list bends by. Lists give what sleeps no skins, since it goes nowhere: so where something does,
   all ways are straight. */
static const double *next_bend(const self_contact_step *s) {
  static const double none[3] = {0, 0, 0};
  return s->awake ? none : s->habit->bend;
}

static bool is_bent(const double bend[3]) {
  return bend[0] != 0 || bend[1] != 0 || bend[2] != 0;
}

/* Lists that have lasted are made for longer: at once for as long as may be where forecasts know how all
   become faster. Where they have not, those of few pairs are made with wider skins if all had kept to them
   until then: what becomes faster, as no forecast knew, leaves its skins together, and wider ones hold it for
   longer. Others are made for less long. What shakes leaves a list a few at a time, however wide its skins are:
   these become narrower, so that less is listed. Where much is listed, they follow how far off the last list
   was. */
static void adapt(const self_contact_step *s) {
  const self_contact *c = s->contact;
  surface_habit *habit = s->habit;
  const double least = share_of_thickness(s, LEAST_LIST_SKIN), most = share_of_thickness(s, MOST_LIST_SKIN);
  const bool has_lasted = c->look.list.age > 0.99 * c->look.list.horizon,
             is_short = c->search.list.count < c->particles / 2, shakes = !is_short || c->look.of_list > 0;
  if (c->look.has_list && has_lasted)
    habit->substeps =
        is_bent(next_bend(s)) ? MOST_LIST_SUBSTEPS : 2 * int_min(habit->substeps, MOST_LIST_SUBSTEPS);
  else if (c->look.has_list && !shakes && habit->skin < most)
    habit->skin *= WIDER;
  else if (c->look.has_list && c->look.list.age < 0.5 * c->look.list.horizon)
    habit->substeps /= 2;
  if (c->look.has_list && shakes)
    habit->skin *= NARROWER;
  habit->skin = habit->skin > least ? habit->skin : least;
  habit->skin = habit->skin < most ? habit->skin : most;
  habit->substeps = int_max(LEAST_LIST_SUBSTEPS, int_min(habit->substeps, MOST_LIST_SUBSTEPS));
}

void self_contact_note_bend(const self_contact *c, surface_habit *habit, const msd_real *state,
                            double time_step) {
  if (c->look.has_list)
    forecast_find_bend(&c->look.list, state, c->stride, time_step, habit->bend);
}

static bool find_pairs(const self_contact_step *s) {
  self_contact *c = s->contact;
  const pair_question question = question_of(s);
  near_choice_forget_list(&c->choice);
  return pair_search_build(&c->search, s->memory, &c->mesh, &question);
}

/* Whether so much is listed that some rest and some are thrown about: then skins follow how far off the last
   forecast was. */
static bool lists_much(const self_contact *c) {
  return c->search.list.count >= c->particles;
}

static bool make_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const forecast_substep substep = substep_of(s);
  lookout_give_up(&c->look);
  self_contact_note_bend(c, s->habit, s->before, s->time_step);
  adapt(s);
  const int32_t wanted = s->habit->substeps,
                substeps = c->goes_on ? wanted : int_min(wanted, s->substeps_left);
  const forecast_plan plan = {.horizon = substeps * s->time_step,
                              .skin = s->habit->skin,
                              .follows_the_last = lists_much(c),
                              .bend = next_bend(s),
                              .tasks = s->tasks,
                              .threads = s->threads};
  forecast_begin(&c->look.list, &substep, &plan);
  const tangled_places places = {s->before, s->stride, s->tasks, s->threads};
  if (!contact_team_agrees(&c->team, tangles_review(s->tangles, s->memory, &places)))
    return false;
  do {
    c->look.list.holds = find_pairs(s);
  } while (c->look.list.holds && s->awake && s->wake(s->wake_context, &c->search.list));
  lookout_begin_list(&c->look, !s->awake);
  c->look.has_list = c->is_listed = c->look.list.holds;
  return c->look.list.holds;
}

/* s: how long a watch should last. What hardly moves is near for long: it slides by little while its witness
   is that of the beginning. Of few pairs few are near for longer, and of none nothing is. Never longer than
   what is `left` of the list. */
static double watch_horizon(const self_contact_step *s, double left) {
  const self_contact *c = s->contact;
  const forecast_substep substep = substep_of(s);
  const double least = (lists_much(c) ? WATCH_SUBSTEPS : QUIET_SUBSTEPS) * s->time_step;
  if (!(least < left) || c->search.list.count == 0)
    return left;
  const double still = MOST_SLID * (double)s->settings.thickness / forecast_fastest(&substep, c->particles);
  const double wanted = still > least ? still : least;
  return wanted < left ? wanted : left;
}

/* For what is told of them behind the step, and of what is near when it is chosen anew. */
static bool has_room_for_kept(const self_contact_step *s) {
  self_contact *c = s->contact;
  return contact_team_agrees(&c->team,
                             growth_reserve(&lookout_kept_growth, &c->look, s->memory, c->cells.count) &&
                                 grips_make_room(&c->look.grips, s->memory, c->near.count) &&
                                 grips_make_room(&c->grips, s->memory, c->near.count));
}

/* Makes sure that there is a list and a choice for the substep. Of surfaces that touch nothing neither is asked
   for: only the air and the colliders know of them. */
static bool look_around(const self_contact_step *s) {
  self_contact *c = s->contact;
  if (c->mesh.touches_nothing)
    return true;
  const forecast_substep substep = substep_of(s);
  if (forecast_lasts(&c->look.list, s->time_step) && forecast_lasts(&c->look.watch, s->time_step))
    return true;
  if (!forecast_lasts(&c->look.list, s->time_step) && !make_list(s))
    return false;
  const double left = c->look.list.horizon - c->look.list.age, horizon = watch_horizon(s, left);
  const forecast_plan plan = {.horizon = horizon,
                              .skin = watch_skin(s),
                              .follows_the_last = lists_much(c),
                              .bend = c->look.list.bend,
                              .tasks = s->tasks,
                              .threads = s->threads};
  if (c->search.list.count > 0)
    forecast_begin(&c->look.watch, &substep, &plan);
  else
    forecast_begin_unwatched(&c->look.watch, &substep, &plan);
  lookout_begin_choice(&c->look);
  near_choosing choosing = choosing_of(s, NULL);
  choosing.grips = self_contact_grips(s);
  c->look.watch.holds = near_choice_make(&choosing) && has_room_for_kept(s);
  c->is_restless = false;
  c->is_chosen = c->look.watch.holds;
  return c->look.watch.holds;
}

/* Expects those anew that have one of the marks, as they go in the substep. */
static self_contact_result expect_anew(const self_contact_step *s, bool of_watch, double least,
                                       uint8_t marks) {
  self_contact *c = s->contact;
  const forecast_substep substep = substep_of(s);
  forecast *f = of_watch ? &c->look.watch : &c->look.list;
  if (!contact_team_agrees(&c->team, lookout_note(&c->look, s->memory, of_watch, c->strayed, marks)))
    return SELF_CONTACT_NO_MEMORY;
  forecast_follow(f, &substep, least, c->strayed, marks);
  return forecast_widen(f, &substep, c->strayed, marks) ? SELF_CONTACT_DONE : SELF_CONTACT_NOT_FINITE;
}

/* Those of particles that have left the list. */
static bool find_pairs_anew(const self_contact_step *s) {
  self_contact *c = s->contact;
  const pair_question question = question_of(s);
  listed_at *blocks = &c->choice.listed_at;
  listed_at_find(blocks, s->memory, &c->search.list, c->strayed, s->tasks);
  return pair_search_mend(&c->search, s->memory, &c->mesh, &question, blocks, c->strayed, LEFT_LIST);
}

/* Finds the pairs anew of particles that have left the list: from now on they are expected to go on from where
   they are. Who comes to be watched by that is marked. */
static self_contact_result mend_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const self_contact_result result = expect_anew(s, false, s->habit->skin, LEFT_LIST);
  if (result != SELF_CONTACT_DONE)
    return result;
  const near_choosing choosing = choosing_of(s, NULL);
  c->look.list.holds = find_pairs_anew(s);
  /* What has woken has its pairs in the next list. */
  if (c->look.list.holds && s->awake && s->wake(s->wake_context, &c->search.list)) {
    c->look.list.holds = false;
    return SELF_CONTACT_DONE;
  }
  if (!c->look.list.holds || !near_choice_extend(&choosing, c->strayed, IS_NEW))
    return SELF_CONTACT_NO_MEMORY;
  return SELF_CONTACT_DONE;
}

static bool any_left(const self_contact *c, bool list) {
  bool any = false;
  for (int n = 0; n < c->threads; n++)
    any = any || (list ? c->tallies[n].left_list : c->tallies[n].left_watch);
  return any;
}

/* Whether it is time for another list, as so many have left this one behind a substep. A list and its mends
   cost least for each substep that they last when it is made anew where a substep more costs more than they
   have for each until then. */
static bool is_worn(const self_contact_step *s, int32_t left) {
  const self_contact *c = s->contact;
  const double substeps = c->look.list.age / s->time_step + 1,
               pairs = (double)c->search.list.count / c->particles,
               worth = WORTH_SHARE * c->particles * (1 + fmin(WORTH_OF_PAIR * pairs, MOST_WORTH_OF_PAIRS));
  return left * substeps > worth + c->look.of_list || lookout_is_full(&c->look);
}

/* Of a list that too many have left. What all had gained of velocity is not what they gain now, where it has
   not even lasted for long enough to tell: skins are not to be as wide as that was wrong. */
static self_contact_result drop_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const forecast_substep substep = substep_of(s);
  c->look.list.holds = false;
  lookout_give_up(&c->look);
  if (!forecast_shows(&c->look.list, s->time_step)) {
    forecast_straighten(&c->look.list);
    memcpy(s->habit->bend, c->look.list.bend, sizeof s->habit->bend);
  }
  return forecast_widen(&c->look.list, &substep, c->strayed, LEFT_LIST) ? SELF_CONTACT_DONE
                                                                        : SELF_CONTACT_NOT_FINITE;
}

/* Looks anew at what particles that have strayed may meet; says whether the substep has seen all that it should
   have. */
static self_contact_result look_again(const self_contact_turn *t, bool *seen) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  *seen = false;
  if (is_worn(s, marks_count(c->strayed, LEFT_LIST, c->particles)))
    return drop_list(s);
  const near_substep taken = {s->before, t->something_acts ? c->predicted : s->behind, s->behind, s->stride,
                              s->time_step};
  const near_choosing choosing = choosing_of(s, &taken);
  self_contact_result result = any_left(c, true) ? mend_list(s) : SELF_CONTACT_DONE;
  if (result == SELF_CONTACT_DONE && c->look.list.holds)
    result = expect_anew(s, true, watch_skin(s), ANY_MARK);
  if (result != SELF_CONTACT_DONE || !c->look.list.holds)
    return result;
  bool has_missed;
  c->look.watch.holds = near_choice_mend(&choosing, c->strayed, &has_missed) && has_room_for_kept(s);
  *seen = !has_missed;
  return c->look.watch.holds ? SELF_CONTACT_DONE : SELF_CONTACT_NO_MEMORY;
}

/* ------------------------------------------------------------------------------------------- listed again */

/* Mends the list, or what is near, by a round that was undone. */
static bool mend_again(const self_contact_step *s, int32_t round, bool has_choice) {
  self_contact *c = s->contact;
  const bool of_watch = c->look.rounds[round].is_of_watch;
  const near_substep taken = {s->before, s->before, s->behind, s->stride, s->time_step};
  bool has_missed;
  lookout_redo(&c->look, round, c->strayed, of_watch ? LEFT_WATCH : LEFT_LIST);
  near_choosing choosing = choosing_of(s, &taken);
  choosing.grips = &c->look.grips;
  if (of_watch)
    return near_choice_mend(&choosing, c->strayed, &has_missed);
  return find_pairs_anew(s) && (!has_choice || near_choice_extend(&choosing, c->strayed, IS_NEW));
}

static bool mend_rounds_again(const self_contact_step *s, parallel_range rounds, bool has_choice) {
  self_contact *c = s->contact;
  bool done = true;
  for (int32_t round = rounds.first; round < rounds.last && done; round++) {
    done = mend_again(s, round, has_choice);
    memset(c->strayed, 0, (size_t)c->particles);
  }
  return done;
}

static bool choose_again(const self_contact_step *s) {
  lookout *look = &s->contact->look;
  look->list.age = look->chosen_at;
  look->watch.age = 0;
  near_choosing choosing = choosing_of(s, NULL);
  choosing.grips = &look->grips;
  return near_choice_make(&choosing);
}

static bool relist(const self_contact_step *s) {
  self_contact *c = s->contact;
  lookout *look = &c->look;
  const parallel_range before = {0, look->rounds_before}, behind = {before.last, look->round_count};
  grips_index(&look->grips, s->tasks, s->threads);
  return find_pairs(s) && mend_rounds_again(s, before, false) && (!look->watch.holds || choose_again(s)) &&
         mend_rounds_again(s, behind, look->watch.holds) && has_room_for_kept(s);
}

bool self_contact_relist(const self_contact_step *s) {
  self_contact *c = s->contact;
  const double age = c->look.list.age, watch_age = c->look.watch.age;
  lookout_undo(&c->look);
  c->is_listed = relist(s);
  c->look.list.age = age;
  c->look.watch.age = watch_age;
  if (!c->is_listed)
    lookout_redo_rest(&c->look);
  else if (c->look.kept_count == c->cells.count)
    cells_go_on(&c->cells, c->look.kept, s->before, s->stride);
  return c->is_listed;
}

/* ---------------------------------------------------------------------------------------- one substep */

static void take_back(const self_contact_turn *t) {
  const self_contact_step *s = t->step;
  const self_contact *c = s->contact;
  if (t->something_acts)
    for (size_t k = 0; k < COMPONENTS; k++)
      memcpy(s->behind + k * s->stride, c->predicted + k * c->stride,
             (size_t)c->particles * sizeof *c->predicted);
}

static bool is_finite(const self_contact *c, int threads) {
  bool finite = true;
  for (int n = 0; n < threads; n++)
    finite = finite && c->tallies[n].is_finite;
  return finite;
}

/* Whether all have kept within their skins; and if not, whether that matters. */
static self_contact_result review(const self_contact_turn *t, bool *seen) {
  self_contact *c = t->step->contact;
  *seen = true;
  if (!any_left(c, true) && !any_left(c, false))
    return SELF_CONTACT_DONE;
  const self_contact_result result = look_again(t, seen);
  memset(c->strayed, 0, (size_t)c->particles);
  return result;
}

/* What was forced through is near no more. In the order of the list; none of it where there is no memory for
   all, since the substep is not taken then. */
static bool let_go_of_pinched(const self_contact_step *s) {
  self_contact *c = s->contact;
  int64_t pinched = 0;
  for (int n = 0; n < c->threads; n++)
    pinched += c->tallies[n].pinched;
  if (pinched == 0)
    return true;
  if (!contact_team_agrees(&c->team, tangles_make_room(s->tangles, s->memory, pinched)))
    return false;
  for (int32_t n = 0; n < c->cells.count; n++) {
    const cell_pair *p = &c->cells.pairs[n];
    if (!p->is_pinched)
      continue;
    int32_t slots[PAIR_CORNERS];
    cells_slots(&c->cells, n, slots);
    tangles_pinch(s->tangles, p->kind, slots);
  }
  c->look.watch.holds = false;
  return true;
}

self_contact_result self_contact_act(const self_contact_step *s) {
  self_contact *c = s->contact;
  self_contact_turn t = {.step = s, .kernel = near_kernel_choose(s->simd)};
  for (bool seen = false; !seen;) {
    if (!look_around(s))
      return SELF_CONTACT_NO_MEMORY;
    parallel_meeting_begin(&t.meeting);
    t.something_acts = c->near.count + c->cells.count > 0 || s->colliders.work;
    for (int n = 0; n < c->threads; n++)
      c->tallies[n] = (self_contact_tally){.is_finite = true};
    if (s->colliders.work)
      contact_work_begin(s->colliders.work);
    parallel_run(s->tasks, s->threads, self_contact_turn_act, &t);
    c->near.has_followed = true;
    const self_contact_result result = is_finite(c, s->threads) ? review(&t, &seen) : SELF_CONTACT_NOT_FINITE;
    if (result != SELF_CONTACT_DONE)
      return result;
    t.is_again = !seen;
    if (!seen)
      take_back(&t);
  }
  if (!let_go_of_pinched(s))
    return SELF_CONTACT_NO_MEMORY;
  for (int n = 0; n < c->threads; n++)
    c->shortened_steps += c->tallies[n].shortened;
  c->near.has_followed = false;
  c->look.list.age += s->time_step;
  c->look.watch.age += s->time_step;
  return SELF_CONTACT_DONE;
}

/* --------------------------------------------------------------------------- substeps in which nothing acts */

/* As substeps one by one would make it. */
static double age_behind(const forecast *f, double time_step, int substeps) {
  double age = f->age;
  for (int n = 0; n < substeps; n++)
    age += time_step;
  return age;
}

self_contact_result self_contact_look(const self_contact_step *s) {
  return look_around(s) ? SELF_CONTACT_DONE : SELF_CONTACT_NO_MEMORY;
}

int self_contact_quiet(const self_contact *c, double time_step, int most) {
  if (c->is_restless || c->near.count + c->cells.count > 0)
    return 0;
  if (c->mesh.touches_nothing)
    return most;
  forecast list = c->look.list, watch = c->look.watch;
  int count = 0;
  for (; count < most && forecast_lasts(&list, time_step) && forecast_lasts(&watch, time_step); count++) {
    list.age += time_step;
    watch.age += time_step;
  }
  return count;
}

bool self_contact_keeps(const self_contact *c, const self_contact_place *p) {
  if (c->mesh.touches_nothing)
    return true;
  const near_kernel *kernel = near_kernel_choose(p->simd);
  const parallel_range particles = {p->particles.first, int_min(p->particles.last, c->particles)};
  const double age = age_behind(&c->look.list, p->time_step, p->substep + 1),
               watch_age = age_behind(&c->look.watch, p->time_step, p->substep + 1);
  return !self_contact_strays(c, kernel, &c->look.list, age, p->behind, particles) &&
         !(c->choice.watches &&
           self_contact_strays(c, kernel, &c->look.watch, watch_age, p->behind, particles));
}

void self_contact_pass(self_contact *c, double time_step, int substeps) {
  c->look.list.age = age_behind(&c->look.list, time_step, substeps);
  c->look.watch.age = age_behind(&c->look.watch, time_step, substeps);
  for (int n = 0; n < c->threads; n++)
    c->tallies[n] = (self_contact_tally){.is_finite = true};
}

void self_contact_drop(self_contact *c) {
  c->is_restless = true;
  memset(c->strayed, 0, (size_t)c->particles);
}
