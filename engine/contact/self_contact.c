#include "engine/contact/self_contact.h"

#include "engine/base/min_max.h"
#include "engine/base/record.h"

#include <math.h>
#include <string.h>

static msd_real *skins_of(const self_contact *c, const forecast *f) {
  return f->state + FORECAST_SKIN * c->stride;
}

/* ------------------------------------------------------------------------------------------------ memory */

static bool reserve_forecast(forecast *f, memory *m, const particle_store *p) {
  f->state = particle_allocate_slab(p, m, FORECAST_COMPONENTS, &f->block);
  return f->state;
}

bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads) {
  const surface_mesh mesh = c->mesh;
  c->mesh = (surface_mesh){0};
  self_contact_free(c, m);
  c->mesh = mesh;
  c->predicted = particle_allocate_slab(p, m, COMPONENTS, &c->predicted_block);
  c->records = memory_allocate(m, (size_t)p->count * RECORD_SIZE * sizeof *c->records);
  c->strayed = memory_allocate(m, (size_t)p->count);
  c->is_watched = memory_allocate(m, (size_t)p->count);
  c->tallies = memory_allocate(m, (size_t)threads * sizeof *c->tallies);
  c->stride = p->stride;
  c->particles = p->count;
  c->threads = threads;
  return reserve_forecast(&c->list, m, p) && reserve_forecast(&c->watch, m, p) &&
         reserve_forecast(&c->course, m, p) && c->predicted && c->records && c->strayed && c->is_watched &&
         c->tallies && near_pairs_reserve(&c->near, m, p->count) && cells_reserve(&c->cells, m, p->count);
}

void self_contact_free(self_contact *c, memory *m) {
  surface_mesh_free(&c->mesh, m);
  pair_search_free(&c->search, m);
  memory_release(m, c->list.block);
  memory_release(m, c->watch.block);
  memory_release(m, c->course.block);
  near_pairs_free(&c->near, m);
  cells_free(&c->cells, m);
  memory_release(m, c->fate);
  memory_release(m, c->witness);
  memory_release(m, c->records);
  memory_release(m, c->strayed);
  memory_release(m, c->is_watched);
  memory_release(m, c->predicted_block);
  memory_release(m, c->tallies);
  *c = (self_contact){0};
}

void self_contact_forget_list(self_contact *c) {
  c->has_list = false;
  memset(c->strayed, 0, (size_t)c->particles);
  memset(skins_of(c, &c->list), 0, (size_t)c->particles * sizeof(msd_real));
  memset(skins_of(c, &c->watch), 0, (size_t)c->particles * sizeof(msd_real));
  c->list.holds = false;
  c->watch.holds = false;
  c->course.holds = false;
}

/* --------------------------------------------------------------------------------------------- forecasts */

/* Substeps that a list, and a choice of what is near, should last. */
enum { LEAST_LIST_SUBSTEPS = 8, MOST_LIST_SUBSTEPS = 64, WATCH_SUBSTEPS = 8 };

/* Skins as shares of the thickness; what one gets that was too narrow, as a share of what it needed; and what
   each keeps of its width from one list to the next. */
static const double LEAST_LIST_SKIN = 0.25, MOST_LIST_SKIN = 1, WATCH_SKIN = 0.0625, WIDER = 1.5,
                    NARROWER = 0.75;

/* m: what a skin has at least, so that it can be widened. */
static const msd_real NARROWEST = (msd_real)1e-6;

/* m: a skin that nothing leaves. What needs a wider one has diverged. */
static const msd_real UNWATCHED = (msd_real)1e15;

/* What is marked of a particle. */
enum { LEFT_LIST = 1, LEFT_WATCH = 2 };

/* What the threads of a run share. */
typedef struct turn {
  const self_contact_step *step;
  const near_kernel *kernel;
  parallel_meeting meeting;
  /* So that the state behind the substep is kept, in case that the substep is done again. */
  bool something_acts;
  /* Of the choice: what is known of all threads' shares of the list. */
  near_question question;
} turn;

