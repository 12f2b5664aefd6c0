/* Colouring: an order in which threads may work on items that share particles, such as springs and constraints, and
   still give the same bits.

   Items of one colour share no particle, so their order among each other changes no bit, and threads divide them
   up; the colours come in a fixed order. An item takes the first colour that is free at all its particles, in the
   order of the indices (a greedy colouring; D. Welsh and M. Powell, 1967). Items that find none of the 64 colours
   free, such as the springs of a hub, come last, one after another on one thread. */
#ifndef MSD_ENGINE_KERNEL_COLORING_H
#define MSD_ENGINE_KERNEL_COLORING_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

enum {
  COLORING_COLORS = 64,
  /* The most particles that an item can name. */
  COLORING_PARTICLES = 4
};

/* Where each colour begins in the order, then the items without a colour, then the end. */
typedef struct coloring {
  int32_t first[COLORING_COLORS + 2];
} coloring;

/* Writes the particles of an item and returns how many there are. 0: the item takes no colour. */
typedef int coloring_corners(const void *context, int32_t item, int32_t *particles);

/* Colours `items` items between `particles` particles. Returns the items by colour, then by index, which the caller
   releases; NULL when there is no memory. */
int32_t *coloring_make(coloring *c, memory *m, int32_t items, int32_t particles, coloring_corners *corners,
                       const void *context);

/* Works on some items of one colour, or of none, which stand in this range of the order. */
typedef void coloring_work(const void *context, parallel_range range);

/* One thread's part of working on all items once. All threads of a run call it together; what the others did is
   visible when it returns. */
void coloring_run(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                  int thread, int threads);

#endif
