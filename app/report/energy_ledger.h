/* Which springs make energy by themselves while a run goes on, where that is measured: each is asked in some
   of the frames, since to ask all of them takes as long as some substeps. */
#ifndef MSD_APP_REPORT_ENERGY_LEDGER_H
#define MSD_APP_REPORT_ENERGY_LEDGER_H

#include <msd/msd.h>

typedef struct energy_ledger {
  /* J, for each spring: the sum of what the last substeps of those frames have made; NULL: nobody asks. */
  double *made;
  /* Frames from one that is asked in to the next. */
  int64_t every;
} energy_ledger;

/* For a run of that many frames. The run does not depend on it: without memory nobody asks. */
energy_ledger energy_ledger_begin(const msd_world *world, int64_t frames);

/* After the frame of that number. */
void energy_ledger_look(energy_ledger *l, const msd_world *world, int64_t frame);

/* The spring that has most of what the steps have made, or lost where that is below 0; *part, 0 to 1, of what
   all those have that have made or lost any. -1: nobody asked, or there was nothing. */
int32_t energy_ledger_most(const energy_ledger *l, const msd_world *world, double *part);

void energy_ledger_free(energy_ledger *l);

#endif
