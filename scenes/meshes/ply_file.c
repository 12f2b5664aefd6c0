/* PLY 1.0: a header of text lines that names elements ("vertex", "face", ...), their counts and the types of
   their properties; then the elements in that order, as text or in binary. The counts of a header are not
   believed: nothing is allocated by them, and every value is checked against the end of the file. */
#include "scenes/meshes/mesh_formats.h"
#include "scenes/meshes/text_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum ply_type {
  PLY_INT8,
  PLY_UINT8,
  PLY_INT16,
  PLY_UINT16,
  PLY_INT32,
  PLY_UINT32,
  PLY_FLOAT32,
  PLY_FLOAT64,
  PLY_TYPE_COUNT
} ply_type;

static const size_t type_size[PLY_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

enum {
  NAME_MAX_LENGTH = 31,
  ELEMENTS_MAX = 16,
  PROPERTIES_MAX = 64,
  LINE_WORDS_MAX = 6,
  LINE_MAX_LENGTH = 255
};

/* What the numbers of a vertex are, from 0: its position, its normal, its texture coordinates. */
enum { SLOT_X, SLOT_NX = 3, SLOT_U = 6, SLOT_V, SLOTS };

typedef struct ply_property {
  char name[NAME_MAX_LENGTH + 1];
  /* -1: it is none of these. */
  int slot;
  bool list;
  ply_type count_type, type;
} ply_property;

typedef struct ply_element {
  char name[NAME_MAX_LENGTH + 1];
  long long count;
  ply_property properties[PROPERTIES_MAX];
  int property_count;
} ply_element;

typedef struct ply_reader {
  /* The unread rest of the file. */
  const char *next, *end;
  bool binary, big_endian;
  /* Of text: whether there is a line for each row. Then what is behind the numbers of a row is skipped: old
     versions of MeshLab write lists that the header does not name. */
  bool has_row_lines;
  /* Of vertices: then the value of a vertex has its number. */
  bool has_texture, has_normals;
  ply_element elements[ELEMENTS_MAX];
  int element_count;
  polygon_mesh *mesh;
  scene_error *error;
} ply_reader;

/* ------------------------------------------------------------------------------------------------ header */

typedef struct header_line {
  char text[LINE_MAX_LENGTH + 1];
  const char *words[LINE_WORDS_MAX];
  int word_count;
} header_line;

static bool next_line(ply_reader *r, header_line *line) {
  const char *newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
  if (!newline)
    return scene_fail(r->error, "%s: the header is truncated; it must end with a line \"end_header\"",
                      r->mesh->path);
  size_t length = (size_t)(newline - r->next);
  if (length > LINE_MAX_LENGTH)
    return scene_fail(r->error, "%s: a header line has %zu characters; is it a PLY file?", r->mesh->path,
                      length);
  memcpy(line->text, r->next, length);
  line->text[length] = '\0';
  r->next = newline + 1;
  line->word_count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(line->text, " \t\r", &rest); word && line->word_count < LINE_WORDS_MAX;
       word = strtok_r(NULL, " \t\r", &rest))
    line->words[line->word_count++] = word;
  return true;
}

static bool line_is(const header_line *line, const char *first, int words) {
  return line->word_count == words && strcmp(line->words[0], first) == 0;
}

static bool read_format(ply_reader *r) {
  header_line line;
  if (!next_line(r, &line))
    return false;
  if (!line_is(&line, "ply", 1))
    return scene_fail(r->error, "%s: does not begin with \"ply\"; give a PLY file", r->mesh->path);
  do
    if (!next_line(r, &line))
      return false;
  while (line.word_count > 0 &&
         (strcmp(line.words[0], "comment") == 0 || strcmp(line.words[0], "obj_info") == 0));
  const char *format = line_is(&line, "format", 3) ? line.words[1] : "";
  r->big_endian = strcmp(format, "binary_big_endian") == 0;
  r->binary = r->big_endian || strcmp(format, "binary_little_endian") == 0;
  if (r->binary || strcmp(format, "ascii") == 0)
    return true;
  return scene_fail(
      r->error,
      "%s: the second line must be \"format ascii 1.0\", \"format binary_little_endian 1.0\" or "
      "\"format binary_big_endian 1.0\"",
      r->mesh->path);
}

