#include "engine/contact/near_choice.h"

#include "engine/base/growth.h"
#include "engine/base/record.h"

#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(near_choice, fate), GROWTH_ARRAY(near_choice, witness),
                                      GROWTH_ARRAY(near_choice, chosen)};
static const growth_table choice_growth = GROWTH(near_choice, count, capacity, arrays, .most = INT32_MAX);

bool near_choice_reserve(near_choice *c, memory *m, int32_t particles, int threads) {
  near_choice_free(c, m);
  c->records = memory_allocate(m, (size_t)particles * RECORD_SIZE * sizeof *c->records);
  c->is_watched = memory_allocate(m, (size_t)particles);
  c->tallies = memory_allocate(m, (size_t)threads * sizeof *c->tallies);
  c->threads = threads;
  if (c->records && c->is_watched && c->tallies)
    return true;
  near_choice_free(c, m);
  return false;
}

void near_choice_free(near_choice *c, memory *m) {
  growth_free(&choice_growth, c, m);
  memory_release(m, c->records);
  memory_release(m, c->is_watched);
  memory_release(m, c->tallies);
  *c = (near_choice){0};
}

/* ---------------------------------------------------------------------------------------- the decisions */

/* What the threads of a run share. */
typedef struct deciding {
  const near_choosing *step;
  near_question question;
  parallel_barrier barrier;
} deciding;

/* Of those that are watched: others are in no pair that is looked at. */
static void place_records(const near_choosing *s, parallel_range particles) {
  const forecast *watch = s->watch;
  const msd_real *skins = forecast_skins(watch);
  const msd_real age = (msd_real)watch->age, ahead = (msd_real)(watch->horizon - watch->age);
  for (int32_t slot = particles.first; slot < particles.last; slot++) {
    msd_real *record = s->choice->records + (size_t)slot * RECORD_SIZE;
    if (skins[slot] >= FORECAST_UNWATCHED)
      continue;
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real *x = watch->state + axis * watch->stride + (size_t)slot, *v = x + 3 * watch->stride;
      record[axis] = *x + *v * age;
      record[RECORD_QUAD + axis] = *v * ahead;
    }
  }
}

/* Nothing becomes any more of pairs that are listed no more. */
static void forget_dropped(const near_choosing *s, parallel_range listed) {
  for (int32_t n = listed.first; n < listed.last; n++)
    if (s->list->gap_begin[n] == PAIR_FAR)
      s->choice->fate[n] = 0;
}

static bool is_led(const near_choosing *s, const int32_t slots[PAIR_CORNERS]) {
  bool led = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led && !(s->inverse_mass[slots[corner]] > 0);
  return led;
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

/* Finds what is to go into the near pairs and the cells. What nothing can or may keep apart is left out. */
static void find_near(const near_choosing *s, parallel_range listed, near_tally *tally) {
  const pair_list *list = s->list;
  tally->chosen = tally->pushing = tally->kept = 0;
  tally->has_missed = false;
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
    if (is_led(s, list->slots[n]) || tangles_has(s->tangles, (pair_kind)list->kind[n], list->slots[n]))
      *fate |= PAIR_IS_LEFT_OUT;
    if (*fate & PAIR_IS_LEFT_OUT)
      continue;
    if (s->taken) {
      came = find_lacking(s, n, came);
      tally->has_missed = tally->has_missed || is_missed(s, n, came, is_new);
    }
    if (!came)
      continue;
    *fate |= (uint8_t)came;
    s->choice->chosen[listed.first + tally->chosen++] = n;
    tally->pushing += (came & PAIR_CAME_TO_PUSH) != 0;
    tally->kept += (came & PAIR_CAME_TO_BE_KEPT) != 0;
  }
}

/* One of the shares of the list, as many as a step may have threads. */
static parallel_range share_of(const near_choosing *s, int share) {
  return parallel_split(s->list->count, share, s->choice->threads);
}

static void decide_share(const deciding *d, int share) {
  const near_choosing *s = d->step;
  near_tally *tally = &s->choice->tallies[share];
  const parallel_range own = share_of(s, share);
  if (s->choice->has_dropped)
    forget_dropped(s, own);
  near_kernel_choose(s->simd)->choose(&d->question, own);
  find_near(s, own, tally);
}

static void decide(void *context, int thread, int threads) {
  deciding *d = context;
  place_records(d->step, parallel_split(d->step->watch->particles, thread, threads));
  parallel_wait(&d->barrier, threads);
  for (int share = thread; share < d->step->choice->threads; share += threads)
    decide_share(d, share);
}

