#include "engine/store/spring.h"

#include "engine/base/vec3.h"

#include <stdio.h>
#include <string.h>

size_t spring_store_cost(int64_t capacity) {
  const size_t n = (size_t)capacity;
  return 2 * memory_cost(n * sizeof(int32_t)) + memory_cost(n * sizeof(msd_real)) + memory_cost(n) +
         spring_materials_cost(capacity);
}

void spring_store_free(spring_store *s, memory *m) {
  memory_release(m, s->a);
  memory_release(m, s->b);
  memory_release(m, s->rest);
  memory_release(m, s->side);
  spring_materials_free(&s->materials, m);
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
      !spring_materials_grow(&s->materials, m, s->count, (int32_t)capacity)) {
    spring_store_free(&larger, m);
    return false;
  }
  larger.materials = s->materials;
  s->materials = (spring_materials){0};
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

spring_terms spring_split(const spring_store *s, const particle_store *p, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (spring_is_broken(s, spring) || wa + wb == 0)
    return (spring_terms){0};
  const double reduced_mass = 1 / (wa + wb);
  const spring_material material = spring_material_of(s, spring);
  const double first = (double)material.stiffness, second = (double)material.damping;
  spring_terms t = {.share = 1 / (p->valence[a] * wa + p->valence[b] * wb)};
  switch ((msd_spring_law)material.law) {
  case MSD_SPRING_COEFFICIENT:
    t.mass_ck = first < 0 ? t.share : first * reduced_mass;
    t.mass_cd = second < 0 ? t.share : second * reduced_mass;
    break;
  case MSD_SPRING_FREQUENCY: {
    const double angular_frequency = 2 * 3.14159265358979323846 * first;
    t.stiffness = reduced_mass * angular_frequency * angular_frequency;
    t.damping = 2 * second * reduced_mass * angular_frequency;
    break;
  }
  default:
    t.stiffness = first;
    t.damping = second;
  }
  return t;
}

spring_tuning spring_tune(const spring_terms *t, double time_step, msd_limit limit) {
  spring_tuning tuning = {t->stiffness, t->damping, false};
  if (t->mass_ck > 0 || t->mass_cd > 0)
    tuning = (spring_tuning){t->mass_ck / (time_step * time_step), t->mass_cd / time_step, false};
  if (limit == MSD_LIMIT_COEFFICIENTS) {
    const double most_stiffness = t->share / (time_step * time_step), most_damping = t->share / time_step;
    tuning.capped = tuning.stiffness > most_stiffness || tuning.damping > most_damping;
    if (tuning.stiffness > most_stiffness)
      tuning.stiffness = most_stiffness;
    if (tuning.damping > most_damping)
      tuning.damping = most_damping;
  }
  return tuning;
}

double spring_direction(const spring_store *s, const particle_store *p, int32_t spring, double unit[3]) {
  return particle_direction(p, s->a[spring], s->b[spring], unit);
}
