/* Inline vector math on the public vector type. */
#ifndef MSD_ENGINE_BASE_VEC3_H
#define MSD_ENGINE_BASE_VEC3_H

#include "msd/msd.h"

#include <math.h>
#include <stdbool.h>

typedef struct double3 {
  double x, y, z;
} double3;

static inline double double3_dot(double3 a, double3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double3 double3_subtract(double3 a, double3 b) {
  return (double3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a + factor b */
static inline double3 double3_add_scaled(double3 a, double3 b, double factor) {
  return (double3){a.x + b.x * factor, a.y + b.y * factor, a.z + b.z * factor};
}

static inline double3 double3_scale(double3 a, double factor) {
  return (double3){a.x * factor, a.y * factor, a.z * factor};
}

static inline double3 double3_cross(double3 a, double3 b) {
  return (double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline bool vec3_is_finite(msd_vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline msd_vec3 vec3_subtract(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* In double, for diagnostics and set-up; substeps have their own order of operations. */
static inline double3 vec3_double(msd_vec3 a) {
  return (double3){(double)a.x, (double)a.y, (double)a.z};
}

static inline void vec3_components(msd_vec3 a, double out[3]) {
  out[0] = (double)a.x;
  out[1] = (double)a.y;
  out[2] = (double)a.z;
}

static inline double vec3_dot(msd_vec3 a, msd_vec3 b) {
  return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static inline double vec3_length(msd_vec3 a) {
  return sqrt(vec3_dot(a, a));
}

#endif
