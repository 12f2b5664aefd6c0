#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Commas between groups of three digits before the point, and no zeros after it. */
static void tidy(const char *plain, char *out, size_t size) {
  const char *digits = plain + (*plain == '-');
  const size_t whole = strspn(digits, "0123456789");
  size_t length = strlen(digits), used = 0;
  while (length > whole && digits[length - 1] == '0')
    length--;
  length -= length == whole + 1;
  if (*plain == '-' && strspn(digits, "0.") < length)
    out[used++] = '-';
  for (size_t i = 0; i < length && used + 2 < size; i++) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0)
      out[used++] = ',';
    out[used++] = digits[i];
  }
  out[used] = '\0';
}

units_text units_count(int64_t count) {
  char plain[32];
  units_text out;
  snprintf(plain, sizeof plain, "%" PRId64, count);
  tidy(plain, out.text, sizeof out.text);
  return out;
}

static units_text fixed(double value, int decimals) {
  char plain[64];
  units_text out;
  snprintf(plain, sizeof plain, "%.*f", decimals, value);
  tidy(plain, out.text, sizeof out.text);
  return out;
}

units_text units_number(double value, int digits) {
  static const double most = 1e15, least = 1e-12;
  units_text out;
  if (!isfinite(value) || fabs(value) >= most || (value != 0 && fabs(value) < least)) {
    snprintf(out.text, sizeof out.text, "%.*g", digits, value);
    return out;
  }
  const int power = value != 0 ? (int)floor(log10(fabs(value)) + 1e-12) : 0;
  const int decimals = digits - 1 - power;
  if (decimals >= 0)
    return fixed(value, decimals);
  const double unit = pow(10, -decimals);
  return fixed(round(value / unit) * unit, 0);
}

units_text units_percent(double fraction) {
  const double percent = 100 * fraction;
  units_text number = fabs(percent) >= 100   ? units_number(percent, 3)
                      : fabs(percent) >= 0.1 ? fixed(percent, 1)
                                             : units_number(percent, 1);
  units_text out;
  snprintf(out.text, sizeof out.text, "%.40s %%", number.text);
  return out;
}

units_text units_megabytes(size_t bytes) {
  const double megabytes = (double)bytes / 1e6;
  const units_text number = megabytes >= 0.1 ? fixed(megabytes, megabytes < 100) : units_number(megabytes, 1);
  units_text out;
  snprintf(out.text, sizeof out.text, "%.40s MB", number.text);
  return out;
}

units_scale units_scale_of(double largest, const char *unit) {
  static const char prefixes[] = "pnum kMGTP";
  enum { NO_PREFIX = 4, LAST_PREFIX = 9 };
  units_scale scale = {.largest = fabs(largest), .factor = 1};
  int prefix = NO_PREFIX;
  if (isfinite(largest) && largest != 0) {
    for (; scale.largest * scale.factor >= 999.5 && prefix < LAST_PREFIX; prefix++)
      scale.factor /= 1000;
    for (; scale.largest * scale.factor < 0.9995 && prefix > 0; prefix--)
      scale.factor *= 1000;
  }
  snprintf(scale.unit, sizeof scale.unit, "%.*s%s", prefix != NO_PREFIX, &prefixes[prefix], unit);
  return scale;
}

/* Three digits of 0.0123 are more than a quantity beside 8.27 needs. */
units_text units_in(const units_scale *scale, double value) {
  static const double negligible = 1e-6;
  const double scaled = value * scale->factor;
  if (isfinite(value) && fabs(value) < negligible * scale->largest)
    return units_number(0, 1);
  if (fabs(scaled) >= 0.1)
    return units_number(scaled, 3);
  return fabs(scaled) >= 0.001 ? fixed(scaled, 3) : units_number(scaled, 1);
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
