#include "engine/contact/active_set.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/contact/edge_endpoints.h"

#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(near_choice, fate), GROWTH_ARRAY(near_choice, witness),
                                      GROWTH_ARRAY(near_choice, chosen)};
static const growth_table choice_growth = GROWTH(near_choice, count, capacity, arrays, .most = INT32_MAX);

/* Ranges of the list for each of several threads, since the cost varies along the list. */
enum { SHARES_OF_A_THREAD = 16 };

static int shares_for(int threads) {
  return threads > 1 ? SHARES_OF_A_THREAD * threads : 1;
}

bool near_choice_reserve(near_choice *c, memory *m, int32_t particles, int threads) {
  near_choice_free(c, m);
  c->records = memory_allocate(m, (size_t)particles * RECORD_SIZE * sizeof *c->records);
  c->reach = memory_allocate(m, ((size_t)particles + NEAR_GROUP) * sizeof *c->reach);
  c->is_watched = memory_allocate(m, (size_t)particles * sizeof *c->is_watched);
  c->share_count = shares_for(threads);
  c->tallies = memory_allocate(m, (size_t)c->share_count * sizeof *c->tallies);
  c->piles = memory_allocate(m, (size_t)threads * sizeof *c->piles);
  if (c->records && c->reach && c->is_watched && c->tallies && c->piles &&
      pair_index_reserve(&c->pair_index, m, particles, threads))
    return true;
  near_choice_free(c, m);
  return false;
}

void near_choice_free(near_choice *c, memory *m) {
  growth_free(&choice_growth, c, m);
  pair_index_free(&c->pair_index, m);
  memory_release(m, c->records);
  memory_release(m, c->reach);
  memory_release(m, c->is_watched);
  memory_release(m, c->tallies);
  memory_release(m, c->piles);
  memory_release(m, c->given);
  *c = (near_choice){0};
}

void near_choice_forget_list(near_choice *c) {
  pair_index_forget(&c->pair_index);
}

/* ----------------------------------------------------------------------------------------- classification */

/* Shared by the threads. */
typedef struct deciding {
  const near_choosing *step;
  near_question question;
  parallel_barrier barrier;
} deciding;

/* Clears the flags of pairs that were removed from the list. */
static void forget_dropped(const near_choosing *s, parallel_range listed) {
  const msd_real *gap = s->list->gap_begin;
  uint8_t *fate = s->choice->fate;
  for (int32_t n = listed.first; n < listed.last; n++)
    fate[n] = gap[n] == PAIR_FAR ? 0 : fate[n];
}

/* True if all corners are kinematic or asleep. */
static bool is_kinematic(const near_choosing *s, const int32_t slots[PAIR_CORNERS]) {
  bool led = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led && !(s->inverse_mass[slots[corner]] > 0);
  return led;
}

/* True if the particle is not pinned, even while it sleeps. */
static bool is_free(const near_choosing *s, int32_t slot) {
  const penetrations *t = s->penetrations;
  return t->of.particles->inverse_mass[t->particle[slot]] > 0;
}

static bool hangs_on_point(const near_choosing *s, int32_t slot) {
  const vertex_adjacency *at = &s->mesh->edges_at;
  bool hangs = false;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1] && !hangs; n++)
    hangs = is_free(s, at->others[n][0]);
  return hangs;
}

static bool hangs_on_edge(const near_choosing *s, int32_t slot, int32_t to) {
  const vertex_adjacency *at = &s->mesh->triangles_at;
  bool hangs = false;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1] && !hangs; n++)
    for (int k = 0; k < 2; k++)
      hangs = hangs || (at->others[n][k] == to && is_free(s, at->others[n][1 - k]));
  return hangs;
}

/* True if a free triangle or segment contains the point of a kinematic pair, or one of its two edges: it
   would intersect if the pair did. */
static bool has_free_neighbor(const near_choosing *s, pair_kind kind, const int32_t slots[PAIR_CORNERS]) {
  return kind == PAIR_POINT_TRIANGLE
             ? hangs_on_point(s, slots[0])
             : hangs_on_edge(s, slots[0], slots[1]) || hangs_on_edge(s, slots[2], slots[3]);
}

