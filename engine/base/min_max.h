#ifndef MSD_ENGINE_BASE_MIN_MAX_H
#define MSD_ENGINE_BASE_MIN_MAX_H

#include <stdint.h>

static inline int32_t int_min(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static inline int32_t int_max(int32_t a, int32_t b) {
  return a > b ? a : b;
}

#endif
