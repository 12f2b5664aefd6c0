#include "engine/contact/forecast.h"

#include "engine/contact/marks.h"

#include <math.h>
#include <string.h>

/* What a skin that was too narrow gets, as a share of what it needed; and what each keeps of its width from one
   forecast to the next. */
static const double WIDER = 1.5, NARROWER = 0.75;

/* m: what a skin has at least, so that it can be widened. */
static const msd_real NARROWEST = (msd_real)1e-6;

/* Over how many substeps a course is, at least. */
enum { COURSE_SUBSTEPS = 6 };

bool forecast_reserve(forecast *f, memory *m, const particle_store *p) {
  forecast_free(f, m);
  f->state = particle_allocate_slab(p, m, FORECAST_COMPONENTS, &f->block);
  f->stride = p->stride;
  f->particles = p->count;
  return f->state;
}

void forecast_free(forecast *f, memory *m) {
  memory_release(m, f->block);
  *f = (forecast){0};
}

void forecast_forget(forecast *f) {
  memset(forecast_skins(f), 0, (size_t)f->particles * sizeof *f->state);
  f->holds = false;
}

void forecast_set_course(forecast *f, const forecast_substep *s) {
  if (f->holds && f->age < COURSE_SUBSTEPS * s->time_step)
    return;
  for (size_t k = 0; k < 3; k++) {
    msd_real *x = f->state + k * f->stride, *v = x + 3 * f->stride;
    const msd_real *now = s->before + k * s->stride;
    if (f->holds)
      for (int32_t slot = 0; slot < f->particles; slot++)
        v[slot] = (msd_real)(((double)now[slot] - (double)x[slot]) / f->age);
    else
      memcpy(v, now + 3 * s->stride, (size_t)f->particles * sizeof *v);
    memcpy(x, now, (size_t)f->particles * sizeof *x);
  }
  f->holds = true;
  f->age = 0;
}

/* Four by four: compilers make vectors of that. */
double forecast_fastest(const forecast *f) {
  enum { FOUR = 4 };
  msd_real most[FOUR] = {0};
  for (size_t k = 3; k < COMPONENTS; k++) {
    const msd_real *v = f->state + k * f->stride;
    int32_t slot = 0;
    for (; f->particles - slot >= FOUR; slot += FOUR)
      for (int n = 0; n < FOUR; n++) {
        const msd_real speed = v[slot + n] < 0 ? -v[slot + n] : v[slot + n];
        most[n] = speed > most[n] ? speed : most[n];
      }
    for (; slot < f->particles; slot++) {
      const msd_real speed = v[slot] < 0 ? -v[slot] : v[slot];
      most[0] = speed > most[0] ? speed : most[0];
    }
  }
  for (int n = 1; n < FOUR; n++)
    most[0] = most[n] > most[0] ? most[n] : most[0];
  return (double)most[0];
}

/* Skins narrow: but not while a substep is done again and again, which so comes to an end. */
void forecast_begin(forecast *f, const forecast *course, const forecast_substep *s, double horizon,
                    double least) {
  const size_t bytes = (size_t)f->particles * sizeof *f->state;
  for (size_t k = 0; k < 3; k++) {
    memcpy(f->state + k * f->stride, s->before + k * s->stride, bytes);
    memcpy(f->state + (k + 3) * f->stride, course->state + (k + 3) * course->stride, bytes);
  }
  msd_real *skins = forecast_skins(f);
  const double kept = f->age > 0 ? NARROWER : 1;
  for (int32_t slot = 0; slot < f->particles; slot++) {
    const double narrower = skins[slot] < FORECAST_UNWATCHED ? kept * (double)skins[slot] : 0;
    skins[slot] = (msd_real)(narrower > least ? narrower : least) + NARROWEST;
  }
  f->horizon = horizon;
  f->age = 0;
  f->holds = true;
}

void forecast_follow(forecast *f, const forecast *course, const forecast_substep *s, double least,
                     const uint8_t *marked, uint8_t marks) {
  msd_real *skins = forecast_skins(f);
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    for (size_t axis = 0; axis < 3; axis++) {
      msd_real *x = f->state + axis * f->stride + (size_t)slot, *v = x + 3 * f->stride;
      *v = course->state[(axis + 3) * course->stride + (size_t)slot];
      *x = (msd_real)((double)s->before[axis * s->stride + (size_t)slot] - (double)*v * f->age);
    }
    if (skins[slot] >= FORECAST_UNWATCHED)
      skins[slot] = (msd_real)least + NARROWEST;
  }
}

/* How far a place behind the substep is from a forecast. */
static double off_forecast(const forecast *f, const forecast_substep *s, int32_t slot) {
  double square = 0;
  for (size_t axis = 0; axis < 3; axis++) {
    const msd_real *x = f->state + axis * f->stride + (size_t)slot;
    const double off = (double)s->behind[axis * s->stride + (size_t)slot] -
                       ((double)*x + (double)x[3 * f->stride] * (f->age + s->time_step));
    square += off * off;
  }
  return sqrt(square);
}

bool forecast_widen(forecast *f, const forecast_substep *s, const uint8_t *marked, uint8_t marks) {
  msd_real *skins = forecast_skins(f);
  bool enough = true;
  for (int32_t slot = marks_next(marked, marks, 0, f->particles); slot < f->particles;
       slot = marks_next(marked, marks, slot + 1, f->particles)) {
    const double off = off_forecast(f, s, slot), skin = (double)skins[slot];
    skins[slot] = (msd_real)(WIDER * (off <= skin ? skin : off));
    enough = enough && skins[slot] < FORECAST_UNWATCHED;
  }
  return enough;
}
