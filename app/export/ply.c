/* PLY, binary, least significant byte first: vertices with position (m) and velocity (m/s), faces for
   surfaces, and, where that is asked for, edges for lines. */
#include "app/export/formats.h"

#include "app/base/bytes.h"

static void write_vec3(FILE *stream, msd_vec3 v) {
  bytes_write_little(stream, bytes_of_real(v.x), BYTES_REAL);
  bytes_write_little(stream, bytes_of_real(v.y), BYTES_REAL);
  bytes_write_little(stream, bytes_of_real(v.z), BYTES_REAL);
}

static void write_header(FILE *stream, const export_frame *frame) {
  static const char *const properties[] = {"x", "y", "z", "vx", "vy", "vz"};
  fprintf(stream, "ply\nformat binary_little_endian 1.0\ncomment %s, msd %s\ncomment time %.9g s\n",
          frame->shape->title, msd_version(), frame->time);
  fprintf(stream, "element vertex %ld\n", (long)frame->positions.count);
  for (int i = 0; i < 6; i++)
    fprintf(stream, "property %s %s\n", BYTES_REAL == 4 ? "float" : "double", properties[i]);
  fprintf(stream, "element face %ld\nproperty list uchar int vertex_indices\n",
          (long)frame->shape->triangle_count);
  if (frame->edges)
    fprintf(stream, "element edge %ld\nproperty int vertex1\nproperty int vertex2\n",
            (long)frame->shape->line_count);
  fprintf(stream, "end_header\n");
}

void export_ply(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  write_header(stream, frame);
  for (int32_t i = 0; i < frame->positions.count; i++) {
    write_vec3(stream, msd_view_at(frame->positions, i));
    write_vec3(stream, msd_view_at(frame->velocities, i));
  }
  for (int32_t i = 0; i < shape->triangle_count; i++) {
    bytes_write_little(stream, 3, 1);
    for (int c = 0; c < 3; c++)
      bytes_write_little(stream, (uint32_t)shape->triangles[i][c], 4);
  }
  for (int32_t i = 0; frame->edges && i < shape->line_count; i++) {
    for (int c = 0; c < 2; c++)
      bytes_write_little(stream, (uint32_t)shape->lines[i][c], 4);
  }
}
