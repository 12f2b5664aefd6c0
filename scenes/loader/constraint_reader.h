/* Springs on angles, areas and volumes that a body of particles is given one by one. */
#ifndef MSD_SCENES_LOADER_CONSTRAINT_READER_H
#define MSD_SCENES_LOADER_CONSTRAINT_READER_H

#include "scenes/loader/body_task.h"

/* Adds those of the member "constraints" of a body whose particles stand, and fills its ranges. */
bool constraints_read(const body_task *t);

#endif
