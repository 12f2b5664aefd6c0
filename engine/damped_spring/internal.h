/* Shared by the closed-form springs: treatment of invalid parameters, sums that cannot become NaN, and the
   update of a single value. */
#ifndef MSD_ENGINE_DAMPED_SPRING_INTERNAL_H
#define MSD_ENGINE_DAMPED_SPRING_INTERNAL_H

#include "msd/damped_spring.h"

#include <float.h>
#include <math.h>

#define LN2 0.69314718055994530942
#define PI  3.14159265358979323846

/* Parameters as documented in the public header: negative or NaN counts as 0, +infinity as the largest
   double. */
static inline double parameter(double value) {
  return value > 0 ? (value < DBL_MAX ? value : DBL_MAX) : 0;
}

/* Clamps infinities to the largest double, so that a product of two numbers >= 0, or a difference, can be
   multiplied by 0 or subtracted safely. */
static inline double bounded(double value) {
  value = value > DBL_MAX ? DBL_MAX : value;
  return value < -DBL_MAX ? -DBL_MAX : value;
}

/* The decay rate of a critically damped spring in 1/s, half of its damping 4 ln2/halflife. DBL_MAX for a
   half-life of 0. */
static inline double critical_rate(double halflife) {
  return bounded(2 * LN2 / parameter(halflife));
}

/* ln2 dt/halflife of a damper; DBL_MAX for a half-life of 0; 0 if dt is 0. */
static inline double damper_argument(double halflife, double time_step) {
  const double dt = parameter(time_step);
  return dt > 0 ? bounded(LN2 * dt / parameter(halflife)) : 0;
}

/* The update of a spring as increments. If a diagonal coefficient is near 1, the old value changes by
   (coefficient - 1) times the offset; if it is near 0, the new value is computed from the goal. So a short
   interval loses no precision however far the goal is, and a long one reaches the goal exactly however far
   the value was. */
typedef struct {
  bool keep_pos, keep_vel;
  double pos_pos, pos_vel, vel_pos, vel_vel;
} increments;

static inline increments make_increments(const msd_damped_spring *s) {
  const bool keep_pos = s->pos_pos > 0.5, keep_vel = s->vel_vel > 0.5;
  return (increments){.keep_pos = keep_pos,
                      .keep_vel = keep_vel,
                      .pos_pos = keep_pos ? s->pos_pos - 1 : s->pos_pos,
                      .pos_vel = s->pos_vel,
                      .vel_pos = s->vel_pos,
                      .vel_vel = keep_vel ? s->vel_vel - 1 : s->vel_vel};
}

/* Advances x and v about a goal that moves at velocity q, by dt seconds. */
static inline void advance(const increments *s, double dt, double *x, double *v, double goal, double q) {
  const double offset = bounded(*x - goal), relative = bounded(*v - q), drift = bounded(q * dt);
  const double pos = s->pos_pos * offset + s->pos_vel * relative;
  const double vel = s->vel_pos * offset + s->vel_vel * relative;
  *x = bounded(bounded((s->keep_pos ? *x : goal) + drift) + pos);
  *v = bounded((s->keep_vel ? *v : q) + vel);
}

#endif
