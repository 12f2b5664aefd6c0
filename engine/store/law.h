/* The law of a damped spring: how its two numbers become a stiffness k and a damping mu. Springs, angular
   springs, constraints and anchors have one each. Units are those of springs; for an angular spring read
   N m/rad for N/m and kg m^2 for kg, and for a constraint the units of its kind. */
#ifndef MSD_STORE_LAW_H
#define MSD_STORE_LAW_H

#include "engine/base/report.h"

#include <math.h>

#define LAW_PI 3.14159265358979323846

typedef struct law {
  /* An msd_spring_law. */
  uint8_t kind;
  /* N/m and N s/m; ck and cd, or MSD_STIFFEST; Hz and the damping ratio. */
  msd_real first, second;
} law;

static inline bool law_is(law l, msd_spring_law kind) {
  return l.kind == kind;
}

/* ------------------------------------------------------------------------------------------- in definitions */

/* The fields of a definition: the law, and the two numbers of every law, of which only those of its own
   count. */
typedef struct law_fields {
  msd_spring_law kind;
  msd_real numbers[MSD_SPRING_LAW_COUNT][2];
} law_fields;

/* From any definition with a law: all name these fields alike. */
#define LAW_FIELDS(def)                                                                                      \
  ((law_fields){(def)->law,                                                                                  \
                {[MSD_SPRING_PHYSICAL] = {(def)->stiffness, (def)->damping},                                 \
                 [MSD_SPRING_COEFFICIENT] = {(def)->ck, (def)->cd},                                          \
                 [MSD_SPRING_FREQUENCY] = {(def)->frequency, (def)->damping_ratio}}})

/* Writes a law back; the numbers of other laws are kept. */
#define LAW_WRITE(def, from)                                                                                 \
  do {                                                                                                       \
    law_fields fields_ = LAW_FIELDS(def);                                                                    \
    law_write(&fields_, from);                                                                               \
    (def)->law = fields_.kind;                                                                               \
    (def)->stiffness = fields_.numbers[MSD_SPRING_PHYSICAL][0];                                              \
    (def)->damping = fields_.numbers[MSD_SPRING_PHYSICAL][1];                                                \
    (def)->ck = fields_.numbers[MSD_SPRING_COEFFICIENT][0];                                                  \
    (def)->cd = fields_.numbers[MSD_SPRING_COEFFICIENT][1];                                                  \
    (def)->frequency = fields_.numbers[MSD_SPRING_FREQUENCY][0];                                             \
    (def)->damping_ratio = fields_.numbers[MSD_SPRING_FREQUENCY][1];                                         \
  } while (0)

/* The law whose numbers one has: those of a catch are a coefficient's. */
static inline int law_numbers(int kind) {
  return kind == MSD_SPRING_CATCH ? MSD_SPRING_COEFFICIENT : kind;
}

/* The law of checked fields, and back. A catch has no damping, whatever the definition says of it. */
static inline law law_read(law_fields fields) {
  const msd_real *own = fields.numbers[law_numbers((int)fields.kind)];
  return (law){(uint8_t)fields.kind, own[0], fields.kind == MSD_SPRING_CATCH ? MSD_STIFFEST : own[1]};
}

static inline void law_write(law_fields *fields, law from) {
  msd_real *own = fields->numbers[law_numbers(from.kind)];
  fields->kind = (msd_spring_law)from.kind;
  own[0] = from.first;
  own[1] = from.second;
}

/* Whether the law of a definition and its numbers are valid. MSD_BAD_VALUE. */
msd_result law_check(report *r, law_fields fields, subject about);

/* The same for any law, without a message. Neither knows catches. */
bool law_is_sound(law l);

/* The same for catches. */
msd_result law_check_catch(report *r, law_fields fields, subject about);
bool law_is_sound_catch(law l);

/* The share c of a catch. */
static inline double law_catch_share(law l) {
  return l.first < 0 ? 1 : (double)l.first;
}

/* --------------------------------------------------------------------------------- stiffness and damping */

/* A law split into terms by how they grow with the step: its load on a step is
   kappa = dt^2 stiffness + 2 dt damping + coefficient. All are 0 where it moves nothing. */
typedef struct law_terms {
  /* N/m and N s/m, the same at any step. */
  double stiffness, damping;
  /* kg: m ck and m cd. */
  double mass_ck, mass_cd;
  /* kg: the mass that it may use up when everything at the same particles gets an equal share: for a spring
     1/(n_a w_a + n_b w_b). The sum of share b b^T over springs is at most M. */
  double share;
} law_terms;

/* For a law that acts on the reduced mass `mass`. MSD_STIFFEST uses up the share. Here and below in the header,
   since all springs of a world are gone through again and again, and few ask for all of the terms. */
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
  /* Whether the limit made it softer. */
  bool capped;
} law_tuning;

/* MSD_LIMIT_COEFFICIENTS: k and mu are at most share/dt^2 and share/dt. */
static inline law_tuning law_soften(law_tuning tuning, double share, double time_step) {
  const double most_stiffness = share / (time_step * time_step), most_damping = share / time_step;
  return (law_tuning){.stiffness = fmin(tuning.stiffness, most_stiffness),
                      .damping = fmin(tuning.damping, most_damping),
                      .capped = tuning.stiffness > most_stiffness || tuning.damping > most_damping};
}

/* At a substep of `time_step` seconds. */
static inline law_tuning law_tune(const law_terms *t, double time_step, msd_limit limit) {
  law_tuning tuning = {t->stiffness, t->damping, false};
  if (t->mass_ck > 0 || t->mass_cd > 0)
    tuning = (law_tuning){t->mass_ck / (time_step * time_step), t->mass_cd / time_step, false};
  return limit == MSD_LIMIT_COEFFICIENTS ? law_soften(tuning, t->share, time_step) : tuning;
}

/* As law_tune for the last substep; before the first, given as 0 s, the terms that do not depend on it. */
static inline law_tuning law_present(const law_terms *t, double time_step, msd_limit limit) {
  return time_step > 0 ? law_tune(t, time_step, limit) : (law_tuning){t->stiffness, t->damping, false};
}

/* Whether stiffness and damping are the numbers of the law at any substep and with any masses. */
static inline bool law_is_plain(law l, msd_limit limit) {
  return law_is(l, MSD_SPRING_PHYSICAL) && limit == MSD_LIMIT_NONE;
}

/* With `factor` times the stiffness and the same damping ratio. A number may become infinite. Coefficients
   follow the substep by themselves, and are kept. */
law law_scaled(law l, double factor);

#endif
