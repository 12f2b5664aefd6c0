/* Colouring: an order in which threads can work on items that share particles, such as springs or constraints,
   and still give the same bits.

   Items of one colour share no particle, so their order within the colour changes no bit, and threads divide
   them among themselves; the colours follow each other in a fixed order. Items are coloured greedily, in the
   order of their indices: each takes the first colour that is free at all its particles. Those that find none
   of the 64 colours free, such as the springs of a hub, come last, one after another on one thread. */
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

/* Colours `items` items between `particles` particles. Returns them by colour, then by index, in memory that
   the caller releases; NULL when there is none. */
int32_t *coloring_make(coloring *c, memory *m, int32_t items, int32_t particles, coloring_corners *corners,
                       const void *context);

/* Works on the items in this range of the order, all of one colour or all without. */
typedef void coloring_work(const void *context, parallel_range range);

/* Works on all items once. All threads of a run call it together; each does its part, and sees what the others
   did when it returns. */
void coloring_run(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                  int thread, int threads);

/* The same from the last colour to the first, beginning with the items that have none. What `work` is given in
   one call it takes from last to first. */
void coloring_run_back(const coloring *c, coloring_work *work, const void *context, parallel_barrier *barrier,
                       int thread, int threads);

#endif
