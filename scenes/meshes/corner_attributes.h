/* What the corners of the triangles of a mesh have beside their vertices. */
#ifndef MSD_SCENES_MESHES_CORNER_ATTRIBUTES_H
#define MSD_SCENES_MESHES_CORNER_ATTRIBUTES_H

#include "scenes/meshes/corner_values.h"

typedef struct corner_attributes {
  /* Texture coordinates u and v as the file has them, in its order; several may be alike. */
  double (*texture)[2];
  int32_t texture_count;

  /* Of each corner, three for each triangle, the number of its texture coordinates; -1 in a triangle without.
     Corners of one vertex may differ: at the seams of a texture. NULL: no triangle has any. */
  int32_t *texture_of;

  /* Of each corner the number of its normal; -1 in a triangle without. Corners of one vertex share a normal
     where the file gives them the same, and do not at sharp edges. NULL: no triangle has any. */
  int32_t *normal_of;
  int32_t normal_count;
} corner_attributes;

void corner_attributes_free(corner_attributes *attributes);

/* Of triangles whose corners are vertices[i], corner numbers[i] of the file each; both have 3 triangle_count
   elements. *out is empty before. False when out of memory: what *out holds is still to be freed. */
bool corner_attributes_make(const int32_t *vertices, const int32_t *numbers, int32_t triangle_count,
                            const corner_values *texture, const corner_values *normals,
                            corner_attributes *out);

#endif
