/* Meshes with each edge in two. */
#ifndef MSD_BENCH_HALVED_MESH_H
#define MSD_BENCH_HALVED_MESH_H

#include "scenes/meshes/mesh_data.h"

/* Writes a mesh as an OBJ file with each of its triangles in four, so many times: the same shape, whose first
   vertices are those of the mesh. Only what is at its corners; groups and textures are left out. False with
   *error filled where that fails. */
bool halved_mesh_write(const mesh_data *mesh, int times, const char *path, scene_error *error);

#endif
