/* What a substep costs on this machine: tried. */
#ifndef MSD_APP_REPORT_SUBSTEP_COST_H
#define MSD_APP_REPORT_SUBSTEP_COST_H

#include <msd/msd.h>

/* s: the least that a substep of `substep` seconds took in trials of a moment, with `threads` as
   msd_world_set_thread_count takes them; what the trials compute is thrown away. 0 when there is no memory,
   or the world does not step. The world is as before, and where it could be tried itself, ready to step; below
   0 when there was no memory to take it back, and it is no use any more. */
double substep_cost_measure(msd_world *world, int threads, double substep);

/* Whether a state (msd_world_save_state) has all that steps change of a world, down to what reports tell of the
   last one. */
bool substep_cost_states_suffice(const msd_world *world);

#endif
