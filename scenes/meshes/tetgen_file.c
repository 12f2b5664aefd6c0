/* The formats, as H. Si, "TetGen: A Quality Tetrahedral Mesh Generator", describes them; '#' begins a comment:

       .node   <points> <dimension, 3> <attributes> <boundary markers>      then, for each point,
               <number> <x> <y> <z> [attributes] [marker]
       .ele    <tetrahedra> <nodes of each, 4> <attributes>                 then, for each tetrahedron,
               <number> <node> <node> <node> <node> [attributes] */
#include "scenes/meshes/tetgen_file.h"

#include "scenes/input/file_bytes.h"
#include "scenes/input/number_range.h"
#include "scenes/input/scene_error.h"
#include "scenes/meshes/text_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 4 };

/* A file of lines of numbers, an item each after the first. */
typedef struct tetgen_reader {
  const char *path;
  /* The unread rest of the file. */
  char *text;
  /* The number of the line read last. */
  int line;
  const char *item, *items;
  scene_error *error;
} tetgen_reader;

/* Whether a line holds anything but blanks and a comment; cuts the comment off. */
static bool has_content(char *line) {
  line[strcspn(line, "#")] = '\0';
  return line[strspn(line, " \t\r")] != '\0';
}

/* The next line with numbers; NULL at the end. */
static char *next_line(tetgen_reader *r) {
  while (r->text) {
    char *line = r->text, *end = strchr(line, '\n');
    r->text = end && end[1] ? end + 1 : NULL;
    r->line++;
    if (end)
      *end = '\0';
    if (has_content(line))
      return line;
  }
  return NULL;
}

/* Each takes one number from a line and moves on; false when there is none. */
static bool take_real(char **line, double *out) {
  char *end;
  *out = text_number(*line, &end);
  if (end == *line || !strchr(" \t\r", *end))
    return false;
  *line = end;
  return true;
}

static bool take_whole(char **line, double *out) {
  return take_real(line, out) && *out == floor(*out);
}

/* The first line: how many items follow, and a number that must be `kind`. An item is a line of at least 8
   bytes, which keeps a wrong number from asking for all memory. */
static bool read_head(tetgen_reader *r, size_t size, const char *what, int kind, int32_t *count) {
  char *line = next_line(r);
  double number = 0, found = 0;
  if (!line || !take_whole(&line, &number) || !take_whole(&line, &found))
    return scene_fail(r->error, "%s:%d: the first line must begin with the number of %s and %d, %s", r->path,
                      r->line, r->items, kind, what);
  if (found != kind)
    return scene_fail(r->error, "%s:%d: says %g, but only %d, %s, can be read", r->path, r->line, found, kind,
                      what);
  if (!(number >= 1) || number > (double)size / 8 || number > INT32_MAX / CORNERS)
    return scene_fail(
        r->error, "%s:%d: announces %.9g %s in a file of %zu bytes; it must announce 1 or more, a line each",
        r->path, r->line, number, r->items, size);
  *count = (int32_t)number;
  return true;
}

/* The line of item `index`, past its number. The number of the first item is where they start: 0 or 1. */
static char *read_item(tetgen_reader *r, int32_t index, int32_t count, double *start) {
  char *line = next_line(r);
  double number = 0;
  if (!line) {
    scene_fail(r->error, "%s:%d: ends after %d of %d %s; complete the file", r->path, r->line, (int)index,
               (int)count, r->items);
    return NULL;
  }
  bool whole = take_whole(&line, &number);
  if (whole && index == 0 && (number == 0 || number == 1))
    *start = number;
  if (!whole || number != *start + index) {
    scene_fail(r->error, "%s:%d: must begin with the number of the %s, %.9g; they go up by 1 from 0 or 1",
               r->path, r->line, r->item, *start + index);
    return NULL;
  }
  return line;
}

static bool check_end(tetgen_reader *r, int32_t count) {
  return !next_line(r) ||
         scene_fail(r->error,
                    "%s:%d: stands behind the last of %d %s; announce it in the first line, or delete it",
                    r->path, r->line, (int)count, r->items);
}

static bool read_nodes(tetgen_reader *r, size_t size, tet_data *mesh, double *start) {
  if (!read_head(r, size, "the dimension", 3, &mesh->vertex_count))
    return false;
  mesh->vertices = malloc((size_t)mesh->vertex_count * sizeof *mesh->vertices);
  if (!mesh->vertices)
    return scene_fail_out_of_memory(r->error);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    char *line = read_item(r, v, mesh->vertex_count, start);
    double xyz[3];
    if (!line)
      return false;
    for (int c = 0; c < 3; c++)
      if (!take_real(&line, &xyz[c]) || !(fabs(xyz[c]) <= NUMBER_LARGEST))
        return scene_fail(r->error, "%s:%d: a point needs three coordinates, numbers of at most %g", r->path,
                          r->line, NUMBER_LARGEST);
    mesh->vertices[v] = (msd_vec3){(msd_real)xyz[0], (msd_real)xyz[1], (msd_real)xyz[2]};
  }
  return check_end(r, mesh->vertex_count);
}

