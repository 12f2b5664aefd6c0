/* The lines of an OBJ file whose faces are a body: springs, or nothing. */
#ifndef MSD_SCENES_LOADER_MESH_LINES_H
#define MSD_SCENES_LOADER_MESH_LINES_H

#include "scenes/loader/body_task.h"
#include "scenes/meshes/mesh_file.h"

#define MESH_LINES_KEY "lines"

/* Without the key the file is read without them, and a warning gives their number. */
typedef enum line_use { LINES_WARNED, LINES_IGNORED, LINES_SEWN, LINES_AS_SPRINGS } line_use;

/* Reads the key; of a body with a material the springs have no law that the lines could have too. */
bool mesh_lines_read(const json_place *body, line_use *use);

/* Adds the springs of the lines of a mesh, with a law, behind those of the body that was made of it, or keeps
   its lines for seams_read. A line along an edge of a face, or along another line, adds nothing. */
bool mesh_lines_add(const body_task *t, line_use use, const mesh_data *mesh, const msd_spring_def *law);

#endif
