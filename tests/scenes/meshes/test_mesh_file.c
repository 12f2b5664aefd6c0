#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_file.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(mesh_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static mesh_data read_mesh(const char *name, const char *text) {
  write_text(name, text);
  mesh_data mesh;
  scene_error error;
  cr_assert(mesh_file_read(name, &mesh, &error), "%s", error.text);
  return mesh;
}

static bool has_vertex(const mesh_data *mesh, int32_t i, double x, double y, double z) {
  msd_vec3 v = mesh->vertices[i];
  return v.x == (msd_real)x && v.y == (msd_real)y && v.z == (msd_real)z;
}

static void expect_triangle(const mesh_data *mesh, int32_t t, int32_t a, int32_t b, int32_t c) {
  const int32_t *triangle = mesh->triangles + 3 * t;
  cr_expect(triangle[0] == a && triangle[1] == b && triangle[2] == c, "triangle %d is %d %d %d", t,
            triangle[0], triangle[1], triangle[2]);
}

Test(mesh_file, vertices_keep_their_order_in_the_file) {
  mesh_data mesh = read_mesh("m.obj", "v 9 0 0\nv 0 1 0\nv 0 0 2\nf 3 1 2\n");
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect(has_vertex(&mesh, 0, 9, 0, 0) && has_vertex(&mesh, 1, 0, 1, 0) && has_vertex(&mesh, 2, 0, 0, 2));
  cr_assert_eq(mesh.triangle_count, 1);
  expect_triangle(&mesh, 0, 2, 0, 1);
  mesh_data_free(&mesh);
}

Test(mesh_file, a_quad_is_cut_along_its_shorter_diagonal) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 3 0 0\nv 4 1 0\nv 1 1 0\nf 1 2 3 4\n");
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 3);
  expect_triangle(&mesh, 1, 1, 2, 3);
  mesh_data_free(&mesh);
}

Test(mesh_file, a_polygon_becomes_a_fan) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv 0 1 0\nf 1 2 3 4 5\n");
  cr_assert_eq(mesh.triangle_count, 3);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  expect_triangle(&mesh, 2, 0, 3, 4);
  mesh_data_free(&mesh);
}

Test(mesh_file, obj_says_the_same_in_all_its_ways) {
  static const char *const ways[] = {
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
      "# comment\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
      "g part\nusemtl red\ns off\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//1 3//1 # comment\n",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
      "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\n\tv  0\t1 0 \nl 1 2\np 1\nf 1 \\\n2 \\\r\n3\n",
  };
  for (size_t i = 0; i < COUNT_OF(ways); i++) {
    mesh_data mesh = read_mesh("m.obj", ways[i]);
    cr_expect_eq(mesh.vertex_count, 3);
    cr_expect(has_vertex(&mesh, 1, 1, 0, 0) && has_vertex(&mesh, 2, 0, 1, 0));
    cr_assert_eq(mesh.triangle_count, 1);
    expect_triangle(&mesh, 0, 0, 1, 2);
    mesh_data_free(&mesh);
  }
}

/* A cube as modellers write it: every face has its own four corners for their normals. */
Test(mesh_file, vertices_repeated_for_normals_are_one) {
  char text[4096] = "";
  static const char *const faces[] = {"000 001 011 010", "100 110 111 101", "000 100 101 001",
                                      "010 011 111 110", "000 010 110 100", "001 101 111 011"};
  for (size_t f = 0; f < COUNT_OF(faces); f++)
    for (const char *c = faces[f]; *c; c += c[3] ? 4 : 3) {
      size_t used = strlen(text);
      /* The negative zero is the same place as 0. */
      snprintf(text + used, sizeof text - used, "v %s%c %c %c\n", c[0] == '0' && f > 2 ? "-" : "", c[0], c[1],
               c[2]);
    }
  for (int f = 0; f < 6; f++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "f %d %d %d %d\n", 4 * f + 1, 4 * f + 2, 4 * f + 3, 4 * f + 4);
  }
  mesh_data mesh = read_mesh("m.obj", text);
  cr_expect_eq(mesh.vertex_count, 8);
  cr_expect_eq(mesh.triangle_count, 12);
  /* The first four keep their numbers; those of the second face come next. */
  cr_expect(has_vertex(&mesh, 1, 0, 0, 1) && has_vertex(&mesh, 4, 1, 0, 0) && has_vertex(&mesh, 7, 1, 0, 1));
  mesh_data_free(&mesh);
}