/* Whole groups of particles, as colliders take them. */
static parallel_range own_groups(const self_contact *c, int thread, int threads) {
  return parallel_split((c->particles + CONTACT_GROUP - 1) / CONTACT_GROUP, thread, threads);
}

static parallel_range own_particles(const self_contact *c, int thread, int threads) {
  const parallel_range groups = own_groups(c, thread, threads);
  return (parallel_range){groups.first * CONTACT_GROUP, int_min(groups.last * CONTACT_GROUP, c->particles)};
}

/* Over how many substeps a course is, at least. */
enum { COURSE_SUBSTEPS = 6 };

/* The course that particles have taken, from the state before the substep. */
static void set_course(const self_contact_step *s) {
  self_contact *c = s->contact;
  const size_t stride = c->stride, bytes = (size_t)c->particles * sizeof(msd_real);
  forecast *f = &c->course;
  if (f->holds && f->age < COURSE_SUBSTEPS * s->time_step)
    return;
  for (size_t k = 0; k < 3; k++) {
    msd_real *x = f->state + k * stride, *v = x + 3 * stride;
    const msd_real *now = s->before + k * s->stride;
    if (f->holds)
      for (int32_t slot = 0; slot < c->particles; slot++)
        v[slot] = (msd_real)(((double)now[slot] - (double)x[slot]) / f->age);
    else
      memcpy(v, now + 3 * s->stride, bytes);
    memcpy(x, now, bytes);
  }
  f->holds = true;
  f->age = 0;
}

/* A forecast from the state before the substep, with skins of at least a width that narrow down to it again:
   but not while a substep is done again and again, which so comes to an end. */
static void begin_forecast(const self_contact_step *s, forecast *f, double horizon, double least) {
  self_contact *c = s->contact;
  set_course(s);
  for (size_t k = 0; k < 3; k++) {
    memcpy(f->state + k * c->stride, s->before + k * s->stride, (size_t)c->particles * sizeof *f->state);
    memcpy(f->state + (k + 3) * c->stride, c->course.state + (k + 3) * c->stride,
           (size_t)c->particles * sizeof *f->state);
  }
  msd_real *skins = skins_of(c, f);
  const double kept = f->age > 0 ? NARROWER : 1;
  for (int32_t slot = 0; slot < c->particles; slot++) {
    const double narrower = skins[slot] < UNWATCHED ? kept * (double)skins[slot] : 0;
    skins[slot] = (msd_real)(narrower > least ? narrower : least) + NARROWEST;
  }
  f->horizon = horizon;
  f->age = 0;
  f->holds = true;
}

/* Lists that have lasted are made for longer. Where a particle has left one, those of few pairs are made with
   wider skins, and others for less long. */
static void adapt(const self_contact *c, surface_habit *habit, double thickness) {
  const double least = LEAST_LIST_SKIN * thickness, most = MOST_LIST_SKIN * thickness;
  const bool has_lasted = c->list.age > 0.99 * c->list.horizon,
             is_short = c->search.list.count < c->particles / 2;
  if (c->has_list && has_lasted)
    habit->substeps *= 2;
  else if (c->has_list && is_short && habit->skin < most)
    habit->skin *= WIDER;
  else if (c->has_list && c->list.age < 0.5 * c->list.horizon)
    habit->substeps /= 2;
  if (c->has_list && !is_short)
    habit->skin *= NARROWER;
  habit->skin = habit->skin > least ? habit->skin : least;
  habit->skin = habit->skin < most ? habit->skin : most;
  habit->substeps = int_max(LEAST_LIST_SUBSTEPS, int_min(habit->substeps, MOST_LIST_SUBSTEPS));
}

