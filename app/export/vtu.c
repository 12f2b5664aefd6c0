/* VTU, the XML format of VTK for unstructured grids: points with the velocity of each and, of meshes that came
   with them, its normal and texture coordinates; and triangles, lines and loose points as cells, each with the
   number of its body. The arrays are base64 within the XML, so that every reader of XML gets through the
   file. */
#include "app/export/formats.h"

#include "app/base/bytes.h"

#include <string.h>

/* Base64 (RFC 4648) of bytes that come one after another, least significant first. */
typedef struct encoder {
  FILE *stream;
  unsigned char kept[3];
  int count;
} encoder;

static void put_group(encoder *e) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned bits = (unsigned)e->kept[0] << 16 | (unsigned)e->kept[1] << 8 | e->kept[2];
  char text[4];
  for (int i = 0; i < 4; i++)
    text[i] = i <= e->count ? letters[bits >> (18 - 6 * i) & 63] : '=';
  fwrite(text, 1, sizeof text, e->stream);
  memset(e->kept, 0, sizeof e->kept);
  e->count = 0;
}

static void put(encoder *e, uint64_t bits, int count) {
  for (int i = 0; i < count; i++) {
    e->kept[e->count++] = (unsigned char)(bits >> (8 * i));
    if (e->count == 3)
      put_group(e);
  }
}

/* An array of `bytes` bytes: their number comes first. */
static encoder begin_array(FILE *stream, const char *attributes, uint64_t bytes) {
  fprintf(stream, "<DataArray %s format=\"binary\">", attributes);
  encoder e = {.stream = stream};
  put(&e, bytes, 8);
  return e;
}

static void end_array(encoder *e) {
  if (e->count > 0)
    put_group(e);
  fprintf(e->stream, "</DataArray>\n");
}

/* Of `components` numbers for each of `count` points. */
static encoder begin_reals(FILE *stream, const char *name, int components, int32_t count) {
  char attributes[120];
  snprintf(attributes, sizeof attributes, "type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
           BYTES_REAL == 4 ? "Float32" : "Float64", name, components);
  return begin_array(stream, attributes, (uint64_t)components * (uint64_t)count * BYTES_REAL);
}

static void put_vectors(FILE *stream, const char *name, msd_view view) {
  encoder e = begin_reals(stream, name, 3, view.count);
  for (int32_t i = 0; i < view.count; i++) {
    const msd_vec3 v = msd_view_at(view, i);
    put(&e, bytes_of_real(v.x), BYTES_REAL);
    put(&e, bytes_of_real(v.y), BYTES_REAL);
    put(&e, bytes_of_real(v.z), BYTES_REAL);
  }
  end_array(&e);
}

/* Of all points: 0 of those without. */
static void put_attributes(FILE *stream, const export_attributes *a, int32_t points) {
  if (a->normals != NULL) {
    encoder e = begin_reals(stream, "normals", 3, points);
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 3; c++)
        put(&e, bytes_of_real((msd_real)a->normal_of_point[i][c]), BYTES_REAL);
    end_array(&e);
  }
  if (a->texture_of_point != NULL) {
    encoder e = begin_reals(stream, "texture", 2, points);
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
  int32_t count;
  int corners, type;
} cell_kind;

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, KINDS = 3 };

static void put_cells(FILE *stream, const export_shape *shape, const cell_kind kinds[KINDS]) {
  uint64_t cells = 0, corners = 0;
  for (int k = 0; k < KINDS; k++) {
    cells += (uint64_t)kinds[k].count;
    corners += (uint64_t)kinds[k].count * (uint64_t)kinds[k].corners;
  }
  encoder e = begin_array(stream, "type=\"Int32\" Name=\"connectivity\"", 4 * corners);
  for (int32_t i = 0; i < shape->triangle_count; i++)
    for (int c = 0; c < 3; c++)
      put(&e, (uint32_t)shape->triangles[i][c], 4);
  for (int32_t i = 0; i < shape->line_count; i++)
    for (int c = 0; c < 2; c++)
      put(&e, (uint32_t)shape->lines[i][c], 4);
  for (int32_t i = 0; i < shape->point_count; i++)
    put(&e, (uint32_t)shape->points[i], 4);
  end_array(&e);
  e = begin_array(stream, "type=\"Int64\" Name=\"offsets\"", 8 * cells);
  uint64_t end = 0;
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, end += (uint64_t)kinds[k].corners, 8);
  end_array(&e);
  e = begin_array(stream, "type=\"UInt8\" Name=\"types\"", cells);
  for (int k = 0; k < KINDS; k++)
    for (int32_t i = 0; i < kinds[k].count; i++)
      put(&e, (uint64_t)kinds[k].type, 1);
  end_array(&e);
}

/* The runs of each kind follow each other body by body. */
static void put_bodies(FILE *stream, const export_shape *shape, uint64_t cells) {
  encoder e = begin_array(stream, "type=\"Int32\" Name=\"body\"", 4 * cells);
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
  const cell_kind kinds[KINDS] = {{shape->triangle_count, 3, VTK_TRIANGLE},
                                  {shape->line_count, 2, VTK_LINE},
                                  {shape->point_count, 1, VTK_VERTEX}};
  const long long cells = (long long)shape->triangle_count + shape->line_count + shape->point_count;
  fprintf(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  fprintf(stream, "<FieldData>\n");
  encoder e = begin_array(stream, "type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\"", 8);
  put(&e, bytes_of_double(frame->time), 8);
  end_array(&e);
  fprintf(stream, "</FieldData>\n<Piece NumberOfPoints=\"%ld\" NumberOfCells=\"%lld\">\n<Points>\n",
          (long)frame->positions.count, cells);
  put_vectors(stream, "Points", frame->positions);
  fprintf(stream, "</Points>\n<Cells>\n");
  put_cells(stream, shape, kinds);
  const export_attributes *a = frame->attributes;
  fprintf(stream, "</Cells>\n<PointData%s%s>\n", a->normals != NULL ? " Normals=\"normals\"" : "",
          a->texture_of_point != NULL ? " TCoords=\"texture\"" : "");
  put_vectors(stream, "velocity", frame->velocities);
  put_attributes(stream, a, frame->positions.count);
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
