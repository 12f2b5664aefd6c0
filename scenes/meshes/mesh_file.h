/* Triangle meshes from OBJ, PLY, STL and glTF files. */
#ifndef MSD_SCENES_MESHES_MESH_FILE_H
#define MSD_SCENES_MESHES_MESH_FILE_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"
#include "scenes/meshes/transform.h"

/* What becomes of the lines of an OBJ file. */
typedef enum mesh_lines {
  /* They are counted, and left out. */
  LINES_COUNTED,
  /* Those between vertices of faces are kept. */
  LINES_OF_FACES,
  /* All are kept, and the file may have nothing else. */
  LINES_ALL
} mesh_lines;

/* How a file is read; all 0 is as mesh_file_read does. */
typedef struct mesh_options {
  mesh_lines lines;

  /* Of which group the faces are wanted, and no lines but between them; what is in no face of it is left out
     without a word.
     NULL: all. */
  const char *group;

  /* Whether only one piece is wanted of the mesh that is then left, and which: they are counted from 0. */
  bool has_piece;
  int32_t piece;

  /* Where the mesh is put; NULL: where the file has it. */
  transform *where;

  /* Which vertices are one, where they are put. */
  welding weld;
} mesh_options;

/* Reads a file, by the ending of its name. Vertices within the merge distance become one, polygons become
   triangles, faces that repeat others and vertices that no face with an area uses are left out with a warning.
   On failure the error is one line "FILE:LINE: ..." or "FILE: ...", and *mesh is empty. */
bool mesh_file_read_with(const char *path, const mesh_options *options, mesh_data *mesh,
                         scene_warnings *warnings, scene_error *error);

/* The same of the faces alone, where vertices at one position are one. */
bool mesh_file_read(const char *path, mesh_data *mesh, scene_warnings *warnings, scene_error *error);

#endif
