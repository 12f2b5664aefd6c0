/* Arithmetic on a lane: msd_real, double, or a SIMD vector with one number of each of several items. The same
   source serves substeps, impulses, set-up and tests. Before the first include a file selects one:

       (nothing)               LANE is msd_real
       #define LANE_DOUBLE     LANE is double
       #define SIMD_BYTES 32   LANE is the vector of simd.h of that many bytes; with LANE_DOUBLE of doubles

   Only + - * /, sqrt and comparisons are used. Each is correctly rounded, so vector lanes and scalars give
   bitwise identical results. Values cause no branches, only selections. */
#ifndef MSD_ENGINE_BASE_LANE_H
#define MSD_ENGINE_BASE_LANE_H

#include "engine/base/record.h"
#include "msd/msd.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef SIMD_BYTES

#include "engine/base/simd_records.h"

#define LANE        simd_real
#define LANE3       simd_triple
#define LANE_MOTION simd_motion
#define LANE_LADEN  simd_laden
#define LANE_MASK   simd_mask
#define LANE_REAL   simd_element
#define LANE_INLINE SIMD_INLINE
#define LANE_APART  static __attribute__((noinline))

LANE_INLINE LANE lane_set(LANE_REAL value) {
  return simd_set(value);
}

LANE_INLINE LANE lane_select(LANE_MASK mask, LANE a, LANE b) {
  return simd_select(mask, a, b);
}

/* Minimum and maximum; a if they are equal or unordered. */
LANE_INLINE LANE lane_least(LANE a, LANE b) {
  return simd_least(a, b);
}

LANE_INLINE LANE lane_most(LANE a, LANE b) {
  return simd_most(a, b);
}

LANE_INLINE LANE lane_sqrt(LANE a) {
  return simd_sqrt(a);
}

enum { LANE_COUNT = SIMD_LANES };

LANE_INLINE LANE lane_load(const LANE_REAL *from) {
  return simd_load(from);
}

LANE_INLINE void lane_store(LANE_REAL *to, LANE a) {
  simd_store(to, a);
}

/* Lane n is the minimum over all lanes of from[n]. */
LANE_INLINE LANE lane_least_each(const LANE from[LANE_COUNT]) {
  return simd_least_each(from);
}

LANE_INLINE LANE lane_gather(const LANE_REAL *from, const int32_t *index) {
  return simd_gather(from, index);
}

LANE_INLINE LANE3 lane_gather_records(const LANE_REAL *records, const int32_t *index) {
  return simd_gather_records(records, index);
}

/* The first three numbers of the quads index[0], index[1], ... */
LANE_INLINE LANE3 lane_gather_quads(const LANE_REAL *quads, const int32_t *index) {
  return simd_gather_sized(quads, RECORD_QUAD, index);
}

/* The same for quads that are `size` numbers apart. */
LANE_INLINE LANE3 lane_gather_sized(const LANE_REAL *quads, ptrdiff_t size, const int32_t *index) {
  return simd_gather_sized(quads, size, index);
}

/* The three numbers from reals[index[0]], reals[index[1]], ... on; a fourth is read. */
LANE_INLINE LANE3 lane_gather_at(const LANE_REAL *reals, const int32_t *index) {
  return simd_gather_sized(reals, 1, index);
}

/* The same for quads from `quads` on, all of them within the eight from `first` on. The same data is also
   stored as three components, `stride` apart, from `window` on. */
LANE_INLINE LANE3 lane_pick(const LANE_REAL *window, size_t stride, const LANE_REAL *quads, int32_t first,
                            const int32_t *index) {
  return simd_pick_quads(window, stride, quads, first, index);
}

/* Stores consecutive quads; the fourth numbers are 0. */
LANE_INLINE void lane_store_quads(LANE_REAL *quads, LANE3 a) {
  simd_store_sized(quads, RECORD_QUAD, a);
}

/* The first three numbers of consecutive quads. */
LANE_INLINE LANE3 lane_load_quads(const LANE_REAL *quads) {
  return simd_load_quad_each(quads);
}

/* Computes four quads: each is the sum of its terms in `rows`, in order. */
LANE_INLINE void lane_sum_quads(LANE_REAL *to, const LANE_REAL *reals, const quad_row *rows, int32_t count) {
  simd_sum_quads(to, reals, rows, count);
}

