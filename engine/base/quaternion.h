/* Products of rotations. */
#ifndef MSD_ENGINE_BASE_QUATERNION_H
#define MSD_ENGINE_BASE_QUATERNION_H

#include "msd/damped_spring.h"

/* The rotation b followed by a. */
static inline msd_quaternion quaternion_product(msd_quaternion a, msd_quaternion b) {
  return (msd_quaternion){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

#endif
