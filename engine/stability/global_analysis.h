/* The global analysis of a distributed model: a subdomain (world/subdomain.h) takes part in it with all other
   ranks, with results bitwise identical to those of one process.

   Each rank analyzes its subdomain, and counts the objects that it owns. A pass over the springs invalidates
   the values next to the ghost layer, as a substep does. After `depth` passes the ghosts are updated from
   their owners. Extremes are the maximum over all ranks. Sums go from rank to rank, by block of the global
   index: the next rank continues a block that the previous one has begun. */
#ifndef MSD_ENGINE_STABILITY_GLOBAL_ANALYSIS_H
#define MSD_ENGINE_STABILITY_GLOBAL_ANALYSIS_H

#include "engine/base/parallel.h"

#include <msd/ranks.h>

typedef struct analysis_whole {
  const msd_ranks *ranks;
  /* The global index of the first particle of the model, and the particles of the model that this rank owns.
     A spring is owned with its first end. */
  int32_t first;
  parallel_range own;
  /* The number of passes for which owned values stay valid. */
  int depth;
  /* Updates the ghost entries of an array from their owners. The array has a value of that many bytes, at
     most ANALYSIS_WHOLE_BYTES, for each particle of the model. */
  void (*exchange)(void *context, void *values, size_t bytes);
  void *context;
} analysis_whole;

enum { ANALYSIS_WHOLE_BYTES = 24 };

#endif
