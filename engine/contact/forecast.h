/* Forecasts: where particles are expected over the next few substeps, and how far off they may be.

   A forecast made at the time 0 expects the particle at X + V t + A t^2/2 until T, V its velocity then, and
   allows it a skin R about that. A is one for all particles: what it adds carries all of them along, and takes
   nothing from any distance, so that who asks how far particles are from each other may leave it out. It is
   what velocities have changed by in the last forecast, on the average, where nearly all share that but for
   half of it, as what falls does; else it is 0.

   Skins narrow from one forecast to the next, and are widened where a particle leaves its own. Where some of a
   surface rests and some is thrown about, skins can also go by how far off the last forecast was at its end.
   With e the root of the mean square of that, of 16 slots in a row, at the age of n substeps, they are

       3 e (6/n)^2,

   three times what it would have been after six, since what is off by an acceleration is off by the square of
   the time. What hardly goes astray gets as much as it needs for most of the forecast, where that costs
   little. */
#ifndef MSD_ENGINE_CONTACT_FORECAST_H
#define MSD_ENGINE_CONTACT_FORECAST_H

#include "engine/base/parallel.h"
#include "engine/store/particle.h"

enum { FORECAST_SKIN = COMPONENTS, FORECAST_COMPONENTS };

/* m: a skin that nothing leaves. What needs a wider one has diverged. */
#define FORECAST_UNWATCHED ((msd_real)1e15)

typedef struct forecast {
  /* X, V and R: seven components by slot, with the stride of the particles. */
  msd_real *state;
  void *block;
  size_t stride;
  int32_t particles;
  /* m/s^2: A. */
  double bend[3];
  /* s: T, and the time since. */
  double horizon, age;
  bool holds;
} forecast;

/* The states before and behind a substep, six components each, with one stride. */
typedef struct forecast_substep {
  const msd_real *before, *behind;
  size_t stride;
  /* s */
  double time_step;
} forecast_substep;

/* What a forecast is begun with. */
typedef struct forecast_plan {
  /* s: T. */
  double horizon;
  /* m: how wide skins are at least; or, where they follow the last forecast and that lasted for three substeps
     at least, from a third of that to twice as much, by what it asks for. What would keep within 0.7 of it for
     three quarters of the horizon gets as much as that takes. */
  double skin;
  bool follows_the_last;
  /* m/s^2: A. */
  const double *bend;
  const msd_tasks *tasks;
  /* That begin it; 0: one. */
  int threads;
} forecast_plan;

/* For those particles. False, and empty, without memory. */
bool forecast_reserve(forecast *f, memory *m, const particle_store *p);
void forecast_free(forecast *f, memory *m);

/* It holds no more, and nothing of it is known. */
void forecast_forget(forecast *f);

/* R by slot. */
static inline msd_real *forecast_skins(const forecast *f) {
  return f->state + FORECAST_SKIN * f->stride;
}

/* Whether it goes on to the end of a substep. */
static inline bool forecast_lasts(const forecast *f, double time_step) {
  return f->holds && f->age + time_step <= f->horizon * (1 + 1e-6);
}

/* m/s: the most that a component of the velocity of one of so many particles is before the substep. */
double forecast_fastest(const forecast_substep *s, int32_t particles);

/* m: A t^2/2 at an age, along an axis. */
static inline double forecast_shift(const forecast *f, size_t axis, double age) {
  return 0.5 * f->bend[axis] * age * age;
}

/* Whether it has lasted for three substeps, and so shows how far off it is and how all become faster. */
bool forecast_shows(const forecast *f, double time_step);

/* A is 0 from now on: of a forecast that holds no more. */
void forecast_straighten(forecast *f);

/* m/s^2: the A that the next forecast should have, by some of the particles, from a state of six components
   with that stride at the age of this one. Leaves it as it is where this one does not show that. */
void forecast_find_bend(const forecast *f, const msd_real *state, size_t stride, double time_step,
                        double bend[3]);

/* From the state before the substep. */
void forecast_begin(forecast *f, const forecast_substep *s, const forecast_plan *plan);

/* The same where nobody is watched but those who are followed later. Where others have begun is known all the
   same, by which what comes near is chosen. */
void forecast_begin_unwatched(forecast *f, const forecast_substep *s, const forecast_plan *plan);

/* Particles that have one of the marks, by slot, are expected to go on from the state before the substep as
   they go in it. Those that were not watched get the least skin. */
void forecast_follow(forecast *f, const forecast_substep *s, double least, const uint8_t *marked,
                     uint8_t marks);

/* Widens the skins of such particles to more than they need behind the substep. False where that is not
   finite. */
bool forecast_widen(forecast *f, const forecast_substep *s, const uint8_t *marked, uint8_t marks);

#endif
