#include "engine/contact/near_choice.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/record.h"

#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(near_choice, fate), GROWTH_ARRAY(near_choice, witness),
                                      GROWTH_ARRAY(near_choice, chosen)};
static const growth_table choice_growth = GROWTH(near_choice, count, capacity, arrays, .most = INT32_MAX);

/* Shares of the list for each of several threads: where pairs are near they take longer than elsewhere. */
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
      listed_at_reserve(&c->listed_at, m, particles, threads))
    return true;
  near_choice_free(c, m);
  return false;
}

void near_choice_free(near_choice *c, memory *m) {
  growth_free(&choice_growth, c, m);
  listed_at_free(&c->listed_at, m);
  memory_release(m, c->records);
  memory_release(m, c->reach);
  memory_release(m, c->is_watched);
  memory_release(m, c->tallies);
  memory_release(m, c->piles);
  memory_release(m, c->given);
  *c = (near_choice){0};
}

void near_choice_forget_list(near_choice *c) {
  listed_at_forget(&c->listed_at);
}

/* ---------------------------------------------------------------------------------------- the decisions */

/* What the threads of a run share. */
typedef struct deciding {
  const near_choosing *step;
  near_question question;
  parallel_barrier barrier;
} deciding;

/* Nothing becomes any more of pairs that are listed no more. */
static void forget_dropped(const near_choosing *s, parallel_range listed) {
  const msd_real *gap = s->list->gap_begin;
  uint8_t *fate = s->choice->fate;
  for (int32_t n = listed.first; n < listed.last; n++)
    fate[n] = gap[n] == PAIR_FAR ? 0 : fate[n];
}

/* Whether nothing can push any corner. */
static bool is_led(const near_choosing *s, const int32_t slots[PAIR_CORNERS]) {
  bool led = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led && !(s->inverse_mass[slots[corner]] > 0);
  return led;
}

/* Whether a particle moves by itself: it does when it is awake. */
static bool is_free(const near_choosing *s, int32_t slot) {
  const tangles *t = s->tangles;
  return t->of.particles->inverse_mass[t->particle[slot]] > 0;
}

static bool hangs_on_point(const near_choosing *s, int32_t slot) {
  const surface_around *at = &s->mesh->edges_at;
  bool hangs = false;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1] && !hangs; n++)
    hangs = is_free(s, at->others[n][0]);
  return hangs;
}

static bool hangs_on_edge(const near_choosing *s, int32_t slot, int32_t to) {
  const surface_around *at = &s->mesh->triangles_at;
  bool hangs = false;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1] && !hangs; n++)
    for (int k = 0; k < 2; k++)
      hangs = hangs || (at->others[n][k] == to && is_free(s, at->others[n][1 - k]));
  return hangs;
}

/* Whether a triangle or a segment that can move has the point of a led pair, or one of its two edges: it comes
   to intersect where the pair is led through. */
static bool something_hangs(const near_choosing *s, pair_kind kind, const int32_t slots[PAIR_CORNERS]) {
  return kind == PAIR_POINT_TRIANGLE
             ? hangs_on_point(s, slots[0])
             : hangs_on_edge(s, slots[0], slots[1]) || hangs_on_edge(s, slots[2], slots[3]);
}

/* What nothing can or may keep apart. What is led is to be seen where it is led through what hangs on it. */
static bool is_left_out(const near_choosing *s, int32_t n, bool led) {
  const int32_t *slots = s->list->slots[n];
  const pair_kind kind = (pair_kind)s->list->kind[n];
  return tangles_has(s->tangles, kind, slots) || (led && !something_hangs(s, kind, slots));
}

