/* Spheres of triangles. */
#ifndef MSD_SCENES_MESHES_SPHERE_H
#define MSD_SCENES_MESHES_SPHERE_H

#include "scenes/meshes/mesh_data.h"

enum { SPHERE_SUBDIVISIONS_MAX = 8 };

/* An icosahedron whose triangles are cut into four `subdivisions` times, with all vertices at the distance
   `radius` in m from the origin: 10 4^n + 2 vertices and 20 4^n triangles, counterclockwise seen from outside.
   *mesh is empty before. False when out of memory: what *mesh holds is still to be freed. */
bool sphere_make(double radius, int subdivisions, mesh_data *mesh);

#endif
