#include "scenes/loader/transform.h"

#include "scenes/loader/rotation.h"

bool read_degrees(const json_place *object, double degrees[3]) {
  static const quantity angle = {"an angle in degrees", -NUMBER_LARGEST, NUMBER_LARGEST};
  json_place list = place_member(object, "rotation");
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, 3, "three angles in degrees: about x, then y, then z"))
    return false;
  for (size_t axis = 0; axis < 3; axis++) {
    json_place item = place_item(&list, axis);
    if (!place_get_number(&item, &angle, &degrees[axis]))
      return false;
  }
  return true;
}

bool read_scale(const json_place *body, double scale[3]) {
  static const quantity factor = {"a factor above 0", NUMBER_SMALLEST, NUMBER_LARGEST};
  json_place place = place_member(body, "scale");
  const bool each = json_is_array(place.value);
  if (each && !place_check_array_of(&place, 3, "a factor above 0, or three [x, y, z]"))
    return false;
  for (size_t c = 0; c < 3; c++) {
    json_place item = each ? place_item(&place, c) : place;
    scale[c] = 1;
    if (place.value && !place_get_number(&item, &factor, &scale[c]))
      return false;
  }
  return true;
}

bool transform_read(const json_place *body, transform *out) {
  *out = (transform){0};
  double degrees[3] = {0};
  if (!read_point(body, "position", out->position) || !read_degrees(body, degrees) ||
      !read_scale(body, out->scale))
    return false;
  rotation_of_degrees(degrees, out->rotation);
  return true;
}

bool transform_fail(const json_place *body, const transform *t) {
  const json_place place = place_member(body, "scale");
  return place_fail(&place, "moves a vertex to %g %g %g; coordinates go to %g: lower it", t->beyond[0],
                    t->beyond[1], t->beyond[2], NUMBER_LARGEST);
}

bool transform_points(const json_place *body, transform *t, msd_vec3 *points, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const double from[3] = {(double)points[i].x, (double)points[i].y, (double)points[i].z};
    if (!transform_point(t, from, &points[i]))
      return transform_fail(body, t);
  }
  return true;
}
