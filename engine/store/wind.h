/* What the world says of its air. engine/air/wind.h tells how it pushes. */
#ifndef MSD_ENGINE_STORE_WIND_H
#define MSD_ENGINE_STORE_WIND_H

#include "msd/wind.h"

/* Of a world that has no air. */
msd_wind_def wind_none(void);

/* What is wrong with the numbers of a definition, and what would be right; NULL when nothing is. */
const char *wind_fault(const msd_wind_def *def);

#endif
