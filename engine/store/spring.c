#include "engine/store/spring.h"

#include <string.h>

static const growth_array arrays[] = {
    GROWTH_ARRAY(spring_store, a),
    GROWTH_ARRAY(spring_store, b),
    GROWTH_ARRAY(spring_store, rest),
    GROWTH_ARRAY(spring_store, side),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.index),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.first),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.second),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.kind),
    GROWTH_OPTIONAL_ARRAY(spring_store, wear),
};
const growth_table spring_growth = GROWTH(spring_store, count, capacity, arrays, .most = INT32_MAX);

static const growth_array backing_arrays[] = {GROWTH_ARRAY(spring_store, backings)};
const growth_table spring_backing_growth =
    GROWTH(spring_store, backing_count, backing_capacity, backing_arrays, .most = INT32_MAX);

bool spring_store_reserve(spring_store *s, memory *m, int64_t needed) {
  if (needed <= s->capacity)
    return true;
  const bool done = law_table_open(&s->laws, m) && growth_reserve(&spring_growth, s, m, needed);
  if (s->capacity == 0)
    law_table_free(&s->laws, m);
  return done;
}

void spring_store_free(spring_store *s, memory *m) {
  growth_free(&spring_growth, s, m);
  growth_free(&spring_backing_growth, s, m);
  growth_free(&rest_move_growth, &s->moves, m);
  law_table_free(&s->laws, m);
  *s = (spring_store){0};
}

/* An unbroken catch counts among the catches; another spring at its ends, unless it was broken otherwise than
   by its strain. */
static void count(spring_store *s, particle_store *p, int32_t spring, int change) {
  if (spring_is_catch(s, spring)) {
    s->catches += spring_is_broken(s, spring) ? 0 : change;
  } else if (!spring_is_broken(s, spring) || spring_is_torn(s, spring)) {
    p->valence[s->a[spring]] += change;
    p->valence[s->b[spring]] += change;
  }
}

static void mark(spring_store *s, particle_store *p, int32_t spring, uint8_t flags) {
  s->side[spring] = flags;
  count(s, p, spring, 1);
}

static uint8_t catch_flag(law l) {
  return law_is(l, MSD_SPRING_CATCH) ? SPRING_CATCH : 0;
}

void spring_count_last(spring_store *s, particle_store *p, uint8_t flags) {
  const int32_t spring = s->count - 1;
  s->of_law[spring_law(s, spring).kind]++;
  s->one_sided += (flags & SPRING_SIDE_BITS) != MSD_SPRING_BOTH;
  s->broken += (flags & SPRING_BROKEN) != 0;
  s->torn += (flags & SPRING_TORN) != 0;
  if (s->wear)
    s->wear[spring] = (wear_rule){0};
  mark(s, p, spring, (uint8_t)(flags | catch_flag(spring_law(s, spring))));
}

void spring_add_alike(spring_store *s, particle_store *p, const int32_t (*ends)[2], const msd_real *rest,
                      int32_t count, msd_spring_side side) {
  const int32_t first = s->count;
  if (count == 0)
    return;
  const law own = spring_law(s, first);
  const uint8_t catches = catch_flag(own);
  for (int32_t n = 0; n < count; n++) {
    s->a[first + n] = ends[n][0];
    s->b[first + n] = ends[n][1];
  }
  memcpy(&s->rest[first], rest, (size_t)count * sizeof *rest);
  memset(&s->side[first], (int)side | catches, (size_t)count);
  if (s->wear)
    memset(&s->wear[first], 0, (size_t)count * sizeof *s->wear);
  for (int32_t n = 0; n < count && !catches; n++) {
    p->valence[ends[n][0]]++;
    p->valence[ends[n][1]]++;
  }
  s->count += count;
  s->catches += catches ? count : 0;
  s->of_law[own.kind] += count;
  s->one_sided += side != MSD_SPRING_BOTH ? count : 0;
}

void spring_mark_broken(spring_store *s, particle_store *p, int32_t spring) {
  count(s, p, spring, -1);
  s->side[spring] |= SPRING_BROKEN;
  s->broken++;
}

void spring_mark_torn(spring_store *s, int32_t spring) {
  s->catches -= spring_is_catch(s, spring);
  s->side[spring] |= SPRING_BROKEN | SPRING_TORN;
  s->broken++;
  s->torn++;
}

void spring_forget_torn(spring_store *s, particle_store *p, int32_t spring) {
  count(s, p, spring, -1);
  s->side[spring] &= (uint8_t)~SPRING_TORN;
  s->torn--;
}

