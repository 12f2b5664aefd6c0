/* Texture coordinates and normals of meshes as OBJ and PLY files give them. */
#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/corner_attributes.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(corner_attributes, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static bool has_texture(const mesh_data *mesh, int corner, double u, double v) {
  const corner_attributes *a = &mesh->attributes;
  const int32_t t = a->texture_of ? a->texture_of[corner] : -1;
  return t >= 0 && t < a->texture_count && a->texture[t][0] == u && a->texture[t][1] == v;
}

Test(corner_attributes, a_file_without_has_none) {
  mesh_data mesh = read_mesh("m.obj", SQUARE "f 1 2 3 4\n");
  const corner_attributes *a = &mesh.attributes;
  cr_expect(!a->texture && !a->texture_of && !a->normal_of && a->texture_count == 0 && a->normal_count == 0);
  mesh_data_free(&mesh);
}

/* The square is cut into triangles 0 1 2 and 0 2 3. */
Test(corner_attributes, corners_of_obj_have_what_their_face_names) {
  mesh_data mesh = read_mesh("m.obj", SQUARE "vt 0 0\nvt 0.5\nvt 0.25 0.75 9\nvt 0 1\nvn 0 0 1\nvn 0 1 0\n"
                                             "f 1/1/1 2/2/1 3/-2/-1 4/4/2\n");
  const corner_attributes *a = &mesh.attributes;
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  cr_expect_eq(a->texture_count, 4);
  cr_expect(has_texture(&mesh, 0, 0, 0) && has_texture(&mesh, 1, 0.5, 0) &&
            has_texture(&mesh, 2, 0.25, 0.75));
  cr_expect(has_texture(&mesh, 3, 0, 0) && has_texture(&mesh, 4, 0.25, 0.75) && has_texture(&mesh, 5, 0, 1));
  cr_assert_eq(a->normal_count, 4, "vertices do not share them");
  cr_expect(a->normal_of[0] == a->normal_of[3] && a->normal_of[2] == a->normal_of[4]);
  mesh_data_free(&mesh);
}

/* Two triangles that meet at the edge of vertices 2 and 3. */
Test(corner_attributes, corners_of_one_vertex_share_a_normal_where_the_file_gives_them_the_same) {
  static const struct {
    const char *text;
    int normals;
  } cases[] = {
      {"vn 0 0 1\nf 1//1 2//1 3//1\nf 1//1 3//1 4//1\n", 4},
      {"vn 0 0 1\nvn 0 0 1\nvn -0 0 1\nf 1//1 2//2 3//3\nf 1//3 3//2 4//1\n", 4},
      {"vn 0 0 1\nvn 0 1 1\nf 1//1 2//1 3//1\nf 1//2 3//2 4//2\n", 6},
      {"vn 0 0 1\nvn 0 1 1\nf 1//1 2//1 3//1\nf 1//1 3//2 4//2\n", 5},
      {"vn nan 0 1\nvn inf 0 1\nf 1//1 2//1 3//1\nf 1//2 3//2 4//2\n", 4},
  };
  for (size_t n = 0; n < COUNT_OF(cases); n++) {
    char text[512];
    snprintf(text, sizeof text, SQUARE "%s", cases[n].text);
    mesh_data mesh = read_mesh("m.obj", text);
    const corner_attributes *a = &mesh.attributes;
    cr_assert(a->normal_of && !a->texture_of);
    cr_expect_eq(a->normal_count, cases[n].normals, "case %zu: %d", n, (int)a->normal_count);
    for (int i = 0; i < 6; i++)
      cr_expect(a->normal_of[i] >= 0 && a->normal_of[i] < a->normal_count);
    cr_expect_eq(a->normal_of[0] == a->normal_of[3], cases[n].normals != 6);
    cr_expect_eq(a->normal_of[2] == a->normal_of[4], cases[n].normals == 4);
    mesh_data_free(&mesh);
  }
}

Test(corner_attributes, triangles_have_all_of_them_or_none) {
  mesh_data mesh = read_mesh("m.obj", SQUARE "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3\nf 1/1/1 3/1/1 4/1/1\n");
  const corner_attributes *a = &mesh.attributes;
  for (int i = 0; i < 6; i++)
    cr_expect((a->texture_of[i] >= 0) == (i >= 3) && (a->normal_of[i] >= 0) == (i >= 3), "corner %d", i);
  mesh_data_free(&mesh);
}

/* Vertices 2 and 5, and 3 and 6, are at one position each; a quad with two corners there is a triangle; and the
   vertex of the face without area goes. */
Test(corner_attributes, what_corners_have_survives_welding_and_what_is_left_out) {
  scene_warnings warnings = {0};
  mesh_data mesh =
      read_mesh_warned("m.obj",
                       "v 9 9 9\n" SQUARE "v 1 0 0\nv 1 1 0\nvt 0.1 0\nvt 0.2 0\nvt 0.3 0\nvt 0.4 0\n"
                       "f 1/1 1/2 1/3\nf 2/1 3/2 6/3 4/4\nf 2/4 7/3 5/1\n",
                       &warnings);
  cr_assert_eq(mesh.vertex_count, 4);
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  static const double u[] = {0.1, 0.2, 0.4, 0.4, 0.3, 0.1};
  for (int i = 0; i < 6; i++)
    cr_expect(has_texture(&mesh, i, u[i], 0), "corner %d", i);
  scene_warnings_free(&warnings);
  mesh_data_free(&mesh);
}

static void expect_warned(const char *text, const char *line) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned("m.obj", text, &warnings);
  cr_expect(warnings.count == 1 && strcmp(warnings.lines[0], line) == 0, "%s",
            warnings.count > 0 ? warnings.lines[0] : "no warning");
  cr_expect(!mesh.attributes.texture_of || mesh.attributes.texture_of[0] == -1,
            "the first triangle has none");
  scene_warnings_free(&warnings);
  mesh_data_free(&mesh);
}

