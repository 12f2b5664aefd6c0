/* Polygons become triangles, each of which is there once. */
#ifndef MSD_SCENES_MESHES_TRIANGULATION_H
#define MSD_SCENES_MESHES_TRIANGULATION_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"
#include "scenes/meshes/polygon_mesh.h"

/* Fills triangles, and the face of each and its corners there, of a mesh that has none. Four corners are cut
   along the shorter diagonal, more as a fan from the first corner. Where a triangle of that would be there for
   the second time (two quads may share three corners) or lies outside a concave face, it is a fan from another
   corner; ear clipping cuts the face where each of eight fans has such a triangle. Outside is by the normal of
   Newell: the sum of the cross products of corners that follow each other. A face that repeats another is left
   out, and a warning names it, as it does a face that crosses itself. False when out of memory. */
bool triangulate(const polygon_mesh *polygons, mesh_data *mesh, scene_warnings *warnings);

#endif
