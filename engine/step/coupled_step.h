/* Substeps that several processes take together where more than springs acts: constraints, anchors, catches,
   colliders, wind. shares.h says who takes what, and couplings.h what of all that goes with it. */
#ifndef MSD_ENGINE_STEP_COUPLED_STEP_H
#define MSD_ENGINE_STEP_COUPLED_STEP_H

#include "engine/step/couplings.h"
#include "engine/step/integrator.h"

typedef struct coupled_run {
  const shares *shares;
  const coupling_lists *lists;
  /* What one process would take, without records; its two slabs, and what of it is to be gone through, are
     filled in by the run. Neither guarded nor with scaled masses. Pins stand, but with symplectic Euler. */
  integrator_run run;
  /* The first, which is whole, is only read; the state after so many substeps stands in the other two by
     turns. */
  msd_real *slab[3];
} coupled_run;

/* Takes all substeps, together with all other ranks. Then the state behind them is whole on each, with what
   anchors, catches and colliders keep of them, in slab[0] after none, in slab[1] after an odd number and
   else in slab[2]. False, on all of them, when some position was not finite on any, and then all is as
   before, but for how far constraints were softened. */
bool coupled_advance(const coupled_run *run);

#endif
