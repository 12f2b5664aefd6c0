/* msd mesh: what it writes is the mesh that it read, in an order that a step keeps. */
#include "scenes/meshes/tetgen_file.h"
#include "tests/support/command.h"

TestSuite(command_mesh, .init = command_setup, .fini = command_teardown);

/* Numbers 0 to count - 1 in any order, the same every time (Knuth's linear congruential generator and Fisher
   and Yates's shuffle): steps of one size would leave springs in rows. */
static int *any_order(int count) {
  int *number = take_memory((size_t)count * sizeof *number);
  uint64_t state = 1;
  for (int i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int other = (int)((state >> 33) % (uint64_t)(i + 1));
    number[i] = number[other];
    number[other] = i;
  }
  return number;
}

/* A shaken sheet of vertices that come in any order, as its triangles do; with some that stand twice, and one
   of no face. */
static const char *sheet_of(int columns, int rows, bool is_doubled) {
  const int vertices = columns * rows;
  char *text = take_memory(200 * (size_t)vertices), *end = text;
  const int *place = any_order(vertices);
  int *number = take_memory((size_t)vertices * sizeof *number);
  for (int i = 0; i < vertices; i++) {
    const int at = place[i];
    number[at] = i + 1;
    end += sprintf(end, "v %.9g %.9g %.9g\n", at % columns * 0.1 + at * 31 % 17 * 0.003,
                   at / columns * 0.1 + at * 13 % 19 * 0.003, at * 7 % 11 * 0.001);
  }
  if (is_doubled)
    end += sprintf(end, "v 7 7 7\nv 0 0 0\n");
  for (int n = 0; n < vertices; n++) {
    const int at = place[vertices - 1 - n];
    if (at % columns == columns - 1 || at / columns == rows - 1)
      continue;
    const int around[] = {number[at], number[at + 1], number[at + columns + 1], number[at + columns]};
    const int turn = at * 5 % 7 % 2, first = at == 0 && is_doubled ? vertices + 2 : around[turn];
    end += sprintf(end, "f %d %d %d\nf %d %d %d\n", first, around[turn + 1], around[turn + 2], around[turn],
                   around[turn + 2], around[(turn + 3) % 4]);
  }
  return text;
}

static const char *sheet(bool is_doubled) {
  return sheet_of(40, 120, is_doubled);
}

/* The triangles of a file by the places of their corners, each from its least corner on, sorted. */
typedef struct placed_triangle {
  float at[3][3];
} placed_triangle;

static int by_bytes(const void *one, const void *other) {
  return memcmp(one, other, sizeof(placed_triangle));
}

static placed_triangle *triangles_of(const char *name, int *vertices, int *count) {
  char *text = read_text(name);
  const int lines = count_lines(text);
  float(*at)[3] = take_memory((size_t)lines * sizeof *at);
  placed_triangle *all = take_memory((size_t)lines * sizeof *all);
  *vertices = *count = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    int c[3];
    float *v = at[*vertices];
    if (sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]) == 3)
      ++*vertices;
    if (sscanf(line, "f %d %d %d", &c[0], &c[1], &c[2]) != 3)
      continue;
    int least = 0;
    for (int k = 1; k < 3; k++)
      least = memcmp(at[c[k] - 1], at[c[least] - 1], sizeof *at) < 0 ? k : least;
    for (int k = 0; k < 3; k++)
      memcpy(all[*count].at[k], at[c[(least + k) % 3] - 1], sizeof *at);
    ++*count;
  }
  qsort(all, (size_t)*count, sizeof *all, by_bytes);
  return all;
}

static void expect_same_triangles(const char *one, const char *other) {
  int vertices[2], counts[2];
  const placed_triangle *a = triangles_of(one, &vertices[0], &counts[0]),
                        *b = triangles_of(other, &vertices[1], &counts[1]);
  cr_expect_eq(vertices[0], vertices[1]);
  cr_assert_eq(counts[0], counts[1]);
  cr_expect_eq(memcmp(a, b, (size_t)counts[0] * sizeof *a), 0);
}

Test(command_mesh, writes_the_same_triangles_to_the_last_bit) {
  const char *text = sheet(false);
  write_file("any.obj", text, strlen(text));
  const command_result done = msd("mesh any.obj ready.obj");
  cr_assert_eq(done.status, 0, "%s", done.err);
  cr_expect_str_empty(done.err);
  cr_expect(strstr(done.out, "ready.obj: 4,800 vertices, 9,282 triangles, each within"), "%s", done.out);
  cr_expect_str_neq(read_text("any.obj"), read_text("ready.obj"));
  expect_same_triangles("any.obj", "ready.obj");
}

/* What is in order stays so, byte by byte: a step keeps the order. */
Test(command_mesh, leaves_what_it_has_written) {
  const char *text = sheet(false);
  write_file("any.obj", text, strlen(text));
  cr_assert_eq(msd("mesh any.obj ready.obj").status, 0);
  cr_assert_eq(msd("mesh ready.obj again.obj").status, 0);
  cr_expect_str_eq(read_text("ready.obj"), read_text("again.obj"));
}

Test(command_mesh, makes_one_of_vertices_at_one_place_and_leaves_out_those_of_no_face) {
  const char *text = sheet(true), *plain = sheet(false);
  write_file("any.obj", text, strlen(text));
  write_file("plain.obj", plain, strlen(plain));
  const command_result done = msd("mesh any.obj ready.obj");
  cr_assert_eq(done.status, 0, "%s", done.err);
  cr_expect(strstr(done.out, "ready.obj: 4,800 vertices, 9,282"), "%s", done.out);
  expect_same_triangles("plain.obj", "ready.obj");
}

