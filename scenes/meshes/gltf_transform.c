#include "scenes/meshes/gltf_transform.h"

#include <math.h>
#include <string.h>

#define ROW_ROUNDING 1e-5

gltf_transform gltf_transform_none(void) {
  return (gltf_transform){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
}

/* A member that is a list of `count` numbers; an absent one leaves them as they are. */
static bool read_numbers(const json_place *node, const char *key, const char *text, size_t count,
                         double *out) {
  static const quantity any = {"a number", -NUMBER_LARGEST, NUMBER_LARGEST};
  const json_place list = place_member(node, key);
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, count, text))
    return false;
  for (size_t i = 0; i < count; i++) {
    const json_place item = place_item(&list, i);
    if (!place_get_number(&item, &any, &out[i]))
      return false;
  }
  return true;
}

static bool read_matrix(const json_place *node, gltf_transform *out) {
  static const char *const others[] = {"translation", "rotation", "scale"};
  const json_place place = place_member(node, "matrix");
  double m[16] = {0};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (place_member(node, others[k]).value)
      return place_fail(&place, "cannot be combined with \"%s\"; a node has one of them", others[k]);
  if (!read_numbers(node, "matrix", "16 numbers, column by column", 16, m))
    return false;
  /* Matrices that programs have multiplied in float are not quite affine; these are taken as if they were. */
  if (!(fmax(fabs(m[3]), fmax(fabs(m[7]), fabs(m[11]))) <= ROW_ROUNDING && fabs(m[15] - 1) <= ROW_ROUNDING))
    return place_fail(&place, "has a last row of %g %g %g %g; it must be 0 0 0 1", m[3], m[7], m[11], m[15]);
  for (int c = 0; c < 4; c++)
    memcpy(out->column[c], &m[4 * c], sizeof out->column[c]);
  return true;
}

/* The columns become those of the rotation by a quaternion of any length but 0: x, y, z, w. */
static bool rotate(const json_place *node, double q[4], double columns[3][3]) {
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const json_place place = place_member(node, "rotation");
  if (!(length > 0))
    return place_fail(&place, "is 0; it must be a quaternion [x, y, z, w] of length 1");
  for (int i = 0; i < 4; i++)
    q[i] /= length;
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double turned[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  memcpy(columns, turned, sizeof turned);
  return true;
}

bool gltf_transform_read(const json_place *node, gltf_transform *out) {
  double q[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1}, turned[3][3];
  *out = gltf_transform_none();
  if (place_member(node, "matrix").value)
    return read_matrix(node, out);
  if (!read_numbers(node, "translation", "three numbers [x, y, z]", 3, out->column[3]) ||
      !read_numbers(node, "rotation", "a quaternion [x, y, z, w]", 4, q) ||
      !read_numbers(node, "scale", "three numbers [x, y, z]", 3, scale) || !rotate(node, q, turned))
    return false;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++)
      out->column[c][i] = scale[c] * turned[c][i];
  return true;
}

/* What becomes of a direction, where the last factor is 0, or of a place, where it is 1. */
static void map(const gltf_transform *t, const double from[3], double shift, double to[3]) {
  for (int i = 0; i < 3; i++)
    to[i] = t->column[0][i] * from[0] + t->column[1][i] * from[1] + t->column[2][i] * from[2] +
            t->column[3][i] * shift;
}

gltf_transform gltf_transform_within(const gltf_transform *outer, const gltf_transform *inner) {
  gltf_transform both;
  for (int c = 0; c < 4; c++)
    map(outer, inner->column[c], c == 3, both.column[c]);
  return both;
}

void gltf_transform_point(const gltf_transform *t, const double from[3], double to[3]) {
  map(t, from, 1, to);
}

/* Of the columns a and b; what b and a would make has the other sign. */
static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Planes go with the cofactors: the cross product of what two tangents become. Faces of what is mirrored are
   turned around so that their outside stays outside, and a normal with them. */
void gltf_transform_normal(const gltf_transform *t, const double from[3], double to[3]) {
  const double sign = gltf_transform_mirrors(t) ? -1 : 1;
  double sum[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++) {
    double cofactor[3];
    cross(t->column[(c + 1) % 3], t->column[(c + 2) % 3], cofactor);
    for (int i = 0; i < 3; i++)
      sum[i] += sign * from[c] * cofactor[i];
  }
  const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  for (int i = 0; i < 3; i++)
    to[i] = length > 0 && length <= NUMBER_LARGEST ? sum[i] / length : 0;
}

bool gltf_transform_mirrors(const gltf_transform *t) {
  const double *a = t->column[0];
  double normal[3];
  cross(t->column[1], t->column[2], normal);
  return a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2] < 0;
}
