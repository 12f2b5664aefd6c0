#include "engine/contact/self_contact.h"

#include "engine/base/min_max.h"
#include "engine/contact/box_contact.h"
#include "engine/contact/broad_phase_repair.h"
#include "engine/contact/flags.h"
#include "engine/contact/self_contact_substep.h"

#include <math.h>
#include <string.h>

/* Keeps the mesh, the counters and, on request, the contact cache. */
static void free_all_but_mesh(self_contact *c, memory *m, bool keeps_look) {
  const surface_mesh mesh = c->mesh;
  const contact_cache cache = c->cache;
  const int64_t shortened = c->clipped_moves;
  c->mesh = (surface_mesh){0};
  if (keeps_look)
    c->cache = (contact_cache){.has_list = false};
  self_contact_free(c, m);
  c->mesh = mesh;
  if (keeps_look)
    c->cache = cache;
  c->clipped_moves = shortened;
}

bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads) {
  const bool stays = contact_cache_is_of(&c->cache, p);
  free_all_but_mesh(c, m, stays);
  c->predicted = particle_allocate_slab(p, m, COMPONENTS, &c->predicted_block);
  c->violators = memory_allocate(m, (size_t)p->count);
  c->tallies = memory_allocate(m, (size_t)threads * sizeof *c->tallies);
  c->piles = memory_allocate(m, (size_t)threads * sizeof *c->piles);
  friction_cache_begin(&c->friction_cache, m, p->count);
  c->stride = p->stride;
  c->particles = p->count;
  c->threads = threads;
  const bool has_room = (stays || contact_cache_reserve(&c->cache, m, p)) && c->predicted && c->violators &&
                        c->tallies && c->piles && near_choice_reserve(&c->choice, m, p->count, threads) &&
                        near_pairs_reserve(&c->near, m, p->count) &&
                        separation_reserve(&c->cells, m, p->count) &&
                        box_contacts_reserve(&c->boxes, m, p->count, p->stride);
  if (!has_room)
    free_all_but_mesh(c, m, stays);
  return has_room;
}

void self_contact_free(self_contact *c, memory *m) {
  surface_mesh_free(&c->mesh, m);
  pair_search_free(&c->search, m);
  contact_cache_free(&c->cache, m);
  near_choice_free(&c->choice, m);
  contact_team_free(&c->team, m);
  near_pairs_free(&c->near, m);
  friction_cache_free(&c->friction_cache, m);
  separation_free(&c->cells, m);
  box_contacts_free(&c->boxes, m);
  memory_release(m, c->violators);
  memory_release(m, c->predicted_block);
  memory_release(m, c->tallies);
  memory_release(m, c->piles);
  *c = (self_contact){0};
}

static void begin_step(self_contact *c, bool goes_on) {
  c->goes_on = goes_on;
  c->is_chosen = c->near.has_followed = false;
  c->is_restless = false;
  memset(c->violators, 0, (size_t)c->particles);
}

void self_contact_forget(self_contact *c) {
  begin_step(c, false);
  contact_cache_forget(&c->cache);
}

/* A step that was canceled before its first substep may not have built its list. */
void self_contact_end_step(self_contact *c) {
  if (!c->is_listed)
    return;
  separation_report(&c->cells, c->cache.kept);
  c->cache.kept_count = c->cells.count;
}

void self_contact_go_on(self_contact *c, bool with_choice) {
  begin_step(c, true);
  c->is_chosen = with_choice && c->cache.active_bound.holds;
  if (!c->is_chosen)
    contact_cache_forget_choice(&c->cache);
  contact_cache_begin_step(&c->cache);
}

bool self_contact_rollback(self_contact *c) {
  const bool done = c->goes_on && contact_cache_rollback(&c->cache);
  c->is_listed = c->is_listed && !done;
  return done;
}

/* ------------------------------------------------------------------------------- lists and the active set */