Test(mesh_file, faces_that_shrink_to_a_line_by_welding_are_dropped) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n");
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect_eq(mesh.triangle_count, 1);
  mesh_data_free(&mesh);
}

static const char ply_head[] =
    "element vertex 4\nproperty float x\nproperty double y\nproperty short z\nproperty uchar "
    "red\nelement face 1\nproperty list uchar int vertex_indices\nproperty char flag\nelement "
    "edge 1\nproperty int v\nend_header\n";

static void put(char *bytes, size_t *used, const void *value, size_t size, bool swap) {
  for (size_t i = 0; i < size; i++)
    bytes[*used + i] = ((const char *)value)[swap ? size - 1 - i : i];
  *used += size;
}

/* A quad from (0,0,258) to (1,1,258), with other bytes in 258 the other way round, in the byte order asked
   for; the test machine is little endian or not. */
static size_t binary_ply(char *bytes, const char *format, bool big) {
  const uint16_t one = 1;
  bool host_big = *(const unsigned char *)&one == 0, swap = big != host_big;
  size_t used = (size_t)sprintf(bytes, "ply\nformat %s 1.0\ncomment made by a test\n%s", format, ply_head);
  static const double xy[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int i = 0; i < 4; i++) {
    float x = (float)xy[i][0];
    double y = xy[i][1];
    int16_t z = 258;
    unsigned char red = 255;
    put(bytes, &used, &x, sizeof x, swap);
    put(bytes, &used, &y, sizeof y, swap);
    put(bytes, &used, &z, sizeof z, swap);
    put(bytes, &used, &red, sizeof red, swap);
  }
  const unsigned char four = 4, flag = 0;
  put(bytes, &used, &four, 1, swap);
  for (int32_t i = 3; i >= 0; i--)
    put(bytes, &used, &i, sizeof i, swap);
  put(bytes, &used, &flag, 1, swap);
  const int32_t edge = 1;
  put(bytes, &used, &edge, sizeof edge, swap);
  return used;
}

static void expect_quad(const mesh_data *mesh) {
  cr_expect_eq(mesh->vertex_count, 4);
  cr_expect(has_vertex(mesh, 1, 1, 0, 258) && has_vertex(mesh, 3, 0, 1, 258));
  cr_assert_eq(mesh->triangle_count, 2);
  expect_triangle(mesh, 0, 3, 2, 1);
  expect_triangle(mesh, 1, 3, 1, 0);
}

Test(mesh_file, ply_says_the_same_as_text_and_in_both_byte_orders) {
  char text[1024];
  snprintf(text, sizeof text,
           "ply\nformat ascii 1.0\n%s0 0 258 255\n1 0 258 255\n1 1 258 255\n0 1 258 255\n4 3 2 1 0 0\n1\n",
           ply_head);
  mesh_data mesh = read_mesh("m.ply", text);
  expect_quad(&mesh);
  mesh_data_free(&mesh);
  static const char *const formats[] = {"binary_little_endian", "binary_big_endian"};
  for (int big = 0; big < 2; big++) {
    char bytes[1024];
    write_file("M.PLY", bytes, binary_ply(bytes, formats[big], big));
    scene_error error;
    cr_assert(mesh_file_read("M.PLY", &mesh, &error), "%s", error.text);
    expect_quad(&mesh);
    mesh_data_free(&mesh);
  }
}

