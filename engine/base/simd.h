/* Vectors of SIMD_BYTES bytes, of msd_real or, with LANE_DOUBLE, of double: GNU C vector types for + - * /
   and comparisons, and a few operations without an operator. Every operation is correctly rounded, so results
   are bitwise identical in all widths. */
#ifndef MSD_ENGINE_BASE_SIMD_H
#define MSD_ENGINE_BASE_SIMD_H

#include "msd/msd.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#if defined(LANE_DOUBLE) || defined(MSD_DOUBLE)
#define SIMD_DOUBLE 1
typedef double simd_element;
#else
typedef float simd_element;
#endif

typedef simd_element simd_real __attribute__((vector_size(SIMD_BYTES)));
#ifdef SIMD_DOUBLE
typedef int64_t simd_mask __attribute__((vector_size(SIMD_BYTES)));
#else
typedef int32_t simd_mask __attribute__((vector_size(SIMD_BYTES)));
#endif

enum { SIMD_LANES = SIMD_BYTES / (int)sizeof(simd_element) };

#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_APART  static __attribute__((noinline))

SIMD_INLINE simd_real simd_load(const simd_element *from) {
  simd_real v;
  memcpy(&v, from, sizeof v);
  return v;
}

SIMD_INLINE void simd_store(simd_element *to, simd_real v) {
  memcpy(to, &v, sizeof v);
}

SIMD_INLINE simd_real simd_set(simd_element value) {
  return value - (simd_real){0};
}

/* a where the mask is set, else b. */
SIMD_INLINE simd_real simd_select(simd_mask mask, simd_real a, simd_real b) {
  return (simd_real)((mask & (simd_mask)a) | (~mask & (simd_mask)b));
}

/* Only the gather of AVX-512 is used: it saves a fifth of the time of three fibers in a triangle, while
   that of AVX2 adds a seventh to areas. Without optimization gcc's is a macro that changes the sign of its
   mask. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
SIMD_INLINE simd_real simd_gather(const simd_element *from, const int32_t *index) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  return (simd_real)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)index), from, sizeof *from);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  return (simd_real)_mm512_i32gather_ps(_mm512_loadu_si512(index), from, sizeof *from);
#else
  simd_real v;
  for (int lane = 0; lane < SIMD_LANES; lane++)
    v[lane] = from[index[lane]];
  return v;
#endif
}

/* to[n] = from[index[n]]. */
SIMD_INLINE void simd_gather_numbers(int32_t *to, const int32_t *from, const int32_t *index) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  _mm512_storeu_si512(to, _mm512_i32gather_epi32(_mm512_loadu_si512(index), from, sizeof *from));
#else
  for (int n = 0; n < SIMD_LANES; n++)
    to[n] = from[index[n]];
#endif
}
#pragma GCC diagnostic pop

SIMD_INLINE simd_real simd_sqrt(simd_real a) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  return (simd_real)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  return (simd_real)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX__) && SIMD_BYTES == 32 && defined(SIMD_DOUBLE)
  return (simd_real)_mm256_sqrt_pd((__m256d)a);
#elif defined(__AVX__) && SIMD_BYTES == 32
  return (simd_real)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (simd_real)_mm_sqrt_pd((__m128d)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return (simd_real)_mm_sqrt_ps((__m128)a);
#elif defined(__aarch64__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (simd_real)vsqrtq_f64((float64x2_t)a);
#elif defined(__aarch64__) && SIMD_BYTES == 16
  return (simd_real)vsqrtq_f32((float32x4_t)a);
#elif defined(__wasm_simd128__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (simd_real)wasm_f64x2_sqrt((v128_t)a);
#elif defined(__wasm_simd128__) && SIMD_BYTES == 16
  return (simd_real)wasm_f32x4_sqrt((v128_t)a);
#else
  for (int lane = 0; lane < SIMD_LANES; lane++)
#ifdef SIMD_DOUBLE
    a[lane] = sqrt(a[lane]);
#else
    a[lane] = sqrtf(a[lane]);
#endif
  return a;
#endif
}

/* Minimum and maximum; a if they are equal or unordered. Compilers use three instructions for a selection;
   the min and max instructions return their second operand in these cases. */
SIMD_INLINE simd_real simd_least(simd_real a, simd_real b) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  return (simd_real)_mm512_min_pd((__m512d)b, (__m512d)a);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  return (simd_real)_mm512_min_ps((__m512)b, (__m512)a);
#elif defined(__AVX__) && SIMD_BYTES == 32 && defined(SIMD_DOUBLE)
  return (simd_real)_mm256_min_pd((__m256d)b, (__m256d)a);
