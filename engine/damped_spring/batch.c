/* Batches: one spring applied to whole arrays. With wide vectors memory bandwidth is the limit, so the same
   plain loops are compiled for several x86-64 vector widths and selected at run time. Results are bitwise
   identical for all widths. */
#include "engine/damped_spring/internal.h"

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* The increments of one spring in the number type of the arrays. Overflow is clamped to the largest number,
   because an infinite one would turn an offset of 0 into NaN. */
typedef struct {
  bool keep_pos, keep_vel;
  float pos_pos, pos_vel, vel_pos, vel_vel, dt;
} float_increments;

typedef struct {
  bool keep_pos, keep_vel;
  double pos_pos, pos_vel, vel_pos, vel_vel, dt;
} double_increments;

static float bounded_float(double value) {
  return value > (double)FLT_MAX ? FLT_MAX : value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
}

static float_increments make_float_increments(const msd_damped_spring *spring, double time_step) {
  const increments s = make_increments(spring);
  return (float_increments){.keep_pos = s.keep_pos,
                            .keep_vel = s.keep_vel,
                            .pos_pos = (float)s.pos_pos,
                            .pos_vel = bounded_float(s.pos_vel),
                            .vel_pos = bounded_float(s.vel_pos),
                            .vel_vel = (float)s.vel_vel,
                            .dt = bounded_float(parameter(time_step))};
}

static double_increments make_double_increments(const msd_damped_spring *spring, double time_step) {
  const increments s = make_increments(spring);
  return (double_increments){.keep_pos = s.keep_pos,
                             .keep_vel = s.keep_vel,
                             .pos_pos = s.pos_pos,
                             .pos_vel = s.pos_vel,
                             .vel_pos = s.vel_pos,
                             .vel_vel = s.vel_vel,
                             .dt = parameter(time_step)};
}

/* The loops, for REAL = float and double; the arithmetic is `advance` of internal.h. If an array is NULL,
   the shared value is used for all elements. REAL_bounded is bounded() on the bits, where infinity is the
   successor of the largest number: compilers generate much slower loops for floating-point comparisons. */
#define DEFINE_LOOPS(REAL, BITS, INFINITE)                                                                   \
  ALWAYS_INLINE REAL REAL##_bounded(REAL value) {                                                            \
    BITS bits;                                                                                               \
    memcpy(&bits, &value, sizeof bits);                                                                      \
    bits -= (bits & ~(BITS)0 >> 1) == INFINITE;                                                              \
    memcpy(&value, &bits, sizeof bits);                                                                      \
    return value;                                                                                            \
  }                                                                                                          \
                                                                                                             \
  ALWAYS_INLINE void REAL##_update_loop(const REAL##_increments s, REAL *restrict x, REAL *restrict v,       \
                                        const REAL *restrict goals, REAL shared_goal, size_t count) {        \
    for (size_t i = 0; i < count; i++) {                                                                     \
      const REAL position = x[i], velocity = v[i], goal = goals ? goals[i] : shared_goal;                    \
      const REAL offset = REAL##_bounded(position - goal);                                                   \
      const REAL pos = s.pos_pos * offset + s.pos_vel * velocity;                                            \
      const REAL vel = s.vel_pos * offset + s.vel_vel * velocity;                                            \
      x[i] = REAL##_bounded((s.keep_pos ? position : goal) + pos);                                           \
      v[i] = REAL##_bounded((s.keep_vel ? velocity : 0) + vel);                                              \
    }                                                                                                        \
  }                                                                                                          \
                                                                                                             \
  ALWAYS_INLINE void REAL##_track_loop(const REAL##_increments s, REAL *restrict x, REAL *restrict v,        \
                                       const REAL *restrict goals, const REAL *restrict goal_velocities,     \
                                       size_t count) {                                                       \
    for (size_t i = 0; i < count; i++) {                                                                     \
      const REAL position = x[i], velocity = v[i];                                                           \
      const REAL goal = goals ? goals[i] : 0, q = goal_velocities ? goal_velocities[i] : 0;                  \
      const REAL offset = REAL##_bounded(position - goal), relative = REAL##_bounded(velocity - q);          \
      const REAL drift = REAL##_bounded(q * s.dt);                                                           \
      const REAL base = REAL##_bounded((s.keep_pos ? position : goal) + drift);                              \
      const REAL pos = s.pos_pos * offset + s.pos_vel * relative;                                            \
      const REAL vel = s.vel_pos * offset + s.vel_vel * relative;                                            \
      x[i] = REAL##_bounded(base + pos);                                                                     \
      v[i] = REAL##_bounded((s.keep_vel ? velocity : q) + vel);                                              \
    }                                                                                                        \
  }                                                                                                          \
                                                                                                             \
  /* keep: the remainder is above 1/2, and `factor` is (remainder - 1); else it is the remainder. */         \
  ALWAYS_INLINE void REAL##_damper_loop(bool keep, REAL factor, REAL *restrict x,                            \
                                        const REAL *restrict goals, size_t count) {                          \
    for (size_t i = 0; i < count; i++) {                                                                     \
      const REAL position = x[i], goal = goals ? goals[i] : 0;                                               \
      x[i] = (keep ? position : goal) + factor * REAL##_bounded(position - goal);                            \
    }                                                                                                        \
  }

