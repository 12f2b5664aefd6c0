#include "scenes/meshes/gltf_document.h"

#include "tests/support/gltf_files.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

static bool opens(const char *bytes, size_t size, scene_error *error) {
  gltf_document d;
  const bool done = gltf_document_open(&d, "f.gltf", bytes, size, error);
  gltf_document_close(&d);
  return done;
}

static void expect_refused_bytes(const char *bytes, size_t size, const char *place, const char *remedy) {
  scene_error error = {""};
  cr_expect(!opens(bytes, size, &error), "should say %s", place);
  cr_expect(strstr(error.text, place) && strstr(error.text, remedy), "should say %s ... %s: %s", place,
            remedy, error.text);
}

Test(gltf_document, a_reference_is_the_item_of_that_number) {
  static const char text[] =
      "{" GLTF_ASSET ", \"scene\": 1, \"scenes\": [ {}, { \"name\": \"second\" } ], \"nodes\": [ 3 ] }";
  gltf_document d;
  scene_error error;
  cr_assert(gltf_document_open(&d, "f.gltf", text, sizeof text - 1, &error), "%s", error.text);
  cr_expect(gltf_document_count(&d, GLTF_SCENES) == 2 && gltf_document_count(&d, GLTF_MESHES) == 0);
  const json_place given = place_member(&d.root, "scene"), absent = place_member(&d.root, "mesh");
  json_place item;
  size_t number = 0;
  cr_assert(gltf_document_refer(&d, &given, GLTF_SCENES, &number, &item));
  cr_expect_eq(number, 1);
  cr_expect_str_eq(json_string_value(json_object_get(item.value, "name")), "second");
  cr_expect(!gltf_document_refer(&d, &absent, GLTF_MESHES, &number, &item));
  cr_expect_str_eq(error.text, "f.gltf: mesh: is missing; it must be the number of a mesh");
  cr_expect(!gltf_document_refer(&d, &given, GLTF_NODES, &number, &item));
  cr_expect_str_eq(error.text,
                   "f.gltf: scene: is 1; it must be the number of a node; there are 1, counted from 0");
  gltf_document_close(&d);
}

Test(gltf_document, extensions_that_say_how_things_look_may_be_required) {
  static const char *const names[] = {"KHR_materials_unlit", "KHR_texture_transform", "EXT_texture_webp",
                                      "KHR_lights_punctual", "KHR_mesh_quantization"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    char text[256];
    scene_error error = {""};
    snprintf(text, sizeof text, "{" GLTF_ASSET ", \"extensionsRequired\": [\"%s\"] }", names[i]);
    cr_expect(opens(text, strlen(text), &error), "%s", error.text);
  }
  /* What is used and not required has something else in its place. */
  static const char used[] = "{" GLTF_ASSET ", \"extensionsUsed\": [\"KHR_draco_mesh_compression\"] }";
  scene_error error = {""};
  cr_expect(opens(used, sizeof used - 1, &error), "%s", error.text);
}

Test(gltf_document, bad_text_is_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"", "f.gltf:", "the file is truncated"},
      {"{", "f.gltf:1:1:", "the file is truncated: complete it"},
      {"[]", "f.gltf: is a list of 0", "an object"},
      {"{}", "f.gltf: asset: is missing", "\"version\": \"2.0\""},
      {"{ \"asset\": {} }", "f.gltf: asset.version: is missing", "export it as glTF 2.0"},
      {"{ \"asset\": { \"version\": \"1.0\" } }", "f.gltf: asset.version: is the text \"1.0\"", "glTF 2.0"},
      {"{ \"asset\": { \"version\": 2 } }", "f.gltf: asset.version: is 2", "the text \"2.0\""},
      {"{" GLTF_ASSET ", \"nodes\": {} }", "f.gltf: nodes: is an object", "a list of objects"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": 1 }", "f.gltf: extensionsRequired: is 1", "a list"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": [1] }", "f.gltf: extensionsRequired[0]: is 1", "the name"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": [\"KHR_draco_mesh_compression\"] }",
       "f.gltf: extensionsRequired[0]: is KHR_draco_mesh_compression", "without compression"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": [\"EXT_meshopt_compression\"] }",
       "f.gltf: extensionsRequired[0]: is EXT_meshopt_compression", "without compression"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": [\"EXT_mesh_gpu_instancing\"] }",
       "f.gltf: extensionsRequired[0]: is EXT_mesh_gpu_instancing", "make objects of the instances"},
      {"{" GLTF_ASSET ", \"extensionsRequired\": [\"KHR_materials_unlit\", \"X_new\"] }",
       "f.gltf: extensionsRequired[1]: is X_new", "export it without"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    expect_refused_bytes(cases[i].text, strlen(cases[i].text), cases[i].place, cases[i].remedy);
}

Test(gltf_document, a_binary_file_has_text_and_bytes) {
  char file[256];
  const size_t size = gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  gltf_document d;
  scene_error error;
  cr_assert(gltf_document_open(&d, "f.glb", file, size, &error), "%s", error.text);
  cr_expect(d.chunk && d.chunk_size == 8 && memcmp(d.chunk, "bytes", 5) == 0);
  gltf_document_close(&d);
  cr_assert(gltf_document_open(&d, "f.glb", file, gltf_make_binary(file, "{" GLTF_ASSET "}", "", 0), &error));
  cr_expect(d.chunk == NULL);
  gltf_document_close(&d);
}

Test(gltf_document, what_is_behind_the_end_that_a_binary_file_names_is_left_out) {
  char file[256] = "";
  const size_t size = gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  scene_error error = {""};
  cr_expect(opens(file, size + 20, &error), "%s", error.text);
}

Test(gltf_document, a_binary_file_is_refused_wherever_it_is_cut) {
  char file[256];
  const size_t size = gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  for (size_t kept = 4; kept < size; kept++)
    expect_refused_bytes(file, kept, "f.gltf: has ", "it is truncated: export it again");
  gltf_put(file, 8, 8, 4);
  expect_refused_bytes(file, size, "where it should have 8", "it is truncated");
}

Test(gltf_document, damaged_chunks_are_refused) {
  char file[256];
  const size_t size = gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  gltf_put(file, 12, 1000, 4);
  expect_refused_bytes(file, size, "a chunk of 1000 bytes goes past its end", "export it again");
  gltf_put(file, 12, 0xffffffff, 4);
  expect_refused_bytes(file, size, "a chunk of 4294967295 bytes goes past its end", "export it again");
  gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  memcpy(file + 16, "BIN", 4);
  expect_refused_bytes(file, size, "does not begin with a chunk of JSON", "export it again");
  gltf_make_binary(file, "{" GLTF_ASSET "}", "bytes", 5);
  gltf_put(file, 4, 1, 4);
  expect_refused_bytes(file, size, "is of version 1 of binary glTF", "export it as glTF 2.0");
}
