/* Energy control of a substep of symplectic Euler. The numerical energy gain of the substep is measured. If
   it exceeds an allowance, the substep is repeated with modified forces that gain less. docs/theory has the
   proof; step/energy_limiter.h has the decisions, this file the work of the kernels.

   For a spring between i and j, with u the unit vector from j to i, l its length and dt the substep:

       D = dt (v_i - v_j), before the kick       b = u . D
       tau = l - rest, 0 for a slack spring      alpha = mu/dt, 0 where the spring does not act
       kappa = k + 2 alpha                       y = tau - b/2
       g = k tau + alpha b                       the tension of the spring: its force is F = g u

   Passes over all springs, each with the work of a substep:

       measure   the unmodified substep, bit for bit. Sums of
                 e = 1/2 k y^2 - kappa b^2/8 = 1/2 k tau (tau - b) - 1/4 alpha b^2
                 f . (v + v'), f the spring force on a particle, v' its velocity after the kick, undamped
                 1/2 m v^2
       reserve   moves nothing. Sums of 1/2 k y^2 and of kappa (D^2 - b^2)/8
       scale     the substep with F = (s g + (1 - s) kappa b/2) u + theta kappa/2 (D - b u), also for slack
                 springs; sums of f . (v + v') and 1/2 m v^2

   A spring counts once: a contiguous one at its lower end, one at a pin at its free end, an indexed one half
   at each end. If other code moves the particles (`out`), the spring forces are stored instead of adding f .
   (v + v'), except at pins, and 1/2 m v^2 is 0. Sums are taken over the lanes of 16 particles group by group,
   then over the lanes, then over the chunks. So they do not depend on the number of threads or the vector
   width. */
#ifndef MSD_ENGINE_KERNEL_ENERGY_METER_H
#define MSD_ENGINE_KERNEL_ENERGY_METER_H

#include "engine/kernel/spring_force.h"

typedef enum spring_pass { SPRING_PASS_MEASURE, SPRING_PASS_RESERVE, SPRING_PASS_SCALE } spring_pass;

/* J, except `work`, which is in W. For each pass the sums listed above, in that order. */
struct spring_tally {
  double energy, work, kinetic;
};

struct energy_meter {
  spring_pass pass;
  /* s and theta of a scaling pass. */
  msd_real kept, turned;
  /* Receives f/m + g, as from accelerations(), in a scaling pass that moves nothing; NULL: the pass moves. */
  msd_real *out;
};

/* The sums of all chunks. */
static inline spring_tally spring_tally_sum(const spring_tally *tallies, int32_t chunks) {
  spring_tally sum = {0, 0, 0};
  for (int32_t c = 0; c < chunks; c++) {
    sum.energy += tallies[c].energy;
    sum.work += tallies[c].work;
    sum.kinetic += tallies[c].kinetic;
  }
  return sum;
}

#endif
