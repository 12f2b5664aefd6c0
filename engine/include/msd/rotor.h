/* msd: rotors, bodies that turn about an axis, joined by angular springs.

   A rotor has an angle in radians that counts on over many turns, an angular velocity and a moment of
   inertia. An angular spring joins two rotors, or a rotor and the frame (which never turns): with

       C = angle_a - angle_b - rest_angle

   its torque is -(k C + mu C') on a and the opposite on b. The laws are those of distance springs
   (spring.h) with the reduced inertia I = 1/(1/I_a + 1/I_b) in the place of the reduced mass and units N
   m/rad and N m s/rad. Rotors and particles are steps of one msd_world_step and do not touch each other.

   Angles and angular velocities are double in either precision of the library: beyond 8192 rad a float has
   steps of 0.001 rad.

   Being linear, a network of rotors has one shape, and its limit is certified as that of a network of springs
   (msd_stability.rotor_time_step). Where no ring has an odd number of rotors the certified limit is the limit
   itself. */
#ifndef MSD_ROTOR_H
#define MSD_ROTOR_H

#include "msd/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct msd_rotor_def {
  /* rad; default 0. */
  double angle;
  /* rad/s; default 0. */
  double angular_velocity;
  /* kg m^2, finite and > 0; default 1. */
  msd_real inertia;
  /* Turns at its angular velocity whatever acts on it; default false. */
  bool pinned;
  /* Set by msd_default_rotor_def. */
  uint32_t cookie;
} msd_rotor_def;

MSD_API msd_rotor_def msd_default_rotor_def(void);

/* As msd_add_particles. Air drag acts on rotors as it does on particles; gravity does not. */
MSD_API msd_result msd_add_rotors(msd_world *world, const msd_rotor_def *defs, int count, int32_t *first);

MSD_API int32_t msd_world_get_rotor_count(const msd_world *world);

/* The rotor as it now is; the default definition for a bad index. */
MSD_API msd_rotor_def msd_rotor_get_def(const msd_world *world, int32_t rotor);
MSD_API double msd_rotor_get_angle(const msd_world *world, int32_t rotor);
MSD_API double msd_rotor_get_angular_velocity(const msd_world *world, int32_t rotor);

/* Sets angle, angular velocity, inertia and pinned. MSD_BAD_INDEX, MSD_BAD_DEF, MSD_BAD_VALUE. */
MSD_API msd_result msd_rotor_set_def(msd_world *world, int32_t rotor, const msd_rotor_def *def);

/* Adds a torque in N m that acts during the whole of the next msd_world_step. */
MSD_API msd_result msd_rotor_apply_torque(msd_world *world, int32_t rotor, double torque);

/* For an end of an angular spring. */
#define MSD_FRAME ((int32_t)-1)

typedef struct msd_angular_spring_def {
  /* Rotors, different; b may be MSD_FRAME (default); a has no default: -1. */
  int32_t a, b;
  /* rad, any number of turns; default MSD_AS_PLACED. */
  double rest_angle;
  /* Default MSD_SPRING_PHYSICAL. */
  msd_spring_law law;
  /* Physical: N m/rad, >= 0; default 0. */
  msd_real stiffness;
  /* Physical: N m s/rad, >= 0; default 0. */
  msd_real damping;
  /* Coefficient: >= 0, or MSD_STIFFEST (default). */
  msd_real ck, cd;
  /* Frequency: Hz, >= 0; default 0. */
  msd_real frequency;
  /* Frequency: >= 0; default 0. */
  msd_real damping_ratio;
  /* Set by msd_default_angular_spring_def. */
  uint32_t cookie;
} msd_angular_spring_def;

MSD_API msd_angular_spring_def msd_default_angular_spring_def(void);

/* As msd_add_springs. */
MSD_API msd_result msd_add_angular_springs(msd_world *world, const msd_angular_spring_def *defs, int count,
                                           int32_t *first);

/* Broken ones included. */
MSD_API int32_t msd_world_get_angular_spring_count(const msd_world *world);

/* The definition as it now is; the default one for a bad index. */
MSD_API msd_angular_spring_def msd_angular_spring_get_def(const msd_world *world, int32_t spring);

/* Takes law, stiffness and damping from a definition; its ends and rest angle are ignored. */
MSD_API msd_result msd_angular_spring_set_law(msd_world *world, int32_t spring,
                                              const msd_angular_spring_def *def);

/* Sets the rest angle, finite: winding a clock is this. MSD_AS_PLACED: as the rotors now are. */
MSD_API msd_result msd_angular_spring_set_rest_angle(msd_world *world, int32_t spring, double rest_angle);

/* A broken angular spring keeps its index and exerts no torque. */
MSD_API msd_result msd_angular_spring_break(msd_world *world, int32_t spring);
MSD_API bool msd_angular_spring_is_broken(const msd_world *world, int32_t spring);

/* k C + mu C' in N m, positive when it turns a back and b forth. As msd_spring_get_tension. */
MSD_API double msd_angular_spring_get_torque(const msd_world *world, int32_t spring);

#ifdef __cplusplus
}
#endif

#endif
