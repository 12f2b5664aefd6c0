/* msd run --export --format glb. What it says is read by tests/app/export/readers.py and by Blender. */
#include "tests/support/command.h"

#include "app/export/formats.h"

TestSuite(glb, .init = command_setup, .fini = command_teardown);

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* *numbers: where the second chunk begins. */
static const json_t *read_glb(const char *name, const unsigned char **numbers) {
  size_t size;
  const unsigned char *bytes = (const unsigned char *)read_bytes(name, &size);
  cr_assert(size > 28 && number_at(bytes + 8) == size);
  const uint32_t length = number_at(bytes + 12);
  *numbers = bytes + 28 + length;
  return parse_json(format_text("%.*s", (int)length, (const char *)bytes + 20));
}

/* Accessors and views are numbered without those that a single frame has not. */
Test(glb, of_one_frame_has_no_animation) {
  const unsigned char *numbers;
  cr_assert_eq(msd("run rope.json --duration 0 --export out --format glb").status, 0);
  const json_t *document = read_glb("out/rope.glb", &numbers);
  cr_expect_null(json_object_get(document, "animations"));
  cr_expect_eq(json_array_size(json_object_get(document, "bufferViews")), 2);
  const json_t *mesh = json_array_get(json_object_get(document, "meshes"), 0);
  const json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
  cr_expect_null(json_object_get(primitive, "targets"));
  cr_expect_eq(number_of(primitive, "mode"), 1);
  cr_expect_eq(numbers[0] | numbers[1] | numbers[2] | numbers[3], 0, "the first particle is at x = 0");
}

/* glTF counts v from the top. */
Test(glb, texture_coordinates_go_down) {
  static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 0.75\nf 1/1 2/2 3/3\n";
  static const char of_mesh[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"m.obj\"}]}";
  write_file("m.obj", mesh, strlen(mesh));
  write_file("s.json", of_mesh, strlen(of_mesh));
  cr_assert_eq(msd("run s.json --duration 0 --export out --format glb").status, 0);
  const unsigned char *numbers;
  const json_t *document = read_glb("out/s.glb", &numbers);
  const json_t *views = json_object_get(document, "bufferViews");
  cr_assert_eq(json_array_size(views), 3);
  const size_t at = (size_t)number_of(json_array_get(views, 2), "byteOffset");
  float texture[6];
  for (int i = 0; i < 6; i++) {
    const uint32_t bits = number_at(numbers + at + 4 * i);
    memcpy(&texture[i], &bits, sizeof bits);
  }
  cr_expect(texture[0] == 0 && texture[1] == 1 && texture[2] == 1 && texture[3] == 1 && texture[4] == 0 &&
            texture[5] == 0.25f);
}

/* Which it can be: the mesh is that of the first frame, and lines there are none. */
Test(glb, a_mesh_that_the_scene_is_read_from_is_not_written_over) {
  static const char cloth[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"columns\": 3, \"rows\": 3}]}";
  static const char of_mesh[] = "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"s.glb\"}]}";
  write_file("s.json", cloth, strlen(cloth));
  cr_assert_eq(msd("run s.json --duration 0.1 --export . --format glb").status, 0);
  size_t size, size_now;
  read_bytes("s.glb", &size);
  write_file("s.json", of_mesh, strlen(of_mesh));
  const command_result result = msd("run s.json --duration 0 --export . --format glb");
  cr_expect_eq(result.status, 2, "%s", result.err);
  cr_expect_not_null(strstr(result.err, "s.glb: is read by the scene"), "%s", result.err);
  read_bytes("s.glb", &size_now);
  cr_expect_eq(size_now, size);
}

Test(glb, has_no_place_for_what_32_bits_do_not_count) {
  problem p;
  cr_expect(export_glb_has_room(65535, 1000, &p));
  cr_expect_not(export_glb_has_room(65536, 1, &p));
  cr_expect_not_null(strstr(p.text, "--every"));
  cr_expect(export_glb_has_room(1000, 200000, &p));
  cr_expect_not(export_glb_has_room(1000, 300000, &p));
}