/* Substeps that a list and an active set should last; QUIET_SUBSTEPS for an active set with few candidates. */
enum { LEAST_LIST_SUBSTEPS = 8, MOST_LIST_SUBSTEPS = 256, WATCH_SUBSTEPS = 4, QUIET_SUBSTEPS = 16 };

/* Skins as fractions of the thickness; growth and shrinkage of the skins of lists. */
static const double LEAST_LIST_SKIN = 0.25, MOST_LIST_SKIN = 0.35, WATCH_SKIN = 0.08, WIDER = 1.5,
                    NARROWER = 0.75;

/* A quiet active set may last until the fastest particle moves this fraction of the thickness. */
static const double MOST_SLID = 0.5;

/* The cost of a list, in units of one repaired particle: a fraction of the particle count, more with each
   candidate pair per particle, up to a limit. */
static const double WORTH_SHARE = 1.0 / 64, WORTH_OF_PAIR = 0.5, MOST_WORTH_OF_PAIRS = 4;

static motion_bound_substep substep_of(const self_contact_step *s) {
  return (motion_bound_substep){s->before, s->behind, s->stride, s->dt};
}

/* m: a skin of that fraction of the thickness; always below MOTION_BOUND_UNWATCHED. */
static double share_of_thickness(const self_contact_step *s, double share) {
  return fmin(share * (double)s->settings.thickness, (double)MOTION_BOUND_UNWATCHED / 8);
}

static double watch_skin(const self_contact_step *s) {
  return share_of_thickness(s, WATCH_SKIN);
}

static near_choosing choosing_of(const self_contact_step *s, const near_substep *taken) {
  self_contact *c = s->contact;
  return (near_choosing){.choice = &c->choice,
                         .list = &c->search.list,
                         .expected = &c->cache.list,
                         .active_bound = &c->cache.active_bound,
                         .mesh = &c->mesh,
                         .penetrations = s->penetrations,
                         .near = &c->near,
                         .cells = &c->cells,
                         .memory = s->memory,
                         .team = &c->team,
                         .taken = taken,
                         .inverse_mass = s->inverse_mass,
                         .has_pins = s->has_pins,
                         .friction = s->settings.friction,
                         .tasks = s->tasks,
                         .threads = s->threads,
                         .simd = s->simd,
                         .stop = s->stop};
}

static pair_question question_of(const self_contact_step *s, int64_t most_pairs) {
  self_contact *c = s->contact;
  return (pair_question){.state = c->cache.list.state,
                         .stride = c->stride,
                         .skins = motion_bound_skins(&c->cache.list),
                         .horizon = (msd_real)c->cache.list.horizon,
                         .awake = s->awake,
                         .awake_for = s->awake ? *s->awake_for : 0,
                         .team = &c->team,
                         .tasks = s->tasks,
                         .threads = s->threads,
                         .simd = s->simd,
                         .most_pairs = most_pairs,
                         .stop = s->stop};
}

/* m: the largest thickness. */
static double largest_thickness(const self_contact *c) {
  double thickness = 0;
  for (int32_t n = 0; n < c->mesh.leaf_count; n++) {
    const double own = 2 * (double)c->mesh.leaves[n].half;
    thickness = own > thickness ? own : thickness;
  }
  return thickness;
}

/* m: the longest way of a particle in a substep, relative to the mean of all and in any component. */
static double farthest_way(const self_contact_step *s, const msd_real *state) {
  const self_contact *c = s->contact;
  double farthest = 0;
  for (size_t k = 3; k < COMPONENTS; k++) {
    const msd_real *v = state + k * s->stride;
    double sum = 0;
    for (int32_t slot = 0; slot < c->particles; slot++)
      sum += (double)v[slot];
    for (int32_t slot = 0; slot < c->particles; slot++) {
      const double off = fabs((double)v[slot] - sum / c->particles);
      farthest = off > farthest ? off : farthest;
    }
  }
  return farthest * s->dt;
}

/* True if some particle moves farther in a substep than the thickness of contact, relative to the mean of all,
   or has a skin wider than that, because it did. Many particles may be near each other at rest; only then are
   pairs many because moves are long. */
