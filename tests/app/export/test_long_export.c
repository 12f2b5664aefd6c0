/* msd run --export of more than is written in one go: numbers are collected before they go to a file, and all
   of them have to arrive, in their order. What files must have in them is made from the trace and the grid. */
#include "tests/support/command.h"

#include <stdint.h>

TestSuite(long_export, .init = command_setup, .fini = command_teardown);

enum {
  COLUMNS = 41,
  ROWS = 51,
  CLOTH_POINTS = COLUMNS * ROWS,
  ROPE_POINTS = 1000,
  POINTS = CLOTH_POINTS + ROPE_POINTS,
  LINES = ROPE_POINTS - 1
};
enum { CELLS = (COLUMNS - 1) * (ROWS - 1), TRIANGLES = 2 * CELLS };

static const char scene[] =
    "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"name\": \"c\", \"origin\": [0.1, 1, 0], \"u\": [0.7, "
    "0, 0.3], "
    "\"v\": [0, 0.9, 0.1], \"columns\": 41, \"rows\": 51, \"stretch\": {\"stiffness\": 100}}, "
    "{\"type\": \"rope\", \"name\": \"r\", \"from\": [2, 1, 0], \"to\": [3, 1.5, 0.2], \"particles\": 1000, "
    "\"stretch\": {\"stiffness\": 100}}]}";

/* Bytes in the order in which a file must have them. */
typedef struct wanted {
  unsigned char bytes[1 << 18];
  size_t count;
  bool is_big;
} wanted;

static wanted *wanted_of(bool is_big) {
  wanted *w = take_memory(sizeof *w);
  w->is_big = is_big;
  w->count = 0;
  return w;
}

static void want(wanted *w, uint64_t bits, int count) {
  cr_assert_leq(w->count + (size_t)count, sizeof w->bytes);
  for (int n = 0; n < count; n++)
    w->bytes[w->count++] = (unsigned char)(bits >> 8 * (w->is_big ? count - 1 - n : n));
}

static void want_real(wanted *w, double value) {
  const float single = (float)value;
  uint32_t few;
  uint64_t many;
  memcpy(&few, &single, sizeof few);
  memcpy(&many, &value, sizeof many);
  want(w, sizeof(msd_real) == 8 ? many : few, sizeof(msd_real));
}

static void expect_has(const char *name, const void *bytes, size_t count, const char *what) {
  size_t size;
  const char *file = read_bytes(name, &size);
  for (size_t at = 0; at + count <= size; at++)
    if (memcmp(file + at, bytes, count) == 0)
      return;
  cr_assert_fail("%s does not have the %s", name, what);
}

/* Of an array in base64 (RFC 4648), with the number of its bytes in front. */
static void expect_has_array(const char *name, const wanted *w, const char *what) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  wanted *all = wanted_of(false);
  want(all, w->count, 8);
  memcpy(all->bytes + all->count, w->bytes, w->count);
  all->count += w->count;
  char *text = take_memory(2 * all->count + 16), *to = text;
  *to++ = '>';
  for (size_t n = 0; n < all->count; n += 3) {
    const size_t left = all->count - n;
    const unsigned bits = (unsigned)all->bytes[n] << 16 | (left > 1 ? (unsigned)all->bytes[n + 1] << 8 : 0) |
                          (left > 2 ? all->bytes[n + 2] : 0u);
    for (size_t k = 0; k < 4; k++)
      *to++ = k <= left ? letters[bits >> (18 - 6 * k) & 63] : '=';
  }
  *to++ = '<';
  expect_has(name, text, (size_t)(to - text), what);
}

static long corners[TRIANGLES][3];
static trace_row *trace;

