/* The spring store: what each spring is by definition, and what that means at a given substep. */
#ifndef MSD_ENGINE_STORE_SPRING_H
#define MSD_ENGINE_STORE_SPRING_H

#include "engine/base/memory.h"
#include "engine/store/particle.h"

/* What a spring is made of. */
typedef struct spring_material {
  msd_real stiffness; /* N/m, ck or Hz, by law */
  msd_real damping;   /* N s/m, cd or damping ratio, by law */
  uint8_t law;        /* msd_spring_law */
} spring_material;

/* Networks have few materials and many springs: a spring has a byte that says which, as long as the table has room
   for 256 at once. */
typedef struct spring_materials {
  spring_material *table;
  uint8_t *index; /* of each spring in the table; NULL: spring i has table[i] */
  int32_t count;  /* in the table, when there is an index */
} spring_materials;

typedef struct spring_store {
  int32_t count, capacity;
  int32_t broken;
  int32_t one_sided; /* tethers and struts, broken ones included */
  int32_t *a, *b;    /* the ends */
  msd_real *rest;    /* m */
  uint8_t *side;     /* msd_spring_side, and SPRING_BROKEN */
  spring_materials materials;
} spring_store;

enum { SPRING_BROKEN = 0x80 };

size_t spring_materials_cost(int64_t capacity);
void spring_materials_free(spring_materials *s, memory *m);

/* Room for `capacity` springs, of which there are `springs`; here and below false, and nothing changed that shows, when
   there is no memory. */
bool spring_materials_grow(spring_materials *s, memory *m, int32_t springs, int32_t capacity);

/* Makes sure that 64 materials can be set that no spring has yet. */
bool spring_materials_reserve(spring_materials *s, memory *m, int32_t springs, int32_t capacity);

/* Gives a spring its material. It may be the one behind the last of `springs`. */
bool spring_materials_set(spring_materials *s, memory *m, int32_t spring, spring_material material,
                          int32_t springs, int32_t capacity);

static inline spring_material spring_material_of(const spring_store *s, int32_t spring) {
  return s->materials.table[s->materials.index ? s->materials.index[spring] : spring];
}

static inline msd_spring_law spring_law(const spring_store *s, int32_t spring) {
  return (msd_spring_law)spring_material_of(s, spring).law;
}

static inline msd_spring_side spring_side(const spring_store *s, int32_t spring) {
  return (msd_spring_side)(s->side[spring] & ~SPRING_BROKEN);
}

size_t spring_store_cost(int64_t capacity);
bool spring_store_reserve(spring_store *s, memory *m, int64_t capacity);
void spring_store_free(spring_store *s, memory *m);

static inline bool spring_is_broken(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_BROKEN;
}

/* Whether a spring with the error C = length - rest is where its side lets it act: a tether above its rest length,
   a strut below it. */
static inline bool spring_acts_at(const spring_store *s, int32_t spring, double error) {
  switch (spring_side(s, spring)) {
  case MSD_SPRING_TETHER:
    return error > 0;
  case MSD_SPRING_STRUT:
    return error < 0;
  default:
    return true;
  }
}

/* A spring split by how its parts grow with the step: as a fraction of what a step can carry it weighs
   kappa = dt^2 stiffness + 2 dt damping + coefficient.
   All are 0 when the spring is broken or both its ends are pinned: it then moves nothing. */
typedef struct spring_terms {
  double stiffness; /* N/m of a spring that keeps its stiffness at any step */
  double damping;   /* N s/m of such a spring */
  double mass_ck;   /* kg: m ck of a coefficient spring */
  double mass_cd;   /* kg: m cd */
  double share;     /* kg: 1/(n_a w_a + n_b w_b), the mass that this spring may use up when every spring at
                         its ends gets a like share; sum of share b b^T over springs is at most M */
} spring_terms;

spring_terms spring_split(const spring_store *s, const particle_store *p, int32_t spring);

/* k (N/m) and mu (N s/m) at a substep of `time_step` seconds. */
typedef struct spring_tuning {
  double stiffness, damping;
  bool capped; /* the limit made it softer */
} spring_tuning;

spring_tuning spring_tune(const spring_terms *terms, double time_step, msd_limit limit);

/* The present length, and the unit vector from b to a (0 when they are in one place). */
double spring_direction(const spring_store *s, const particle_store *p, int32_t spring, double unit[3]);

#endif
