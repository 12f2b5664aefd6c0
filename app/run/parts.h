/* A run of several processes of which each has a part of the scene, and none has all: it takes steps and prints
   the summary, which is that of one process. */
#ifndef MSD_APP_RUN_PARTS_H
#define MSD_APP_RUN_PARTS_H

#include "app/run/run_options.h"

/* Returns the exit status. */
int run_parts(const run_options *options);

#endif
