/* What springs do to particles under scaled masses, for the guard of the energy (energy_guard.h), whose theorem
   holds with W in the place of M: f . (v + v') over a substep, from the forces that a watched pass has kept in
   in->spring_force and the velocities that C has led to. All are added to the tallies of whole chunks, of which
   each thread has its groups. docs/mass_scaling.md has the proof. */
#ifndef MSD_ENGINE_STEP_SCALED_WORK_H
#define MSD_ENGINE_STEP_SCALED_WORK_H

#include "engine/base/parallel.h"
#include "engine/kernel/spring_watch.h"

/* 1/2 m v^2, which is no more than 1/2 v' W v, of the velocities in that slab. */
void scaled_work_begin(const spring_input *in, const msd_real *slab, parallel_range groups);

/* f . (v + v'), v' behind the kick and before drag, from the slab that was read to the one that was written. */
void scaled_work_of_kick(const spring_input *in, const msd_real *read, const msd_real *written,
                         parallel_range groups);

/* f . v times `sign`: with -1 before and 1 behind what changes velocities behind the kick, which is to the
   springs what a pin that moves is. */
void scaled_work_of_change(const spring_input *in, const msd_real *written, double sign,
                           parallel_range groups);

#endif