/* Each cell of the grid has two triangles of its corners. */
static void expect_triangles_of_the_grid(void) {
  static int found[CLOTH_POINTS];
  memset(found, 0, sizeof found);
  for (int t = 0; t < TRIANGLES; t++) {
    long column = COLUMNS, row = ROWS;
    for (int c = 0; c < 3; c++) {
      cr_assert(corners[t][c] >= 0 && corners[t][c] < CLOTH_POINTS);
      column = corners[t][c] % COLUMNS < column ? corners[t][c] % COLUMNS : column;
      row = corners[t][c] / COLUMNS < row ? corners[t][c] / COLUMNS : row;
    }
    for (int c = 0; c < 3; c++)
      cr_assert(corners[t][c] % COLUMNS <= column + 1 && corners[t][c] / COLUMNS <= row + 1);
    found[row * COLUMNS + column]++;
  }
  for (int n = 0; n < CLOTH_POINTS; n++)
    cr_assert_eq(found[n], n % COLUMNS < COLUMNS - 1 && n / COLUMNS < ROWS - 1 ? 2 : 0, "cell %d", n);
}

/* Reads the triangles from the text, in the order of which other formats have them. */
static void begin(const char *format) {
  write_file("long.json", scene, strlen(scene));
  command_result result = msd("run long.json --duration 0 --trace t.csv --export out --format %s", format);
  cr_assert_eq(result.status, 0, "%s", result.err);
  int count;
  trace = read_trace("t.csv", &count);
  cr_assert_eq(count, POINTS);
  result = msd("run long.json --duration 0 --export text --format obj");
  cr_assert_eq(result.status, 0, "%s", result.err);
  int points = 0, triangles = 0, lines = 0;
  for (char *line = strtok(read_text("text/long_000000.obj"), "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    double x[3];
    long a, b, c;
    if (sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3) {
      for (int k = 0; k < 3; k++)
        cr_assert_eq((msd_real)x[k], (msd_real)trace[points].x[k], "vertex %d", points);
      points++;
    } else if (sscanf(line, "f %ld %ld %ld", &a, &b, &c) == 3) {
      cr_assert_lt(triangles, TRIANGLES);
      memcpy(corners[triangles++], (long[3]){a - 1, b - 1, c - 1}, sizeof *corners);
    } else if (sscanf(line, "l %ld %ld", &a, &b) == 2) {
      cr_assert(a == CLOTH_POINTS + lines + 1 && b == a + 1, "line %d", lines);
      lines++;
    }
  }
  cr_assert(points == POINTS && triangles == TRIANGLES && lines == LINES);
  expect_triangles_of_the_grid();
}

static wanted *positions(bool is_big, bool with_velocities) {
  wanted *w = wanted_of(is_big);
  for (int i = 0; i < POINTS; i++) {
    for (int c = 0; c < 3; c++)
      want_real(w, trace[i].x[c]);
    for (int c = 0; with_velocities && c < 3; c++)
      want_real(w, trace[i].v[c]);
  }
  return w;
}

/* The number of corners is in front of each, of so many bytes. */
static wanted *triangles_of(bool is_big, int front) {
  wanted *w = wanted_of(is_big);
  for (int t = 0; t < TRIANGLES; t++) {
    want(w, 3, front);
    for (int c = 0; c < 3; c++)
      want(w, (uint64_t)corners[t][c], 4);
  }
  return w;
}

Test(long_export, all_vertices_and_triangles_are_in_ply) {
  begin("ply");
  const wanted *x = positions(false, true), *t = triangles_of(false, 1);
  expect_has("out/long_000000.ply", x->bytes, x->count, "vertices");
  expect_has("out/long_000000.ply", t->bytes, t->count, "faces");
}

Test(long_export, all_points_and_cells_are_in_vtk) {
  begin("vtk");
  const wanted *x = positions(true, false), *t = triangles_of(true, 4);
  expect_has("out/long_000000.vtk", x->bytes, x->count, "points");
  expect_has("out/long_000000.vtk", t->bytes, t->count, "polygons");
}

Test(long_export, all_points_are_in_a_point_cache) {
  begin("pc2");
  wanted *x = wanted_of(false);
  for (int i = 0; i < POINTS; i++)
    for (int c = 0; c < 3; c++) {
      const float single = (float)trace[i].x[c];
      uint32_t bits;
      memcpy(&bits, &single, sizeof bits);
      want(x, bits, 4);
    }
  expect_has("out/long.pc2", x->bytes, x->count, "points");
}

/* Connectivity goes from triangles to lines in the middle of a block. */
Test(long_export, all_points_and_cells_are_in_vtu) {
  begin("vtu");
  expect_has_array("out/long_000000.vtu", positions(false, false), "points");
  wanted *cells = triangles_of(false, 0), *offsets = wanted_of(false), *types = wanted_of(false);
  for (int n = 0; n < TRIANGLES + LINES; n++) {
    want(offsets, (uint64_t)(n < TRIANGLES ? 3 * (n + 1) : 3 * TRIANGLES + 2 * (n + 1 - TRIANGLES)), 8);
    want(types, n < TRIANGLES ? 5 : 3, 1);
  }
  for (int n = 0; n < LINES; n++) {
    want(cells, (uint64_t)(CLOTH_POINTS + n), 4);
    want(cells, (uint64_t)(CLOTH_POINTS + n + 1), 4);
  }
  expect_has_array("out/long_000000.vtu", cells, "connectivity");
  expect_has_array("out/long_000000.vtu", offsets, "offsets");
  expect_has_array("out/long_000000.vtu", types, "types");
}

/* ------------------------------------------------------------------------------------------------- threads */

/* As many triangles and lines as several threads write at once. */
static void write_large_scene(const char *name) {
  static const char text[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"name\": \"c\", \"origin\": [0.1, 1, 0], \"u\": "
      "[0.7, 0, 0.3], \"v\": [0, 0.9, 0.1], \"columns\": 161, \"rows\": 151, \"stretch\": {\"stiffness\": "
      "100}}, {\"type\": \"rope\", \"name\": \"r\", \"from\": [2, 1, 0], \"to\": [3, 1.5, 0.2], "
      "\"particles\": 30001, \"stretch\": {\"stiffness\": 100}}]}";
  write_file(name, text, strlen(text));
}

/* Two frames; with a trace where one is asked for, whose rows are the same with any format. */
static command_result export_large(int threads, const char *format, bool traces) {
  const char *traced = traces ? format_text("--trace t%d.csv", threads) : "";
  return msd("run large.json --frame-time 0.001 --substeps 1 --duration 0.001 --threads %d %s --export out%d "
             "--format %s",
             threads, traced, threads, format);
}

static bool are_alike(const char *compare, const char *first, const char *other) {
  return system(format_text("cd '%s' && %s %s %s", command_folder, compare, first, other)) == 0;
}

Test(long_export, files_have_the_same_bytes_on_any_number_of_threads) {
  static const char *const formats[] = {"obj", "ply", "vtk", "vtu", "pc2", "usda", "glb"};
  write_large_scene("large.json");
  for (size_t n = 0; n < sizeof formats / sizeof *formats; n++)
    for (int threads = 1; threads <= 5; threads += 2) {
      const command_result result = export_large(threads, formats[n], n == 0);
      cr_assert_eq(result.status, 0, "%s", result.err);
      cr_assert(are_alike("diff -r", "out1", format_text("out%d", threads)), "%s on %d threads", formats[n],
                threads);
      cr_assert(n > 0 || are_alike("cmp", "t1.csv", format_text("t%d.csv", threads)), "%d threads", threads);
    }
}

/* Files of half a MB at most. */
Test(long_export, a_full_disk_leaves_nothing_that_threads_have_half_written) {
  static const char *const formats[] = {"obj", "vtu"};
  write_large_scene("large.json");
  for (size_t n = 0; n < sizeof formats / sizeof *formats; n++) {
    const int status = system(format_text("cd '%s' && (trap '' XFSZ; ulimit -f 1000; '%s' run large.json "
                                          "--threads 4 --duration 0 --export out --format "
                                          "%s >.out 2>.err)",
                                          command_folder, MSD_COMMAND, formats[n]));
    cr_expect_eq(exit_status(status), 3);
    cr_expect_not_null(strstr(read_text(".err"), "cannot be written (File too large)"), "%s",
                       read_text(".err"));
    cr_expect_not(exists(format_text("out/large_000000.%s", formats[n])));
    cr_expect_not(exists(format_text("out/large_000000.%s.part", formats[n])));
  }
}
