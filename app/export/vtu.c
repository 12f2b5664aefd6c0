/* VTU, the XML format of VTK for unstructured grids: points with the velocity of each and, of meshes that came
   with them, its normal and texture coordinates; and triangles, lines and loose points as cells, each with the
   number of its body. The arrays are base64 within the XML, so that every reader of XML gets through the
   file. */
#include "app/export/formats.h"

#include "app/base/bytes.h"
#include "app/base/parallel_text.h"

#include <string.h>

/* Base64 (RFC 4648) of numbers that come one after another, least significant byte first. Three bytes are a
   group of four letters, and twelve bits a pair of them, of which there is a table. Six bytes are read at once;
   what is read and written behind the last group has room. */
enum { GROUP_BYTES = 3, GROUP_LETTERS = 4, WORD_BYTES = 6, WORD_LETTERS = 8, BLOCK_BYTES = 6 << 10 };
enum { PAIR_BITS = 12, PAIRS = 1 << PAIR_BITS };

/* What a file is written to, and what it is written with. */
typedef struct document {
  FILE *stream;
  /* That may encode at once. */
  int threads;
  char pairs[PAIRS][2];
} document;

/* An array: what of its bytes is no whole group yet. */
typedef struct encoder {
  document *to;
  unsigned char rest[GROUP_BYTES];
  int count;
} encoder;

/* Records of `size` bytes each, at most RECORD_MAX, which `put` writes one behind the other; as parallel_text
   has it. */
typedef struct records {
  unsigned char *(*put)(unsigned char *to, int32_t first, int32_t count, const void *context);
  const void *context;
  int size;
} records;

enum { RECORD_MAX = 64 };

static void make_pairs(char pairs[PAIRS][2]) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int bits = 0; bits < PAIRS; bits++) {
    pairs[bits][0] = letters[bits / 64];
    pairs[bits][1] = letters[bits % 64];
  }
}

static inline void encode_word(char *to, const unsigned char *bytes, char (*pairs)[2]) {
  const uint64_t word = bytes_turned(bytes_load_little(bytes, 8), 8);
  for (int n = 0; n < WORD_LETTERS / 2; n++)
    memcpy(to + 2 * n, pairs[word >> (64 - PAIR_BITS * (n + 1)) & (PAIRS - 1)], 2);
}

/* Returns where the letters end. */
static char *encode(char *to, const unsigned char *bytes, int groups, char (*pairs)[2]) {
  for (int w = 0; w < (groups + 1) / 2; w++)
    encode_word(to + WORD_LETTERS * w, bytes + WORD_BYTES * w, pairs);
  return to + GROUP_LETTERS * groups;
}

/* Bytes that make no whole group by themselves: those that some records begin with, which end the group before
   them, and those that they end with. In front of the letters of all that is between. */
typedef struct edges {
  unsigned char count[2], bytes[2][GROUP_BYTES];
} edges;

/* Records, and how many bytes of their array come before the first of them. */
typedef struct encoding {
  const records *of;
  char (*pairs)[2];
  int before;
} encoding;

static void set_edge(edges *e, int which, const unsigned char *bytes, int count) {
  e->count[which] = (unsigned char)count;
  memcpy(e->bytes[which], bytes, (size_t)count);
}

static char *encode_records(char *to, int32_t first, int32_t count, const void *context) {
  const encoding *n = context;
  const int size = n->of->size, over = (int)((n->before + (int64_t)first * size) % GROUP_BYTES);
  unsigned char bytes[BLOCK_BYTES + WORD_BYTES + 2];
  edges e;
  char *end = to + sizeof e;
  int held = 0;
  for (int32_t i = 0, some; i < count; i += some) {
    const int32_t fitting = (BLOCK_BYTES - held) / size;
    some = count - i < fitting ? count - i : fitting;
    held = (int)(n->of->put(bytes + held, first + i, some, n->of->context) - bytes);
    int done = 0;
    if (i == 0) {
      const int missing = (GROUP_BYTES - over) % GROUP_BYTES;
      done = held < missing ? held : missing;
      set_edge(&e, 0, bytes, done);
    }
    const int groups = (held - done) / GROUP_BYTES;
    end = encode(end, bytes + done, groups, n->pairs);
    done += GROUP_BYTES * groups;
    held -= done;
    memmove(bytes, bytes + done, (size_t)held);
  }
  set_edge(&e, 1, bytes, held);
  memcpy(to, &e, sizeof e);
  return end;
}

static void add_edge(encoder *a, const edges *e, int which) {
  memcpy(a->rest + a->count, e->bytes[which], e->count[which]);
  a->count += e->count[which];
  if (a->count < GROUP_BYTES)
    return;
  unsigned char bytes[WORD_BYTES + 2] = {a->rest[0], a->rest[1], a->rest[2]};
  char text[WORD_LETTERS];
  fwrite(text, 1, (size_t)(encode(text, bytes, 1, a->to->pairs) - text), a->to->stream);
  a->count = 0;
}

