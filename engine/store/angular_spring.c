#include "engine/store/angular_spring.h"

#include <string.h>

size_t angular_spring_store_bytes(void) {
  return 2 * sizeof(int32_t) + 5 * sizeof(double) + sizeof(law) + sizeof(bool);
}

void angular_spring_store_free(angular_spring_store *s, memory *m) {
  memory_release(m, s->a);
  memory_release(m, s->b);
  memory_release(m, s->rest);
  memory_release(m, s->laws);
  memory_release(m, s->is_broken);
  memory_release(m, s->k);
  memory_release(m, s->mu);
  memory_release(m, s->given);
  memory_release(m, s->work);
  *s = (angular_spring_store){0};
}

bool angular_spring_store_reserve(angular_spring_store *s, memory *m, int64_t capacity) {
  if (capacity <= s->capacity)
    return true;
  const size_t n = (size_t)capacity, doubles = n * sizeof(double);
  angular_spring_store larger = {
      .count = s->count,
      .capacity = (int32_t)capacity,
      .a = memory_allocate(m, n * sizeof(int32_t)),
      .b = memory_allocate(m, n * sizeof(int32_t)),
      .rest = memory_allocate(m, doubles),
      .laws = memory_allocate(m, n * sizeof(law)),
      .is_broken = memory_allocate(m, n * sizeof(bool)),
      .k = memory_allocate(m, doubles),
      .mu = memory_allocate(m, doubles),
      .given = memory_allocate(m, doubles),
      .work = memory_allocate(m, doubles),
  };
  if (!larger.a || !larger.b || !larger.rest || !larger.laws || !larger.is_broken || !larger.k ||
      !larger.mu || !larger.given || !larger.work) {
    angular_spring_store_free(&larger, m);
    return false;
  }
  if (s->count) {
    const size_t old = (size_t)s->count;
    memcpy(larger.a, s->a, old * sizeof *s->a);
    memcpy(larger.b, s->b, old * sizeof *s->b);
    memcpy(larger.rest, s->rest, old * sizeof *s->rest);
    memcpy(larger.laws, s->laws, old * sizeof *s->laws);
    memcpy(larger.is_broken, s->is_broken, old * sizeof *s->is_broken);
    memcpy(larger.given, s->given, old * sizeof *s->given);
  }
  angular_spring_store_free(s, m);
  *s = larger;
  return true;
}

law_terms angular_spring_split(const angular_spring_store *s, const rotor_store *r, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = r->inverse_inertia[a], wb = angular_spring_inverse(r, b);
  if (s->is_broken[spring] || wa + wb == 0)
    return (law_terms){0};
  return law_split(s->laws[spring], 1 / (wa + wb),
                   1 / (r->valence[a] * wa + (b >= 0 ? r->valence[b] * wb : 0)));
}

void angular_spring_tune(angular_spring_store *s, const rotor_store *r, double time_step, msd_limit limit) {
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = angular_spring_split(s, r, e);
    const law_tuning tuning = law_tune(&terms, time_step, limit);
    s->k[e] = tuning.stiffness;
    s->mu[e] = tuning.damping;
  }
}

void angular_spring_forget_impulses(angular_spring_store *s) {
  if (s->count)
    memset(s->given, 0, (size_t)s->count * sizeof *s->given);
}
