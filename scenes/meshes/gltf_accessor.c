#include "scenes/meshes/gltf_accessor.h"

#include "scenes/meshes/little_endian.h"

#include <math.h>
#include <string.h>

/* As the format numbers them. */
enum {
  COMPONENT_BYTE = 5120,
  COMPONENT_UNSIGNED_BYTE = 5121,
  COMPONENT_SHORT = 5122,
  COMPONENT_UNSIGNED_SHORT = 5123,
  COMPONENT_UNSIGNED_INT = 5125,
  COMPONENT_FLOAT = 5126
};

typedef struct use_rules {
  const char *type, *type_text, *component_text;
  size_t columns;
  bool is_whole;
} use_rules;

static const use_rules rules[] = {
    [GLTF_VECTORS] = {"VEC3", "\"VEC3\" for positions and normals",
                      "5126 (float), or 5120 to 5123 for what is quantized", 3, false},
    [GLTF_PAIRS] = {"VEC2", "\"VEC2\" for texture coordinates",
                    "5126 (float), or 5120 to 5123 for what is quantized", 2, false},
    [GLTF_INDICES] = {"SCALAR", "\"SCALAR\" for indices",
                      "5121, 5123 or 5125: unsigned bytes, shorts or ints", 1, true}};

static size_t component_size(int component) {
  switch (component) {
  case COMPONENT_BYTE:
  case COMPONENT_UNSIGNED_BYTE:
    return 1;
  case COMPONENT_SHORT:
  case COMPONENT_UNSIGNED_SHORT:
    return 2;
  default:
    return 4;
  }
}

static bool is_allowed(int component, const use_rules *rule) {
  switch (component) {
  case COMPONENT_UNSIGNED_BYTE:
  case COMPONENT_UNSIGNED_SHORT:
    return true;
  case COMPONENT_UNSIGNED_INT:
    return rule->is_whole;
  case COMPONENT_BYTE:
  case COMPONENT_SHORT:
  case COMPONENT_FLOAT:
    return !rule->is_whole;
  default:
    return false;
  }
}

/* Of a number that must be there. */
static bool read_required(const json_place *object, const char *key, const quantity *what, double *out) {
  return require_member(object, key, what->text) && read_whole(object, key, what, out);
}

static bool read_type(const json_place *place, const use_rules *rule, gltf_accessor *out) {
  static const quantity component = {"the number of a type", 0, INT32_MAX};
  const json_place type = place_member(place, "type"), sparse = place_member(place, "sparse"),
                   of_numbers = place_member(place, "componentType");
  const char *text = json_string_value(type.value);
  double number = 0;
  if (sparse.value)
    return place_fail(&sparse, "is not read here; export it without sparse accessors");
  if (!text || strcmp(text, rule->type) != 0)
    return place_fail_type(&type, rule->type_text);
  if (!read_required(place, "componentType", &component, &number))
    return false;
  out->component = (int)number;
  return (is_allowed(out->component, rule) || place_fail_type(&of_numbers, rule->component_text)) &&
         read_flag(place, "normalized", &out->is_normalized);
}

/* Where the bytes of a bufferView begin, and how many they are. */
typedef struct gltf_view {
  const char *bytes;
  double size;
} gltf_view;

static const quantity byte_offset = {"a number of bytes, 0 or more", 0, 1e15};

/* *stride stays as it is where rows follow one another. */
static bool open_view(gltf_buffers *b, const json_place *reference, gltf_view *view, double *stride) {
  static const quantity bytes = {"a number of bytes, 1 or more", 1, 1e15},
                        apart = {"a number of bytes up to 252", 0, 252};
  size_t number = 0;
  json_place place;
  if (!gltf_document_refer(b->document, reference, GLTF_VIEWS, &number, &place))
    return false;
  const json_place of = place_member(&place, "buffer");
  const gltf_buffer *buffer = NULL;
  double offset = 0, apart_by = 0;
  if (!gltf_buffers_get(b, &of, &buffer) || !read_whole(&place, "byteOffset", &byte_offset, &offset) ||
      !read_required(&place, "byteLength", &bytes, &view->size) ||
      !read_whole(&place, "byteStride", &apart, &apart_by))
    return false;
  if (offset + view->size > (double)buffer->size)
    return place_fail(&place, "ends at byte %.0f of a buffer of %zu; it is truncated: export it again",
                      offset + view->size, buffer->size);
  view->bytes = buffer->bytes + (size_t)offset;
  /* 0 is what some programs write where rows follow one another. */
  *stride = apart_by > 0 ? apart_by : *stride;
  return true;
}

static bool find_rows(gltf_buffers *b, const json_place *place, size_t row, gltf_accessor *out) {
  static const quantity rows = {"how many there are, a whole number of 1 or more", 1, INT32_MAX};
  const json_place of = place_member(place, "bufferView");
  gltf_view view = {0};
  double count = 0, offset = 0, stride = (double)row;
  if (!read_required(place, "count", &rows, &count) ||
      !read_whole(place, "byteOffset", &byte_offset, &offset) || !open_view(b, &of, &view, &stride))
    return false;
  if (stride < (double)row)
    return place_fail(&of,
                      "has rows %.0f bytes apart, which are %zu bytes long; it is damaged: export it again",
                      stride, row);
  const double end = offset + (count - 1) * stride + (double)row;
  if (end > view.size)
    return place_fail(place, "ends at byte %.0f of a bufferView of %.0f; it is truncated: export it again",
                      end, view.size);
  out->bytes = view.bytes + (size_t)offset;
  out->stride = (size_t)stride;
  out->count = (int32_t)count;
  return true;
}

bool gltf_accessor_open(gltf_buffers *b, const json_place *reference, gltf_use use, gltf_accessor *out) {
  const use_rules *rule = &rules[use];
  json_place place;
  *out = (gltf_accessor){0};
  return gltf_document_refer(b->document, reference, GLTF_ACCESSORS, &out->number, &place) &&
         read_type(&place, rule, out) &&
         find_rows(b, &place, rule->columns * component_size(out->component), out);
}

uint32_t gltf_accessor_index(const gltf_accessor *a, int32_t row) {
  return little_endian_whole(a->bytes + (size_t)row * a->stride, component_size(a->component));
}

/* Two's complement. */
static double with_sign(uint32_t value, double half) {
  return (double)value < half ? (double)value : (double)value - 2 * half;
}

double gltf_accessor_number(const gltf_accessor *a, int32_t row, int column) {
  const size_t size = component_size(a->component);
  const char *bytes = a->bytes + (size_t)row * a->stride + (size_t)column * size;
  if (a->component == COMPONENT_FLOAT)
    return little_endian_float(bytes);
  const uint32_t value = little_endian_whole(bytes, size);
  const bool has_sign = a->component == COMPONENT_BYTE || a->component == COMPONENT_SHORT;
  const double half = size == 1 ? 128 : 32768;
  const double number = has_sign ? with_sign(value, half) : (double)value;
  if (!a->is_normalized)
    return number;
  return fmax(number / (has_sign ? half - 1 : 2 * half - 1), -1);
}
