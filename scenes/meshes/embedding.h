/* Points that follow a mesh: each lies at affine coordinates in the plane of a triangle, and so far above it
   along its normal. Where the mesh is as it was they are where they were; where it moves they move with it. */
#ifndef MSD_SCENES_MESHES_EMBEDDING_H
#define MSD_SCENES_MESHES_EMBEDDING_H

#include <msd/msd.h>

struct mesh_data;
struct mesh_cage;

typedef struct embedded_point {
  int32_t corners[3];
  /* They add up to 1. */
  double weights[3];
  /* m. */
  double height;
} embedded_point;

/* Embeds the vertices of the mesh that a cage was made from: each in the nearest of the triangles about what it
   was merged into, so that none takes hold of another side of a thin body. NULL when memory is short. */
embedded_point *embedding_make(const struct mesh_data *mesh, const struct mesh_cage *cage);

/* The position of a point, with the corners at those positions, and its velocity without the turning of the
   normal. */
msd_vec3 embedded_position(const embedded_point *p, msd_view positions);
msd_vec3 embedded_velocity(const embedded_point *p, msd_view velocities);

/* The corner that it is nearest to. */
int32_t embedded_nearest(const embedded_point *p);

#endif
