/* msd: damped springs between two particles, and the spring laws that all kinds of springs share. */
#ifndef MSD_SPRING_H
#define MSD_SPRING_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Meaning of the numbers of a spring. Let u be the unit vector between the ends and C = length - rest_length.
   Except for hard length limits, a spring exerts the force -(k C + mu C') u on one end and the opposite on
   the other. */
typedef enum msd_spring_law {
  /* No spring. Allowed only in definitions of builders, where it omits that kind of spring. */
  MSD_SPRING_NONE,
  /* Stiffness law: k = stiffness in N/m, mu = damping in N s/m. */
  MSD_SPRING_STIFFNESS,
  /* Coefficient law: k = ck m/dt^2, mu = cd m/dt, with m = 1/(1/m_a + 1/m_b) the reduced mass of the ends and
     dt the substep. ck and cd are relative to the stiffest single spring that is stable at dt, so the
     stiffness in N/m changes with the substep. A change of k does work on a stretched spring. So in frames of
     changing length dt is the longest substep of the last 2 s, also in the formulas of other headers: a longer
     one lowers k at once. If there is none within 5 % for 2 s, dt approaches the present substep with a time
     constant of 1 s. A number of substeps that the caller changes at the same frame time counts at once. With
     sequential impulses and Gauss-Seidel dt always is the present substep. A spring without damping, cd = 0,
     can still gain energy in substeps that change at random, as any undamped spring near its stable limit. */
  MSD_SPRING_COEFFICIENT,
  /* Frequency law: k = m (2 pi frequency)^2, mu = 2 damping_ratio m 2 pi frequency, with m the reduced mass. */
  MSD_SPRING_FREQUENCY,
  /* Hard length limit, for tension-only and compression-only springs. It exerts no force. After each substep
     the ends are projected back by the fraction ck (0 < ck <= 1) of the violation. ck = 1 is exact for a
     particle with one limit; n limits at one particle divide its mass among them. A hard limit never rebounds
     faster than the impact, needs no damping and does not reduce the stable substep:
     docs/theory/hard_limits.md. Needs symplectic Euler or sequential impulses; msd_world_step returns
     MSD_BAD_VALUE with other integrators. */
  MSD_SPRING_HARD_LIMIT,
  MSD_SPRING_LAW_COUNT
} msd_spring_law;

/* Returns the name of a spring law, such as "coefficient"; NULL for any other number. */
MSD_API const char *msd_spring_law_name(msd_spring_law law);

/* Direction of the force of a spring. The inactive direction has no damping force either. */
typedef enum msd_spring_mode {
  /* Default. Tension and compression. */
  MSD_SPRING_BOTH,
  /* Tension only, like a rope: no force below the rest length. */
  MSD_SPRING_TENSION_ONLY,
  /* Compression only, like a prop: no force above the rest length. */
  MSD_SPRING_COMPRESSION_ONLY,
  MSD_SPRING_MODE_COUNT
} msd_spring_mode;

/* Value of ck and cd: the maximum stable stiffness. That is the largest coefficient that is proven stable in
   every configuration of the network: 1/n with n = (w_a n_a + w_b n_b)/(w_a + w_b), where w are the inverse
   masses and n_a, n_b the numbers of springs at each end, hard limits excluded. */
#define MSD_MAX_STABLE ((msd_real)-1)

/* Rest value of a constraint or torsion spring: the value at the moment when it is added or set. */
#define MSD_AS_PLACED ((msd_real)-1e30)

typedef struct msd_spring_def {
  /* Two different particles; default -1. */
  int32_t a, b;
  /* m; negative (default): the distance of the ends when added. */
  msd_real rest_length;
  /* Default MSD_SPRING_STIFFNESS. */
  msd_spring_law law;
  /* N/m, >= 0; default 0. Used by the stiffness law. */
  msd_real stiffness;
  /* N s/m, >= 0; default 0. Used by the stiffness law. */
  msd_real damping;
  /* >= 0, or MSD_MAX_STABLE (default). Used by the coefficient law. A hard length limit uses ck only: above 0
     and up to 1, or MSD_MAX_STABLE, which means 1. */
  msd_real ck, cd;
  /* Hz, >= 0; default 0. Used by the frequency law. */
  msd_real frequency;
  /* >= 0; default 0. Used by the frequency law; 1 is critical damping. */
  msd_real damping_ratio;
  /* Default MSD_SPRING_BOTH. */
  msd_spring_mode mode;
  /* Internal mark of an initialized definition. Set by msd_default_spring_def. */
  uint32_t cookie;
} msd_spring_def;

MSD_API msd_spring_def msd_default_spring_def(void);

/* Adds `count` (>= 0) springs with consecutive indices, all of them or none. Stores the index of the first in
   *first, which may be NULL. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_TOO_LARGE or
   MSD_OUT_OF_MEMORY on failure.

   Springs that are added after the first msd_world_step are appended to the compiled layout, so the cost in
   the next frame is proportional to their number. When there are more than 64 appended springs, and more than
   1/16 of the others, the network is compiled again. Forces of appended springs are summed after those of the
   others. Results therefore differ in the last bits from a world that had all springs from the start.
   Snapshots record which springs are appended. */
MSD_API msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first);

