/* VTU, the XML format of VTK for unstructured grids: points with the velocity of each and, of meshes that came
   with them, its normal and texture coordinates; and triangles, lines and loose points as cells, each with the
   number of its body. The arrays are base64 within the XML, so that every reader of XML gets through the
   file. */
#include "app/export/formats.h"

#include "app/base/bytes.h"

#include <string.h>

/* Base64 (RFC 4648) of numbers that come one after another, least significant byte first; a block at a time, of
   a multiple of 3 bytes, each of which is 4 letters. */
enum { GROUP_BYTES = 3, GROUP_LETTERS = 4, BLOCK_GROUPS = 1024, NUMBER_BYTES_MAX = 8 };

typedef struct encoder {
  FILE *stream;
  /* Of which the last number may stand beyond the block. */
  unsigned char bytes[GROUP_BYTES * BLOCK_GROUPS + NUMBER_BYTES_MAX];
  int count;
} encoder;

static void encode_group(char *to, const unsigned char *bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
  for (int i = 0; i < GROUP_LETTERS; i++)
    to[i] = letters[bits >> (18 - 6 * i) & 63];
}

static void put_groups(encoder *e, int groups) {
  char text[GROUP_LETTERS * BLOCK_GROUPS];
  for (int g = 0; g < groups; g++)
    encode_group(text + GROUP_LETTERS * g, e->bytes + GROUP_BYTES * g);
  fwrite(text, 1, GROUP_LETTERS * (size_t)groups, e->stream);
  e->count -= GROUP_BYTES * groups;
  memmove(e->bytes, e->bytes + GROUP_BYTES * groups, (size_t)e->count);
}

static inline void put(encoder *e, uint64_t bits, int count) {
  bytes_store_little(e->bytes + e->count, bits, count);
  e->count += count;
  if (e->count >= GROUP_BYTES * BLOCK_GROUPS)
    put_groups(e, BLOCK_GROUPS);
}

/* An array of `bytes` bytes: their number comes first. */
static void begin_array(encoder *e, FILE *stream, const char *attributes, uint64_t bytes) {
  fprintf(stream, "<DataArray %s format=\"binary\">", attributes);
  e->stream = stream;
  e->count = 0;
  put(e, bytes, 8);
}

/* The last group may have too few bytes, and "=" in the place of those letters. */
static void end_array(encoder *e) {
  put_groups(e, e->count / GROUP_BYTES);
  if (e->count > 0) {
    char text[GROUP_LETTERS];
    memset(e->bytes + e->count, 0, GROUP_BYTES);
    encode_group(text, e->bytes);
    memset(text + e->count + 1, '=', (size_t)(GROUP_LETTERS - 1 - e->count));
    fwrite(text, 1, sizeof text, e->stream);
  }
  fprintf(e->stream, "</DataArray>\n");
}

/* Of `components` numbers for each of `count` points. */
static void begin_reals(encoder *e, FILE *stream, const char *name, int components, int32_t count) {
  char attributes[120];
  snprintf(attributes, sizeof attributes, "type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
           BYTES_REAL == 4 ? "Float32" : "Float64", name, components);
  begin_array(e, stream, attributes, (uint64_t)components * (uint64_t)count * BYTES_REAL);
}

static void put_vectors(FILE *stream, const char *name, const export_frame *frame, export_column column) {
  encoder e;
  begin_reals(&e, stream, name, 3, frame->points);
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, column, &left, &s))
    for (int32_t i = 0; i < s.rows.count; i++) {
      const msd_vec3 v = msd_view_at(s.vectors, i);
      put(&e, bytes_of_real(v.x), BYTES_REAL);
      put(&e, bytes_of_real(v.y), BYTES_REAL);
      put(&e, bytes_of_real(v.z), BYTES_REAL);
    }
  end_array(&e);
}

/* Of all points: 0 of those without. */
static void put_attributes(FILE *stream, const export_attributes *a, int32_t points) {
  encoder e;
  if (a->normals != NULL) {
    begin_reals(&e, stream, "normals", 3, points);
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 3; c++)
        put(&e, bytes_of_real((msd_real)a->normal_of_point[i][c]), BYTES_REAL);
    end_array(&e);
  }
  if (a->texture_of_point != NULL) {
    begin_reals(&e, stream, "texture", 2, points);
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
    for (size_t c = 0; c < (size_t)s.rows.count * (size_t)kind->corners; c++)
      put(e, (uint32_t)s.corners[c], 4);
}

static void put_cells(FILE *stream, const export_frame *frame, const cell_kind kinds[KINDS]) {
  uint64_t cells = 0, corners = 0;
  for (int k = 0; k < KINDS; k++) {
    cells += (uint64_t)kinds[k].count;
    corners += (uint64_t)kinds[k].count * (uint64_t)kinds[k].corners;
  }
  encoder e;
  begin_array(&e, stream, "type=\"Int32\" Name=\"connectivity\"", 4 * corners);
  for (int k = 0; k < KINDS; k++)
    put_corners(&e, frame, &kinds[k]);
  end_array(&e);
  begin_array(&e, stream, "type=\"Int64\" Name=\"offsets\"", 8 * cells);
  uint64_t end = 0;
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, end += (uint64_t)kinds[k].corners, 8);
  end_array(&e);
  begin_array(&e, stream, "type=\"UInt8\" Name=\"types\"", cells);
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, (uint64_t)kinds[k].type, 1);
  end_array(&e);
}

/* The runs of each kind follow each other body by body. */
static void put_bodies(FILE *stream, const export_shape *shape, uint64_t cells) {
  encoder e;
  begin_array(&e, stream, "type=\"Int32\" Name=\"body\"", 4 * cells);
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
  const cell_kind kinds[KINDS] = {{EXPORT_TRIANGLES, shape->triangle_count, 3, VTK_TRIANGLE},
                                  {EXPORT_LINES, shape->line_count, 2, VTK_LINE},
                                  {EXPORT_LOOSE_POINTS, shape->point_count, 1, VTK_VERTEX}};
  const long long cells = (long long)shape->triangle_count + shape->line_count + shape->point_count;
  fprintf(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  fprintf(stream, "<FieldData>\n");
  encoder e;
  begin_array(&e, stream, "type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\"", 8);
  put(&e, bytes_of_double(frame->time), 8);
  end_array(&e);
  fprintf(stream, "</FieldData>\n<Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%lld\">\n<Points>\n",
          (long)frame->points, cells);
  put_vectors(stream, "Points", frame, EXPORT_POSITIONS);
  fprintf(stream, "</Points>\n<Cells>\n");
  put_cells(stream, frame, kinds);
  const export_attributes *a = frame->attributes;
  fprintf(stream, "</Cells>\n<PointData%s%s>\n", a->normals != NULL ? " Normals=\"normals\"" : "",
          a->texture_of_point != NULL ? " TCoords=\"texture\"" : "");
  put_vectors(stream, "velocity", frame, EXPORT_VELOCITIES);
  put_attributes(stream, a, frame->points);
  fprintf(stream, "</PointData>\n<CellData>\n");
  put_bodies(stream, shape, (uint64_t)cells);
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
