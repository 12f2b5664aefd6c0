/* The spring store: definitions of springs and their state. */
#ifndef MSD_ENGINE_STORE_SPRING_H
#define MSD_ENGINE_STORE_SPRING_H

#include "engine/store/damage_rule.h"
#include "engine/store/incidence.h"
#include "engine/store/law_table.h"
#include "engine/store/particle.h"
#include "engine/store/rest_length_track.h"

/* Companion springs: spring first_companion + n is the companion of spring first + n, for n below `count`. Its
   rest length is `ratio` times as long. It tears and yields with the spring. */
typedef struct spring_companion {
  int32_t first, count, first_companion;
  msd_real ratio;
} spring_companion;

/* The companion of a spring in one of the lists; -1: none. */
static inline int32_t spring_companion_of(const spring_companion *b, int32_t spring) {
  return spring >= b->first && spring - b->first < b->count ? b->first_companion + (spring - b->first) : -1;
}

typedef struct spring_store {
  int32_t count, capacity;
  /* Broken springs, and those of them that tore under strain. */
  int32_t broken, torn;
  /* The number of tension-only and compression-only springs, including broken ones; and of unbroken hard
     length limits. */
  int32_t one_sided, hard_limits;
  /* The number of springs by msd_spring_law, including broken ones. */
  int32_t of_law[MSD_SPRING_LAW_COUNT];
  /* The ends. */
  int32_t *a, *b;
  /* m. */
  msd_real *rest;
  /* An msd_spring_mode, with the flags SPRING_BROKEN, SPRING_HARD_LIMIT and SPRING_TORN. */
  uint8_t *side;
  law_table laws;
  /* NULL: no spring has damage or plasticity. */
  damage_rule *damage;
  spring_companion *companions;
  int32_t companion_count, companion_capacity;
  rest_length_store moves;
} spring_store;

/* A torn spring is broken too. It still counts in the valence of its ends, so that the mass fractions of
   other springs do not change. A substep that was proven stable with the spring stays proven stable without
   it. */
enum { SPRING_BROKEN = 0x80, SPRING_HARD_LIMIT = 0x40, SPRING_TORN = 0x20, SPRING_SIDE_BITS = 3 };

static inline law spring_law(const spring_store *s, int32_t spring) {
  return law_table_get(&s->laws, spring);
}

/* The number of springs, including broken ones, whose stiffness depends on the masses of their ends. */
static inline int32_t spring_mass_followers(const spring_store *s) {
  return s->of_law[MSD_SPRING_COEFFICIENT] + s->of_law[MSD_SPRING_FREQUENCY];
}

static inline msd_spring_mode spring_side(const spring_store *s, int32_t spring) {
  return (msd_spring_mode)(s->side[spring] & SPRING_SIDE_BITS);
}

extern const growth_table spring_growth, spring_companion_growth;

/* Reserves capacity for `needed` springs in total. Returns false if memory runs out. */
bool spring_store_reserve(spring_store *s, memory *m, int64_t needed);
void spring_store_free(spring_store *s, memory *m);

static inline bool spring_is_broken(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_BROKEN;
}

static inline bool spring_is_torn(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_TORN;
}

static inline bool spring_is_hard_limit(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_HARD_LIMIT;
}

/* The plastic strain: rest/given - 1; 0 if the spring has not yielded. */
static inline double spring_set(const spring_store *s, int32_t spring) {
  const double given = s->damage ? (double)s->damage[spring].given : 0;
  return given > 0 ? (double)s->rest[spring] / given - 1 : 0;
}

/* Returns whether the spring acts at the error C = length - rest: a tension-only spring acts above its rest
   length, a compression-only spring below it. */
static inline bool spring_acts_at(const spring_store *s, int32_t spring, double error) {
  switch (spring_side(s, spring)) {
  case MSD_SPRING_TENSION_ONLY:
    return error > 0;
  case MSD_SPRING_COMPRESSION_ONLY:
    return error < 0;
  default:
    return true;
  }
}