static bool moves_far(const self_contact_step *s, const msd_real *state) {
  const self_contact *c = s->contact;
  const double thickness = largest_thickness(c);
  const msd_real *skins = motion_bound_skins(&c->cache.list);
  double widest = 0;
  for (int32_t slot = 0; slot < c->particles; slot++)
    widest = (double)skins[slot] > widest ? (double)skins[slot] : widest;
  return widest > thickness || farthest_way(s, state) > thickness;
}

enum { ANY_NUMBER = 0 };

/* The pairs that a list may have where moves are long. */
static int64_t most_pairs(const self_contact *c) {
  return SELF_CONTACT_FREE_PAIRS + SELF_CONTACT_MOST_PAIRS * (int64_t)c->particles;
}

/* The common acceleration of the next list; 0 if particles sleep, since their skins are 0 and they do not
   move. */
static const double *next_bend(const self_contact_step *s) {
  static const double none[3] = {0, 0, 0};
  return s->awake ? none : s->list_policy->bend;
}

static bool is_bent(const double bend[3]) {
  return bend[0] != 0 || bend[1] != 0 || bend[2] != 0;
}

/* Adapts the horizon and skins of the next list to how the last one fared. A list that lasted gets a longer
   horizon: twice as long, or at once the longest if motion bounds know a common acceleration. A short list
   without repairs that was dropped gets wider skins: particles that accelerate together leave their skins
   together, and wider ones last longer. Any other list that did not last gets a shorter horizon. Vibrating
   particles leave a list a few at a time however wide its skins are, so after repairs skins become narrower
   and less is listed. With many candidates, skins follow the deviation from the last list (motion_bound.h). */
static void adapt(const self_contact_step *s) {
  const self_contact *c = s->contact;
  list_policy *policy = s->list_policy;
  const double least = share_of_thickness(s, LEAST_LIST_SKIN), most = share_of_thickness(s, MOST_LIST_SKIN);
  const bool has_lasted = c->cache.list.age > 0.99 * c->cache.list.horizon,
             is_short = c->search.list.count < c->particles / 2, shakes = !is_short || c->cache.of_list > 0;
  if (c->cache.has_list && has_lasted)
    policy->substeps =
        is_bent(next_bend(s)) ? MOST_LIST_SUBSTEPS : 2 * int_min(policy->substeps, MOST_LIST_SUBSTEPS);
  else if (c->cache.has_list && !shakes && policy->skin < most)
    policy->skin *= WIDER;
  else if (c->cache.has_list && c->cache.list.age < 0.5 * c->cache.list.horizon)
    policy->substeps /= 2;
  if (c->cache.has_list && shakes)
    policy->skin *= NARROWER;
  policy->skin = policy->skin > least ? policy->skin : least;
  policy->skin = policy->skin < most ? policy->skin : most;
  policy->substeps = int_max(LEAST_LIST_SUBSTEPS, int_min(policy->substeps, MOST_LIST_SUBSTEPS));
}

void self_contact_note_bend(const self_contact *c, list_policy *policy, const msd_real *state, double dt) {
  if (c->cache.has_list)
    motion_bound_find_bend(&c->cache.list, state, c->stride, dt, policy->bend);
}

static bool find_pairs(const self_contact_step *s, int64_t most) {
  self_contact *c = s->contact;
  const pair_question question = question_of(s, most);
  near_choice_forget_list(&c->choice);
  return pair_search_build(&c->search, s->memory, &c->mesh, &question);
}

/* The pairs of a new list. If too many can meet during its horizon, it is made for one substep. */
static bool find_some_pairs(const self_contact_step *s) {
  self_contact *c = s->contact;
  const bool done = find_pairs(s, most_pairs(c));
  if (done || !c->search.is_crowded)
    return done;
  if (!moves_far(s, s->before))
    return find_pairs(s, ANY_NUMBER);
  s->list_policy->substeps = LEAST_LIST_SUBSTEPS;
  const bool is_shorter = c->cache.list.horizon > s->dt;
  c->cache.list.horizon = s->dt;
  return is_shorter && find_pairs(s, most_pairs(c));
}