static void take_records(void *to, const char *bytes, size_t count) {
  encoder *a = to;
  edges e;
  memcpy(&e, bytes, sizeof e);
  add_edge(a, &e, 0);
  fwrite(bytes + sizeof e, 1, count - sizeof e, a->to->stream);
  add_edge(a, &e, 1);
}

/* Records 0..count-1. */
static void put(encoder *a, const records *of, int32_t count) {
  const encoding n = {of, a->to->pairs, a->count};
  /* Each may be alone, with its edges and what is written behind its letters. */
  const size_t most = GROUP_LETTERS * (size_t)of->size / GROUP_BYTES + sizeof(edges) + WORD_LETTERS;
  parallel_text_write(&(parallel_text){encode_records, &n, most, take_records, a}, a->to->threads, count);
}

/* A number, `step` more than the one before, of `size` bytes. */
typedef struct progression {
  uint64_t first, step;
  int size;
} progression;

static unsigned char *put_progression(unsigned char *to, int32_t first, int32_t count, const void *context) {
  const progression *p = context;
  for (int32_t i = first; i < first + count; i++)
    to = bytes_put_little(to, p->first + p->step * (uint64_t)i, p->size);
  return to;
}

static void put_numbers(encoder *a, const progression *p, int32_t count) {
  put(a, &(records){put_progression, p, p->size}, count);
}

static void put_number(encoder *a, uint64_t bits, int size) {
  put_numbers(a, &(progression){bits, 0, size}, 1);
}

/* An array of `bytes` bytes: their number comes first. */
static void begin_array(encoder *a, document *to, const char *attributes, uint64_t bytes) {
  fprintf(to->stream, "<DataArray %s format=\"binary\">", attributes);
  *a = (encoder){.to = to};
  put_number(a, bytes, 8);
}

/* The last group may have too few bytes, and "=" in the place of those letters. */
static void end_array(encoder *a) {
  if (a->count > 0) {
    unsigned char bytes[WORD_BYTES + 2] = {a->rest[0], a->count > 1 ? a->rest[1] : 0};
    char text[WORD_LETTERS];
    encode_word(text, bytes, a->to->pairs);
    memset(text + a->count + 1, '=', (size_t)(GROUP_LETTERS - 1 - a->count));
    fwrite(text, 1, GROUP_LETTERS, a->to->stream);
  }
  fprintf(a->to->stream, "</DataArray>\n");
}

/* Of `components` numbers for each of `count` points. */
static void begin_reals(encoder *e, document *to, const char *name, int components, int32_t count) {
  char attributes[120];
  snprintf(attributes, sizeof attributes, "type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
           BYTES_REAL == 4 ? "Float32" : "Float64", name, components);
  begin_array(e, to, attributes, (uint64_t)components * (uint64_t)count * BYTES_REAL);
}

static unsigned char *put_real(unsigned char *to, msd_real value) {
  return bytes_put_little(to, bytes_of_real(value), BYTES_REAL);
}

static unsigned char *put_vectors(unsigned char *to, int32_t first, int32_t count, const void *context) {
  const msd_view *vectors = context;
  for (int32_t i = first; i < first + count; i++) {
    const msd_vec3 v = msd_view_at(*vectors, i);
    to = put_real(put_real(put_real(to, v.x), v.y), v.z);
  }
  return to;
}

static void write_vectors(document *out, const char *name, const export_frame *frame, export_column column) {
  encoder e;
  begin_reals(&e, out, name, 3, frame->points);
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, column, &left, &s))
    put(&e, &(records){put_vectors, &s.vectors, 3 * BYTES_REAL}, s.rows.count);
  end_array(&e);
}

static unsigned char *put_normals(unsigned char *to, int32_t first, int32_t count, const void *context) {
  const export_attributes *a = context;
  for (int32_t i = first; i < first + count; i++)
    for (int c = 0; c < 3; c++)
      to = put_real(to, (msd_real)a->normal_of_point[i][c]);
  return to;
}

/* Of all points: 0 of those without. */
static unsigned char *put_texture(unsigned char *to, int32_t first, int32_t count, const void *context) {
  const export_attributes *a = context;
  for (int32_t i = first; i < first + count; i++)
    for (int c = 0; c < 2; c++) {
      const int32_t texture = a->texture_of_point[i];
      to = put_real(to, texture < 0 ? 0 : (msd_real)a->texture[texture][c]);
    }
  return to;
}

static void write_attributes(document *out, const export_attributes *a, int32_t points) {
  encoder e;
  if (a->normals != NULL) {
    begin_reals(&e, out, "normals", 3, points);
    put(&e, &(records){put_normals, a, 3 * BYTES_REAL}, points);
    end_array(&e);
  }
  if (a->texture_of_point != NULL) {
    begin_reals(&e, out, "texture", 2, points);
    put(&e, &(records){put_texture, a, 2 * BYTES_REAL}, points);
    end_array(&e);
  }
}

/* What VTK calls the kinds of cells, and how many corners they have. */
typedef struct separation_kind {
  export_column column;
  int32_t count;
  int corners, type;
} separation_kind;

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, KINDS = 3 };

/* Points at the corners of cells, each of which has so many. */
typedef struct corner_rows {
  const int32_t *points;
  int corners;
} corner_rows;

