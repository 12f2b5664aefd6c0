/* A binary file is 12 bytes of "glTF", the version and the size of all, and then chunks: their size, their type
   and what they hold. The first is JSON, the second, where there is one, the bytes of the first buffer. */
#include "scenes/meshes/gltf_document.h"

#include "scenes/input/file_bytes.h"
#include "scenes/meshes/little_endian.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, HEAD_BYTES = 3 * WORD, CHUNK_HEAD_BYTES = 2 * WORD, BINARY_VERSION = 2 };

/* Parsed, JSON takes up to eighty times its bytes. */
enum { JSON_BYTES_MAX = 100000000 };

/* ------------------------------------------------------------------------------------------------ chunks */

typedef struct text_span {
  const char *text;
  size_t size;
} text_span;

/* The chunk at *next, which moves behind it. */
static bool read_chunk(const gltf_document *d, const char **next, const char *end, const char **type,
                       text_span *span) {
  const size_t left = (size_t)(end - *next);
  const size_t size = left < CHUNK_HEAD_BYTES ? 0 : little_endian_whole(*next, WORD);
  if (left < CHUNK_HEAD_BYTES || size > left - CHUNK_HEAD_BYTES)
    return scene_fail(d->source.error,
                      "%s: a chunk of %zu bytes goes past its end; it is truncated: export it again",
                      d->source.file, size);
  *type = *next + WORD;
  *span = (text_span){*next + CHUNK_HEAD_BYTES, size};
  *next += CHUNK_HEAD_BYTES + size;
  return true;
}

static bool check_head(const gltf_document *d, const char *bytes, size_t size) {
  const uint32_t version = size < HEAD_BYTES ? 0 : little_endian_whole(bytes + WORD, WORD),
                 total = size < HEAD_BYTES ? HEAD_BYTES : little_endian_whole(bytes + 2 * (size_t)WORD, WORD);
  if (size >= HEAD_BYTES && version != BINARY_VERSION)
    return scene_fail(d->source.error,
                      "%s: is of version %u of binary glTF; it must be 2: export it as glTF 2.0",
                      d->source.file, (unsigned)version);
  if (total < HEAD_BYTES || size < total)
    return scene_fail(d->source.error,
                      "%s: has %zu bytes where it should have %u; it is truncated: export it again",
                      d->source.file, size, (unsigned)total);
  return true;
}