/* Stores quads at reals[index[0]], reals[index[1]], ... */
LANE_INLINE void lane_scatter_quads(LANE_REAL *reals, const int32_t *index, LANE3 a) {
  simd_scatter_quads(reals, index, a);
}

LANE_INLINE LANE_MOTION lane_gather_motion(const LANE_REAL *records, const int32_t *index) {
  return simd_gather_motion(records, index);
}

/* The records at reals[index[0]], reals[index[1]], ..., including the fourth numbers of their quads. */
LANE_INLINE LANE_LADEN lane_gather_laden(const LANE_REAL *reals, const int32_t *index) {
  return simd_gather_laden(reals, index);
}

/* The same for the records index[0], index[1], ... */
LANE_INLINE LANE_LADEN lane_gather_laden_records(const LANE_REAL *records, const int32_t *index) {
  return simd_gather_laden_at(records, RECORD_SIZE, (simd_places){.index = index});
}

LANE_INLINE void lane_store_laden(LANE_REAL *records, LANE_LADEN a) {
  simd_store_laden(records, a);
}

/* The records at n + near[n], for each lane n. */
LANE_INLINE LANE_MOTION lane_gather_motion_near(const LANE_REAL *records, const int16_t *near) {
  return simd_gather_motion_near(records, near);
}

LANE_INLINE LANE_MOTION lane_load_motion(const LANE_REAL *records) {
  return simd_load_motion(records);
}

LANE_INLINE void lane_store_motion(LANE_REAL *records, LANE_MOTION a) {
  simd_store_motion(records, a);
}

LANE_INLINE void lane_scatter_records(LANE_REAL *records, const int32_t *index, LANE3 a, uint32_t some) {
  simd_scatter_records(records, index, a, some);
}

LANE_INLINE LANE_REAL lane_get(LANE a, int lane) {
  return a[lane];
}

LANE_INLINE void lane_put(LANE *a, int lane, LANE_REAL value) {
  (*a)[lane] = value;
}

LANE_INLINE LANE_MASK lane_not(LANE_MASK mask) {
  return ~mask;
}

LANE_INLINE bool lane_none(LANE_MASK mask) {
  return simd_none(mask);
}

/* to[n] = first + step n + offset[n]. */
LANE_INLINE void lane_add_offsets(int32_t *to, const int16_t *offset, int32_t first, int32_t step) {
  simd_add_offsets(to, offset, first, step);
}

/* The lanes in which an array has a given number. */
LANE_INLINE LANE_MASK lane_equals(const int32_t *numbers, int32_t number) {
  return simd_steps(numbers, number, 0);
}

/* The lanes in which an array continues the sequence first, first + 1, ... */
LANE_INLINE LANE_MASK lane_counts(const int32_t *numbers, int32_t first) {
  return simd_steps(numbers, first, 1);
}

/* Bit n is lane n. */
LANE_INLINE uint32_t lane_bits(LANE_MASK mask) {
  return simd_bits(mask);
}

/* Bit n is set if a > b and c > d in lane n. */
LANE_INLINE uint32_t lane_bits_above(LANE a, LANE b, LANE c, LANE d) {
  return simd_bits_above(a, b, c, d);
}

/* Bit n is set if numbers[n] == number. */
LANE_INLINE uint32_t lane_bits_equal(const int32_t *numbers, int32_t number) {
  return simd_bits_equal(numbers, number);
}

/* Bit n is set if a[n] == b[n]. */
LANE_INLINE uint32_t lane_bits_alike(const int32_t *a, const int32_t *b) {
  return simd_bits_alike(a, b);
}

/* Compacts the numbers whose bit is set, in order. The rest, up to the number of lanes, is undefined. Returns
   their number. */
LANE_INLINE int32_t lane_pack(int32_t *to, const int32_t *from, uint32_t some) {
  return simd_pack(to, from, some);
}

/* The same for the lanes of a vector. */
LANE_INLINE int32_t lane_pack_real(LANE_REAL *to, LANE from, uint32_t some) {
  return simd_pack_real(to, from, some);
}

/* to[n] = from[index[n]]. */
LANE_INLINE void lane_gather_numbers(int32_t *to, const int32_t *from, const int32_t *index) {
  simd_gather_numbers(to, from, index);
}

/* to[k][n] is the k-th number of quads[n]. */
LANE_INLINE void lane_split_quads(int32_t (*to)[LANE_COUNT], const int32_t (*quads)[RECORD_QUAD]) {
  simd_split_quads(to, quads);
}

