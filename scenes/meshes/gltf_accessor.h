/* The accessors of a glTF file: rows of numbers in its buffers. */
#ifndef MSD_SCENES_MESHES_GLTF_ACCESSOR_H
#define MSD_SCENES_MESHES_GLTF_ACCESSOR_H

#include "scenes/meshes/gltf_buffers.h"

typedef struct gltf_accessor {
  /* Which it is in the file. */
  size_t number;

  /* Where the first row is; all `count` of them are within their buffer. */
  const char *bytes;
  size_t stride;
  int32_t count;

  /* The format's number of the type of each number, and whether whole numbers mean parts of 1. */
  int component;
  bool is_normalized;
} gltf_accessor;

/* What the numbers of an accessor are. */
typedef enum gltf_use { GLTF_VECTORS, GLTF_PAIRS, GLTF_INDICES } gltf_use;

/* The accessor that the number at a place means. Fails where its type is not for that use, where it is sparse
   or has no bytes, and where a row would not lie in its bufferView, or that not in its buffer. */
bool gltf_accessor_open(gltf_buffers *b, const json_place *reference, gltf_use use, gltf_accessor *out);

/* Number `column` of a row. */
double gltf_accessor_number(const gltf_accessor *a, int32_t row, int column);

/* A row of one whole number. */
uint32_t gltf_accessor_index(const gltf_accessor *a, int32_t row);

#endif