/* True if nothing can or may keep the pair apart. */
static bool is_left_out(const near_choosing *s, int32_t n, bool led) {
  const int32_t *slots = s->list->slots[n];
  const pair_kind kind = (pair_kind)s->list->kind[n];
  return penetrations_has(s->penetrations, kind, slots) || (led && !has_free_neighbor(s, kind, slots));
}

/* Removes the flags of pairs that are in the active set already: their candidates may have been searched
   again. */
static int find_missing(const near_choosing *s, int32_t n, int came) {
  const int32_t *slots = s->list->slots[n];
  const int32_t other_way[PAIR_CORNERS] = {slots[2], slots[3], slots[0], slots[1]};
  const pair_kind kind = (pair_kind)s->list->kind[n];
  for (int turned = 0; turned <= (kind == PAIR_EDGE_EDGE) && came; turned++) {
    const int32_t *as = turned ? other_way : slots;
    if (came & PAIR_NEW_FORCE && near_pairs_have(s->near, as, kind))
      came &= ~PAIR_NEW_FORCE;
    if (came & PAIR_NEW_PLANE && cells_have(s->cells, as, kind))
      came &= ~PAIR_NEW_PLANE;
  }
  return came;
}

/* True if the pair would have changed the substep. */
static bool affects_substep(const near_choosing *s, int32_t n, int came, bool is_new) {
  const int32_t *slots = s->list->slots[n];
  const pair_kind kind = (pair_kind)s->list->kind[n];
  const near_substep *t = s->taken;
  const separation_step step = {.cells = s->cells,
                                .before = t->before,
                                .inverse_mass = s->inverse_mass,
                                .behind = t->behind,
                                .stride = t->stride,
                                .dt = t->dt};
  const double thickness = (double)s->list->thickness[n];
  return (is_new && came & PAIR_NEW_FORCE &&
          near_pair_arrives(t, slots, &s->choice->witness[n], thickness)) ||
         (came & PAIR_NEW_PLANE && !separation_has_divided(&step, slots, kind, thickness));
}

/* True if none of these eight pairs was added; clears their IS_NEW flags. */
static bool skip_eight(uint8_t *fates) {
  enum { EIGHT = sizeof(uint64_t) };
  uint64_t eight;
  memcpy(&eight, fates, EIGHT);
  const uint64_t each = UINT64_MAX / UINT8_MAX;
  if (eight & each * PAIR_CAME)
    return false;
  eight &= ~(each * PAIR_IS_NEW);
  memcpy(fates, &eight, EIGHT);
  return true;
}

/* Collects the pairs to be added to the active set. */
static void find_near(const deciding *d, parallel_range listed, near_tally *tally) {
  const near_choosing *s = d->step;
  const pair_list *list = s->list;
  for (int32_t n = listed.first; n < listed.last; n++) {
    uint8_t *fate = &s->choice->fate[n];
    if (listed.last - n >= 8 && skip_eight(fate)) {
      n += 7;
      continue;
    }
    const bool is_new = *fate & PAIR_IS_NEW;
    int came = *fate & PAIR_CAME;
    *fate &= (uint8_t) ~(PAIR_IS_NEW | PAIR_CAME);
    if (!came)
      continue;
    const bool led = is_kinematic(s, list->slots[n]);
    if (is_left_out(s, n, led))
      *fate |= PAIR_EXCLUDED;
    if (*fate & PAIR_EXCLUDED)
      continue;
    if (led)
      came &= PAIR_NEW_PLANE;
    if (s->has_pins && came & PAIR_NEW_FORCE)
      near_level_witness(&d->question, s->active_bound, s->inverse_mass, n, &s->choice->witness[n]);
    if (s->taken) {
      came = find_missing(s, n, came);
      tally->missed_contact = tally->missed_contact || affects_substep(s, n, came, is_new);
    }
    if (!came)
      continue;
    *fate |= (uint8_t)came;
    s->choice->chosen[tally->first + tally->chosen++] = n;
    tally->pushing += (came & PAIR_NEW_FORCE) != 0;
    tally->kept += (came & PAIR_NEW_PLANE) != 0;
  }
}

