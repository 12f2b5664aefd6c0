#include "app/report/wind_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"

#include <math.h>

typedef struct wind_faces {
  int64_t triangles, segments;
} wind_faces;

/* Wind acts on every surface. */
static wind_faces count_faces(const msd_world *world) {
  wind_faces faces = {0};
  for (int32_t s = 0; s < msd_world_get_collision_mesh_count(world); s++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, s);
    faces.triangles += def.triangle_count;
    faces.segments += def.segment_count;
  }
  return faces;
}

static double speed_of(const msd_wind_def *wind) {
  const double v[3] = {(double)wind->velocity.x, (double)wind->velocity.y, (double)wind->velocity.z};
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void wind_report_print(const msd_world *world, FILE *stream) {
  const msd_wind_def wind = msd_world_get_wind(world);
  const wind_faces faces = count_faces(world);
  if (!(wind.density > 0))
    return;
  fprintf(stream, "  wind              %s m/s on average", units_number(speed_of(&wind), 3).text);
  if (wind.turbulence > 0)
    fprintf(stream, ", turbulence of %s m/s", units_number((double)wind.turbulence, 3).text);
  fprintf(stream, "; acts on %s triangle%s and %s segment%s; does not reduce the stable substep\n",
          units_count(faces.triangles).text, faces.triangles == 1 ? "" : "s",
          units_count(faces.segments).text, faces.segments == 1 ? "" : "s");
}

int wind_report_json(const msd_world *world, json_t *object) {
  const msd_wind_def wind = msd_world_get_wind(world);
  const wind_faces faces = count_faces(world);
  if (!(wind.density > 0))
    return 0;
  json_t *velocity = json_array();
  int failed = json_array_append_new(velocity, json_number((double)wind.velocity.x));
  failed |= json_array_append_new(velocity, json_number((double)wind.velocity.y));
  failed |= json_array_append_new(velocity, json_number((double)wind.velocity.z));
  failed |= json_object_set_new(object, "wind", velocity);
  failed |= json_object_set_new(object, "turbulence", json_number((double)wind.turbulence));
  failed |= json_object_set_new(object, "wind_triangles", json_integer(faces.triangles));
  failed |= json_object_set_new(object, "wind_segments", json_integer(faces.segments));
  return failed;
}
