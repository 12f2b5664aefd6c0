#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(particle_name, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* The pinned particles of the one body, as a string of 1 and 0 in the order of the indices. */
static const char *pins_of(const char *body, const char *name) {
  char text[512];
  snprintf(text, sizeof text, "{ %s, \"pinned\": [\"%s\"] }", body, name);
  return pins_of_scene(load_bodies(text));
}

Test(particle_name, names_of_a_cloth_follow_rows_and_columns) {
  /* Laid flat and turned round, so that the place in space would say something else. */
  const char *cloth = "\"type\": \"cloth\", \"columns\": 3, \"rows\": 2, \"u\": [-1,0,0], \"v\": [0,0,1]";
  cr_expect_str_eq(pins_of(cloth, "first"), "100000");
  cr_expect_str_eq(pins_of(cloth, "last"), "000001");
  cr_expect_str_eq(pins_of(cloth, "top"), "111000");
  cr_expect_str_eq(pins_of(cloth, "bottom"), "000111");
  cr_expect_str_eq(pins_of(cloth, "left"), "100100");
  cr_expect_str_eq(pins_of(cloth, "right"), "001001");
  cr_expect_str_eq(pins_of(cloth, "top_left"), "100000");
  cr_expect_str_eq(pins_of(cloth, "top_right"), "001000");
  cr_expect_str_eq(pins_of(cloth, "bottom_left"), "000100");
  cr_expect_str_eq(pins_of(cloth, "bottom_right"), "000001");
  cr_expect_str_eq(pins_of(cloth, "all"), "111111");
}

Test(particle_name, names_of_ropes_and_particles_are_their_ends) {
  const char *rope = "\"type\": \"rope\", \"particles\": 4";
  cr_expect_str_eq(pins_of(rope, "first"), "1000");
  cr_expect_str_eq(pins_of(rope, "last"), "0001");
  cr_expect_str_eq(pins_of(rope, "all"), "1111");
  const char *one = "\"type\": \"particles\", \"position\": [[0,0,0]]";
  cr_expect_str_eq(pins_of(one, "first"), "1");
  cr_expect_str_eq(pins_of(one, "last"), "1");
}

Test(particle_name, names_of_a_block_are_its_sides_in_space) {
  /* Index (k*2 + j)*2 + i: x changes fastest, then y, then z. */
  const char *block = "\"type\": \"block\", \"origin\": [5,5,5]";
  cr_expect_str_eq(pins_of(block, "top"), "00110011");
  cr_expect_str_eq(pins_of(block, "bottom"), "11001100");
  cr_expect_str_eq(pins_of(block, "left"), "10101010");
  cr_expect_str_eq(pins_of(block, "right"), "01010101");
  cr_expect_str_eq(pins_of(block, "top_left"), "00100010");
}

/* A millionth of 2 m: 1.9999985 m is at the top, and 1.99999 m is not. */
Test(particle_name, the_side_of_a_mesh_is_as_thick_as_a_millionth_of_its_size) {
  write_text("m.obj",
             "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 1.9999985 0\nv 0 1.99999 0\nv 1.9999985 1 0\nv 1.99999 1 1\n"
             "f 1 2 3\nf 1 3 4\nf 1 4 5\nf 1 2 6\nf 1 2 7\n");
  const char *mesh = "\"type\": \"mesh\", \"file\": \"m.obj\"";
  cr_expect_str_eq(pins_of(mesh, "top"), "0011000");
  cr_expect_str_eq(pins_of(mesh, "right"), "0110010");
}

Test(particle_name, names_of_a_mesh_are_its_furthest_vertices) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0.5 0\nf 1 2 3 4\nf 2 5 3\n");
  const char *mesh = "\"type\": \"mesh\", \"file\": \"m.obj\"";
  cr_expect_str_eq(pins_of(mesh, "top"), "00110");
  cr_expect_str_eq(pins_of(mesh, "right"), "00001");
  cr_expect_str_eq(pins_of(mesh, "bottom_left"), "10000");
  cr_expect_str_eq(pins_of(mesh, "last"), "00001");
}
