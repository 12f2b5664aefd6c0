/* Tetrahedral meshes from TetGen's pairs of .node and .ele files.

   A .node file holds the vertices, a .ele file of the same name the tetrahedra. Numbers may start from 0 or
   1; a vertex keeps its place in the file. */
#ifndef MSD_SCENES_MESHES_TETGEN_FILE_H
#define MSD_SCENES_MESHES_TETGEN_FILE_H

#include "scenes/meshes/mesh_part.h"

typedef struct tet_data {
  msd_vec3 *vertices;
  int32_t vertex_count;

  /* Four vertex numbers each, from 0; volumes (b - a) x (c - a) . (d - a) are 0 or more. */
  int32_t *tetrahedra;
  int32_t tetrahedron_count;
} tet_data;

/* Reads both files by the name of one of them. On failure the error is one line "FILE:LINE: ..." or "FILE:
   ...", and *mesh is empty. */
bool tetgen_file_read(const char *path, transform *where, tet_data *mesh, scene_error *error);
void tet_data_free(tet_data *mesh);

/* For meshes of which each process has a part, as mesh_subdomain.h has them of triangles: both files are read
   some lines at a time. */

/* How many vertices there are, and how far apart those of a tetrahedron are in their order. */
bool tetgen_part_measure(const char *path, mesh_extent *extent, scene_error *error);

/* Some vertices, and the tetrahedra all of whose corners are among these, counted from the first of them, in
   the order of the file. On failure *mesh is empty. */
bool tetgen_part_read(const char *path, transform *where, msd_range vertices, tet_data *mesh,
                      scene_error *error);

#endif
