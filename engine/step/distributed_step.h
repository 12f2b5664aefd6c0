/* Distributed substeps for worlds with more than springs: constraints, soft pins, hard length limits,
   colliders and wind. partition.h partitions the particles; adjacency.h partitions the rest. */
#ifndef MSD_ENGINE_STEP_DISTRIBUTED_STEP_H
#define MSD_ENGINE_STEP_DISTRIBUTED_STEP_H

#include "engine/step/adjacency.h"
#include "engine/step/integrator.h"

typedef struct coupled_run {
  const partition *partition;
  const coupling_lists *lists;
  /* The job as a single process would have it, without records. The run fills in both slabs and the subsets
     to evaluate. The energy limiter and mass scaling are not supported. Pins are static, except with
     symplectic Euler. */
  substep_inputs run;
  /* slab[0] is the complete initial state and read-only. Later states alternate between the other two. */
  msd_real *slab[3];
} coupled_run;

/* Advances all substeps together with all other ranks. Afterwards every rank has the complete final state,
   including that of soft pins, hard limits and colliders. The state is in slab[0] after no substep, in
   slab[1] after an odd number and in slab[2] otherwise. Returns false on all ranks if a position was not
   finite on any rank; then nothing has changed, except how far constraint stiffness was clamped. */
bool coupled_advance(const coupled_run *run);

#endif
