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

enum { TET_CORNERS = 4 };

/* What is read of a pair of files, and kept of it. */
typedef struct tetgen_mesh {
  /* Where it is put; NULL: where the file has it. */
  transform *where;

  /* Of the vertices of the file those that are kept, with the tetrahedra all of whose corners are among these;
     0 of them: all, and where the mesh is only measured none. */
  msd_range kept;
  bool is_measured;
  mesh_extent extent;
  /* The number of the first point: the .node file sets it, the .ele file counts by it. */
  double start;
  tet_data *data;
  /* Room for tetrahedra. */
  int32_t capacity;
} tetgen_mesh;

/* A file of lines of numbers, an item each after the first. */
typedef struct tetgen_reader {
  const char *path;
  /* The number of the line read last. */
  int line;
  const char *item, *items;
  bool of_nodes;
  /* Bytes of the file, where room for items is made by what its first line says. */
  size_t size;
  /* Items that are announced, -1 before the first line, and that have been read; and the number of the first
     of them. */
  int32_t count, done;
  double first;
  tetgen_mesh *mesh;
  scene_error *error;
} tetgen_reader;

/* Whether a line holds anything but blanks and a comment; cuts the comment off. */
static bool has_content(char *line) {
  line[strcspn(line, "#")] = '\0';
  return line[strspn(line, " \t\r")] != '\0';
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
static bool read_head(tetgen_reader *r, char *line) {
  const char *what = r->of_nodes ? "the dimension" : "the corners of each";
  const int kind = r->of_nodes ? 3 : TET_CORNERS;
  double number = 0, found = 0;
  if (!take_whole(&line, &number) || !take_whole(&line, &found))
    return scene_fail(r->error, "%s:%d: the first line must begin with the number of %s and %d, %s", r->path,
                      r->line, r->items, kind, what);
  if (found != kind)
    return scene_fail(r->error, "%s:%d: says %g, but only %d, %s, can be read", r->path, r->line, found, kind,
                      what);
  if (!(number >= 1) || number > (double)r->size / 8 || number > INT32_MAX / TET_CORNERS)
    return scene_fail(
        r->error, "%s:%d: announces %.9g %s in a file of %zu bytes; it must announce 1 or more, a line each",
        r->path, r->line, number, r->items, r->size);
  r->count = (int32_t)number;
  return true;
}

/* Past the number of an item. That of the first is where they start: 0 or 1. */
static bool read_number(tetgen_reader *r, char **line) {
  double number = 0;
  const bool whole = take_whole(line, &number);
  if (whole && r->done == 0 && (number == 0 || number == 1))
    r->first = number;
  return (whole && number == r->first + r->done) ||
         scene_fail(r->error,
                    "%s:%d: must begin with the number of the %s, %.9g; they go up by 1 from 0 or 1", r->path,
                    r->line, r->item, r->first + r->done);
}

static bool read_node(tetgen_reader *r, char *line) {
  tetgen_mesh *mesh = r->mesh;
  const int32_t at = r->done - mesh->kept.first;
  double xyz[3];
  for (int c = 0; c < 3; c++)
    if (!take_real(&line, &xyz[c]) || !(fabs(xyz[c]) <= NUMBER_LARGEST))
      return scene_fail(r->error, "%s:%d: a point needs three coordinates, numbers of at most %g", r->path,
                        r->line, NUMBER_LARGEST);
  return at < 0 || at >= mesh->kept.count || transform_point(mesh->where, xyz, &mesh->data->vertices[at]) ||
         scene_fail(r->error, "%s:%d: the point is moved to %g %g %g; coordinates go to %g", r->path, r->line,
                    mesh->where->beyond[0], mesh->where->beyond[1], mesh->where->beyond[2], NUMBER_LARGEST);
}

/* Two corners change places where the volume would be negative. */
static void turn_outside_out(const tet_data *mesh, int32_t corner[TET_CORNERS]) {
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

static bool reserve(tetgen_mesh *mesh, int32_t capacity, scene_error *error) {
  int32_t *larger = realloc(mesh->data->tetrahedra, (size_t)capacity * TET_CORNERS * sizeof *larger);
  if (!larger)
    return scene_fail_out_of_memory(error);
  mesh->data->tetrahedra = larger;
  mesh->capacity = capacity;
  return true;
}

/* `corner` has the vertices of the file. */
static bool keep_tetrahedron(tetgen_mesh *mesh, const int32_t corner[TET_CORNERS], scene_error *error) {
  int32_t least = corner[0], most = corner[0];
  for (int c = 1; c < TET_CORNERS; c++) {
    least = corner[c] < least ? corner[c] : least;
    most = corner[c] > most ? corner[c] : most;
  }
  if (most - least > mesh->extent.span)
    mesh->extent.span = most - least;
  if (mesh->is_measured || least < mesh->kept.first || most >= mesh->kept.first + mesh->kept.count)
    return true;
  if (mesh->data->tetrahedron_count == mesh->capacity &&
      !reserve(mesh, mesh->capacity > 0 ? 2 * mesh->capacity : 1024, error))
    return false;
  int32_t *kept = mesh->data->tetrahedra + (size_t)TET_CORNERS * (size_t)mesh->data->tetrahedron_count++;
  for (int c = 0; c < TET_CORNERS; c++)
    kept[c] = corner[c] - mesh->kept.first;
  turn_outside_out(mesh->data, kept);
  return true;
}

static bool read_tetrahedron(tetgen_reader *r, char *line) {
  const int32_t vertices = r->mesh->extent.vertex_count;
  const double start = r->mesh->start;
  int32_t corner[TET_CORNERS];
  for (int c = 0; c < TET_CORNERS; c++) {
    double node = 0;
    if (!take_whole(&line, &node) || !(node >= start) || node >= start + vertices)
      return scene_fail(r->error, "%s:%d: a tetrahedron needs four points, numbers from %g to %.9g", r->path,
                        r->line, start, start + vertices - 1);
    corner[c] = (int32_t)(node - start);
  }
  return keep_tetrahedron(r->mesh, corner, r->error);
}

/* Makes room for the vertices that are kept: all, where it has not been said which. */
static bool begin_nodes(tetgen_reader *r) {
  tetgen_mesh *mesh = r->mesh;
  mesh->extent.vertex_count = r->count;
  if (mesh->is_measured)
    return true;
  if (mesh->kept.count == 0)
    mesh->kept = (msd_range){0, r->count};
  if (mesh->kept.first > r->count - mesh->kept.count)
    return scene_fail(r->error, "%s: has changed while it was read", r->path);
  mesh->data->vertex_count = mesh->kept.count;
  mesh->data->vertices = malloc((size_t)mesh->kept.count * sizeof *mesh->data->vertices);
  return mesh->data->vertices || scene_fail_out_of_memory(r->error);
}

/* Where all are kept it is known how many these are. */
static bool begin_tetrahedra(tetgen_reader *r) {
  const tetgen_mesh *mesh = r->mesh;
  return mesh->is_measured || mesh->kept.count < mesh->extent.vertex_count ||
         reserve(r->mesh, r->count, r->error);
}

static bool read_line(tetgen_reader *r, char *line) {
  if (!has_content(line))
    return true;
  if (r->count < 0)
    return read_head(r, line) && (r->of_nodes ? begin_nodes(r) : begin_tetrahedra(r));
  if (r->done == r->count)
    return scene_fail(r->error,
                      "%s:%d: comes after the last of %d %s; announce it in the first line, or delete it",
                      r->path, r->line, (int)r->count, r->items);
  if (!read_number(r, &line) || !(r->of_nodes ? read_node(r, line) : read_tetrahedron(r, line)))
    return false;
  r->done++;
  return true;
}

static bool read_lines(void *reader, char *text) {
  tetgen_reader *r = reader;
  bool done = true;
  while (done && *text) {
    char *end = strchr(text, '\n'), *next = end ? end + 1 : text + strlen(text);
    if (end)
      *end = '\0';
    r->line++;
    done = read_line(r, text);
    text = next;
  }
  return done;
}

static bool check_end(tetgen_reader *r) {
  r->line += r->line == 0;
  if (r->count < 0)
    return read_head(r, (char[]){""});
  if (r->done < r->count)
    return scene_fail(r->error, "%s:%d: ends after %d of %d %s; complete the file", r->path, r->line,
                      (int)r->done, (int)r->count, r->items);
  if (r->of_nodes)
    r->mesh->start = r->first;
  return true;
}

static bool read_file(const char *path, bool nodes, tetgen_mesh *mesh, scene_error *error) {
  static const file_kind kind = {.what = "a .node or .ele file of TetGen",
                                 .missing_remedy = "mesh files are looked for beside the scene file",
                                 .size_remedy = "make the mesh coarser",
                                 .largest_mb = 2e6};
  tetgen_reader r = {.path = scene_error_path(path),
                     .item = nodes ? "point" : "tetrahedron",
                     .items = nodes ? "points" : "tetrahedra",
                     .of_nodes = nodes,
                     .count = -1,
                     .first = mesh->start,
                     .mesh = mesh,
                     .error = error};
  return file_measure(path, &kind, &r.size, error) && file_lines_read(path, &kind, read_lines, &r, error) &&
         check_end(&r);
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
  return scene_fail(
      error, "%s: is not a tetrahedral mesh format that msd reads; give the .node or .ele file of a pair",
      scene_error_path(path));
}

static bool read_pair(const char *path, tetgen_mesh *mesh, scene_error *error) {
  if (!file_has_ending(path, ".node") && !file_has_ending(path, ".ele"))
    return fail_kind(path, error);
  size_t stem = (size_t)(strrchr(path, '.') - path);
  char *one = malloc(stem + sizeof ".node");
  if (!one)
    return scene_fail_out_of_memory(error);
  memcpy(one, path, stem);
  strcpy(one + stem, ".node");
  bool done = read_file(one, true, mesh, error);
  strcpy(one + stem, ".ele");
  done = done && read_file(one, false, mesh, error);
  free(one);
  return done;
}

bool tetgen_part_read(const char *path, transform *where, msd_range vertices, tet_data *mesh,
                      scene_error *error) {
  *mesh = (tet_data){0};
  const bool done = read_pair(path, &(tetgen_mesh){.where = where, .kept = vertices, .data = mesh}, error);
  if (!done)
    tet_data_free(mesh);
  return done;
}

bool tetgen_file_read(const char *path, transform *where, tet_data *mesh, scene_error *error) {
  return tetgen_part_read(path, where, (msd_range){0, 0}, mesh, error);
}

bool tetgen_part_measure(const char *path, mesh_extent *extent, scene_error *error) {
  tetgen_mesh mesh = {.is_measured = true};
  const bool done = read_pair(path, &mesh, error);
  *extent = mesh.extent;
  return done;
}
