/* Energy kept by a substep of symplectic Euler: what the step itself makes is measured, and where it would be
   more than a credit, the substep is taken again with forces that make less. docs/energy.md has the proof;
   step/energy_guard.h has the decisions, this file what kernels do for them.

   Of a spring between i and j, with u the unit vector from j to i, l its length and dt the substep:

       D = dt (v_i - v_j), before the kick       b = u . D
       tau = l - rest, 0 of a slack spring       alpha = mu/dt, 0 where the spring does not act
       kappa = k + 2 alpha                       y = tau - b/2
       g = k tau + alpha b                       the pull of the spring: its force is F = g u

   Passes over all springs, each a substep's worth of work:

       measure   the plain substep, bit for bit. Sums of
                 e = 1/2 k y^2 - kappa b^2/8 = 1/2 k tau (tau - b) - 1/4 alpha b^2
                 f . (v + v'), f what springs do to a particle, v' its velocity behind the kick, before drag
                 1/2 m v^2
       reserve   moves nothing. Sums of 1/2 k y^2 and of kappa (D^2 - b^2)/8
       scale     the substep with F = (s g + (1 - s) kappa b/2) u + theta kappa/2 (D - b u), slack springs too;
                 sums of f . (v + v') and 1/2 m v^2

   A spring counts once: a contiguous one at its lower end, a held one at its free end, an indexed one half at
   each end. Where something else moves the particles (`out`) what springs do to them is kept instead of their
   part in f . (v + v'), the pins of held springs being left, and 1/2 m v^2 is 0. Sums are taken over the lanes
   of 16 particles group by group, then over the lanes, then over the chunks, so that they have the same bits
   on any number of threads and any width. */
#ifndef MSD_ENGINE_KERNEL_SPRING_WATCH_H
#define MSD_ENGINE_KERNEL_SPRING_WATCH_H

#include "engine/kernel/spring_force.h"

typedef enum spring_pass { SPRING_PASS_MEASURE, SPRING_PASS_RESERVE, SPRING_PASS_SCALE } spring_pass;

/* J, but for `work`, in W: of each pass what is said above, in that order. */
struct spring_tally {
  double energy, work, kinetic;
};

struct spring_watch {
  spring_pass pass;
  /* s and theta of a scaling pass. */
  msd_real kept, turned;
  /* Where a scaling pass that moves nothing is to put f/m + g, as accelerations() does; NULL: it moves. */
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