#elif defined(__AVX__) && SIMD_BYTES == 32
  return (simd_real)_mm256_min_ps((__m256)b, (__m256)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (simd_real)_mm_min_pd((__m128d)b, (__m128d)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return (simd_real)_mm_min_ps((__m128)b, (__m128)a);
#else
  return simd_select(b < a, b, a);
#endif
}

SIMD_INLINE simd_real simd_most(simd_real a, simd_real b) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  return (simd_real)_mm512_max_pd((__m512d)b, (__m512d)a);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  return (simd_real)_mm512_max_ps((__m512)b, (__m512)a);
#elif defined(__AVX__) && SIMD_BYTES == 32 && defined(SIMD_DOUBLE)
  return (simd_real)_mm256_max_pd((__m256d)b, (__m256d)a);
#elif defined(__AVX__) && SIMD_BYTES == 32
  return (simd_real)_mm256_max_ps((__m256)b, (__m256)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (simd_real)_mm_max_pd((__m128d)b, (__m128d)a);
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return (simd_real)_mm_max_ps((__m128)b, (__m128)a);
#else
  return simd_select(b > a, b, a);
#endif
}

/* Defined if the compiler has a shuffle builtin. */
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SIMD_HAS_SHUFFLES 1
#endif
#endif

/* Every second number of two vectors. */
#if SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
#define SIMD_EVERY_SECOND(n)                                                                                 \
  (n), (n) + 2, (n) + 4, (n) + 6, (n) + 8, (n) + 10, (n) + 12, (n) + 14, (n) + 16, (n) + 18, (n) + 20,       \
      (n) + 22, (n) + 24, (n) + 26, (n) + 28, (n) + 30
#elif SIMD_BYTES == 64 || (SIMD_BYTES == 32 && !defined(SIMD_DOUBLE))
#define SIMD_EVERY_SECOND(n) (n), (n) + 2, (n) + 4, (n) + 6, (n) + 8, (n) + 10, (n) + 12, (n) + 14
#elif SIMD_BYTES == 32 || !defined(SIMD_DOUBLE)
#define SIMD_EVERY_SECOND(n) (n), (n) + 2, (n) + 4, (n) + 6
#else
#define SIMD_EVERY_SECOND(n) (n), (n) + 2
#endif

#ifdef SIMD_HAS_SHUFFLES
/* Takes the minimum of adjacent lanes, for twice as many vectors. */
SIMD_INLINE void simd_least_neighbors(simd_real *left, int count) {
  for (int n = 0; n < count; n++) {
    const simd_real a = left[2 * n], b = left[2 * n + 1];
    left[n] = simd_least(__builtin_shufflevector(a, b, SIMD_EVERY_SECOND(0)),
                         __builtin_shufflevector(a, b, SIMD_EVERY_SECOND(1)));
  }
}
#endif

/* Lane n is the minimum over all lanes of from[n]. Adjacent lanes are reduced until one vector is left, which
   has the lanes in order. Unrolled, since compilers keep a loop over the steps in memory. */
SIMD_INLINE simd_real simd_least_each(const simd_real from[SIMD_LANES]) {
#ifdef SIMD_HAS_SHUFFLES
  simd_real left[SIMD_LANES];
  memcpy(left, from, sizeof left);
  if (SIMD_LANES > 8)
    simd_least_neighbors(left, 8);
  if (SIMD_LANES > 4)
    simd_least_neighbors(left, 4);
  if (SIMD_LANES > 2)
    simd_least_neighbors(left, 2);
  simd_least_neighbors(left, 1);
  return left[0];
#else
  simd_real least;
  for (int n = 0; n < SIMD_LANES; n++) {
    least[n] = from[n][0];
    for (int lane = 1; lane < SIMD_LANES; lane++)
      least[n] = from[n][lane] < least[n] ? from[n][lane] : least[n];
  }
  return least;
#endif
}

typedef int32_t simd_numbers __attribute__((vector_size(SIMD_LANES * sizeof(int32_t))));

SIMD_INLINE simd_numbers simd_load_numbers(const int32_t *from) {
  simd_numbers v;
  memcpy(&v, from, sizeof v);
  return v;
}

#ifdef SIMD_HAS_SHUFFLES
/* Every second number of a and b, from the first and from the second on. */
SIMD_INLINE void simd_part(int32_t *even, int32_t *odd, simd_numbers a, simd_numbers b) {
  const simd_numbers first = __builtin_shufflevector(a, b, SIMD_EVERY_SECOND(0)),
                     second = __builtin_shufflevector(a, b, SIMD_EVERY_SECOND(1));
  memcpy(even, &first, sizeof first);
  memcpy(odd, &second, sizeof second);
}
#endif

/* to[k][n] is the k-th number of quads[n]. */
SIMD_INLINE void simd_split_quads(int32_t (*to)[SIMD_LANES], const int32_t (*quads)[4]) {
#ifdef SIMD_HAS_SHUFFLES
  const int32_t *from = quads[0];
  const simd_numbers a = simd_load_numbers(from), b = simd_load_numbers(from + SIMD_LANES),
                     c = simd_load_numbers(from + 2 * SIMD_LANES),
                     d = simd_load_numbers(from + 3 * SIMD_LANES);
  simd_part(to[0], to[2], __builtin_shufflevector(a, b, SIMD_EVERY_SECOND(0)),
            __builtin_shufflevector(c, d, SIMD_EVERY_SECOND(0)));
  simd_part(to[1], to[3], __builtin_shufflevector(a, b, SIMD_EVERY_SECOND(1)),
            __builtin_shufflevector(c, d, SIMD_EVERY_SECOND(1)));
#else
  for (int n = 0; n < SIMD_LANES; n++)
    for (int k = 0; k < 4; k++)
      to[k][n] = quads[n][k];
#endif
}

/* to[n] = first + step n + offset[n]. Written with vector types, because compilers do not vectorize the
   scalar loop. */
SIMD_INLINE void simd_add_offsets(int32_t *to, const int16_t *offset, int32_t first, int32_t step) {
  int16_t halves __attribute__((vector_size(SIMD_LANES * sizeof(int16_t))));
  int32_t number __attribute__((vector_size(SIMD_LANES * sizeof(int32_t))));
  for (int lane = 0; lane < SIMD_LANES; lane++)
    number[lane] = lane;
  memcpy(&halves, offset, sizeof halves);
  number = number * step + first + __builtin_convertvector(halves, __typeof__(number));
  memcpy(to, &number, sizeof number);
}

/* The lanes in which an array has first + step n. */
SIMD_INLINE simd_mask simd_steps(const int32_t *numbers, int32_t first, int32_t step) {
  int32_t all __attribute__((vector_size(SIMD_LANES * sizeof(int32_t))));
  int32_t count __attribute__((vector_size(SIMD_LANES * sizeof(int32_t))));
  for (int lane = 0; lane < SIMD_LANES; lane++)
    count[lane] = lane;
  memcpy(&all, numbers, sizeof all);
  return __builtin_convertvector(all == count * step + first, simd_mask);
}

/* Defined if an instruction selects lanes from two vectors by index. With AVX2 it takes three, and hinges that
   are loaded so are 5 % slower than from records. */
#if defined(__AVX512F__) && SIMD_BYTES == 64
#define SIMD_PICKS_TWO 1

/* Indices for simd_pick_two of the numbers from a vector that begins at `first`, and one at `last`. */
SIMD_INLINE simd_mask simd_places_two(const int32_t *numbers, int32_t first, int32_t last) {
  const simd_numbers all = simd_load_numbers(numbers), after = all - first;
  const simd_numbers below = (after < SIMD_LANES) & (after >= 0);
  return __builtin_convertvector((below & after) | (~below & (all - last + SIMD_LANES)), simd_mask);
}

/* Lane n is a[places[n]], or b[places[n] - SIMD_LANES]. */
SIMD_INLINE simd_real simd_pick_two(simd_real a, simd_real b, simd_mask places) {
#ifdef SIMD_DOUBLE
  return (simd_real)_mm512_permutex2var_pd((__m512d)a, (__m512i)places, (__m512d)b);
#else
  return (simd_real)_mm512_permutex2var_ps((__m512)a, (__m512i)places, (__m512)b);
#endif
}
#endif

/* Bit n is lane n. */
SIMD_INLINE uint32_t simd_bits(simd_mask mask) {
#if defined(__AVX512DQ__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  return (uint32_t)_mm512_movepi64_mask((__m512i)mask);
#elif defined(__AVX512DQ__) && SIMD_BYTES == 64
  return (uint32_t)_mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX__) && SIMD_BYTES == 32 && defined(SIMD_DOUBLE)
  return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif defined(__AVX__) && SIMD_BYTES == 32
  return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (uint32_t)_mm_movemask_pd((__m128d)mask);
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__) && SIMD_BYTES == 16 && defined(SIMD_DOUBLE)
  return (uint32_t)wasm_i64x2_bitmask((v128_t)mask);
