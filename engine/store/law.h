/* The law of a damped spring: how its two numbers become a stiffness k and a damping mu. Springs, angular
   springs, constraints and anchors have one each. Units are those of springs; for an angular spring read
   N m/rad for N/m and kg m^2 for kg, and for a constraint the units of its kind. */
#ifndef MSD_STORE_LAW_H
#define MSD_STORE_LAW_H

#include "engine/base/report.h"

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

/* The law of checked fields, and back. */
law law_read(law_fields fields);
void law_write(law_fields *fields, law from);

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

/* For a law that acts on the reduced mass `mass`. MSD_STIFFEST uses up the share. */
law_terms law_split(law l, double mass, double share);

/* k in N/m and mu in N s/m at a given substep. */
typedef struct law_tuning {
  double stiffness, damping;
  /* Whether the limit made it softer. */
  bool capped;
} law_tuning;

/* At a substep of `time_step` seconds. */
law_tuning law_tune(const law_terms *terms, double time_step, msd_limit limit);

/* As law_tune for the last substep; before the first, given as 0 s, the terms that do not depend on it. */
law_tuning law_present(const law_terms *terms, double time_step, msd_limit limit);

/* With `factor` times the stiffness and the same damping ratio. A number may become infinite. Coefficients
   follow the substep by themselves, and are kept. */
law law_scaled(law l, double factor);

#endif