static parallel_range share_of(const near_choosing *s, int share) {
  return parallel_split(s->list->count, share, s->choice->share_count);
}

static void decide_range(const deciding *d, int thread, parallel_range listed, near_tally *tally) {
  const near_choosing *s = d->step;
  const pair_index *at = &s->choice->pair_index;
  if (s->choice->has_dropped)
    for (parallel_range run = pair_index_next(at, listed); run.first < run.last;
         run = pair_index_next(at, (parallel_range){run.last, listed.last}))
      forget_dropped(s, run);
  for (parallel_range some = {listed.first, listed.first}; stop_poll_next(s->stop, thread, listed, &some);)
    near_kernel_choose(s->simd)->choose(&d->question, some);
  for (parallel_range run = pair_index_next(at, listed); run.first < run.last;
       run = pair_index_next(at, (parallel_range){run.last, listed.last}))
    find_near(d, run, tally);
}

/* Ranks take alternate blocks of this many pairs, so each keeps its blocks when the list grows. Below
   SHARED_PAIRS exchanging messages would take as long as classifying. */
enum { SHARED_BLOCK = 512, SHARED_PAIRS = 4096 };

static int32_t block_count(const near_choosing *s) {
  const int32_t count = s->list->count;
  return count / SHARED_BLOCK + (count % SHARED_BLOCK != 0);
}

static parallel_range listed_of(const near_choosing *s, int32_t block) {
  const int32_t first = block * SHARED_BLOCK, left = s->list->count - first;
  return (parallel_range){first, first + int_min(SHARED_BLOCK, left)};
}

/* One range of this rank's blocks. */
static void decide_blocks(const deciding *d, int thread, int share, near_tally *tally) {
  const near_choosing *s = d->step;
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  const int32_t blocks = (block_count(s) - rank + ranks - 1) / ranks;
  const parallel_range own = parallel_split(blocks, share, s->choice->share_count);
  tally->first = listed_of(s, rank + own.first * ranks).first;
  for (int32_t n = own.first; n < own.last; n++)
    decide_range(d, thread, listed_of(s, rank + n * ranks), tally);
}

static void decide_share(const deciding *d, int thread, int share) {
  const near_choosing *s = d->step;
  const parallel_range own = share_of(s, share);
  near_tally *tally = &s->choice->tallies[share];
  *tally = (near_tally){.first = own.first};
  if (s->choice->is_shared)
    decide_blocks(d, thread, share, tally);
  else
    decide_range(d, thread, own, tally);
}

/* Whole groups, so that vectors stay within their arrays. */
static parallel_range own_particles(const near_choosing *s, int thread, int threads) {
  const int32_t count = s->active_bound->particles;
  const parallel_range own = parallel_split((count + NEAR_GROUP - 1) / NEAR_GROUP, thread, threads);
  return (parallel_range){own.first * NEAR_GROUP, int_min(own.last * NEAR_GROUP, count)};
}

/* No particle is monitored until a pair needs it. */
static void place_all(const near_choosing *s, parallel_range particles) {
  const near_kernel *kernel = near_kernel_choose(s->simd);
  kernel->place(s->active_bound, s->choice->records, particles);
  kernel->reach(s->expected, s->active_bound, s->choice->reach, particles);
  for (int32_t slot = particles.first; slot < particles.last; slot++)
    atomic_store_explicit(&s->choice->is_watched[slot], 0, memory_order_relaxed);
}

static void decide(void *context, int thread, int threads) {
  deciding *d = context;
  near_choice *c = d->step->choice;
  if (!d->question.violators)
    place_all(d->step, own_particles(d->step, thread, threads));
  work_queue_fill(c->piles, c->share_count, thread, threads);
  parallel_wait(&d->barrier, threads);
  for (int share = work_queue_pop(c->piles, thread, threads); share >= 0;
       share = work_queue_pop(c->piles, thread, threads))
    decide_share(d, thread, share);
}

