/* The wind velocity at a position and time: the mean and the turbulence.

   Turbulence is value noise in the four dimensions p = (x - velocity t)/length and t/time: the mean advects
   it, and it changes as it moves. At each integer p there is a vector a of three uniform numbers in -1..1, an
   integer hash of p and the seed. Between them they are interpolated with w, the product over the dimensions
   of 1 - s and s with s = f^2 (3 - 2 f) of the fraction f. A scale makes the variance equal at all positions:

       g = strength sqrt(3/sum w^2) sum w a

   A component of a has mean 0 and variance 1/3, so a component of g has mean 0 and variance strength^2. w,
   and so g and its first derivatives, are continuous. sum w^2 is a product, too. With sum w = 1 over 16
   corners it is at least 1/16, hence |g| < 4 sqrt(3) strength. It uses only + - * / and sqrt, so it is
   deterministic. */
#ifndef MSD_ENGINE_AIR_TURBULENCE_H
#define MSD_ENGINE_AIR_TURBULENCE_H

#include "engine/base/vec3.h"

enum { TURBULENCE_DIMENSIONS = 4, TURBULENCE_CORNERS = 1 << TURBULENCE_DIMENSIONS };

/* The corner vectors of a cell, cached for positions in the same cell. Initially all zeros; valid for one
   wind. */
typedef struct turbulence_cell {
  bool is_known;
  uint64_t at[TURBULENCE_DIMENSIONS];
  double3 corners[TURBULENCE_CORNERS];
} turbulence_cell;

/* Computes the corner vectors of a cell, whose coordinates must be below 2^52, unless it is cached. */
void turbulence_cell_enter(turbulence_cell *c, const double cell[TURBULENCE_DIMENSIONS], uint64_t seed);

/* `time` in s; `last` is the cached cell, and is updated. Beyond 2^52 lengths or times turbulence is
   constant. */
double3 turbulence_wind_at(const msd_wind_def *wind, double3 place, double time, turbulence_cell *last);

#endif
