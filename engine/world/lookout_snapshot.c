/* What is known of which surfaces may meet, as bytes of a snapshot, where the next step goes on with it: times,
   then the forecasts by slot, of what is near only where that is chosen, then mends by rounds, then what
   cells.h goes on with. And behind that, or alone, what sticks. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

/* Bend, horizon and age of the list, when what is near was chosen, horizon and age of the watch. */
enum { TIMES = 8 };
enum { MEND_BYTES = sizeof(int32_t) + FORECAST_COMPONENTS * sizeof(msd_real) };
enum { ROUND_BYTES = sizeof(int32_t) + 1 + 2 * sizeof(double) };
enum { GRIP_BYTES = PAIR_CORNERS * sizeof(int32_t) + 1 + 4 * sizeof(msd_real) };

/* What is near is chosen anew where it is not known: then nothing of the watch is. */
static bool is_put(lookout_snapshot h, const lookout *l, int32_t round) {
  return h.is_chosen || !l->rounds[round].is_of_watch;
}

lookout_snapshot lookout_snapshot_of(const msd_world *world) {
  const stepper *s = &world->stepper;
  const revision *now = &world->model.revision;
  const lookout *l = &s->self.look;
  const int64_t held = l->grips.particles == world->model.particles.count ? l->grips.count : 0;
  if (!revision_holds(&s->listed_for, revision_of_meetings(now)))
    return (lookout_snapshot){.particles = 0, .grips = held};
  const bool is_chosen = l->watch.holds && revision_holds(&s->chosen_for, revision_of_touches(now));
  lookout_snapshot h = {.particles = l->list.particles,
                        .is_chosen = is_chosen,
                        .kept = is_chosen ? l->kept_count : 0,
                        .grips = held};
  for (int32_t round = 0; round < l->round_count; round++)
    if (is_put(h, l, round)) {
      h.mends += lookout_end_of(l, round) - l->rounds[round].first;
      h.rounds++;
    }
  return h;
}

lookout_snapshot lookout_snapshot_most(int32_t particles) {
  return (lookout_snapshot){.particles = particles,
                            .is_chosen = 1,
                            .mends = lookout_most_mends(particles),
                            .rounds = lookout_most_rounds(particles),
                            .kept = lookout_most_kept(particles),
                            .grips = grips_most(particles)};
}

bool lookout_snapshot_counts_are_sound(lookout_snapshot h, int32_t particles) {
  if (h.particles < 0)
    return false;
  const lookout_snapshot most = lookout_snapshot_most(h.particles);
  return (h.particles == 0 || h.particles == particles) && (h.is_chosen == 0 || h.is_chosen == 1) &&
         h.mends >= 0 && h.mends <= most.mends && h.rounds >= 0 && h.rounds <= most.rounds && h.kept >= 0 &&
         h.kept <= (h.is_chosen ? most.kept : 0) &&
         (h.particles > 0 || (h.is_chosen == 0 && h.rounds == 0)) && h.grips >= 0 &&
         h.grips <= grips_most(particles);
}

uint64_t lookout_snapshot_size(lookout_snapshot h) {
  const uint64_t forecasts = h.is_chosen ? 2 : 1, held = (uint64_t)h.grips * GRIP_BYTES;
  return h.particles == 0 ? held
                          : TIMES * sizeof(double) + sizeof(int32_t) +
                                forecasts * FORECAST_COMPONENTS * (uint64_t)h.particles * sizeof(msd_real) +
                                (h.is_chosen ? (uint64_t)h.particles * sizeof(msd_real) : 0) +
                                (uint64_t)h.mends * MEND_BYTES + (uint64_t)h.rounds * ROUND_BYTES +
                                (uint64_t)h.kept * sizeof(cell_distance) + held;
}

static void put_state(unsigned char **to, const forecast *f) {
  for (size_t k = 0; k < FORECAST_COMPONENTS; k++)
    snapshot_put(to, f->state + k * f->stride, (size_t)f->particles * sizeof *f->state);
}

static void get_state(forecast *f, const unsigned char **from) {
  for (size_t k = 0; k < FORECAST_COMPONENTS; k++)
    snapshot_get(f->state + k * f->stride, from, (size_t)f->particles * sizeof *f->state);
}

static void put_round(unsigned char **to, const lookout *l, int32_t round) {
  const lookout_round *r = &l->rounds[round];
  const int32_t end = lookout_end_of(l, round), mends = end - r->first;
  snapshot_put(to, &mends, sizeof mends);
  *(*to)++ = r->is_of_watch;
  snapshot_put(to, &r->list_age, sizeof r->list_age);
  snapshot_put(to, &r->watch_age, sizeof r->watch_age);
  for (int32_t n = r->first; n < end; n++) {
    snapshot_put(to, &l->mends[n].slot, sizeof l->mends[n].slot);
    snapshot_put(to, l->mends[n].state, sizeof l->mends[n].state);
  }
}

