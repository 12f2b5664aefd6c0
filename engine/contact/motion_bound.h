/* Motion bounds: a prediction of every particle for the next substeps, and how far it may deviate.

   A motion bound made at time 0 predicts X + V t + A t^2/2 until T, with V the velocity at its beginning,
   and allows each particle a skin R about that. The acceleration A is common to all particles: it changes no
   distance between them, so that distances can be bounded without it. A is the mean change of velocities
   during the last motion bound if nearly all particles share it to within half of it, as in free fall;
   otherwise 0.

   Skins become narrower from one motion bound to the next and are widened for particles that violate them.
   If some particles rest while others move fast, skins can instead follow the deviation from the last motion
   bound. With e the RMS deviation of 16 consecutive slots after n substeps, they are

       3 e (6/n)^2,

   three times the deviation after six substeps, because it grows with the square of the time. Slow particles
   get enough for most of the horizon where that costs little. */
#ifndef MSD_ENGINE_CONTACT_MOTION_BOUND_H
#define MSD_ENGINE_CONTACT_MOTION_BOUND_H

#include "engine/base/parallel.h"
#include "engine/store/particle.h"

enum { MOTION_BOUND_SKIN = COMPONENTS, MOTION_BOUND_COMPONENTS };

/* m: the skin of particles that are not monitored. A particle that would need a wider one has diverged. */
#define MOTION_BOUND_UNWATCHED ((msd_real)1e15)

typedef struct motion_bound {
  /* X, V and R: seven components by slot, with the stride of the particles. */
  msd_real *state;
  void *block;
  size_t stride;
  int32_t particles;
  /* m/s^2: A. */
  double bend[3];
  /* s: the horizon T, and the time since the beginning. */
  double horizon, age;
  bool holds;
} motion_bound;

/* The states before and after a substep, six components each, with one stride. */
typedef struct motion_bound_substep {
  const msd_real *before, *behind;
  size_t stride;
  /* s */
  double dt;
} motion_bound_substep;

/* How to begin a motion bound. */
typedef struct motion_bound_plan {
  /* s: T. */
  double horizon;
  /* m: the least skin. If skins follow the last motion bound, and that lasted at least three substeps: they
     are 1/3 to 2 times this, by the deviation; or wide enough for 3/4 of the horizon if that takes at most
     0.7 times this. */
  double skin;
  bool follows_the_last;
  /* m/s^2: A. */
  const double *bend;
  const msd_tasks *tasks;
  /* At most; 0 means one. */
  int threads;
} motion_bound_plan;

/* False without memory; then empty. */
bool motion_bound_reserve(motion_bound *f, memory *m, const particle_store *p);
void motion_bound_free(motion_bound *f, memory *m);

/* Invalidates it and clears all components. */
void motion_bound_forget(motion_bound *f);

/* R, by slot. */
static inline msd_real *motion_bound_skins(const motion_bound *f) {
  return f->state + MOTION_BOUND_SKIN * f->stride;
}

/* True if it is valid until the end of the next substep. */
static inline bool motion_bound_lasts(const motion_bound *f, double dt) {
  return f->holds && f->age + dt <= f->horizon * (1 + 1e-6);
}

/* m/s: the largest velocity component of the first `particles` slots before the substep. */
double motion_bound_fastest(const motion_bound_substep *s, int32_t particles);

/* m: A t^2/2 at an age in s, along an axis. */
static inline double motion_bound_shift(const motion_bound *f, size_t axis, double age) {
  return 0.5 * f->bend[axis] * age * age;
}

/* True if it has lasted three substeps, long enough to tell its deviation and A. */
bool motion_bound_shows(const motion_bound *f, double dt);

/* Sets A to 0; only for a motion bound that is no longer valid. */
void motion_bound_straighten(motion_bound *f);

/* m/s^2: estimates the next A from a sample of particles. `state` has six components and is at the age of
   this motion bound. Leaves `bend` unchanged if the motion bound is too young. */
void motion_bound_find_bend(const motion_bound *f, const msd_real *state, size_t stride, double dt,
                            double bend[3]);

/* Begins at the state before the substep. */
void motion_bound_begin(motion_bound *f, const motion_bound_substep *s, const motion_bound_plan *plan);

/* The same without monitoring any particle until motion_bound_follow. All predictions are made all the same. */
void motion_bound_begin_unwatched(motion_bound *f, const motion_bound_substep *s,
                                  const motion_bound_plan *plan);

/* Gives marked particles a new prediction: from their state before the substep with their motion in it.
   Particles that were not monitored get the least skin. */
void motion_bound_follow(motion_bound *f, const motion_bound_substep *s, double least, const uint8_t *marked,
                         uint8_t marks);

/* Widens the skins of marked particles beyond their deviation after the substep. False if that is not
   finite. */
bool motion_bound_widen(motion_bound *f, const motion_bound_substep *s, const uint8_t *marked, uint8_t marks);

#endif
