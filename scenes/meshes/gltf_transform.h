/* Where the nodes of a glTF file are: affine maps. */
#ifndef MSD_SCENES_MESHES_GLTF_TRANSFORM_H
#define MSD_SCENES_MESHES_GLTF_TRANSFORM_H

#include "scenes/input/json_reader.h"

/* Takes p to column[0] p.x + column[1] p.y + column[2] p.z + column[3]. */
typedef struct gltf_transform {
  double column[4][3];
} gltf_transform;

/* That leaves all where it is. */
gltf_transform gltf_transform_none(void);

/* Of a node, which has a `matrix`, or a `translation`, a `rotation` and a `scale`, or less. */
bool gltf_transform_read(const json_place *node, gltf_transform *out);

/* First `inner`, then `outer`. */
gltf_transform gltf_transform_within(const gltf_transform *outer, const gltf_transform *inner);

void gltf_transform_point(const gltf_transform *t, const double from[3], double to[3]);

/* The normal of length 1, outwards where the other was, of what has the normal `from`; 0 where that is lost. */
void gltf_transform_normal(const gltf_transform *t, const double from[3], double to[3]);

/* Whether it makes a left hand of a right one. */
bool gltf_transform_mirrors(const gltf_transform *t);

#endif
