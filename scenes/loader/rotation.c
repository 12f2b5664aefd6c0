#include "scenes/loader/rotation.h"

#include <math.h>
#include <string.h>

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

void rotation_of_degrees(const double degrees[3], double rotation[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++)
      rotation[i][c] = i == c;
  for (int axis = 0; axis < 3; axis++)
    turn_about(rotation, axis, degrees[axis]);
}

void quaternion_product(const double a[4], const double b[4], double out[4]) {
  const double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                             a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                             a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                             a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, product, sizeof product);
}

void quaternion_turn(double rotation[4], int axis, double degrees) {
  const direction half = turn(degrees / 2);
  double about[4] = {half.cosine, 0, 0, 0};
  about[1 + axis] = half.sine;
  quaternion_product(rotation, about, rotation);
}

/* The chord, brought back to length 1. */
void quaternion_between(const double a[4], const double b[4], double part, double out[4]) {
  double product = 0, square = 0;
  for (int c = 0; c < 4; c++)
    product += a[c] * b[c];
  const double sign = product < 0 ? -1 : 1;
  for (int c = 0; c < 4; c++) {
    out[c] = a[c] + part * (sign * b[c] - a[c]);
    square += out[c] * out[c];
  }
  for (int c = 0; c < 4; c++)
    out[c] /= sqrt(square);
}

/* v + 2 w (u x v) + 2 u x (u x v), with u the vector part. */
void quaternion_turn_point(const double rotation[4], double point[3]) {
  const double *u = rotation + 1, w = rotation[0];
  const double once[3] = {u[1] * point[2] - u[2] * point[1], u[2] * point[0] - u[0] * point[2],
                          u[0] * point[1] - u[1] * point[0]};
  const double twice[3] = {u[1] * once[2] - u[2] * once[1], u[2] * once[0] - u[0] * once[2],
                           u[0] * once[1] - u[1] * once[0]};
  for (int c = 0; c < 3; c++)
    point[c] += 2 * (w * once[c] + twice[c]);
}
