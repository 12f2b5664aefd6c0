/* Points of meshes in double precision. */
#ifndef MSD_SCENES_MESHES_POINT_H
#define MSD_SCENES_MESHES_POINT_H

#include <msd/msd.h>

#include <math.h>

typedef struct point {
  double x, y, z;
} point;

static inline point point_of(msd_vec3 v) {
  return (point){(double)v.x, (double)v.y, (double)v.z};
}

static inline msd_vec3 point_as_vec3(point p) {
  return (msd_vec3){(msd_real)p.x, (msd_real)p.y, (msd_real)p.z};
}

static inline point point_minus(point a, point b) {
  return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a + factor b */
static inline point point_plus(point a, double factor, point b) {
  return (point){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static inline point point_cross(point a, point b) {
  return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double point_dot(point a, point b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double point_length(point a) {
  return sqrt(point_dot(a, a));
}

#endif
