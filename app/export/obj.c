/* Wavefront OBJ: `v` in m, `vt` and `vn` of meshes that came with them, then a group per body with `f`
   triangles, `l` lines and `p` loose points, all counted from 1. */
#include "app/export/formats.h"

#include "app/base/numbers.h"
#include "app/base/write_buffer.h"

#include <stdlib.h>

enum { ROW_MAX = 16 * NUMBER_MAX };

static char *begin_row(write_buffer *out, const char *word) {
  return write_buffer_text(write_buffer_room(out, ROW_MAX), word);
}

static void end_row(write_buffer *out, char *end) {
  *end++ = '\n';
  write_buffer_take(out, end);
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

/* "7", "7/1", "7//3" or "7/1/3", behind a space; returns its end. */
static char *put_corner(char *to, const export_frame *frame, int32_t triangle, int corner) {
  const export_attributes *a = frame->attributes;
  const int32_t number = frame->shape->numbers[triangle];
  const int32_t texture = a->texture_of != NULL ? a->texture_of[number][corner] : -1;
  const int32_t normal = a->normal_of != NULL ? a->normal_of[number][corner] : -1;
  *to++ = ' ';
  to = number_put_count(to, frame->shape->triangles[triangle][corner] + 1L);
  if (texture >= 0 || normal >= 0)
    *to++ = '/';
  if (texture >= 0)
    to = number_put_count(to, texture + 1L);
  if (normal < 0)
    return to;
  *to++ = '/';
  return number_put_count(to, normal + 1L);
}

static void put_vertex(write_buffer *out, msd_vec3 at) {
  const msd_real parts[3] = {at.x, at.y, at.z};
  char *to = begin_row(out, "v");
  for (int c = 0; c < 3; c++) {
    *to++ = ' ';
    to = number_put(to, (double)parts[c]);
  }
  end_row(out, to);
}

static void put_triangles(write_buffer *out, const export_frame *frame, msd_range triangles) {
  for (int32_t i = triangles.first; i < triangles.first + triangles.count; i++) {
    char *to = begin_row(out, "f");
    for (int c = 0; c < 3; c++)
      to = put_corner(to, frame, i, c);
    end_row(out, to);
  }
}

/* Of points, with that word in front of them. */
static void put_numbers(write_buffer *out, const char *word, const int32_t *points, int count) {
  char *to = begin_row(out, word);
  for (int n = 0; n < count; n++) {
    *to++ = ' ';
    to = number_put_count(to, points[n] + 1L);
  }
  end_row(out, to);
}

static void put_group(write_buffer *out, const export_frame *frame, const export_group *group) {
  const export_shape *shape = frame->shape;
  put_triangles(out, frame, group->triangles);
  for (int32_t i = 0; i < group->lines.count; i++)
    put_numbers(out, "l", shape->lines[group->lines.first + i], 2);
  for (int32_t i = 0; i < group->points.count; i++)
    put_numbers(out, "p", &shape->points[group->points.first + i], 1);
}

void export_obj(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  fprintf(stream, "# %s, time %.9g s, msd %s\n", frame->shape->title, frame->time, msd_version());
  write_buffer out;
  write_buffer_begin(&out, stream);
  for (int32_t i = 0; i < frame->positions.count; i++)
    put_vertex(&out, msd_view_at(frame->positions, i));
  put_attributes(&out, frame->attributes);
  for (int b = 0; b < shape->group_count; b++) {
    write_buffer_flush(&out);
    fprintf(stream, "g %s\n", shape->groups[b].name);
    put_group(&out, frame, &shape->groups[b]);
  }
  write_buffer_flush(&out);
}
