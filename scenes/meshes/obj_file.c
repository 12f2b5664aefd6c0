/* Wavefront OBJ: "v x y z" lines number the vertices from 1, "vt u v" lines texture coordinates and "vn x y z"
   lines normals; "f a b c ..." lines name vertices, each perhaps with "/texture/normal" behind, and "l a b ..."
   lines those along a line; negative numbers count back from the last. "g a b ..." and "o name" lines say which
   groups the faces below them belong to, up to the next of their kind. */
#include "scenes/input/file_bytes.h"
#include "scenes/meshes/mesh_formats.h"
#include "scenes/meshes/text_line.h"

#include <stdlib.h>
#include <string.h>

typedef struct obj_reader {
  int line;
  polygon_mesh *mesh;
  scene_error *error;
} obj_reader;

/* Ends a line, and gives the next one, or NULL. A backslash at the end of a line joins it with the next;
   blanks take the place of what is between, so that the readers below see one line. */
static char *end_line(char *line, int *lines) {
  *lines = 1;
  char *end = line;
  while (*end) {
    size_t jump = strcspn(end, "\\\n");
    end += jump;
    if (end[0] == '\\' && (end[1] == '\n' || (end[1] == '\r' && end[2] == '\n'))) {
      while (*end != '\n')
        *end++ = ' ';
      *end = ' ';
      ++*lines;
    } else if (*end == '\n') {
      *end = '\0';
      return end + 1;
    } else if (*end) {
      end++;
    }
  }
  return NULL;
}

static bool fail_line(obj_reader *r, const char *text) {
  return scene_fail(r->error, "%s:%d: %s", r->mesh->path, r->line, text);
}

static bool read_vertex(obj_reader *r, const char *text) {
  char where[FACE_TEXT_MAX];
  double xyz[3];
  if (line_numbers(text, xyz) < 3)
    return fail_line(r, "a vertex needs three numbers: v X Y Z");
  const char *place =
      polygon_mesh_takes(r->mesh, xyz) ? NULL : face_text(r->mesh->path, true, r->line, where);
  return polygon_mesh_add_vertex(r->mesh, xyz, place, r->error);
}

static bool read_texture(obj_reader *r, const char *text) {
  double uv[3];
  if (line_numbers(text, uv) < 1)
    return fail_line(r, "texture coordinates need a number: vt U V");
  uv[2] = 0;
  return corner_values_add(&r->mesh->texture, uv) || scene_fail_out_of_memory(r->error);
}

static bool read_normal(obj_reader *r, const char *text) {
  double xyz[3];
  if (line_numbers(text, xyz) < 3)
    return fail_line(r, "a normal needs three numbers: vn X Y Z");
  return corner_values_add(&r->mesh->normals, xyz) || scene_fail_out_of_memory(r->error);
}

/* The item that a number means, of `count` so far; -1: none. */
static int32_t item_of(long number, int32_t count) {
  if (number == 0 || number > count || number < -count)
    return -1;
  return (int32_t)(number > 0 ? number - 1 : count + number);
}

/* Reads the index after a "/", to the next or the end; *text moves there. An empty one is no item; one that
   does not exist is noted. */
static int32_t read_attribute(obj_reader *r, const char **text, int32_t count) {
  if (**text != '/')
    return -1;
  const char *begin = ++*text;
  *text += strcspn(begin, "/" LINE_BLANKS);
  if (*text == begin)
    return -1;
  char *end;
  const long number = text_whole(begin, &end);
  const int32_t item = end == *text ? item_of(number, count) : -1;
  if (item < 0 && r->mesh->lost_count++ == 0)
    r->mesh->lost_line = r->line;
  return item;
}

/* The vertex of "7", "7/1", "7//3" or "-1/2/3", where *rest is what is behind the first number; -1 with the
   error filled: there is none. */
static int32_t read_vertex_number(obj_reader *r, const char *text, const char *what, const char **rest) {
  const size_t length = word_length(text);
  char *end;
  const int32_t count = r->mesh->vertex_count, vertex = item_of(text_whole(text, &end), count);
  *rest = end;
  if (end != text && (*end == '/' || end == text + length) && vertex >= 0)
    return vertex;
  scene_fail(r->error, "%s:%d: a %s \"%.*s\"; the lines above it have vertices 1 to %d", r->mesh->path,
             r->line, what, (int)(length < 40 ? length : 40), text, (int)count);
  return -1;
}

