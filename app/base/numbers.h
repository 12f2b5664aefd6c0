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

enum { NUMBER_MAX = 32 };

/* Write what printf writes in NUMBER_FORMAT and for %lld, several times as fast: large files are little
   else. There must be room for NUMBER_MAX characters at `to`; returns where they end, without a 0 there. */
char *number_put(char *to, msd_real value);
char *number_put_count(char *to, int64_t count);

static inline const char *precision_name(void) {
  return sizeof(msd_real) == sizeof(double) ? "double" : "float";
}

#endif
