#include "scenes/loader/rope_path.h"

#include "scenes/loader/distance.h"

static bool read_corner(const void *context, const json_place *place, void *item) {
  (void)context;
  *(msd_vec3 *)item = (msd_vec3){0, 0, 0};
  return place_get_position(place, item);
}

bool rope_path_read(const json_place *body, rope_path *path) {
  const char *text = "a list of two or more points, such as [[0, 2, 0], [1, 2, 0], [1, 3, 0]]";
  const json_place place = place_member(body, "path");
  json_list list;
  *path = (rope_path){0};
  if (!place.value)
    return true;
  if (!read_list(body, "path", text, sizeof(msd_vec3), read_corner, NULL, &list))
    return false;
  *path = (rope_path){.points = list.items, .count = (int)list.count};
  if (list.count < 2)
    return place_fail(&place, "has %d points; it must be %s", path->count, text);
  for (int n = 1; n < path->count; n++)
    path->length += place_distance(path->points[n - 1], path->points[n]);
  return path->length > 0 || place_fail(&place, "ends where it begins; give it a length");
}

msd_result rope_path_place(const rope_path *path, msd_world *world, msd_range particles) {
  msd_result result = MSD_OK;
  double before = 0;
  int n = 1;
  for (int32_t i = 0; result == MSD_OK && i < particles.count; i++) {
    const double along = path->length * i / (particles.count - 1);
    while (n + 1 < path->count && before + place_distance(path->points[n - 1], path->points[n]) < along) {
      before += place_distance(path->points[n - 1], path->points[n]);
      n++;
    }
    const msd_vec3 a = path->points[n - 1], b = path->points[n];
    const double length = place_distance(a, b), share = length > 0 ? fmin((along - before) / length, 1) : 0;
    const msd_vec3 at = {(msd_real)((double)a.x + share * ((double)b.x - (double)a.x)),
                         (msd_real)((double)a.y + share * ((double)b.y - (double)a.y)),
                         (msd_real)((double)a.z + share * ((double)b.z - (double)a.z))};
    result = msd_particle_set_position(world, particles.first + i, at);
  }
  return result;
}