/* Sets the flags of the last spring, whose law is set, and counts it. `flags` is its mode, with SPRING_BROKEN
   and SPRING_TORN. */
void spring_count_last(spring_store *s, particle_store *p, uint8_t flags);

/* Appends `count` springs whose laws are set and of one kind, with capacity reserved. */
void spring_add_alike(spring_store *s, particle_store *p, const int32_t (*ends)[2], const msd_real *rest,
                      int32_t count, msd_spring_mode side);

/* Break an unbroken spring; the second function by strain. */
void spring_mark_broken(spring_store *s, particle_store *p, int32_t spring);
void spring_mark_torn(spring_store *s, int32_t spring);

/* Turns a torn spring into a broken one: its fraction of the masses becomes available to other springs. */
void spring_forget_torn(spring_store *s, particle_store *p, int32_t spring);

/* The lists of companions after spring e has moved to to[e]; -1: removed. Returns their number; `out` may be
   NULL. */
int32_t spring_move_companions(const spring_store *s, const int32_t *to, spring_companion *out);

/* Renumbers springs as column_compact does, and their ends. A map that is NULL is the identity. Takes
   ownership of the result of spring_move_companions. Springs that are removed must be broken and not torn. */
void spring_close_gaps(spring_store *s, memory *m, const int32_t *to, const int32_t *particle_to,
                       spring_companion *companions, int32_t companion_count);

/* Allocates damage and plasticity data. Returns false if memory runs out. */
bool spring_open_damage(spring_store *s, memory *m);

/* Returns whether some spring may split particles when it tears. */
bool spring_some_splits(const spring_store *s);

/* Replaces the law of a spring. Returns false, without a change, if memory runs out. */
bool spring_set_law(spring_store *s, particle_store *p, memory *m, int32_t spring, law wanted);

/* Finds the springs at each particle, including broken ones. Returns false if memory runs out; free the
   incidence in any case. */
bool spring_find_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles);

/* Appends the springs that are missing. Returns false, without a change, if memory runs out. */
bool spring_append_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles);

/* Returns whether a loaded law is valid for the mode of a spring. */
bool spring_law_is_sound(law l, uint8_t side);

/* Returns whether a spring is a hard length limit that can act: unbroken, and not between two pins. */
bool spring_can_hard_limit(const spring_store *s, const particle_store *p, int32_t spring);

/* kg: c m_e of a hard length limit, with m_e = 1/(w_a n_a + w_b n_b). n_a and n_b are the numbers of limits
   at its ends. */
double spring_hard_limit_mass(const spring_store *s, const particle_store *p, int32_t spring, double n_a,
                              double n_b);

/* Returns whether the force of a spring moves something: it is not a hard length limit, not broken, and not
   between two pins. */
static inline bool spring_moves(const spring_store *s, const particle_store *p, int32_t spring) {
  return !spring_is_hard_limit(s, spring) && !spring_is_broken(s, spring) &&
         (p->inverse_mass[s->a[spring]] != 0 || p->inverse_mass[s->b[spring]] != 0);
}

/* The terms of its law; all 0 if it moves nothing. */
static inline law_terms spring_effective_mass(const spring_store *s, const particle_store *p,
                                              int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (!spring_moves(s, p, spring))
    return (law_terms){0};
  return law_split(spring_law(s, spring), 1 / (wa + wb), 1 / (p->valence[a] * wa + p->valence[b] * wb));
}

/* The current length, and the unit vector from b to a (0 if the ends coincide). */
static inline double spring_direction(const spring_store *s, const particle_store *p, int32_t spring,
                                      double unit[3]) {
  return particle_direction(p, s->a[spring], s->b[spring], unit);
}

/* The tension in N at the end of the last substep. */
double spring_tension(const spring_store *s, const particle_store *p, int32_t spring, law_tuning tuning);

/* The current length. */
static inline double spring_length(const spring_store *s, const particle_store *p, int32_t spring) {
  double along[3];
  return particle_distance(p, s->a[spring], s->b[spring], along);
}

#endif
