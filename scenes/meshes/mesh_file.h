/* Triangle meshes from OBJ, PLY, STL and glTF files. */
#ifndef MSD_SCENES_MESHES_MESH_FILE_H
#define MSD_SCENES_MESHES_MESH_FILE_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"

/* How a file is read; all 0 is as mesh_file_read does. */
typedef struct mesh_options {
  /* Whether the lines of an OBJ file are wanted, which may then have nothing else. */
  bool with_lines;

  /* Of which group the faces are wanted, and no lines; what is in no face of it is left out without a word.
     NULL: all. */
  const char *group;

  /* Whether only one piece is wanted of the mesh that is then left, and which: they are counted from 0. */
  bool has_piece;
  int32_t piece;

  /* Which vertices are one. */
  welding weld;
} mesh_options;

/* Reads a file, by the ending of its name. Vertices that are welded are one, polygons become triangles,
   faces that repeat others and vertices that no face with an area uses are left out with a warning. On
   failure the error is one line "FILE:LINE: ..." or "FILE: ...", and *mesh is empty. */
bool mesh_file_read_with(const char *path, const mesh_options *options, mesh_data *mesh,
                         scene_warnings *warnings, scene_error *error);

/* The same of the faces alone, where vertices at one position are one. */
bool mesh_file_read(const char *path, mesh_data *mesh, scene_warnings *warnings, scene_error *error);

#endif
