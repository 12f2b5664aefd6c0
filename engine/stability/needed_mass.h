/* How heavy each particle must be for a substep.

   With x = 1 at every particle the bound of bound.h is

       radius <= max w_i (sum 2 kappa_e + own_i),

   which asks each particle for a mass of its own, whatever its neighbours weigh: a light one is found by
   itself. That holds for what is stiff and damped in N/m and N s/m. Coefficients and frequencies go with the
   masses; they are bounded by their shares, at any masses: kappa (w_a n_a + w_b n_b) is at most max(n_a, n_b)
   times what it is for a reduced mass of 1 kg. Radii add up, so particles get what these leave of 4. */
#ifndef MSD_ENGINE_STABILITY_NEEDED_MASS_H
#define MSD_ENGINE_STABILITY_NEEDED_MASS_H

#include "engine/store/model.h"

/* What msd_world_find_needed_masses says, for a time step that is a number above 0. MSD_OUT_OF_MEMORY. */
msd_result needed_mass_find(const world_model *model, double time_step, double *masses);

#endif
