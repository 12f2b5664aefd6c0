/* msd: rotors, rigid bodies with one rotational degree of freedom, connected by torsion springs.

   A rotor has an angle in radians that counts full turns, an angular velocity and a moment of inertia. A
   torsion spring connects two rotors, or a rotor and the ground, which never turns. With

       C = angle_a - angle_b - rest_angle

   its torque is -(k C + mu C') on a and the opposite on b. The laws are those of distance springs (spring.h),
   with the reduced inertia I = 1/(1/I_a + 1/I_b) instead of the reduced mass, and units N m/rad and N m
   s/rad. Rotors and particles advance in the same msd_world_step but do not interact.

   Angles and angular velocities are double in either precision of the library, because a float beyond 8192
   rad resolves only 0.001 rad.

   A network of rotors is linear, so its stable limit (msd_stability.rotor_stable_substep) holds for every
   configuration. It is the exact stability limit if no cycle has an odd number of rotors. */
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
  /* Default false. A pinned rotor turns at constant angular velocity, whatever torques act on it. */
  bool pinned;
  /* Internal mark of an initialized definition. Set by msd_default_rotor_def. */
  uint32_t cookie;
} msd_rotor_def;

MSD_API msd_rotor_def msd_default_rotor_def(void);

/* Adds `count` (>= 0) rotors; arguments and results are those of msd_add_particles. Linear damping of the
   world acts on rotors as on particles; gravity does not. */
MSD_API msd_result msd_add_rotors(msd_world *world, const msd_rotor_def *defs, int count, int32_t *first);

/* Returns the number of rotors, destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_rotor_count(const msd_world *world);

/* Return the current state of a rotor. For a bad index they return the default definition or zero. */
MSD_API msd_rotor_def msd_rotor_get_def(const msd_world *world, int32_t rotor);
MSD_API double msd_rotor_get_angle(const msd_world *world, int32_t rotor);
MSD_API double msd_rotor_get_angular_velocity(const msd_world *world, int32_t rotor);

/* Sets angle, angular velocity, inertia and pinned. Returns MSD_BAD_INDEX, MSD_UNINITIALIZED_DEF or
   MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_rotor_set_def(msd_world *world, int32_t rotor, const msd_rotor_def *def);

/* Adds a torque in N m that acts during the whole of the next msd_world_step and is then cleared. */
MSD_API msd_result msd_rotor_apply_torque(msd_world *world, int32_t rotor, double torque);

/* End of a torsion spring that is fixed to the ground. */
#define MSD_GROUND ((int32_t)-1)

typedef struct msd_torsion_spring_def {
  /* Different rotors. b may be MSD_GROUND (default); a must be set, default -1. */
  int32_t a, b;
  /* rad, any number of turns; default MSD_AS_PLACED. */
  double rest_angle;
  /* Default MSD_SPRING_STIFFNESS. */
  msd_spring_law law;
  /* N m/rad, >= 0; default 0. Used by the stiffness law. */
  msd_real stiffness;
  /* N m s/rad, >= 0; default 0. Used by the stiffness law. */
  msd_real damping;
  /* >= 0, or MSD_MAX_STABLE (default). Used by the coefficient law. */
  msd_real ck, cd;
  /* Hz, >= 0; default 0. Used by the frequency law. */
  msd_real frequency;
  /* >= 0; default 0. Used by the frequency law; 1 is critical damping. */
  msd_real damping_ratio;
  /* Internal mark of an initialized definition. Set by msd_default_torsion_spring_def. */
  uint32_t cookie;
} msd_torsion_spring_def;

MSD_API msd_torsion_spring_def msd_default_torsion_spring_def(void);

/* Adds `count` (>= 0) torsion springs; arguments and results are those of msd_add_springs. */
MSD_API msd_result msd_add_torsion_springs(msd_world *world, const msd_torsion_spring_def *defs, int count,
                                           int32_t *first);

/* Returns the number of torsion springs, broken and destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_torsion_spring_count(const msd_world *world);

/* Returns the current definition of a torsion spring; the default definition for a bad index. */
MSD_API msd_torsion_spring_def msd_torsion_spring_get_def(const msd_world *world, int32_t spring);

/* Sets law, stiffness and damping from a definition; ends and rest angle of the definition are ignored. */
MSD_API msd_result msd_torsion_spring_set_law(msd_world *world, int32_t spring,
                                              const msd_torsion_spring_def *def);

/* Sets the rest angle in rad, for example to wind a clock: a finite number, or MSD_AS_PLACED for the current
   angle. */
MSD_API msd_result msd_torsion_spring_set_rest_angle(msd_world *world, int32_t spring, double rest_angle);

/* Breaks a torsion spring: it keeps its index and exerts no torque. */
MSD_API msd_result msd_torsion_spring_break(msd_world *world, int32_t spring);
MSD_API bool msd_torsion_spring_is_broken(const msd_world *world, int32_t spring);

/* Returns k C + mu C' in N m; positive if it turns a backward and b forward. The substep dependence is that
   of msd_spring_get_tension. */
MSD_API double msd_torsion_spring_get_torque(const msd_world *world, int32_t spring);

#ifdef __cplusplus
}
#endif

#endif
