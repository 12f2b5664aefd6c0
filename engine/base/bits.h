/* Bit sets for lanes or members of a group. */
#ifndef MSD_ENGINE_BASE_BITS_H
#define MSD_ENGINE_BASE_BITS_H

#include <stdint.h>

/* The index of the lowest set bit; `bits` is not 0. */
static inline int32_t lowest_bit(uint32_t bits) {
#ifdef __GNUC__
  return (int32_t)__builtin_ctz(bits);
#else
  int32_t n = 0;
  while (!(bits >> n & 1))
    n++;
  return n;
#endif
}

/* The number of set bits: summed in pairs, fours and eights, then over all bytes. */
static inline int32_t count_bits(uint32_t bits) {
  bits -= bits >> 1 & 0x55555555u;
  bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0fu;
  return (int32_t)(bits * 0x01010101u >> 24);
}

#endif
