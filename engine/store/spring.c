#include "engine/store/spring.h"

static const growth_array arrays[] = {
    GROWTH_ARRAY(spring_store, a),
    GROWTH_ARRAY(spring_store, b),
    GROWTH_ARRAY(spring_store, rest),
    GROWTH_ARRAY(spring_store, side),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.index),
    GROWTH_OPTIONAL_ARRAY(spring_store, laws.own),
};
const growth_table spring_growth = GROWTH(spring_store, count, capacity, arrays, .most = INT32_MAX);

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
  law_table_free(&s->laws, m);
  *s = (spring_store){0};
}

law_terms spring_split(const spring_store *s, const particle_store *p, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (spring_is_broken(s, spring) || wa + wb == 0)
    return (law_terms){0};
  return law_split(spring_law(s, spring), 1 / (wa + wb), 1 / (p->valence[a] * wa + p->valence[b] * wb));
}

double spring_direction(const spring_store *s, const particle_store *p, int32_t spring, double unit[3]) {
  return particle_direction(p, s->a[spring], s->b[spring], unit);
}
