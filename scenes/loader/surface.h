/* The triangles by which a body is drawn and exported, and which are touched, and the same of segments. */
#ifndef MSD_SCENES_LOADER_SURFACE_H
#define MSD_SCENES_LOADER_SURFACE_H

#include "scenes/loader/scene.h"

/* Sets body->triangles and triangle_count from its grid; all wind the same way. A block's face outward; a
   cloth's towards v x u, the viewer of one that hangs with u to the right. False when out of memory. */
bool surface_of_cloth(scene_body *body);
bool surface_of_block(scene_body *body);

/* The same from triangles of a mesh, numbered from 0. */
bool surface_of_mesh(scene_body *body, const int32_t *triangles, int32_t triangle_count);

/* Sets body->segments and segment_count: from each particle to the next, as along a rope. */
bool surface_of_rope(scene_body *body);

/* The same from lines between vertices of a mesh, numbered from 0. */
bool surface_of_lines(scene_body *body, const int32_t *lines, int32_t line_count);

/* The faces that only one of the tetrahedra has, facing outward; numbered from 0, with volumes of 0 or more. */
bool surface_of_tetmesh(scene_body *body, const int32_t *tetrahedra, int32_t tetrahedron_count);

#endif
