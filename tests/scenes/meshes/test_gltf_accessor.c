#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/gltf_accessor.h"

#include "tests/support/gltf_files.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(gltf_accessor, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A file with one accessor, which stays open. */
typedef struct opened {
  gltf_document document;
  gltf_buffers buffers;
  gltf_accessor accessor;
  scene_error error;
} opened;

/* Bytes 0 to 23 are what `put` has written, in a view of 20 from byte 2 on. */
static bool open_accessor(opened *o, const char *view, const char *accessor, gltf_use use) {
  char text[512];
  snprintf(text, sizeof text,
           "{" GLTF_ASSET
           ", \"buffers\": [ { \"uri\": \"b.bin\", \"byteLength\": 24 } ], \"bufferViews\": [ { %s } ],"
           "\"accessors\": [ { %s } ], \"first\": 0 }",
           view, accessor);
  o->error = (scene_error){""};
  cr_assert(gltf_document_open(&o->document, "f.gltf", text, strlen(text), &o->error), "%s", o->error.text);
  cr_assert(gltf_buffers_open(&o->buffers, &o->document, "f.gltf"));
  const json_place first = place_member(&o->document.root, "first");
  return gltf_accessor_open(&o->buffers, &first, use, &o->accessor);
}

static void close_accessor(opened *o) {
  gltf_buffers_close(&o->buffers);
  gltf_document_close(&o->document);
}

#define VIEW "\"buffer\": 0, \"byteOffset\": 2, \"byteLength\": 20"

static void write_bytes(void) {
  char bytes[24];
  for (int i = 0; i < 24; i++)
    bytes[i] = (char)(i * 11);
  write_file("b.bin", bytes, sizeof bytes);
}

/* Row 1 begins at 2 + 1 + 6: bytes 99, 110, 121. */
Test(gltf_accessor, rows_are_as_far_apart_as_the_view_says) {
  opened o;
  write_bytes();
  cr_assert(
      open_accessor(
          &o, VIEW ", \"byteStride\": 6",
          "\"bufferView\": 0, \"byteOffset\": 1, \"count\": 3, \"componentType\": 5121, \"type\": \"VEC3\"",
          GLTF_VECTORS),
      "%s", o.error.text);
  cr_expect_eq(o.accessor.count, 3);
  for (int c = 0; c < 3; c++)
    cr_expect_eq(gltf_accessor_number(&o.accessor, 1, c), 99 + 11 * c);
  close_accessor(&o);
}

Test(gltf_accessor, numbers_of_all_types_are_what_the_format_says) {
  static const struct {
    int type, size;
    bool normalized;
    uint32_t bits;
    double value;
  } cases[] = {
      {5120, 1, false, 0x80, -128},    {5120, 1, true, 0x80, -1},    {5120, 1, true, 0x81, -1},
      {5120, 1, true, 0x7f, 1},        {5121, 1, false, 0xff, 255},  {5121, 1, true, 0x33, 0.2},
      {5122, 2, false, 0xfffe, -2},    {5122, 2, true, 0x8000, -1},  {5122, 2, true, 0x7fff, 1},
      {5123, 2, false, 0xfffe, 65534}, {5123, 2, true, 0x3333, 0.2}, {5126, 4, false, 0xc0280000, -2.625}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char bytes[24] = "", text[256];
    opened o;
    gltf_put(bytes, 2 + (size_t)cases[i].size, cases[i].bits, (size_t)cases[i].size);
    write_file("b.bin", bytes, sizeof bytes);
    snprintf(text, sizeof text,
             "\"bufferView\": 0, \"count\": 2, \"componentType\": %d, \"normalized\": %s, \"type\": \"VEC2\"",
             cases[i].type, cases[i].normalized ? "true" : "false");
    cr_assert(open_accessor(&o, VIEW, text, GLTF_PAIRS), "%s", o.error.text);
    cr_expect_eq(gltf_accessor_number(&o.accessor, 0, 1), cases[i].value, "%d: %.17g", cases[i].type,
                 gltf_accessor_number(&o.accessor, 0, 1));
    close_accessor(&o);
  }
}

Test(gltf_accessor, indices_are_whole_and_without_a_sign) {
  static const struct {
    const char *text;
    uint32_t second;
  } cases[] = {{"5121", 33}, {"5123", 44 + 55 * 256}, {"5125", 66 + 256u * (77 + 256u * (88 + 256u * 99))}};
  write_bytes();
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[128];
    opened o;
    snprintf(text, sizeof text,
             "\"bufferView\": 0, \"count\": 2, \"componentType\": %s, \"type\": \"SCALAR\"", cases[i].text);
    cr_assert(open_accessor(&o, VIEW, text, GLTF_INDICES), "%s", o.error.text);
    cr_expect_eq(gltf_accessor_index(&o.accessor, 1), cases[i].second);
    close_accessor(&o);
  }
}

