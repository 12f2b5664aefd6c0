/* VTK legacy, binary (most significant byte first, as the format demands): a POLYDATA set with the velocity
   of each point and, of meshes that came with them, its normal and texture coordinates. The time of the frame
   is also the field TIME, where VisIt looks for it. */
#include "app/export/formats.h"

#include "app/base/bytes.h"
#include "app/base/write_buffer.h"

#include <jansson.h>

static const char *real_name(void) {
  return BYTES_REAL == 4 ? "float" : "double";
}

static unsigned char *put_real(unsigned char *to, double value) {
  return bytes_put_big(to, bytes_of_real((msd_real)value), BYTES_REAL);
}

static void write_vec3s(FILE *stream, const export_frame *frame, export_column column) {
  write_buffer out;
  write_buffer_begin(&out, stream);
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, column, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(&out, 3 * BYTES_REAL, s.rows.count - i);
      unsigned char *to = write_buffer_room(&out, 3 * BYTES_REAL);
      for (int32_t n = i; n < end; n++) {
        const msd_vec3 v = msd_view_at(s.vectors, n);
        to = bytes_put_big(to, bytes_of_real(v.x), BYTES_REAL);
        to = bytes_put_big(to, bytes_of_real(v.y), BYTES_REAL);
        to = bytes_put_big(to, bytes_of_real(v.z), BYTES_REAL);
      }
      write_buffer_take(&out, to);
    }
  write_buffer_flush(&out);
  fputc('\n', stream);
}

/* Of a triangle. */
enum { CELL_MAX = 4 * (1 + 3) };

/* Cells of a kind: their number of corners, then the points. */
static void write_cells(FILE *stream, const char *keyword, const export_frame *frame, export_column column,
                        int32_t count) {
  const int corners = export_corners(column);
  if (count == 0)
    return;
  fprintf(stream, "%s %ld %lld\n", keyword, (long)count, (long long)count * (corners + 1));
  write_buffer out;
  write_buffer_begin(&out, stream);
  msd_range left = {0, count};
  export_stretch s;
  while (export_next(frame->source, column, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(&out, CELL_MAX, s.rows.count - i);
      unsigned char *to = write_buffer_room(&out, CELL_MAX);
      const int32_t *corner = s.corners + (int64_t)i * corners;
      for (int32_t n = i; n < end; n++) {
        to = bytes_put_big(to, (uint32_t)corners, 4);
        for (int c = 0; c < corners; c++)
          to = bytes_put_big(to, (uint32_t)*corner++, 4);
      }
      write_buffer_take(&out, to);
    }
  write_buffer_flush(&out);
  fputc('\n', stream);
}

/* Of all points: 0 of those without. */
static void write_attributes(FILE *stream, const export_attributes *a, int32_t points) {
  write_buffer out;
  write_buffer_begin(&out, stream);
  if (a->normals != NULL) {
    fprintf(stream, "NORMALS normals %s\n", real_name());
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 3; c++)
        write_buffer_take(&out, put_real(write_buffer_room(&out, BYTES_REAL), a->normal_of_point[i][c]));
    write_buffer_flush(&out);
    fputc('\n', stream);
  }
  if (a->texture_of_point != NULL) {
    fprintf(stream, "TEXTURE_COORDINATES texture 2 %s\n", real_name());
    for (int32_t i = 0; i < points; i++)
      for (int c = 0; c < 2; c++) {
        const int32_t texture = a->texture_of_point[i];
        write_buffer_take(
            &out, put_real(write_buffer_room(&out, BYTES_REAL), texture < 0 ? 0 : a->texture[texture][c]));
      }
    write_buffer_flush(&out);
    fputc('\n', stream);
  }
}

void export_vtk(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  long count = (long)frame->points;
  /* The title line holds at most 255 letters. */
  fprintf(stream, "# vtk DataFile Version 3.0\n%.200s, msd %s\nBINARY\nDATASET POLYDATA\n",
          frame->shape->title, msd_version());
  fprintf(stream, "FIELD FieldData 1\nTIME 1 1 double\n");
  bytes_write_big(stream, bytes_of_double(frame->time), 8);
  fprintf(stream, "\nPOINTS %ld %s\n", count, real_name());
  write_vec3s(stream, frame, EXPORT_POSITIONS);
  write_cells(stream, "VERTICES", frame, EXPORT_LOOSE_POINTS, shape->point_count);
  write_cells(stream, "LINES", frame, EXPORT_LINES, shape->line_count);
  write_cells(stream, "POLYGONS", frame, EXPORT_TRIANGLES, shape->triangle_count);
  fprintf(stream, "POINT_DATA %ld\nVECTORS velocity %s\n", count, real_name());
  write_vec3s(stream, frame, EXPORT_VELOCITIES);
  write_attributes(stream, frame->attributes, frame->points);
}

/* The legacy format has no list of its own (.pvd lists files of the XML formats); ParaView opens a JSON list
   with the ending .vtk.series as one animation. */
void export_vtk_series(FILE *stream, const export_series *all) {
  json_t *files = json_array();
  for (int64_t n = 0; n < all->count; n++)
    json_array_append_new(files, json_pack("{s:s, s:f}", "name", strrchr(all->list[n].file, '/') + 1, "time",
                                           all->list[n].time));
  json_t *series = json_pack("{s:s, s:o}", "file-series-version", "1.0", "files", files);
  json_dumpf(series, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  fputc('\n', stream);
  json_decref(series);
}
