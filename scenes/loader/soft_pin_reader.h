/* Springs from particles of a body to points in space. */
#ifndef MSD_SCENES_LOADER_SOFT_PIN_READER_H
#define MSD_SCENES_LOADER_SOFT_PIN_READER_H

#include "scenes/loader/body_task.h"

/* Adds those of the member "soft_pins" of a body that stands, and fills its range. */
bool soft_pins_read(const body_task *t);

#endif
