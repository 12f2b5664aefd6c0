/* How far apart two places are. */
#ifndef MSD_SCENES_LOADER_DISTANCE_H
#define MSD_SCENES_LOADER_DISTANCE_H

#include <math.h>
#include <msd/msd.h>

/* m */
static inline double place_distance(msd_vec3 a, msd_vec3 b) {
  const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
  return sqrt(x * x + y * y + z * z);
}

/* The same of two particles. */
static inline double particle_distance(const msd_world *world, int32_t a, int32_t b) {
  return place_distance(msd_particle_get_position(world, a), msd_particle_get_position(world, b));
}

#endif