#ifdef SIMD_PICKS_TWO
/* Indices for lane_pick_two of the numbers from a vector that begins at `first`, and one at `last`. */
LANE_INLINE LANE_MASK lane_places_two(const int32_t *numbers, int32_t first, int32_t last) {
  return simd_places_two(numbers, first, last);
}

/* Lane n is a[places[n]], or b[places[n] - LANE_COUNT]. */
LANE_INLINE LANE3 lane_pick_two(LANE3 a, LANE3 b, LANE_MASK places) {
  return (LANE3){simd_pick_two(a.x, b.x, places), simd_pick_two(a.y, b.y, places),
                 simd_pick_two(a.z, b.z, places)};
}
#endif

/* The lanes, numbered from `first`, that are below `end`. */
LANE_INLINE LANE_MASK lane_below(int32_t first, int32_t end) {
  LANE_MASK number;
  for (int lane = 0; lane < LANE_COUNT; lane++)
    number[lane] = lane;
  return number + first < end;
}

#else

#include <math.h>

#ifdef LANE_DOUBLE
#include "engine/base/vec3.h"
#define LANE      double
#define LANE3     double3
#define LANE_REAL double
#else
#define LANE      msd_real
#define LANE3     msd_vec3
#define LANE_REAL msd_real
#endif
#define LANE_MASK   int
#define LANE_INLINE static inline
#define LANE_APART  static

LANE_INLINE LANE lane_set(LANE_REAL value) {
  return value;
}

LANE_INLINE LANE lane_select(LANE_MASK mask, LANE a, LANE b) {
  return mask ? a : b;
}

LANE_INLINE LANE lane_least(LANE a, LANE b) {
  return b < a ? b : a;
}

LANE_INLINE LANE lane_most(LANE a, LANE b) {
  return b > a ? b : a;
}

LANE_INLINE LANE lane_sqrt(LANE a) {
#if defined(LANE_DOUBLE) || defined(MSD_DOUBLE)
  return sqrt(a);
#else
  return sqrtf(a);
#endif
}

LANE_INLINE LANE_MASK lane_not(LANE_MASK mask) {
  return !mask;
}

LANE_INLINE bool lane_none(LANE_MASK mask) {
  return !mask;
}

enum { LANE_COUNT = 1 };

LANE_INLINE LANE lane_load(const LANE_REAL *from) {
  return *from;
}

LANE_INLINE void lane_store(LANE_REAL *to, LANE a) {
  *to = a;
}

LANE_INLINE LANE lane_least_each(const LANE from[LANE_COUNT]) {
  return from[0];
}

LANE_INLINE LANE lane_gather(const LANE_REAL *from, const int32_t *index) {
  return from[*index];
}

LANE_INLINE LANE3 lane_gather_records(const LANE_REAL *records, const int32_t *index) {
  const LANE_REAL *record = records + (ptrdiff_t)*index * RECORD_SIZE;
  return (LANE3){record[0], record[1], record[2]};
}

LANE_INLINE LANE3 lane_gather_quads(const LANE_REAL *quads, const int32_t *index) {
  const LANE_REAL *quad = quads + (ptrdiff_t)*index * RECORD_QUAD;
  return (LANE3){quad[0], quad[1], quad[2]};
}

LANE_INLINE LANE3 lane_gather_sized(const LANE_REAL *quads, ptrdiff_t size, const int32_t *index) {
  const LANE_REAL *quad = quads + *index * size;
  return (LANE3){quad[0], quad[1], quad[2]};
}

LANE_INLINE LANE3 lane_gather_at(const LANE_REAL *reals, const int32_t *index) {
  const LANE_REAL *quad = reals + *index;
  return (LANE3){quad[0], quad[1], quad[2]};
}

LANE_INLINE LANE3 lane_pick(const LANE_REAL *window, size_t stride, const LANE_REAL *quads, int32_t first,
                            const int32_t *index) {
  (void)window, (void)stride, (void)first;
  return lane_gather_at(quads, index);
}

LANE_INLINE void lane_store_quads(LANE_REAL *quads, LANE3 a) {
  quads[0] = a.x, quads[1] = a.y, quads[2] = a.z, quads[3] = 0;
}

LANE_INLINE LANE3 lane_load_quads(const LANE_REAL *quads) {
  return (LANE3){quads[0], quads[1], quads[2]};
}

