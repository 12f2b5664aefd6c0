/* Decimation of a mesh, so that none of its vertices needs more substeps than wanted. */
#ifndef MSD_SCENES_MESHES_DECIMATION_H
#define MSD_SCENES_MESHES_DECIMATION_H

#include "scenes/input/scene_error.h"
#include "scenes/meshes/mesh_cage.h"

enum { DECIMATE_SUBSTEPS_MOST = 1000000 };

/* Merges vertices of a cage, for a body of that definition except for its mesh, until none of them needs more
   mass than it has in so many substeps of a frame of `frame_time` s, or nothing more can be merged. With
   *substeps 0 they are those that half of the vertices need at most, and are returned there. The mass of the
   body does not change, nor that in the cage. False with the error filled when the body cannot be, or memory
   is short. */
bool decimate_cage(mesh_cage *cage, const msd_mesh_def *def, double frame_time, int32_t *substeps,
                   scene_error *error);

#endif