/* Returns the number of springs, broken and destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_spring_count(const msd_world *world);

/* Returns the number of springs with a law, in constant time; 0 for a number that is no law. */
MSD_API int32_t msd_world_get_law_count(const msd_world *world, msd_spring_law kind);

/* Returns the current definition of a spring, with its actual rest length; the default definition for a bad
   index. */
MSD_API msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring);

/* Sets law, stiffness and damping from a definition; ends, rest length and side of the definition are
   ignored. Returns:
   - MSD_BAD_VALUE if a value is out of its range, or a hard length limit is requested for a spring that is
     not tension-only or compression-only.
   - MSD_OUT_OF_MEMORY, and nothing changes. Memory is needed once, when more than 128 different laws are in
     use. It is also needed if all springs had one law or one damping value at the last compilation and this
     one gets another. */
MSD_API msd_result msd_spring_set_law(msd_world *world, int32_t spring, const msd_spring_def *def);

/* Sets the law of all springs of a range, all of them or none; destroyed springs are skipped. Memory is
   reserved beforehand, even if it is not needed in the end. Returns MSD_BAD_INDEX if some of the springs do
   not exist, and otherwise as msd_spring_set_law. */
MSD_API msd_result msd_springs_set_law(msd_world *world, msd_range springs, const msd_spring_def *def);

/* Sets the rest length in m, >= 0, at once. */
MSD_API msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length);

/* Moves the rest length to a target in m, >= 0, during the next msd_world_step. It changes by equal amounts
   before each substep, and so avoids the jerk of an instant change.
   - Of several calls before a frame, the last one counts; msd_spring_set_rest_length cancels the motion.
   - If msd_world_step is refused, the targets wait for the next one. If it ends early, rest lengths keep the
     values they have reached.
   - Frames with moving rest lengths take their substeps one at a time, without temporal blocking. That costs
     a quarter more time with 360,000 particles, and nothing with 40,000.

   Returns MSD_BAD_INDEX, MSD_BAD_VALUE or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_spring_move_rest_length_to(msd_world *world, int32_t spring, msd_real rest_length);

/* Breaks a spring: it keeps its index and exerts no force. This is permanent; breaking it again is allowed. */
MSD_API msd_result msd_spring_break(msd_world *world, int32_t spring);
MSD_API bool msd_spring_is_broken(const msd_world *world, int32_t spring);

/* Returns the current length in m. */
MSD_API msd_real msd_spring_get_length(const msd_world *world, int32_t spring);

/* Returns the strain length/rest_length - 1. 0 for a broken spring, a spring with rest length 0, and a
   tension-only or compression-only spring that is slack. */
MSD_API double msd_spring_get_stretch(const msd_world *world, int32_t spring);

/* Return the current k in N/m and mu in N s/m. Springs whose stiffness depends on the substep, by the
   coefficient law or stiffness clamping, return the values of the last substep; 0 before the first. A hard
   length limit returns ck m/dt^2, with m the effective mass of its projection. */
MSD_API msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring);
MSD_API msd_real msd_spring_get_damping(const msd_world *world, int32_t spring);

/* Returns the force along the spring in N, k (length - rest_length) + mu length', positive in tension. A pin
   that msd_particle_move_to moved in the last frame counts with its velocity and position in the last substep,
   until the next frame or until the program sets, pins or releases it; snapshots do not contain them. For a
   hard length limit it is the impulse of the last substep divided by the substep. That is 0 if the world, its
   springs or pins have changed since, or the world was restored. */
MSD_API msd_real msd_spring_get_tension(const msd_world *world, int32_t spring);

#ifdef __cplusplus
}
#endif

#endif