/* The list anew. */
static bool make_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const msd_real *skins = skins_of(c, &c->list);
  adapt(c, s->habit, (double)s->settings.thickness);
  begin_forecast(s, &c->list, s->habit->substeps * s->time_step, s->habit->skin);
  if (!tangles_review(s->tangles, s->memory, s->before, s->stride))
    return false;
  c->list.holds = pair_search_build(&c->search, s->memory, &c->mesh,
                                    &(pair_question){.state = c->list.state,
                                                     .stride = c->stride,
                                                     .skins = skins,
                                                     .horizon = (msd_real)c->list.horizon,
                                                     .threads = s->threads,
                                                     .simd = s->simd});
  c->has_list = c->list.holds;
  return c->list.holds;
}

/* ------------------------------------------------------------------------------------------- what is near */

static bool reserve_choice(self_contact *c, memory *m) {
  if (c->search.list.count <= c->list_capacity)
    return true;
  const int32_t room = c->search.list.count + c->search.list.count / 2;
  uint8_t *fate = memory_replace(m, c->fate, (size_t)room);
  if (!fate)
    return false;
  c->fate = fate;
  c->list_capacity = 0;
  near_witness *witness = memory_replace(m, c->witness, (size_t)room * sizeof *witness);
  if (!witness)
    return false;
  c->witness = witness;
  c->list_capacity = room;
  return true;
}

static void choose(void *context, int thread, int threads) {
  turn *t = context;
  self_contact *c = t->step->contact;
  const parallel_range own = own_particles(c, thread, threads);
  const msd_real age = (msd_real)c->watch.age, ahead = (msd_real)(c->watch.horizon - c->watch.age);
  for (int32_t slot = own.first; slot < own.last; slot++) {
    msd_real *record = c->records + (size_t)slot * RECORD_SIZE;
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real *x = c->watch.state + axis * c->stride + (size_t)slot, *v = x + 3 * c->stride;
      record[axis] = *x + *v * age;
      record[RECORD_QUAD + axis] = *v * ahead;
    }
  }
  parallel_wait(&t->meeting.barrier, threads);
  c->tallies[thread].has_changed =
      t->kernel->choose(&t->question, parallel_split(c->search.list.count, thread, threads));
}

static bool is_led(const self_contact_step *s, const int32_t slots[PAIR_CORNERS]) {
  bool led = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led && !(s->inverse_mass[slots[corner]] > 0);
  return led;
}

static bool collect(const self_contact_step *s) {
  self_contact *c = s->contact;
  const pair_list *list = &c->search.list;
  int32_t pushing = 0, kept = 0;
  for (int32_t n = 0; n < list->count; n++) {
    pushing += (c->fate[n] & PAIR_PUSHES) != 0;
    kept += (c->fate[n] & PAIR_IS_KEPT_APART) != 0;
  }
  if (!near_pairs_make_room(&c->near, s->memory, pushing) || !cells_make_room(&c->cells, s->memory, kept))
    return false;
  pushing = kept = 0;
  for (int32_t n = 0; n < list->count; n++) {
    if (!(c->fate[n] & (PAIR_PUSHES | PAIR_IS_KEPT_APART)) || is_led(s, list->slots[n]) ||
        tangles_has(s->tangles, (pair_kind)list->kind[n], list->slots[n]))
      continue;
    if (c->fate[n] & PAIR_PUSHES)
      near_pairs_put(&c->near, pushing++, list->slots[n], &c->witness[n], list->thickness[n],
                     surface_mesh_friction(&c->mesh, list->slots[n][0], list->slots[n][PAIR_CORNERS - 1],
                                           s->settings.friction));
    if (c->fate[n] & PAIR_IS_KEPT_APART)
      cells_put(&c->cells, kept++, list->slots[n], (pair_kind)list->kind[n], (double)list->thickness[n]);
  }
  return near_pairs_finish(&c->near, s->memory, pushing, s->inverse_mass) &&
         cells_finish(&c->cells, s->memory, kept);
}

