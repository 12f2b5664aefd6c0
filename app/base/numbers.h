/* The numbers of a world: what their precision is called, and how they are printed. */
#ifndef MSD_APP_BASE_NUMBERS_H
#define MSD_APP_BASE_NUMBERS_H

#include <msd/msd.h>

/* The fewest digits that tell every number of the precision apart. */
#ifdef MSD_DOUBLE
#define NUMBER_FORMAT "%.17g"
#else
#define NUMBER_FORMAT "%.9g"
#endif

/* The digits of these formats, which tell every float and every double apart. */
enum { NUMBER_FLOAT_DIGITS = 9, NUMBER_DOUBLE_DIGITS = 17 };

enum { NUMBER_MAX = 48 };

/* Write what printf writes, several times as fast: large files are little else. There must be room for
   NUMBER_MAX characters at `to`, any of which may be changed; they return where the number ends, without a 0
   there. */

/* In NUMBER_FORMAT. */
char *number_put(char *to, double value);

/* For %.9g and %.17g. */
char *number_put_float(char *to, double value);
char *number_put_double(char *to, double value);

/* For %lld. */
char *number_put_count(char *to, int64_t count);

static inline const char *precision_name(void) {
  return sizeof(msd_real) == sizeof(double) ? "double" : "float";
}

#endif
