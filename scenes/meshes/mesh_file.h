/* Triangle meshes from OBJ and PLY files. */
#ifndef MSD_SCENES_MESHES_MESH_FILE_H
#define MSD_SCENES_MESHES_MESH_FILE_H

#include "scenes/input/scene_warnings.h"
#include "scenes/meshes/mesh_data.h"

/* Reads a file, by the ending of its name. Vertices at one position are one, polygons become triangles,
   faces that repeat others and vertices that no face with an area uses are left out with a warning. On
   failure the error is one line "FILE:LINE: ..." or "FILE: ...", and *mesh is empty. */
bool mesh_file_read(const char *path, mesh_data *mesh, scene_warnings *warnings, scene_error *error);

/* The same with the lines of an OBJ file, which may have nothing else. */
bool mesh_file_read_with_lines(const char *path, mesh_data *mesh, scene_warnings *warnings,
                               scene_error *error);

#endif