/* Below this number of pairs one thread is as fast as several. */
enum { FEW_PAIRS = 1024 };

/* Classifies all candidates, or only those of marked particles. */
static void decide_on(const near_choosing *s, const uint8_t *marked) {
  pair_index *at = &s->choice->pair_index;
  pair_index_find(at, s->memory, s->list, marked, s->tasks);
  const motion_bound *list = s->expected;
  const double end = (list->age + s->active_bound->horizon - s->active_bound->age) / list->horizon;
  deciding d = {.step = s,
                .question = {.list = s->list,
                             .blocks = at,
                             .mesh = s->mesh,
                             .records = s->choice->records,
                             .skins = motion_bound_skins(s->active_bound),
                             .active_bound = marked ? s->active_bound : NULL,
                             .share_begin = (msd_real)(list->age / list->horizon),
                             .share_end = (msd_real)(end < 1 ? end : 1),
                             .violators = marked,
                             .reach = s->choice->reach,
                             .is_watched = s->choice->is_watched,
                             .fate = s->choice->fate,
                             .witness = s->choice->witness}};
  const int threads = pair_index_count(at, s->list) < FEW_PAIRS ? 1 : s->threads;
  s->choice->share_count = shares_for(threads);
  parallel_run(s->tasks, threads, decide, &d);
  s->choice->has_dropped = false;
}

/* --------------------------------------------------------------------------------- exchange between ranks */

/* Numbers that ranks exchange. */
enum { TOLD_COUNT, TOLD_MISSED };

/* A pair that one rank has added. */
typedef struct near_given {
  int32_t listed, came;
  near_witness witness;
} near_given;

static bool reserve_given(const near_choosing *s, size_t bytes) {
  near_choice *c = s->choice;
  if (bytes > c->given_bytes) {
    void *larger = memory_replace(s->memory, c->given, bytes + bytes / 2);
    if (!larger)
      return false;
    c->given = larger;
    c->given_bytes = bytes + bytes / 2;
  }
  return true;
}

/* Writes the pairs of this rank for exchange. */
static void give_chosen(const near_choosing *s, near_given *to) {
  const near_choice *c = s->choice;
  for (int share = 0; share < c->share_count; share++)
    for (int32_t k = 0; k < c->tallies[share].chosen; k++) {
      const int32_t n = c->chosen[c->tallies[share].first + k];
      *to++ = (near_given){n, c->fate[n] & PAIR_CAME, c->witness[n]};
    }
}

/* Collects the added pairs of a run of the list. */
static void find_chosen(near_choice *c, parallel_range listed, near_tally *tally) {
  for (int32_t n = listed.first; n < listed.last; n++) {
    if (listed.last - n >= 8 && skip_eight(&c->fate[n])) {
      n += 7;
      continue;
    }
    if (!(c->fate[n] & PAIR_CAME))
      continue;
    c->chosen[tally->first + tally->chosen++] = n;
    tally->pushing += (c->fate[n] & PAIR_NEW_FORCE) != 0;
    tally->kept += (c->fate[n] & PAIR_NEW_PLANE) != 0;
  }
}

/* The same for one range; pairs that were not classified were not added either. */
static void find_chosen_of(const near_choosing *s, int share) {
  near_choice *c = s->choice;
  const parallel_range own = share_of(s, share);
  near_tally tally = {.first = own.first};
  for (parallel_range run = pair_index_next(&c->pair_index, own); run.first < run.last;
       run = pair_index_next(&c->pair_index, (parallel_range){run.last, own.last}))
    find_chosen(c, run, &tally);
  c->tallies[share] = tally;
}

static void take_chosen(const near_choosing *s, int64_t count) {
  const near_given *given = s->choice->given;
  for (int64_t k = 0; k < count; k++) {
    s->choice->fate[given[k].listed] |= (uint8_t)given[k].came;
    s->choice->witness[given[k].listed] = given[k].witness;
  }
  for (int share = 0; share < s->choice->share_count; share++)
    find_chosen_of(s, share);
}

/* Merges the added pairs of all ranks in the order of the list, as one process would find them. False
   without memory on any rank. */
