/* How far a mesh is simplified so that none of its vertices asks for more substeps than wanted. */
#ifndef MSD_SCENES_MESHES_SIMPLIFICATION_H
#define MSD_SCENES_MESHES_SIMPLIFICATION_H

#include "scenes/input/scene_error.h"
#include "scenes/meshes/mesh_cage.h"

enum { SIMPLIFY_SUBSTEPS_MOST = 1000000 };

/* Merges vertices of a cage, for a body of that definition but for its mesh, until none of them needs more
   mass than it has in so many substeps of a frame of `time_step` s, or nothing more can be merged. With
   *substeps 0 they are those that half of the vertices ask for at most, and are told there. What the body
   weighs stays, also in the masses of the cage. False with the error filled when the body cannot be, or memory
   is short. */
bool simplify_cage(mesh_cage *cage, const msd_mesh_def *def, double time_step, int32_t *substeps,
                   scene_error *error);

#endif
