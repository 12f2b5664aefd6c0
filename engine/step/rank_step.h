/* Distributed substeps of a world with springs only. partition.h has the partition. */
#ifndef MSD_ENGINE_STEP_RANK_STEP_H
#define MSD_ENGINE_STEP_RANK_STEP_H

#include "engine/base/rank_agreement.h"
#include "engine/step/partition.h"
#include "engine/step/temporal_blocking.h"

typedef struct rank_run {
  const partition *partition;
  spring_kernel kernel;
  /* The run fills in the states and where pins are read. Pins of rows with pinned ends are static; see
     blocking_pins_stand. */
  spring_input input;
  /* As in blocking_run. slab[0] is complete and read-only. */
  msd_real *slab[BLOCKING_SLABS];
  /* Intermediate states as records too; NULL: as slabs only. */
  msd_real *records[2];
  /* rank_down_size reals, all zero before and after, to process diagonal blocks; NULL to process rows. */
  msd_real *down;
  /* Shape of temporal blocking between two exchanges; depth 0: none. It requires that the chunks within each
     ring are contiguous and that there are no records. */
  blocking_shape blocking;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} rank_run;

/* The fastest shape for a subdomain; depth 0 if single substeps are faster. */
blocking_shape rank_blocking(const partition *s, const network *net, int threads);

/* Size of `down` in reals for a shape. */
size_t rank_down_size(const partition *s, const network *net, const blocking_shape *shape, int threads);

/* Advances all substeps together with all other ranks. Afterwards every rank has the complete final state in
   slab[blocking_slab(run, substeps)]. Returns false on all ranks if a position was not finite on any rank;
   then only slab[0] is valid. */
bool rank_advance(const rank_run *run);

#endif