#elif defined(__wasm_simd128__) && SIMD_BYTES == 16
  return (uint32_t)wasm_i32x4_bitmask((v128_t)mask);
#else
  uint32_t bits = 0;
  for (int lane = 0; lane < SIMD_LANES; lane++)
    bits |= (uint32_t)(mask[lane] != 0) << lane;
  return bits;
#endif
}

/* Bit n is set if a > b and c > d in lane n. AVX-512 compares into mask registers, which compilers do not
   find from vector masks. */
SIMD_INLINE uint32_t simd_bits_above(simd_real a, simd_real b, simd_real c, simd_real d) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  const __mmask8 first = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
  return _mm512_mask_cmp_pd_mask(first, (__m512d)c, (__m512d)d, _CMP_GT_OQ);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  const __mmask16 first = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
  return _mm512_mask_cmp_ps_mask(first, (__m512)c, (__m512)d, _CMP_GT_OQ);
#else
  return simd_bits((a > b) & (c > d));
#endif
}

/* Bit n is set if numbers[n] == number. */
SIMD_INLINE uint32_t simd_bits_equal(const int32_t *numbers, int32_t number) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(numbers), _mm512_set1_epi32(number));
#elif defined(__AVX512VL__) && SIMD_BYTES == 64
  return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const __m256i *)numbers), _mm256_set1_epi32(number));
