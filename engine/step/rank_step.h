/* The substeps of a world that several processes take together; shares.h says who takes what. */
#ifndef MSD_ENGINE_STEP_RANK_STEP_H
#define MSD_ENGINE_STEP_RANK_STEP_H

#include "engine/base/rank_agreement.h"
#include "engine/step/shares.h"
#include "engine/step/temporal_blocking.h"

typedef struct rank_run {
  const shares *shares;
  spring_kernel kernel;
  /* What is read and written, and where pins are, is filled in by the run. Pins of held rows stand still; see
     blocking_pins_stand. */
  spring_input input;
  /* As those of a blocking_run: slab[0], which is whole, is only read. */
  msd_real *slab[BLOCKING_SLABS];
  /* The states in between as records besides; NULL: in slabs alone. */
  msd_real *records[2];
  /* rank_down_size reals, all zero before and after, to go through runs; NULL: through rows. */
  msd_real *down;
  /* How substeps between two exchanges are blocked, where all that is within each ring is one span; of depth 0:
     they are not. Without records. */
  blocking_shape blocking;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} rank_run;

/* The shape that is best for a share, of depth 0 where it is better not blocked. */
blocking_shape rank_blocking(const shares *s, const network *net, int threads);

/* Reals that `down` needs with that shape. */
size_t rank_down_size(const shares *s, const network *net, const blocking_shape *shape, int threads);

/* Takes all substeps, together with all other ranks. Then the state behind them is whole on each, in
   slab[blocking_slab(run, substeps)]. False, on all of them, when some position was not finite on any, and then
   slab[0] is all that is left. */
bool rank_advance(const rank_run *run);

#endif
