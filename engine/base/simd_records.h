/* Loads and stores of records (record.h) and their quads. */
#ifndef MSD_ENGINE_BASE_SIMD_RECORDS_H
#define MSD_ENGINE_BASE_SIMD_RECORDS_H

#include "engine/base/record.h"
#include "engine/base/simd.h"

/* Quads of records are transposed four at a time. The lanes come out in order because vector k has the quads
   of the records k, k+4, k+8, k+12. */
typedef struct simd_triple {
  simd_real x, y, z;
} simd_triple;

/* With the fourth numbers of the quads. */
typedef struct simd_four {
  simd_triple of;
  simd_real fourth;
} simd_four;

#if SIMD_BYTES == 16 && !defined(SIMD_DOUBLE)
#define SIMD_EVERY_QUAD(a, b, c, d) a, b, c, d
#elif SIMD_BYTES == 32 && !defined(SIMD_DOUBLE)
#define SIMD_EVERY_QUAD(a, b, c, d) a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4
#elif SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
#define SIMD_EVERY_QUAD(a, b, c, d)                                                                          \
  a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4, (a) + 8, (b) + 8, (c) + 8, (d) + 8, (a) + 12, (b) + 12,    \
      (c) + 12, (d) + 12
#elif SIMD_BYTES == 32
#define SIMD_EVERY_QUAD(a, b, c, d) a, b, c, d
#elif SIMD_BYTES == 64
#define SIMD_EVERY_QUAD(a, b, c, d) a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4
#endif

#if defined(SIMD_HAS_SHUFFLES) && defined(SIMD_EVERY_QUAD)
#define SIMD_HAS_QUADS 1
#endif

/* The records to read: index[0], index[1], ..., or, if is_near, record n + near[n] for lane n. */
typedef struct simd_places {
  const int32_t *index;
  const int16_t *near;
  /* A compile-time constant. */
  bool is_near;
} simd_places;

/* Record n of them; records are `size` numbers apart. */
SIMD_INLINE const simd_element *simd_record(const simd_element *records, ptrdiff_t size, simd_places p,
                                            int n) {
  return p.is_near ? records + n * size + p.near[n] * size : records + p.index[n] * size;
}

#ifdef SIMD_HAS_QUADS

/* For each quad the elements a and b of `one`, then c and d of `two`. */
#define simd_pick(one, two, a, b, c, d)                                                                      \
  __builtin_shufflevector(one, two, SIMD_EVERY_QUAD(a, b, SIMD_LANES + (c), SIMD_LANES + (d)))
#define simd_zip_low(one, two)                                                                               \
  __builtin_shufflevector(one, two, SIMD_EVERY_QUAD(0, SIMD_LANES, 1, SIMD_LANES + 1))
#define simd_zip_high(one, two)                                                                              \
  __builtin_shufflevector(one, two, SIMD_EVERY_QUAD(2, SIMD_LANES + 2, 3, SIMD_LANES + 3))

#define SIMD_QUADS (SIMD_LANES / RECORD_QUAD)

/* The vector of the first quads of the records n, n+4, ...; records are `size` numbers apart. */
SIMD_INLINE simd_real simd_load_quads(const simd_element *records, ptrdiff_t size, simd_places p, int n) {
  simd_real v;
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  __m512 wide = _mm512_castps128_ps512(_mm_loadu_ps(simd_record(records, size, p, n)));
  wide = _mm512_insertf32x4(wide, _mm_loadu_ps(simd_record(records, size, p, n + 4)), 1);
  wide = _mm512_insertf32x4(wide, _mm_loadu_ps(simd_record(records, size, p, n + 8)), 2);
  wide = _mm512_insertf32x4(wide, _mm_loadu_ps(simd_record(records, size, p, n + 12)), 3);
  v = (simd_real)wide;
#elif defined(__AVX__) && SIMD_BYTES == 32 && !defined(SIMD_DOUBLE)
  __m256 wide = _mm256_castps128_ps256(_mm_loadu_ps(simd_record(records, size, p, n)));
  wide = _mm256_insertf128_ps(wide, _mm_loadu_ps(simd_record(records, size, p, n + 4)), 1);
  v = (simd_real)wide;
#else
  for (int quad = 0; quad < SIMD_QUADS; quad++)
    memcpy((char *)&v + (size_t)quad * RECORD_QUAD * sizeof(simd_element),
           simd_record(records, size, p, n + quad * RECORD_QUAD), RECORD_QUAD * sizeof(simd_element));
#endif
  return v;
}

