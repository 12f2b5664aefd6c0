/* msd run --export: every format is read back by a small parser of its own and compared with the trace. */
#include "tests/support/command.h"

#include <dirent.h>
#include <stdint.h>

TestSuite(export, .init = command_setup, .fini = command_teardown);

/* MIXED: a cloth of 4 x 3 is 6 cells of 2 triangles; a rope of 3 stretch springs (bend springs are not
   shown) and a joint are lines; a ball is a loose point. */
enum { POINTS = 17, TRIANGLES = 12, LINES = 4, FRAMES = 17 };

typedef struct shape {
  double x[POINTS][3], v[POINTS][3];
  int points, triangles, lines, loose;
  bool used[POINTS];
  double time;
} shape;

static trace_row *trace;

static void export_mixed(const char *format, const char *more) {
  command_result result = msd("run mixed.json --trace t.csv --export out --format %s %s", format, more);
  cr_assert_eq(result.status, 0, "%s", result.err);
  int count;
  trace = read_trace("t.csv", &count);
}

/* What the formats print of a number of the world is the number; `single` allows for floats of a double. */
static void expect_positions(const shape *s, int frame, bool single) {
  cr_assert_eq(s->points, POINTS);
  for (int i = 0; i < POINTS; i++) {
    for (int c = 0; c < 3; c++) {
      double wanted = trace[frame * POINTS + i].x[c];
      cr_expect_eq((msd_real)s->x[i][c], single ? (msd_real)(float)wanted : (msd_real)wanted,
                   "particle %d of frame %d", i, frame);
    }
  }
}

static void expect_velocities(const shape *s, int frame) {
  for (int i = 0; i < POINTS; i++) {
    for (int c = 0; c < 3; c++)
      cr_expect_eq((msd_real)s->v[i][c], (msd_real)trace[frame * POINTS + i].v[c]);
  }
}

static void use(shape *s, long point) {
  cr_assert(point >= 0 && point < POINTS, "point %ld", point);
  s->used[point] = true;
}

static shape read_obj(const char *name) {
  shape s = {.points = 0};
  char *text = read_text(name);
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    long a, b, c;
    if (line[0] == 'v') {
      cr_assert_lt(s.points, POINTS);
      double *x = s.x[s.points++];
      cr_assert_eq(sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]), 3);
    } else if (sscanf(line, "f %ld %ld %ld", &a, &b, &c) == 3) {
      use(&s, a - 1);
      use(&s, b - 1);
      use(&s, c - 1);
      s.triangles++;
    } else if (sscanf(line, "l %ld %ld", &a, &b) == 2) {
      use(&s, a - 1);
      use(&s, b - 1);
      s.lines++;
    } else if (sscanf(line, "p %ld", &a) == 1) {
      use(&s, a - 1);
      s.loose++;
    } else {
      cr_assert(line[0] == '#' || line[0] == 'g', "line '%s'", line);
    }
  }
  return s;
}

static void expect_mixed(const shape *s) {
  cr_expect_eq(s->triangles, TRIANGLES);
  cr_expect_eq(s->lines, LINES);
}

static void expect_all_used(const shape *s) {
  for (int i = 0; i < POINTS; i++)
    cr_expect(s->used[i], "particle %d belongs to nothing", i);
}

Test(export, obj_has_the_positions_of_every_frame) {
  export_mixed("obj", "");
  for (int frame = 0; frame < FRAMES; frame++) {
    shape s = read_obj(format_text("out/mixed_%06d.obj", frame));
    expect_positions(&s, frame, false);
    expect_mixed(&s);
    cr_expect_eq(s.loose, 1);
    expect_all_used(&s);
  }
  cr_expect_not(exists(format_text("out/mixed_%06d.obj", FRAMES)));
}

