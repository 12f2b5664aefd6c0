#include "engine/contact/self_contact_turn.h"

#include "engine/base/min_max.h"

#include <string.h>

static int32_t group_count(const self_contact *c) {
  return c->particles / CONTACT_GROUP + (c->particles % CONTACT_GROUP != 0);
}

static parallel_range particles_of(const self_contact *c, parallel_range groups) {
  return (parallel_range){groups.first * CONTACT_GROUP, int_min(groups.last * CONTACT_GROUP, c->particles)};
}

static near_substep substep_of(const self_contact_step *s) {
  return (near_substep){s->before, s->behind, s->behind, s->stride, s->time_step};
}

/* Of all threads in the substep. */
static int32_t count_contacts(const self_contact *c, int threads) {
  int32_t contacts = 0;
  for (int n = 0; n < threads; n++)
    contacts += c->tallies[n].contacts;
  return contacts;
}

/* Whether cells_stop and cells_find_pinched have something to do. */
static bool cells_ask(const self_contact *c, int threads) {
  bool asks = false;
  for (int n = 0; n < threads; n++)
    asks = asks || c->tallies[n].cells_ask;
  return asks;
}

/* Whether some pair is pinched. */
static bool is_pinched(const self_contact *c, int threads) {
  bool is = false;
  for (int n = 0; n < threads; n++)
    is = is || c->tallies[n].pinched > 0;
  return is;
}

static bool has_shared(const self_contact *c, int threads) {
  bool has = false;
  for (int n = 0; n < threads; n++)
    has = has || c->tallies[n].has_shared;
  return has;
}

/* Finds the forces of pairs that are near, of which a thread has a share, and the particles of its own; whether
   some push. Where others act than in the last substep, what they share is another than forces were found with:
   those are found again. */
static bool find_forces(self_contact_turn *t, int thread, int threads, parallel_range particles) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  near_pairs *near = &c->near;
  parallel_barrier *barrier = &t->meeting.barrier;
  const parallel_range groups = parallel_split((near->count + NEAR_GROUP - 1) / NEAR_GROUP, thread, threads);
  const near_substep substep = substep_of(s);
  const msd_real time_step = (msd_real)s->time_step, softness = s->settings.softness;
  const corner_lists *pushed = &near->corners;
  for (parallel_range own = corner_lists_next(pushed, 0, particles); own.first < own.last;
       own = corner_lists_next(pushed, own.last, particles))
    t->kernel->read(near, &substep, own);
  parallel_wait(barrier, threads);
  c->tallies[thread].contacts = t->kernel->push(near, time_step, softness, groups);
  parallel_wait(barrier, threads);
  if (count_contacts(c, threads) == 0)
    return false;
  c->tallies[thread].has_shared = near_pairs_share(near, corner_lists_split(&near->corners, thread, threads));
  parallel_wait(barrier, threads);
  if (has_shared(c, threads)) {
    t->kernel->push_again(near, time_step, softness, groups);
    parallel_wait(barrier, threads);
  }
  return true;
}

/* Moves those that pairs push; false where that is not finite. */
static bool follow_forces(const self_contact_turn *t, parallel_range particles) {
  const near_pairs *near = &t->step->contact->near;
  const corner_lists *c = &near->corners;
  const near_substep substep = substep_of(t->step);
  bool finite = true;
  for (parallel_range own = corner_lists_next(c, 0, particles); own.first < own.last;
       own = corner_lists_next(c, own.last, particles))
    finite = t->kernel->move(near, &substep, own) && finite;
  return finite;
}

/* Particles that are to be kept apart, so many at once: the ways of some are cut, which takes long. */
enum { OWNERS_AT_ONCE = 32 };

static int32_t corner_pieces(const corner_lists *c) {
  return c->count / OWNERS_AT_ONCE + (c->count % OWNERS_AT_ONCE != 0);
}

static parallel_range piece_of_corners(const corner_lists *c, int32_t piece) {
  const int32_t first = piece * OWNERS_AT_ONCE;
  return (parallel_range){first, int_min(first + OWNERS_AT_ONCE, c->count)};
}

static cell_step cell_step_of(const self_contact_turn *t) {
  const self_contact_step *s = t->step;
  return (cell_step){.cells = &s->contact->cells,
                     .before = s->before,
                     .inverse_mass = s->inverse_mass,
                     .behind = s->behind,
                     .stride = s->stride,
                     .time_step = s->time_step,
                     .is_again = t->is_again,
                     .simd = s->simd};
}

/* By what threads have read of the particles that they have closed (close_groups). */
static void keep_apart(self_contact_turn *t, int thread, int threads) {
  self_contact *c = t->step->contact;
  self_contact_tally *tally = &c->tallies[thread];
  parallel_barrier *barrier = &t->meeting.barrier;
  const cell_step step = cell_step_of(t);
  const parallel_range pairs = parallel_split(c->cells.count, thread, threads),
                       owned = corner_lists_split(&c->cells.corners, thread, threads);
  parallel_wait(barrier, threads);
  parallel_deal(c->piles, corner_pieces(&c->cells.corners), thread, threads);
  cells_divide(&step, pairs);
  parallel_wait(barrier, threads);
  for (int32_t n = parallel_take(c->piles, thread, threads); n >= 0;
       n = parallel_take(c->piles, thread, threads))
    tally->shortened += cells_shorten(&step, piece_of_corners(&c->cells.corners, n));
  parallel_wait(barrier, threads);
  tally->cells_ask = cells_check(&step, pairs);
  parallel_wait(barrier, threads);
  if (!cells_ask(c, threads))
    return;
  cells_stop(&step, owned);
  parallel_wait(barrier, threads);
  tally->pinched = cells_find_pinched(&step, pairs);
  parallel_wait(barrier, threads);
  if (!is_pinched(c, threads))
    return;
  /* All have read what the first one is to change. */
  parallel_wait(barrier, threads);
  tally->pinched = thread == 0 ? cells_take_along(&step) : 0;
  parallel_wait(barrier, threads);
}