/* Row n of the quads of a, b, c and d is the nth number of each. */
SIMD_INLINE simd_four simd_transpose_quads(simd_real a, simd_real b, simd_real c, simd_real d) {
  const simd_real ab = simd_zip_low(a, b), cd = simd_zip_low(c, d);
  const simd_real ab_high = simd_zip_high(a, b), cd_high = simd_zip_high(c, d);
  return (simd_four){
      {simd_pick(ab, cd, 0, 1, 0, 1), simd_pick(ab, cd, 2, 3, 2, 3), simd_pick(ab_high, cd_high, 0, 1, 0, 1)},
      simd_pick(ab_high, cd_high, 2, 3, 2, 3)};
}

/* The first quads of records. */
SIMD_INLINE simd_four simd_gather_four_at(const simd_element *records, ptrdiff_t size, simd_places p) {
  return simd_transpose_quads(simd_load_quads(records, size, p, 0), simd_load_quads(records, size, p, 1),
                              simd_load_quads(records, size, p, 2), simd_load_quads(records, size, p, 3));
}

/* Quad k of vector n belongs to record 4 k + n. */
typedef struct simd_quads {
  simd_real of[RECORD_QUAD];
} simd_quads;

SIMD_INLINE simd_quads simd_to_quads(simd_four from) {
  const simd_real xy = simd_zip_low(from.of.x, from.of.y), xy_high = simd_zip_high(from.of.x, from.of.y);
  const simd_real z = simd_zip_low(from.of.z, from.fourth), z_high = simd_zip_high(from.of.z, from.fourth);
  return (simd_quads){{simd_pick(xy, z, 0, 1, 0, 1), simd_pick(xy, z, 2, 3, 2, 3),
                       simd_pick(xy_high, z_high, 0, 1, 0, 1), simd_pick(xy_high, z_high, 2, 3, 2, 3)}};
}

SIMD_INLINE void simd_store_quad(simd_element *record, const simd_quads *from, int lane) {
  memcpy(record,
         (const char *)&from->of[lane % RECORD_QUAD] +
             (size_t)(lane / RECORD_QUAD * RECORD_QUAD) * sizeof(simd_element),
         RECORD_QUAD * sizeof(simd_element));
}

/* Stores the first quads of consecutive records. */
SIMD_INLINE void simd_store_four(simd_element *records, ptrdiff_t size, simd_four from) {
  const simd_quads quads = simd_to_quads(from);
  for (int lane = 0; lane < SIMD_LANES; lane++)
    simd_store_quad(records + lane * size, &quads, lane);
}

/* Stores quads, with 0 as the fourth numbers, at reals[index[0]], reals[index[1]], ... */
SIMD_INLINE void simd_scatter_quads(simd_element *reals, const int32_t *index, simd_triple from) {
  const simd_quads quads = simd_to_quads((simd_four){from, {0}});
  for (int lane = 0; lane < SIMD_LANES; lane++)
    simd_store_quad(reals + index[lane], &quads, lane);
}

/* The same for the records index[0], index[1], ... whose bit in `some` is set. */
SIMD_INLINE void simd_scatter_records(simd_element *records, const int32_t *index, simd_triple from,
                                      uint32_t some) {
  const simd_quads quads = simd_to_quads((simd_four){from, {0}});
  for (int lane = 0; lane < SIMD_LANES; lane++)
    if (some >> lane & 1)
      simd_store_quad(records + (ptrdiff_t)index[lane] * RECORD_SIZE, &quads, lane);
}