/* True if there are so many candidates that some particles rest while others move fast. Skins then follow
   the deviation from the last motion bound. */
static bool lists_much(const self_contact *c) {
  return c->search.list.count >= c->particles;
}

static bool make_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const motion_bound_substep substep = substep_of(s);
  contact_cache_give_up(&c->cache);
  self_contact_note_bend(c, s->list_policy, s->before, s->dt);
  adapt(s);
  const int32_t wanted = s->list_policy->substeps,
                substeps = c->goes_on ? wanted : int_min(wanted, s->substeps_left);
  const motion_bound_plan plan = {.horizon = substeps * s->dt,
                                  .skin = s->list_policy->skin,
                                  .follows_the_last = lists_much(c),
                                  .bend = next_bend(s),
                                  .tasks = s->tasks,
                                  .threads = s->threads};
  motion_bound_begin(&c->cache.list, &substep, &plan);
  const penetrating_places places = {s->before, s->stride, s->tasks, s->threads};
  if (!contact_team_agrees(&c->team, penetrations_update(s->penetrations, s->memory, &places)))
    return false;
  do {
    c->cache.list.holds = find_some_pairs(s);
  } while (c->cache.list.holds && s->awake && s->wake(s->wake_context, &c->search.list));
  contact_cache_begin_list(&c->cache, !s->awake);
  c->cache.has_list = c->is_listed = c->cache.list.holds;
  return c->cache.list.holds;
}

/* s: how long an active set should last, at most `left`, the rest of the list. Slow particles keep their
   witnesses valid for longer, and an active set of few candidates stays small. */
static double active_horizon(const self_contact_step *s, double left) {
  const self_contact *c = s->contact;
  const motion_bound_substep substep = substep_of(s);
  const double least = (lists_much(c) ? WATCH_SUBSTEPS : QUIET_SUBSTEPS) * s->dt;
  if (!(least < left) || c->search.list.count == 0)
    return left;
  const double still =
      MOST_SLID * (double)s->settings.thickness / motion_bound_fastest(&substep, c->particles);
  const double wanted = still > least ? still : least;
  return wanted < left ? wanted : left;
}

/* Reserves memory for the gap bounds and friction anchors to be stored. */
static bool has_room_for_kept(const self_contact_step *s) {
  self_contact *c = s->contact;
  return contact_team_agrees(
      &c->team, growth_reserve(&contact_cache_kept_growth, &c->cache, s->memory, c->cells.count) &&
                    friction_cache_make_room(&c->cache.friction_cache, s->memory, c->near.count) &&
                    friction_cache_make_room(&c->friction_cache, s->memory, c->near.count));
}

/* Provides a list and an active set for the substep. Without collisions between meshes neither is needed:
   only air drag and colliders use the mesh. */
static bool ensure_lists(const self_contact_step *s) {
  self_contact *c = s->contact;
  if (c->mesh.touches_nothing)
    return true;
  const motion_bound_substep substep = substep_of(s);
  if (motion_bound_lasts(&c->cache.list, s->dt) && motion_bound_lasts(&c->cache.active_bound, s->dt))
    return true;
  if (!motion_bound_lasts(&c->cache.list, s->dt) && !make_list(s))
    return false;
  /* After a much longer substep the rest of the list may be rounded away. */
  const double rest = c->cache.list.horizon - c->cache.list.age;
  const double left = rest * (1 + 1e-6) < s->dt ? s->dt : rest, horizon = active_horizon(s, left);
  const motion_bound_plan plan = {.horizon = horizon,
                                  .skin = watch_skin(s),
                                  .follows_the_last = lists_much(c),
                                  .bend = c->cache.list.bend,
                                  .tasks = s->tasks,
                                  .threads = s->threads};
  if (c->search.list.count > 0)
    motion_bound_begin(&c->cache.active_bound, &substep, &plan);
  else
    motion_bound_begin_unwatched(&c->cache.active_bound, &substep, &plan);
  contact_cache_begin_choice(&c->cache);
  near_choosing choosing = choosing_of(s, NULL);
  choosing.friction_cache = self_contact_friction(s);
  c->cache.active_bound.holds = near_choice_make(&choosing) && has_room_for_kept(s);
  c->is_restless = false;
  c->is_chosen = c->cache.active_bound.holds;
  return c->cache.active_bound.holds;
}

