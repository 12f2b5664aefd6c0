/* Fewer substeps by moving a little mass to the particles that ask for more of them.

   needed_mass.h tells what each particle must weigh for a substep. Those that weigh less are given that, and
   the others of their pool give it, each in proportion to what it has to spare: none falls below its own need,
   so all of them are certified by x = 1, and no pool weighs more or less than before. What has to be moved
   only falls with the number of substeps, so the fewest are found by bisection. */
#ifndef MSD_ENGINE_STABILITY_MASS_SHIFT_H
#define MSD_ENGINE_STABILITY_MASS_SHIFT_H

#include "engine/stability/steps.h"

/* What msd_world_shift_mass does, for pools and a time step that have been checked: masses change and nothing
   else, all of them or none. MSD_OUT_OF_MEMORY. */
msd_result mass_shift_make(world_model *model, const msd_mass_pool *pools, int count, double frame,
                           msd_mass_shift *out);

#endif
