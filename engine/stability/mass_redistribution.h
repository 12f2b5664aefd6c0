/* Mass redistribution: fewer substeps by moving a little mass to the particles that need more substeps.

   required_mass.h computes the mass that each particle needs for a substep. Lighter particles get that mass
   from the others of their pool, each of which gives in proportion to its surplus. No particle falls below
   its need, so x = 1 proves stability, and the mass of each pool is unchanged. The mass to move decreases
   with the number of substeps, so bisection finds the smallest number. */
#ifndef MSD_ENGINE_STABILITY_MASS_REDISTRIBUTION_H
#define MSD_ENGINE_STABILITY_MASS_REDISTRIBUTION_H

#include "engine/stability/steps.h"

/* Implements msd_world_redistribute_mass for validated pools and a validated time step. Changes masses only,
   all of them or none. Error: MSD_OUT_OF_MEMORY. */
msd_result mass_redistribution_make(world_model *model, const msd_mass_pool *pools, int count, double frame,
                                    msd_mass_redistribution *out);

#endif
