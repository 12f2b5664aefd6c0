/* Texture coordinates and normals of exported triangles, where meshes of the scene came with any: the former
   as they were read, the latter of the shape as it is. */
#ifndef MSD_APP_EXPORT_ATTRIBUTES_H
#define MSD_APP_EXPORT_ATTRIBUTES_H

#include "app/export/shape.h"

/* What the scene has none of is NULL. */
typedef struct export_attributes {
  /* u and v, those of the bodies one after another. */
  double (*texture)[2];
  int32_t texture_count;
  /* Of the corners of each triangle of the scene; -1 in triangles without. */
  int32_t (*texture_of)[3];
  /* Of each point; -1 of those without. NULL also when some point has several: there is a seam. */
  int32_t *texture_of_point;

  /* Unit vectors, and 0 where all triangles have shrunk to nothing. */
  double (*normals)[3];
  int32_t normal_count;
  /* Of the corners of each triangle; -1 in triangles without. Corners at one point have different ones at
     sharp edges. */
  int32_t (*normal_of)[3];
  /* Of each point one, of its triangles together; 0 of those without. */
  double (*normal_of_point)[3];
} export_attributes;

/* For the triangles and points of a shape. False when memory is short; *out is empty then. */
bool export_attributes_make(const scene *s, const export_shape *shape, bool with_normals,
                            export_attributes *out);
void export_attributes_free(export_attributes *attributes);

/* The normals of the triangles of a shape where the points now are. */
void export_attributes_shade(export_attributes *attributes, const export_shape *shape, msd_view positions);

#endif
