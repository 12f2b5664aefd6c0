/* The store of angular springs: their definitions, and their stiffness and damping at a given substep. */
#ifndef MSD_ENGINE_STORE_ANGULAR_SPRING_H
#define MSD_ENGINE_STORE_ANGULAR_SPRING_H

#include "engine/store/law.h"
#include "engine/store/rotor.h"

typedef struct angular_spring_store {
  int32_t count, capacity;
  /* The rotors at the ends; b may be MSD_FRAME. */
  int32_t *a, *b;
  /* rad. */
  double *rest;
  law *laws;
  bool *is_broken;
  /* N m/rad and N m s/rad in the present step; 0 when broken. */
  double *k, *mu;
  /* N m s: the angular impulse of the last substep of sequential impulses. */
  double *given;
  /* `given` at the beginning of the step. */
  double *work;
} angular_spring_store;

extern const growth_table angular_spring_growth;
void angular_spring_store_free(angular_spring_store *s, memory *m);

static inline bool angular_spring_is_broken(const angular_spring_store *s, int32_t spring) {
  return s->is_broken[spring];
}

/* The inverse inertia at an end, 0 for the frame. */
static inline double angular_spring_inverse(const rotor_store *r, int32_t end) {
  return end >= 0 ? r->inverse_inertia[end] : 0;
}

/* angle_a - angle_b - rest, and its rate in rad/s; the frame rests at 0. */
static inline double angular_spring_error(const angular_spring_store *s, int32_t spring,
                                          const double *angle) {
  const int32_t b = s->b[spring];
  return angle[s->a[spring]] - (b >= 0 ? angle[b] : 0) - s->rest[spring];
}

static inline double angular_spring_rate(const angular_spring_store *s, int32_t spring,
                                         const double *velocity) {
  const int32_t b = s->b[spring];
  return velocity[s->a[spring]] - (b >= 0 ? velocity[b] : 0);
}

/* With inertias instead of masses. All 0 when the spring is broken or both its ends are fixed. */
law_terms angular_spring_split(const angular_spring_store *s, const rotor_store *r, int32_t spring);

/* Writes k and mu of all springs for substeps of `time_step` seconds. */
void angular_spring_tune(angular_spring_store *s, const rotor_store *r, double time_step, msd_limit limit);

/* Forgets the impulses of the last substep. */
void angular_spring_forget_impulses(angular_spring_store *s);

#endif
