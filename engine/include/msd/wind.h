/* msd: air and wind, aerodynamic forces on collision meshes.

   Air acts on the triangles and segments of all collision meshes (collision_mesh.h). Let u be the velocity of
   the air at the middle of an element minus the mean velocity of its corners. The force is

       triangle    F = 1/2 density A |u| (normal_drag u_n + tangential_drag u_t)
       segment     F = 1/2 density d L (normal_drag |u_n| u_n + tangential_drag |u_t| u_t)

   divided equally among the corners. A is the area of the triangle, L the length of the segment, d the
   thickness of its collision mesh. u_n is the component of u normal to the element, u_t the component along
   it. A sheet therefore has lift, with the coefficient (normal_drag - tangential_drag) sin a cos a at an
   angle of attack a. Both sides of a sheet count once; each side of a closed body is a sheet of its own.

   Wind is unconditionally stable: it does not reduce the stable substep at any speed (docs/theory/wind.md).
   Particles without a collision mesh feel no wind. The linear damping of the world
   (msd_world_def.linear_damping) acts on all particles. */
#ifndef MSD_WIND_H
#define MSD_WIND_H

#include "msd/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_wind_def {
  /* m/s; default (0,0,0). Mean velocity. */
  msd_vec3 velocity;
  /* m/s, >= 0; default 0. Turbulence: standard deviation of each component at every position and time. The
     deviation never exceeds 4 sqrt(3) times this value. */
  msd_real turbulence;
  /* m and s, > 0; default 2 and 1. Correlation length of the turbulence, and its lifetime in the frame that
     moves with the mean velocity. */
  msd_real turbulence_length, turbulence_time;
  /* Default 0. Seed of the turbulence; equal seeds give identical wind. */
  uint32_t seed;
  /* kg/m^3, >= 0; default 1.2, air at 20 degrees Celsius. 0 turns air off. */
  msd_real density;
  /* >= 0; default 1.2 and 0.02. Drag coefficients with respect to 1/2 density v^2, as in tables. 1.2 is the
     value of flat plates and round ropes across the flow. */
  msd_real normal_drag, tangential_drag;
  /* Internal mark of an initialized definition. Set by msd_default_wind_def. */
  uint32_t cookie;
} msd_wind_def;

MSD_API msd_wind_def msd_default_wind_def(void);

/* Sets the wind from the next frame on. Returns MSD_UNINITIALIZED_DEF or MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_world_set_wind(msd_world *world, const msd_wind_def *def);

/* Returns the wind; before the first msd_world_set_wind, the default definition with density 0. */
MSD_API msd_wind_def msd_world_get_wind(const msd_world *world);

/* Returns the current velocity of the air at a position in m/s, with turbulence; 0 if there is no air. */
MSD_API msd_vec3 msd_world_get_wind_velocity(const msd_world *world, msd_vec3 place);

#ifdef __cplusplus
}
#endif

#endif
