/* msd: damped springs between two particles, and the laws by which every kind of spring is given. */
#ifndef MSD_SPRING_H
#define MSD_SPRING_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the numbers of a spring are meant. With u the unit vector between the ends and C = length -
   rest_length, every law is the force -(k C + mu C') u on one end and its opposite on the other. */
typedef enum msd_spring_law {
  /* No spring; only in the definitions of builders: "none of this kind". */
  MSD_SPRING_NONE,
  /* k = stiffness in N/m, mu = damping in N s/m. */
  MSD_SPRING_PHYSICAL,
  /* k = ck m/dt^2, mu = cd m/dt, with m = 1/(1/m_a + 1/m_b) the reduced mass of the ends and dt the substep:
     fractions of the stiffest that a single spring can be. In N/m such a spring follows the substep. */
  MSD_SPRING_COEFFICIENT,
  /* k = m (2 pi frequency)^2, mu = 2 damping_ratio m 2 pi frequency. */
  MSD_SPRING_FREQUENCY,
  /* A catch, of tethers and struts alone: no force, but a hand behind the springs. At the end of every
     substep each takes back a share ck, above 0 up to 1, of what its particles have gone past its rest
     length; 1 is exact where a particle has one catch, and n of them at a particle share its mass. It needs
     no damping, never throws back faster than it was hit, and takes nothing of the time step:
     docs/catches.md. Symplectic Euler and sequential impulses have catches; with another integrator a step is
     MSD_BAD_VALUE. */
  MSD_SPRING_CATCH,
  MSD_SPRING_LAW_COUNT
} msd_spring_law;

/* "none", "physical", "coefficient", "frequency", "catch"; NULL for any other number. */
MSD_API const char *msd_spring_law_name(msd_spring_law law);

/* Which of its forces a spring has. A tether is a rope: slack below its rest length, and never pushing, not
   even by its damping. A strut is a prop: free above its rest length, and never pulling. */
typedef enum msd_spring_side {
  MSD_SPRING_BOTH,
  /* Tension only. */
  MSD_SPRING_TETHER,
  /* Compression only. */
  MSD_SPRING_STRUT,
  MSD_SPRING_SIDE_COUNT
} msd_spring_side;

/* For ck and cd: the stiffest coefficient that is certified stable at every shape of the network, 1/n with
   n = (w_a n_a + w_b n_b)/(w_a + w_b), w the inverse masses and n the springs at each end, but for catches. */
#define MSD_STIFFEST ((msd_real)-1)

/* For the rest value of a constraint or an angular spring: what the value is when it is added or set. */
#define MSD_AS_PLACED ((msd_real)-1e30)

typedef struct msd_spring_def {
  /* The ends, two different particles; default -1. */
  int32_t a, b;
  /* m; negative (default): the distance of the ends when added. */
  msd_real rest_length;
  /* Default MSD_SPRING_PHYSICAL. */
  msd_spring_law law;
  /* Physical: N/m, >= 0; default 0. */
  msd_real stiffness;
  /* Physical: N s/m, >= 0; default 0. */
  msd_real damping;
  /* Coefficient: >= 0, or MSD_STIFFEST (default). A catch has ck alone: above 0 up to 1, or MSD_STIFFEST, which
     is 1. */
  msd_real ck, cd;
  /* Frequency: Hz, >= 0; default 0. */
  msd_real frequency;
  /* Frequency: 1 is critical, >= 0; default 0. */
  msd_real damping_ratio;
  /* Default MSD_SPRING_BOTH. */
  msd_spring_side side;
  /* Set by msd_default_spring_def. */
  uint32_t cookie;
} msd_spring_def;

MSD_API msd_spring_def msd_default_spring_def(void);

/* Adds `count` >= 0 springs with consecutive indices, the first of which goes to *first (may be NULL). All
   or none are added. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY.

   In a world that has been stepped they are appended to its layout, and the step behind costs what was added;
   until these late springs are more than 64 and a 16th of the others, which has all laid out anew. The forces
   of late springs are summed behind those of the others, so that a world in which all of them were there from
   the beginning has other last bits. Snapshots keep which springs are late. */
MSD_API msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first);

/* Broken ones included. */
MSD_API int32_t msd_world_get_spring_count(const msd_world *world);

/* How many of them have that law, without going through them; 0 of a number that is no law. */
MSD_API int32_t msd_world_get_law_count(const msd_world *world, msd_spring_law kind);

/* The definition of a spring as it now is, rest length filled in; the default one for a bad index. */
MSD_API msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring);

/* Takes law, stiffness and damping from a definition; its ends, rest length and side are ignored. It asks for
   memory the first time that more than 128 different ones are kept at once, and from then on where all springs
   had one law or one damping (cd, damping ratio) at the last layout and this one gets another:
   MSD_OUT_OF_MEMORY, and nothing has changed. Only a tether or a strut can become a catch: MSD_BAD_VALUE. */
MSD_API msd_result msd_spring_set_law(msd_world *world, int32_t spring, const msd_spring_def *def);

/* The same for all springs of a range, all or none, but for those that were destroyed; the memory is asked for
   beforehand, also where it turns out not to be needed. MSD_BAD_INDEX: some of them do not exist. */
MSD_API msd_result msd_springs_set_law(msd_world *world, msd_range springs, const msd_spring_def *def);

/* Sets the rest length in m, >= 0. */
MSD_API msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length);

/* Lets the rest length go to another in m, >= 0, in the course of the next step: in equal parts, one before
   each substep, so that it does not jerk as one that is set between two steps does. Of several calls before a
   step the last counts, and msd_spring_set_rest_length ends what they began. A step that is refused leaves them
   waiting for the next; one that ends early takes rest lengths as far as it came. Steps with rest lengths on
   their way take their substeps one by one, which costs where several go through memory at once: a quarter
   more with 360,000 particles, nothing with 40,000. MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_spring_move_rest_length_to(msd_world *world, int32_t spring, msd_real rest_length);

/* A broken spring keeps its index and exerts no force; there is no way back. Breaking it again is allowed. */
MSD_API msd_result msd_spring_break(msd_world *world, int32_t spring);
MSD_API bool msd_spring_is_broken(const msd_world *world, int32_t spring);

/* The present length in m. */
MSD_API msd_real msd_spring_get_length(const msd_world *world, int32_t spring);

/* length/rest_length - 1; 0 of a spring that is broken, a slack tether or strut, or one without a rest
   length. */
MSD_API double msd_spring_get_stretch(const msd_world *world, int32_t spring);

/* k and mu in N/m and N s/m as the spring now is. Coefficient and limited springs depend on the substep: they
   answer for the last substep taken, and 0 before the first. So do catches, as for their tension, whose k is
   ck m/dt^2, with m the mass that they share in. */
MSD_API msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring);
MSD_API msd_real msd_spring_get_damping(const msd_world *world, int32_t spring);

/* The force along the spring in N, k (length - rest_length) + mu length', positive when it pulls its ends
   together. Of a catch, its impulse in the last substep over the length of that; 0 when the world, its
   springs or pins have changed since, or it was restored. */
MSD_API msd_real msd_spring_get_tension(const msd_world *world, int32_t spring);

#ifdef __cplusplus
}
#endif

#endif