static unsigned char *put_corners(unsigned char *to, int32_t first, int32_t count, const void *context) {
  const corner_rows *r = context;
  const int32_t *points = r->points + (int64_t)first * r->corners;
  for (int32_t n = 0; n < count * r->corners; n++)
    to = bytes_put_little(to, (uint32_t)points[n], 4);
  return to;
}

static void write_corners(encoder *e, const export_frame *frame, const separation_kind *kind) {
  msd_range left = {0, kind->count};
  export_stretch s;
  while (export_next(frame->source, kind->column, &left, &s)) {
    const corner_rows rows = {s.corners, kind->corners};
    put(e, &(records){put_corners, &rows, 4 * kind->corners}, s.rows.count);
  }
}

static void write_cells(document *out, const export_frame *frame, const separation_kind kinds[KINDS]) {
  uint64_t cells = 0, corners = 0;
  for (int k = 0; k < KINDS; k++) {
    cells += (uint64_t)kinds[k].count;
    corners += (uint64_t)kinds[k].count * (uint64_t)kinds[k].corners;
  }
  encoder e;
  begin_array(&e, out, "type=\"Int32\" Name=\"connectivity\"", 4 * corners);
  for (int k = 0; k < KINDS; k++)
    write_corners(&e, frame, &kinds[k]);
  end_array(&e);
  begin_array(&e, out, "type=\"Int64\" Name=\"offsets\"", 8 * cells);
  uint64_t end = 0;
  for (int k = 0; k < KINDS; k++) {
    const uint64_t step = (uint64_t)kinds[k].corners;
    put_numbers(&e, &(progression){end + step, step, 8}, kinds[k].count);
    end += step * (uint64_t)kinds[k].count;
  }
  end_array(&e);
  begin_array(&e, out, "type=\"UInt8\" Name=\"types\"", cells);
  for (int k = 0; k < KINDS; k++)
    put_numbers(&e, &(progression){(uint64_t)kinds[k].type, 0, 1}, kinds[k].count);
  end_array(&e);
}

/* The runs of each kind follow each other body by body. */
static void write_bodies(document *out, const export_shape *shape, uint64_t cells) {
  encoder e;
  begin_array(&e, out, "type=\"Int32\" Name=\"body\"", 4 * cells);
  for (int k = 0; k < KINDS; k++)
    for (int b = 0; b < shape->group_count; b++) {
      const export_group *group = &shape->groups[b];
      const msd_range run = k == 0 ? group->triangles : k == 1 ? group->lines : group->points;
      put_numbers(&e, &(progression){(uint32_t)b, 0, 4}, run.count);
    }
  end_array(&e);
}

void export_vtu(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  document out = {.stream = stream, .threads = frame->threads};
  make_pairs(out.pairs);
  const separation_kind kinds[KINDS] = {{EXPORT_TRIANGLES, shape->triangle_count, 3, VTK_TRIANGLE},
                                        {EXPORT_LINES, shape->line_count, 2, VTK_LINE},
                                        {EXPORT_LOOSE_POINTS, shape->point_count, 1, VTK_VERTEX}};
  const long long cells = (long long)shape->triangle_count + shape->line_count + shape->point_count;
  fprintf(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  fprintf(stream, "<FieldData>\n");
  encoder e;
  begin_array(&e, &out, "type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\"", 8);
  put_number(&e, bytes_of_double(frame->time), 8);
  end_array(&e);
  fprintf(stream, "</FieldData>\n<Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%lld\">\n<Points>\n",
          (long)frame->points, cells);
  write_vectors(&out, "Points", frame, EXPORT_POSITIONS);
  fprintf(stream, "</Points>\n<Cells>\n");
  write_cells(&out, frame, kinds);
  const export_attributes *a = frame->attributes;
  fprintf(stream, "</Cells>\n<PointData%s%s>\n", a->normals != NULL ? " Normals=\"normals\"" : "",
          a->texture_of_point != NULL ? " TCoords=\"texture\"" : "");
  write_vectors(&out, "velocity", frame, EXPORT_VELOCITIES);
  write_attributes(&out, a, frame->points);
  fprintf(stream, "</PointData>\n<CellData>\n");
  write_bodies(&out, shape, (uint64_t)cells);
  fprintf(stream, "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}

static void put_escaped(FILE *stream, const char *text) {
  for (; *text != '\0'; text++) {
    if (strchr("&<>\"", *text) != NULL || (unsigned char)*text < ' ')
      fprintf(stream, "&#%d;", (unsigned char)*text);
    else
      fputc(*text, stream);
  }
}

void export_pvd(FILE *stream, const export_series *series) {
  fprintf(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
  for (int64_t n = 0; n < series->count; n++) {
    fprintf(stream, "<DataSet timestep=\"%.12g\" group=\"\" part=\"0\" file=\"", series->list[n].time);
    put_escaped(stream, strrchr(series->list[n].file, '/') + 1);
    fprintf(stream, "\"/>\n");
  }
  fprintf(stream, "</Collection>\n</VTKFile>\n");
}