#else

SIMD_INLINE simd_four simd_gather_four_at(const simd_element *records, ptrdiff_t size, simd_places p) {
  simd_element x[SIMD_LANES], y[SIMD_LANES], z[SIMD_LANES], fourth[SIMD_LANES];
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    const simd_element *record = simd_record(records, size, p, lane);
    x[lane] = record[0], y[lane] = record[1], z[lane] = record[2], fourth[lane] = record[3];
  }
  return (simd_four){{simd_load(x), simd_load(y), simd_load(z)}, simd_load(fourth)};
}

SIMD_INLINE void simd_store_four(simd_element *records, ptrdiff_t size, simd_four from) {
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    simd_element *record = records + lane * size;
    record[0] = from.of.x[lane], record[1] = from.of.y[lane], record[2] = from.of.z[lane];
    record[3] = from.fourth[lane];
  }
}

SIMD_INLINE void simd_scatter_quads(simd_element *reals, const int32_t *index, simd_triple from) {
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    simd_element *quad = reals + index[lane];
    quad[0] = from.x[lane], quad[1] = from.y[lane], quad[2] = from.z[lane], quad[3] = 0;
  }
}

SIMD_INLINE void simd_scatter_records(simd_element *records, const int32_t *index, simd_triple from,
                                      uint32_t some) {
  for (int lane = 0; lane < SIMD_LANES; lane++) {
    simd_element *record = records + (ptrdiff_t)index[lane] * RECORD_SIZE;
    if (some >> lane & 1)
      record[0] = from.x[lane], record[1] = from.y[lane], record[2] = from.z[lane];
  }
}

#endif

/* The first three numbers of the records index[0], index[1], ... */
SIMD_INLINE simd_triple simd_gather_sized(const simd_element *records, ptrdiff_t size, const int32_t *index) {
  return simd_gather_four_at(records, size, (simd_places){.index = index}).of;
}

/* Stores consecutive records, with 0 as the fourth numbers. */
SIMD_INLINE void simd_store_sized(simd_element *records, ptrdiff_t size, simd_triple from) {
  simd_store_four(records, size, (simd_four){from, {0}});
}

#if !defined(SIMD_DOUBLE) &&                                                                                 \
    ((defined(__AVX512F__) && SIMD_BYTES == 64) || (defined(__AVX2__) && SIMD_BYTES == 32))

/* Selects from eight numbers by index. */
SIMD_INLINE simd_real simd_pick_places(const simd_element *from, simd_mask places) {
#if SIMD_BYTES == 64
  return (simd_real)_mm512_permutexvar_ps((__m512i)places, _mm512_castps256_ps512(_mm256_loadu_ps(from)));
#else
  return (simd_real)_mm256_permutevar8x32_ps(_mm256_loadu_ps(from), (__m256i)places);
#endif
}

/* The first three numbers of the quads at index[0], index[1], ..., all of them within the eight from `first`
   on. The same data is stored as three components from `window` on. */
SIMD_INLINE simd_triple simd_pick_quads(const simd_element *window, size_t stride, const simd_element *quads,
                                        int32_t first, const int32_t *index) {
  (void)quads;
  simd_mask places;
  memcpy(&places, index, sizeof places);
  places = (places - first * RECORD_QUAD) / RECORD_QUAD;
  return (simd_triple){simd_pick_places(window, places), simd_pick_places(window + stride, places),
                       simd_pick_places(window + 2 * stride, places)};
}

#else

SIMD_INLINE simd_triple simd_pick_quads(const simd_element *window, size_t stride, const simd_element *quads,
                                        int32_t first, const int32_t *index) {
  (void)window, (void)stride, (void)first;
  return simd_gather_sized(quads, 1, index);
}

#endif

SIMD_INLINE simd_triple simd_gather_records(const simd_element *records, const int32_t *index) {
  return simd_gather_sized(records, RECORD_SIZE, index);
}

