/* msd: air and wind on surfaces.

   Air pushes the triangles and segments of all surfaces (surface.h), by how fast it passes them. With u the
   velocity of the air at the middle of one less the mean velocity of its corners,

       triangle    F = 1/2 density A |u| (normal_drag u_n + tangential_drag u_t)
       segment     F = 1/2 density d L (normal_drag |u_n| u_n + tangential_drag |u_t| u_t)

   in equal shares at its corners. A is the area of the triangle, L the length of the segment and d the
   thickness of its surface; u_n is the part of u across the triangle or the segment, and u_t the part along it.
   So sheets have lift, too: its coefficient is (normal_drag - tangential_drag) sin a cos a at an angle a to the
   wind. Both sides of a sheet are one; each side of a closed body is a sheet of its own.

   It takes nothing of the certified step, whatever its speed; docs/wind.md has the proof. Particles without a
   surface feel no wind; msd_world_def.air_drag slows those, too. */
#ifndef MSD_WIND_H
#define MSD_WIND_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_wind_def {
  /* m/s: the mean; default 0. */
  msd_vec3 velocity;
  /* m/s, >= 0: the standard deviation of each component at every place and time; no gust is above 4 sqrt(3) of
     it. Default 0. */
  msd_real gust;
  /* m and s, > 0: how far gusts reach, and how long they last while the mean carries them; default 2 and 1. */
  msd_real gust_length, gust_time;
  /* Which gusts; default 0. */
  uint32_t seed;
  /* kg/m^3, >= 0; default 1.2, air at 20 degrees. 0: there is no air. */
  msd_real density;
  /* >= 0: coefficients as they are published, for 1/2 density v^2. Default 1.2, which flat plates and round
     ropes across the wind have, and 0.02. */
  msd_real normal_drag, tangential_drag;
  /* Set by msd_default_wind_def. */
  uint32_t cookie;
} msd_wind_def;

MSD_API msd_wind_def msd_default_wind_def(void);

/* From the next step on. MSD_BAD_DEF, MSD_BAD_VALUE. */
MSD_API msd_result msd_world_set_wind(msd_world *world, const msd_wind_def *def);

/* As it was set; before that the default definition with a density of 0. */
MSD_API msd_wind_def msd_world_get_wind(const msd_world *world);

/* m/s: how fast the air goes at a place now, gusts included; 0 where there is none. */
MSD_API msd_vec3 msd_world_get_wind_velocity(const msd_world *world, msd_vec3 place);

#ifdef __cplusplus
}
#endif

#endif
