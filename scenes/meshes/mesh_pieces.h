/* The pieces of a mesh: triangles and lines that share vertices, however far away. */
#ifndef MSD_SCENES_MESHES_MESH_PIECES_H
#define MSD_SCENES_MESHES_MESH_PIECES_H

#include "scenes/meshes/mesh_data.h"

/* Leaves of a mesh that is being read the triangles and lines of one of its pieces, which are counted from 0 in
   the order of their first vertices in the file; fails where there are not as many. */
bool mesh_keep_piece(mesh_data *mesh, int32_t piece, scene_error *error);

#endif
