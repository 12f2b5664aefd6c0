#include "engine/store/rotor.h"

#include <math.h>
#include <string.h>

double rotor_inverse(msd_real inertia) {
  const double inverse = 1 / (double)inertia;
  return isfinite(inertia) && inertia > 0 && isfinite(inverse) && inverse > 0 ? inverse : 0;
}

size_t rotor_store_bytes(void) {
  return (4 + ROTOR_WORK_ARRAYS) * sizeof(double) + sizeof(msd_real) + sizeof(int32_t);
}

void rotor_store_free(rotor_store *r, memory *m) {
  memory_release(m, r->angle);
  memory_release(m, r->velocity);
  memory_release(m, r->torque);
  memory_release(m, r->inverse_inertia);
  memory_release(m, r->inertia);
  memory_release(m, r->valence);
  memory_release(m, r->work);
  *r = (rotor_store){0};
}

bool rotor_store_reserve(rotor_store *r, memory *m, int64_t capacity) {
  if (capacity <= r->capacity)
    return true;
  const size_t n = (size_t)capacity, doubles = n * sizeof(double);
  rotor_store larger = {
      .count = r->count,
      .capacity = (int32_t)capacity,
      .angle = memory_allocate(m, doubles),
      .velocity = memory_allocate(m, doubles),
      .torque = memory_allocate(m, doubles),
      .inverse_inertia = memory_allocate(m, doubles),
      .inertia = memory_allocate(m, n * sizeof(msd_real)),
      .valence = memory_allocate(m, n * sizeof(int32_t)),
      .work = memory_allocate(m, ROTOR_WORK_ARRAYS * doubles),
  };
  if (!larger.angle || !larger.velocity || !larger.torque || !larger.inverse_inertia || !larger.inertia ||
      !larger.valence || !larger.work) {
    rotor_store_free(&larger, m);
    return false;
  }
  if (r->count) {
    const size_t old = (size_t)r->count;
    memcpy(larger.angle, r->angle, old * sizeof *r->angle);
    memcpy(larger.velocity, r->velocity, old * sizeof *r->velocity);
    memcpy(larger.torque, r->torque, old * sizeof *r->torque);
    memcpy(larger.inverse_inertia, r->inverse_inertia, old * sizeof *r->inverse_inertia);
    memcpy(larger.inertia, r->inertia, old * sizeof *r->inertia);
    memcpy(larger.valence, r->valence, old * sizeof *r->valence);
  }
  rotor_store_free(r, m);
  *r = larger;
  return true;
}
