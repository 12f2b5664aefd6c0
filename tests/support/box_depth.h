/* How deep triangles and segments are in boxes: in double precision, and computed in another way than by the
   engine. An element is deeper in a box than some depth if something of it is left where it is clipped by the
   box made smaller by that depth on all sides (Sutherland and Hodgman, 1974). */
#ifndef MSD_TESTS_SUPPORT_BOX_DEPTH_H
#define MSD_TESTS_SUPPORT_BOX_DEPTH_H

#include <math.h>
#include <msd/msd.h>
#include <stdbool.h>
#include <string.h>

enum { BOX_DEPTH_POINTS = 10 };

typedef struct box_depth_polygon {
  double at[BOX_DEPTH_POINTS][3];
  int count;
} box_depth_polygon;

/* A point in the frame of a box: q* (x - p) q of the quaternion q. */
static inline void box_depth_in_frame(const msd_collider_def *box, const double x[3], double out[3]) {
  const double q[4] = {box->rotation.w, box->rotation.x, box->rotation.y, box->rotation.z};
  const double v[3] = {x[0] - (double)box->position.x, x[1] - (double)box->position.y,
                       x[2] - (double)box->position.z};
  /* v + 2 w (v x u) + 2 u x (u x v), with u the vector of q. */
  const double *u = q + 1;
  const double vu[3] = {v[1] * u[2] - v[2] * u[1], v[2] * u[0] - v[0] * u[2], v[0] * u[1] - v[1] * u[0]};
  const double uuv[3] = {u[2] * vu[1] - u[1] * vu[2], u[0] * vu[2] - u[2] * vu[0],
                         u[1] * vu[0] - u[0] * vu[1]};
  for (int k = 0; k < 3; k++)
    out[k] = v[k] + 2 * q[0] * vu[k] + 2 * uuv[k];
}

/* What of a polygon is within sign * x[axis] <= most. */
static inline box_depth_polygon box_depth_clip(const box_depth_polygon *p, int axis, double sign,
                                               double most) {
  box_depth_polygon out = {.count = 0};
  for (int n = 0; n < p->count; n++) {
    const double *a = p->at[n], *b = p->at[(n + 1) % p->count];
    const double da = sign * a[axis] - most, db = sign * b[axis] - most;
    if (da <= 0)
      memcpy(out.at[out.count++], a, sizeof *out.at);
    if ((da <= 0) != (db <= 0)) {
      for (int k = 0; k < 3; k++)
        out.at[out.count][k] = a[k] + (b[k] - a[k]) * (da / (da - db));
      out.count++;
    }
  }
  return out;
}

static inline bool box_depth_exceeds(const box_depth_polygon *in_frame, const double half[3], double depth) {
  box_depth_polygon left = *in_frame;
  for (int axis = 0; axis < 3 && left.count > 0; axis++)
    for (int sign = -1; sign < 2 && left.count > 0; sign += 2)
      left = box_depth_clip(&left, axis, sign, half[axis] - depth);
  return left.count > 0;
}

/* m: how deep an element of 1 to 3 corners is in a box, to 1e-9; at most half of the least side, and minus the
   distance along the sides, at least -`most`, outside of it. */
static inline double box_depth_of(const msd_collider_def *box, double corners[][3], int count, double most) {
  box_depth_polygon p = {.count = count};
  for (int n = 0; n < count; n++)
    box_depth_in_frame(box, corners[n], p.at[n]);
  const double half[3] = {(double)box->size.x / 2, (double)box->size.y / 2, (double)box->size.z / 2};
  double in = -most, out = half[0];
  for (int axis = 1; axis < 3; axis++)
    out = half[axis] < out ? half[axis] : out;
  if (!box_depth_exceeds(&p, half, in))
    return -most;
  while (out - in > 1e-9) {
    const double middle = (in + out) / 2;
    *(box_depth_exceeds(&p, half, middle) ? &in : &out) = middle;
  }
  return in;
}

/* m: the greatest depth of the elements of a collision mesh in a collider that is a box. */
static inline double box_depth_of_mesh(const msd_world *world, int32_t mesh, int32_t collider, double most) {
  const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, mesh);
  const msd_collider_def box = msd_collider_get_def(world, collider);
  double deepest = -most, corners[3][3];
  for (int32_t n = 0; n < def.triangle_count + def.segment_count; n++) {
    const bool is_triangle = n < def.triangle_count;
    const int32_t *c = is_triangle ? &def.triangles[3 * n] : &def.segments[2 * (n - def.triangle_count)];
    const int count = is_triangle ? 3 : 2;
    for (int k = 0; k < count; k++) {
      const msd_vec3 x = msd_particle_get_position(world, c[k]);
      corners[k][0] = (double)x.x, corners[k][1] = (double)x.y, corners[k][2] = (double)x.z;
    }
    const double depth = box_depth_of(&box, corners, count, most);
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest;
}

#endif
