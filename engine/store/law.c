#include "engine/store/law.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* The law whose numbers one has: those of a catch are a coefficient's. */
static int numbers_of(int kind) {
  return kind == MSD_SPRING_CATCH ? MSD_SPRING_COEFFICIENT : kind;
}

/* A catch has no damping, whatever the definition says of it. */
law law_read(law_fields fields) {
  const msd_real *own = fields.numbers[numbers_of((int)fields.kind)];
  return (law){(uint8_t)fields.kind, own[0], fields.kind == MSD_SPRING_CATCH ? MSD_STIFFEST : own[1]};
}

void law_write(law_fields *fields, law from) {
  fields->kind = (msd_spring_law)from.kind;
  fields->numbers[numbers_of(from.kind)][0] = from.first;
  fields->numbers[numbers_of(from.kind)][1] = from.second;
}

/* A catch is no force, and for springs alone. */
static bool is_kind(int kind) {
  return kind > MSD_SPRING_NONE && kind < MSD_SPRING_CATCH;
}

static bool is_number(int kind, msd_real value) {
  return isfinite(value) && (value >= 0 || (kind == MSD_SPRING_COEFFICIENT && value == MSD_STIFFEST));
}

msd_result law_check(report *r, law_fields fields, subject about) {
  const int kind = (int)fields.kind;
  static const char *const names[MSD_SPRING_LAW_COUNT][2] = {
      [MSD_SPRING_PHYSICAL] = {"stiffness", "damping"},
      [MSD_SPRING_COEFFICIENT] = {"ck", "cd"},
      [MSD_SPRING_FREQUENCY] = {"frequency", "damping_ratio"},
  };
  if (!is_kind(kind))
    return report_refuse(r, MSD_BAD_VALUE, about, "law is %d; it must be physical, coefficient or frequency",
                         kind);
  for (int n = 0; n < 2; n++) {
    const msd_real value = fields.numbers[kind][n];
    if (!is_number(kind, value))
      return report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be finite and 0 or more%s",
                           names[kind][n], (double)value,
                           kind == MSD_SPRING_COEFFICIENT ? ", or MSD_STIFFEST" : "");
  }
  return MSD_OK;
}

static bool is_catch_share(msd_real share) {
  return (share > 0 && share <= 1) || share == MSD_STIFFEST;
}

msd_result law_check_catch(report *r, law_fields fields, subject about) {
  const msd_real share = law_read(fields).first;
  return is_catch_share(share)
             ? MSD_OK
             : report_refuse(r, MSD_BAD_VALUE, about,
                             "ck is %g; that of a catch must be above 0 up to 1, or MSD_STIFFEST",
                             (double)share);
}

bool law_is_sound_catch(law l) {
  return law_is(l, MSD_SPRING_CATCH) && is_catch_share(l.first) &&
         is_number(MSD_SPRING_COEFFICIENT, l.second);
}

bool law_is_sound(law l) {
  return is_kind(l.kind) && is_number(l.kind, l.first) && is_number(l.kind, l.second);
}

law_terms law_split(law l, double mass, double share) {
  const double first = (double)l.first, second = (double)l.second;
  law_terms t = {.share = share};
  switch ((msd_spring_law)l.kind) {
  case MSD_SPRING_COEFFICIENT:
    t.mass_ck = first < 0 ? share : first * mass;
    t.mass_cd = second < 0 ? share : second * mass;
    break;
  case MSD_SPRING_FREQUENCY: {
    const double angular_frequency = 2 * PI * first;
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

/* MSD_LIMIT_COEFFICIENTS: k and mu are at most share/dt^2 and share/dt. */
static law_tuning soften(law_tuning tuning, double share, double time_step) {
  const double most_stiffness = share / (time_step * time_step), most_damping = share / time_step;
  return (law_tuning){.stiffness = fmin(tuning.stiffness, most_stiffness),
                      .damping = fmin(tuning.damping, most_damping),
                      .capped = tuning.stiffness > most_stiffness || tuning.damping > most_damping};
}

law_tuning law_tune(const law_terms *t, double time_step, msd_limit limit) {
  law_tuning tuning = {t->stiffness, t->damping, false};
  if (t->mass_ck > 0 || t->mass_cd > 0)
    tuning = (law_tuning){t->mass_ck / (time_step * time_step), t->mass_cd / time_step, false};
  return limit == MSD_LIMIT_COEFFICIENTS ? soften(tuning, t->share, time_step) : tuning;
}

law_tuning law_present(const law_terms *t, double time_step, msd_limit limit) {
  return time_step > 0 ? law_tune(t, time_step, limit) : (law_tuning){t->stiffness, t->damping, false};
}

law law_scaled(law l, double factor) {
  const double root = sqrt(factor);
  if (l.kind == MSD_SPRING_PHYSICAL)
    return (law){l.kind, (msd_real)((double)l.first * factor), (msd_real)((double)l.second * root)};
  if (l.kind == MSD_SPRING_FREQUENCY)
    return (law){l.kind, (msd_real)((double)l.first * root), l.second};
  return l;
}
