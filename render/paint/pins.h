/* The marks of pinned particles: a ball on each, and rods between those in a row. */
#ifndef MSD_RENDER_PAINT_PINS_H
#define MSD_RENDER_PAINT_PINS_H

#include "render/paint/topology.h"

typedef struct pins {
  topology_ball *balls;
  topology_strand *rods;
  int32_t ball_count, rod_count;
  /* Those that there is memory for. */
  int32_t ball_room, rod_room;
} pins;

/* Finds them anew in a scene of `size` m. When memory is short some are left out. */
void pins_find(pins *p, const scene *s, const topology *t, float size);
void pins_free(pins *p);

#endif
