/* What a body would take, before anything is made for it. */
#include "scenes/loader/body_task.h"

#include <math.h>
#include <stdio.h>

/* What a world takes, its compiled network included, measured on cloths and blocks. */
enum {
  BYTES_PER_PARTICLE = 16 * sizeof(msd_real),
  BYTES_PER_SPRING = 12 * sizeof(msd_real),
  BYTES_PER_CONSTRAINT = 32 * sizeof(msd_real)
};

typedef struct amount_text {
  char text[32];
} amount_text;

/* In the largest of `count` units, each `ratio` times the one before, that leaves 1 or more. */
static amount_text in_units(double amount, double ratio, const char *const *units, int count) {
  amount_text out;
  int unit = 0;
  for (; unit + 1 < count && amount >= ratio; unit++)
    amount /= ratio;
  snprintf(out.text, sizeof out.text, "%.4g%s", amount, units[unit]);
  return out;
}

/* "40 million" */
static amount_text count_text(double count) {
  static const char *const units[] = {" million", " billion", " trillion"};
  if (count >= 1e6)
    return in_units(count / 1e6, 1000, units, 3);
  amount_text out;
  snprintf(out.text, sizeof out.text, "%.0f", count);
  return out;
}

/* "8.5 TiB" */
static amount_text memory_text(double bytes) {
  static const char *const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return in_units(bytes, 1024, units, 7);
}

bool body_check_size(const json_place *place, const char *kind, body_size size) {
  const double limit = (double)msd_default_world_def().memory_limit * fmax(place->source->processes, 1);
  double bytes = size.particles * BYTES_PER_PARTICLE + size.springs * BYTES_PER_SPRING +
                 size.constraints * BYTES_PER_CONSTRAINT;
  if (bytes <= limit && fmax(size.particles, fmax(size.springs, size.constraints)) <= INT32_MAX)
    return true;
  char constraints[64] = "";
  if (size.constraints > 0)
    snprintf(constraints, sizeof constraints, " and %s constraints", count_text(size.constraints).text);
  return place_fail(
      place,
      "makes a %s of %s particles and %s springs%s, which would take about %s of memory; lower it "
      "until it fits into %s",
      kind, count_text(size.particles).text, count_text(size.springs).text, constraints,
      memory_text(bytes).text, memory_text(limit).text);
}
