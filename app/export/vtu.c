/* VTU, the XML format of VTK for unstructured grids: points with the velocity of each and, of meshes that came
   with them, its normal and texture coordinates; and triangles, lines and loose points as cells, each with the
   number of its body. The arrays are base64 within the XML, so that every reader of XML gets through the
   file. */
#include "app/export/formats.h"

#include "app/base/bytes.h"

#include <string.h>

/* Base64 (RFC 4648) of numbers that come one after another, least significant byte first; a block at a time.
   Three bytes are a group of four letters, and twelve bits a pair of them, of which there is a table. Six bytes
   are read at once; what is read and written behind the last group has room. */
enum { GROUP_BYTES = 3, GROUP_LETTERS = 4, WORD_BYTES = 6, WORD_LETTERS = 8, BLOCK_WORDS = 1024 };
enum { PAIR_BITS = 12, PAIRS = 1 << PAIR_BITS, NUMBER_BYTES_MAX = 8 };

typedef struct encoder {
  FILE *stream;
  char (*pairs)[2];
  /* Of which the last number may stand beyond the block. */
  unsigned char bytes[WORD_BYTES * BLOCK_WORDS + 2 * NUMBER_BYTES_MAX];
  int count;
} encoder;

/* What a file is written to, and what it is written with. */
typedef struct document {
  FILE *stream;
  char pairs[PAIRS][2];
} document;

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

static void put_groups(encoder *e, int groups) {
  char text[WORD_LETTERS * BLOCK_WORDS + WORD_LETTERS];
  for (int w = 0; w < (groups + 1) / 2; w++)
    encode_word(text + WORD_LETTERS * w, e->bytes + WORD_BYTES * w, e->pairs);
  fwrite(text, 1, GROUP_LETTERS * (size_t)groups, e->stream);
  e->count -= GROUP_BYTES * groups;
  memmove(e->bytes, e->bytes + GROUP_BYTES * groups, (size_t)e->count);
}

/* Of so many records of `size` bytes, one at least and no more than a block has, those that fit in it. */
static inline int32_t rows_of(encoder *e, int size, int32_t rows) {
  if (e->count + size > WORD_BYTES * BLOCK_WORDS)
    put_groups(e, e->count / GROUP_BYTES);
  const int32_t fitting = (WORD_BYTES * BLOCK_WORDS - e->count) / size;
  return rows < fitting ? rows : fitting;
}

static inline void put(encoder *e, uint64_t bits, int count) {
  bytes_store_little(e->bytes + e->count, bits, count);
  e->count += count;
  if (e->count >= WORD_BYTES * BLOCK_WORDS)
    put_groups(e, 2 * BLOCK_WORDS);
}

/* An array of `bytes` bytes: their number comes first. */
static void begin_array(encoder *e, document *to, const char *attributes, uint64_t bytes) {
  fprintf(to->stream, "<DataArray %s format=\"binary\">", attributes);
  e->stream = to->stream;
  e->pairs = to->pairs;
  e->count = 0;
  put(e, bytes, 8);
}

/* The last group may have too few bytes, and "=" in the place of those letters. */
static void end_array(encoder *e) {
  put_groups(e, e->count / GROUP_BYTES);
  if (e->count > 0) {
    char text[WORD_LETTERS];
    memset(e->bytes + e->count, 0, WORD_BYTES);
    encode_word(text, e->bytes, e->pairs);
    memset(text + e->count + 1, '=', (size_t)(GROUP_LETTERS - 1 - e->count));
    fwrite(text, 1, GROUP_LETTERS, e->stream);
  }
  fprintf(e->stream, "</DataArray>\n");
}

/* Of `components` numbers for each of `count` points. */
static void begin_reals(encoder *e, document *to, const char *name, int components, int32_t count) {
  char attributes[120];
  snprintf(attributes, sizeof attributes, "type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
           BYTES_REAL == 4 ? "Float32" : "Float64", name, components);
  begin_array(e, to, attributes, (uint64_t)components * (uint64_t)count * BYTES_REAL);
}

static void put_vectors(document *out, const char *name, const export_frame *frame, export_column column) {
  encoder e;
  begin_reals(&e, out, name, 3, frame->points);
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, column, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + rows_of(&e, 3 * BYTES_REAL, s.rows.count - i);
      unsigned char *to = e.bytes + e.count;
      for (int32_t n = i; n < end; n++) {
        const msd_vec3 v = msd_view_at(s.vectors, n);
        to = bytes_put_little(to, bytes_of_real(v.x), BYTES_REAL);
        to = bytes_put_little(to, bytes_of_real(v.y), BYTES_REAL);
        to = bytes_put_little(to, bytes_of_real(v.z), BYTES_REAL);
      }
      e.count = (int)(to - e.bytes);
    }
  end_array(&e);
}