/* Decides on all listed pairs, or only on those of particles that have strayed; says whether what is near is
   other than it was. */
static bool choose_again(turn *t, const uint8_t *strayed) {
  self_contact *c = t->step->contact;
  const forecast *list = &c->list;
  const double end = (list->age + c->watch.horizon - c->watch.age) / list->horizon;
  t->question = (near_question){.list = &c->search.list,
                                .records = c->records,
                                .skins = skins_of(c, &c->watch),
                                .share_begin = (msd_real)(list->age / list->horizon),
                                .share_end = (msd_real)(end < 1 ? end : 1),
                                .strayed = strayed,
                                .fate = c->fate,
                                .witness = c->witness};
  parallel_meeting_begin(&t->meeting);
  for (int n = 0; n < c->threads; n++)
    c->tallies[n].has_changed = false;
  parallel_run(t->step->threads, choose, t);
  bool changed = false;
  for (int n = 0; n < c->threads; n++)
    changed = changed || c->tallies[n].has_changed;
  return changed;
}

static bool lasts(const forecast *f, double time_step) {
  return f->holds && f->age + time_step <= f->horizon * (1 + 1e-6);
}

/* What no pair has that may be near need not be watched. */
static void watch_only_near(self_contact *c) {
  msd_real *skins = skins_of(c, &c->watch);
  memset(c->is_watched, 0, (size_t)c->particles);
  for (int32_t n = 0; n < c->search.list.count; n++)
    for (int corner = 0; corner < PAIR_CORNERS && c->fate[n]; corner++)
      c->is_watched[c->search.list.slots[n][corner]] = 1;
  for (int32_t slot = 0; slot < c->particles; slot++)
    if (!c->is_watched[slot])
      skins[slot] = UNWATCHED;
}

/* Makes sure that there is a list and a choice for the substep. */
static bool look_around(turn *t) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  if (lasts(&c->list, s->time_step) && lasts(&c->watch, s->time_step))
    return true;
  if (!lasts(&c->list, s->time_step) && !make_list(s))
    return false;
  const double left = c->list.horizon - c->list.age, horizon = WATCH_SUBSTEPS * s->time_step;
  begin_forecast(s, &c->watch, horizon < left ? horizon : left, WATCH_SKIN * (double)s->settings.thickness);
  c->watch.holds = false;
  if (!reserve_choice(c, s->memory))
    return false;
  choose_again(t, NULL);
  watch_only_near(c);
  c->watch.holds = collect(s);
  return c->watch.holds;
}

/* ---------------------------------------------------------------------------------------- one substep */

/* Adds `way` to a position, and way/dt to its velocity. */
static bool move(const self_contact_step *s, int32_t slot, const double way[3]) {
  bool finite = true;
  for (size_t axis = 0; axis < 3; axis++) {
    msd_real *x = s->behind + axis * s->stride + (size_t)slot, *v = x + 3 * s->stride;
    *x = (msd_real)((double)*x + way[axis]);
    *v = (msd_real)((double)*v + way[axis] / s->time_step);
    finite = finite && isfinite(*x) && isfinite(*v);
  }
  return finite;
}

/* Pairs that are near push, on the share of particles that the thread owns. */
static bool push(turn *t, int thread, int threads, parallel_range owned) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  near_pairs *near = &c->near;
  parallel_barrier *barrier = &t->meeting.barrier;
  const parallel_range groups = parallel_split((near->count + NEAR_GROUP - 1) / NEAR_GROUP, thread, threads);
  near_pairs_read(near, s->before, s->behind, s->stride, (msd_real)s->time_step, owned);
  parallel_wait(barrier, threads);
  c->tallies[thread].contacts = t->kernel->find_gaps(near, (msd_real)s->time_step, groups);
  parallel_wait(barrier, threads);
  int32_t contacts = 0;
  for (int n = 0; n < threads; n++)
    contacts += c->tallies[n].contacts;
  if (contacts == 0)
    return true;
  near_pairs_share(near, owned);
  parallel_wait(barrier, threads);
  t->kernel->push(near, s->settings.softness, groups);
  parallel_wait(barrier, threads);
  bool finite = true;
  for (int32_t n = owned.first; n < owned.last; n++) {
    double way[3];
    if (near->sharing[n] > 0 && near->inverse_mass[n] > 0) {
      near_pairs_sum(near, n, way);
      finite = move(s, near->corners.slots[n], way) && finite;
    }
  }
  return finite;
}