/* What has come of a pair that the near pairs and the cells have not: those listed anew may be there. */
static int find_lacking(const near_choosing *s, int32_t n, int came) {
  const int32_t *slots = s->list->slots[n];
  const int32_t other_way[PAIR_CORNERS] = {slots[2], slots[3], slots[0], slots[1]};
  const pair_kind kind = (pair_kind)s->list->kind[n];
  for (int turned = 0; turned <= (kind == PAIR_EDGE_EDGE) && came; turned++) {
    const int32_t *as = turned ? other_way : slots;
    if (came & PAIR_CAME_TO_PUSH && near_pairs_have(s->near, as, kind))
      came &= ~PAIR_CAME_TO_PUSH;
    if (came & PAIR_CAME_TO_BE_KEPT && cells_have(s->cells, as, kind))
      came &= ~PAIR_CAME_TO_BE_KEPT;
  }
  return came;
}

/* Whether what has come of a pair would have changed the substep. */
static bool is_missed(const near_choosing *s, int32_t n, int came, bool is_new) {
  const int32_t *slots = s->list->slots[n];
  const pair_kind kind = (pair_kind)s->list->kind[n];
  const near_substep *t = s->taken;
  const cell_step step = {.cells = s->cells,
                          .before = t->before,
                          .inverse_mass = s->inverse_mass,
                          .behind = t->behind,
                          .stride = t->stride,
                          .time_step = t->time_step};
  const double thickness = (double)s->list->thickness[n];
  return (is_new && came & PAIR_CAME_TO_PUSH &&
          near_pair_arrives(t, slots, &s->choice->witness[n], thickness)) ||
         (came & PAIR_CAME_TO_BE_KEPT && !cells_have_divided(&step, slots, kind, thickness));
}

