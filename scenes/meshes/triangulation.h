/* Polygons become triangles, each of which is there once. */
#ifndef MSD_SCENES_MESHES_TRIANGULATION_H
#define MSD_SCENES_MESHES_TRIANGULATION_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"
#include "scenes/meshes/polygon_mesh.h"

/* Fills triangles, and the face of each and its corners there, of a mesh that has none. Four corners are cut
   along the shorter diagonal, more as a fan from the first corner, or in another way where that would make a
   triangle for the second time: two quads may share three corners. A face that repeats another is left out,
   with a warning. False when out of memory. */
bool triangulate(const polygon_mesh *polygons, mesh_data *mesh, scene_warnings *warnings);

#endif
