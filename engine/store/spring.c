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
    GROWTH_OPTIONAL_ARRAY(spring_store, damage),
};
const growth_table spring_growth = GROWTH(spring_store, count, capacity, arrays, .most = INT32_MAX);

static const growth_array companion_arrays[] = {GROWTH_ARRAY(spring_store, companions)};
const growth_table spring_companion_growth =
    GROWTH(spring_store, companion_count, companion_capacity, companion_arrays, .most = INT32_MAX);

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
  growth_free(&spring_companion_growth, s, m);
  growth_free(&rest_move_growth, &s->moves, m);
  law_table_free(&s->laws, m);
  *s = (spring_store){0};
}

/* Counts an unbroken hard length limit as such, and another spring in the valence of its ends. A torn spring
   still counts, a broken one does not. */
static void count(spring_store *s, particle_store *p, int32_t spring, int change) {
  if (spring_is_hard_limit(s, spring)) {
    s->hard_limits += spring_is_broken(s, spring) ? 0 : change;
  } else if (!spring_is_broken(s, spring) || spring_is_torn(s, spring)) {
    p->valence[s->a[spring]] += change;
    p->valence[s->b[spring]] += change;
  }
}

static void mark(spring_store *s, particle_store *p, int32_t spring, uint8_t flags) {
  s->side[spring] = flags;
  count(s, p, spring, 1);
}

static uint8_t hard_limit_flag(law l) {
  return law_is(l, MSD_SPRING_HARD_LIMIT) ? SPRING_HARD_LIMIT : 0;
}

void spring_count_last(spring_store *s, particle_store *p, uint8_t flags) {
  const int32_t spring = s->count - 1;
  s->of_law[spring_law(s, spring).kind]++;
  s->one_sided += (flags & SPRING_SIDE_BITS) != MSD_SPRING_BOTH;
  s->broken += (flags & SPRING_BROKEN) != 0;
  s->torn += (flags & SPRING_TORN) != 0;
  if (s->damage)
    s->damage[spring] = (damage_rule){0};
  mark(s, p, spring, (uint8_t)(flags | hard_limit_flag(spring_law(s, spring))));
}

void spring_add_alike(spring_store *s, particle_store *p, const int32_t (*ends)[2], const msd_real *rest,
                      int32_t count, msd_spring_mode side) {
  const int32_t first = s->count;
  if (count == 0)
    return;
  const law own = spring_law(s, first);
  const uint8_t hard_limits = hard_limit_flag(own);
  for (int32_t n = 0; n < count; n++) {
    s->a[first + n] = ends[n][0];
    s->b[first + n] = ends[n][1];
  }
  memcpy(&s->rest[first], rest, (size_t)count * sizeof *rest);
  memset(&s->side[first], (int)side | hard_limits, (size_t)count);
  if (s->damage)
    memset(&s->damage[first], 0, (size_t)count * sizeof *s->damage);
  for (int32_t n = 0; n < count && !hard_limits; n++) {
    p->valence[ends[n][0]]++;
    p->valence[ends[n][1]]++;
  }
  s->count += count;
  s->hard_limits += hard_limits ? count : 0;
  s->of_law[own.kind] += count;
  s->one_sided += side != MSD_SPRING_BOTH ? count : 0;
}

void spring_mark_broken(spring_store *s, particle_store *p, int32_t spring) {
  count(s, p, spring, -1);
  s->side[spring] |= SPRING_BROKEN;
  s->broken++;
}

void spring_mark_torn(spring_store *s, int32_t spring) {
  s->hard_limits -= spring_is_hard_limit(s, spring);
  s->side[spring] |= SPRING_BROKEN | SPRING_TORN;
  s->broken++;
  s->torn++;
}

void spring_forget_torn(spring_store *s, particle_store *p, int32_t spring) {
  count(s, p, spring, -1);
  s->side[spring] &= (uint8_t)~SPRING_TORN;
  s->torn--;
}

/* Compacts a list of companions. It is split where springs and companions are no longer both consecutive. */
static int32_t move_companion(const spring_companion *b, const int32_t *to, spring_companion *out) {
  int32_t lists = 0;
  spring_companion last = {.count = 0};
  for (int32_t n = 0; n < b->count; n++) {
    const int32_t spring = to[b->first + n], companion = to[b->first_companion + n];
    if (spring < 0 || companion < 0)
      continue;
    if (lists > 0 && spring == last.first + last.count && companion == last.first_companion + last.count)
      last.count++;
    else
      last = (spring_companion){spring, 1, companion, b->ratio}, lists++;
    if (out)
      out[lists - 1] = last;
  }
  return lists;
}