/* Whether nothing has come of eight listed pairs; what is new of them is so no more. */
static bool passes_eight(uint8_t *fates) {
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

/* Finds what is to go into the near pairs and the cells. */
static void find_near(const near_choosing *s, parallel_range listed, near_tally *tally) {
  const pair_list *list = s->list;
  for (int32_t n = listed.first; n < listed.last; n++) {
    uint8_t *fate = &s->choice->fate[n];
    if (listed.last - n >= 8 && passes_eight(fate)) {
      n += 7;
      continue;
    }
    const bool is_new = *fate & PAIR_IS_NEW;
    int came = *fate & PAIR_CAME;
    *fate &= (uint8_t) ~(PAIR_IS_NEW | PAIR_CAME);
    if (!came)
      continue;
    const bool led = is_led(s, list->slots[n]);
    if (is_left_out(s, n, led))
      *fate |= PAIR_IS_LEFT_OUT;
    if (*fate & PAIR_IS_LEFT_OUT)
      continue;
    if (led)
      came &= PAIR_CAME_TO_BE_KEPT;
    if (s->taken) {
      came = find_lacking(s, n, came);
      tally->has_missed = tally->has_missed || is_missed(s, n, came, is_new);
    }
    if (!came)
      continue;
    *fate |= (uint8_t)came;
    s->choice->chosen[tally->first + tally->chosen++] = n;
    tally->pushing += (came & PAIR_CAME_TO_PUSH) != 0;
    tally->kept += (came & PAIR_CAME_TO_BE_KEPT) != 0;
  }
}

static parallel_range share_of(const near_choosing *s, int share) {
  return parallel_split(s->list->count, share, s->choice->share_count);
}

static void decide_range(const deciding *d, parallel_range listed, near_tally *tally) {
  const near_choosing *s = d->step;
  const listed_at *at = &s->choice->listed_at;
  if (s->choice->has_dropped)
    for (parallel_range run = listed_at_next(at, listed); run.first < run.last;
         run = listed_at_next(at, (parallel_range){run.last, listed.last}))
      forget_dropped(s, run);
  near_kernel_choose(s->simd)->choose(&d->question, listed);
  for (parallel_range run = listed_at_next(at, listed); run.first < run.last;
       run = listed_at_next(at, (parallel_range){run.last, listed.last}))
    find_near(s, run, tally);
}

/* Ranks take blocks of so many listed pairs by turns, so that each has the same ones when the list has become
   longer; where there are fewer pairs than SHARED_PAIRS, messages take as long as to decide on them. */
enum { SHARED_BLOCK = 512, SHARED_PAIRS = 4096 };

static int32_t block_count(const near_choosing *s) {
  const int32_t count = s->list->count;
  return count / SHARED_BLOCK + (count % SHARED_BLOCK != 0);
}

static parallel_range listed_of(const near_choosing *s, int32_t block) {
  const int32_t first = block * SHARED_BLOCK, left = s->list->count - first;
  return (parallel_range){first, first + int_min(SHARED_BLOCK, left)};
}

/* Of the blocks of this rank a share has some that follow each other. */
static void decide_blocks(const deciding *d, int share, near_tally *tally) {
  const near_choosing *s = d->step;
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  const int32_t blocks = (block_count(s) - rank + ranks - 1) / ranks;
  const parallel_range own = parallel_split(blocks, share, s->choice->share_count);
  tally->first = listed_of(s, rank + own.first * ranks).first;
  for (int32_t n = own.first; n < own.last; n++)
    decide_range(d, listed_of(s, rank + n * ranks), tally);
}

static void decide_share(const deciding *d, int share) {
  const near_choosing *s = d->step;
  const parallel_range own = share_of(s, share);
  near_tally *tally = &s->choice->tallies[share];
  *tally = (near_tally){.first = own.first};
  if (s->choice->is_shared)
    decide_blocks(d, share, tally);
  else
    decide_range(d, own, tally);
}

/* By groups: vectors of particles do not reach behind their arrays then. */
static parallel_range own_particles(const near_choosing *s, int thread, int threads) {
  const int32_t count = s->watch->particles;
  const parallel_range own = parallel_split((count + NEAR_GROUP - 1) / NEAR_GROUP, thread, threads);
  return (parallel_range){own.first * NEAR_GROUP, int_min(own.last * NEAR_GROUP, count)};
}

/* Nobody is watched until some pair is found to need it. */
static void place_all(const near_choosing *s, parallel_range particles) {
  const near_kernel *kernel = near_kernel_choose(s->simd);
  kernel->place(s->watch, s->choice->records, particles);
  kernel->reach(s->expected, s->watch, s->choice->reach, particles);
  for (int32_t slot = particles.first; slot < particles.last; slot++)
    atomic_store_explicit(&s->choice->is_watched[slot], 0, memory_order_relaxed);
}

static void decide(void *context, int thread, int threads) {
  deciding *d = context;
  near_choice *c = d->step->choice;
  if (!d->question.strayed)
    place_all(d->step, own_particles(d->step, thread, threads));
  parallel_deal(c->piles, c->share_count, thread, threads);
  parallel_wait(&d->barrier, threads);
  for (int share = parallel_take(c->piles, thread, threads); share >= 0;
       share = parallel_take(c->piles, thread, threads))
    decide_share(d, share);
}

/* Of fewer pairs than that one thread decides: a run of several takes as long. */
enum { FEW_PAIRS = 1024 };

/* Decides on all listed pairs, or only on those of marked particles. */
static void decide_on(const near_choosing *s, const uint8_t *marked) {
  listed_at *at = &s->choice->listed_at;
  listed_at_find(at, s->memory, s->list, marked, s->tasks);
  const forecast *list = s->expected;
  const double end = (list->age + s->watch->horizon - s->watch->age) / list->horizon;
  deciding d = {.step = s,
                .question = {.list = s->list,
                             .blocks = at,
                             .mesh = s->mesh,
                             .records = s->choice->records,
                             .skins = forecast_skins(s->watch),
                             .watch = marked ? s->watch : NULL,
                             .share_begin = (msd_real)(list->age / list->horizon),
                             .share_end = (msd_real)(end < 1 ? end : 1),
                             .strayed = marked,
                             .reach = s->choice->reach,
                             .is_watched = s->choice->is_watched,
                             .fate = s->choice->fate,
                             .witness = s->choice->witness}};
  const int threads = listed_at_count(at, s->list) < FEW_PAIRS ? 1 : s->threads;
  s->choice->share_count = shares_for(threads);
  parallel_run(s->tasks, threads, decide, &d);
  s->choice->has_dropped = false;
}

/* -------------------------------------------------------------------------------------- what ranks share */

/* What ranks tell of what they have chosen, or of what they watch. */
enum { TOLD_COUNT, TOLD_MISSED };

/* One that has come near, of the list. */
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

/* Puts what this rank has chosen into its place. */
static void give_chosen(const near_choosing *s, near_given *to) {
  const near_choice *c = s->choice;
  for (int share = 0; share < c->share_count; share++)
    for (int32_t k = 0; k < c->tallies[share].chosen; k++) {
      const int32_t n = c->chosen[c->tallies[share].first + k];
      *to++ = (near_given){n, c->fate[n] & PAIR_CAME, c->witness[n]};
    }
}

/* Finds in a run of the list what has come near. */
static void find_chosen(near_choice *c, parallel_range listed, near_tally *tally) {
  for (int32_t n = listed.first; n < listed.last; n++) {
    if (listed.last - n >= 8 && passes_eight(&c->fate[n])) {
      n += 7;
      continue;
    }
    if (!(c->fate[n] & PAIR_CAME))
      continue;
    c->chosen[tally->first + tally->chosen++] = n;
    tally->pushing += (c->fate[n] & PAIR_CAME_TO_PUSH) != 0;
    tally->kept += (c->fate[n] & PAIR_CAME_TO_BE_KEPT) != 0;
  }
}

/* The same in a share, of what has been decided on: nothing has come of the rest. */
static void find_chosen_of(const near_choosing *s, int share) {
  near_choice *c = s->choice;
  const parallel_range own = share_of(s, share);
  near_tally tally = {.first = own.first};
  for (parallel_range run = listed_at_next(&c->listed_at, own); run.first < run.last;
       run = listed_at_next(&c->listed_at, (parallel_range){run.last, own.last}))
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

/* Makes of what each rank has chosen what one process would have, in the order of the list; says whether any of
   it would have changed the substep. False without memory on some rank. */
static bool share_chosen(const near_choosing *s, bool *has_missed) {
  near_choice *c = s->choice;
  int64_t own = 0;
  *has_missed = false;
  for (int share = 0; share < c->share_count; share++) {
    own += c->tallies[share].chosen;
    *has_missed = *has_missed || c->tallies[share].has_missed;
  }
  if (!c->is_shared)
    return true;
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  contact_team_tell(s->team,
                    (int64_t[CONTACT_TEAM_NUMBERS]){[TOLD_COUNT] = own, [TOLD_MISSED] = *has_missed});
  *has_missed = contact_team_sum(s->team, TOLD_MISSED, ranks) > 0;
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

/* ------------------------------------------------------------------------------------------ what is near */

/* The n-th of the list as a near pair; `grip_at`: where grips_find goes on. */
static void put_pair(const near_choosing *s, int32_t near, int32_t n, int32_t *grip_at) {
  const pair_list *list = s->list;
  const int32_t *slots = list->slots[n];
  near_pairs_put(s->near, near, slots, &s->choice->witness[n], list->thickness[n],
                 surface_mesh_friction(s->mesh, slots[0], slots[PAIR_CORNERS - 1], s->friction));
  if (s->grips && s->grips->count > 0) {
    const near_grip held =
        grips_find(s->grips, slots, (pair_kind)list->kind[n], s->tangles->particle, grip_at);
    near_pairs_set_grip(s->near, near, &held);
  }
}

/* Puts a share behind those before it, and what there was. */
static void put_share(const near_choosing *s, int share) {
  const pair_list *list = s->list;
  const near_choice *c = s->choice;
  int32_t pushing = s->near->count, kept = s->cells->count;
  for (int before = 0; before < share; before++) {
    pushing += c->tallies[before].pushing;
    kept += c->tallies[before].kept;
  }
  const int32_t first = share_of(s, share).first;
  int32_t grip_at = 0;
  for (int32_t k = 0; k < c->tallies[share].chosen; k++) {
    const int32_t n = c->chosen[first + k], *slots = list->slots[n];
    if (c->fate[n] & PAIR_CAME_TO_PUSH)
      put_pair(s, pushing++, n, &grip_at);
    if (c->fate[n] & PAIR_CAME_TO_BE_KEPT)
      cells_put(s->cells, kept++, slots, (pair_kind)list->kind[n], (double)list->thickness[n]);
    c->fate[n] &= (uint8_t)~PAIR_CAME;
  }
}

/* What the threads of a run share that put. */
typedef struct putting {
  const near_choosing *step;
  parallel_barrier barrier;
} putting;

static void put(void *context, int thread, int threads) {
  putting *p = context;
  near_choice *c = p->step->choice;
  parallel_deal(c->piles, c->share_count, thread, threads);
  parallel_wait(&p->barrier, threads);
  for (int share = parallel_take(c->piles, thread, threads); share >= 0;
       share = parallel_take(c->piles, thread, threads))
    put_share(p->step, share);
}

/* Puts what has come to be near behind as many of each as are there already. */
static bool collect(const near_choosing *s, int32_t near, int32_t kept_apart) {
  int32_t pushing = near, kept = kept_apart;
  for (int n = 0; n < s->choice->share_count; n++) {
    pushing += s->choice->tallies[n].pushing;
    kept += s->choice->tallies[n].kept;
  }
  if (!near_pairs_make_room(s->near, s->memory, near, pushing) ||
      !cells_make_room(s->cells, s->memory, kept_apart, kept))
    return false;
  s->near->corners.expected = s->choice->is_watched;
  putting to = {.step = s};
  parallel_run(s->tasks, s->choice->share_count > 1 ? s->threads : 1, put, &to);
  return near_pairs_finish(s->near, s->memory, near, pushing, s->inverse_mass, s->tasks, s->threads) &&
         cells_finish(s->cells, s->memory, kept_apart, kept, s->tasks, s->threads);
}

/* Whoever is watched on some rank is on all. False without memory on some rank. */
static bool share_watched(const near_choosing *s) {
  const int ranks = contact_team_count(s->team), rank = contact_team_rank(s->team);
  const size_t count = (size_t)s->watch->particles;
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

/* Nobody has to keep to the watch but who may be near something. */
static bool watch_only_near(const near_choosing *s) {
  msd_real *skins = forecast_skins(s->watch);
  if (s->choice->is_shared && !share_watched(s))
    return false;
  s->choice->watches = false;
  for (int32_t slot = 0; slot < s->watch->particles; slot++)
    if (atomic_load_explicit(&s->choice->is_watched[slot], memory_order_relaxed))
      s->choice->watches = true;
    else
      skins[slot] = FORECAST_UNWATCHED;
  return true;
}

/* Flags for pairs listed since. */
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
  bool has_missed;
  s->choice->count = 0;
  s->choice->has_dropped = false;
  s->choice->is_shared = contact_team_count(s->team) > 1 && s->list->count >= SHARED_PAIRS;
  if (!contact_team_agrees(s->team, reserve_flags(s)))
    return false;
  decide_on(s, NULL);
  return watch_only_near(s) && share_chosen(s, &has_missed) && contact_team_agrees(s->team, collect(s, 0, 0));
}

bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark) {
  const msd_real *skins = forecast_skins(s->watch);
  for (int32_t n = s->choice->count; n < s->list->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      const int32_t slot = s->list->slots[n][corner];
      if (skins[slot] >= FORECAST_UNWATCHED) {
        marked[slot] |= mark;
        atomic_store_explicit(&s->choice->is_watched[slot], 1, memory_order_relaxed);
      }
    }
  s->choice->has_dropped = true;
  s->choice->watches = s->choice->watches || s->list->count > s->choice->count;
  return contact_team_agrees(s->team, reserve_flags(s));
}

bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *has_missed) {
  decide_on(s, marked);
  if (!share_chosen(s, has_missed))
    return false;
  bool some = false;
  for (int n = 0; n < s->choice->share_count; n++)
    some = some || s->choice->tallies[n].chosen > 0;
  return !some || contact_team_agrees(s->team, collect(s, s->near->count, s->cells->count));
}
