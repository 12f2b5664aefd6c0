#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/gltf_buffers.h"

#include "tests/support/gltf_files.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

TestSuite(gltf_buffers, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* What the first buffer of a file with these buffers has; false with the error. */
static bool read_first(const char *path, const char *buffers, char bytes[64], size_t *size,
                       scene_error *error) {
  char text[512];
  gltf_document d;
  gltf_buffers b;
  const gltf_buffer *buffer = NULL;
  snprintf(text, sizeof text, "{" GLTF_ASSET ", \"buffers\": [ %s ], \"first\": 0 }", buffers);
  cr_assert(gltf_document_open(&d, path, text, strlen(text), error) && gltf_buffers_open(&b, &d, path));
  const json_place first = place_member(&d.root, "first");
  const bool done = gltf_buffers_get(&b, &first, &buffer);
  if (done) {
    const gltf_buffer *again = NULL;
    cr_expect(gltf_buffers_get(&b, &first, &again) && again == buffer);
    *size = buffer->size;
    memcpy(bytes, buffer->bytes, buffer->size);
  }
  gltf_buffers_close(&b);
  gltf_document_close(&d);
  return done;
}

static void expect_bytes(const char *path, const char *buffers, const char *expected, size_t expected_size) {
  char bytes[64];
  size_t size = 0;
  scene_error error = {""};
  cr_assert(read_first(path, buffers, bytes, &size, &error), "%s", error.text);
  cr_expect(size == expected_size && memcmp(bytes, expected, size) == 0, "%s: %zu bytes", buffers, size);
}

#define DATA "\"uri\": \"data:application/octet-stream;base64,"

/* The examples of RFC 4648, and all of its digits. */
Test(gltf_buffers, base64_is_read_as_its_standard_has_it) {
  expect_bytes("f.gltf", "{ " DATA "Zg==\", \"byteLength\": 1 }", "f", 1);
  expect_bytes("f.gltf", "{ " DATA "Zm8=\", \"byteLength\": 2 }", "fo", 2);
  expect_bytes("f.gltf", "{ " DATA "Zm9v\", \"byteLength\": 3 }", "foo", 3);
  expect_bytes("f.gltf", "{ " DATA "Zm9vYg\", \"byteLength\": 4 }", "foob", 4);
  expect_bytes("f.gltf", "{ " DATA "Zm9vYmE=\", \"byteLength\": 5 }", "fooba", 5);
  expect_bytes("f.gltf", "{ " DATA "Zm9vYmFy\", \"byteLength\": 6 }", "foobar", 6);
  expect_bytes("f.gltf", "{ " DATA "Zm9vYmFy\", \"byteLength\": 4 }", "foob", 4);
  static const char all[48] =
      "\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96\x9b\x71\xd7"
      "\x9f\x82\x18\xa3\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf";
  expect_bytes("f.gltf",
               "{ " DATA
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\", \"byteLength\": 48 }",
               all, 48);
}

Test(gltf_buffers, files_stand_beside_the_file_and_their_names_may_be_escaped) {
  cr_assert(mkdir("folder", 0700) == 0);
  write_text("folder/my mesh.bin", "bytes");
  expect_bytes("folder/f.gltf", "{ \"uri\": \"my%20mesh.bin\", \"byteLength\": 5 }", "bytes", 5);
  write_text("100%.bin", "all");
  expect_bytes("f.gltf", "{ \"uri\": \"100%.bin\", \"byteLength\": 3 }", "all", 3);
}

Test(gltf_buffers, bad_buffers_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"{ \"byteLength\": 1 }", "f.gltf: buffers[0].uri: is missing", "only the first buffer of a .glb"},
      {"{ \"uri\": \"\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: is empty",
       "the name of a file beside it"},
      {"{ \"uri\": 4, \"byteLength\": 1 }", "f.gltf: buffers[0].uri: is 4", "a line of text"},
      {"{ \"uri\": \"none.bin\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: ./none.bin: No such file",
       "beside the file that names it"},
      {"{ \"uri\": \"%2e\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: ./.: is a folder",
       "a buffer of it"},
      {"{ \"uri\": \"https://example.org/a.bin\", \"byteLength\": 1 }",
       "f.gltf: buffers[0].uri: is \"https:", "the name of a file beside it"},
      {"{ \"uri\": \"data:text/plain,abc\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: is data, but not",
       ";base64,"},
      {"{ \"uri\": \"data:;base64\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: is data, but not",
       ";base64,"},
      {"{ " DATA "Zm9%\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: its character 4 after the comma",
       "export it again"},
      {"{ " DATA "Zm=v\", \"byteLength\": 1 }", "f.gltf: buffers[0].uri: its character 3 after the comma",
       "export it again"},
      {"{ " DATA "Zm9v\" }", "f.gltf: buffers[0].byteLength: is missing", "a number of bytes"},
      {"{ " DATA "Zm9v\", \"byteLength\": 0 }", "f.gltf: buffers[0].byteLength: is 0", "1 or more"},
      {"{ " DATA "Zm9v\", \"byteLength\": 4 }", "f.gltf: buffers[0].byteLength: is 4, and there are 3 bytes",
       "it is truncated"},
      {"{ \"uri\": \"empty.bin\", \"byteLength\": 1 }",
       "f.gltf: buffers[0].byteLength: is 1, and there are 0 bytes", "is truncated"},
      {"", "f.gltf: first: is 0", "the number of a buffer; there are 0"}};
  write_text("empty.bin", "");
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char bytes[64];
    size_t size;
    scene_error error = {""};
    cr_expect(!read_first("f.gltf", cases[i].text, bytes, &size, &error), "%s", cases[i].text);
    cr_expect(strstr(error.text, cases[i].place) && strstr(error.text, cases[i].remedy), "%s", error.text);
  }
}
