/* What scene files say of a mesh file: its name, and how it is read. */
#ifndef MSD_SCENES_LOADER_MESH_INPUT_H
#define MSD_SCENES_LOADER_MESH_INPUT_H

#include "scenes/loader/body_task.h"
#include "scenes/loader/transform.h"
#include "scenes/meshes/mesh_file.h"

/* The keys, for lists of the keys that a body or collider may have. */
#define MESH_INPUT_KEYS "file", "group", "component", "merge_distance", TRANSFORM_KEYS

/* What the member "file" must be. */
#define MESH_INPUT_FILE "the name of an OBJ, PLY, STL or glTF file"

/* Reads all but the name of the file and where it is put. */
bool mesh_input_options(const json_place *object, mesh_options *options);

/* Reads the file that the member "file" names, of a body or collider that its "scale" may bring too far out. */
bool mesh_input_read(const body_task *t, const mesh_options *options, mesh_data *mesh);

#endif
