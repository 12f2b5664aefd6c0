/* PLY, binary, least significant byte first: vertices with position (m), velocity (m/s) and, of meshes that
   came with them, normal and texture coordinates; faces for surfaces. Where that is asked for, faces have the
   texture coordinates of their corners when one vertex has several, and lines are edges. */
#include "app/export/formats.h"

#include "app/base/bytes.h"

static void write_real(FILE *stream, double value) {
  bytes_write_little(stream, bytes_of_real((msd_real)value), BYTES_REAL);
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
  fprintf(stream, "element vertex %ld\n", (long)frame->positions.count);
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
static void write_texture(FILE *stream, const export_attributes *a, int32_t texture) {
  for (int c = 0; c < 2; c++)
    write_real(stream, texture >= 0 ? a->texture[texture][c] : 0);
}

static void write_vertex(FILE *stream, const export_frame *frame, int32_t i) {
  const export_attributes *a = frame->attributes;
  unsigned char moving[6 * BYTES_REAL];
  put_vec3(put_vec3(moving, msd_view_at(frame->positions, i)), msd_view_at(frame->velocities, i));
  fwrite(moving, 1, sizeof moving, stream);
  for (int c = 0; a->normals != NULL && c < 3; c++)
    write_real(stream, a->normal_of_point[i][c]);
  if (a->texture_of_point != NULL)
    write_texture(stream, a, a->texture_of_point[i]);
}

static void write_face(FILE *stream, const export_frame *frame, int32_t i) {
  const export_attributes *a = frame->attributes;
  unsigned char record[1 + 3 * 4], *to = bytes_put_little(record, 3, 1);
  for (int c = 0; c < 3; c++)
    to = bytes_put_little(to, (uint32_t)frame->shape->triangles[i][c], 4);
  fwrite(record, 1, sizeof record, stream);
  if (!has_corners(frame))
    return;
  bytes_write_little(stream, 6, 1);
  for (int c = 0; c < 3; c++)
    write_texture(stream, a, a->texture_of[frame->shape->numbers[i]][c]);
}

void export_ply(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  write_header(stream, frame);
  for (int32_t i = 0; i < frame->positions.count; i++)
    write_vertex(stream, frame, i);
  for (int32_t i = 0; i < shape->triangle_count; i++)
    write_face(stream, frame, i);
  for (int32_t i = 0; frame->edges && i < shape->line_count; i++) {
    for (int c = 0; c < 2; c++)
      bytes_write_little(stream, (uint32_t)shape->lines[i][c], 4);
  }
}
