/* The key "decimate" of meshes: vertices that ask for more substeps than wanted are merged with their
   neighbors, and the mesh of the file follows what is left. */
#ifndef MSD_SCENES_LOADER_DECIMATE_H
#define MSD_SCENES_LOADER_DECIMATE_H

#include "scenes/loader/body_task.h"
#include "scenes/meshes/mesh_cage.h"

/* For lists of the keys of a body. */
#define DECIMATE_KEY "decimate"

/* How far a mesh is simplified. */
typedef struct decimate_option {
  bool is_wanted;
  /* Of a frame, to be reached; 0: those that the median of its vertices asks for. */
  int32_t substeps;
} decimate_option;

bool decimate_read(const json_place *body, decimate_option *option);

/* Puts a simpler mesh in the place of one that has been read and placed, for a body of that definition, and
   keeps the mesh itself as the skin of the body, with corners that are vertices of the simpler one. *cage has
   the masses of its vertices; it is empty where nothing is to be done. */
bool decimate_mesh(const body_task *t, const decimate_option *option, const msd_mesh_def *def,
                   mesh_data *mesh, mesh_cage *cage);

/* The body is there: gives its particles those masses, and its skin their numbers. */
bool decimate_finish(const body_task *t, const mesh_cage *cage);

#endif
