#include "scenes/meshes/gltf_buffers.h"

#include "scenes/input/file_bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_MB 2000.0

/* ------------------------------------------------------------------------------------------------- base64 */

/* What a character stands for; -1: it is none of them. */
static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Of so many characters, which end before '='; *bytes has room for three quarters of them. How many of them
   could be read: less where one is no digit. */
static size_t decode_base64(const char *text, size_t length, char *bytes) {
  uint32_t bits = 0;
  size_t made = 0;
  for (size_t i = 0; i < length; i++) {
    const int digit = base64_digit(text[i]);
    if (digit < 0)
      return i;
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4 > 0)
      bytes[made++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
  }
  return length;
}

static bool read_data(gltf_buffers *b, const json_place *uri, const char *text, gltf_buffer *out) {
  static const char mark[] = ";base64";
  const char *comma = strchr(text, ',');
  if (!comma || (size_t)(comma - text) < sizeof mark - 1 ||
      memcmp(comma - (sizeof mark - 1), mark, sizeof mark - 1) != 0)
    return place_fail(uri, "is data, but not \"data:application/octet-stream;base64,...\"; export it again");
  const char *digits = comma + 1;
  size_t length = strlen(digits);
  while (length > 0 && digits[length - 1] == '=')
    length--;
  const size_t size = length / 4 * 3 + length % 4 * 3 / 4;
  if ((double)size > b->bytes_left)
    return place_fail(uri, "makes more than %.4g MB of buffers; make the mesh coarser", LARGEST_MB);
  out->own = malloc(length + 1);
  if (!out->own)
    return place_out_of_memory(uri);
  const size_t read = decode_base64(digits, length, out->own);
  if (read < length)
    return place_fail(uri, "its character %zu after the comma is not base64; export it again", read + 1);
  out->bytes = out->own;
  out->size = size;
  return true;
}

/* -------------------------------------------------------------------------------------------------- files */

/* "file:", "http:" */
static bool has_scheme(const char *uri) {
  size_t length = 0;
  while (isalnum((unsigned char)uri[length]) || (length > 0 && strchr("+-.", uri[length]) && uri[length]))
    length++;
  return length > 0 && uri[length] == ':';
}

static int hex_digit(char c) {
  const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* "my%20mesh.bin" is "my mesh.bin". */
static void decode_percents(char *uri) {
  char *to = uri;
  for (const char *from = uri; *from; to++) {
    const int high = *from == '%' ? hex_digit(from[1]) : -1, low = high < 0 ? -1 : hex_digit(from[2]);
    const bool is_byte = high >= 0 && low >= 0 && high + low > 0;
    *to = is_byte ? (char)(16 * high + low) : *from;
    from += is_byte ? 3 : 1;
  }
  *to = '\0';
}

static char *path_beside(const char *path, const char *uri) {
  char *folder = file_folder(path), *name = strdup(uri);
  char *beside = NULL;
  if (folder && name) {
    decode_percents(name);
    beside = file_path_in_folder(folder, name);
  }
  free(folder);
  free(name);
  return beside;
}

static bool read_file(gltf_buffers *b, const json_place *uri, const char *text, gltf_buffer *out) {
  const file_kind kind = {.what = "a buffer of it",
                          .missing_remedy = "it is looked for beside the file that names it",
                          .size_remedy = "make the mesh coarser",
                          .largest_mb = b->bytes_left / 1e6};
  scene_error inner;
  if (!*text)
    return place_fail(uri, "is empty; it must be the name of a file beside it, or data in base64");
  if (has_scheme(text))
    return place_fail(uri, "is \"%.60s\"; it must be the name of a file beside it, or data in base64", text);
  char *path = path_beside(b->path, text);
  if (!path)
    return place_out_of_memory(uri);
  out->own = file_bytes_read(path, &kind, &out->size, &inner);
  free(path);
  out->bytes = out->own;
  return out->own || place_fail(uri, "%s", inner.text);
}

/* --------------------------------------------------------------------------------------------- the whole */

static bool read_bytes(gltf_buffers *b, const json_place *place, size_t number, gltf_buffer *out) {
  const json_place uri = place_member(place, "uri");
  const char *text = NULL;
  if (!read_text(place, "uri", &text))
    return false;
  if (text)
    return strncmp(text, "data:", 5) == 0 ? read_data(b, &uri, text, out) : read_file(b, &uri, text, out);
  if (number > 0 || !b->document->chunk)
    return place_fail_type(&uri, "the name of a file beside it or data in base64; only the first buffer of a "
                                 ".glb file has none");
  out->bytes = b->document->chunk;
  out->size = b->document->chunk_size;
  return true;
}

static bool check_length(const json_place *place, gltf_buffer *buffer) {
  static const quantity bytes = {"a number of bytes, 1 or more", 1, 1e15};
  const json_place length = place_member(place, "byteLength");
  double size = 0;
  if (!length.value)
    return place_fail_type(&length, bytes.text);
  if (!place_get_whole(&length, &bytes, &size))
    return false;
  if (size > (double)buffer->size)
    return place_fail(&length, "is %.0f, and there are %zu bytes; it is truncated: export it again", size,
                      buffer->size);
  buffer->size = (size_t)size;
  return true;
}

bool gltf_buffers_open(gltf_buffers *b, const gltf_document *document, const char *path) {
  *b = (gltf_buffers){.document = document, .path = path, .bytes_left = LARGEST_MB * 1e6};
  b->items = calloc(gltf_document_count(document, GLTF_BUFFERS) + 1, sizeof *b->items);
  return b->items || place_out_of_memory(&document->root);
}

void gltf_buffers_close(gltf_buffers *b) {
  const size_t count = b->items ? gltf_document_count(b->document, GLTF_BUFFERS) : 0;
  for (size_t i = 0; i < count; i++)
    free(b->items[i].own);
  free(b->items);
  *b = (gltf_buffers){0};
}

bool gltf_buffers_get(gltf_buffers *b, const json_place *reference, const gltf_buffer **out) {
  size_t number = 0;
  json_place place;
  if (!gltf_document_refer(b->document, reference, GLTF_BUFFERS, &number, &place))
    return false;
  gltf_buffer *buffer = &b->items[number];
  *out = buffer;
  if (buffer->bytes)
    return true;
  const bool done = read_bytes(b, &place, number, buffer);
  b->bytes_left -= buffer->own ? (double)buffer->size : 0;
  return done && check_length(&place, buffer);
}
