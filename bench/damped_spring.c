#include "bench/damped_spring.h"

#include "bench/machine.h"

#include <msd/damped_spring.h>

#include <stdlib.h>
#include <string.h>

/* FNV-1a over the bits of the values. */
static uint64_t hash_of(const float *values, size_t count) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

bool bench_damped_spring(size_t pairs, int rounds, damped_spring_speed *out) {
  const size_t bytes = 2 * pairs * sizeof(float);
  float *state = malloc(bytes), *copy = malloc(bytes);
  if (state == NULL || copy == NULL) {
    free(state);
    free(copy);
    return false;
  }
  for (size_t i = 0; i < pairs; i++) {
    state[i] = (float)(i % 1000) / 1000;
    state[pairs + i] = (float)(i % 7) - 3;
  }
  const msd_damped_spring spring = msd_damped_spring_make_critical(0.5, 1.0 / 60);
  *out = (damped_spring_speed){.pairs = pairs, .update_seconds = 1e300, .copy_seconds = 1e300};
  volatile float seen = 0; /* keeps the compiler from removing the copy */
  for (int round = 0; round <= rounds; round++) {
    const double start = machine_clock();
    memcpy(copy, state, bytes);
    seen = seen + copy[pairs / 2];
    const double middle = machine_clock();
    msd_damped_spring_gather_floats(&spring, state, state + pairs, 1, pairs);
    const double end = machine_clock();
    if (round == 0)
      continue; /* the warm-up maps the pages */
    if (middle - start < out->copy_seconds)
      out->copy_seconds = middle - start;
    if (end - middle < out->update_seconds)
      out->update_seconds = end - middle;
  }
  out->ratio = out->copy_seconds / out->update_seconds;
  out->bytes_per_second = 2 * (double)bytes / out->update_seconds;
  out->hash = hash_of(state, 2 * pairs);
  free(state);
  free(copy);
  return true;
}