LANE_INLINE void lane_sum_quads(LANE_REAL *to, const LANE_REAL *reals, const quad_row *rows, int32_t count) {
  for (int n = 0; n < RECORD_QUAD; n++)
    for (int k = 0; k < RECORD_QUAD; k++) {
      LANE_REAL sum = 0;
      for (int32_t row = 0; row < count; row++)
        sum += reals[rows[row].index[n] + k] * rows[row].weight[n];
      to[n * RECORD_QUAD + k] = sum;
    }
}

LANE_INLINE void lane_scatter_quads(LANE_REAL *reals, const int32_t *index, LANE3 a) {
  lane_store_quads(reals + *index, a);
}

typedef struct lane_motion {
  LANE3 x, v;
} lane_motion;
#define LANE_MOTION lane_motion

LANE_INLINE LANE_MOTION lane_gather_motion(const LANE_REAL *records, const int32_t *index) {
  return (LANE_MOTION){lane_gather_records(records, index),
                       lane_gather_records(records + RECORD_QUAD, index)};
}

/* A quad, and a record of two. */
typedef struct lane_four {
  LANE3 of;
  LANE fourth;
} lane_four;
typedef struct lane_laden {
  lane_four x, v;
} lane_laden;
#define LANE_LADEN  lane_laden

LANE_INLINE LANE_LADEN lane_gather_laden(const LANE_REAL *reals, const int32_t *index) {
  const LANE_REAL *x = reals + *index, *v = x + RECORD_QUAD;
  return (LANE_LADEN){{{x[0], x[1], x[2]}, x[RECORD_QUAD - 1]}, {{v[0], v[1], v[2]}, v[RECORD_QUAD - 1]}};
}

LANE_INLINE LANE_LADEN lane_gather_laden_records(const LANE_REAL *records, const int32_t *index) {
  return lane_gather_laden(records, &(int32_t){*index * RECORD_SIZE});
}

LANE_INLINE LANE_MOTION lane_gather_motion_near(const LANE_REAL *records, const int16_t *near) {
  return lane_gather_motion(records, &(int32_t){*near});
}

LANE_INLINE LANE_MOTION lane_load_motion(const LANE_REAL *records) {
  return lane_gather_motion(records, &(int32_t){0});
}

LANE_INLINE void lane_scatter_records(LANE_REAL *records, const int32_t *index, LANE3 a, uint32_t some) {
  LANE_REAL *record = records + (ptrdiff_t)*index * RECORD_SIZE;
  if (some & 1)
    record[0] = a.x, record[1] = a.y, record[2] = a.z;
}

LANE_INLINE void lane_store_motion(LANE_REAL *records, LANE_MOTION a) {
  lane_scatter_records(records, &(int32_t){0}, a.x, 1);
  lane_scatter_records(records + RECORD_QUAD, &(int32_t){0}, a.v, 1);
}

LANE_INLINE void lane_store_laden(LANE_REAL *records, LANE_LADEN a) {
  lane_store_motion(records, (LANE_MOTION){a.x.of, a.v.of});
  records[RECORD_QUAD - 1] = a.x.fourth;
  records[RECORD_SIZE - 1] = a.v.fourth;
}

LANE_INLINE LANE_REAL lane_get(LANE a, int lane) {
  (void)lane;
  return a;
}

LANE_INLINE void lane_put(LANE *a, int lane, LANE_REAL value) {
  (void)lane;
  *a = value;
}

LANE_INLINE void lane_add_offsets(int32_t *to, const int16_t *offset, int32_t first, int32_t step) {
  (void)step;
  *to = first + *offset;
}

LANE_INLINE LANE_MASK lane_equals(const int32_t *numbers, int32_t number) {
  return *numbers == number;
}

LANE_INLINE LANE_MASK lane_counts(const int32_t *numbers, int32_t first) {
  return *numbers == first;
}

LANE_INLINE uint32_t lane_bits(LANE_MASK mask) {
  return mask != 0;
}

LANE_INLINE uint32_t lane_bits_above(LANE a, LANE b, LANE c, LANE d) {
  return (a > b) & (c > d);
}

LANE_INLINE uint32_t lane_bits_equal(const int32_t *numbers, int32_t number) {
  return *numbers == number;
}

LANE_INLINE uint32_t lane_bits_alike(const int32_t *a, const int32_t *b) {
  return *a == *b;
}

LANE_INLINE int32_t lane_pack(int32_t *to, const int32_t *from, uint32_t some) {
  *to = *from;
  return (int32_t)(some & 1);
}

