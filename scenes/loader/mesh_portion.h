/* What a process has of a mesh that no process has as a whole, of triangles or tetrahedra. */
#ifndef MSD_SCENES_LOADER_MESH_PORTION_H
#define MSD_SCENES_LOADER_MESH_PORTION_H

#include "scenes/loader/body_task.h"
#include "scenes/meshes/mesh_part.h"

typedef struct mesh_portion {
  msd_subdomain of_world;
  mesh_extent extent;
  /* Of the vertices of the file: those that it keeps, and those that it needs for that. */
  msd_range kept, needed;
} mesh_portion;

mesh_portion mesh_portion_begin(const body_task *t);

/* Behind the extent: which vertices are kept and needed. */
void mesh_portion_find(mesh_portion *p);

/* Of the vertices that are needed, for the engine. */
msd_mesh_subdomain mesh_portion_part(const mesh_portion *p);

/* On all processes, each with what has become of its reading: whether it and all others can go on. Those that
   cannot say why. */
bool mesh_portion_all_have_read(const body_task *t, bool done);

#endif
