/* STL: triangles, each with its own corners. A binary file is 80 bytes of anything, the number of triangles and
   50 bytes for each: a normal and three corners in floats of the low byte first, and two bytes more. A file of
   text has solids, facets and loops around "vertex x y z" lines. A file is binary where its size is that of its
   number of triangles, since binary files too begin with "solid" at times. Nothing is allocated by that
   number. */
#include "scenes/input/file_bytes.h"
#include "scenes/meshes/little_endian.h"
#include "scenes/meshes/mesh_formats.h"
#include "scenes/meshes/text_line.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HEAD_BYTES = 80, COUNT_BYTES = 4, TRIANGLE_BYTES = 50, NUMBER_BYTES = 4, STL_CORNERS = 3 };

/* ------------------------------------------------------------------------------------------------ binary */

static bool read_triangle(const char *bytes, int32_t number, polygon_mesh *mesh, scene_error *error) {
  char where[FACE_TEXT_MAX];
  for (int corner = 0; corner < STL_CORNERS; corner++) {
    double xyz[3];
    for (int c = 0; c < 3; c++)
      xyz[c] = little_endian_float(bytes + (3 + 3 * corner + c) * NUMBER_BYTES);
    const char *place = polygon_mesh_takes(mesh, xyz) ? NULL : face_text(mesh->path, false, number, where);
    if (!polygon_mesh_add_vertex(mesh, xyz, place, error) ||
        !polygon_mesh_add_corner(mesh, mesh->vertex_count - 1, error))
      return false;
  }
  return polygon_mesh_end_polygon(mesh, number, error);
}

/* How large a binary file with the number of triangles that it gives is; 0: it is too short to give any. */
static uint64_t binary_size(const char *bytes, size_t size) {
  if (size < HEAD_BYTES + COUNT_BYTES)
    return 0;
  return HEAD_BYTES + COUNT_BYTES +
         (uint64_t)TRIANGLE_BYTES * little_endian_whole(bytes + HEAD_BYTES, COUNT_BYTES);
}

static bool read_binary(const char *bytes, size_t size, polygon_mesh *mesh, scene_error *error) {
  const char *next = bytes + HEAD_BYTES + COUNT_BYTES;
  for (int32_t t = 0; next < bytes + size; t++, next += TRIANGLE_BYTES)
    if (!read_triangle(next, t, mesh, error))
      return false;
  return true;
}

/* -------------------------------------------------------------------------------------------------- text */

typedef struct stl_reader {
  int line;
  bool in_solid, in_loop;
  polygon_mesh *mesh;
  scene_error *error;
} stl_reader;

static bool fail_line(stl_reader *r, const char *text) {
  return scene_fail(r->error, "%s:%d: %s", r->mesh->path, r->line, text);
}

/* The name of a solid is that of a group. */
static bool begin_solid(stl_reader *r, const char *rest) {
  const char *name = skip_blanks(rest);
  const size_t length = trimmed_length(name);
  if (r->in_solid)
    return fail_line(r, "a solid begins in another; end that by a line \"endsolid\"");
  r->in_solid = true;
  return length == 0 ||
         vertex_groups_open(&r->mesh->groups, GROUP_OBJECT, name, length, r->mesh->corner_count) ||
         scene_fail_out_of_memory(r->error);
}

static bool end_solid(stl_reader *r, const char *rest) {
  (void)rest;
  if (!r->in_solid || r->in_loop)
    return fail_line(r, r->in_loop ? "a solid ends in a loop; end that by a line \"endloop\""
                                   : "a solid ends that has not begun; begin it by a line \"solid\"");
  r->in_solid = false;
  vertex_groups_close(&r->mesh->groups, GROUP_OBJECT, r->mesh->corner_count);
  return true;
}

static bool begin_loop(stl_reader *r, const char *rest) {
  (void)rest;
  if (!r->in_solid || r->in_loop)
    return fail_line(r, r->in_loop ? "a loop begins in another; end that by a line \"endloop\""
                                   : "a loop begins outside of a solid; begin that by a line \"solid\"");
  r->in_loop = true;
  return true;
}

static bool add_vertex(stl_reader *r, const char *rest) {
  double xyz[3];
  char where[FACE_TEXT_MAX];
  if (!r->in_loop)
    return fail_line(r, "a vertex is in no loop; begin that by a line \"outer loop\"");
  if (line_numbers(rest, xyz) < 3)
    return fail_line(r, "a vertex needs three numbers: vertex X Y Z");
  const char *place =
      polygon_mesh_takes(r->mesh, xyz) ? NULL : face_text(r->mesh->path, true, r->line, where);
  return polygon_mesh_add_vertex(r->mesh, xyz, place, r->error) &&
         polygon_mesh_add_corner(r->mesh, r->mesh->vertex_count - 1, r->error);
}

static bool end_loop(stl_reader *r, const char *rest) {
  (void)rest;
  if (!r->in_loop)
    return fail_line(r, "a loop ends that has not begun; begin it by a line \"outer loop\"");
  r->in_loop = false;
  return polygon_mesh_end_polygon(r->mesh, r->line, r->error);
}

/* Facets are recognized by their loops; their normals follow from their corners. */
static bool skip_line(stl_reader *r, const char *rest) {
  (void)r;
  (void)rest;
  return true;
}

static bool read_line(stl_reader *r, const char *text) {
  static const struct {
    const char *word;
    bool (*read)(stl_reader *r, const char *rest);
  } kinds[] = {{"solid", begin_solid}, {"facet", skip_line},  {"outer", begin_loop},
               {"vertex", add_vertex}, {"endloop", end_loop}, {"endfacet", skip_line},
               {"endsolid", end_solid}};
  text = skip_blanks(text);
  const size_t length = word_length(text);
  if (length == 0)
    return true;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strlen(kinds[k].word) == length && strncasecmp(kinds[k].word, text, length) == 0)
      return kinds[k].read(r, text + length);
  return scene_fail(r->error,
                    "%s:%d: begins with \"%.*s\"; lines of STL begin with solid, facet, outer loop, vertex, "
                    "endloop, endfacet or endsolid",
                    r->mesh->path, r->line, (int)(length < 40 ? length : 40), text);
}

static bool read_lines(char *text, polygon_mesh *mesh, scene_error *error) {
  stl_reader r = {.mesh = mesh, .error = error};
  for (char *next; text; text = next) {
    next = strchr(text, '\n');
    if (next)
      *next++ = '\0';
    r.line++;
    if (!read_line(&r, text))
      return false;
  }
  return !r.in_solid || fail_line(&r, "the file ends in a solid; it is truncated, or lacks its \"endsolid\"");
}

bool stl_read(char *bytes, size_t size, polygon_mesh *mesh, scene_error *error) {
  const uint64_t binary = binary_size(bytes, size);
  if (binary == size)
    return read_binary(bytes, size, mesh, error);
  mesh->has_lines = strncasecmp(skip_blanks(bytes), "solid", 5) == 0;
  if (mesh->has_lines)
    return file_check_text(mesh->path, bytes, size, error) && read_lines(bytes, mesh, error);
  if (binary == 0)
    return scene_fail(error, "%s: is not an STL file: it has %zu bytes, and does not begin with \"solid\"",
                      mesh->path, size);
  return scene_fail(error,
                    "%s: gives %llu triangles, which would take %llu bytes, and has %zu; it is damaged, or "
                    "not an STL file: export it again",
                    mesh->path, (unsigned long long)little_endian_whole(bytes + HEAD_BYTES, COUNT_BYTES),
                    (unsigned long long)binary, size);
}
