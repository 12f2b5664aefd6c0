/* PLY, binary, least significant byte first: vertices with position (m), velocity (m/s) and, of meshes that
   came with them, normal and texture coordinates; faces for surfaces. Where that is asked for, faces have the
   texture coordinates of their corners when one vertex has several, and lines are edges. */
#include "app/export/formats.h"

#include "app/base/bytes.h"
#include "app/base/write_buffer.h"

static unsigned char *put_real(unsigned char *to, double value) {
  return bytes_put_little(to, bytes_of_real((msd_real)value), BYTES_REAL);
}

static unsigned char *put_vec3(unsigned char *to, msd_vec3 v) {
  to = bytes_put_little(to, bytes_of_real(v.x), BYTES_REAL);
  to = bytes_put_little(to, bytes_of_real(v.y), BYTES_REAL);
  return bytes_put_little(to, bytes_of_real(v.z), BYTES_REAL);
}

static const char *real_name(void) {
  return BYTES_REAL == 4 ? "float" : "double";
}

static void write_properties(FILE *stream, const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    fprintf(stream, "property %s %s\n", real_name(), names[i]);
}

/* At a seam a vertex has several, and only corners of faces have one each. */
static bool has_corners(const export_frame *frame) {
  const export_attributes *a = frame->attributes;
  return frame->seams && a->texture_of != NULL && a->texture_of_point == NULL;
}

static void write_header(FILE *stream, const export_frame *frame) {
  static const char *const moving[] = {"x", "y", "z", "vx", "vy", "vz"}, *const normal[] = {"nx", "ny", "nz"},
                           *const texture[] = {"s", "t"};
  const export_attributes *a = frame->attributes;
  fprintf(stream, "ply\nformat binary_little_endian 1.0\ncomment %s, msd %s\ncomment time %.9g s\n",
          frame->shape->title, msd_version(), frame->time);
  fprintf(stream, "element vertex %ld\n", (long)frame->points);
  write_properties(stream, moving, 6);
  if (a->normals != NULL)
    write_properties(stream, normal, 3);
  if (a->texture_of_point != NULL)
    write_properties(stream, texture, 2);
  fprintf(stream, "element face %ld\nproperty list uchar int vertex_indices\n",
          (long)frame->shape->triangle_count);
  if (has_corners(frame))
    fprintf(stream, "property list uchar %s texcoord\n", real_name());
  if (frame->edges)
    fprintf(stream, "element edge %ld\nproperty int vertex1\nproperty int vertex2\n",
            (long)frame->shape->line_count);
  fprintf(stream, "end_header\n");
}

/* 0, 0 of those without. */
static unsigned char *put_texture(unsigned char *to, const export_attributes *a, int32_t texture) {
  for (int c = 0; c < 2; c++)
    to = put_real(to, texture >= 0 ? a->texture[texture][c] : 0);
  return to;
}

/* Of one vertex, face or edge. */
enum { RECORD_MAX = 128 };

static unsigned char *put_vertex(unsigned char *to, const export_attributes *a, int32_t i, msd_vec3 position,
                                 msd_vec3 velocity) {
  to = put_vec3(put_vec3(to, position), velocity);
  for (int c = 0; a->normals != NULL && c < 3; c++)
    to = put_real(to, a->normal_of_point[i][c]);
  return a->texture_of_point != NULL ? put_texture(to, a, a->texture_of_point[i]) : to;
}

static void write_vertices(write_buffer *out, const export_frame *frame) {
  const export_attributes a = *frame->attributes;
  msd_range left = {0, frame->points};
  export_stretch x, v;
  while (export_next(frame->source, EXPORT_POSITIONS, &left, &x)) {
    msd_range same = x.rows;
    if (!export_next(frame->source, EXPORT_VELOCITIES, &same, &v))
      return;
    for (int32_t i = 0, end; i < x.rows.count; i = end) {
      end = i + write_buffer_rows(out, RECORD_MAX, x.rows.count - i);
      unsigned char *to = write_buffer_room(out, RECORD_MAX);
      for (int32_t n = i; n < end; n++)
        to = put_vertex(to, &a, x.rows.first + n, msd_view_at(x.vectors, n), msd_view_at(v.vectors, n));
      write_buffer_take(out, to);
    }
  }
}

/* With the texture coordinates of its corners, of a face of that number among all; -1: without. */
static unsigned char *put_face(unsigned char *to, const export_attributes *a, int32_t number,
                               const int32_t *corners) {
  to = bytes_put_little(to, 3, 1);
  for (int c = 0; c < 3; c++)
    to = bytes_put_little(to, (uint32_t)corners[c], 4);
  if (number < 0)
    return to;
  to = bytes_put_little(to, 6, 1);
  for (int c = 0; c < 3; c++)
    to = put_texture(to, a, a->texture_of[number][c]);
  return to;
}

static void write_faces(write_buffer *out, const export_frame *frame) {
  const export_attributes a = *frame->attributes;
  const int32_t *numbers = has_corners(frame) ? frame->shape->numbers : NULL;
  msd_range left = {0, frame->shape->triangle_count};
  export_stretch s;
  while (export_next(frame->source, EXPORT_TRIANGLES, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(out, RECORD_MAX, s.rows.count - i);
      unsigned char *to = write_buffer_room(out, RECORD_MAX);
      for (int32_t n = i; n < end; n++)
        to = put_face(to, &a, numbers != NULL ? numbers[s.rows.first + n] : -1, s.corners + 3 * (size_t)n);
      write_buffer_take(out, to);
    }
}

static void write_edge(write_buffer *out, const int32_t line[2]) {
  unsigned char *to = bytes_put_little(write_buffer_room(out, RECORD_MAX), (uint32_t)line[0], 4);
  write_buffer_take(out, bytes_put_little(to, (uint32_t)line[1], 4));
}

static void write_edges(write_buffer *out, const export_frame *frame) {
  msd_range left = {0, frame->shape->line_count};
  export_stretch s;
  while (export_next(frame->source, EXPORT_LINES, &left, &s))
    for (int32_t i = 0; i < s.rows.count; i++)
      write_edge(out, s.corners + 2 * (size_t)i);
}

void export_ply(FILE *stream, const export_frame *frame) {
  write_header(stream, frame);
  write_buffer out;
  write_buffer_begin(&out, stream);
  write_vertices(&out, frame);
  write_faces(&out, frame);
  if (frame->edges)
    write_edges(&out, frame);
  write_buffer_flush(&out);
}
