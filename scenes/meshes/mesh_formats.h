/* The readers behind mesh_file. `text` has `size` bytes and a zero after them; obj_read may cut it into
   lines. */
#ifndef MSD_SCENES_MESHES_MESH_FORMATS_H
#define MSD_SCENES_MESHES_MESH_FORMATS_H

#include "scenes/meshes/mesh_file.h"

/* Wavefront OBJ: the v and f lines; everything else is skipped. */
bool obj_read(const char *path, char *text, size_t size, mesh_data *mesh, scene_error *error);

/* PLY 1.0, ascii or binary of both byte orders: x, y, z of "vertex", vertex_indices of "face". */
bool ply_read(const char *path, const char *text, size_t size, mesh_data *mesh, scene_error *error);

#endif
