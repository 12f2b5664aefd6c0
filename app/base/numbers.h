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

static inline const char *precision_name(void) {
  return sizeof(msd_real) == sizeof(double) ? "double" : "float";
}

#endif
