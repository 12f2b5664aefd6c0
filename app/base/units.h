/* Quantities as a person reads them. */
#ifndef MSD_APP_BASE_UNITS_H
#define MSD_APP_BASE_UNITS_H

#include <stddef.h>

enum { UNITS_MAX = 48 };

typedef struct units_text {
  char text[UNITS_MAX];
} units_text;

/* "16.67 ms", "3.2 MJ": four digits and the SI prefix that puts the number between 1 and 1000, from pico to
   peta ("1e+20 J" beyond); "unlimited" for infinity, "undefined" for NaN. */
units_text units_si(double value, const char *unit);

/* "1.5 MiB". */
units_text units_bytes(size_t bytes);

/* "48 s", "3 min 20 s", "2 h 05 min": a duration to wait for. */
units_text units_wait(double seconds);

#endif
