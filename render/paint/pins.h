/* The marks of pinned particles: a ball on each, and rods between neighbors in a row. */
#ifndef MSD_RENDER_PAINT_PINS_H
#define MSD_RENDER_PAINT_PINS_H

#include "render/paint/topology.h"

typedef struct pins {
  topology_ball *balls;
  topology_strand *rods;
  int32_t ball_count, rod_count;
  /* How many fit into the allocated memory. */
  int32_t ball_capacity, rod_capacity;
} pins;

/* Finds the marks of the pins that there are now, in a scene of `size` m. Some are left out when memory is
   short. */
void pins_find(pins *p, const scene *s, const topology *t, float size);

/* A hash of the set of pinned particles. */
uint64_t pins_number(const msd_world *world);

void pins_free(pins *p);

#endif