static bool find_chunks(gltf_document *d, const char *bytes, size_t size, text_span *json) {
  if (!check_head(d, bytes, size))
    return false;
  const char *next = bytes + HEAD_BYTES, *type = NULL;
  const char *end = bytes + little_endian_whole(bytes + 2 * (size_t)WORD, WORD);
  text_span chunk = {0};
  if (!read_chunk(d, &next, end, &type, json))
    return false;
  if (memcmp(type, "JSON", WORD) != 0)
    return scene_fail(d->source.error,
                      "%s: does not begin with a chunk of JSON; it is damaged: export it again",
                      d->source.file);
  if (next == end)
    return true;
  if (!read_chunk(d, &next, end, &type, &chunk))
    return false;
  if (memcmp(type, "BIN\0", WORD) == 0) {
    d->chunk = chunk.text;
    d->chunk_size = chunk.size;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------- extensions */

/* What those that are refused ask for; the last is for all others. */
static const char *extension_remedy(const char *name) {
  static const struct {
    const char *name, *remedy;
  } remedies[] = {
      {"KHR_draco_mesh_compression", "export it without compression"},
      {"EXT_meshopt_compression", "export it without compression"},
      {"KHR_meshopt_compression", "export it without compression"},
      {"EXT_mesh_gpu_instancing", "make objects of the instances, and export it again"},
  };
  for (size_t r = 0; r < sizeof remedies / sizeof *remedies; r++)
    if (strcmp(remedies[r].name, name) == 0)
      return remedies[r].remedy;
  return "export it without; those that say how things look, and KHR_mesh_quantization, may be there";
}

/* Whether vertices and faces are where they are without it. */
static bool is_read(const char *name) {
  static const char *const starts[] = {"KHR_materials_",  "KHR_texture_",         "EXT_texture_",
                                       "MSFT_texture_",   "KHR_lights_",          "EXT_lights_",
                                       "KHR_xmp_json_ld", "KHR_mesh_quantization"};
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
    if (strncmp(starts[s], name, strlen(starts[s])) == 0)
      return true;
  return false;
}

static bool check_extensions(const gltf_document *d) {
  const json_place list = place_member(&d->root, "extensionsRequired");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of the names of extensions"))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    const json_place item = place_item(&list, i);
    const char *name = json_string_value(item.value);
    if (!name)
      return place_fail_type(&item, "the name of an extension");
    if (!is_read(name))
      return place_fail(&item, "is %.60s, which is not read here; %s", name, extension_remedy(name));
  }
  return true;
}

/* ----------------------------------------------------------------------------------------------- the whole */

static bool check_version(const gltf_document *d) {
  const json_place asset = place_member(&d->root, "asset");
  if (!json_is_object(asset.value))
    return place_fail_type(&asset, "an object with the version of glTF: { \"version\": \"2.0\" }");
  const json_place version = place_member(&asset, "version");
  const char *text = json_string_value(version.value);
  return (text && strncmp(text, "2.", 2) == 0) ||
         place_fail_type(&version, "the text \"2.0\": export it as glTF 2.0");
}

static bool find_lists(gltf_document *d) {
  static const char *const keys[GLTF_LIST_COUNT] = {"scenes",    "nodes",       "meshes", "materials",
                                                    "accessors", "bufferViews", "buffers"};
  for (int list = 0; list < GLTF_LIST_COUNT; list++) {
    d->lists[list] = place_member(&d->root, keys[list]);
    if (d->lists[list].value && !place_check_array(&d->lists[list], "a list of objects"))
      return false;
  }
  return true;
}

static bool parse(gltf_document *d, text_span json) {
  if (json.size > JSON_BYTES_MAX)
    return scene_fail(d->source.error,
                      "%s: has %.4g MB of JSON, of which there may be %.4g MB; export it as .glb",
                      d->source.file, (double)json.size / 1e6, JSON_BYTES_MAX / 1e6);
  d->value = json_source_parse_text(&d->source, json.text, json.size);
  if (!d->value)
    return false;
  d->root = place_root(&d->source, d->value);
  if (!json_is_object(d->value))
    return place_fail_type(&d->root, "an object { }");
  return check_version(d) && check_extensions(d) && find_lists(d);
}

bool gltf_document_open(gltf_document *d, const char *path, const char *bytes, size_t size,
                        scene_error *error) {
  *d = (gltf_document){.source = {.file = path, .error = error}};
  text_span json = {bytes, size};
  const bool is_binary = size >= WORD && memcmp(bytes, "glTF", WORD) == 0;
  if (!is_binary && file_has_ending(path, ".glb"))
    return scene_fail(
        error, "%s: is not a binary glTF file: it does not begin with \"glTF\"; export it again", path);
  return (!is_binary || find_chunks(d, bytes, size, &json)) && parse(d, json);
}

void gltf_document_close(gltf_document *d) {
  json_decref(d->value);
  d->value = NULL;
}

size_t gltf_document_count(const gltf_document *d, gltf_list list) {
  return json_array_size(d->lists[list].value);
}

bool gltf_document_refer(const gltf_document *d, const json_place *reference, gltf_list list, size_t *number,
                         json_place *item) {
  static const quantity numbers[GLTF_LIST_COUNT] = {
      {"the number of a scene", 0, INT32_MAX},     {"the number of a node", 0, INT32_MAX},
      {"the number of a mesh", 0, INT32_MAX},      {"the number of a material", 0, INT32_MAX},
      {"the number of an accessor", 0, INT32_MAX}, {"the number of a bufferView", 0, INT32_MAX},
      {"the number of a buffer", 0, INT32_MAX}};
  double read = 0;
  if (!reference->value)
    return place_fail_type(reference, numbers[list].text);
  if (!place_get_whole(reference, &numbers[list], &read))
    return false;
  const size_t count = gltf_document_count(d, list);
  *number = (size_t)read;
  if (*number >= count)
    return place_fail(reference, "is %zu; it must be %s; there are %zu, counted from 0", *number,
                      numbers[list].text, count);
  *item = place_item(&d->lists[list], *number);
  return json_is_object(item->value) || place_fail_type(item, "an object { }");
}
