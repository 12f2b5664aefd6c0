/* Triangle meshes, ready to be made a body of. */
#ifndef MSD_SCENES_MESHES_MESH_DATA_H
#define MSD_SCENES_MESHES_MESH_DATA_H

#include "scenes/input/scene_error.h"
#include "scenes/meshes/corner_attributes.h"
#include "scenes/meshes/vertex_groups.h"
#include "scenes/meshes/welding.h"

#include <msd/msd.h>

/* Of a triangle. */
enum { CORNERS = 3 };

typedef struct mesh_data {
  /* In m, where they are put. */
  msd_vec3 *vertices;

  /* Of a mesh from a file, NULL otherwise: where that has them, as long as nothing is merged. */
  double (*file_vertices)[3];
  int32_t vertex_count;

  /* Three vertex numbers each. No two have the same three, and no vertex is in none. */
  int32_t *triangles;
  int32_t triangle_count;

  /* Two vertex numbers each: the lines of a file that was read for them too; else how many it has. */
  int32_t *segments;
  int32_t segment_count, unread_lines;

  /* Of a mesh from a file, NULL otherwise. The vertex here of each vertex of the file, since those that
     are merged are one; -1: left out. */
  int32_t *vertex_of;
  int32_t file_vertex_count;
  weld_result welded;

  /* The line of each triangle in its file, or the number of its face. */
  int32_t *face_of;
  bool has_lines;

  /* By their names in the file, where it has any. */
  vertex_groups groups;

  /* Texture coordinates and normals, where the file has any. */
  corner_attributes attributes;

  /* The corner of its face, among those of all faces, of each corner of a triangle: only while the mesh is
     read. */
  int32_t *corner_of;

  /* The file, as errors name it. */
  char *path;
} mesh_data;

void mesh_data_free(mesh_data *mesh);

/* Whether the corners of a triangle do not lie in a line. */
bool mesh_data_has_area(const mesh_data *mesh, int32_t triangle);

/* Whether each edge is one of exactly two triangles that go along it in opposite directions; the error names
   the face where that is not so, and `remedy` is what helps besides repairing it. */
bool mesh_data_check_closed(const mesh_data *mesh, const char *remedy, scene_error *error);

#endif
