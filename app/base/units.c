#include "app/base/units.h"

#include <math.h>
#include <stdio.h>

units_text units_si(double value, const char *unit) {
  static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
  enum { NO_PREFIX = 4, LAST_PREFIX = 9 };
  units_text out;
  if (!isfinite(value)) {
    snprintf(out.text, sizeof out.text, "%s", isnan(value) ? "undefined" : "unlimited");
    return out;
  }
  int prefix = NO_PREFIX;
  double scaled = value;
  /* 999.95 and above would be printed as 1000 of the smaller unit. */
  while (fabs(scaled) >= 999.95 && prefix < LAST_PREFIX) {
    scaled /= 1000;
    prefix++;
  }
  while (fabs(scaled) < 0.99995 && scaled != 0 && prefix > 0) {
    scaled *= 1000;
    prefix--;
  }
  if (fabs(scaled) >= 999.95 || fabs(scaled) < 0.99995) { /* beyond the prefixes: an exponent */
    scaled = value;
    prefix = NO_PREFIX;
  }
  snprintf(out.text, sizeof out.text, "%.4g %s%s", scaled, prefixes[prefix], unit);
  return out;
}

units_text units_bytes(size_t bytes) {
  static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double scaled = (double)bytes;
  int name = 0;
  while (scaled >= 1023.5 && name < 4) {
    scaled /= 1024;
    name++;
  }
  units_text out;
  snprintf(out.text, sizeof out.text, "%.4g %s", scaled, names[name]);
  return out;
}

units_text units_wait(double seconds) {
  units_text out;
  if (!(seconds >= 0) || seconds > 1e8) {
    snprintf(out.text, sizeof out.text, "?");
    return out;
  }
  long whole = lround(seconds);
  if (whole < 60)
    snprintf(out.text, sizeof out.text, "%ld s", whole);
  else if (whole < 3600)
    snprintf(out.text, sizeof out.text, "%ld min %02ld s", whole / 60, whole % 60);
  else
    snprintf(out.text, sizeof out.text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  return out;
}
