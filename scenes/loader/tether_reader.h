/* Tethers of a body: one-sided springs from its particles to its nearest pins. */
#ifndef MSD_SCENES_LOADER_TETHER_READER_H
#define MSD_SCENES_LOADER_TETHER_READER_H

#include "scenes/loader/body_task.h"

/* Adds those of the member "tethers" of a body that stands, pins included, as a group of its springs. */
bool tethers_read(const body_task *t);

#endif