static void expect_mesh_refused(const char *file, const char *place, const char *remedy) {
  scene_error error = {{0}};
  mesh_data mesh;
  cr_expect(!mesh_file_read(file, &mesh, &error), "%s: was read", file);
  cr_expect(strstr(error.text, place) != NULL, "should name %s: %s", place, error.text);
  cr_expect(strstr(error.text, remedy) != NULL, "should say %s: %s", remedy, error.text);
  cr_expect(strpbrk(error.text, "\n\r\t") == NULL);
  cr_expect(mesh.vertices == NULL && mesh.triangles == NULL && mesh.corners == NULL);
}

Test(mesh_file, bad_obj_files_are_refused_with_line_and_remedy) {
  static const bad_text cases[] = {
      {"", "m.obj: is empty", "vertices and faces"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj: has no faces", "at least one face"},
      {"junk\n", "m.obj: has no faces", "at least one face"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "m.obj:4: a face has the corner \"4\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "m.obj:4: a face has the corner \"-4\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "m.obj:4: a face has the corner \"0\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "m.obj:4: a face has the corner \"x\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3.5\n", "m.obj:4: a face has the corner \"3.5\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "m.obj:4: a face has the corner",
       "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\n\nv 0 1 0\nf 1 2\n", "m.obj:5: a face of 2 corners", "3 or more"},
      {"f\n", "m.obj:1: a face of 0 corners", "3 or more"},
      {"v 0 0 0\nv 1 0 \\\n0\nv 0 1\nf 1 2 3\n", "m.obj:4: a vertex needs three numbers", "v X Y Z"},
      {"v 0 0 nan\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 nan", "must be numbers"},
      {"v 0 0 inf\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 inf", "must be numbers"},
      {"v 0 0 1e30\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 1e+30", "at most 1e+18"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 6 7\nf 1 2 3\n", "m.obj: the vertex at 5 6 7 belongs to no face with",
       "delete it"},
      {"v 0 0 0\nv 1 0 0\nf 1 2 1\n", "m.obj: no face has 3 corners", "different places"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.obj", cases[i].text);
    expect_mesh_refused("m.obj", cases[i].place, cases[i].remedy);
  }
  write_file("m.obj", "v 0 0 0\nv\0", 10);
  expect_mesh_refused("m.obj", "m.obj: holds zero bytes", "an OBJ file is text");
}

#define PLY_START "ply\nformat ascii 1.0\n"
#define PLY_XYZ   "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE  "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

Test(mesh_file, bad_ply_files_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"plx\n", "m.ply: does not begin with \"ply\"", "give a PLY file"},
      {"ply\n", "m.ply: the header is cut", "end_header"},
      {"ply\nformat text 1.0\n", "m.ply: the second line", "format ascii 1.0"},
      {PLY_START PLY_XYZ, "m.ply: the header is cut", "end_header"},
      {PLY_START "property float x\n", "m.ply: a property stands before any element", "element"},
      {PLY_START "element vertex -3\n", "m.ply: the header has -3 of \"vertex\"", "a whole number"},
      {PLY_START "element vertex three\n", "m.ply: the header has three of \"vertex\"", "a whole number"},
      {PLY_START "element vertex 1\nproperty half x\n", "m.ply: the header has the type \"half\"",
       "types are char"},
      {PLY_START "element vertex 1\nproperti float x\n", "m.ply: the header has a line \"properti",
       "property TYPE NAME"},
      {PLY_START "element vertex 1\nproperty float x\nend_header\n0\n", "m.ply: the vertices must have",
       "x, y and z"},
      {PLY_START PLY_XYZ "element face 1\nproperty int n\nend_header\n0 0 0\n1 0 0\n0 1 0\n1\n",
       "m.ply: the faces must have", "vertex_indices"},
      {PLY_START "element face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2\n",
       "m.ply: the vertices must stand", "before the faces"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n", "m.ply: vertex 2: the file is cut", "export it again"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 one 0\n", "m.ply: vertex 2: the file is cut", "no number"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 nan\n3 0 1 2\n",
       "m.ply: vertex 2: a vertex is at 0 1 nan", "must be numbers"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "m.ply: face 0: the file is cut",
       "export it again"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "m.ply: face 0: the corner 3",
       "vertices 0 to 2"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "m.ply: face 0: the corner -1",
       "vertices 0 to 2"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "m.ply: face 0: a face of 2 corners",
       "3 or more"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", "m.ply: face 0: a list of -3",
       "a whole number"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n1e300 0 1 2\n", "m.ply: face 0: a list of 1e+300",
       "a whole number"},
      {PLY_START PLY_XYZ "end_header\n0 0 0\n1 0 0\n0 1 0\n", "m.ply: has no faces", "at least one face"},
      {PLY_START
       "element vertex 9000000000000000000\nproperty float x\nproperty float y\nproperty float z\n" PLY_FACE
       "0 0 0\n",
       "m.ply: vertex 1: the file is cut", "export it again"},
      {PLY_START "element nothing 9000000000000000000\nend_header\n", "m.ply: has no faces",
       "at least one face"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.ply", cases[i].text);
    expect_mesh_refused("m.ply", cases[i].place, cases[i].remedy);
  }
}

Test(mesh_file, what_is_no_readable_mesh_file_is_refused) {
  expect_mesh_refused("none.ply", "none.ply: No such file", "beside the scene file");
  expect_mesh_refused("m.stl", "m.stl: is no known kind", ".obj or .ply");
  cr_assert(mkdir("folder.obj", 0700) == 0);
  expect_mesh_refused("folder.obj", "folder.obj: is a folder", "give an OBJ or PLY file");
  rmdir("folder.obj");
  cr_assert(mkfifo("pipe.obj", 0600) == 0);
  expect_mesh_refused("pipe.obj", "pipe.obj: is a pipe", "give an OBJ or PLY file");
}

/* A small generator of pseudo-random numbers, the same on every machine. */
static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Every file cut or changed at random is either read whole or refused with one line. */
static void expect_survival(const char *name, const char *bytes, size_t size, uint32_t seed) {
  for (int n = 0; n < 300; n++) {
    char damaged[2048];
    memcpy(damaged, bytes, size);
    size_t kept = n % 3 ? size : next_random(&seed) % size;
    for (uint32_t change = next_random(&seed) % 4; kept > 0 && change > 0; change--) {
      uint32_t where = next_random(&seed) % (uint32_t)kept, what = next_random(&seed);
      damaged[where] = n % 2 ? (char)(what & 0xff) : "0123456789-/. \nvfe\\"[what % 19];
    }
    write_file(name, damaged, kept);
    scene_error error = {{0}};
    mesh_data mesh;
    if (mesh_file_read(name, &mesh, &error)) {
      for (int32_t i = 0; i < 3 * mesh.triangle_count; i++)
        cr_assert(mesh.triangles[i] >= 0 && mesh.triangles[i] < mesh.vertex_count);
      mesh_data_free(&mesh);
    } else {
      cr_assert(error.text[0] != '\0' && strpbrk(error.text, "\n\r\t") == NULL, "%s", error.text);
    }
  }
}

Test(mesh_file, damaged_files_never_crash) {
  static const char obj[] =
      "# comment\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\nf "
      "1/1/1 2/1/1 3/1/1 4/1/1\nf -1 -2 \\\n-3\n";
  expect_survival("m.obj", obj, sizeof obj - 1, 1);
  static const char ply[] = PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  expect_survival("m.ply", ply, sizeof ply - 1, 2);
  char bytes[1024];
  expect_survival("m.ply", bytes, binary_ply(bytes, "binary_little_endian", false), 3);
}