static bool share_chosen(const near_choosing *s, bool *missed_contact) {
  near_choice *c = s->choice;
  int64_t own = 0;
  *missed_contact = false;
  for (int share = 0; share < c->share_count; share++) {
    own += c->tallies[share].chosen;
    *missed_contact = *missed_contact || c->tallies[share].missed_contact;
  }
  if (!c->is_shared)
    return true;
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  contact_team_tell(s->team,
                    (int64_t[CONTACT_TEAM_NUMBERS]){[TOLD_COUNT] = own, [TOLD_MISSED] = *missed_contact});
  *missed_contact = contact_team_sum(s->team, TOLD_MISSED, ranks) > 0;
  const int64_t all = contact_team_sum(s->team, TOLD_COUNT, ranks);
  if (all == 0)
    return true;
  if (!contact_team_agrees(s->team, reserve_given(s, (size_t)all * sizeof(near_given))))
    return false;
  give_chosen(s, (near_given *)c->given + contact_team_sum(s->team, TOLD_COUNT, rank));
  contact_team_gather(s->team, c->given, sizeof(near_given), TOLD_COUNT);
  take_chosen(s, all);
  return true;
}

/* ------------------------------------------------------------------------------------------- adding pairs */

/* Adds the n-th candidate as a contact pair. `anchor_at`: see friction_cache_find. */
static void put_pair(const near_choosing *s, int32_t near, int32_t n, int32_t *anchor_at) {
  const pair_list *list = s->list;
  const int32_t *slots = list->slots[n];
  near_pairs_put(s->near, near, slots, &s->choice->witness[n], list->thickness[n],
                 surface_mesh_friction(s->mesh, slots[0], slots[PAIR_CORNERS - 1], s->friction));
  if (s->friction_cache && s->friction_cache->count > 0) {
    const tangential_spring held = friction_cache_find(s->friction_cache, slots, (pair_kind)list->kind[n],
                                                       s->penetrations->particle, anchor_at);
    near_pairs_set_tangential(s->near, near, &held);
  }
}

/* Adds the pairs of one range after those of earlier ranges. */
static void put_share(const near_choosing *s, int share) {
  const pair_list *list = s->list;
  const near_choice *c = s->choice;
  int32_t pushing = s->near->count, kept = s->cells->count;
  for (int before = 0; before < share; before++) {
    pushing += c->tallies[before].pushing;
    kept += c->tallies[before].kept;
  }
  const int32_t first = share_of(s, share).first;
  int32_t anchor_at = 0;
  for (int32_t k = 0; k < c->tallies[share].chosen; k++) {
    const int32_t n = c->chosen[first + k], *slots = list->slots[n];
    if (c->fate[n] & PAIR_NEW_FORCE)
      put_pair(s, pushing++, n, &anchor_at);
    if (c->fate[n] & PAIR_NEW_PLANE)
      separation_put(s->cells, kept++, slots, (pair_kind)list->kind[n], (double)list->thickness[n]);
    c->fate[n] &= (uint8_t)~PAIR_CAME;
  }
}

/* Shared by the threads that add pairs. */
typedef struct putting {
  const near_choosing *step;
  parallel_barrier barrier;
} putting;

static void put(void *context, int thread, int threads) {
  putting *p = context;
  near_choice *c = p->step->choice;
  work_queue_fill(c->piles, c->share_count, thread, threads);
  parallel_wait(&p->barrier, threads);
  for (int share = work_queue_pop(c->piles, thread, threads); share >= 0;
       share = work_queue_pop(c->piles, thread, threads))
    put_share(p->step, share);
}

