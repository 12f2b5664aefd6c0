/* The most energy that a run can come to have, from what it begins with and what gravity can give: a run that
   ends with many times that has blown up, though all of its numbers are finite. */
#ifndef MSD_APP_RUN_ENERGY_INPUT_H
#define MSD_APP_RUN_ENERGY_INPUT_H

#include <msd/msd.h>

#include <stdbool.h>

typedef struct energy_input {
  /* False where moving pins may put in any amount. */
  bool known;
  /* J: kinetic and elastic energy at the start. */
  double start;
  /* kg, that can move. */
  double mass;
  /* m/s^2. */
  double gravity;
  /* s. */
  double start_time;
  /* J: of all moving its own size in a substep, which coefficients may ask for. */
  double noise;
} energy_input;

/* Of the world as it is before it moves in substeps of `substep` seconds. */
energy_input energy_input_begin(const msd_world *world, double substep);

/* J: kinetic and elastic energy that the world cannot have reached by now in nature, with a wide margin;
   INFINITY when that is not known. */
double energy_input_limit(const energy_input *input, const msd_world *world);

#endif