static void put_known(unsigned char **to, lookout_snapshot h, const lookout *l) {
  const double none[3] = {0, 0, 0}, of_choice[] = {l->chosen_at, l->watch.horizon, l->watch.age};
  const int32_t before = h.is_chosen ? l->rounds_before : 0;
  snapshot_put(to, l->list.bend, sizeof l->list.bend);
  snapshot_put(to, &l->list.horizon, sizeof l->list.horizon);
  snapshot_put(to, &l->list.age, sizeof l->list.age);
  snapshot_put(to, h.is_chosen ? of_choice : none, sizeof of_choice);
  snapshot_put(to, &before, sizeof before);
  put_state(to, &l->list);
  if (h.is_chosen) {
    put_state(to, &l->watch);
    snapshot_put(to, l->chosen_skins, (size_t)h.particles * sizeof *l->chosen_skins);
  }
  for (int32_t round = 0; round < l->round_count; round++)
    if (is_put(h, l, round))
      put_round(to, l, round);
  snapshot_put(to, l->kept, (size_t)h.kept * sizeof *l->kept);
}

void lookout_snapshot_put(unsigned char **to, lookout_snapshot h, const lookout *l) {
  if (h.particles > 0)
    put_known(to, h, l);
  for (int64_t n = 0; n < h.grips; n++) {
    const grip *of = &l->grips.all[n];
    snapshot_put(to, of->particles, sizeof of->particles);
    *(*to)++ = (unsigned char)of->kind;
    snapshot_put(to, of->way, sizeof of->way);
    snapshot_put(to, &of->mass, sizeof of->mass);
  }
}

/* The store may have no particles yet. */
bool lookout_snapshot_reserve(lookout *l, memory *m, lookout_snapshot h, const particle_store *p,
                              int32_t particles) {
  if (h.particles == 0 && h.grips == 0)
    return true;
  if (!lookout_reserve(l, m, p))
    return false;
  grips_begin(&l->grips, m, particles);
  if (!grips_make_room(&l->grips, m, (int32_t)h.grips) ||
      !growth_reserve(&lookout_mend_growth, l, m, h.mends) ||
      !growth_reserve(&lookout_round_growth, l, m, h.rounds) ||
      !growth_reserve(&lookout_kept_growth, l, m, h.kept))
    return false;
  l->list.particles = l->watch.particles = particles;
  return true;
}

/* One round, whose mends must be left. */
static bool get_round(lookout *l, lookout_snapshot h, const unsigned char **from) {
  int32_t mends;
  lookout_round *r = &l->rounds[l->round_count++];
  snapshot_get(&mends, from, sizeof mends);
  const unsigned char is_of_watch = *(*from)++;
  snapshot_get(&r->list_age, from, sizeof r->list_age);
  snapshot_get(&r->watch_age, from, sizeof r->watch_age);
  r->first = l->count;
  r->is_of_watch = is_of_watch != 0;
  if (is_of_watch > 1 || mends < 0 || mends > h.mends - l->count)
    return false;
  for (const int32_t end = l->count + mends; l->count < end; l->count++) {
    snapshot_get(&l->mends[l->count].slot, from, sizeof l->mends->slot);
    snapshot_get(l->mends[l->count].state, from, sizeof l->mends->state);
  }
  *(r->is_of_watch ? &l->of_watch : &l->of_list) += mends;
  return true;
}

static void get_forecasts(lookout *l, lookout_snapshot h, const unsigned char **from) {
  snapshot_get(l->list.bend, from, sizeof l->list.bend);
  memcpy(l->watch.bend, l->list.bend, sizeof l->watch.bend);
  snapshot_get(&l->list.horizon, from, sizeof l->list.horizon);
  snapshot_get(&l->list.age, from, sizeof l->list.age);
  snapshot_get(&l->chosen_at, from, sizeof l->chosen_at);
  snapshot_get(&l->watch.horizon, from, sizeof l->watch.horizon);
  snapshot_get(&l->watch.age, from, sizeof l->watch.age);
  snapshot_get(&l->rounds_before, from, sizeof l->rounds_before);
  get_state(&l->list, from);
  if (h.is_chosen) {
    get_state(&l->watch, from);
    snapshot_get(l->chosen_skins, from, (size_t)h.particles * sizeof *l->chosen_skins);
  }
}

static bool get_known(lookout *l, lookout_snapshot h, const unsigned char **from) {
  l->has_list = l->is_whole = l->list.holds = true;
  l->watch.holds = h.is_chosen;
  get_forecasts(l, h, from);
  bool sound = true;
  while (l->round_count < h.rounds && sound)
    sound = get_round(l, h, from);
  if (!sound || l->count != h.mends)
    return false;
  snapshot_get(l->kept, from, (size_t)h.kept * sizeof *l->kept);
  l->kept_count = (int32_t)h.kept;
  return lookout_is_sound(l);
}

static bool get_grips(grips *g, lookout_snapshot h, const unsigned char **from) {
  for (; g->count < h.grips; g->count++) {
    grip *to = &g->all[g->count];
    snapshot_get(to->particles, from, sizeof to->particles);
    to->kind = (pair_kind) * (*from)++;
    snapshot_get(to->way, from, sizeof to->way);
    snapshot_get(&to->mass, from, sizeof to->mass);
  }
  return grips_are_sound(g);
}

bool lookout_snapshot_get(lookout *l, lookout_snapshot h, const unsigned char **from) {
  return (h.particles == 0 || get_known(l, h, from)) && get_grips(&l->grips, h, from);
}

void lookout_snapshot_resume(msd_world *world, lookout_snapshot h) {
  stepper *s = &world->stepper;
  const revision *now = &world->model.revision;
  s->listed_for = h.particles > 0 ? revision_of_meetings(now) : (revision){0};
  s->chosen_for = h.is_chosen ? revision_of_touches(now) : (revision){0};
}
