/* Of a model that is a part of a whole (world/part.h): how an analysis of the whole goes through it, on all
   ranks at once, with the bits of one process.

   Each rank analyses what it has, and counts what is its own. A pass through the springs makes wrong what the
   ends of the border's springs reach, as a substep does; behind `depth` of them the border is taken anew from
   whoever owns it. Extremes are the largest of all ranks. Sums go from rank to rank, block by block of the
   whole: a block that more than one has goes on where the one before has left it. */
#ifndef MSD_ENGINE_STABILITY_WHOLE_H
#define MSD_ENGINE_STABILITY_WHOLE_H

#include "engine/base/parallel.h"

#include <msd/ranks.h>

typedef struct analysis_whole {
  const msd_ranks *ranks;
  /* The particle of the whole that the model has first, and those of the model that are this rank's own. A
     spring is owned with its first end. */
  int32_t first;
  parallel_range own;
  /* Passes for which what is owned stays right. */
  int depth;
  /* Gives the border what its owners have of an array with a value of so many bytes, at most
     ANALYSIS_WHOLE_BYTES, for each particle of the model. */
  void (*exchange)(void *context, void *values, size_t bytes);
  void *context;
} analysis_whole;

enum { ANALYSIS_WHOLE_BYTES = 24 };

#endif