/* Gives marked particles a new prediction, from their motion in the substep, and a wider skin. */
static self_contact_result expect_anew(const self_contact_step *s, bool of_active, double least,
                                       uint8_t marks) {
  self_contact *c = s->contact;
  const motion_bound_substep substep = substep_of(s);
  motion_bound *f = of_active ? &c->cache.active_bound : &c->cache.list;
  if (!contact_team_agrees(&c->team,
                           contact_cache_note(&c->cache, s->memory, of_active, c->violators, marks)))
    return SELF_CONTACT_NO_MEMORY;
  motion_bound_follow(f, &substep, least, c->violators, marks);
  return motion_bound_widen(f, &substep, c->violators, marks) ? SELF_CONTACT_DONE : SELF_CONTACT_NOT_FINITE;
}

/* Searches the candidates of particles that violated the skin of the list. */
static bool find_pairs_anew(const self_contact_step *s, int64_t most) {
  self_contact *c = s->contact;
  const pair_question question = question_of(s, most);
  pair_index *blocks = &c->choice.pair_index;
  pair_index_find(blocks, s->memory, &c->search.list, c->violators, s->tasks);
  return pair_search_mend(&c->search, s->memory, &c->mesh, &question, blocks, c->violators, OUT_OF_LIST);
}

/* Drops a list with too many violations. Its common acceleration is dropped as well if it was used for fewer
   than three substeps, which is too short to confirm it: otherwise skins would be widened by its error. */
static self_contact_result drop_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const motion_bound_substep substep = substep_of(s);
  c->cache.list.holds = false;
  contact_cache_give_up(&c->cache);
  if (!motion_bound_shows(&c->cache.list, s->dt)) {
    motion_bound_straighten(&c->cache.list);
    memcpy(s->list_policy->bend, c->cache.list.bend, sizeof s->list_policy->bend);
  }
  return motion_bound_widen(&c->cache.list, &substep, c->violators, OUT_OF_LIST) ? SELF_CONTACT_DONE
                                                                                 : SELF_CONTACT_NOT_FINITE;
}

/* Repairs the list: particles that violated it continue from their current motion, and their candidates are
   searched again. Marks particles that must be monitored because of that. A list that would get too many pairs
   is dropped. */
static self_contact_result mend_list(const self_contact_step *s) {
  self_contact *c = s->contact;
  const self_contact_result result = expect_anew(s, false, s->list_policy->skin, OUT_OF_LIST);
  if (result != SELF_CONTACT_DONE)
    return result;
  const near_choosing choosing = choosing_of(s, NULL);
  c->cache.list.holds = find_pairs_anew(s, most_pairs(c));
  if (c->search.is_crowded && moves_far(s, s->behind))
    return drop_list(s);
  if (c->search.is_crowded)
    c->cache.list.holds = find_pairs_anew(s, ANY_NUMBER);
  /* The next list contains the pairs of particles that have just been woken. */
  if (c->cache.list.holds && s->awake && s->wake(s->wake_context, &c->search.list)) {
    c->cache.list.holds = false;
    return SELF_CONTACT_DONE;
  }
  if (!c->cache.list.holds || !near_choice_extend(&choosing, c->violators, IS_NEW))
    return SELF_CONTACT_NO_MEMORY;
  return SELF_CONTACT_DONE;
}

static bool any_left(const self_contact *c, bool list) {
  bool any = false;
  for (int n = 0; n < c->threads; n++)
    any = any || (list ? c->tallies[n].left_list : c->tallies[n].left_active);
  return any;
}

/* True if a new list is cheaper than another repair. The average cost per substep is least if the list is
   replaced once a further substep costs more than that average so far. */