/* The first three numbers of consecutive quads. */
SIMD_INLINE simd_triple simd_load_quad_each(const simd_element *quads) {
  int32_t index[SIMD_LANES];
  for (int lane = 0; lane < SIMD_LANES; lane++)
    index[lane] = lane;
  return simd_gather_sized(quads, RECORD_QUAD, index);
}

/* Computes four quads: each is the sum of its terms in `rows`, in order. */
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
SIMD_INLINE void simd_sum_quads(simd_element *to, const simd_element *reals, const quad_row *rows,
                                int32_t count) {
  const __m512i each = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
  simd_real sum = {0};
  for (const quad_row *row = rows; row < rows + count; row++) {
    __m512 quads = _mm512_castps128_ps512(_mm_loadu_ps(reals + row->index[0]));
    quads = _mm512_insertf32x4(quads, _mm_loadu_ps(reals + row->index[1]), 1);
    quads = _mm512_insertf32x4(quads, _mm_loadu_ps(reals + row->index[2]), 2);
    quads = _mm512_insertf32x4(quads, _mm_loadu_ps(reals + row->index[3]), 3);
    const __m512 weight = _mm512_castps128_ps512(_mm_loadu_ps(row->weight));
    sum += (simd_real)quads * (simd_real)_mm512_permutexvar_ps(each, weight);
  }
  simd_store(to, sum);
}
#else
typedef simd_element simd_quad __attribute__((vector_size(RECORD_QUAD * sizeof(simd_element))));

SIMD_INLINE void simd_sum_quads(simd_element *to, const simd_element *reals, const quad_row *rows,
                                int32_t count) {
  simd_quad sums[RECORD_QUAD] = {{0}};
  for (const quad_row *row = rows; row < rows + count; row++)
    for (int n = 0; n < RECORD_QUAD; n++) {
      simd_quad quad;
      memcpy(&quad, reals + row->index[n], sizeof quad);
      sums[n] += quad * row->weight[n];
    }
  memcpy(to, sums, sizeof sums);
}
#endif

/* The quads 0, 2, ... of one vector, then of the other; from 4 on the odd ones. */
#define SIMD_QUAD_AT(n) (n), (n) + 1, (n) + 2, (n) + 3
#if SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
#define SIMD_EVEN_QUADS(n)                                                                                   \
  SIMD_QUAD_AT(n), SIMD_QUAD_AT((n) + 8), SIMD_QUAD_AT((n) + 16), SIMD_QUAD_AT((n) + 24)
#elif SIMD_BYTES == 64 || (SIMD_BYTES == 32 && !defined(SIMD_DOUBLE))
#define SIMD_EVEN_QUADS(n) SIMD_QUAD_AT(n), SIMD_QUAD_AT((n) + 8)
/* Defined if a vector is one record. */
#define SIMD_WHOLE_RECORDS 1
#endif

/* Both quads of records: positions and velocities; and the same with the fourth numbers. */
typedef struct simd_motion {
  simd_triple x, v;
} simd_motion;

typedef struct simd_laden {
  simd_four x, v;
} simd_laden;

#if defined(SIMD_HAS_QUADS) && defined(SIMD_EVEN_QUADS)

/* Record n and, if two fit, record n+4. */
SIMD_INLINE simd_real simd_load_whole(const simd_element *records, ptrdiff_t size, simd_places p, int n) {
  simd_real v;
#if defined(__AVX512F__) && SIMD_BYTES == 64 && !defined(SIMD_DOUBLE)
  v = (simd_real)_mm512_castps256_ps512(_mm256_loadu_ps(simd_record(records, size, p, n)));
  v = (simd_real)_mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castps_pd((__m512)v),
                         _mm256_castps_pd(_mm256_loadu_ps(simd_record(records, size, p, n + 4))), 1));
#else
  memcpy(&v, simd_record(records, size, p, n), sizeof v);
#endif
  return v;
}