/* Tethers would fan out from the pins, bend springs run over the others: 4 lines of 5 particles. */
Test(export, tethers_and_bend_springs_are_not_exported) {
  static const char tied[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"rope\", \"name\": \"r\", \"particles\": 5, "
      "\"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 100}, \"bend\": {\"stiffness\": 1}, "
      "\"tethers\": {}}]}";
  write_file("tied.json", tied, strlen(tied));
  command_result result = msd("run tied.json --duration 0 --export out --format obj --json");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_eq(number_of(parse_json(result.out), "springs"), 4 + 3 + 4);
  const char *text = read_text("out/tied_000000.obj");
  int lines = 0;
  for (const char *at = strstr(text, "\nl "); at != NULL; at = strstr(at + 1, "\nl "))
    lines++;
  cr_expect_eq(lines, 4);
}

Test(export, groups_of_obj_are_single_words) {
  export_mixed("obj", "");
  cr_expect_not_null(strstr(read_text("out/mixed_000000.obj"), "\ng table_cloth\n"));
}

Test(export, files_are_numbered_in_a_row_when_frames_are_left_out) {
  export_mixed("obj", "--every 5");
  /* Frames 0, 5, 10, 15: the trace has the same. */
  for (int index = 0; index < 4; index++) {
    shape s = read_obj(format_text("out/mixed_%06d.obj", index));
    expect_positions(&s, index, false);
  }
  cr_expect_not(exists("out/mixed_000004.obj"));
}

/* Numbers of a binary file in the byte order that its format states. */
static uint64_t take(const unsigned char **at, int bytes, bool big) {
  uint64_t bits = 0;
  for (int i = 0; i < bytes; i++)
    bits |= (uint64_t)(*at)[i] << (8 * (big ? bytes - 1 - i : i));
  *at += bytes;
  return bits;
}

static double take_float(const unsigned char **at, bool big) {
  uint32_t bits = (uint32_t)take(at, 4, big);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static double take_double(const unsigned char **at, bool big) {
  uint64_t bits = take(at, 8, big);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double take_real(const unsigned char **at, bool big) {
  return sizeof(msd_real) == 8 ? take_double(at, big) : take_float(at, big);
}

static const char *real_name(void) {
  return sizeof(msd_real) == 8 ? "double" : "float";
}

static shape read_ply(const char *name) {
  shape s = {.points = 0};
  size_t size;
  char *file = read_bytes(name, &size);
  const char *end = strstr(file, "end_header\n");
  cr_assert_not_null(end);
  cr_assert_eq(strncmp(file, "ply\nformat binary_little_endian 1.0\n", 36), 0);
  cr_assert_not_null(strstr(file, format_text("property %s x\n", real_name())));
  cr_assert_eq(sscanf(strstr(file, "element vertex"), "element vertex %d", &s.points), 1);
  cr_assert_eq(sscanf(strstr(file, "element face"), "element face %d", &s.triangles), 1);
  const char *edges = strstr(file, "element edge");
  if (edges != NULL && edges < end)
    cr_assert_eq(sscanf(edges, "element edge %d", &s.lines), 1);
  cr_assert_eq(s.points, POINTS);
  const unsigned char *at = (const unsigned char *)end + strlen("end_header\n");
  for (int i = 0; i < s.points; i++) {
    for (int c = 0; c < 3; c++)
      s.x[i][c] = take_real(&at, false);
    for (int c = 0; c < 3; c++)
      s.v[i][c] = take_real(&at, false);
  }
  for (int i = 0; i < s.triangles; i++) {
    cr_assert_eq(take(&at, 1, false), 3);
    for (int c = 0; c < 3; c++)
      use(&s, (long)take(&at, 4, false));
  }
  for (int i = 0; i < 2 * s.lines; i++)
    use(&s, (long)take(&at, 4, false));
  cr_expect_eq((size_t)(at - (const unsigned char *)file), size, "bytes left over");
  return s;
}

Test(export, ply_has_positions_and_velocities_of_every_frame) {
  export_mixed("ply", "--edges");
  for (int frame = 0; frame < FRAMES; frame++) {
    shape s = read_ply(format_text("out/mixed_%06d.ply", frame));
    expect_positions(&s, frame, false);
    expect_velocities(&s, frame);
    expect_mixed(&s);
  }
}

/* meshio and others refuse a file with an element that they do not know. */
Test(export, ply_has_edges_only_when_asked) {
  export_mixed("ply", "");
  shape s = read_ply("out/mixed_000001.ply");
  expect_positions(&s, 1, false);
  cr_expect_eq(s.triangles, TRIANGLES);
  cr_expect_eq(s.lines, 0);
  expect_refused(msd("run mixed.json --export out --format obj --edges"), 2, "--format ply");
}

/* Goes past "KEYWORD number number...\n", and returns the first number. */
static long take_line(const unsigned char **at, const char *format) {
  long first = 0, second = 0;
  const char *line = (const char *)*at;
  cr_assert_geq(sscanf(line, format, &first, &second), strchr(format, '%') != NULL ? 1 : 0, "at '%.40s'",
                line);
  cr_assert_eq(strncmp(line, format, strcspn(format, "%")), 0, "'%.40s' is not '%s'", line, format);
  *at = (const unsigned char *)strchr(line, '\n') + 1;
  return first;
}

static int take_cells(const unsigned char **at, const char *format, int corners, shape *s) {
  int count = (int)take_line(at, format);
  for (int i = 0; i < count; i++) {
    cr_assert_eq((int)take(at, 4, true), corners);
    for (int c = 0; c < corners; c++)
      use(s, (long)take(at, 4, true));
  }
  cr_assert_eq(take(at, 1, true), '\n');
  return count;
}

static shape read_vtk(const char *name) {
  shape s = {.points = 0};
  size_t size;
  char *file = read_bytes(name, &size);
  const unsigned char *at = (const unsigned char *)file;
  take_line(&at, "# vtk DataFile Version 3.0");
  at = (const unsigned char *)strchr((const char *)at, '\n') + 1;
  take_line(&at, "BINARY");
  take_line(&at, "DATASET POLYDATA");
  take_line(&at, "FIELD FieldData %ld");
  take_line(&at, "TIME %ld");
  s.time = take_double(&at, true);
  at++;
  cr_assert_not_null(strstr((const char *)at, real_name()));
  s.points = (int)take_line(&at, "POINTS %ld");
  cr_assert_eq(s.points, POINTS);
  for (int i = 0; i < s.points; i++) {
    for (int c = 0; c < 3; c++)
      s.x[i][c] = take_real(&at, true);
  }
  at++;
  s.loose = take_cells(&at, "VERTICES %ld %ld", 1, &s);
  s.lines = take_cells(&at, "LINES %ld %ld", 2, &s);
  s.triangles = take_cells(&at, "POLYGONS %ld %ld", 3, &s);
  cr_assert_eq(take_line(&at, "POINT_DATA %ld"), POINTS);
  take_line(&at, "VECTORS velocity");
  for (int i = 0; i < s.points; i++) {
    for (int c = 0; c < 3; c++)
      s.v[i][c] = take_real(&at, true);
  }
  at++;
  cr_expect_eq((size_t)(at - (const unsigned char *)file), size, "bytes left over");
  return s;
}

Test(export, vtk_has_positions_velocities_and_time_of_every_frame) {
  export_mixed("vtk", "");
  for (int frame = 0; frame < FRAMES; frame++) {
    shape s = read_vtk(format_text("out/mixed_%06d.vtk", frame));
    expect_positions(&s, frame, false);
    expect_velocities(&s, frame);
    expect_mixed(&s);
    cr_expect_eq(s.loose, 1);
    expect_all_used(&s);
    cr_expect_eq(s.time, frame / 64.0);
  }
}

Test(export, vtk_series_lists_the_files_with_their_times) {
  export_mixed("vtk", "--every 3");
  json_t *series = parse_json(read_text("out/mixed.vtk.series"));
  cr_expect_str_eq(text_of(series, "file-series-version"), "1.0");
  json_t *files = json_object_get(series, "files");
  cr_assert_eq(json_array_size(files), 6);
  for (size_t i = 0; i < 6; i++) {
    const json_t *file = json_array_get(files, i);
    cr_expect_eq(number_of(file, "time"), 3 * (double)i / 64);
    cr_expect(exists(format_text("out/%s", text_of(file, "name"))));
  }
}

/* The bytes of an array of a VTU file after the number of them that it begins with. */
static const unsigned char *take_array(const char *file, const char *name, size_t bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strstr(file, format_text("Name=\"%s\"", name));
  cr_assert_not_null(at, "no array %s", name);
  at = strstr(at, "format=\"binary\">");
  cr_assert_not_null(at);
  at += strlen("format=\"binary\">");
  const size_t length = strcspn(at, "<");
  cr_assert_eq(length, (bytes + 8 + 2) / 3 * 4, "array %s has %zu letters", name, length);
  unsigned char *decoded = take_memory(length);
  for (size_t i = 0; i < length; i++) {
    const unsigned bits = at[i] == '=' ? 0 : (unsigned)(strchr(letters, at[i]) - letters);
    const size_t first = i * 6 / 8, shift = i * 6 % 8;
    decoded[first] |= (unsigned char)(shift <= 2 ? bits << (2 - shift) : bits >> (shift - 2));
    if (shift > 2 && first + 1 < length)
      decoded[first + 1] |= (unsigned char)(bits << (10 - shift));
  }
  const unsigned char *start = decoded;
  cr_assert_eq(take(&start, 8, false), bytes, "array %s", name);
  return start;
}

static void take_vectors(const char *file, const char *name, double x[POINTS][3]) {
  const unsigned char *at = take_array(file, name, 3 * POINTS * sizeof(msd_real));
  for (int i = 0; i < POINTS; i++)
    for (int c = 0; c < 3; c++)
      x[i][c] = take_real(&at, false);
}

static shape read_vtu(const char *name) {
  const char *file = read_text(name);
  shape s = {.points = POINTS};
  int points, cells;
  const char *piece = strstr(file, "<Piece ");
  cr_assert_not_null(piece);
  cr_assert_eq(sscanf(piece, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">", &points, &cells), 2);
  cr_assert_eq(points, POINTS);
  take_vectors(file, "Points", s.x);
  take_vectors(file, "velocity", s.v);
  const unsigned char *time = take_array(file, "TimeValue", 8);
  s.time = take_double(&time, false);
  const unsigned char *types = take_array(file, "types", (size_t)cells),
                      *offsets = take_array(file, "offsets", 8 * (size_t)cells),
                      *bodies = take_array(file, "body", 4 * (size_t)cells);
  const unsigned char *corners =
      take_array(file, "connectivity", 4 * (3 * TRIANGLES + 2 * LINES + (size_t)cells - TRIANGLES - LINES));
  uint64_t end = 0;
  for (int i = 0; i < cells; i++) {
    const int type = types[i], count = type == 5 ? 3 : type == 3 ? 2 : 1;
    s.triangles += type == 5;
    s.lines += type == 3;
    s.loose += type == 1;
    end += (uint64_t)count;
    cr_assert_eq(take(&offsets, 8, false), end);
    const uint64_t body = take(&bodies, 4, false);
    for (int c = 0; c < count; c++) {
      const long point = (long)take(&corners, 4, false);
      use(&s, point);
      cr_expect_eq(body == 3    ? 1
                   : point < 12 ? body == 0
                   : point < 16 ? body == 1
                                : body == 2,
                   1, "point %ld in body %d", point, (int)body);
    }
  }
  return s;
}

Test(export, vtu_has_positions_velocities_bodies_and_time_of_every_frame) {
  export_mixed("vtu", "");
  for (int frame = 0; frame < FRAMES; frame++) {
    shape s = read_vtu(format_text("out/mixed_%06d.vtu", frame));
    expect_positions(&s, frame, false);
    expect_velocities(&s, frame);
    expect_mixed(&s);
    cr_expect_eq(s.loose, 1);
    expect_all_used(&s);
    cr_expect_eq(s.time, frame / 64.0);
  }
}

Test(export, pvd_lists_the_files_with_their_times) {
  const char *name = "a<b & \"c\".json";
  write_file(name, BALL, strlen(BALL));
  cr_assert_eq(msd("run '%s' --export out --format vtu --every 32", name).status, 0);
  const char *list = read_text("out/a<b & \"c\".pvd");
  const char *at = list;
  for (int i = 0; i < 3; i++) {
    at = strstr(at, format_text("timestep=\"%g\" group=\"\" part=\"0\" "
                                "file=\"a&#60;b &#38; &#34;c&#34;_%06d.vtu\"",
                                i / 2.0, i));
    cr_assert_not_null(at, "file %d in %s", i, list);
  }
}

/* A line break in the name of a file ends no line of a format. */
Test(export, names_do_not_break_the_lines_of_a_format) {
  write_file("a\nb.json", BALL, strlen(BALL));
  cr_assert_eq(msd("run 'a\nb.json' --duration 0 --export out --format ply").status, 0);
  cr_expect_not_null(strstr(read_text("out/a\nb_000000.ply"), "comment a_b, msd"));
}

/* Blender's Mesh Cache wants this header, then every sample. */
static int read_pc2_from(const char *name, int first, shape samples[FRAMES]) {
  size_t size;
  char *file = read_bytes(name, &size);
  cr_assert_geq(size, 32);
  cr_assert_eq(memcmp(file, "POINTCACHE2", 12), 0);
  const unsigned char *at = (const unsigned char *)file + 12;
  cr_expect_eq(take(&at, 4, false), 1);
  cr_assert_eq(take(&at, 4, false), POINTS);
  cr_expect_eq(take_float(&at, false), first, "the frame of the first sample");
  cr_expect_eq(take_float(&at, false), 1);
  int count = (int)take(&at, 4, false);
  cr_assert_leq(count, FRAMES);
  cr_assert_eq(size, 32 + (size_t)count * POINTS * 12);
  for (int k = 0; k < count; k++) {
    samples[k].points = POINTS;
    for (int i = 0; i < POINTS; i++) {
      for (int c = 0; c < 3; c++)
        samples[k].x[i][c] = take_float(&at, false);
    }
  }
  return count;
}

static int read_pc2(const char *name, shape samples[FRAMES]) {
  return read_pc2_from(name, 0, samples);
}

Test(export, pc2_has_the_positions_of_every_frame_and_the_mesh_they_move) {
  export_mixed("pc2", "");
  static shape samples[FRAMES];
  cr_assert_eq(read_pc2("out/mixed.pc2", samples), FRAMES);
  for (int frame = 0; frame < FRAMES; frame++)
    expect_positions(&samples[frame], frame, true);
  shape mesh = read_obj("out/mixed.obj");
  expect_positions(&mesh, 0, false);
  expect_mixed(&mesh);
  expect_all_used(&mesh);
}

Test(export, a_resumed_run_completes_the_point_cache) {
  export_mixed("pc2", "");
  size_t size, resumed_size;
  char *whole = read_bytes("out/mixed.pc2", &size);
  cr_assert_eq(msd("run mixed.json --duration 0.125 --save c --export two --format pc2").status, 0);
  command_result result = msd("run mixed.json --resume c --duration 0.25 --export two --format pc2");
  cr_assert_eq(result.status, 0, "%s", result.err);
  char *resumed = read_bytes("two/mixed.pc2", &resumed_size);
  cr_assert_eq(resumed_size, size);
  cr_expect_eq(memcmp(resumed, whole, size), 0);
}

/* The checkpoint is of frame 8, so the first sample is frame 9; and such a cache has no place for a run that
   was saved in frame 8 again, though it is long enough. */
Test(export, a_point_cache_that_begins_with_a_resumed_run_says_so) {
  export_mixed("pc2", "");
  cr_assert_eq(msd("run mixed.json --duration 0.125 --save c").status, 0);
  cr_assert_eq(msd("run mixed.json --resume c --duration 0.25 --export new --format pc2").status, 0);
  static shape samples[FRAMES];
  cr_assert_eq(read_pc2_from("new/mixed.pc2", 9, samples), 8);
  expect_positions(&samples[0], 9, true);
  expect_positions(&samples[7], 16, true);
  expect_refused(msd("run mixed.json --duration 0.5 --resume c --export new --format pc2"), 2, "first frame");
}

Test(export, a_resumed_run_continues_numbers_and_series) {
  cr_assert_eq(msd("run mixed.json --duration 0.125 --save c --export out --format vtk").status, 0);
  cr_assert_eq(
      msd("run mixed.json --resume c --duration 0.25 --export out --format vtk --trace t.csv").status, 0);
  cr_expect_eq(json_array_size(json_object_get(parse_json(read_text("out/mixed.vtk.series")), "files")),
               FRAMES);
  shape last = read_vtk(format_text("out/mixed_%06d.vtk", FRAMES - 1));
  cr_expect_eq(last.time, 0.25);
}

Test(export, divergence_leaves_complete_files) {
  cr_assert_eq(msd("run bomb.json --export out --format vtk").status, 1);
  json_t *files = json_object_get(parse_json(read_text("out/bomb.vtk.series")), "files");
  cr_expect_gt(json_array_size(files), 0);
  cr_expect_not(exists(format_text("out/bomb_%06d.vtk", (int)json_array_size(files))));
  DIR *folder = opendir(in_folder("out"));
  cr_assert_not_null(folder);
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    cr_expect_null(strstr(entry->d_name, ".part"), "%s", entry->d_name);
  closedir(folder);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
    count++;
  return count;
}

/* Three cells between pins, of which the last is torn along its rows. */
Test(export, triangles_with_a_torn_edge_are_left_out) {
  static const char torn[] =
      "{\"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 4, \"duration\": 0.125, \"bodies\": [{\"type\": "
      "\"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 2, \"pinned\": [\"top\", \"bottom\"], "
      "\"stretch\": {\"stiffness\": 10, \"tear_strain\": 0.5}}], "
      "\"animation\": [{\"particles\": [\"c\", \"right\"], \"keyframes\": [{\"time\": 0, \"offset\": [0, 0, "
      "0]}, "
      "{\"time\": 0.0625, \"offset\": [2, 0, 0]}]}]}";
  write_file("torn.json", torn, strlen(torn));
  static const char *const formats[] = {"obj", "ply"};
  for (int n = 0; n < 2; n++) {
    command_result result = msd("run torn.json --export out --format %s", formats[n]);
    cr_assert_eq(result.status, 0, "%s", result.err);
    const char *first = read_text(format_text("out/torn_000000.%s", formats[n]));
    cr_expect_eq(count_of(first, n == 0 ? "\nf " : "element face 6"), n == 0 ? 6 : 1);
    const char *last = read_text(format_text("out/torn_000008.%s", formats[n]));
    cr_expect_eq(count_of(last, n == 0 ? "\nf " : "element face 4"), n == 0 ? 4 : 1);
  }
}

/* A sheet between pins, of which particles split: all triangles stay, and there are more points. */
Test(export, points_follow_where_particles_split) {
  static const char torn[] =
      "{\"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 16, \"duration\": 0.5, \"bodies\": [{\"type\": "
      "\"cloth\", \"name\": \"c\", \"columns\": 8, \"rows\": 3, \"pinned\": [\"left\", \"right\"], "
      "\"stretch\": {\"stiffness\": 500, \"damping\": 0.5, \"tear_strain\": 0.5, \"split\": true}}], "
      "\"animation\": [{\"particles\": [\"c\", \"right\"], \"keyframes\": [{\"time\": 0, \"offset\": [0, 0, "
      "0]}, "
      "{\"time\": 0.5, \"offset\": [0.6, 0, 0]}]}]}";
  write_file("torn.json", torn, strlen(torn));
  const json_t *summary = parse_json(msd("run torn.json --export out --format obj --json").out);
  const int split = (int)json_integer_value(json_object_get(summary, "split"));
  cr_assert_gt(split, 0);
  const char *first = read_text("out/torn_000000.obj");
  cr_expect(count_of(first, "\nf ") == 28 && count_of(first, "\nv ") == 24);
  const char *last = read_text("out/torn_000032.obj");
  cr_expect_eq(count_of(last, "\nv "), 24 + split);
  cr_expect_eq(count_of(last, "\nf "), 28);
  for (int n = 0; n < 2; n++) {
    const char *formats[] = {"ply", "vtk"};
    cr_expect_eq(msd("run torn.json --export out --format %s", formats[n]).status, 0);
  }
  cr_assert_eq(msd("run torn.json --export out --format pc2").status, 0);
  size_t size;
  read_bytes("out/torn.pc2", &size);
  cr_expect_eq(size, 32 + 33 * 24 * 12, "a point cache has one mesh");
}
