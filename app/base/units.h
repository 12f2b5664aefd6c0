/* Quantities as a person reads them. */
#ifndef MSD_APP_BASE_UNITS_H
#define MSD_APP_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum { UNITS_MAX = 48 };

typedef struct units_text {
  char text[UNITS_MAX];
} units_text;

/* "16.67 ms", "3.2 MJ": four digits and the SI prefix that puts the number between 1 and 1000, from pico to
   peta ("1e+20 J" beyond); "unlimited" for infinity, "undefined" for NaN. */
units_text units_si(double value, const char *unit);

/* "1.5 MiB". */
units_text units_bytes(size_t bytes);

/* "4,096". */
units_text units_count(int64_t count);

/* So many significant digits, without an exponent up to 1e15: "0.3625", "16.8", "1,030"; zeros after the point
   are left out. */
units_text units_number(double value, int digits);

/* "0.1 %", "16.8 %", "1,280 %" of a fraction: one decimal below 100 %, one digit below 0.1 %. */
units_text units_percent(double fraction);

/* "0.9 MB": 1e6 bytes, at most one decimal. */
units_text units_megabytes(size_t bytes);

/* One unit for several quantities. */
typedef struct units_scale {
  /* The largest of them, in the base unit. */
  double largest;
  /* From the base unit to this one. */
  double factor;
  char unit[16];
} units_scale;

/* The unit in which `largest` is at least 1 and below 1000, from pico to peta. */
units_scale units_scale_of(double largest, const char *unit);

/* `value` in that unit, without its name: three digits, no more than three decimals, "0" below 1e-6 of the
   largest. */
units_text units_in(const units_scale *scale, double value);

/* "48 s", "3 min 20 s", "2 h 05 min": a duration to wait for. */
units_text units_wait(double seconds);

#endif