static bool push_colliders(const self_contact_step *s, int thread, parallel_range groups) {
  if (!s->colliders.work)
    return true;
  contact_thread own = s->colliders;
  own.thread = thread;
  own.groups = groups;
  return contact_act(&own);
}

static void keep_apart(turn *t, int thread, int threads, parallel_range particles) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  parallel_barrier *barrier = &t->meeting.barrier;
  const cell_step step = {&c->cells, s->before, s->inverse_mass, s->behind, s->stride, s->time_step};
  const parallel_range pairs = parallel_split(c->cells.count, thread, threads),
                       owned = corner_lists_within(&c->cells.corners, particles);
  parallel_wait(barrier, threads);
  cells_divide(&step, pairs);
  parallel_wait(barrier, threads);
  c->tallies[thread].shortened = cells_shorten(&step, owned);
  parallel_wait(barrier, threads);
  cells_check(&step, pairs);
  parallel_wait(barrier, threads);
  cells_stop(&step, owned);
  parallel_wait(barrier, threads);
  c->tallies[thread].pinched = cells_find_pinched(&step, pairs);
}

static void act(void *context, int thread, int threads) {
  turn *t = context;
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  self_contact_tally *tally = &c->tallies[thread];
  const parallel_range groups = own_groups(c, thread, threads), particles = own_particles(c, thread, threads);
  *tally = (self_contact_tally){.is_finite = true};
  if (t->something_acts)
    for (size_t k = 0; k < COMPONENTS; k++)
      memcpy(c->predicted + k * c->stride + particles.first, s->behind + k * s->stride + particles.first,
             (size_t)(particles.last - particles.first) * sizeof *c->predicted);
  if (c->near.count > 0)
    tally->is_finite = push(t, thread, threads, corner_lists_within(&c->near.corners, particles));
  tally->is_finite = push_colliders(s, thread, groups) && tally->is_finite;
  if (c->cells.count > 0)
    keep_apart(t, thread, threads, particles);
  near_stray_question q = {.state = s->behind,
                           .forecast = c->list.state,
                           .stride = c->stride,
                           .age = (msd_real)(c->list.age + s->time_step),
                           .strayed = c->strayed,
                           .mark = LEFT_LIST};
  tally->left_list = t->kernel->stray(&q, particles);
  if (tally->left_list)
    return;
  q.forecast = c->watch.state;
  q.age = (msd_real)(c->watch.age + s->time_step);
  q.mark = LEFT_WATCH;
  tally->left_watch = t->kernel->stray(&q, particles);
}

static void take_back(const turn *t) {
  const self_contact_step *s = t->step;
  const self_contact *c = s->contact;
  if (t->something_acts)
    for (size_t k = 0; k < COMPONENTS; k++)
      memcpy(s->behind + k * s->stride, c->predicted + k * c->stride,
             (size_t)c->particles * sizeof *c->predicted);
}

/* How far a place behind the substep is from a forecast. */
static double off_forecast(const self_contact_step *s, const forecast *f, int32_t slot) {
  const size_t stride = s->contact->stride;
  double square = 0;
  for (size_t axis = 0; axis < 3; axis++) {
    const msd_real *x = f->state + axis * stride + (size_t)slot;
    const double off = (double)s->behind[axis * s->stride + (size_t)slot] -
                       ((double)*x + (double)x[3 * stride] * (f->age + s->time_step));
    square += off * off;
  }
  return sqrt(square);
}

