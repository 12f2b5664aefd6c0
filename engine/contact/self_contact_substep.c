#include "engine/contact/self_contact_substep.h"

#include "engine/base/min_max.h"
#include "engine/contact/box_contact.h"

#include <string.h>

static int32_t group_count(const self_contact *c) {
  return c->particles / CONTACT_GROUP + (c->particles % CONTACT_GROUP != 0);
}

static parallel_range particles_of(const self_contact *c, parallel_range groups) {
  return (parallel_range){groups.first * CONTACT_GROUP, int_min(groups.last * CONTACT_GROUP, c->particles)};
}

static near_substep substep_of(const self_contact_step *s) {
  return (near_substep){s->before, s->behind, s->behind, s->stride, s->dt};
}

/* Over all threads, in this substep. */
static int32_t count_contacts(const self_contact *c, int threads) {
  int32_t contacts = 0;
  for (int n = 0; n < threads; n++)
    contacts += c->tallies[n].contacts;
  return contacts;
}

/* True if separation_stop and separation_find_forced are needed. */
static bool separation_request(const self_contact *c, int threads) {
  bool asks = false;
  for (int n = 0; n < threads; n++)
    asks = asks || c->tallies[n].separation_request;
  return asks;
}

static bool has_clipped(const self_contact *c, int threads) {
  bool has = false;
  for (int n = 0; n < threads; n++)
    has = has || c->tallies[n].shortened > 0;
  return has;
}

static bool is_forced(const self_contact *c, int threads) {
  bool is = false;
  for (int n = 0; n < threads; n++)
    is = is || c->tallies[n].forced_count > 0;
  return is;
}

static bool has_shared(const self_contact *c, int threads) {
  bool has = false;
  for (int n = 0; n < threads; n++)
    has = has || c->tallies[n].has_shared;
  return has;
}

/* Computes the contact forces: a thread loads its own particles and computes its own groups of pairs. Where
   pairs begin or cease to act, G changes, and the forces that depend on it are computed again. False if no
   pair acts. */
static bool find_forces(self_contact_turn *t, int thread, int threads, parallel_range particles) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  near_pairs *near = &c->near;
  parallel_barrier *barrier = &t->meeting.barrier;
  const parallel_range groups = parallel_split((near->count + NEAR_GROUP - 1) / NEAR_GROUP, thread, threads);
  const near_substep substep = substep_of(s);
  const msd_real dt = (msd_real)s->dt, relaxation = s->settings.relaxation;
  const corner_lists *pushed = &near->corners;
  for (parallel_range own = corner_lists_next(pushed, 0, particles); own.first < own.last;
       own = corner_lists_next(pushed, own.last, particles))
    t->kernel->read(near, &substep, own);
  parallel_wait(barrier, threads);
  if (s->pins_move && !near->has_followed)
    self_contact_turn_anchors(s, groups);
  if (s->turning && !near->has_followed)
    near_pairs_turn(near, s->turning, s->penetrations->particle, s->turn_share, groups);
  c->tallies[thread].contacts = t->kernel->push(near, dt, relaxation, groups);
  parallel_wait(barrier, threads);
  if (count_contacts(c, threads) == 0)
    return false;
  c->tallies[thread].has_shared = near_pairs_share(near, corner_lists_split(&near->corners, thread, threads));
  parallel_wait(barrier, threads);
  if (has_shared(c, threads)) {
    t->kernel->push_again(near, dt, relaxation, groups);
    parallel_wait(barrier, threads);
  }
  return true;
}

/* Moves particles by the pair forces; false if a result is not finite. */
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

/* Particles per work item of the clip phase, whose cost varies a lot between particles. */
enum { OWNERS_AT_ONCE = 32 };

static int32_t corner_pieces(const corner_lists *c) {
  return c->count / OWNERS_AT_ONCE + (c->count % OWNERS_AT_ONCE != 0);
}

static parallel_range piece_of_corners(const corner_lists *c, int32_t piece) {
  const int32_t first = piece * OWNERS_AT_ONCE;
  return (parallel_range){first, int_min(first + OWNERS_AT_ONCE, c->count)};
}

