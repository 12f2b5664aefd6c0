/* How the numbers of a world are printed. */
#ifndef MSD_APP_BASE_NUMBERS_H
#define MSD_APP_BASE_NUMBERS_H

/* The fewest digits that tell every number of the precision apart. */
#ifdef MSD_DOUBLE
#define NUMBER_FORMAT "%.17g"
#else
#define NUMBER_FORMAT "%.9g"
#endif

#endif