Test(corner_attributes, numbers_that_mean_nothing_are_warned_of_and_left_out) {
  expect_warned(
      SQUARE "vt 0 0\nf 1/1 2/2 3/1 4/1\n",
      "m.obj:6: a corner names texture coordinates or a normal that no line above it gives, the first of 1; "
      "they are left out");
  expect_warned(
      SQUARE "vt 0 0\nf 1/-2 2/0 3/x 4/1\n",
      "m.obj:6: a corner names texture coordinates or a normal that no line above it gives, the first of 3; "
      "they are left out");
}

Test(corner_attributes, lines_without_their_numbers_are_refused) {
  write_text("m.obj", SQUARE "vt\nf 1 2 3\n");
  expect_mesh_refused("m.obj", "m.obj:5: texture coordinates need a number", "vt U V");
  write_text("m.obj", SQUARE "vn 0 1\nf 1 2 3\n");
  expect_mesh_refused("m.obj", "m.obj:5: a normal needs three numbers", "vn X Y Z");
}

#define PLY_TOP                                                                                              \
  "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES "element face 2\nproperty list uchar int vertex_indices\n"

Test(corner_attributes, vertices_of_ply_give_theirs_to_the_corners_of_all_faces) {
  static const char *const names[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
  for (size_t n = 0; n < COUNT_OF(names); n++) {
    char text[1024];
    snprintf(text, sizeof text,
             PLY_TOP
             "property float nx\nproperty float ny\nproperty float nz\nproperty double %s\nproperty double "
             "%s\n" PLY_FACES
             "end_header\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 0.1 0\n1 1 0 0 0 1 0.1 0.2\n0 1 0 0 0 1 0 0.2\n"
             "3 0 1 2\n3 0 2 3\n",
             names[n][0], names[n][1]);
    mesh_data mesh = read_mesh("m.ply", text);
    cr_expect(has_texture(&mesh, 1, 0.1, 0) && has_texture(&mesh, 2, 0.1, 0.2) &&
              has_texture(&mesh, 5, 0, 0.2));
    cr_expect_eq(mesh.attributes.normal_count, 4);
    mesh_data_free(&mesh);
  }
}

/* Corners of vertices that are repeated for their normals, as in a cube with sharp edges. */
Test(corner_attributes, vertices_of_ply_that_become_one_keep_their_attributes_apart) {
  mesh_data mesh = read_mesh(
      "m.ply",
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float "
      "z\nproperty "
      "float nx\nproperty float ny\nproperty float nz\nproperty float s\nproperty float t\n" PLY_FACES
      "end_header\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 1 0\n1 1 0 0 0 1 1 1\n0 0 0 1 0 0 5 0\n1 1 0 1 0 0 6 1\n0 1 "
      "0 1 "
      "0 0 7 1\n3 0 1 2\n3 3 4 5\n");
  cr_assert_eq(mesh.vertex_count, 4);
  cr_expect_eq(mesh.attributes.normal_count, 6);
  cr_expect(has_texture(&mesh, 0, 0, 0) && has_texture(&mesh, 3, 5, 0) && has_texture(&mesh, 4, 6, 1));
  mesh_data_free(&mesh);
}

Test(corner_attributes, faces_of_ply_may_have_texture_coordinates_of_their_own) {
  mesh_data mesh = read_mesh("m.ply", PLY_TOP PLY_FACES "property list uchar float texcoord\nend_header\n"
                                                        "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
                                                        "3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 5 0 6 1 7 1\n");
  cr_expect(has_texture(&mesh, 0, 0, 0) && has_texture(&mesh, 2, 1, 1) && has_texture(&mesh, 3, 5, 0) &&
            has_texture(&mesh, 5, 7, 1));
  mesh_data_free(&mesh);
  /* A list of another length says nothing of the corners. */
  mesh = read_mesh("m.ply",
                   PLY_TOP PLY_FACES "property list uchar float texcoord\nend_header\n"
                                     "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 3 5 0 6\n");
  cr_expect(has_texture(&mesh, 2, 1, 1) && mesh.attributes.texture_of[3] == -1);
  mesh_data_free(&mesh);
}

/* Elements of vertices with and without: nobody knows which is whose. */
Test(corner_attributes, vertices_of_ply_without_do_not_take_those_of_others) {
  mesh_data mesh = read_mesh("m.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty "
                                      "float y\nproperty float z\nelement "
                                      "vertex 2\nproperty float x\nproperty float y\nproperty float "
                                      "z\nproperty float s\nproperty float t\n" PLY_FACES
                                      "end_header\n0 0 0\n1 0 0\n1 1 0 9 9\n0 1 0 8 8\n3 0 1 2\n3 0 2 3\n");
  cr_expect(!mesh.attributes.texture_of);
  mesh_data_free(&mesh);
}

Test(corner_attributes, damaged_files_never_crash) {
  static const char obj[] = SQUARE "vt 0 0\nvt 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1 4/-1/-1\nf 1//1 2/2 3\n";
  expect_survival("m.obj", obj, sizeof obj - 1, 11);
  static const char ply[] =
      PLY_TOP "property float nx\nproperty float ny\nproperty float nz\nproperty float s\nproperty float "
              "t\n" PLY_FACES "property list uchar float texcoord\nend_header\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 "
              "1 0\n1 1 0 0 0 1 1 1\n0 1 0 "
              "0 0 1 0 1\n3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 5 0 6 1 7 1\n";
  expect_survival("m.ply", ply, sizeof ply - 1, 12);
}