LANE_INLINE int32_t lane_pack_real(LANE_REAL *to, LANE from, uint32_t some) {
  *to = from;
  return (int32_t)(some & 1);
}

LANE_INLINE void lane_gather_numbers(int32_t *to, const int32_t *from, const int32_t *index) {
  *to = from[*index];
}

LANE_INLINE void lane_split_quads(int32_t (*to)[LANE_COUNT], const int32_t (*quads)[RECORD_QUAD]) {
  for (int k = 0; k < RECORD_QUAD; k++)
    to[k][0] = quads[0][k];
}

LANE_INLINE LANE_MASK lane_below(int32_t first, int32_t end) {
  return first < end;
}

#endif

/* LANE_SMALLEST: smaller squared lengths have lost precision, and count as 0. LANE_PARALLEL: a smaller sine
   of an angle is rounding noise, and has no direction. */
#if defined(LANE_DOUBLE) || defined(MSD_DOUBLE)
#define LANE_SMALLEST ((LANE_REAL)1e-300)
#define LANE_PARALLEL ((LANE_REAL)1e-15)
#else
#define LANE_SMALLEST ((LANE_REAL)1e-36)
#define LANE_PARALLEL ((LANE_REAL)5e-7)
#endif

/* a where the mask is set, else 0. */
LANE_INLINE LANE lane_keep(LANE_MASK mask, LANE a) {
  return lane_select(mask, a, lane_set(0));
}

LANE_INLINE LANE lane_abs(LANE a) {
  return lane_select(a < 0, -a, a);
}

/* 1/a where the mask is set, else 0, without a division by 0. */
LANE_INLINE LANE lane_inverse(LANE_MASK mask, LANE a) {
  return lane_keep(mask, 1 / lane_select(mask, a, lane_set(1)));
}

/* Loads and stores of three components, `stride` apart. */
LANE_INLINE LANE3 lane_load3(const LANE_REAL *from, size_t stride) {
  return (LANE3){lane_load(from), lane_load(from + stride), lane_load(from + 2 * stride)};
}

LANE_INLINE void lane_store3(LANE_REAL *to, size_t stride, LANE3 a) {
  lane_store(to, a.x);
  lane_store(to + stride, a.y);
  lane_store(to + 2 * stride, a.z);
}

LANE_INLINE LANE3 lane_gather3(const LANE_REAL *from, size_t stride, const int32_t *index) {
  return (LANE3){lane_gather(from, index), lane_gather(from + stride, index),
                 lane_gather(from + 2 * stride, index)};
}

LANE_INLINE LANE3 lane_set3(LANE_REAL x, LANE_REAL y, LANE_REAL z) {
  return (LANE3){lane_set(x), lane_set(y), lane_set(z)};
}

LANE_INLINE LANE3 lane_keep3(LANE_MASK mask, LANE3 a) {
  return (LANE3){lane_keep(mask, a.x), lane_keep(mask, a.y), lane_keep(mask, a.z)};
}

LANE_INLINE LANE3 lane_select3(LANE_MASK mask, LANE3 a, LANE3 b) {
  return (LANE3){lane_select(mask, a.x, b.x), lane_select(mask, a.y, b.y), lane_select(mask, a.z, b.z)};
}

LANE_INLINE LANE3 lane_add(LANE3 a, LANE3 b) {
  return (LANE3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANE_INLINE LANE3 lane_subtract(LANE3 a, LANE3 b) {
  return (LANE3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE LANE3 lane_scale(LANE3 a, LANE s) {
  return (LANE3){a.x * s, a.y * s, a.z * s};
}

LANE_INLINE LANE lane_dot(LANE3 a, LANE3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_INLINE LANE3 lane_cross(LANE3 a, LANE3 b) {
  return (LANE3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* -(a + b): the gradient at the last corner, so that all sum to zero. */
LANE_INLINE LANE3 lane_balance(LANE3 a, LANE3 b) {
  return (LANE3){-(a.x + b.x), -(a.y + b.y), -(a.z + b.z)};
}

/* The unit vector along v, and the inverse of its length; both are 0 if v is too short. */
LANE_INLINE LANE3 lane_unit(LANE3 v, LANE *inverse_length) {
  const LANE squared = lane_dot(v, v);
  *inverse_length = lane_inverse(squared > LANE_SMALLEST, lane_sqrt(squared));
  return lane_scale(v, *inverse_length);
}

#endif
