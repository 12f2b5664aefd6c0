/* Wavefront OBJ: `v` in m, `vt` and `vn` of meshes that came with them, then a group per body with `f`
   triangles, `l` lines and `p` loose points, all counted from 1. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
#include "app/base/write_buffer.h"

#include <stdlib.h>

enum { ROW_MAX = 16 * NUMBER_MAX };

static char *end_line(char *to) {
  *to = '\n';
  return to + 1;
}

static char *begin_row(write_buffer *out, const char *word) {
  return write_buffer_text(write_buffer_room(out, ROW_MAX), word);
}

static void end_row(write_buffer *out, char *end) {
  write_buffer_take(out, end_line(end));
}

/* In the fewest digits that give back every bit, of 9 and 17. */
static char *put_exactly(char *to, double value) {
  char *end = number_put_float(to, value);
  *end = '\0';
  return strtod(to, NULL) == value ? end : number_put_double(to, value);
}

static void put_attributes(write_buffer *out, const export_attributes *a) {
  for (int32_t i = 0; i < a->texture_count; i++) {
    char *to = begin_row(out, "vt");
    for (int c = 0; c < 2; c++) {
      *to++ = ' ';
      to = put_exactly(to, a->texture[i][c]);
    }
    end_row(out, to);
  }
  for (int32_t i = 0; i < a->normal_count; i++) {
    char *to = begin_row(out, "vn");
    for (int c = 0; c < 3; c++) {
      *to++ = ' ';
      to = number_put(to, a->normals[i][c]);
    }
    end_row(out, to);
  }
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

static void put_vertices(write_buffer *out, const export_frame *frame) {
  msd_range left = {0, frame->points};
  export_stretch s;
  while (export_next(frame->source, EXPORT_POSITIONS, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(out, ROW_MAX, s.rows.count - i);
      char *to = write_buffer_room(out, ROW_MAX);
      for (int32_t n = i; n < end; n++)
        to = put_vertex(to, msd_view_at(s.vectors, n));
      write_buffer_take(out, to);
    }
}

static char *put_triangle(char *to, const attribute_rows *of, int32_t triangle, const int32_t *corners) {
  *to++ = 'f';
  for (int c = 0; c < 3; c++)
    to = put_corner(to, of, triangle, c, corners[c]);
  return end_line(to);
}

static void put_triangles(write_buffer *out, const export_frame *frame, msd_range triangles) {
  const attribute_rows of = {frame->attributes->texture_of, frame->attributes->normal_of,
                             frame->shape->numbers};
  export_stretch s;
  while (export_next(frame->source, EXPORT_TRIANGLES, &triangles, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(out, ROW_MAX, s.rows.count - i);
      char *to = write_buffer_room(out, ROW_MAX);
      for (int32_t n = i; n < end; n++)
        to = put_triangle(to, &of, s.rows.first + n, s.corners + 3 * (size_t)n);
      write_buffer_take(out, to);
    }
}

/* Lines or loose points, with that word in front of each. */
static void put_rows(write_buffer *out, const export_frame *frame, const char *word, export_column column,
                     msd_range rows) {
  const int corners = export_corners(column);
  export_stretch s;
  while (export_next(frame->source, column, &rows, &s))
    for (int32_t i = 0; i < s.rows.count; i++) {
      char *to = begin_row(out, word);
      for (int c = 0; c < corners; c++) {
        *to++ = ' ';
        to = number_put_count(to, s.corners[(size_t)i * (size_t)corners + (size_t)c] + 1L);
      }
      end_row(out, to);
    }
}

static void put_group(write_buffer *out, const export_frame *frame, const export_group *group) {
  put_triangles(out, frame, group->triangles);
  put_rows(out, frame, "l", EXPORT_LINES, group->lines);
  put_rows(out, frame, "p", EXPORT_LOOSE_POINTS, group->points);
}

void export_obj(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  fprintf(stream, "# %s, time %.9g s, msd %s\n", frame->shape->title, frame->time, msd_version());
  write_buffer out;
  write_buffer_begin(&out, stream);
  put_vertices(&out, frame);
  put_attributes(&out, frame->attributes);
  for (int b = 0; b < shape->group_count; b++) {
    write_buffer_flush(&out);
    fprintf(stream, "g %s\n", shape->groups[b].name);
    put_group(&out, frame, &shape->groups[b]);
  }
  write_buffer_flush(&out);
}
