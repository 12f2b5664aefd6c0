/* Graph coloring: an order in which threads process items that share particles, such as springs or
   constraints, with deterministic results.

   Items of one color share no particle. So their order within the color does not matter, and threads divide
   them. The colors follow each other in a fixed order. The coloring is greedy in the order of the item
   indices: each item takes the first color that is free at all its particles. If all 64 colors are taken, as
   for the springs of a hub, the item comes last. Such items run in order on one thread. */
#ifndef MSD_ENGINE_KERNEL_COLORING_H
#define MSD_ENGINE_KERNEL_COLORING_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

enum {
  COLORING_COLORS = 64,
  /* The maximum number of particles of an item. */
  COLORING_PARTICLES = 4
};

/* The first position of each color in the order, then of the items without a color, then the end. */
typedef struct coloring {
  int32_t first[COLORING_COLORS + 2];
} coloring;

/* Writes the particles of an item and returns their number. 0: the item gets no color. */
typedef int coloring_corners(const void *context, int32_t item, int32_t *particles);

/* Colors `items` items over `particles` particles. Returns the items by color, then by index, in memory that
   the caller releases. NULL if memory runs out. */
int32_t *coloring_make(coloring *c, memory *m, int32_t items, int32_t particles, coloring_corners *corners,
                       const void *context);

/* Processes the items in this range of the order. They all have the same color, or all have none. */
typedef void coloring_work(const void *context, parallel_range range);

/* Processes all items once. All threads call it together; each processes its share of each color. On return
   all results are visible to all threads. */
void coloring_run(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                  int thread, int threads);

/* The same from the last color to the first, beginning with the items without a color. `work` must process
   each range from last to first. */
void coloring_run_back(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                       int thread, int threads);

#endif