/* A bar of tetrahedra on vertices that come in any order. */
static void write_bar(int vertices) {
  char *node = take_memory(100 * (size_t)vertices), *ele = take_memory(100 * (size_t)vertices);
  char *n = node + sprintf(node, "%d 3 0 0\n", vertices), *e = ele + sprintf(ele, "%d 4 0\n", vertices - 3);
  const int *place = any_order(vertices);
  int *number = take_memory((size_t)vertices * sizeof *number);
  for (int i = 0; i < vertices; i++) {
    const int at = place[i];
    number[at] = i;
    n += sprintf(n, "%d %.9g %d %d\n", i, at * 0.1 + (at % 4 == 3) * 0.05, at % 2, at / 2 % 2);
  }
  for (int t = 0; t < vertices - 3; t++)
    e += sprintf(e, "%d %d %d %d %d\n", t, number[t], number[t + 1], number[t + 2], number[t + 3]);
  write_file("bar.node", node, strlen(node));
  write_file("bar.ele", ele, strlen(ele));
}

Test(command_mesh, writes_tetrahedra_as_a_pair) {
  tet_data mesh;
  scene_error error;
  write_bar(3001);
  const command_result done = msd("mesh bar.ele ready.node");
  cr_assert_eq(done.status, 0, "%s", done.err);
  cr_expect(strstr(done.out, "ready.node: 3,001 vertices, 2,998 tetrahedra"), "%s", done.out);
  cr_assert(tetgen_file_read(in_folder("ready.ele"), NULL, &mesh, &error), "%s", error.text);
  cr_expect_eq(mesh.vertex_count, 3001);
  cr_assert_eq(mesh.tetrahedron_count, 2998);
  for (int t = 0; t < 2998; t++) {
    double least = 1e9, most = 0;
    for (int c = 0; c < 4; c++) {
      const double x = (double)mesh.vertices[mesh.tetrahedra[4 * t + c]].x;
      least = x < least ? x : least;
      most = x > most ? x : most;
    }
    cr_assert(most - least < 0.36, "tetrahedron %d is of vertices far apart", t);
  }
  tet_data_free(&mesh);
  cr_assert_eq(msd("mesh ready.ele again.ele").status, 0);
  cr_expect_str_eq(read_text("ready.node"), read_text("again.node"));
  cr_expect_str_eq(read_text("ready.ele"), read_text("again.ele"));
}

Test(command_mesh, leaves_both_of_a_pair_as_they_were_where_one_cannot_be_written) {
  write_bar(300);
  write_file("ready.node", "as it was", 9);
  cr_assert_eq(mkdir(in_folder("ready.ele"), 0777), 0);
  expect_refused(msd("mesh bar.ele ready.node"), 3, "ready.ele");
  cr_expect_str_eq(read_text("ready.node"), "as it was");
  cr_expect_not(exists("ready.node.part"));
  cr_expect_not(exists("ready.ele.part"));
}

/* In a sheet of 17 x 17 windows of 256 particles bring next to each other what lies far apart. */
Test(command_mesh, says_where_a_mesh_is_too_small) {
  const char *text = sheet_of(17, 17, false);
  write_file("small.obj", text, strlen(text));
  const command_result done = msd("mesh small.obj ready.obj");
  cr_expect_eq(done.status, 0);
  cr_expect(strstr(done.err, "too small"), "%s", done.err);
}

Test(command_mesh, refuses_what_it_cannot_read_or_write) {
  const char *text = sheet(false);
  write_file("any.obj", text, strlen(text));
  write_bar(10);
  expect_refused(msd("mesh"), 2, "needs a MESH");
  expect_refused(msd("mesh any.obj"), 2, "needs a FILE after the MESH: the file to write");
  expect_refused(msd("mesh any.obj ready.ply"), 2, "ends in .obj");
  expect_refused(msd("mesh bar.node ready.obj"), 2, ".node and .ele");
  expect_refused(msd("mesh bar.node ready.node --merge-distance 1"), 2, "tetrahedra");
  expect_refused(msd("mesh none.obj ready.obj"), 2, "none.obj");
  expect_refused(msd("mesh any.obj ready.obj --group none"), 2, "none");
  expect_refused(msd("mesh any.obj ready.obj --merge-distance -1"), 2, "0 or more");
  expect_refused(msd("mesh any.obj ready.obj --component 1.5"), 2, "whole number");
  expect_refused(msd("mesh any.obj no_folder/ready.obj"), 3, "no_folder");
  cr_expect_not(exists("ready.obj"));
}

/* What it does not write of a mesh, such as groups, would be lost. */
Test(command_mesh, writes_no_mesh_over_itself) {
  const char *text = sheet(false);
  write_file("any.obj", text, strlen(text));
  write_bar(300);
  const char *nodes = read_text("bar.node");
  expect_refused(msd("mesh any.obj any.obj"), 2, "any.obj");
  expect_refused(msd("mesh bar.ele ./bar.node"), 2, "bar.node");
  cr_expect_str_eq(read_text("any.obj"), text);
  cr_expect_str_eq(read_text("bar.node"), nodes);
}
