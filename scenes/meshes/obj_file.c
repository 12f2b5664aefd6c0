/* Wavefront OBJ: "v x y z" lines number the vertices from 1; "f a b c ..." lines name them, each perhaps with
   "/texture/normal" behind; negative numbers count back from the last vertex. */
#include "scenes/input/file_bytes.h"
#include "scenes/meshes/mesh_formats.h"

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

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " \t\r");
}

static bool read_vertex(obj_reader *r, const char *text) {
  char where[FACE_TEXT_MAX];
  face_text(r->mesh->path, true, r->line, where);
  double xyz[3] = {0};
  for (int c = 0; c < 3; c++) {
    char *end;
    xyz[c] = strtod(text, &end);
    if (end == text)
      return scene_fail(r->error, "%s: a vertex needs three numbers: v X Y Z", where);
    text = end;
  }
  return polygon_mesh_add_vertex(r->mesh, xyz, where, r->error);
}

/* "7", "7/1", "7//3" or "-1/2/3". */
static bool read_corner(obj_reader *r, const char **text, int32_t *corner) {
  size_t length = strcspn(*text, " \t\r");
  char *end;
  long number = strtol(*text, &end, 10);
  int32_t count = r->mesh->vertex_count;
  if (end == *text || (*end != '/' && end != *text + length) || number == 0 || number > count ||
      number < -count) {
    return scene_fail(r->error, "%s:%d: a face has the corner \"%.*s\"; above it stand vertices 1 to %d",
                      r->mesh->path, r->line, (int)(length < 40 ? length : 40), *text, (int)count);
  }
  *corner = (int32_t)(number > 0 ? number - 1 : count + number);
  *text += length;
  return true;
}

static bool read_face(obj_reader *r, const char *text) {
  for (text = skip_blanks(text); *text && *text != '#'; text = skip_blanks(text)) {
    int32_t corner = 0;
    if (!read_corner(r, &text, &corner) || !polygon_mesh_add_corner(r->mesh, corner, r->error))
      return false;
  }
  return polygon_mesh_end_polygon(r->mesh, r->line, r->error);
}

static bool read_line(obj_reader *r, const char *text) {
  text = skip_blanks(text);
  bool keyword = text[0] && (text[1] == ' ' || text[1] == '\t' || text[1] == '\0' || text[1] == '\r');
  if (keyword && text[0] == 'v')
    return read_vertex(r, text + 1);
  if (keyword && text[0] == 'f')
    return read_face(r, text + 1);
  return true;
}

bool obj_read(char *text, size_t size, polygon_mesh *mesh, scene_error *error) {
  if (!file_check_text(mesh->path, text, size, error))
    return false;
  obj_reader r = {.line = 1, .mesh = mesh, .error = error};
  bool done = true;
  while (done && text) {
    int lines;
    char *next = end_line(text, &lines);
    done = read_line(&r, text);
    r.line += lines;
    text = next;
  }
  return done;
}