int32_t spring_move_companions(const spring_store *s, const int32_t *to, spring_companion *out) {
  int32_t lists = 0;
  for (int32_t n = 0; n < s->companion_count; n++)
    lists += move_companion(&s->companions[n], to, out ? out + lists : NULL);
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
                       spring_companion *companions, int32_t companion_count) {
  if (to) {
    for (int32_t n = 0; n < s->moves.count; n++)
      s->moves.items[n].spring = to[s->moves.items[n].spring];
    column_compact(&spring_growth, s, m, to);
    growth_free(&spring_companion_growth, s, m);
    s->companions = companions;
    s->companion_count = s->companion_capacity = companion_count;
    count_all(s);
  }
  for (int32_t e = 0; e < s->count && particle_to; e++) {
    s->a[e] = particle_to[s->a[e]];
    s->b[e] = particle_to[s->b[e]];
  }
}

bool spring_open_damage(spring_store *s, memory *m) {
  if (!s->damage)
    s->damage = memory_allocate_items(m, s->capacity, sizeof *s->damage);
  return s->damage;
}

bool spring_some_splits(const spring_store *s) {
  bool some = false;
  for (int32_t e = 0; s->damage && e < s->count && !some; e++)
    some = s->damage[e].split > 0;
  return some;
}

bool spring_set_law(spring_store *s, particle_store *p, memory *m, int32_t spring, law wanted) {
  const law before = spring_law(s, spring);
  if (!law_table_set(&s->laws, m, spring, wanted, s->count, s->capacity))
    return false;
  s->of_law[before.kind]--;
  s->of_law[wanted.kind]++;
  count(s, p, spring, -1);
  mark(s, p, spring, (uint8_t)((s->side[spring] & ~SPRING_HARD_LIMIT) | hard_limit_flag(wanted)));
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
  return law_is(l, MSD_SPRING_HARD_LIMIT) ? side != MSD_SPRING_BOTH && law_is_sound_hard_limit(l)
                                          : law_is_sound(l);
}

bool spring_can_hard_limit(const spring_store *s, const particle_store *p, int32_t spring) {
  return spring_is_hard_limit(s, spring) && !spring_is_broken(s, spring) &&
         (p->inverse_mass[s->a[spring]] > 0 || p->inverse_mass[s->b[spring]] > 0);
}

double spring_hard_limit_mass(const spring_store *s, const particle_store *p, int32_t spring, double n_a,
                              double n_b) {
  const double wa = (double)p->inverse_mass[s->a[spring]], wb = (double)p->inverse_mass[s->b[spring]];
  return law_hard_limit_share(spring_law(s, spring)) / (n_a * wa + n_b * wb);
}

/* From b to a where the last substep left them, in m. */
static void last_way(const particle_store *p, int32_t a, int32_t b, double way[3]) {
  particle_distance(p, a, b, way);
  const msd_vec3 at_a = particle_arrival(p, a).offset, at_b = particle_arrival(p, b).offset;
  way[0] += (double)at_a.x - (double)at_b.x;
  way[1] += (double)at_a.y - (double)at_b.y;
  way[2] += (double)at_a.z - (double)at_b.z;
}

/* The error as substeps round it: at the rest length its sign decides whether a one-sided spring acts. */
static double rounded_error(const double way[3], msd_real rest) {
  const msd_real x = (msd_real)way[0], y = (msd_real)way[1], z = (msd_real)way[2];
  const msd_real squared = x * x + y * y + z * z;
  return (double)((msd_real)sqrt((double)squared) - rest);
}

double spring_tension(const spring_store *s, const particle_store *p, int32_t spring, law_tuning tuning) {
  double way[3];
  last_way(p, s->a[spring], s->b[spring], way);
  const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  const msd_vec3 va = particle_last_velocity(p, s->a[spring]), vb = particle_last_velocity(p, s->b[spring]);
  const double along = ((double)va.x - (double)vb.x) * way[0] + ((double)va.y - (double)vb.y) * way[1] +
                       ((double)va.z - (double)vb.z) * way[2];
  const double error = length - (double)s->rest[spring];
  const double pull = tuning.stiffness * error + tuning.damping * (length > 0 ? along / length : 0);
  const bool acts = spring_acts_at(s, spring, rounded_error(way, s->rest[spring]));
  return acts && spring_acts_at(s, spring, pull) ? pull : 0;
}