/* Decides on all listed pairs, or only on those of marked particles. */
static void decide_on(const near_choosing *s, const uint8_t *marked) {
  const forecast *list = s->expected;
  const double end = (list->age + s->watch->horizon - s->watch->age) / list->horizon;
  deciding d = {.step = s,
                .question = {.list = s->list,
                             .mesh = s->mesh,
                             .records = s->choice->records,
                             .skins = forecast_skins(s->watch),
                             .share_begin = (msd_real)(list->age / list->horizon),
                             .share_end = (msd_real)(end < 1 ? end : 1),
                             .strayed = marked,
                             .fate = s->choice->fate,
                             .witness = s->choice->witness}};
  parallel_run(s->tasks, s->threads, decide, &d);
  s->choice->has_dropped = false;
}

/* ------------------------------------------------------------------------------------------ what is near */

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
  for (int32_t k = 0; k < c->tallies[share].chosen; k++) {
    const int32_t n = c->chosen[first + k], *slots = list->slots[n];
    if (c->fate[n] & PAIR_CAME_TO_PUSH)
      near_pairs_put(s->near, pushing++, slots, &c->witness[n], list->thickness[n],
                     surface_mesh_friction(s->mesh, slots[0], slots[PAIR_CORNERS - 1], s->friction));
    if (c->fate[n] & PAIR_CAME_TO_BE_KEPT)
      cells_put(s->cells, kept++, slots, (pair_kind)list->kind[n], (double)list->thickness[n]);
    c->fate[n] &= (uint8_t)~PAIR_CAME;
  }
}

static void put(void *context, int thread, int threads) {
  const near_choosing *s = context;
  for (int share = thread; share < s->choice->threads; share += threads)
    put_share(s, share);
}

/* Puts what has come to be near behind as many of each as are there already. */
static bool collect(const near_choosing *s, int32_t near, int32_t kept_apart) {
  int32_t pushing = near, kept = kept_apart;
  for (int n = 0; n < s->choice->threads; n++) {
    pushing += s->choice->tallies[n].pushing;
    kept += s->choice->tallies[n].kept;
  }
  if (!near_pairs_make_room(s->near, s->memory, near, pushing) ||
      !cells_make_room(s->cells, s->memory, kept_apart, kept))
    return false;
  near_choosing shared = *s;
  parallel_run(s->tasks, s->threads, put, &shared);
  return near_pairs_finish(s->near, s->memory, near, pushing, s->inverse_mass) &&
         cells_finish(s->cells, s->memory, kept_apart, kept);
}

static void watch_only_near(const near_choosing *s) {
  uint8_t *is_watched = s->choice->is_watched;
  msd_real *skins = forecast_skins(s->watch);
  memset(is_watched, 0, (size_t)s->watch->particles);
  s->choice->watches = false;
  for (int32_t n = 0; n < s->list->count; n++)
    if (s->choice->fate[n]) {
      s->choice->watches = true;
      for (int corner = 0; corner < PAIR_CORNERS; corner++)
        is_watched[s->list->slots[n][corner]] = 1;
    }
  for (int32_t slot = 0; slot < s->watch->particles; slot++)
    if (!is_watched[slot])
      skins[slot] = FORECAST_UNWATCHED;
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
  s->choice->count = 0;
  s->choice->has_dropped = false;
  if (!reserve_flags(s))
    return false;
  decide_on(s, NULL);
  watch_only_near(s);
  return collect(s, 0, 0);
}

bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark) {
  const msd_real *skins = forecast_skins(s->watch);
  for (int32_t n = s->choice->count; n < s->list->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      const int32_t slot = s->list->slots[n][corner];
      if (skins[slot] >= FORECAST_UNWATCHED)
        marked[slot] |= mark;
    }
  s->choice->has_dropped = true;
  s->choice->watches = s->choice->watches || s->list->count > s->choice->count;
  return reserve_flags(s);
}

bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *has_missed) {
  decide_on(s, marked);
  bool some = false;
  *has_missed = false;
  for (int n = 0; n < s->choice->threads; n++) {
    some = some || s->choice->tallies[n].chosen > 0;
    *has_missed = *has_missed || s->choice->tallies[n].has_missed;
  }
  return !some || collect(s, s->near->count, s->cells->count);
}
