/* Texture coordinates and normals of meshes, from their files through a run into what it exports. */
#include "tests/support/command.h"

#include <math.h>

static void setup(void);
TestSuite(attributes, .init = setup, .fini = command_teardown);

/* A unit cube whose six faces share four texture coordinates, so that all of its edges are seams, and have a
   normal each, so that all are sharp. */
enum { CUBE_POINTS = 8, QUADS = 6, ROPE_POINTS = 3, POINTS = ROPE_POINTS + CUBE_POINTS, TRIANGLES = 12 };
static const int quads[QUADS][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
static const char *const texture[4] = {"0 0", "1 0.25", "0.123456789012345 1", "0.1 -3"};

static const char CUBE_TOP[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "vn 0 0 -1\nvn 0 0 1\nvn 0 -1 0\nvn 1 0 0\nvn 0 1 0\nvn -1 0 0\n";

/* The rope comes first, so that points of the file and particles differ. */
static const char BOXES[] = "{\"msd\": 1, \"frame_time\": 0.015625, \"duration\": 0.25, \"bodies\": "
                            "[{\"type\": \"rope\", \"particles\": 3, "
                            "\"stretch\": {\"stiffness\": 100, \"damping\": 1}}, {\"type\": \"mesh\", "
                            "\"name\": \"box\", \"file\": \"%s\", "
                            "\"rotation\": [20, 30, 40], \"velocity\": [1, 0, 0], \"pinned\": [0, 2], "
                            "\"stretch\": {\"stiffness\": 50, "
                            "\"damping\": 0.1}}]}";

static void write_scene(const char *name, const char *mesh) {
  const char *scene = format_text(BOXES, mesh);
  write_file(name, scene, strlen(scene));
}

static void setup(void) {
  command_setup();
  char text[2000];
  size_t used = (size_t)snprintf(text, sizeof text, "%s", CUBE_TOP);
  for (int t = 0; t < 4; t++)
    used += (size_t)snprintf(text + used, sizeof text - used, "vt %s\n", texture[t]);
  for (int q = 0; q < QUADS; q++)
    for (int k = 0; k < 4; k++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%d/%d/%d%s", k == 0 ? "f " : " ",
                               quads[q][k] + 1, k + 1, q + 1, k == 3 ? "\n" : "");
  write_file("cube.obj", text, used);
  write_scene("box.json", "cube.obj");
  /* The same corners with one pair of coordinates for each vertex, and no edge that is sharp. */
  static const char sheet[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float "
                              "y\nproperty float z\nproperty float "
                              "nx\nproperty float ny\nproperty float nz\nproperty float u\nproperty float "
                              "v\nelement face 2\nproperty list "
                              "uchar int vertex_indices\nend_header\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 0.5 0\n1 1 "
                              "0 0 0 1 0.5 0.25\n0 1 0 0 0 1 "
                              "0 0.25\n3 0 1 2\n3 0 2 3\n";
  write_file("sheet.ply", sheet, sizeof sheet - 1);
  write_scene("sheet.json", "sheet.ply");
}

/* ----------------------------------------------------------------------------------- what is exported */

typedef struct vector {
  double x[3];
} vector;

static vector cross(vector a, vector b, vector c) {
  vector n;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n.x[i] = (b.x[j] - a.x[j]) * (c.x[k] - a.x[k]) - (b.x[k] - a.x[k]) * (c.x[j] - a.x[j]);
  }
  return n;
}

static double dot(vector a, vector b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

typedef struct mesh {
  /* One more than there are, for the lines that follow. */
  vector points[POINTS + 1], normals[64];
  double texture[8][2];
  int corners[TRIANGLES][3], texture_of[TRIANGLES][3], normal_of[TRIANGLES][3];
  int point_count, normal_count, texture_count, triangle_count;
} mesh;

static void read_face(mesh *m, const char *line) {
  int n = m->triangle_count++;
  cr_assert_lt(n, TRIANGLES);
  cr_assert_eq(sscanf(line, "f %d/%d/%d %d/%d/%d %d/%d/%d", &m->corners[n][0], &m->texture_of[n][0],
                      &m->normal_of[n][0], &m->corners[n][1], &m->texture_of[n][1], &m->normal_of[n][1],
                      &m->corners[n][2], &m->texture_of[n][2], &m->normal_of[n][2]),
               9, "%s", line);
  for (int c = 0; c < 3; c++) {
    cr_assert(--m->corners[n][c] >= ROPE_POINTS && m->corners[n][c] < m->point_count, "%s", line);
    cr_assert(--m->texture_of[n][c] >= 0 && m->texture_of[n][c] < m->texture_count, "%s", line);
    cr_assert(--m->normal_of[n][c] >= 0 && m->normal_of[n][c] < m->normal_count, "%s", line);
  }
}

static mesh read_obj(const char *name) {
  mesh m = {.point_count = 0};
  for (char *line = strtok(read_text(name), "\n"); line != NULL; line = strtok(NULL, "\n")) {
    double *x = m.points[m.point_count].x, *n = m.normals[m.normal_count].x, *t = m.texture[m.texture_count];
    if (strncmp(line, "v ", 2) == 0)
      m.point_count += sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3;
    else if (strncmp(line, "vn", 2) == 0)
      m.normal_count += sscanf(line, "vn %lf %lf %lf", &n[0], &n[1], &n[2]) == 3;
    else if (strncmp(line, "vt", 2) == 0)
      m.texture_count += sscanf(line, "vt %lf %lf", &t[0], &t[1]) == 2;
    else if (line[0] == 'f')
      read_face(&m, line);
  }
  return m;
}

/* The quad of the file that a triangle was cut from: its corner with texture k is corner k of the quad. */
static int quad_of(const mesh *m, int triangle) {
  for (int q = 0; q < QUADS; q++) {
    bool same = true;
    for (int c = 0; c < 3; c++)
      same = same && quads[q][m->texture_of[triangle][c]] == m->corners[triangle][c] - ROPE_POINTS;
    if (same)
      return q;
  }
  return -1;
}

/* The sum of the cross products of the triangles at a point: of one quad, or of all when it is -1. */
static vector normal_at(const mesh *m, int point, int quad) {
  vector sum = {{0, 0, 0}};
  for (int t = 0; t < m->triangle_count; t++) {
    const int *c = m->corners[t];
    const vector n = cross(m->points[c[0]], m->points[c[1]], m->points[c[2]]);
    const bool counts =
        (c[0] == point || c[1] == point || c[2] == point) && (quad < 0 || quad_of(m, t) == quad);
    for (int i = 0; counts && i < 3; i++)
      sum.x[i] += n.x[i];
  }
  const double length = sqrt(dot(sum, sum));
  for (int i = 0; i < 3; i++)
    sum.x[i] /= length;
  return sum;
}

static void expect_same(vector found, vector wanted, const char *what, int index) {
  for (int i = 0; i < 3; i++)
    cr_expect_float_eq(found.x[i], wanted.x[i], 2e-5, "%s %d: %g %g %g, not %g %g %g", what, index,
                       found.x[0], found.x[1], found.x[2], wanted.x[0], wanted.x[1], wanted.x[2]);
}

static void export(const char *scene, const char *format) {
  command_result result = msd("run %s --export out --format %s", scene, format);
  cr_assert_eq(result.status, 0, "%s", result.err);
}

/* ------------------------------------------------------------------------------------------------- OBJ */

Test(attributes, faces_of_obj_keep_their_own_texture_coordinates) {
  export("box.json", "obj");
  for (int frame = 0; frame <= 16; frame += 8) {
    const mesh m = read_obj(format_text("out/box_%06d.obj", frame));
    cr_assert_eq(m.texture_count, 4);
    for (int t = 0; t < 4; t++) {
      double u, v;
      cr_assert_eq(sscanf(texture[t], "%lf %lf", &u, &v), 2);
      cr_expect(m.texture[t][0] == u && m.texture[t][1] == v, "to the last digit");
    }
    cr_assert_eq(m.triangle_count, TRIANGLES);
    for (int t = 0; t < TRIANGLES; t++)
      cr_expect_geq(quad_of(&m, t), 0, "triangle %d has the texture of no face", t);
  }
  cr_expect_not_null(strstr(read_text("out/box_000000.obj"), "\nvt 0.1 -3\n"), "as a person writes it");
}

Test(attributes, normals_of_obj_are_those_of_the_present_shape_with_its_sharp_edges) {
  export("box.json", "obj");
  const mesh begin = read_obj("out/box_000000.obj");
  for (int frame = 0; frame <= 16; frame += 8) {
    const mesh m = read_obj(format_text("out/box_%06d.obj", frame));
    cr_assert_eq(m.normal_count, 4 * QUADS, "each corner of each face has its own");
    double turned = 0;
    for (int t = 0; t < TRIANGLES; t++)
      for (int c = 0; c < 3; c++) {
        const vector n = m.normals[m.normal_of[t][c]];
        expect_same(n, normal_at(&m, m.corners[t][c], quad_of(&m, t)), "triangle", t);
        turned = fmax(turned, 1 - dot(n, begin.normals[begin.normal_of[t][c]]));
      }
    cr_expect(frame == 0 ? turned < 1e-6 : turned > 1e-3, "frame %d: %g", frame, turned);
  }
}

/* What is written is what is read. */
Test(attributes, an_exported_obj_can_be_a_mesh_again) {
  export("box.json", "obj");
  static const char again[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"out/box_000016.obj\"}]}";
  write_file("again.json", again, sizeof again - 1);
  command_result result = msd("run again.json --duration 0 --export two");
  cr_assert_eq(result.status, 0, "%s", result.err);
  char *one = strstr(read_text("out/box_000016.obj"), "\nvt "),
       *two = strstr(read_text("two/again_000000.obj"), "\nvt ");
  cr_assert(one != NULL && two != NULL);
  /* The rope, which has no face, is gone: corners are three lower, and the rest is as it was. */
  for (int lines = 0; lines < 4 + 4 * QUADS; lines++) {
    const size_t length = strcspn(one + 1, "\n");
    cr_expect_eq(strncmp(one, two, length + 1), 0, "%.60s, not %.60s", two + 1, one + 1);
    one += length + 1;
    two += strcspn(two + 1, "\n") + 1;
  }
}

/* Its points move, and normals would stay behind. */
Test(attributes, the_mesh_of_a_point_cache_has_texture_coordinates_and_no_normals) {
  export("box.json", "pc2");
  const char *text = read_text("out/box.obj");
  cr_expect_null(strstr(text, "vn "));
  cr_expect_not_null(strstr(text, "\nvt 0 0\n"));
  cr_expect(strstr(text, "\nf 4/1 ") || strstr(text, " 4/1 "), "%s", text);
}

/* -------------------------------------------------------------------------------------- other formats */

/* A number of the precision of the world, in the byte order of the format. */
static double take_real(const unsigned char **at, bool big) {
  unsigned char bytes[sizeof(msd_real)];
  const uint16_t one = 1;
  const bool host_is_big = *(const unsigned char *)&one == 0;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (*at)[big == host_is_big ? i : sizeof bytes - 1 - i];
  *at += sizeof bytes;
  msd_real value;
  memcpy(&value, bytes, sizeof value);
  return (double)value;
}

static const char *real_name(void) {
  return sizeof(msd_real) == 8 ? "double" : "float";
}

static const unsigned char *find_after(const char *file, size_t size, const char *text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(file + i, text, length) == 0)
      return (const unsigned char *)file + i + length;
  return NULL;
}

/* The normals of all points, and their texture coordinates unless they are NULL. */
static void expect_points(const unsigned char *at, bool big, size_t skip, const mesh *m,
                          const double (*uv)[2]) {
  for (int i = 0; i < m->point_count; i++) {
    vector n;
    at += skip * sizeof(msd_real);
    for (int c = 0; c < 3; c++)
      n.x[c] = take_real(&at, big);
    expect_same(n, i < ROPE_POINTS ? (vector){{0, 0, 0}} : normal_at(m, i, -1), "point", i);
    for (int c = 0; uv && c < 2; c++) {
      const double found = take_real(&at, big);
      cr_expect_eq(found, i < ROPE_POINTS ? 0 : uv[i - ROPE_POINTS][c], "point %d has %g", i, found);
    }
  }
}

/* What stands in the PLY file of the last frame, and in its OBJ file. */
static mesh read_both(const char *name, const char *options, char **ply, size_t *size) {
  export(format_text("%s.json", name), "obj");
  export(format_text("%s.json", name), format_text("ply%s", options));
  *ply = read_bytes(format_text("out/%s_000016.ply", name), size);
  return read_obj(format_text("out/%s_000016.obj", name));
}

static const double sheet_texture[4][2] = {{0, 0}, {0.5, 0}, {0.5, 0.25}, {0, 0.25}};

Test(attributes, vertices_of_ply_have_normals_and_texture_coordinates) {
  size_t size;
  char *file;
  const mesh m = read_both("sheet", "", &file, &size);
  cr_expect_null(strstr(file, "texcoord"), "there is no seam");
  const unsigned char *at =
      find_after(file, size,
                 format_text("property %s nx\nproperty %s ny\nproperty %s nz\nproperty %s s\nproperty %s t\n",
                             real_name(), real_name(), real_name(), real_name(), real_name()));
  cr_assert_not_null(at);
  expect_points(find_after(file, size, "end_header\n"), false, 6, &m, sheet_texture);
  static const char again[] =
      "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"out/sheet_000016.ply\"}]}";
  write_file("again.json", again, sizeof again - 1);
  cr_assert_eq(msd("run again.json --duration 0 --export two").status, 0);
  const char *text = read_text("two/again_000000.obj");
  cr_expect_not_null(strstr(text, "vt 0.5 0.25\n"), "%s", text);
}

Test(attributes, faces_of_ply_have_the_texture_coordinates_of_their_corners_at_seams) {
  size_t size;
  char *file;
  const mesh m = read_both("box", " --seams", &file, &size);
  cr_expect_not_null(strstr(file, format_text("property list uchar %s texcoord\n", real_name())));
  cr_expect_null(strstr(file, format_text("property %s s\n", real_name())));
  const unsigned char *at = find_after(file, size, "end_header\n");
  expect_points(at, false, 6, &m, NULL);
  at += POINTS * 9 * sizeof(msd_real);
  for (int t = 0; t < TRIANGLES; t++) {
    cr_assert_eq(*at, 3);
    at += 1 + 3 * 4;
    cr_assert_eq(*at++, 6);
    for (int c = 0; c < 6; c++) {
      const double wanted = m.texture[m.texture_of[t][c / 2]][c % 2];
      cr_expect_eq(take_real(&at, false), (double)(msd_real)wanted);
    }
  }
  cr_expect_eq((size_t)(at - (const unsigned char *)file), size, "bytes left over");
}

Test(attributes, points_of_vtk_have_normals_and_texture_coordinates) {
  export("sheet.json", "obj");
  export("sheet.json", "vtk");
  const mesh m = read_obj("out/sheet_000016.obj");
  size_t size;
  const char *file = read_bytes("out/sheet_000016.vtk", &size);
  const unsigned char *at = find_after(file, size, format_text("\nNORMALS normals %s\n", real_name()));
  cr_assert_not_null(at);
  expect_points(at, true, 0, &m, NULL);
  at = find_after(file, size, format_text("\nTEXTURE_COORDINATES texture 2 %s\n", real_name()));
  cr_assert_not_null(at);
  for (int i = 0; i < m.point_count; i++)
    for (int c = 0; c < 2; c++)
      cr_expect_eq(take_real(&at, true), i < ROPE_POINTS ? 0 : sheet_texture[i - ROPE_POINTS][c]);
}

/* A point cannot have the two texture coordinates of a seam. */
Test(attributes, formats_of_points_leave_texture_coordinates_out_at_seams) {
  expect_refused(msd("run box.json --export out --format vtu --seams"), 2, "--format ply");
  export("box.json", "ply");
  export("box.json", "vtk");
  export("box.json", "vtu");
  const char *ply = read_text("out/box_000016.ply"); /* the header, which has no zero */
  cr_expect(!strstr(ply, "texcoord") && !strstr(ply, format_text("%s s\n", real_name())) &&
            strstr(ply, " nx\n"));
  size_t size;
  const char *vtk = read_bytes("out/box_000016.vtk", &size);
  cr_expect_null(find_after(vtk, size, "TEXTURE_COORDINATES"));
  cr_expect_not_null(find_after(vtk, size, "NORMALS"));
  const char *vtu = read_text("out/box_000016.vtu");
  cr_expect_not_null(strstr(vtu, "<PointData Normals=\"normals\">\n"));
  cr_expect_null(strstr(vtu, "texture"));
}

Test(attributes, points_of_vtu_have_normals_and_texture_coordinates) {
  export("sheet.json", "vtu");
  const char *vtu = read_text("out/sheet_000016.vtu");
  cr_expect_not_null(strstr(vtu, "<PointData Normals=\"normals\" TCoords=\"texture\">\n"));
  cr_expect_not_null(strstr(vtu, "Name=\"normals\" NumberOfComponents=\"3\""));
  cr_expect_not_null(strstr(vtu, "Name=\"texture\" NumberOfComponents=\"2\""));
}
