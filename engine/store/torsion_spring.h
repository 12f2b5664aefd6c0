/* The torsion spring store: definitions, and stiffness and damping for a given substep. */
#ifndef MSD_ENGINE_STORE_TORSION_SPRING_H
#define MSD_ENGINE_STORE_TORSION_SPRING_H

#include "engine/store/law.h"
#include "engine/store/rotor.h"

typedef struct torsion_spring_store {
  int32_t count, capacity;
  /* The rotors at the ends; b is MSD_GROUND for the ground. */
  int32_t *a, *b;
  /* rad. */
  double *rest;
  law *laws;
  bool *is_broken;
  /* N m/rad and N m s/rad at the current substep length; 0 if broken. */
  double *k, *mu;
  /* N m s: the angular impulse of the last substep of sequential impulses. */
  double *given;
  /* A copy of `given` at the beginning of the frame. */
  double *work;
} torsion_spring_store;

extern const growth_table torsion_spring_growth;
void torsion_spring_store_free(torsion_spring_store *s, memory *m);

static inline bool torsion_spring_is_broken(const torsion_spring_store *s, int32_t spring) {
  return s->is_broken[spring];
}

/* 1/(kg m^2): the inverse inertia at an end; 0 for the ground. */
static inline double torsion_spring_inverse(const rotor_store *r, int32_t end) {
  return end >= 0 ? r->inverse_inertia[end] : 0;
}

/* rad and rad/s: angle_a - angle_b - rest, and its rate. The angle of the ground is always 0. */
static inline double torsion_spring_error(const torsion_spring_store *s, int32_t spring,
                                          const double *angle) {
  const int32_t b = s->b[spring];
  return angle[s->a[spring]] - (b >= 0 ? angle[b] : 0) - s->rest[spring];
}

static inline double torsion_spring_rate(const torsion_spring_store *s, int32_t spring,
                                         const double *velocity) {
  const int32_t b = s->b[spring];
  return velocity[s->a[spring]] - (b >= 0 ? velocity[b] : 0);
}

/* The law with inertias instead of masses. All terms are 0 if the spring is broken or both ends are fixed. */
law_terms torsion_spring_split(const torsion_spring_store *s, const rotor_store *r, int32_t spring);

/* Computes k and mu of all springs for substeps of `dt` seconds. */
void torsion_spring_tune(torsion_spring_store *s, const rotor_store *r, double dt, bool limit);

/* Zeroes the impulses of the last substep. */
void torsion_spring_forget_impulses(torsion_spring_store *s);

#endif
