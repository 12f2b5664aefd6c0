/* Flushes values that decay towards zero before they become denormal.

   Damped motion decays exponentially. Its values eventually become denormal, and the squares of its lengths
   much earlier. Most processors are many times slower with denormals: a flat sheet at rest took up to three
   times as long as a moving one. So every DENORMAL_FLUSH_SUBSTEPS substeps since the creation of the world,
   each velocity component of a free particle below DENORMAL_FLUSH_LEAST is set to 0. The same component of its
   position is then set to 0 as well, if it is below DENORMAL_FLUSH_LEAST.

   No value changes by more than 1e-16 m or 1e-16 m/s, a hundred-millionth of the rounding error of a
   coordinate of one meter. Pins are not modified.

   The flush is part of the integration. It depends only on the state and on the number of substeps since the
   creation of the world, which snapshots store. It does not depend on how substeps are grouped into frames or
   into passes through memory. */
#ifndef MSD_ENGINE_STEP_DENORMAL_FLUSH_H
#define MSD_ENGINE_STEP_DENORMAL_FLUSH_H

#include "engine/step/stepper.h"

enum { DENORMAL_FLUSH_SUBSTEPS = 512 };

/* In m and m/s. Its square is far above the denormal range. */
#ifdef MSD_DOUBLE
#define DENORMAL_FLUSH_LEAST ((msd_real)0x1p-480)
#else
#define DENORMAL_FLUSH_LEAST ((msd_real)0x1p-53)
#endif

/* Number of substeps until the next flush, after `taken` substeps. */
static inline int substeps_until_flush(int64_t taken) {
  return DENORMAL_FLUSH_SUBSTEPS - (int)(taken % DENORMAL_FLUSH_SUBSTEPS);
}

/* Flushes the current state if it is due after `taken` substeps. */
void denormal_flush_apply(stepper *s, int64_t taken);

#endif