DEFINE_LOOPS(float, uint32_t, UINT32_C(0x7f800000))
DEFINE_LOOPS(double, uint64_t, UINT64_C(0x7ff0000000000000))

/* Each loop as functions for one instruction set; branches on NULL are outside of the loops. */
#define DEFINE_WIDTH(REAL, WIDTH, TARGET)                                                                    \
  TARGET static void REAL##_update_##WIDTH(const REAL##_increments s, REAL *x, REAL *v, const REAL *goals,   \
                                           REAL shared_goal, size_t count) {                                 \
    if (goals)                                                                                               \
      REAL##_update_loop(s, x, v, goals, 0, count);                                                          \
    else                                                                                                     \
      REAL##_update_loop(s, x, v, NULL, shared_goal, count);                                                 \
  }                                                                                                          \
  TARGET static void REAL##_track_##WIDTH(const REAL##_increments s, REAL *x, REAL *v, const REAL *goals,    \
                                          const REAL *goal_velocities, size_t count) {                       \
    REAL##_track_loop(s, x, v, goals, goal_velocities, count);                                               \
  }                                                                                                          \
  TARGET static void REAL##_damper_##WIDTH(bool keep, REAL factor, REAL *x, const REAL *goals,               \
                                           size_t count) {                                                   \
    REAL##_damper_loop(keep, factor, x, goals, count);                                                       \
  }

DEFINE_WIDTH(float, base, )
DEFINE_WIDTH(double, base, )

/* gcc for Windows cannot keep 32-byte vectors aligned on the stack. */
#if defined(__x86_64__) && defined(__GNUC__) && (defined(__clang__) || !defined(_WIN32))
DEFINE_WIDTH(float, avx2, __attribute__((target("avx2"))))
DEFINE_WIDTH(double, avx2, __attribute__((target("avx2"))))
#define WIDEST(function) (__builtin_cpu_supports("avx2") ? function##_avx2 : function##_base)
#else
#define WIDEST(function) function##_base
#endif

void msd_damped_spring_update_floats(const msd_damped_spring *spring, float *x, float *v, const float *goals,
                                     size_t count) {
  if (x && v)
    WIDEST(float_update)(make_float_increments(spring, 0), x, v, goals, 0, count);
}

void msd_damped_spring_update_doubles(const msd_damped_spring *spring, double *x, double *v,
                                      const double *goals, size_t count) {
  if (x && v)
    WIDEST(double_update)(make_double_increments(spring, 0), x, v, goals, 0, count);
}

void msd_damped_spring_gather_floats(const msd_damped_spring *spring, float *x, float *v, float goal,
                                     size_t count) {
  if (x && v)
    WIDEST(float_update)(make_float_increments(spring, 0), x, v, NULL, goal, count);
}

void msd_damped_spring_gather_doubles(const msd_damped_spring *spring, double *x, double *v, double goal,
                                      size_t count) {
  if (x && v)
    WIDEST(double_update)(make_double_increments(spring, 0), x, v, NULL, goal, count);
}

void msd_damped_spring_track_floats(const msd_damped_spring *spring, double time_step, float *x, float *v,
                                    const float *goals, const float *goal_velocities, size_t count) {
  if (x && v)
    WIDEST(float_track)(make_float_increments(spring, time_step), x, v, goals, goal_velocities, count);
}

void msd_damped_spring_track_doubles(const msd_damped_spring *spring, double time_step, double *x, double *v,
                                     const double *goals, const double *goal_velocities, size_t count) {
  if (x && v)
    WIDEST(double_track)(make_double_increments(spring, time_step), x, v, goals, goal_velocities, count);
}

void msd_damper_floats(float *x, const float *goals, double halflife, double time_step, size_t count) {
  const double argument = damper_argument(halflife, time_step);
  const bool keep = argument < LN2;
  if (x)
    WIDEST(float_damper)(keep, (float)(keep ? expm1(-argument) : exp(-argument)), x, goals, count);
}

void msd_damper_doubles(double *x, const double *goals, double halflife, double time_step, size_t count) {
  const double argument = damper_argument(halflife, time_step);
  const bool keep = argument < LN2;
  if (x)
    WIDEST(double_damper)(keep, keep ? expm1(-argument) : exp(-argument), x, goals, count);
}
