/* Wavefront OBJ: `v` in m, `vt` and `vn` of meshes that came with them, then a group per body with `f`
   triangles, `l` lines and `p` loose points, all counted from 1. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
#include "app/base/parallel_text.h"
#include "app/base/write_buffer.h"

#include <stdlib.h>

/* Of any row, and of one with up to three numbers. */
enum { ROW_MAX = 16 * NUMBER_MAX, VERTEX_MAX = 4 * NUMBER_MAX };

static char *end_line(char *to) {
  *to = '\n';
  return to + 1;
}

/* In the fewest digits that give back every bit, of 9 and 17. */
static char *put_exactly(char *to, double value) {
  char *end = number_put_float(to, value);
  *end = '\0';
  return strtod(to, NULL) == value ? end : number_put_double(to, value);
}

static char *put_texture(char *to, int32_t first, int32_t count, const void *context) {
  const export_attributes *a = context;
  for (int32_t i = first; i < first + count; i++) {
    to = write_buffer_text(to, "vt");
    for (int c = 0; c < 2; c++) {
      *to++ = ' ';
      to = put_exactly(to, a->texture[i][c]);
    }
    to = end_line(to);
  }
  return to;
}

static char *put_normals(char *to, int32_t first, int32_t count, const void *context) {
  const export_attributes *a = context;
  for (int32_t i = first; i < first + count; i++) {
    to = write_buffer_text(to, "vn");
    for (int c = 0; c < 3; c++) {
      *to++ = ' ';
      to = number_put(to, a->normals[i][c]);
    }
    to = end_line(to);
  }
  return to;
}

static void write_attributes(FILE *stream, const export_frame *frame) {
  const export_attributes *a = frame->attributes;
  parallel_text_write(&(parallel_text){put_texture, a, VERTEX_MAX, parallel_text_to_stream, stream},
                      frame->threads, a->texture_count);
  parallel_text_write(&(parallel_text){put_normals, a, VERTEX_MAX, parallel_text_to_stream, stream},
                      frame->threads, a->normal_count);
}

/* What the corners of the triangles of a shape have. */
typedef struct attribute_rows {
  /* Each row is of one triangle; NULL: none has any. */
  int32_t (*texture_of)[3], (*normal_of)[3];
  const int32_t *numbers;
} attribute_rows;

/* "7", "7/1", "7//3" or "7/1/3", behind a space; returns its end. */
static char *put_corner(char *to, const attribute_rows *of, int32_t triangle, int corner, int32_t point) {
  const int32_t texture = of->texture_of != NULL ? of->texture_of[of->numbers[triangle]][corner] : -1;
  const int32_t normal = of->normal_of != NULL ? of->normal_of[of->numbers[triangle]][corner] : -1;
  *to++ = ' ';
  to = number_put_count(to, point + 1L);
  if (texture >= 0 || normal >= 0)
    *to++ = '/';
  if (texture >= 0)
    to = number_put_count(to, texture + 1L);
  if (normal < 0)
    return to;
  *to++ = '/';
  return number_put_count(to, normal + 1L);
}

static char *put_vertex(char *to, msd_vec3 at) {
  const msd_real parts[3] = {at.x, at.y, at.z};
  *to++ = 'v';
  for (int c = 0; c < 3; c++) {
    *to++ = ' ';
    to = number_put(to, (double)parts[c]);
  }
  return end_line(to);
}

static char *put_vertices(char *to, int32_t first, int32_t count, const void *context) {
  const msd_view *at = context;
  for (int32_t i = first; i < first + count; i++)
    to = put_vertex(to, msd_view_at(*at, i));
  return to;
}

static void write_vertices(FILE *stream, const export_frame *frame) {
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, EXPORT_POSITIONS, &left, &s))
    parallel_text_write(
        &(parallel_text){put_vertices, &s.vectors, VERTEX_MAX, parallel_text_to_stream, stream},
        frame->threads, s.rows.count);
}

/* Triangles from the first one of a stretch on. */
typedef struct triangle_rows {
  attribute_rows of;
  int32_t first;
  const int32_t *corners;
} triangle_rows;

static char *put_triangles(char *to, int32_t first, int32_t count, const void *context) {
  const triangle_rows *r = context;
  for (int32_t i = first; i < first + count; i++) {
    *to++ = 'f';
    for (int c = 0; c < 3; c++)
      to = put_corner(to, &r->of, r->first + i, c, r->corners[3 * (size_t)i + (size_t)c]);
    to = end_line(to);
  }
  return to;
}

static void write_triangles(FILE *stream, const export_frame *frame, msd_range triangles) {
  const export_attributes *a = frame->attributes;
  export_stretch s;
  while (export_next(frame->source, EXPORT_TRIANGLES, &triangles, &s)) {
    const triangle_rows rows = {
        {a->texture_of, a->normal_of, frame->shape->numbers}, s.rows.first, s.corners};
    parallel_text_write(&(parallel_text){put_triangles, &rows, ROW_MAX, parallel_text_to_stream, stream},
                        frame->threads, s.rows.count);
  }
}

/* Lines or loose points of a stretch, with a letter in front of each. */
typedef struct corner_rows {
  char letter;
  int corners;
  const int32_t *points;
} corner_rows;

static char *put_corners(char *to, int32_t first, int32_t count, const void *context) {
  const corner_rows *r = context;
  for (int32_t i = first; i < first + count; i++) {
    *to++ = r->letter;
    for (int c = 0; c < r->corners; c++) {
      *to++ = ' ';
      to = number_put_count(to, r->points[(int64_t)i * r->corners + c] + 1L);
    }
    to = end_line(to);
  }
  return to;
}

static void write_corners(FILE *stream, const export_frame *frame, char letter, export_column column,
                          msd_range left) {
  export_stretch s;
  while (export_next(frame->source, column, &left, &s)) {
    const corner_rows rows = {letter, export_corners(column), s.corners};
    parallel_text_write(&(parallel_text){put_corners, &rows, VERTEX_MAX, parallel_text_to_stream, stream},
                        frame->threads, s.rows.count);
  }
}

static void write_group(FILE *stream, const export_frame *frame, const export_group *group) {
  fprintf(stream, "g %s\n", group->name);
  write_triangles(stream, frame, group->triangles);
  write_corners(stream, frame, 'l', EXPORT_LINES, group->lines);
  write_corners(stream, frame, 'p', EXPORT_LOOSE_POINTS, group->points);
}

void export_obj(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  fprintf(stream, "# %s, time %.9g s, msd %s\n", frame->shape->title, frame->time, msd_version());
  write_vertices(stream, frame);
  write_attributes(stream, frame);
  for (int b = 0; b < shape->group_count; b++)
    write_group(stream, frame, &shape->groups[b]);
}
