/* Where a mesh is put: scaled, then turned, then moved. The position is computed in double and rounded once, so
   a file may have its mesh far from the origin, as surveys do, and the transform bring it near. */
#ifndef MSD_SCENES_MESHES_TRANSFORM_H
#define MSD_SCENES_MESHES_TRANSFORM_H

#include <msd/msd.h>

#include <stdbool.h>

typedef struct transform {
  double scale[3];

  /* What a scaled point is multiplied by. */
  double rotation[3][3];

  /* m */
  double position[3];

  /* Whether a point was moved too far out, and where the last of them was moved. */
  bool is_exceeded;
  double beyond[3];
} transform;

/* Where a point of a file is put; NULL: where the file has it. False where a coordinate would be beyond
   NUMBER_LARGEST. */
bool transform_point(transform *t, const double from[3], msd_vec3 *to);

#endif
