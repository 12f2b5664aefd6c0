/* Vectors of SIMD_BYTES bytes: GNU C vector types for + - * / and comparisons, and the few operations that
   the language has no sign for. Every operation is correctly rounded, so all widths give the same bits. */
#ifndef MSD_SIMD_H
#define MSD_SIMD_H

#include "msd/msd.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef msd_real simd_real __attribute__((vector_size(SIMD_BYTES)));
#ifdef MSD_DOUBLE
typedef int64_t simd_mask __attribute__((vector_size(SIMD_BYTES)));
#else
typedef int32_t simd_mask __attribute__((vector_size(SIMD_BYTES)));
#endif

enum { SIMD_LANES = SIMD_BYTES / (int)sizeof(msd_real) };

#define SIMD_INLINE static inline __attribute__((always_inline))

SIMD_INLINE simd_real simd_load(const msd_real *from) {
  simd_real v;
  memcpy(&v, from, sizeof v);
  return v;
}

SIMD_INLINE void simd_store(msd_real *to, simd_real v) {
  memcpy(to, &v, sizeof v);
}

SIMD_INLINE simd_real simd_set(msd_real value) {
  return value - (simd_real){0};
}

/* a where the mask is set, else 0; a where it is set, else b. */
SIMD_INLINE simd_real simd_keep(simd_mask mask, simd_real a) {
  return (simd_real)(mask & (simd_mask)a);
}

SIMD_INLINE simd_real simd_select(simd_mask mask, simd_real a, simd_real b) {
  return (simd_real)((mask & (simd_mask)a) | (~mask & (simd_mask)b));
}

SIMD_INLINE simd_real simd_gather(const msd_real *from, const int32_t *index) {
  simd_real v;
  for (int lane = 0; lane < SIMD_LANES; lane++)
    v[lane] = from[index[lane]];
  return v;
}

SIMD_INLINE simd_real simd_sqrt(simd_real a) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(MSD_DOUBLE)
  return (simd_real)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  return (simd_real)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX__) && SIMD_BYTES == 32 && defined(MSD_DOUBLE)
  return (simd_real)_mm256_sqrt_pd((__m256d)a);
#elif defined(__AVX__) && SIMD_BYTES == 32
  return (simd_real)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16 && defined(MSD_DOUBLE)
  return (simd_real)_mm_sqrt_pd((__m128d)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return (simd_real)_mm_sqrt_ps((__m128)a);
#elif defined(__aarch64__) && SIMD_BYTES == 16 && defined(MSD_DOUBLE)
  return (simd_real)vsqrtq_f64((float64x2_t)a);
#elif defined(__aarch64__) && SIMD_BYTES == 16
  return (simd_real)vsqrtq_f32((float32x4_t)a);
#else
  for (int lane = 0; lane < SIMD_LANES; lane++)
#ifdef MSD_DOUBLE
    a[lane] = sqrt(a[lane]);
#else
    a[lane] = sqrtf(a[lane]);
#endif
  return a;
#endif
}

/* Whether no lane is set. */
SIMD_INLINE bool simd_none(simd_mask mask) {
  int64_t word[SIMD_BYTES / 8], any = 0;
  memcpy(word, &mask, sizeof mask);
  for (int i = 0; i < SIMD_BYTES / 8; i++)
    any |= word[i];
  return any == 0;
}

#endif
