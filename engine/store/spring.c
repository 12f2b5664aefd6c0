#include "engine/store/spring.h"

#include "engine/base/vec3.h"

#include <stdio.h>
#include <string.h>

size_t spring_store_cost(int64_t capacity) {
  const size_t n = (size_t)capacity;
  return 2 * memory_cost(n * sizeof(int32_t)) + memory_cost(n * sizeof(msd_real)) + memory_cost(n) +
         law_table_cost(capacity);
}

void spring_store_free(spring_store *s, memory *m) {
  memory_release(m, s->a);
  memory_release(m, s->b);
  memory_release(m, s->rest);
  memory_release(m, s->side);
  law_table_free(&s->laws, m);
  *s = (spring_store){0};
}

bool spring_store_reserve(spring_store *s, memory *m, int64_t capacity) {
  if (capacity <= s->capacity)
    return true;
  const size_t n = (size_t)capacity, reals = n * sizeof(msd_real), indices = n * sizeof(int32_t);
  spring_store larger = {
      .count = s->count,
      .capacity = (int32_t)capacity,
      .broken = s->broken,
      .one_sided = s->one_sided,
      .a = memory_allocate(m, indices),
      .b = memory_allocate(m, indices),
      .rest = memory_allocate(m, reals),
      .side = memory_allocate(m, n),
  };
  if (!larger.a || !larger.b || !larger.rest || !larger.side ||
      !law_table_grow(&s->laws, m, s->count, (int32_t)capacity)) {
    spring_store_free(&larger, m);
    return false;
  }
  larger.laws = s->laws;
  s->laws = (law_table){0};
  if (s->count) {
    const size_t old = (size_t)s->count;
    memcpy(larger.a, s->a, old * sizeof *s->a);
    memcpy(larger.b, s->b, old * sizeof *s->b);
    memcpy(larger.rest, s->rest, old * sizeof *s->rest);
    memcpy(larger.side, s->side, old * sizeof *s->side);
  }
  spring_store_free(s, m);
  *s = larger;
  return true;
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