static bool read_corner(obj_reader *r, const char **text) {
  const size_t length = word_length(*text);
  const char *rest;
  const int32_t vertex = read_vertex_number(r, *text, "face has the corner", &rest);
  if (vertex < 0)
    return false;
  *text += length;
  if (r->mesh->window) {
    r->mesh->window->has_attributes |= rest + strspn(rest, "/") < *text;
    return polygon_mesh_add_corner(r->mesh, vertex, r->error);
  }
  const int32_t texture = read_attribute(r, &rest, r->mesh->texture.count);
  const int32_t normal = read_attribute(r, &rest, r->mesh->normals.count);
  return polygon_mesh_add_corner(r->mesh, vertex, r->error) &&
         polygon_mesh_set_attributes(r->mesh, r->mesh->corner_count - 1, texture, normal, r->error);
}

static bool read_face(obj_reader *r, const char *text) {
  for (text = skip_blanks(text); *text && *text != '#'; text = skip_blanks(text))
    if (!read_corner(r, &text))
      return false;
  return polygon_mesh_end_polygon(r->mesh, r->line, r->error);
}

static bool read_polyline(obj_reader *r, const char *text) {
  int32_t last = -1, count = 0;
  for (text = skip_blanks(text); *text && *text != '#'; text = skip_blanks(text)) {
    const char *rest;
    const int32_t vertex = read_vertex_number(r, text, "line has the vertex", &rest);
    if (vertex < 0 || (count++ > 0 && !polygon_mesh_add_line(r->mesh, last, vertex, r->error)))
      return false;
    last = vertex;
    text += word_length(text);
  }
  return count > 1 || scene_fail(r->error, "%s:%d: a line of %d vertices; every line needs 2 or more",
                                 r->mesh->path, r->line, (int)count);
}

/* Without a name it is the group "default", as the format has it. */
static bool read_group(obj_reader *r, const char *text) {
  polygon_mesh *mesh = r->mesh;
  vertex_groups_close(&mesh->groups, GROUP_NAMED, mesh->corner_count);
  text = skip_blanks(text);
  if (!*text || *text == '#')
    text = "default";
  for (size_t length; *text && *text != '#'; text = skip_blanks(text + length)) {
    length = word_length(text);
    if (!vertex_groups_open(&mesh->groups, GROUP_NAMED, text, length, mesh->corner_count))
      return scene_fail_out_of_memory(r->error);
  }
  return true;
}

/* The name is the rest of the line. */
static bool read_object(obj_reader *r, const char *text) {
  polygon_mesh *mesh = r->mesh;
  text = skip_blanks(text);
  const size_t length = trimmed_length(text);
  vertex_groups_close(&mesh->groups, GROUP_OBJECT, mesh->corner_count);
  return length == 0 || vertex_groups_open(&mesh->groups, GROUP_OBJECT, text, length, mesh->corner_count) ||
         scene_fail_out_of_memory(r->error);
}

static bool read_line(obj_reader *r, const char *text) {
  static const struct {
    const char *word;
    bool (*read)(obj_reader *r, const char *text);
  } kinds[] = {{"v", read_vertex}, {"vt", read_texture}, {"vn", read_normal}, {"f", read_face},
               {"g", read_group},  {"o", read_object},   {"l", read_polyline}};
  text = skip_blanks(text);
  const size_t length = word_length(text);
  if (*text == 'l' && length == 1 && !r->mesh->wants_lines) {
    r->mesh->unread_lines += r->mesh->unread_lines < INT32_MAX;
    return true;
  }
  if (r->mesh->window && !(length == 1 && (*text == 'v' || *text == 'f')))
    return true;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strlen(kinds[k].word) == length && memcmp(kinds[k].word, text, length) == 0)
      return kinds[k].read(r, text + length);
  return true;
}

static bool read_lines(void *reader, char *text) {
  obj_reader *r = reader;
  bool done = true;
  while (done && text) {
    int lines;
    char *next = end_line(text, &lines);
    done = read_line(r, text);
    r->line += next || *text ? lines : 0;
    text = next;
  }
  return done;
}

bool obj_read(char *text, size_t size, polygon_mesh *mesh, scene_error *error) {
  mesh->has_lines = true;
  return file_check_text(mesh->path, text, size, error) &&
         read_lines(&(obj_reader){.line = 1, .mesh = mesh, .error = error}, text);
}

bool obj_read_window(const char *path, const file_kind *kind, polygon_mesh *mesh, scene_error *error) {
  mesh->has_lines = true;
  return file_lines_read(path, kind, read_lines, &(obj_reader){.line = 1, .mesh = mesh, .error = error},
                         error);
}
