/* What glTF 2.0 files say in JSON: the whole of a text file, or the first chunk of a binary one. Its lists
   refer to each other by number. */
#ifndef MSD_SCENES_MESHES_GLTF_DOCUMENT_H
#define MSD_SCENES_MESHES_GLTF_DOCUMENT_H

#include "scenes/input/json_reader.h"

typedef enum gltf_list {
  GLTF_SCENES,
  GLTF_NODES,
  GLTF_MESHES,
  GLTF_MATERIALS,
  GLTF_ACCESSORS,
  GLTF_VIEWS,
  GLTF_BUFFERS,
  GLTF_LIST_COUNT
} gltf_list;

/* Stays where it is: places point into it. */
typedef struct gltf_document {
  json_source source;
  json_t *value;
  json_place root, lists[GLTF_LIST_COUNT];

  /* Of a binary file, what is behind the JSON, within the bytes of the file; NULL: there is nothing. */
  const char *chunk;
  size_t chunk_size;
} gltf_document;

/* Of the bytes of a file, which must stay; `path` names it in errors. Extensions that the file cannot be read
   without are refused, except those of appearance. False with the error filled; close it in
   any case. */
bool gltf_document_open(gltf_document *d, const char *path, const char *bytes, size_t size,
                        scene_error *error);
void gltf_document_close(gltf_document *d);

/* How many items a list has. */
size_t gltf_document_count(const gltf_document *d, gltf_list list);

/* The item, an object, that the number at a place means, and the number. */
bool gltf_document_refer(const gltf_document *d, const json_place *reference, gltf_list list, size_t *number,
                         json_place *item);

#endif