static bool is_list_exhausted(const self_contact_step *s, int32_t left) {
  const self_contact *c = s->contact;
  const double substeps = c->cache.list.age / s->dt + 1, pairs = (double)c->search.list.count / c->particles,
               worth = WORTH_SHARE * c->particles * (1 + fmin(WORTH_OF_PAIR * pairs, MOST_WORTH_OF_PAIRS));
  return left * substeps > worth + c->cache.of_list || contact_cache_is_full(&c->cache);
}

/* Handles skin violations. `*seen` is false if the substep must be repeated. */
static self_contact_result handle_skin_violations(const self_contact_turn *t, bool *seen) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  *seen = false;
  if (is_list_exhausted(s, marks_count(c->violators, OUT_OF_LIST, c->particles)))
    return drop_list(s);
  const near_substep taken = {s->before, t->something_acts ? c->predicted : s->behind, s->behind, s->stride,
                              s->dt};
  const near_choosing choosing = choosing_of(s, &taken);
  self_contact_result result = any_left(c, true) ? mend_list(s) : SELF_CONTACT_DONE;
  if (result == SELF_CONTACT_DONE && c->cache.list.holds)
    result = expect_anew(s, true, watch_skin(s), ANY_MARK);
  if (result != SELF_CONTACT_DONE || !c->cache.list.holds)
    return result;
  bool missed_contact;
  c->cache.active_bound.holds =
      near_choice_mend(&choosing, c->violators, &missed_contact) && has_room_for_kept(s);
  *seen = !missed_contact;
  return c->cache.active_bound.holds ? SELF_CONTACT_DONE : SELF_CONTACT_NO_MEMORY;
}

/* --------------------------------------------------------------------------------------------- rebuilding */

/* Applies one recorded batch of repairs again, to the list or to the active set. */
static bool replay_edit(const self_contact_step *s, int32_t round, bool has_choice) {
  self_contact *c = s->contact;
  const bool of_active = c->cache.edit_batches[round].is_of_active;
  const near_substep taken = {s->before, s->before, s->behind, s->stride, s->dt};
  bool missed_contact;
  contact_cache_redo(&c->cache, round, c->violators, of_active ? OUT_OF_ACTIVE : OUT_OF_LIST);
  near_choosing choosing = choosing_of(s, &taken);
  choosing.friction_cache = &c->cache.friction_cache;
  if (of_active)
    return near_choice_mend(&choosing, c->violators, &missed_contact);
  return find_pairs_anew(s, ANY_NUMBER) &&
         (!has_choice || near_choice_extend(&choosing, c->violators, IS_NEW));
}

static bool mend_rounds_again(const self_contact_step *s, parallel_range rounds, bool has_choice) {
  self_contact *c = s->contact;
  bool done = true;
  for (int32_t round = rounds.first; round < rounds.last && done; round++) {
    done = replay_edit(s, round, has_choice);
    memset(c->violators, 0, (size_t)c->particles);
  }
  return done;
}

static bool choose_again(const self_contact_step *s) {
  contact_cache *cache = &s->contact->cache;
  cache->list.age = cache->chosen_at;
  cache->active_bound.age = 0;
  near_choosing choosing = choosing_of(s, NULL);
  choosing.friction_cache = &cache->friction_cache;
  return near_choice_make(&choosing);
}

static bool rebuild_lists(const self_contact_step *s) {
  self_contact *c = s->contact;
  contact_cache *cache = &c->cache;
  const parallel_range before = {0, cache->batches_before}, behind = {before.last, cache->batch_count};
  friction_cache_index(&cache->friction_cache, s->tasks, s->threads);
  if (!find_pairs(s, ANY_NUMBER) || !mend_rounds_again(s, before, false))
    return false;
  const bool chosen = !cache->active_bound.holds || choose_again(s);
  return chosen && mend_rounds_again(s, behind, cache->active_bound.holds) && has_room_for_kept(s);
}

