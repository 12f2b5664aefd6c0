#include "engine/store/torsion_spring.h"

#include <string.h>

static const growth_array arrays[] = {
    GROWTH_ARRAY(torsion_spring_store, a),         GROWTH_ARRAY(torsion_spring_store, b),
    GROWTH_ARRAY(torsion_spring_store, rest),      GROWTH_ARRAY(torsion_spring_store, laws),
    GROWTH_ARRAY(torsion_spring_store, k),         GROWTH_ARRAY(torsion_spring_store, mu),
    GROWTH_ARRAY(torsion_spring_store, given),     GROWTH_ARRAY(torsion_spring_store, work),
    GROWTH_ARRAY(torsion_spring_store, is_broken),
};
const growth_table torsion_spring_growth =
    GROWTH(torsion_spring_store, count, capacity, arrays, .most = INT32_MAX);

void torsion_spring_store_free(torsion_spring_store *s, memory *m) {
  growth_free(&torsion_spring_growth, s, m);
  *s = (torsion_spring_store){0};
}

law_terms torsion_spring_split(const torsion_spring_store *s, const rotor_store *r, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = r->inverse_inertia[a], wb = torsion_spring_inverse(r, b);
  if (s->is_broken[spring] || wa + wb == 0)
    return (law_terms){0};
  return law_split(s->laws[spring], 1 / (wa + wb),
                   1 / (r->valence[a] * wa + (b >= 0 ? r->valence[b] * wb : 0)));
}

void torsion_spring_tune(torsion_spring_store *s, const rotor_store *r, double dt, bool limit) {
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = torsion_spring_split(s, r, e);
    const law_tuning tuning = law_tune(&terms, dt, limit);
    s->k[e] = tuning.stiffness;
    s->mu[e] = tuning.damping;
  }
}

void torsion_spring_forget_impulses(torsion_spring_store *s) {
  if (s->count)
    memset(s->given, 0, (size_t)s->count * sizeof *s->given);
}