static separation_step cell_step_of(const self_contact_turn *t) {
  const self_contact_step *s = t->step;
  return (separation_step){.cells = &s->contact->cells,
                           .before = s->before,
                           .inverse_mass = s->inverse_mass,
                           .behind = s->behind,
                           .stride = s->stride,
                           .dt = s->dt,
                           .attached = s->attached,
                           .mesh = s->has_pins ? &s->contact->mesh : NULL,
                           .colliders = s->colliders.work,
                           .is_again = t->is_again,
                           .simd = s->simd,
                           .stop = s->stop};
}

static void divide(const separation_step *step, int thread, parallel_range pairs) {
  for (parallel_range some = {pairs.first, pairs.first}; stop_poll_next(step->stop, thread, pairs, &some);)
    separation_divide(step, some);
}

static void clip(self_contact *c, const separation_step *step, int thread, int threads) {
  self_contact_tally *tally = &c->tallies[thread];
  for (int32_t n = work_queue_pop(c->piles, thread, threads); n >= 0 && !stop_poll_ask(step->stop, thread);
       n = work_queue_pop(c->piles, thread, threads)) {
    const separation_clipped clipped = separation_clip(step, piece_of_corners(&c->cells.corners, n));
    tally->shortened += clipped.moves;
    tally->visits += clipped.visits;
  }
}

static bool check(const separation_step *step, int thread, parallel_range pairs) {
  bool asks = false;
  for (parallel_range some = {pairs.first, pairs.first}; stop_poll_next(step->stop, thread, pairs, &some);)
    asks = separation_check(step, some) || asks;
  return asks;
}

static int32_t find_forced(const separation_step *step, int thread, parallel_range pairs) {
  int32_t count = 0;
  for (parallel_range some = {pairs.first, pairs.first}; stop_poll_next(step->stop, thread, pairs, &some);)
    count += separation_find_forced(step, some);
  return count;
}

/* Uses the particle records that close_groups loaded. When stopped, all threads pass the same barriers. */
static void keep_apart(self_contact_turn *t, int thread, int threads) {
  self_contact *c = t->step->contact;
  self_contact_tally *tally = &c->tallies[thread];
  parallel_barrier *barrier = &t->meeting.barrier;
  const separation_step step = cell_step_of(t);
  const parallel_range pairs = parallel_split(c->cells.count, thread, threads),
                       owned = corner_lists_split(&c->cells.corners, thread, threads);
  parallel_wait(barrier, threads);
  work_queue_fill(c->piles, corner_pieces(&c->cells.corners), thread, threads);
  divide(&step, thread, pairs);
  parallel_wait(barrier, threads);
  clip(c, &step, thread, threads);
  parallel_wait(barrier, threads);
  tally->separation_request = check(&step, thread, pairs);
  parallel_wait(barrier, threads);
  if (has_clipped(c, threads)) {
    if (thread == 0)
      tally->lacks_memory = !separation_transfer(&step, t->step->memory);
    parallel_wait(barrier, threads);
  }
  if (!separation_request(c, threads))
    return;
  separation_stop(&step, owned);
  parallel_wait(barrier, threads);
  tally->forced_count = find_forced(&step, thread, pairs);
  parallel_wait(barrier, threads);
  if (!is_forced(c, threads))
    return;
  /* All threads must have read the flag that the first one now changes. */
  parallel_wait(barrier, threads);
  tally->forced_count = thread == 0 ? separation_carry_with_kinematics(&step, &tally->carry_visits) : 0;
  parallel_wait(barrier, threads);
}

bool self_contact_strays(const self_contact *c, const near_kernel *kernel, const motion_bound *f, double age,
                         const msd_real *behind, parallel_range particles) {
  const skin_check q = {.state = behind,
                        .motion_bound = f->state,
                        .stride = f->stride,
                        .age = (msd_real)age,
                        .shift = {(msd_real)motion_bound_shift(f, 0, age),
                                  (msd_real)motion_bound_shift(f, 1, age),
                                  (msd_real)motion_bound_shift(f, 2, age)},
                        .violators = c->violators,
                        .mark = f == &c->cache.list ? OUT_OF_LIST : OUT_OF_ACTIVE};
  return kernel->stray(&q, particles);
}

static bool strays(const self_contact_turn *t, const motion_bound *f, parallel_range particles) {
  const self_contact_step *s = t->step;
  return self_contact_strays(s->contact, t->kernel, f, f->age + s->dt, s->behind, particles);
}

