/* The buffers of a glTF file: in the file itself, as base64 or behind the JSON, or in files beside it. Each is
   read when it is first asked for, and together they may have as many bytes as a mesh file. */
#ifndef MSD_SCENES_MESHES_GLTF_BUFFERS_H
#define MSD_SCENES_MESHES_GLTF_BUFFERS_H

#include "scenes/meshes/gltf_document.h"

typedef struct gltf_buffer {
  /* NULL: not read yet. */
  const char *bytes;
  size_t size;

  /* To be freed; NULL: they are in the file. */
  char *own;
} gltf_buffer;

typedef struct gltf_buffers {
  const gltf_document *document;

  /* Of the file. */
  const char *path;

  /* As many as the document has. */
  gltf_buffer *items;

  /* How many bytes more may be read. */
  double bytes_left;
} gltf_buffers;

/* False when out of memory, with the error filled. */
bool gltf_buffers_open(gltf_buffers *b, const gltf_document *document, const char *path);
void gltf_buffers_close(gltf_buffers *b);

/* The buffer that the number at a place means. */
bool gltf_buffers_get(gltf_buffers *b, const json_place *reference, const gltf_buffer **out);

#endif