/* Two corners change places where the volume would be negative. */
static void turn_outside_out(const tet_data *mesh, int32_t corner[CORNERS]) {
  double edge[3][3];
  const msd_vec3 *v = mesh->vertices, a = v[corner[0]];
  for (int c = 0; c < 3; c++) {
    const msd_vec3 b = v[corner[c + 1]];
    edge[c][0] = (double)b.x - (double)a.x;
    edge[c][1] = (double)b.y - (double)a.y;
    edge[c][2] = (double)b.z - (double)a.z;
  }
  const double *p = edge[0], *q = edge[1], *s = edge[2];
  double volume = (p[1] * q[2] - p[2] * q[1]) * s[0] + (p[2] * q[0] - p[0] * q[2]) * s[1] +
                  (p[0] * q[1] - p[1] * q[0]) * s[2];
  if (volume < 0) {
    int32_t moved = corner[2];
    corner[2] = corner[3];
    corner[3] = moved;
  }
}

static bool read_tetrahedra(tetgen_reader *r, size_t size, tet_data *mesh, double start) {
  double first = start;
  if (!read_head(r, size, "the corners of each", CORNERS, &mesh->tetrahedron_count))
    return false;
  mesh->tetrahedra = malloc((size_t)mesh->tetrahedron_count * CORNERS * sizeof *mesh->tetrahedra);
  if (!mesh->tetrahedra)
    return scene_fail_out_of_memory(r->error);
  for (int32_t t = 0; t < mesh->tetrahedron_count; t++) {
    char *line = read_item(r, t, mesh->tetrahedron_count, &first);
    int32_t *corner = mesh->tetrahedra + (size_t)CORNERS * (size_t)t;
    if (!line)
      return false;
    for (int c = 0; c < CORNERS; c++) {
      double node = 0;
      if (!take_whole(&line, &node) || !(node >= start) || node >= start + mesh->vertex_count)
        return scene_fail(r->error, "%s:%d: a tetrahedron needs four points, numbers from %g to %.9g",
                          r->path, r->line, start, start + mesh->vertex_count - 1);
      corner[c] = (int32_t)(node - start);
    }
    turn_outside_out(mesh, corner);
  }
  return check_end(r, mesh->tetrahedron_count);
}

static const file_kind tetgen_kind = {.what = "a .node or .ele file of TetGen",
                                      .missing_remedy = "mesh files are looked for beside the scene file",
                                      .size_remedy = "make the mesh coarser",
                                      .largest_mb = 2000};

/* `start` is the number of the first point: the .node file sets it, the .ele file counts by it. */
static bool read_file(const char *path, bool nodes, tet_data *mesh, double *start, scene_error *error) {
  const char *shown = scene_error_path(path);
  size_t size = 0;
  char *text = file_bytes_read(path, &tetgen_kind, &size, error);
  if (!text)
    return false;
  tetgen_reader r = {.path = shown,
                     .text = text + file_mark_length(text, size),
                     .item = nodes ? "point" : "tetrahedron",
                     .items = nodes ? "points" : "tetrahedra",
                     .error = error};
  bool done = file_check_text(shown, text, size, error) &&
              (nodes ? read_nodes(&r, size, mesh, start) : read_tetrahedra(&r, size, mesh, *start));
  free(text);
  return done;
}

void tet_data_free(tet_data *mesh) {
  free(mesh->vertices);
  free(mesh->tetrahedra);
  *mesh = (tet_data){0};
}

static bool fail_kind(const char *path, scene_error *error) {
  static const char *const surfaces[] = {".obj", ".ply", ".stl", ".off"};
  for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++)
    if (file_has_ending(path, surfaces[i]))
      return scene_fail(
          error,
          "%s: is a surface of triangles; fill it with tetrahedra ('tetgen -pq NAME.ply' writes "
          "NAME.1.node and NAME.1.ele, give one of them), or make it a \"balloon\"",
          scene_error_path(path));
  return scene_fail(error, "%s: is no known kind of tetrahedral mesh; give the .node or .ele file of a pair",
                    scene_error_path(path));
}

bool tetgen_file_read(const char *path, tet_data *mesh, scene_error *error) {
  *mesh = (tet_data){0};
  if (!file_has_ending(path, ".node") && !file_has_ending(path, ".ele"))
    return fail_kind(path, error);
  size_t stem = (size_t)(strrchr(path, '.') - path);
  char *one = malloc(stem + sizeof ".node");
  if (!one)
    return scene_fail_out_of_memory(error);
  double start = 0;
  memcpy(one, path, stem);
  strcpy(one + stem, ".node");
  bool done = read_file(one, true, mesh, &start, error);
  strcpy(one + stem, ".ele");
  done = done && read_file(one, false, mesh, &start, error);
  free(one);
  if (!done)
    tet_data_free(mesh);
  return done;
}