static void find_strayed(const self_contact_turn *t, self_contact_tally *tally, parallel_range particles) {
  const self_contact *c = t->step->contact;
  tally->left_list = (!c->mesh.touches_nothing && strays(t, &c->cache.list, particles)) || tally->left_list;
  tally->left_active =
      (c->choice.watches && strays(t, &c->cache.active_bound, particles)) || tally->left_active;
}

/* The last phase for groups of particles, once all pair forces are known. It is distributed dynamically,
   because groups with colliders or many pairs take longer. */
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
    if (!t->has_boxes)
      find_strayed(t, tally, particles);
    return;
  }
  const separation_step step = cell_step_of(t);
  const corner_lists *kept = &contact->cells.corners;
  for (parallel_range own = corner_lists_next(kept, 0, particles); own.first < own.last;
       own = corner_lists_next(kept, own.last, particles))
    separation_read(&step, own);
}

/* Groups per work item. A single thread gets one item; so does each thread if nothing acts. */
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
  for (int32_t n = work_queue_pop(c->piles, thread, threads); n >= 0;
       n = work_queue_pop(c->piles, thread, threads))
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

static bool any_meets_box(const self_contact *c, int threads) {
  bool meets = false;
  for (int n = 0; n < threads; n++)
    meets = meets || c->tallies[n].meets_box;
  return meets;
}

static bool any_lacks_memory(const self_contact *c, int threads) {
  bool lacks = false;
  for (int n = 0; n < threads; n++)
    lacks = lacks || c->tallies[n].lacks_memory;
  return lacks;
}

static void find_impulses_of_boxes(const self_contact_step *s) {
  const bool done = box_contact_begin(s) && box_contact_cover(s, s->behind);
  if (done)
    box_contact_mark_faces(s);
  s->contact->tallies[0].lacks_memory = !done || !box_contact_push(s);
}

/* Boxes push elements, before all other contact. */
static void push_by_boxes(self_contact_turn *t, int thread, int threads) {
  const self_contact_step *s = t->step;
  parallel_wait(&t->meeting.barrier, threads);
  if (thread == 0)
    find_impulses_of_boxes(s);
  parallel_wait(&t->meeting.barrier, threads);
}

/* No element ends the substep in a box. */
static void guard_boxes(self_contact_turn *t, int thread, int threads) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  self_contact_tally *tally = &c->tallies[thread];
  parallel_barrier *barrier = &t->meeting.barrier;
  parallel_wait(barrier, threads);
  if (any_lacks_memory(c, threads))
    return;
  /* All threads must have read the flag that the first one now changes. */
  parallel_wait(barrier, threads);
  if (thread == 0) {
    box_contact_note(s);
    tally->lacks_memory = !box_contact_cover(s, s->behind);
    if (!tally->lacks_memory && !c->boxes.is_marked)
      box_contact_mark_faces(s);
  }
  parallel_wait(barrier, threads);
  if (!c->tallies[0].lacks_memory)
    box_contact_mark_apart(s, parallel_split(c->boxes.run_count, thread, threads));
  parallel_wait(barrier, threads);
  tally->meets_box = !c->tallies[0].lacks_memory &&
                     box_contact_check(s, parallel_split(c->boxes.block_count, thread, threads));
  parallel_wait(barrier, threads);
  const separation_step step = cell_step_of(t);
  if (thread == 0 && any_meets_box(c, threads))
    tally->lacks_memory = !box_contact_resolve(s, &step);
  parallel_wait(barrier, threads);
}

/* If something acts, work items of slow threads are taken over by others. Otherwise each thread processes
   its own particles, which are in its cache, and all take equally long. */
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
  work_queue_fill(c->piles, pieces, thread, threads);
  keep_predicted(s, particles_of(c, own));
  if (t->has_boxes)
    push_by_boxes(t, thread, threads);
  if (c->near.count > 0)
    how.pairs_push = find_forces(t, thread, threads, particles_of(c, own));
  else
    parallel_wait(&t->meeting.barrier, threads);
  close_all(t, &how, thread, threads);
  if (c->cells.count > 0)
    keep_apart(t, thread, threads);
  if (t->has_boxes)
    guard_boxes(t, thread, threads);
  if (c->cells.count > 0 || t->has_boxes)
    find_strayed(t, tally, particles_of(c, own));
}