/* Appends the new pairs to the first `near` contact pairs and the first `kept_apart` separation pairs. */
static bool collect(const near_choosing *s, int32_t near, int32_t kept_apart) {
  int32_t pushing = near, kept = kept_apart;
  for (int n = 0; n < s->choice->share_count; n++) {
    pushing += s->choice->tallies[n].pushing;
    kept += s->choice->tallies[n].kept;
  }
  if (!near_pairs_make_room(s->near, s->memory, near, pushing) ||
      !separation_make_room(s->cells, s->memory, kept_apart, kept))
    return false;
  s->near->corners.expected = s->choice->is_watched;
  putting to = {.step = s};
  parallel_run(s->tasks, s->choice->share_count > 1 ? s->threads : 1, put, &to);
  return near_pairs_finish(s->near, s->memory, near, pushing, s->inverse_mass, s->tasks, s->threads) &&
         separation_finish(s->cells, s->memory, kept_apart, kept, s->tasks, s->threads);
}

/* A particle that one rank must monitor is monitored on all. False without memory on any rank. */
static bool share_watched(const near_choosing *s) {
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  const size_t count = (size_t)s->active_bound->particles;
  atomic_uchar *is_watched = s->choice->is_watched;
  if (!contact_team_agrees(s->team, reserve_given(s, count * (size_t)ranks)))
    return false;
  uint8_t *given = s->choice->given;
  for (size_t slot = 0; slot < count; slot++)
    given[(size_t)rank * count + slot] = atomic_load_explicit(&is_watched[slot], memory_order_relaxed);
  for (int n = 0; n < ranks; n++)
    s->team->told[n][TOLD_COUNT] = (int64_t)count;
  contact_team_gather(s->team, given, sizeof *given, TOLD_COUNT);
  for (int n = 0; n < ranks; n++, given += count)
    for (size_t slot = 0; slot < count; slot++)
      if (given[slot])
        atomic_store_explicit(&is_watched[slot], 1, memory_order_relaxed);
  return true;
}

/* Monitors only particles in pairs that may be near. */
static bool watch_only_near(const near_choosing *s) {
  msd_real *skins = motion_bound_skins(s->active_bound);
  if (s->choice->is_shared && !share_watched(s))
    return false;
  s->choice->watches = false;
  for (int32_t slot = 0; slot < s->active_bound->particles; slot++)
    if (atomic_load_explicit(&s->choice->is_watched[slot], memory_order_relaxed))
      s->choice->watches = true;
    else
      skins[slot] = MOTION_BOUND_UNWATCHED;
  return true;
}

/* Extends the flags to pairs listed since. */
static bool reserve_flags(const near_choosing *s) {
  near_choice *c = s->choice;
  if (!growth_reserve(&choice_growth, c, s->memory, s->list->count))
    return false;
  if (s->list->count > c->count)
    memset(c->fate + c->count, 0, (size_t)(s->list->count - c->count));
  c->count = s->list->count;
  return true;
}

bool near_choice_make(const near_choosing *s) {
  bool missed_contact;
  s->choice->count = 0;
  s->choice->has_dropped = false;
  s->choice->is_shared = contact_team_count(s->team) > 1 && s->list->count >= SHARED_PAIRS;
  if (!contact_team_agrees(s->team, reserve_flags(s)))
    return false;
  decide_on(s, NULL);
  return !stop_poll_is_stopped(s->stop) && watch_only_near(s) && share_chosen(s, &missed_contact) &&
         contact_team_agrees(s->team, collect(s, 0, 0));
}

bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark) {
  const msd_real *skins = motion_bound_skins(s->active_bound);
  for (int32_t n = s->choice->count; n < s->list->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      const int32_t slot = s->list->slots[n][corner];
      if (skins[slot] >= MOTION_BOUND_UNWATCHED) {
        marked[slot] |= mark;
        atomic_store_explicit(&s->choice->is_watched[slot], 1, memory_order_relaxed);
      }
    }
  s->choice->has_dropped = true;
  s->choice->watches = s->choice->watches || s->list->count > s->choice->count;
  return contact_team_agrees(s->team, reserve_flags(s));
}

bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *missed_contact) {
  *missed_contact = false;
  decide_on(s, marked);
  if (stop_poll_is_stopped(s->stop) || !share_chosen(s, missed_contact))
    return false;
  bool some = false;
  for (int n = 0; n < s->choice->share_count; n++)
    some = some || s->choice->tallies[n].chosen > 0;
  return !some || contact_team_agrees(s->team, collect(s, s->near->count, s->cells->count));
}