#else
  return simd_bits(simd_steps(numbers, number, 0));
#endif
}

#if defined(__AVX2__) && SIMD_BYTES == 32 && !defined(SIMD_DOUBLE)
#define SIMD_PACKS_FOURS 1

/* The indices of the set bits of four lanes, in order; and their number. */
static const int32_t simd_packed[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                           {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                           {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const int8_t simd_packed_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Compacts two groups of four lanes. */
SIMD_INLINE int32_t simd_pack_fours(void *to, __m256 from, uint32_t some) {
  const uint32_t low = some & 15, high = some >> 4 & 15;
  const __m128i low_places = _mm_loadu_si128((const __m128i *)simd_packed[low]),
                high_places = _mm_loadu_si128((const __m128i *)simd_packed[high]);
  const int32_t count = simd_packed_count[low];
  const __m128 first = _mm_permutevar_ps(_mm256_castps256_ps128(from), low_places),
               last = _mm_permutevar_ps(_mm256_extractf128_ps(from, 1), high_places);
  memcpy(to, &first, sizeof first);
  memcpy((char *)to + (size_t)count * sizeof(float), &last, sizeof last);
  return count + simd_packed_count[high];
}
#endif

/* Bit n is set if a[n] == b[n]. */
SIMD_INLINE uint32_t simd_bits_alike(const int32_t *a, const int32_t *b) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
#elif defined(__AVX512VL__) && SIMD_BYTES == 64
  return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const __m256i *)a),
                                 _mm256_loadu_si256((const __m256i *)b));
#else
  return simd_bits(__builtin_convertvector(simd_load_numbers(a) == simd_load_numbers(b), simd_mask));
#endif
}

/* Compacts the numbers whose bit is set, in order. The rest, up to the number of lanes, is undefined. Returns
   their number. */
SIMD_INLINE int32_t simd_pack(int32_t *to, const int32_t *from, uint32_t some) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)some, _mm512_loadu_si512(from)));
  return _mm_popcnt_u32(some & 0xffff);
#elif defined(__AVX512VL__) && SIMD_BYTES == 64
  const __m256i all = _mm256_loadu_si256((const __m256i *)from);
  _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)some, all));
  return _mm_popcnt_u32(some & 0xff);
#elif defined(SIMD_PACKS_FOURS)
  return simd_pack_fours(to, _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)from)), some);
#else
  int32_t count = 0;
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    to[count] = from[lane];
    count += (int32_t)(some >> lane & 1);
  }
  return count;
#endif
}

/* The same for the lanes of a vector. */
SIMD_INLINE int32_t simd_pack_real(simd_element *to, simd_real from, uint32_t some) {
#if defined(__AVX512F__) && SIMD_BYTES == 64 && defined(SIMD_DOUBLE)
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)some, (__m512d)from));
  return _mm_popcnt_u32(some & 0xff);
#elif defined(__AVX512F__) && SIMD_BYTES == 64
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)some, (__m512)from));
  return _mm_popcnt_u32(some & 0xffff);
#elif defined(SIMD_PACKS_FOURS)
  return simd_pack_fours(to, (__m256)from, some);
#else
  int32_t count = 0;
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    to[count] = from[lane];
    count += (some >> lane & 1) != 0;
  }
  return count;
#endif
}

/* Returns whether no lane is set. */
SIMD_INLINE bool simd_none(simd_mask mask) {
#if defined(__AVX512F__) && SIMD_BYTES == 64
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) == 0;
#elif defined(__AVX__) && SIMD_BYTES == 32
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask) != 0;
#elif defined(__SSE2__) && SIMD_BYTES == 16
  return _mm_movemask_epi8((__m128i)mask) == 0;
#else
  int64_t word[SIMD_BYTES / 8], any = 0;
  memcpy(word, &mask, sizeof mask);
  for (int i = 0; i < SIMD_BYTES / 8; i++)
    any |= word[i];
  return any == 0;
#endif
}

#endif
