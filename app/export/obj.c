/* Wavefront OBJ: `v` in m, `vt` and `vn` of meshes that came with them, then a group per body with `f`
   triangles, `l` lines and `p` loose points, all counted from 1. */
#include "app/export/formats.h"

#include "app/base/numbers.h"

#include <stdlib.h>

/* In the fewest digits that give back every bit, of 9 and 17. */
static void put_exactly(FILE *stream, double value) {
  char text[32];
  snprintf(text, sizeof text, "%.9g", value);
  if (strtod(text, NULL) != value)
    snprintf(text, sizeof text, "%.17g", value);
  fprintf(stream, " %s", text);
}

static void put_attributes(FILE *stream, const export_attributes *a) {
  for (int32_t i = 0; i < a->texture_count; i++) {
    fprintf(stream, "vt");
    put_exactly(stream, a->texture[i][0]);
    put_exactly(stream, a->texture[i][1]);
    fputc('\n', stream);
  }
  for (int32_t i = 0; i < a->normal_count; i++)
    fprintf(stream, "vn " NUMBER_FORMAT " " NUMBER_FORMAT " " NUMBER_FORMAT "\n", a->normals[i][0],
            a->normals[i][1], a->normals[i][2]);
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

enum { ROW_MAX = 16 * NUMBER_MAX };

static void end_row(FILE *stream, const char *row, char *end) {
  *end++ = '\n';
  fwrite(row, 1, (size_t)(end - row), stream);
}

static void put_vertex(FILE *stream, msd_vec3 at) {
  const msd_real parts[3] = {at.x, at.y, at.z};
  char row[ROW_MAX] = "v", *to = row + 1;
  for (int c = 0; c < 3; c++) {
    *to++ = ' ';
    to = number_put(to, parts[c]);
  }
  end_row(stream, row, to);
}

static void put_triangles(FILE *stream, const export_frame *frame, msd_range triangles) {
  for (int32_t i = triangles.first; i < triangles.first + triangles.count; i++) {
    char row[ROW_MAX] = "f", *to = row + 1;
    for (int c = 0; c < 3; c++)
      to = put_corner(to, frame, i, c);
    end_row(stream, row, to);
  }
}

void export_obj(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  fprintf(stream, "# %s, time %.9g s, msd %s\n", frame->shape->title, frame->time, msd_version());
  for (int32_t i = 0; i < frame->positions.count; i++)
    put_vertex(stream, msd_view_at(frame->positions, i));
  put_attributes(stream, frame->attributes);
  for (int b = 0; b < shape->group_count; b++) {
    const export_group *group = &shape->groups[b];
    fprintf(stream, "g %s\n", group->name);
    put_triangles(stream, frame, group->triangles);
    for (int32_t i = 0; i < group->lines.count; i++) {
      const int32_t *ends = shape->lines[group->lines.first + i];
      fprintf(stream, "l %ld %ld\n", ends[0] + 1L, ends[1] + 1L);
    }
    for (int32_t i = 0; i < group->points.count; i++)
      fprintf(stream, "p %ld\n", shape->points[group->points.first + i] + 1L);
  }
}
