/* Aerodynamic forces on triangles, several at a time: the first phase of wind.h as loops over lanes, which
   compilers vectorize to the width of the file. Results are bitwise identical to those of a scalar loop. */
#define TURBULENCE_LANES 8
#include "engine/air/triangle_width.h"
#include "engine/air/turbulence_noise.h"
#include "engine/base/min_max.h"

enum { TRIANGLE_LANES = TURBULENCE_LANES };

/* By component. */
typedef double triangle_vectors[3][TRIANGLE_LANES];

static inline void read_vectors(const msd_real *component, size_t stride, const int32_t *slots, int32_t first,
                                int32_t last, triangle_vectors out) {
  for (size_t axis = 0; axis < 3; axis++)
    for (int32_t n = 0; n < TRIANGLE_LANES; n++)
      out[axis][n] = (double)component[axis * stride + (size_t)slots[int_min(first + n, last)]];
}

/* `a` becomes a + b/3. */
static inline void add_third(triangle_vectors a, double b[3][TRIANGLE_LANES]) {
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < TRIANGLE_LANES; n++)
      a[axis][n] += b[axis][n] * (1.0 / WIND_CORNERS);
}

/* The normals, with twice the area as length. */
static inline void find_normals(triangle_vectors x[WIND_CORNERS], triangle_vectors normal) {
  for (int n = 0; n < TRIANGLE_LANES; n++) {
    const double a[3] = {x[1][0][n] - x[0][0][n], x[1][1][n] - x[0][1][n], x[1][2][n] - x[0][2][n]};
    const double b[3] = {x[2][0][n] - x[0][0][n], x[2][1][n] - x[0][1][n], x[2][2][n] - x[0][2][n]};
    normal[0][n] = a[1] * b[2] - a[2] * b[1];
    normal[1][n] = a[2] * b[0] - a[0] * b[2];
    normal[2][n] = a[0] * b[1] - a[1] * b[0];
  }
}

/* A wind_push for each lane, with zeros if a triangle has no area or no relative wind. */
typedef struct triangle_pushes {
  triangle_vectors across, along;
  double most[TRIANGLE_LANES], share_across[TRIANGLE_LANES], share_along[TRIANGLE_LANES];
} triangle_pushes;

static inline void find_triangle_pushes(const wind_thread *t, triangle_vectors normal, triangle_vectors u,
                                        triangle_pushes *out) {
  const double density = (double)t->wind->density, normal_drag = (double)t->wind->normal_drag,
               tangential_drag = (double)t->wind->tangential_drag, dt = t->dt;
  for (int n = 0; n < TRIANGLE_LANES; n++) {
    const double a[3] = {normal[0][n], normal[1][n], normal[2][n]}, v[3] = {u[0][n], u[1][n], u[2][n]};
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]),
                 speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double part = (v[0] * a[0] + v[1] * a[1] + v[2] * a[2]) / (length * length);
    const double half = dt * density * (length / 2) / 2;
    const double b_across = half * normal_drag * speed, b_along = half * tangential_drag * speed;
    const double most = b_across > b_along ? b_across : b_along;
    const bool has_area = length > 0, is_pushed = has_area & (most > 0);
    for (int axis = 0; axis < 3; axis++) {
      const double across = a[axis] * part;
      out->across[axis][n] = is_pushed ? across * b_across : 0;
      out->along[axis][n] = is_pushed ? (v[axis] - across) * b_along : 0;
    }
    out->most[n] = has_area ? most : 0;
    out->share_across[n] = is_pushed ? b_across / most : 0;
    out->share_along[n] = is_pushed ? b_along / most : 0;
  }
}

static void push_triangles(const wind_thread *t, parallel_range triangles, turbulence_cell *cell) {
  const wind_work *w = t->work;
  for (int32_t first = triangles.first; first < triangles.last; first += TRIANGLE_LANES) {
    triangle_vectors x[WIND_CORNERS], v, middle = {{0}}, velocity = {{0}}, normal, u;
    triangle_pushes pushes;
    for (int k = 0; k < WIND_CORNERS; k++) {
      read_vectors(t->before, t->stride, w->slots[k], first, triangles.last - 1, x[k]);
      read_vectors(t->behind + VELOCITY_X * t->stride, t->stride, w->slots[k], first, triangles.last - 1, v);
      add_third(middle, x[k]);
      add_third(velocity, v);
    }
    turbulence_noise_wind(t->wind, middle, t->time, cell, u);
    for (int axis = 0; axis < 3; axis++)
      for (int n = 0; n < TRIANGLE_LANES; n++)
        u[axis][n] -= velocity[axis][n];
    find_normals(x, normal);
    find_triangle_pushes(t, normal, u, &pushes);
    for (int n = 0; n < int_min(TRIANGLE_LANES, triangles.last - first); n++)
      w->pushes[first + n] =
          (wind_push){.across = {pushes.across[0][n], pushes.across[1][n], pushes.across[2][n]},
                      .along = {pushes.along[0][n], pushes.along[1][n], pushes.along[2][n]},
                      .most = pushes.most[n],
                      .share_across = pushes.share_across[n],
                      .share_along = pushes.share_along[n]};
  }
}