/* Of all points: 0 of those without. */
static void put_attributes(document *out, const export_attributes *a, int32_t points) {
  encoder e;
  if (a->normals != NULL) {
    begin_reals(&e, out, "normals", 3, points);
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 3; c++)
        put(&e, bytes_of_real((msd_real)a->normal_of_point[i][c]), BYTES_REAL);
    end_array(&e);
  }
  if (a->texture_of_point != NULL) {
    begin_reals(&e, out, "texture", 2, points);
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 2; c++) {
        const int32_t texture = a->texture_of_point[i];
        put(&e, bytes_of_real(texture < 0 ? 0 : (msd_real)a->texture[texture][c]), BYTES_REAL);
      }
    end_array(&e);
  }
}

/* What VTK calls the kinds of cells, and how many corners they have. */
typedef struct cell_kind {
  export_column column;
  int32_t count;
  int corners, type;
} cell_kind;

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, KINDS = 3 };

static void put_corners(encoder *e, const export_frame *frame, const cell_kind *kind) {
  msd_range left = {0, kind->count};
  export_stretch s;
  while (export_next(frame->source, kind->column, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + rows_of(e, 4 * kind->corners, s.rows.count - i);
      unsigned char *to = e->bytes + e->count;
      const int32_t *corner = s.corners + (int64_t)i * kind->corners;
      for (int32_t n = 0; n < (end - i) * kind->corners; n++)
        to = bytes_put_little(to, (uint32_t)corner[n], 4);
      e->count = (int)(to - e->bytes);
    }
}

static void put_cells(document *out, const export_frame *frame, const cell_kind kinds[KINDS]) {
  uint64_t cells = 0, corners = 0;
  for (int k = 0; k < KINDS; k++) {
    cells += (uint64_t)kinds[k].count;
    corners += (uint64_t)kinds[k].count * (uint64_t)kinds[k].corners;
  }
  encoder e;
  begin_array(&e, out, "type=\"Int32\" Name=\"connectivity\"", 4 * corners);
  for (int k = 0; k < KINDS; k++)
    put_corners(&e, frame, &kinds[k]);
  end_array(&e);
  begin_array(&e, out, "type=\"Int64\" Name=\"offsets\"", 8 * cells);
  uint64_t end = 0;
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, end += (uint64_t)kinds[k].corners, 8);
  end_array(&e);
  begin_array(&e, out, "type=\"UInt8\" Name=\"types\"", cells);
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, (uint64_t)kinds[k].type, 1);
  end_array(&e);
}

/* The runs of each kind follow each other body by body. */
static void put_bodies(document *out, const export_shape *shape, uint64_t cells) {
  encoder e;
  begin_array(&e, out, "type=\"Int32\" Name=\"body\"", 4 * cells);
  for (int k = 0; k < KINDS; k++)
    for (int b = 0; b < shape->group_count; b++) {
      const export_group *group = &shape->groups[b];
      const msd_range run = k == 0 ? group->triangles : k == 1 ? group->lines : group->points;
      for (int32_t i = 0; i < run.count; i++)
        put(&e, (uint32_t)b, 4);
    }
  end_array(&e);
}

void export_vtu(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  document out = {.stream = stream};
  make_pairs(out.pairs);
  const cell_kind kinds[KINDS] = {{EXPORT_TRIANGLES, shape->triangle_count, 3, VTK_TRIANGLE},
                                  {EXPORT_LINES, shape->line_count, 2, VTK_LINE},
                                  {EXPORT_LOOSE_POINTS, shape->point_count, 1, VTK_VERTEX}};
  const long long cells = (long long)shape->triangle_count + shape->line_count + shape->point_count;
  fprintf(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  fprintf(stream, "<FieldData>\n");
  encoder e;
  begin_array(&e, &out, "type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\"", 8);
  put(&e, bytes_of_double(frame->time), 8);
  end_array(&e);
  fprintf(stream, "</FieldData>\n<Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%lld\">\n<Points>\n",
          (long)frame->points, cells);
  put_vectors(&out, "Points", frame, EXPORT_POSITIONS);
  fprintf(stream, "</Points>\n<Cells>\n");
  put_cells(&out, frame, kinds);
  const export_attributes *a = frame->attributes;
  fprintf(stream, "</Cells>\n<PointData%s%s>\n", a->normals != NULL ? " Normals=\"normals\"" : "",
          a->texture_of_point != NULL ? " TCoords=\"texture\"" : "");
  put_vectors(&out, "velocity", frame, EXPORT_VELOCITIES);
  put_attributes(&out, a, frame->points);
  fprintf(stream, "</PointData>\n<CellData>\n");
  put_bodies(&out, shape, (uint64_t)cells);
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