/* Gives particles that have strayed from a forecast room for where they have gone; false where none is
   enough. */
static bool widen_skins(const self_contact_step *s, const forecast *f, uint8_t mark) {
  self_contact *c = s->contact;
  msd_real *skins = skins_of(c, f);
  bool enough = true;
  for (int32_t slot = 0; slot < c->particles; slot++) {
    if (!(c->strayed[slot] & mark))
      continue;
    const double off = off_forecast(s, f, slot), skin = (double)skins[slot];
    skins[slot] = (msd_real)(WIDER * (off > skin ? off : skin));
    enough = enough && skins[slot] < UNWATCHED;
  }
  return enough;
}

static bool is_finite(const self_contact *c, int threads) {
  bool finite = true;
  for (int n = 0; n < threads; n++)
    finite = finite && c->tallies[n].is_finite;
  return finite;
}

static bool any_left(const self_contact *c, bool list) {
  bool any = false;
  for (int n = 0; n < c->threads; n++)
    any = any || (list ? c->tallies[n].left_list : c->tallies[n].left_watch);
  return any;
}

/* Whether the substep has seen all pairs that it should have. If not, what is near has been chosen anew, or
   will be. */
static self_contact_result review(turn *t, bool *seen) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  self_contact_result result = SELF_CONTACT_DONE;
  const bool left_list = any_left(c, true), left_watch = any_left(c, false);
  *seen = !left_list;
  if (!left_list && !left_watch)
    return result;
  if (left_list ? !widen_skins(s, &c->list, LEFT_LIST) : !widen_skins(s, &c->watch, LEFT_WATCH))
    result = SELF_CONTACT_NOT_FINITE;
  else if (left_list)
    c->list.holds = false;
  else if (choose_again(t, c->strayed)) {
    *seen = false;
    if (!collect(s))
      result = SELF_CONTACT_NO_MEMORY;
  }
  memset(c->strayed, 0, (size_t)c->particles);
  return result;
}

/* What was forced through is near no more. In the order of the list. */
static bool let_go_of_pinched(const self_contact_step *s) {
  self_contact *c = s->contact;
  int64_t pinched = 0;
  for (int n = 0; n < c->threads; n++)
    pinched += c->tallies[n].pinched;
  for (int32_t n = 0; n < c->cells.count && pinched > 0; n++) {
    const cell_pair *p = &c->cells.pairs[n];
    if (p->is_pinched && !tangles_pinch(s->tangles, s->memory, p->kind, p->slots))
      return false;
  }
  c->watch.holds = c->watch.holds && pinched == 0;
  return true;
}

self_contact_result self_contact_act(const self_contact_step *s) {
  self_contact *c = s->contact;
  turn t = {.step = s, .kernel = near_kernel_choose(s->simd)};
  for (bool seen = false; !seen;) {
    if (!look_around(&t))
      return SELF_CONTACT_NO_MEMORY;
    parallel_meeting_begin(&t.meeting);
    t.something_acts = c->near.count + c->cells.count > 0 || s->colliders.work;
    for (int n = 0; n < c->threads; n++)
      c->tallies[n] = (self_contact_tally){.is_finite = true};
    parallel_run(s->threads, act, &t);
    const self_contact_result result = is_finite(c, s->threads) ? review(&t, &seen) : SELF_CONTACT_NOT_FINITE;
    if (result != SELF_CONTACT_DONE)
      return result;
    if (!seen)
      take_back(&t);
  }
  if (!let_go_of_pinched(s))
    return SELF_CONTACT_NO_MEMORY;
  for (int n = 0; n < c->threads; n++)
    c->shortened_steps += c->tallies[n].shortened;
  c->list.age += s->time_step;
  c->watch.age += s->time_step;
  c->course.age += s->time_step;
  return SELF_CONTACT_DONE;
}