bool self_contact_relist(const self_contact_step *s) {
  self_contact *c = s->contact;
  const double age = c->cache.list.age, active_age = c->cache.active_bound.age;
  contact_cache_undo(&c->cache);
  c->is_listed = rebuild_lists(s);
  c->cache.list.age = age;
  c->cache.active_bound.age = active_age;
  if (!c->is_listed)
    contact_cache_redo_rest(&c->cache);
  else if (c->cache.kept_count == c->cells.count)
    separation_continue(&c->cells, c->cache.kept, s->before, s->stride);
  return c->is_listed;
}

/* -------------------------------------------------------------------------------------------- one substep */

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

/* Tests whether any particle violated its skin and, if so, whether the substep is still valid. */
static self_contact_result review(const self_contact_turn *t, bool *seen) {
  self_contact *c = t->step->contact;
  *seen = true;
  if (!any_left(c, true) && !any_left(c, false))
    return SELF_CONTACT_DONE;
  const self_contact_result result = handle_skin_violations(t, seen);
  memset(c->violators, 0, (size_t)c->particles);
  return result;
}

/* Records forced intersections in the order of the list. All or none: without memory the substep fails. */
static bool record_forced(const self_contact_step *s) {
  self_contact *c = s->contact;
  int64_t forced_count = 0;
  for (int n = 0; n < c->threads; n++)
    forced_count += c->tallies[n].forced_count;
  if (forced_count == 0)
    return true;
  if (!contact_team_agrees(&c->team, penetrations_make_room(s->penetrations, s->memory, forced_count)))
    return false;
  for (int32_t n = 0; n < c->cells.count; n++) {
    const separation_pair *p = &c->cells.pairs[n];
    if (!p->is_forced)
      continue;
    int32_t slots[PAIR_CORNERS];
    cells_slots(&c->cells, n, slots);
    penetrations_add_forced(s->penetrations, p->kind, slots);
  }
  c->cache.active_bound.holds = false;
  return true;
}

/* A substep is repeated while particles leave their skins, which grow each time. */
enum { MOST_REPEATS = 128 };

/* Counts the repeats of a substep, too: they take as long. */
static void count_carrying(self_contact *c) {
  const int64_t visits = c->carry_visits + c->tallies[0].carry_visits,
                granted = SELF_CONTACT_FREE_CARRY_VISITS * (int64_t)c->cells.count;
  c->carry_visits = visits > granted ? visits - granted : 0;
}

/* Why lists or active sets could not be made. */
static self_contact_result why_none(const self_contact_step *s) {
  return stop_poll_is_stopped(s->stop)   ? SELF_CONTACT_STOPPED
         : s->contact->search.is_crowded ? SELF_CONTACT_CROWDED
                                         : SELF_CONTACT_NO_MEMORY;
}

static self_contact_result act_once(self_contact_turn *t, bool *seen) {
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  if (c->carry_visits > SELF_CONTACT_MOST_CARRY_VISITS)
    return SELF_CONTACT_CROWDED;
  if (!ensure_lists(s))
    return why_none(s);
  if (stop_poll_ask(s->stop, 0))
    return SELF_CONTACT_STOPPED;
  phase_barrier_begin(&t->meeting);
  t->something_acts = c->near.count + c->cells.count > 0 || s->colliders.work;
  t->has_boxes = box_contact_acts(s);
  for (int n = 0; n < c->threads; n++)
    c->tallies[n] = (self_contact_tally){.is_finite = true};
  if (s->colliders.work)
    contact_work_begin(s->colliders.work);
  parallel_run(s->tasks, s->threads, self_contact_turn_act, t);
  if (stop_poll_is_stopped(s->stop))
    return SELF_CONTACT_STOPPED;
  c->near.has_followed = true;
  count_carrying(c);
  if ((c->cells.count > 0 || t->has_boxes) && !contact_team_agrees(&c->team, !c->tallies[0].lacks_memory))
    return SELF_CONTACT_NO_MEMORY;
  const self_contact_result result = is_finite(c, s->threads) ? review(t, seen) : SELF_CONTACT_NOT_FINITE;
  t->is_again = !*seen;
  if (result == SELF_CONTACT_DONE && !*seen)
    take_back(t);
  return result == SELF_CONTACT_NO_MEMORY ? why_none(s) : result;
}

