/* Triangle meshes from OBJ and PLY files.

   A vertex keeps its number in the file. Vertices at exactly the same place are one (files repeat them for
   their texture or normals): the first of them stays, and those after move up. Polygons become triangles. */
#ifndef MSD_SCENES_MESHES_MESH_FILE_H
#define MSD_SCENES_MESHES_MESH_FILE_H

#include "scenes/input/scene_error.h"

#include <msd/msd.h>

typedef struct mesh_data {
  msd_vec3 *vertices;
  int32_t vertex_count, vertex_capacity;
  int32_t *triangles; /* three vertex numbers each */
  int32_t triangle_count, triangle_capacity;
  int32_t *corners; /* of the polygon that is being read */
  int32_t corner_count, corner_capacity;
} mesh_data;

/* Reads a file, by the ending of its name. On failure the error is one line "FILE:LINE: ..." or "FILE: ...",
   and *mesh is empty. */
bool mesh_file_read(const char *path, mesh_data *mesh, scene_error *error);
void mesh_data_free(mesh_data *mesh);

/* For the readers of the formats. `place` is "FILE:LINE" or the like. */
bool mesh_add_vertex(mesh_data *mesh, const double xyz[3], const char *place, scene_error *error);

/* A polygon is added corner by corner, which are vertices that are already there, and then ended. Four corners
   are cut along the shorter diagonal, more as a fan. */
bool mesh_add_corner(mesh_data *mesh, int32_t vertex, scene_error *error);
bool mesh_end_polygon(mesh_data *mesh, const char *place, scene_error *error);

#endif
