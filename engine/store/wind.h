/* The wind settings of a world. engine/air/wind.h explains the forces. */
#ifndef MSD_ENGINE_STORE_WIND_H
#define MSD_ENGINE_STORE_WIND_H

#include "msd/wind.h"

/* The settings of a world without air. */
msd_wind_def wind_none(void);

/* Describes the first invalid field of a definition; NULL if all are valid. */
const char *wind_fault(const msd_wind_def *def);

#endif
