/* The key "simplify" of meshes: vertices that ask for more substeps than wanted are merged with their
   neighbours, and the mesh of the file follows what is left. */
#ifndef MSD_SCENES_LOADER_SIMPLIFY_H
#define MSD_SCENES_LOADER_SIMPLIFY_H

#include "scenes/loader/body_task.h"
#include "scenes/meshes/mesh_cage.h"

/* For lists of the keys of a body. */
#define SIMPLIFY_KEY "simplify"

/* How far a mesh is simplified. */
typedef struct simplify_option {
  bool is_wanted;
  /* Of a frame, to be reached; 0: those that the median of its vertices asks for. */
  int32_t substeps;
} simplify_option;

bool simplify_read(const json_place *body, simplify_option *option);

/* Puts a simpler mesh in the place of one that has been read and placed, for a body of that definition, and
   keeps the mesh itself as the skin of the body, with corners that are vertices of the simpler one. *cage has
   the masses of its vertices; it is empty where nothing is to be done. */
bool simplify_mesh(const body_task *t, const simplify_option *option, const msd_mesh_def *def,
                   mesh_data *mesh, mesh_cage *cage);

/* The body is there: gives its particles those masses, and its skin their numbers. */
bool simplify_finish(const body_task *t, const mesh_cage *cage);

#endif
