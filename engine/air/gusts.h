/* How fast the air goes at a place and a time: the mean and the gusts.

   Gusts are value noise in the four dimensions p = (x - velocity t)/length and t/time: the mean carries them,
   and they change on their way. At each whole p stands a vector a of three even numbers in -1..1, which an
   integer hash makes of p and the seed. Between them they are weighed by w, the product over the dimensions of
   1 - s and s with s = f^2 (3 - 2 f) of the fraction f, and scaled so that the variance is the same at all
   places:

       g = strength sqrt(3/sum w^2) sum w a

   A component of a has the mean 0 and the variance 1/3, so one of g has 0 and strength^2; w and so g and its
   first derivatives are continuous. sum w^2 is a product, too. With sum w = 1 over 16 corners it is 1/16 at
   least, hence |g| < 4 sqrt(3) strength. All of it is + - * / and sqrt: the same bits everywhere. */
#ifndef MSD_ENGINE_AIR_GUSTS_H
#define MSD_ENGINE_AIR_GUSTS_H

#include "engine/base/vec3.h"

enum { GUST_DIMENSIONS = 4, GUST_CORNERS = 1 << GUST_DIMENSIONS };

/* What the corners of a cell have, so that places in one cell need not ask again. Starts as all zeros, and is
   of one wind. */
typedef struct gust_cell {
  bool is_known;
  uint64_t at[GUST_DIMENSIONS];
  double3 corners[GUST_CORNERS];
} gust_cell;

/* Finds what the corners of a cell have, below 2^52 in all dimensions, unless it is that cell already. */
void gust_cell_enter(gust_cell *c, const double cell[GUST_DIMENSIONS], uint64_t seed);

/* `time` in s; `last` is the cell of the place before, and becomes that of this one. Beyond 2^52 lengths or
   times gusts are even. */
double3 gusts_wind_at(const msd_wind_def *wind, double3 place, double time, gust_cell *last);

#endif
