#include "engine/store/law.h"

#include <math.h>

/* A hard length limit applies no force and exists only for springs. */
static bool is_kind(int kind) {
  return kind > MSD_SPRING_NONE && kind < MSD_SPRING_HARD_LIMIT;
}

static bool is_number(int kind, msd_real value) {
  return isfinite(value) && (value >= 0 || (kind == MSD_SPRING_COEFFICIENT && value == MSD_MAX_STABLE));
}

msd_result law_check(report *r, law_fields fields, subject about) {
  const int kind = (int)fields.kind;
  static const char *const names[MSD_SPRING_LAW_COUNT][2] = {
      [MSD_SPRING_STIFFNESS] = {"stiffness", "damping"},
      [MSD_SPRING_COEFFICIENT] = {"ck", "cd"},
      [MSD_SPRING_FREQUENCY] = {"frequency", "damping_ratio"},
  };
  if (!is_kind(kind))
    return report_refuse(r, MSD_BAD_VALUE, about, "law is %d; it must be stiffness, coefficient or frequency",
                         kind);
  for (int n = 0; n < 2; n++) {
    const msd_real value = fields.numbers[kind][n];
    if (!is_number(kind, value))
      return report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be finite and 0 or more%s",
                           names[kind][n], (double)value,
                           kind == MSD_SPRING_COEFFICIENT ? ", or MSD_MAX_STABLE" : "");
  }
  return MSD_OK;
}

static bool is_hard_limit_share(msd_real share) {
  return (share > 0 && share <= 1) || share == MSD_MAX_STABLE;
}

msd_result law_check_hard_limit(report *r, law_fields fields, subject about) {
  const msd_real share = law_read(fields).first;
  return is_hard_limit_share(share)
             ? MSD_OK
             : report_refuse(
                   r, MSD_BAD_VALUE, about,
                   "ck is %g; that of a hard limit must be above 0 and at most 1, or MSD_MAX_STABLE",
                   (double)share);
}

bool law_is_sound_hard_limit(law l) {
  return law_is(l, MSD_SPRING_HARD_LIMIT) && is_hard_limit_share(l.first) &&
         is_number(MSD_SPRING_COEFFICIENT, l.second);
}

bool law_is_sound(law l) {
  return is_kind(l.kind) && is_number(l.kind, l.first) && is_number(l.kind, l.second);
}

law law_scaled(law l, double factor) {
  const double root = sqrt(factor);
  if (l.kind == MSD_SPRING_STIFFNESS)
    return (law){l.kind, (msd_real)((double)l.first * factor), (msd_real)((double)l.second * root)};
  if (l.kind == MSD_SPRING_FREQUENCY)
    return (law){l.kind, (msd_real)((double)l.first * root), l.second};
  return l;
}