SIMD_INLINE simd_four simd_transpose_whole(const simd_element *records, ptrdiff_t size, simd_places p,
                                           int n) {
  return simd_transpose_quads(simd_load_whole(records, size, p, n), simd_load_whole(records, size, p, n + 1),
                              simd_load_whole(records, size, p, n + 2),
                              simd_load_whole(records, size, p, n + 3));
}

SIMD_INLINE simd_real simd_even_quads(simd_real a, simd_real b) {
  return __builtin_shufflevector(a, b, SIMD_EVEN_QUADS(0));
}

SIMD_INLINE simd_real simd_odd_quads(simd_real a, simd_real b) {
  return __builtin_shufflevector(a, b, SIMD_EVEN_QUADS(RECORD_QUAD));
}

/* A record is loaded at once, and each half of the lanes is transposed separately. Then the even quads are
   positions and the odd ones velocities. */
SIMD_INLINE simd_laden simd_gather_laden_at(const simd_element *records, ptrdiff_t size, simd_places p) {
  const simd_four one = simd_transpose_whole(records, size, p, 0),
                  two = simd_transpose_whole(records, size, p, SIMD_LANES / 2);
  const simd_triple a = one.of, b = two.of;
  return (simd_laden){{{simd_even_quads(a.x, b.x), simd_even_quads(a.y, b.y), simd_even_quads(a.z, b.z)},
                       simd_even_quads(one.fourth, two.fourth)},
                      {{simd_odd_quads(a.x, b.x), simd_odd_quads(a.y, b.y), simd_odd_quads(a.z, b.z)},
                       simd_odd_quads(one.fourth, two.fourth)}};
}

#else

SIMD_INLINE simd_laden simd_gather_laden_at(const simd_element *records, ptrdiff_t size, simd_places p) {
  return (simd_laden){simd_gather_four_at(records, size, p),
                      simd_gather_four_at(records + RECORD_QUAD, size, p)};
}

#endif

SIMD_INLINE simd_motion simd_gather_motion_at(const simd_element *records, simd_places p) {
  const simd_laden all = simd_gather_laden_at(records, RECORD_SIZE, p);
  return (simd_motion){all.x.of, all.v.of};
}

/* The records at reals[index[0]], reals[index[1]], ... */
SIMD_INLINE simd_laden simd_gather_laden(const simd_element *reals, const int32_t *index) {
  return simd_gather_laden_at(reals, 1, (simd_places){.index = index});
}

SIMD_INLINE simd_motion simd_gather_motion(const simd_element *records, const int32_t *index) {
  return simd_gather_motion_at(records, (simd_places){.index = index});
}

/* The records n + near[n], for each lane n. */
SIMD_INLINE simd_motion simd_gather_motion_near(const simd_element *records, const int16_t *near) {
  return simd_gather_motion_at(records, (simd_places){.near = near, .is_near = true});
}

/* Stores consecutive records. */
SIMD_INLINE void simd_store_laden(simd_element *records, simd_laden from) {
#if defined(SIMD_HAS_QUADS) && defined(SIMD_WHOLE_RECORDS)
  const simd_quads x = simd_to_quads(from.x), v = simd_to_quads(from.v);
  for (int n = 0; n < RECORD_QUAD; n++) {
    simd_store(records + n * RECORD_SIZE, simd_even_quads(x.of[n], v.of[n]));
    simd_store(records + (n + RECORD_QUAD) * RECORD_SIZE, simd_odd_quads(x.of[n], v.of[n]));
  }
#else
  simd_store_four(records, RECORD_SIZE, from.x);
  simd_store_four(records + RECORD_QUAD, RECORD_SIZE, from.v);
#endif
}

SIMD_INLINE void simd_store_motion(simd_element *records, simd_motion from) {
  simd_store_laden(records, (simd_laden){{from.x, {0}}, {from.v, {0}}});
}

/* Loads consecutive records. */
SIMD_INLINE simd_motion simd_load_motion(const simd_element *records) {
  int32_t index[SIMD_LANES];
  for (int lane = 0; lane < SIMD_LANES; lane++)
    index[lane] = lane;
  return simd_gather_motion(records, index);
}

#endif