/* The springs of a list that are left, with what backs them; in as many lists as it takes for both to follow
   each other. */
static int32_t move_backing(const spring_backing *b, const int32_t *to, spring_backing *out) {
  int32_t lists = 0;
  spring_backing last = {.count = 0};
  for (int32_t n = 0; n < b->count; n++) {
    const int32_t spring = to[b->first + n], backing = to[b->first_backing + n];
    if (spring < 0 || backing < 0)
      continue;
    if (lists > 0 && spring == last.first + last.count && backing == last.first_backing + last.count)
      last.count++;
    else
      last = (spring_backing){spring, 1, backing, b->ratio}, lists++;
    if (out)
      out[lists - 1] = last;
  }
  return lists;
}

int32_t spring_move_backings(const spring_store *s, const int32_t *to, spring_backing *out) {
  int32_t lists = 0;
  for (int32_t n = 0; n < s->backing_count; n++)
    lists += move_backing(&s->backings[n], to, out ? out + lists : NULL);
  return lists;
}

static void count_all(spring_store *s) {
  s->broken = s->one_sided = 0;
  memset(s->of_law, 0, sizeof s->of_law);
  for (int32_t e = 0; e < s->count; e++) {
    s->broken += spring_is_broken(s, e);
    s->one_sided += spring_side(s, e) != MSD_SPRING_BOTH;
    s->of_law[spring_law(s, e).kind]++;
  }
}

void spring_close_gaps(spring_store *s, memory *m, const int32_t *to, const int32_t *particle_to,
                       spring_backing *backings, int32_t backing_count) {
  if (to) {
    for (int32_t n = 0; n < s->moves.count; n++)
      s->moves.items[n].spring = to[s->moves.items[n].spring];
    growth_close_gaps(&spring_growth, s, m, to);
    growth_free(&spring_backing_growth, s, m);
    s->backings = backings;
    s->backing_count = s->backing_capacity = backing_count;
    count_all(s);
  }
  for (int32_t e = 0; e < s->count && particle_to; e++) {
    s->a[e] = particle_to[s->a[e]];
    s->b[e] = particle_to[s->b[e]];
  }
}

bool spring_open_wear(spring_store *s, memory *m) {
  if (!s->wear)
    s->wear = memory_allocate_items(m, s->capacity, sizeof *s->wear);
  return s->wear;
}

bool spring_some_splits(const spring_store *s) {
  bool some = false;
  for (int32_t e = 0; s->wear && e < s->count && !some; e++)
    some = s->wear[e].splits > 0;
  return some;
}

bool spring_set_law(spring_store *s, particle_store *p, memory *m, int32_t spring, law wanted) {
  const law before = spring_law(s, spring);
  if (!law_table_set(&s->laws, m, spring, wanted, s->count, s->capacity))
    return false;
  s->of_law[before.kind]--;
  s->of_law[wanted.kind]++;
  count(s, p, spring, -1);
  mark(s, p, spring, (uint8_t)((s->side[spring] & ~SPRING_CATCH) | catch_flag(wanted)));
  return true;
}

static int ends_of(const void *context, int32_t spring, int32_t corners[INCIDENCE_CORNERS_MAX]) {
  const spring_store *s = context;
  corners[0] = s->a[spring];
  corners[1] = s->b[spring];
  return 2;
}

bool spring_find_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles) {
  return incidence_find(at, m, particles, s->count, ends_of, s);
}

bool spring_append_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles) {
  return incidence_append(at, m, particles, s->count, ends_of, s);
}

bool spring_law_is_sound(law l, uint8_t side) {
  return law_is(l, MSD_SPRING_CATCH) ? side != MSD_SPRING_BOTH && law_is_sound_catch(l) : law_is_sound(l);
}

bool spring_can_catch(const spring_store *s, const particle_store *p, int32_t spring) {
  return spring_is_catch(s, spring) && !spring_is_broken(s, spring) &&
         (p->inverse_mass[s->a[spring]] > 0 || p->inverse_mass[s->b[spring]] > 0);
}

double spring_catch_mass(const spring_store *s, const particle_store *p, int32_t spring, double n_a,
                         double n_b) {
  const double wa = (double)p->inverse_mass[s->a[spring]], wb = (double)p->inverse_mass[s->b[spring]];
  return law_catch_share(spring_law(s, spring)) / (n_a * wa + n_b * wb);
}
