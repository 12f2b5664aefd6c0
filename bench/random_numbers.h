/* Random numbers that are the same on every machine. */
#ifndef MSD_BENCH_RANDOM_NUMBERS_H
#define MSD_BENCH_RANDOM_NUMBERS_H

#include <stdint.h>

/* Uniform in [0, 1) (splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators"). */
static inline double random_uniform(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static inline int32_t random_whole(uint64_t *state, int32_t least, int32_t most) {
  return least + (int32_t)(random_uniform(state) * (most - least + 1));
}

#endif
