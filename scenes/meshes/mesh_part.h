/* Meshes of which each process has a part: their files are read some lines at a time, and never are in
   memory as a whole. */
#ifndef MSD_SCENES_MESHES_MESH_PART_H
#define MSD_SCENES_MESHES_MESH_PART_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"
#include "scenes/meshes/transform.h"

typedef struct mesh_extent {
  int32_t vertex_count;
  /* The most that two corners of a face are apart in the order of the vertices. */
  int32_t span;
  /* The triangles that its faces are cut into, where none repeats another or names a vertex twice; and whether
     corners have texture coordinates or normals. */
  int64_t triangles;
  bool has_attributes;
} mesh_extent;

/* Reads through an OBJ file, on each of `count` processes with its number. Vertices of different numbers
   stand in different places, since others would become one: of each place one process sees whether that is
   so, and fails where it is not, so that not all do. On failure the error is as of mesh_file_read. */
bool mesh_part_measure(const char *path, transform *where, int32_t number, int32_t count, mesh_extent *extent,
                       scene_error *error);

/* Reads some vertices, and the triangles of the faces all of whose corners are among these, counted from the
   first of them, in the order in which mesh_file_read has them. The vertices that are kept, of those, must
   be corners of triangles with an area, since others would be left out. Unless `numbers` is NULL, *numbers is
   which of the triangles of the file each is, ascending, where these are as many as mesh_extent has and can be
   counted; the caller frees it. On failure *mesh is empty and *numbers NULL. */
bool mesh_part_read(const char *path, transform *where, msd_range vertices, msd_range kept, mesh_data *mesh,
                    int32_t **numbers, scene_warnings *warnings, scene_error *error);

#endif
