#include "scenes/loader/transform.h"

#include <math.h>

/* --------------------------------------------------------------------------------------------- rotation */

typedef struct direction {
  double cosine, sine;
} direction;

/* Taylor series, in degrees of -45 to 45, to the last bit or two of a double. Only + - * and / are used, so
   that a scene has the same bits wherever it is loaded; cos and sin differ from one C library to the next. */
static direction small_turn(double degrees) {
  static const double radians = 3.14159265358979323846 / 180;
  const double x = degrees * radians, square = x * x;
  double cosine = 0, sine = 0;
  for (int n = 18; n >= 2; n -= 2) {
    cosine = (1 + cosine) * -square / ((n - 1) * n);
    sine = (1 + sine) * -square / (n * (n + 1));
  }
  return (direction){1 + cosine, x * (1 + sine)};
}

/* Exact at multiples of 90 degrees. */
static direction turn(double degrees) {
  const double whole = fmod(degrees, 360), quarters = floor(whole / 90 + 0.5);
  const direction d = small_turn(whole - 90 * quarters);
  switch (((int)quarters % 4 + 4) % 4) {
  case 1:
    return (direction){-d.sine, d.cosine};
  case 2:
    return (direction){-d.cosine, -d.sine};
  case 3:
    return (direction){d.sine, -d.cosine};
  default:
    return d;
  }
}

/* Turns further: about x the axes y and z, about y the axes z and x, about z the axes x and y. */
static void turn_about(double rotation[3][3], int axis, double degrees) {
  const direction d = turn(degrees);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int column = 0; column < 3; column++) {
    const double a = rotation[u][column], b = rotation[v][column];
    rotation[u][column] = d.cosine * a - d.sine * b;
    rotation[v][column] = d.sine * a + d.cosine * b;
  }
}

static bool read_rotation(const json_place *body, double rotation[3][3]) {
  static const quantity angle = {"an angle in degrees", -NUMBER_LARGEST, NUMBER_LARGEST};
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++)
      rotation[i][c] = i == c;
  json_place list = place_member(body, "rotation");
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, 3, "three angles in degrees: about x, then y, then z"))
    return false;
  for (int axis = 0; axis < 3; axis++) {
    json_place item = place_item(&list, (size_t)axis);
    double degrees = 0;
    if (!place_get_number(&item, &angle, &degrees))
      return false;
    turn_about(rotation, axis, degrees);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------- everything */

static bool read_scale(const json_place *body, double scale[3]) {
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
  return read_vector(body, "position", &out->position) && read_rotation(body, out->rotation) &&
         read_scale(body, out->scale);
}

bool transform_points(const json_place *body, const transform *t, msd_vec3 *points, int32_t count) {
  const double to[3] = {(double)t->position.x, (double)t->position.y, (double)t->position.z};
  for (int32_t i = 0; i < count; i++) {
    const double p[3] = {(double)points[i].x * t->scale[0], (double)points[i].y * t->scale[1],
                         (double)points[i].z * t->scale[2]};
    double q[3];
    for (int c = 0; c < 3; c++)
      q[c] = t->rotation[c][0] * p[0] + t->rotation[c][1] * p[1] + t->rotation[c][2] * p[2] + to[c];
    if (fmax(fmax(fabs(q[0]), fabs(q[1])), fabs(q[2])) > NUMBER_LARGEST) {
      json_place place = place_member(body, "scale");
      return place_fail(&place, "moves a vertex to %g %g %g; coordinates go to %g: lower it", q[0], q[1],
                        q[2], NUMBER_LARGEST);
    }
    points[i] = (msd_vec3){(msd_real)q[0], (msd_real)q[1], (msd_real)q[2]};
  }
  return true;
}
