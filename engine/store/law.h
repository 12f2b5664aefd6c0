/* The force law of a damped spring: converts its two parameters into a stiffness k and a damping mu. Springs,
   torsion springs, constraints and soft pins all have a law. Units are those of springs. For a torsion spring
   read N m/rad for N/m and kg m^2 for kg, and for a constraint the units of its type. */
#ifndef MSD_STORE_LAW_H
#define MSD_STORE_LAW_H

#include "engine/base/error.h"

#include <math.h>

#define LAW_PI 3.14159265358979323846

typedef struct law {
  /* An msd_spring_law. */
  uint8_t kind;
  /* Stiffness and damping in N/m and N s/m; or ck and cd, or MSD_MAX_STABLE; or a frequency in Hz and a
     damping ratio. */
  msd_real first, second;
} law;

static inline bool law_is(law l, msd_spring_law kind) {
  return l.kind == kind;
}

/* -------------------------------------------------------------------------------------------- definitions */

/* The law fields of a definition: the law, and the two parameters of every law. Only those of the selected
   law matter. */
typedef struct law_fields {
  msd_spring_law kind;
  msd_real numbers[MSD_SPRING_LAW_COUNT][2];
} law_fields;

/* Reads any definition that has a law: all use the same field names. */
#define LAW_FIELDS(def)                                                                                      \
  ((law_fields){(def)->law,                                                                                  \
                {[MSD_SPRING_STIFFNESS] = {(def)->stiffness, (def)->damping},                                \
                 [MSD_SPRING_COEFFICIENT] = {(def)->ck, (def)->cd},                                          \
                 [MSD_SPRING_FREQUENCY] = {(def)->frequency, (def)->damping_ratio}}})

/* Writes a law back. The parameters of other laws are unchanged. */
#define LAW_WRITE(def, from)                                                                                 \
  do {                                                                                                       \
    law_fields fields_ = LAW_FIELDS(def);                                                                    \
    law_write(&fields_, from);                                                                               \
    (def)->law = fields_.kind;                                                                               \
    (def)->stiffness = fields_.numbers[MSD_SPRING_STIFFNESS][0];                                             \
    (def)->damping = fields_.numbers[MSD_SPRING_STIFFNESS][1];                                               \
    (def)->ck = fields_.numbers[MSD_SPRING_COEFFICIENT][0];                                                  \
    (def)->cd = fields_.numbers[MSD_SPRING_COEFFICIENT][1];                                                  \
    (def)->frequency = fields_.numbers[MSD_SPRING_FREQUENCY][0];                                             \
    (def)->damping_ratio = fields_.numbers[MSD_SPRING_FREQUENCY][1];                                         \
  } while (0)

/* The law whose parameters a law uses: a hard length limit uses those of the coefficient law. */
static inline int law_numbers(int kind) {
  return kind == MSD_SPRING_HARD_LIMIT ? MSD_SPRING_COEFFICIENT : kind;
}

/* Converts validated fields to a law, and back. A hard length limit has no damping; the damping of its
   definition is ignored. */
static inline law law_read(law_fields fields) {
  const msd_real *own = fields.numbers[law_numbers((int)fields.kind)];
  return (law){(uint8_t)fields.kind, own[0], fields.kind == MSD_SPRING_HARD_LIMIT ? MSD_MAX_STABLE : own[1]};
}

static inline void law_write(law_fields *fields, law from) {
  msd_real *own = fields->numbers[law_numbers(from.kind)];
  fields->kind = (msd_spring_law)from.kind;
  own[0] = from.first;
  own[1] = from.second;
}

/* Checks the law of a definition and its parameters. Error: MSD_BAD_VALUE. */
msd_result law_check(report *r, law_fields fields, subject about);

/* The same for any law, without a message. Neither accepts hard length limits. */
bool law_is_sound(law l);

/* The same for hard length limits. */
msd_result law_check_hard_limit(report *r, law_fields fields, subject about);
bool law_is_sound_hard_limit(law l);

/* The projection fraction ck of a hard length limit. */
static inline double law_hard_limit_share(law l) {
  return l.first < 0 ? 1 : (double)l.first;
}

/* --------------------------------------------------------------------------------- stiffness and damping */

/* A law split into terms by how they grow with the substep. Its load on the stability budget is kappa = dt^2
   stiffness + 2 dt damping + coefficient. All terms are 0 if the spring moves nothing. */
typedef struct law_terms {
  /* N/m and N s/m, independent of the substep. */
  double stiffness, damping;
  /* kg: m ck and m cd. */
  double mass_ck, mass_cd;
  /* kg: the mass that the law may use if all laws at the same particles get equal fractions. For a spring it
     is 1/(n_a w_a + n_b w_b). The sum of share b b^T over all springs is at most M. */
  double share;
} law_terms;

/* Splits a law that acts on the reduced mass `mass`. MSD_MAX_STABLE uses `share`. Inline, with the functions
   below, because loops over all springs call it often and most callers need few of the terms. */
static inline law_terms law_split(law l, double mass, double share) {
  const double first = (double)l.first, second = (double)l.second;
  law_terms t = {.share = share};
  switch ((msd_spring_law)l.kind) {
  case MSD_SPRING_COEFFICIENT:
    t.mass_ck = first < 0 ? share : first * mass;
    t.mass_cd = second < 0 ? share : second * mass;
    break;
  case MSD_SPRING_FREQUENCY: {
    const double angular_frequency = 2 * LAW_PI * first;
    t.stiffness = mass * angular_frequency * angular_frequency;
    t.damping = 2 * second * mass * angular_frequency;
    break;
  }
  default:
    t.stiffness = first;
    t.damping = second;
  }
  return t;
}

/* k in N/m and mu in N s/m at a given substep. */
typedef struct law_tuning {
  double stiffness, damping;
  /* True if the clamp reduced it. */
  bool capped;
} law_tuning;

/* Stiffness clamping: limits k and mu to share/dt^2 and share/dt. */
static inline law_tuning law_soften(law_tuning tuning, double share, double dt) {
  const double most_stiffness = share / (dt * dt), most_damping = share / dt;
  return (law_tuning){.stiffness = fmin(tuning.stiffness, most_stiffness),
                      .damping = fmin(tuning.damping, most_damping),
                      .capped = tuning.stiffness > most_stiffness || tuning.damping > most_damping};
}

/* k and mu for substeps of `dt` seconds. */
static inline law_tuning law_tune(const law_terms *t, double dt, bool limit) {
  law_tuning tuning = {t->stiffness, t->damping, false};
  if (t->mass_ck > 0 || t->mass_cd > 0)
    tuning = (law_tuning){t->mass_ck / (dt * dt), t->mass_cd / dt, false};
  return limit ? law_soften(tuning, t->share, dt) : tuning;
}

/* As law_tune, for the last substep. Before the first substep `dt` is 0, and coefficient laws give
   0. */
static inline law_tuning law_present(const law_terms *t, double dt, bool limit) {
  return dt > 0 ? law_tune(t, dt, limit) : (law_tuning){t->stiffness, t->damping, false};
}

/* Returns whether stiffness and damping are the parameters of the law at any substep length and with any
   masses. */
static inline bool law_is_plain(law l, bool limit) {
  return law_is(l, MSD_SPRING_STIFFNESS) && limit == false;
}

/* The law with `factor` times the stiffness and the same damping ratio. A parameter may overflow to infinity.
   Coefficients are unchanged because they scale with the substep. */
law law_scaled(law l, double factor);

#endif