self_contact_result self_contact_act(const self_contact_step *s) {
  self_contact *c = s->contact;
  self_contact_turn t = {.step = s, .kernel = near_kernel_choose(s->simd)};
  c->search.is_crowded = false;
  int repeats = 0;
  for (bool seen = false; !seen; repeats++) {
    const self_contact_result result = repeats < MOST_REPEATS ? act_once(&t, &seen) : SELF_CONTACT_CROWDED;
    if (result != SELF_CONTACT_DONE)
      return result;
  }
  if (!record_forced(s))
    return SELF_CONTACT_NO_MEMORY;
  for (int n = 0; n < c->threads; n++) {
    c->clipped_moves += c->tallies[n].shortened;
    c->visits += c->tallies[n].visits;
  }
  c->near.has_followed = false;
  c->cache.list.age += s->dt;
  c->cache.active_bound.age += s->dt;
  return SELF_CONTACT_DONE;
}

/* ---------------------------------------------------------------------------------- contact-free substeps */

/* Adds the substeps one by one, so that rounding is the same as without temporal blocking. */
static double age_behind(const motion_bound *f, double dt, int substeps) {
  double age = f->age;
  for (int n = 0; n < substeps; n++)
    age += dt;
  return age;
}

self_contact_result broad_phase_update(const self_contact_step *s) {
  s->contact->search.is_crowded = false;
  return ensure_lists(s) ? SELF_CONTACT_DONE : why_none(s);
}

bool self_contact_find_boxes(const self_contact_step *s, bool *are_near) {
  box_contacts *b = &s->contact->boxes;
  *are_near = false;
  b->box_count = 0;
  if (!box_contact_acts(s))
    return true;
  if (!box_contact_begin(s) || !box_contact_cover(s, s->before))
    return false;
  *are_near = b->candidate_count > 0;
  for (int32_t n = 0; n < b->box_count; n++)
    *are_near = *are_near || b->boxes[n].reach > 0;
  return true;
}

int contact_free_substeps(const self_contact *c, double dt, int most) {
  if (c->is_restless || c->near.count + c->cells.count > 0)
    return 0;
  if (c->mesh.touches_nothing)
    return most;
  motion_bound list = c->cache.list, active_bound = c->cache.active_bound;
  int count = 0;
  for (; count < most && motion_bound_lasts(&list, dt) && motion_bound_lasts(&active_bound, dt); count++) {
    list.age += dt;
    active_bound.age += dt;
  }
  return count;
}

bool self_contact_within_skins(const self_contact *c, const self_contact_place *p) {
  const parallel_range particles = {p->particles.first, int_min(p->particles.last, c->particles)};
  if (p->has_boxes && !box_contact_covers(&c->boxes, p->simd, p->behind, particles))
    return false;
  if (c->mesh.touches_nothing)
    return true;
  const near_kernel *kernel = near_kernel_choose(p->simd);
  const double age = age_behind(&c->cache.list, p->dt, p->substep + 1),
               active_age = age_behind(&c->cache.active_bound, p->dt, p->substep + 1);
  return !self_contact_strays(c, kernel, &c->cache.list, age, p->behind, particles) &&
         !(c->choice.watches &&
           self_contact_strays(c, kernel, &c->cache.active_bound, active_age, p->behind, particles));
}

void self_contact_pass(self_contact *c, double dt, int substeps) {
  c->cache.list.age = age_behind(&c->cache.list, dt, substeps);
  c->cache.active_bound.age = age_behind(&c->cache.active_bound, dt, substeps);
  for (int n = 0; n < c->threads; n++)
    c->tallies[n] = (self_contact_tally){.is_finite = true};
}

void self_contact_drop(self_contact *c) {
  c->is_restless = true;
  memset(c->violators, 0, (size_t)c->particles);
}