bool self_contact_strays(const self_contact *c, const near_kernel *kernel, const forecast *f, double age,
                         const msd_real *behind, parallel_range particles) {
  const near_stray_question q = {.state = behind,
                                 .forecast = f->state,
                                 .stride = f->stride,
                                 .age = (msd_real)age,
                                 .shift = {(msd_real)forecast_shift(f, 0, age),
                                           (msd_real)forecast_shift(f, 1, age),
                                           (msd_real)forecast_shift(f, 2, age)},
                                 .strayed = c->strayed,
                                 .mark = f == &c->look.list ? LEFT_LIST : LEFT_WATCH};
  return kernel->stray(&q, particles);
}

static bool strays(const self_contact_turn *t, const forecast *f, parallel_range particles) {
  const self_contact_step *s = t->step;
  return self_contact_strays(s->contact, t->kernel, f, f->age + s->time_step, s->behind, particles);
}

static void find_strayed(const self_contact_turn *t, self_contact_tally *tally, parallel_range particles) {
  const self_contact *c = t->step->contact;
  tally->left_list = (!c->mesh.touches_nothing && strays(t, &c->look.list, particles)) || tally->left_list;
  tally->left_watch = (c->choice.watches && strays(t, &c->look.watch, particles)) || tally->left_watch;
}

/* What is done with some groups of particles when all forces are known, by whoever has the time: that of those
   on a collider takes longer, as does that of those with many pairs. */
typedef struct closing {
  bool pairs_push;
  contact_thread colliders;
} closing;

static void close_groups(const self_contact_turn *t, const closing *c, self_contact_tally *tally,
                         parallel_range groups) {
  const self_contact *contact = t->step->contact;
  const parallel_range particles = particles_of(contact, groups);
  if (c->pairs_push)
    tally->is_finite = follow_forces(t, particles) && tally->is_finite;
  if (c->colliders.work)
    tally->is_finite = contact_act_on(&c->colliders, groups) && tally->is_finite;
  if (contact->cells.count == 0) {
    find_strayed(t, tally, particles);
    return;
  }
  const cell_step step = cell_step_of(t);
  const corner_lists *kept = &contact->cells.corners;
  for (parallel_range own = corner_lists_next(kept, 0, particles); own.first < own.last;
       own = corner_lists_next(kept, own.last, particles))
    cells_read(&step, own);
}

/* Groups are dealt out by pieces of so many; one thread that is alone has one piece, as each has where nothing
   acts. */
static int32_t groups_at_once(const self_contact_turn *t, int threads) {
  const int32_t all = int_max(1, group_count(t->step->contact));
  return t->something_acts && threads > 1 ? CONTACT_CHUNK : (all + threads - 1) / threads;
}

static parallel_range groups_of(const self_contact_turn *t, parallel_range pieces, int threads) {
  const int32_t all = group_count(t->step->contact), at_once = groups_at_once(t, threads);
  return (parallel_range){int_min(pieces.first * at_once, all), int_min(pieces.last * at_once, all)};
}

static void close_all(self_contact_turn *t, const closing *how, int thread, int threads) {
  self_contact *c = t->step->contact;
  for (int32_t n = parallel_take(c->piles, thread, threads); n >= 0;
       n = parallel_take(c->piles, thread, threads))
    close_groups(t, how, &c->tallies[thread], groups_of(t, (parallel_range){n, n + 1}, threads));
}

static closing begin_closing(const self_contact_step *s, int thread) {
  closing how = {.colliders = s->colliders};
  how.colliders.thread = thread;
  if (how.colliders.work)
    contact_begin(&how.colliders);
  return how;
}

static void keep_predicted(const self_contact_step *s, parallel_range particles) {
  const self_contact *c = s->contact;
  for (size_t k = 0; k < COMPONENTS; k++)
    memcpy(c->predicted + k * c->stride + particles.first, s->behind + k * s->stride + particles.first,
           (size_t)(particles.last - particles.first) * sizeof *c->predicted);
}

/* Where something acts, what a thread has not come to is closed by others; else each has its own particles in
   its cache, and none takes longer. */
void self_contact_turn_act(void *context, int thread, int threads) {
  self_contact_turn *t = context;
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  self_contact_tally *tally = &c->tallies[thread];
  const int32_t at_once = groups_at_once(t, threads), pieces = (group_count(c) + at_once - 1) / at_once;
  const parallel_range own = groups_of(t, parallel_split(pieces, thread, threads), threads);
  *tally = (self_contact_tally){.is_finite = true};
  closing how = begin_closing(s, thread);
  if (!t->something_acts) {
    close_groups(t, &how, tally, own);
    return;
  }
  parallel_deal(c->piles, pieces, thread, threads);
  keep_predicted(s, particles_of(c, own));
  if (c->near.count > 0)
    how.pairs_push = find_forces(t, thread, threads, particles_of(c, own));
  else
    parallel_wait(&t->meeting.barrier, threads);
  close_all(t, &how, thread, threads);
  if (c->cells.count > 0) {
    keep_apart(t, thread, threads);
    find_strayed(t, tally, particles_of(c, own));
  }
}
