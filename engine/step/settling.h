/* Settling: what decays towards zero becomes zero before it becomes denormal.

   Damped motion decays exponentially. Sooner or later its numbers are denormal, and long before them the
   squares of its lengths, and most processors compute with those many times slower: a flat sheet at rest
   took up to three times as long as one that moves. So after every SETTLING_SUBSTEPS substeps since the
   beginning of the world each component of the velocity of a free particle that is below SETTLING_LEAST
   becomes 0; and where it does, so does that component of the position, if it is below SETTLING_LEAST too.

   Nothing is moved by more than 1e-16 m or slowed by more than 1e-16 m/s, a hundred-millionth of what
   rounding does to a coordinate of a metre. Pins are where they were put.

   This is part of the motion like the integrator. It depends on the state and on the number of substeps
   since the beginning, which snapshots keep, and not on how the substeps are divided into steps and passes
   through memory. */
#ifndef MSD_ENGINE_STEP_SETTLING_H
#define MSD_ENGINE_STEP_SETTLING_H

#include "engine/step/stepper.h"

enum { SETTLING_SUBSTEPS = 512 };

/* In m and m/s. Its square is far above the denormal numbers. */
#ifdef MSD_DOUBLE
#define SETTLING_LEAST ((msd_real)0x1p-480)
#else
#define SETTLING_LEAST ((msd_real)0x1p-53)
#endif

/* How many substeps may be taken before the next settling, after `taken` since the beginning. */
static inline int settling_distance(int64_t taken) {
  return SETTLING_SUBSTEPS - (int)(taken % SETTLING_SUBSTEPS);
}

/* Settles the present state, after `taken` substeps since the beginning, if it is time to. */
void settling_apply(stepper *s, int64_t taken);

#endif
