/* Wavefront OBJ: `v` in m, then a group per body with `f` triangles, `l` lines and `p` loose points, all
   counted from 1. */
#include "app/export/formats.h"

#include "app/base/numbers.h"

void export_obj(FILE *stream, const export_frame *frame) {
  const export_shape *shape = frame->shape;
  fprintf(stream, "# %s, time %.9g s, msd %s\n", frame->shape->title, frame->time, msd_version());
  for (int32_t i = 0; i < frame->positions.count; i++) {
    msd_vec3 x = msd_view_at(frame->positions, i);
    fprintf(stream, "v " NUMBER_FORMAT " " NUMBER_FORMAT " " NUMBER_FORMAT "\n", (double)x.x, (double)x.y,
            (double)x.z);
  }
  for (int b = 0; b < shape->group_count; b++) {
    const export_group *group = &shape->groups[b];
    fprintf(stream, "g %s\n", group->name);
    for (int32_t i = 0; i < group->triangles.count; i++) {
      const int32_t *corners = shape->triangles[group->triangles.first + i];
      fprintf(stream, "f %ld %ld %ld\n", corners[0] + 1L, corners[1] + 1L, corners[2] + 1L);
    }
    for (int32_t i = 0; i < group->lines.count; i++) {
      const int32_t *ends = shape->lines[group->lines.first + i];
      fprintf(stream, "l %ld %ld\n", ends[0] + 1L, ends[1] + 1L);
    }
    for (int32_t i = 0; i < group->points.count; i++)
      fprintf(stream, "p %ld\n", shape->points[group->points.first + i] + 1L);
  }
}