static bool read_type(ply_reader *r, const char *word, ply_type *type) {
  static const char *const names[][PLY_TYPE_COUNT] = {
      {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
      {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
  for (size_t style = 0; style < 2; style++)
    for (int t = 0; t < PLY_TYPE_COUNT; t++)
      if (strcmp(word, names[style][t]) == 0) {
        *type = (ply_type)t;
        return true;
      }
  return scene_fail(
      r->error,
      "%s: the header has the type \"%.40s\"; types are char uchar short ushort int uint float double",
      r->mesh->path, word);
}

static bool add_element(ply_reader *r, const header_line *line) {
  char *end;
  long long count = strtoll(line->words[2], &end, 10);
  if (*end || count < 0)
    return scene_fail(r->error, "%s: the header has %.40s of \"%.40s\"; it must be a whole number",
                      r->mesh->path, line->words[2], line->words[1]);
  if (r->element_count == ELEMENTS_MAX)
    return scene_fail(r->error, "%s: the header has more than %d elements; only vertex and face are used",
                      r->mesh->path, ELEMENTS_MAX);
  ply_element *element = &r->elements[r->element_count++];
  snprintf(element->name, sizeof element->name, "%.*s", NAME_MAX_LENGTH, line->words[1]);
  element->count = count;
  return true;
}

/* Programs have given texture coordinates several names. */
static int slot_of(const char *name) {
  static const char *const names[][SLOTS] = {{"x", "y", "z", "nx", "ny", "nz", "s", "t"},
                                             {"", "", "", "", "", "", "u", "v"},
                                             {"", "", "", "", "", "", "texture_u", "texture_v"}};
  for (size_t way = 0; way < sizeof names / sizeof *names; way++)
    for (int slot = 0; slot < SLOTS; slot++)
      if (strcmp(name, names[way][slot]) == 0)
        return slot;
  return -1;
}

static bool add_property(ply_reader *r, const header_line *line) {
  if (r->element_count == 0)
    return scene_fail(r->error, "%s: a property comes before any element", r->mesh->path);
  ply_element *element = &r->elements[r->element_count - 1];
  if (element->property_count == PROPERTIES_MAX)
    return scene_fail(r->error,
                      "%s: \"%s\" has more than %d properties; only x, y, z and vertex_indices are used",
                      r->mesh->path, element->name, PROPERTIES_MAX);
  ply_property *property = &element->properties[element->property_count++];
  property->list = line->word_count == 5;
  snprintf(property->name, sizeof property->name, "%.*s", NAME_MAX_LENGTH, line->words[line->word_count - 1]);
  property->slot = property->list ? -1 : slot_of(property->name);
  if (property->list)
    return read_type(r, line->words[2], &property->count_type) &&
           read_type(r, line->words[3], &property->type);
  return read_type(r, line->words[1], &property->type);
}

static bool read_header(ply_reader *r) {
  if (!read_format(r))
    return false;
  for (;;) {
    header_line line;
    if (!next_line(r, &line))
      return false;
    if (line_is(&line, "end_header", 1))
      return true;
    bool done = true;
    if (line_is(&line, "element", 3))
      done = add_element(r, &line);
    else if (line_is(&line, "property", 3) ||
             (line_is(&line, "property", 5) && strcmp(line.words[1], "list") == 0))
      done = add_property(r, &line);
    else if (line.word_count == 0 ||
             (strcmp(line.words[0], "comment") != 0 && strcmp(line.words[0], "obj_info") != 0))
      done = scene_fail(
          r->error,
          "%s: the header has a line \"%.40s ...\"; lines are \"element NAME COUNT\", \"property TYPE NAME\" "
          "or \"property list TYPE TYPE NAME\"",
          r->mesh->path, line.word_count ? line.words[0] : "");
    if (!done)
      return false;
  }
}

/* ------------------------------------------------------------------------------------------------ values */

static double decode(ply_type type, const unsigned char bytes[8]) {
  switch (type) {
  case PLY_INT8:
    return *(const signed char *)bytes;
  case PLY_UINT8:
    return *bytes;
#define DECODE(name, c_type)                                                                                 \
  case name: {                                                                                               \
    c_type value;                                                                                            \
    memcpy(&value, bytes, sizeof value);                                                                     \
    return (double)value;                                                                                    \
  }
    DECODE(PLY_INT16, int16_t)
    DECODE(PLY_UINT16, uint16_t)
    DECODE(PLY_INT32, int32_t)
    DECODE(PLY_UINT32, uint32_t)
    DECODE(PLY_FLOAT32, float)
    DECODE(PLY_FLOAT64, double)
#undef DECODE
  case PLY_TYPE_COUNT:
    break;
  }
  return 0;
}

static bool host_is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static bool read_binary_value(ply_reader *r, ply_type type, double *out) {
  size_t size = type_size[type];
  if ((size_t)(r->end - r->next) < size)
    return false;
  unsigned char bytes[8];
  bool swap = r->big_endian != host_is_big_endian();
  for (size_t i = 0; i < size; i++)
    bytes[swap ? size - 1 - i : i] = (unsigned char)r->next[i];
  *out = decode(type, bytes);
  r->next += size;
  return true;
}

static bool read_text_value(ply_reader *r, double *out) {
  char *end;
  *out = text_number(r->next, &end);
  if (end == r->next)
    return false;
  r->next = end;
  return true;
}

/* False at the end of the file, or at something that is no number. */
static bool read_value(ply_reader *r, ply_type type, double *out) {
  return r->binary ? read_binary_value(r, type, out) : read_text_value(r, out);
}

/* ---------------------------------------------------------------------------------------------- elements */

/* What is done with the rows of an element. */
typedef enum ply_role { ROLE_NONE, ROLE_VERTEX, ROLE_FACE, ROLE_STRIPS } ply_role;

static ply_role role_of(const ply_element *element) {
  if (strcmp(element->name, "vertex") == 0)
    return ROLE_VERTEX;
  if (strcmp(element->name, "face") == 0)
    return ROLE_FACE;
  return strcmp(element->name, "tristrips") == 0 ? ROLE_STRIPS : ROLE_NONE;
}

static bool has_faces(ply_role role) {
  return role == ROLE_FACE || role == ROLE_STRIPS;
}

/* A row of an element, for errors. */
typedef struct ply_row {
  const ply_element *element;
  ply_role role;
  long long number;
} ply_row;

enum { ROW_TEXT_MAX = 512 };

static const char *row_text(const ply_reader *r, const ply_row *row, char text[ROW_TEXT_MAX]) {
  snprintf(text, ROW_TEXT_MAX, "%s: %s %lld", r->mesh->path, row->element->name, row->number);
  return text;
}

static bool fail_cut(ply_reader *r, const ply_row *row) {
  char where[ROW_TEXT_MAX];
  row_text(r, row, where);
  return scene_fail(
      r->error, "%s: the file is truncated there, or has text where a number is expected; export it again",
      where);
}

/* Adds a corner with what its vertex has. */
static bool add_corner(ply_reader *r, int32_t vertex) {
  polygon_mesh *mesh = r->mesh;
  return polygon_mesh_add_corner(mesh, vertex, r->error) &&
         polygon_mesh_set_attributes(mesh, mesh->corner_count - 1, r->has_texture ? vertex : -1,
                                     r->has_normals ? vertex : -1, r->error);
}

/* The triangles of a strip: each further corner makes one with the two before it, which takes turns in going
   round. -1 ends a strip and begins the next. */
typedef struct strip {
  int32_t before[2];
  int32_t length;
} strip;

static bool add_to_strip(ply_reader *r, strip *s, int32_t vertex) {
  if (vertex < 0) {
    s->length = 0;
    return true;
  }
  const int32_t a = s->before[s->length % 2], b = s->before[1 - s->length % 2];
  const bool flat = a == b || b == vertex || vertex == a;
  const bool turned = s->length % 2 == 1;
  s->before[s->length % 2] = vertex;
  if (s->length++ < 2 || flat)
    return true;
  const int32_t number = r->mesh->polygon_count;
  return add_corner(r, turned ? b : a) && add_corner(r, turned ? a : b) && add_corner(r, vertex) &&
         polygon_mesh_end_polygon(r->mesh, number, r->error);
}

static bool read_corner(ply_reader *r, const ply_row *row, double value, strip *s) {
  const double least = row->role == ROLE_STRIPS ? -1 : 0;
  if (!(value >= least && value < r->mesh->vertex_count) || value != floor(value)) {
    char where[ROW_TEXT_MAX];
    row_text(r, row, where);
    return scene_fail(r->error, "%s: the corner %g; the file has vertices 0 to %d", where, value,
                      (int)r->mesh->vertex_count - 1);
  }
  return row->role == ROLE_STRIPS ? add_to_strip(r, s, (int32_t)value) : add_corner(r, (int32_t)value);
}

static bool is_corners(const ply_property *property) {
  return property->list &&
         (strcmp(property->name, "vertex_indices") == 0 || strcmp(property->name, "vertex_index") == 0);
}

/* Texture coordinates of the corners of a face, which may differ from face to face: u and v of each. */
static bool is_texture(const ply_row *row, const ply_property *property) {
  return row->role == ROLE_FACE && property->list && strcmp(property->name, "texcoord") == 0;
}

/* Number i of such a list. */
static bool read_texture(ply_reader *r, int32_t i, double value, double pair[CORNER_VALUE_SIZE]) {
  pair[i % 2] = value;
  return i % 2 == 0 || corner_values_add(&r->mesh->texture, pair) || scene_fail_out_of_memory(r->error);
}

static bool read_list_of(ply_reader *r, const ply_row *row, const ply_property *property) {
  const bool corners = has_faces(row->role) && is_corners(property), texture = is_texture(row, property);
  double length = 0;
  if (!read_value(r, property->count_type, &length))
    return fail_cut(r, row);
  if (!(length >= 0 && length <= INT32_MAX / 2) || length != floor(length)) {
    char where[ROW_TEXT_MAX];
    row_text(r, row, where);
    return scene_fail(r->error, "%s: a list of %g values; it must be a whole number from 0 up", where,
                      length);
  }
  strip s = {.length = 0};
  double pair[CORNER_VALUE_SIZE] = {0};
  for (int32_t i = 0; i < (int32_t)length; i++) {
    double value = 0;
    if (!read_value(r, property->type, &value))
      return fail_cut(r, row);
    if ((corners && !read_corner(r, row, value, &s)) || (texture && !read_texture(r, i, value, pair)))
      return false;
  }
  return !corners || row->role == ROLE_STRIPS ||
         polygon_mesh_end_polygon(r->mesh, (int32_t)row->number, r->error);
}

static bool add_vertex(ply_reader *r, const ply_row *row, const double numbers[SLOTS]) {
  const double texture[CORNER_VALUE_SIZE] = {numbers[SLOT_U], numbers[SLOT_V], 0};
  const double *xyz = numbers + SLOT_X;
  char where[ROW_TEXT_MAX];
  if (!polygon_mesh_add_vertex(r->mesh, xyz,
                               polygon_mesh_takes(r->mesh, xyz) ? NULL : row_text(r, row, where), r->error))
    return false;
  return ((!r->has_texture || corner_values_add(&r->mesh->texture, texture)) &&
          (!r->has_normals || corner_values_add(&r->mesh->normals, numbers + SLOT_NX))) ||
         scene_fail_out_of_memory(r->error);
}

/* The face that was read last has texture coordinates from `first` on, if they are as many as its corners. */
static bool set_texture(ply_reader *r, int32_t first) {
  const polygon_mesh *mesh = r->mesh;
  const polygon *face = &mesh->polygons[mesh->polygon_count - 1];
  const bool fits = mesh->texture.count - first == face->end - face->first;
  for (int32_t c = face->first; fits && c < face->end; c++)
    if (!polygon_mesh_set_attributes(r->mesh, c, first + c - face->first, -1, r->error))
      return false;
  return true;
}

static bool read_row(ply_reader *r, const ply_row *row) {
  double numbers[SLOTS];
  for (int slot = 0; slot < SLOTS; slot++)
    numbers[slot] = NAN;
  const int32_t texture = r->mesh->texture.count;
  for (int p = 0; p < row->element->property_count; p++) {
    const ply_property *property = &row->element->properties[p];
    double value = 0;
    if (property->list) {
      if (!read_list_of(r, row, property))
        return false;
    } else {
      if (!read_value(r, property->type, &value))
        return fail_cut(r, row);
      if (property->slot >= 0)
        numbers[property->slot] = value;
    }
  }
  if (row->role == ROLE_VERTEX)
    return add_vertex(r, row, numbers);
  return row->role != ROLE_FACE || r->mesh->texture.count == texture || set_texture(r, texture);
}

/* Normals and texture coordinates of vertices count where all of their numbers are there, of all vertices. */
static void find_attributes(ply_reader *r, const ply_element *vertex) {
  bool has[SLOTS] = {false};
  for (int p = 0; p < vertex->property_count; p++)
    if (vertex->properties[p].slot >= 0)
      has[vertex->properties[p].slot] = true;
  const polygon_mesh *mesh = r->mesh;
  r->has_normals =
      has[SLOT_NX] && has[SLOT_NX + 1] && has[SLOT_NX + 2] && mesh->normals.count == mesh->vertex_count;
  r->has_texture = has[SLOT_U] && has[SLOT_V] && mesh->texture.count == mesh->vertex_count;
}

static bool check_element(ply_reader *r, const ply_element *element, ply_role role) {
  int coordinates = 0, corners = 0;
  for (int p = 0; p < element->property_count; p++) {
    const ply_property *property = &element->properties[p];
    coordinates += property->slot >= SLOT_X && property->slot < SLOT_NX;
    corners += is_corners(property);
  }
  if (role == ROLE_VERTEX && coordinates != 3)
    return scene_fail(r->error, "%s: the vertices must have properties x, y and z", r->mesh->path);
  if (has_faces(role) && corners != 1)
    return scene_fail(r->error, "%s: the faces must have one list property vertex_indices", r->mesh->path);
  if (has_faces(role) && r->mesh->vertex_count == 0)
    return scene_fail(r->error, "%s: the vertices must come before the faces", r->mesh->path);
  if (role == ROLE_VERTEX)
    find_attributes(r, element);
  return true;
}

/* Lines that are not blank count. */
static void find_row_lines(ply_reader *r) {
  double rows = 0, lines = 0;
  for (int e = 0; e < r->element_count; e++)
    rows += r->elements[e].property_count > 0 ? (double)r->elements[e].count : 0;
  for (const char *at = r->next; !r->binary && at < r->end && *(at = skip_space(at)); lines++)
    at += strcspn(at, "\n");
  r->has_row_lines = !r->binary && lines >= rows;
}

static bool read_element(ply_reader *r, const ply_element *element) {
  ply_row row = {.element = element, .role = role_of(element)};
  if (element->count > 0 && !check_element(r, element, row.role))
    return false;
  if (element->property_count == 0)
    return true;
  for (; row.number < element->count; row.number++)
    if (!read_row(r, &row))
      return false;
    else if (r->has_row_lines)
      r->next += strcspn(r->next, "\n");
  return true;
}

bool ply_read(char *text, size_t size, polygon_mesh *mesh, scene_error *error) {
  ply_reader *r = calloc(1, sizeof *r);
  if (!r)
    return scene_fail_out_of_memory(error);
  *r = (ply_reader){.next = text, .end = text + size, .mesh = mesh, .error = error};
  bool done = read_header(r);
  if (done)
    find_row_lines(r);
  for (int e = 0; done && e < r->element_count; e++)
    done = read_element(r, &r->elements[e]);
  free(r);
  return done;
}
