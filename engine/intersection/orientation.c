#include "engine/intersection/orientation.h"

#include "engine/intersection/exact_integer.h"
#include "engine/intersection/expansion.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* Error bounds relative to the sum of absolute products: (7 + 56 e) e and (3 + 16 e) e with e = 2^-53,
   rounded up. */
static const double SPACE_ERROR = 0x1p-50, PLANE_ERROR = 0x1p-51;

/* Far above any loss by underflow, 2^-1075, and far below any other product. */
static const double UNDERFLOW_ERROR = 0x1p-1000;

static int sign_of(double sum, double error) {
  return sum > error ? 1 : -sum > error ? -1 : 0;
}

/* The coordinates along an axis less that of the last point, as integer multiples of one power of two. Each
   axis may have its own, which does not change the sign of a determinant. */
static void find_differences(const point *const points[], int count, int axis, exact_integer differences[]) {
  int exponent = INT_MAX;
  for (int i = 0; i < count; i++) {
    const int own = exact_integer_exponent(points[i]->at[axis]);
    exponent = own < exponent ? own : exponent;
  }
  exact_integer last, other;
  exact_integer_set(&last, points[count - 1]->at[axis], exponent);
  for (int i = 0; i + 1 < count; i++) {
    exact_integer_set(&other, points[i]->at[axis], exponent);
    exact_integer_subtract(&differences[i], &other, &last);
  }
}

/* a d - b c */
static void find_minor(exact_integer *minor, const exact_integer *a, const exact_integer *b,
                       const exact_integer *c, const exact_integer *d) {
  exact_integer down, up;
  exact_integer_multiply(&down, a, d);
  exact_integer_multiply(&up, b, c);
  exact_integer_subtract(minor, &down, &up);
}

static int exactly_in_space(const point *a, const point *b, const point *c, const point *d) {
  const point *const points[] = {a, b, c, d};
  exact_integer x[3], y[3], z[3], minor, product[3], two, all;
  find_differences(points, 4, 0, x);
  find_differences(points, 4, 1, y);
  find_differences(points, 4, 2, z);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    find_minor(&minor, &x[j], &y[j], &x[k], &y[k]);
    exact_integer_multiply(&product[i], &minor, &z[i]);
  }
  exact_integer_add(&two, &product[0], &product[1]);
  exact_integer_add(&all, &two, &product[2]);
  return all.sign;
}

static int exactly_in_plane(const point *a, const point *b, const point *c, int u, int v) {
  const point *const points[] = {a, b, c};
  exact_integer x[2], y[2], determinant;
  find_differences(points, 3, u, x);
  find_differences(points, 3, v, y);
  find_minor(&determinant, &x[0], &y[0], &x[1], &y[1]);
  return determinant.sign;
}

/* True if the difference of two coordinates is exact and suits expansions, as is usual. */
static bool is_plain_difference(double a, double b) {
  return expansion_is_exact_difference(a, b) && expansion_takes(a - b);
}

static int in_space(double from[3][3]) {
  expansion sum, minor, product;
  sum.count = 0;
  for (int i = 0; i < 3; i++) {
    const double *one = from[(i + 1) % 3], *other = from[(i + 2) % 3];
    expansion_minor(&minor, one[0], other[1], one[1], other[0]);
    expansion_scale(&product, &minor, from[i][2]);
    expansion_add(&sum, &product);
  }
  return expansion_sign(&sum);
}

int orientation_in_space(const point *a, const point *b, const point *c, const point *d) {
  double from[3][3];
  for (int k = 0; k < 3; k++) {
    from[0][k] = a->at[k] - d->at[k];
    from[1][k] = b->at[k] - d->at[k];
    from[2][k] = c->at[k] - d->at[k];
  }
  double determinant = 0, size = 0, heights = 1;
  bool is_flat[3] = {true, true, true};
  for (int i = 0; i < 3; i++) {
    const double *one = from[(i + 1) % 3], *other = from[(i + 2) % 3], height = from[i][2];
    const double down = one[0] * other[1], up = one[1] * other[0];
    determinant += (down - up) * height;
    size += (fabs(down) + fabs(up)) * fabs(height);
    heights += fabs(height);
    for (int k = 0; k < 3; k++)
      is_flat[k] = is_flat[k] && from[i][k] == 0;
  }
  const int sign = sign_of(determinant, SPACE_ERROR * size + UNDERFLOW_ERROR * heights);
  if (sign != 0 || is_flat[0] || is_flat[1] || is_flat[2])
    return sign;
  bool is_plain = true;
  for (int k = 0; k < 3; k++)
    is_plain = is_plain && is_plain_difference(a->at[k], d->at[k]) &&
               is_plain_difference(b->at[k], d->at[k]) && is_plain_difference(c->at[k], d->at[k]);
  return is_plain ? in_space(from) : exactly_in_space(a, b, c, d);
}

int orientation_in_plane(const point *a, const point *b, const point *c, int dropped) {
  const int u = (dropped + 1) % 3, v = (dropped + 2) % 3;
  const double au = a->at[u] - c->at[u], av = a->at[v] - c->at[v], bu = b->at[u] - c->at[u],
               bv = b->at[v] - c->at[v];
  const double down = au * bv, up = av * bu;
  const int sign = sign_of(down - up, PLANE_ERROR * (fabs(down) + fabs(up)) + UNDERFLOW_ERROR);
  if (sign != 0 || ((au == 0 || bv == 0) && (av == 0 || bu == 0)))
    return sign;
  if (is_plain_difference(a->at[u], c->at[u]) && is_plain_difference(a->at[v], c->at[v]) &&
      is_plain_difference(b->at[u], c->at[u]) && is_plain_difference(b->at[v], c->at[v])) {
    expansion minor;
    expansion_minor(&minor, au, bv, av, bu);
    return expansion_sign(&minor);
  }
  return exactly_in_plane(a, b, c, u, v);
}
