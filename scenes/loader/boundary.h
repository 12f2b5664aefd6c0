/* Particles of a body in an order: those of a list, or those along a part of the border of its triangles. */
#ifndef MSD_SCENES_LOADER_BOUNDARY_H
#define MSD_SCENES_LOADER_BOUNDARY_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

typedef struct particle_line {
  /* Indices of the world; to be freed. */
  int32_t *particles;
  int32_t count;
} particle_line;

/* Reads a list of particles, each of which an index or a name means, or several in the order of their
   indices; or { "along": [a, b] }, the shorter way on the border from a to b, both among them, or { "along":
   [a, c, b] }, the one that leads over c. Without a world it is only checked, and *line is empty. */
bool border_read(const json_place *place, const msd_world *world, const scene_body *body,
                 particle_line *line);

#endif