#define FLOATS(count) "\"bufferView\": 0, \"componentType\": 5126, \"type\": \"VEC2\", \"count\": " count

Test(gltf_accessor, rows_may_end_where_their_view_does_and_not_behind) {
  opened o;
  write_bytes();
  cr_expect(open_accessor(&o, VIEW, FLOATS("2") ", \"byteOffset\": 4", GLTF_PAIRS), "%s", o.error.text);
  close_accessor(&o);
  cr_expect(open_accessor(&o, VIEW ", \"byteStride\": 12", FLOATS("2"), GLTF_PAIRS), "%s", o.error.text);
  close_accessor(&o);
  cr_expect(open_accessor(&o, VIEW ", \"byteStride\": 0", FLOATS("2"), GLTF_PAIRS), "%s", o.error.text);
  close_accessor(&o);
  static const char *const cases[][4] = {
      {VIEW, FLOATS("3"), "f.gltf: accessors[0]: ends at byte 24 of a bufferView of 20", "it is truncated"},
      {VIEW, FLOATS("2") ", \"byteOffset\": 5", "f.gltf: accessors[0]: ends at byte 21", "it is truncated"},
      {VIEW, FLOATS("2147483647"), "f.gltf: accessors[0]: ends at byte 17179869176", "it is truncated"},
      {VIEW, FLOATS("1") ", \"byteOffset\": 1e15", "f.gltf: accessors[0]: ends at byte 1000000000000008",
       "it is truncated"},
      {VIEW ", \"byteStride\": 16", FLOATS("2"), "f.gltf: accessors[0]: ends at byte 24", "it is truncated"},
      {VIEW ", \"byteStride\": 4", FLOATS("2"), "f.gltf: accessors[0].bufferView: has rows 4 bytes apart",
       "damaged"},
      {VIEW ", \"byteStride\": 256", FLOATS("2"), "f.gltf: bufferViews[0].byteStride: is 256", "up to 252"},
      {"\"buffer\": 0, \"byteOffset\": 5, \"byteLength\": 20", FLOATS("2"),
       "f.gltf: bufferViews[0]: ends at byte 25 of a buffer of 24", "it is truncated"},
      {"\"buffer\": 0", FLOATS("2"), "f.gltf: bufferViews[0].byteLength: is missing", "a number of bytes"},
      {"\"buffer\": 1, \"byteLength\": 8", FLOATS("2"), "f.gltf: bufferViews[0].buffer: is 1", "there are 1"},
      {VIEW, FLOATS("0"), "f.gltf: accessors[0].count: is 0", "1 or more"},
      {VIEW, FLOATS("1.5"), "f.gltf: accessors[0].count: is 1.5", "a whole number"},
      {VIEW, FLOATS("-1"), "f.gltf: accessors[0].count: is -1", "1 or more"},
      {VIEW, FLOATS("1") ", \"byteOffset\": -1", "f.gltf: accessors[0].byteOffset: is -1", "0 or more"},
      {VIEW, FLOATS("1") ", \"sparse\": {}", "f.gltf: accessors[0].sparse: is not read", "without sparse"},
      {VIEW, "\"componentType\": 5126, \"type\": \"VEC2\", \"count\": 1",
       "f.gltf: accessors[0].bufferView: is missing", "the number of a bufferView"},
      {VIEW, "\"bufferView\": 0, \"type\": \"VEC2\", \"count\": 1",
       "f.gltf: accessors[0].componentType: is missing", "the number of a type"},
      {VIEW, "\"bufferView\": 0, \"componentType\": 5125, \"type\": \"VEC2\", \"count\": 1",
       "f.gltf: accessors[0].componentType: is 5125", "5126 (float)"},
      {VIEW, "\"bufferView\": 0, \"componentType\": 7, \"type\": \"VEC2\", \"count\": 1",
       "f.gltf: accessors[0].componentType: is 7", "5126 (float)"},
      {VIEW, "\"bufferView\": 0, \"componentType\": 5126, \"count\": 1",
       "f.gltf: accessors[0].type: is missing", "VEC2"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    cr_expect(!open_accessor(&o, cases[i][0], cases[i][1], GLTF_PAIRS), "%s", cases[i][2]);
    cr_expect(strstr(o.error.text, cases[i][2]) && strstr(o.error.text, cases[i][3]), "%s", o.error.text);
    close_accessor(&o);
  }
  cr_expect(!open_accessor(&o, VIEW,
                           "\"bufferView\": 0, \"componentType\": 5126, \"type\": \"SCALAR\", \"count\": 1",
                           GLTF_INDICES));
  cr_expect(strstr(o.error.text, "accessors[0].componentType: is 5126") && strstr(o.error.text, "unsigned"),
            "%s", o.error.text);
  close_accessor(&o);
}
