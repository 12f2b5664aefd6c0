#include "engine/store/angular_spring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t angular_spring_store_bytes(void) {
  return 2 * sizeof(int32_t) + 5 * sizeof(double) + 2 * sizeof(msd_real) + 1;
}

void angular_spring_store_free(angular_spring_store *s, memory *m) {
  memory_release(m, s->a);
  memory_release(m, s->b);
  memory_release(m, s->rest);
  memory_release(m, s->stiffness);
  memory_release(m, s->damping);
  memory_release(m, s->law);
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
      .stiffness = memory_allocate(m, n * sizeof(msd_real)),
      .damping = memory_allocate(m, n * sizeof(msd_real)),
      .law = memory_allocate(m, n),
      .k = memory_allocate(m, doubles),
      .mu = memory_allocate(m, doubles),
      .given = memory_allocate(m, doubles),
      .work = memory_allocate(m, doubles),
  };
  if (!larger.a || !larger.b || !larger.rest || !larger.stiffness || !larger.damping || !larger.law ||
      !larger.k || !larger.mu || !larger.given || !larger.work) {
    angular_spring_store_free(&larger, m);
    return false;
  }
  if (s->count) {
    const size_t old = (size_t)s->count;
    memcpy(larger.a, s->a, old * sizeof *s->a);
    memcpy(larger.b, s->b, old * sizeof *s->b);
    memcpy(larger.rest, s->rest, old * sizeof *s->rest);
    memcpy(larger.stiffness, s->stiffness, old * sizeof *s->stiffness);
    memcpy(larger.damping, s->damping, old * sizeof *s->damping);
    memcpy(larger.law, s->law, old * sizeof *s->law);
    memcpy(larger.given, s->given, old * sizeof *s->given);
  }
  angular_spring_store_free(s, m);
  *s = larger;
  return true;
}

spring_terms angular_spring_split(const angular_spring_store *s, const rotor_store *r, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = r->inverse_inertia[a], wb = angular_spring_inverse(r, b);
  if (angular_spring_is_broken(s, spring) || wa + wb == 0)
    return (spring_terms){0};
  const double reduced = 1 / (wa + wb);
  const double first = (double)s->stiffness[spring], second = (double)s->damping[spring];
  spring_terms t = {.share = 1 / (r->valence[a] * wa + (b >= 0 ? r->valence[b] * wb : 0))};
  switch ((msd_spring_law)s->law[spring]) {
  case MSD_SPRING_COEFFICIENT:
    t.mass_ck = first < 0 ? t.share : first * reduced;
    t.mass_cd = second < 0 ? t.share : second * reduced;
    break;
  case MSD_SPRING_FREQUENCY: {
    const double angular_frequency = 2 * 3.14159265358979323846 * first;
    t.stiffness = reduced * angular_frequency * angular_frequency;
    t.damping = 2 * second * reduced * angular_frequency;
    break;
  }
  default:
    t.stiffness = first;
    t.damping = second;
  }
  return t;
}

void angular_spring_tune(angular_spring_store *s, const rotor_store *r, double time_step, msd_limit limit) {
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms terms = angular_spring_split(s, r, e);
    const spring_tuning tuning = spring_tune(&terms, time_step, limit);
    s->k[e] = tuning.stiffness;
    s->mu[e] = tuning.damping;
  }
}

void angular_spring_forget_impulses(angular_spring_store *s) {
  if (s->count)
    memset(s->given, 0, (size_t)s->count * sizeof *s->given);
}
