/* The triangles by which a body is drawn and exported, and which are touched, and the same of segments. */
#ifndef MSD_SCENES_LOADER_COLLISION_H
#define MSD_SCENES_LOADER_COLLISION_H

#include "scenes/loader/scene.h"

/* Sets body->triangles and triangle_count to those of its definition (msd/render_mesh.h), or the segments of a
   cloth of one row. False when out of memory. */
bool surface_of_cloth(scene_body *body, const msd_cloth_def *def);
bool surface_of_block(scene_body *body, const msd_block_def *def);
bool surface_of_tetmesh(scene_body *body, const msd_tetmesh_def *def);

/* The same from triangles of a mesh, numbered from 0. */
bool surface_of_mesh(scene_body *body, const int32_t *triangles, int32_t triangle_count);

/* Sets body->segments and segment_count: from each particle to the next, as along a rope. */
bool surface_of_rope(scene_body *body);

/* The same from lines between vertices of a mesh, numbered from 0. */
bool surface_of_lines(scene_body *body, const int32_t *lines, int32_t line_count);

#endif
