/* Subdivision of triangle meshes. */
#ifndef MSD_BENCH_REFINED_MESH_H
#define MSD_BENCH_REFINED_MESH_H

#include "scenes/meshes/mesh_data.h"

/* Writes a mesh as an OBJ file after splitting each triangle into four, `times` times. The shape stays the
   same, and the vertices of the mesh come first. Only positions are written, without groups and textures. False
   with *error filled if that fails. */
bool halved_mesh_write(const mesh_data *mesh, int times, const char *path, scene_error *error);

#endif
