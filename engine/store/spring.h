/* The spring store: the definitions of springs, and their stiffness and damping at a given substep. */
#ifndef MSD_ENGINE_STORE_SPRING_H
#define MSD_ENGINE_STORE_SPRING_H

#include "engine/store/incidence.h"
#include "engine/store/law_table.h"
#include "engine/store/particle.h"
#include "engine/store/rest_move.h"
#include "engine/store/wear_rule.h"

/* Springs that back others: spring first_backing + n backs spring first + n, for n below `count`, and rests at
   `ratio` times its rest length. They tear and yield with them. */
typedef struct spring_backing {
  int32_t first, count, first_backing;
  msd_real ratio;
} spring_backing;

/* The spring that backs a spring in one of the lists; -1: none. */
static inline int32_t spring_backing_of(const spring_backing *b, int32_t spring) {
  return spring >= b->first && spring - b->first < b->count ? b->first_backing + (spring - b->first) : -1;
}

typedef struct spring_store {
  int32_t count, capacity;
  /* Broken ones, and those of them that strain has torn. */
  int32_t broken, torn;
  /* The number of tethers and struts, broken ones included, and of unbroken catches. */
  int32_t one_sided, catches;
  /* The number of springs that have each law, by msd_spring_law, broken ones included. */
  int32_t of_law[MSD_SPRING_LAW_COUNT];
  /* The ends. */
  int32_t *a, *b;
  /* m. */
  msd_real *rest;
  /* An msd_spring_side, and the flags SPRING_BROKEN, SPRING_CATCH and SPRING_TORN. */
  uint8_t *side;
  law_table laws;
  /* NULL: strain does nothing to any. */
  wear_rule *wear;
  spring_backing *backings;
  int32_t backing_count, backing_capacity;
  rest_move_store moves;
} spring_store;

/* A torn spring is broken too. It keeps its place in the valence of its ends, so that nothing else changes its
   share of their mass: what was certified with it is certified without it. */
enum { SPRING_BROKEN = 0x80, SPRING_CATCH = 0x40, SPRING_TORN = 0x20, SPRING_SIDE_BITS = 3 };

static inline law spring_law(const spring_store *s, int32_t spring) {
  return law_table_get(&s->laws, spring);
}

/* Of springs, broken ones included, whose stiffness follows the masses at their ends. */
static inline int32_t spring_mass_followers(const spring_store *s) {
  return s->of_law[MSD_SPRING_COEFFICIENT] + s->of_law[MSD_SPRING_FREQUENCY];
}

static inline msd_spring_side spring_side(const spring_store *s, int32_t spring) {
  return (msd_spring_side)(s->side[spring] & SPRING_SIDE_BITS);
}

extern const growth_table spring_growth, spring_backing_growth;

/* Makes room for `needed` springs in all. False when there is no memory. */
bool spring_store_reserve(spring_store *s, memory *m, int64_t needed);
void spring_store_free(spring_store *s, memory *m);

static inline bool spring_is_broken(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_BROKEN;
}

static inline bool spring_is_torn(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_TORN;
}

static inline bool spring_is_catch(const spring_store *s, int32_t spring) {
  return s->side[spring] & SPRING_CATCH;
}

/* What a spring has yielded by: rest/given - 1; 0 of one that has not. */
static inline double spring_set(const spring_store *s, int32_t spring) {
  const double given = s->wear ? (double)s->wear[spring].given : 0;
  return given > 0 ? (double)s->rest[spring] / given - 1 : 0;
}

/* Whether the side of a spring lets it act at the error C = length - rest: a tether above its rest length, a
   strut below it. */
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

/* Marks the last spring, whose law is known, as what it is, and counts it: `flags` are its side, SPRING_BROKEN
   and SPRING_TORN. */
void spring_count_last(spring_store *s, particle_store *p, uint8_t flags);

/* Adds so many springs behind the last, of which the laws, of one kind, are known, with room for all. */
void spring_add_alike(spring_store *s, particle_store *p, const int32_t (*ends)[2], const msd_real *rest,
                      int32_t count, msd_spring_side side);

/* Breaks a spring that is not broken; the other by its strain. */
void spring_mark_broken(spring_store *s, particle_store *p, int32_t spring);
void spring_mark_torn(spring_store *s, int32_t spring);

/* A torn spring leaves its share of the masses of its ends to others, and is only broken. */
void spring_forget_torn(spring_store *s, particle_store *p, int32_t spring);

/* Which springs back others once spring e has moved to to[e], -1: it is gone. Returns how many lists there are
   then; `out` may be NULL. */
int32_t spring_move_backings(const spring_store *s, const int32_t *to, spring_backing *out);

/* Moves springs, as growth_close_gaps, and their ends to other indices; NULL: these or those stay. Takes over
   what spring_move_backings has made. Springs that go are broken, and not torn. */
void spring_close_gaps(spring_store *s, memory *m, const int32_t *to, const int32_t *particle_to,
                       spring_backing *backings, int32_t backing_count);

/* Makes room for what strain does to springs. False when there is no memory. */
bool spring_open_wear(spring_store *s, memory *m);

/* Whether some spring may split particles when it tears. */
bool spring_some_splits(const spring_store *s);

/* Gives a spring another law. False, and nothing changed, when there is no memory. */
bool spring_set_law(spring_store *s, particle_store *p, memory *m, int32_t spring, law wanted);

/* Which springs are at each particle, broken ones too. False when there is no memory; free it all the same. */
bool spring_find_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles);

/* Appends those that it does not have yet. False, and nothing changed, when there is no memory. */
bool spring_append_incidence(incidence *at, memory *m, const spring_store *s, int32_t particles);

/* Whether a law that was read suits the side of a spring. */
bool spring_law_is_sound(law l, uint8_t side);

/* Whether a spring is a catch that can act: unbroken, with an end that is no pin. */
bool spring_can_catch(const spring_store *s, const particle_store *p, int32_t spring);

/* kg: c m_e of such a catch, with m_e = 1/(w_a n_a + w_b n_b) and n the catches that share each end. */
double spring_catch_mass(const spring_store *s, const particle_store *p, int32_t spring, double n_a,
                         double n_b);

/* Whether a spring moves something by its force: it is no catch, not broken, and not between two pins. */
static inline bool spring_moves(const spring_store *s, const particle_store *p, int32_t spring) {
  return !spring_is_catch(s, spring) && !spring_is_broken(s, spring) &&
         (p->inverse_mass[s->a[spring]] != 0 || p->inverse_mass[s->b[spring]] != 0);
}

/* All 0 of a spring that does not. */
static inline law_terms spring_split(const spring_store *s, const particle_store *p, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (!spring_moves(s, p, spring))
    return (law_terms){0};
  return law_split(spring_law(s, spring), 1 / (wa + wb), 1 / (p->valence[a] * wa + p->valence[b] * wb));
}

/* The present length, and the unit vector from b to a (0 when they are in one place). */
static inline double spring_direction(const spring_store *s, const particle_store *p, int32_t spring,
                                      double unit[3]) {
  return particle_direction(p, s->a[spring], s->b[spring], unit);
}

/* The present length alone. */
static inline double spring_length(const spring_store *s, const particle_store *p, int32_t spring) {
  double along[3];
  return particle_distance(p, s->a[spring], s->b[spring], along);
}

#endif
