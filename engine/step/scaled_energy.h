/* Spring work of a substep with mass scaling, for the energy limiter: f . (v + v'). f are the spring forces
   that a measuring pass has stored in in->spring_force; v and v' are the velocities before and after the kick.
   Results are added to the tallies of complete chunks; each thread processes its own groups.
   scaling/mass_scaling.h defines C and W. docs/theory/mass_scaling.md has the proof. */
#ifndef MSD_ENGINE_STEP_SCALED_ENERGY_H
#define MSD_ENGINE_STEP_SCALED_ENERGY_H

#include "engine/base/parallel.h"
#include "engine/kernel/energy_meter.h"

/* 1/2 m v^2 of the velocities in `slab`, and in->spring_force . v, with v divided by `decay` except at pins. */
double scaled_energy_kinetic(const spring_input *in, const msd_real *slab, parallel_range groups);
double scaled_energy_power(const spring_input *in, const msd_real *slab, double decay, parallel_range groups);

/* Kinetic energy 1/2 m v^2 of the velocities in `slab`. It is at most 1/2 v' W v. */
void scaled_energy_begin(const spring_input *in, const msd_real *slab, parallel_range groups);

/* Work f . (v + v'), with v' after the kick and before linear damping. v is in `read` and v' in `written`. */
void scaled_energy_of_kick(const spring_input *in, const msd_real *read, const msd_real *written,
                           parallel_range groups);

/* Work f . v times `sign`. Call it with -1 before and 1 after wind, hard limits and contact, so that the work
   uses the final velocities. */
void scaled_energy_of_change(const spring_input *in, const msd_real *written, double sign,
                             parallel_range groups);

#endif
