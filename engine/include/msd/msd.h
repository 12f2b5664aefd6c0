/* msd: particles joined by damped springs.

   A world holds particles (point masses) and springs between them, and moves them in steps of time.
   Lengths are in metres, masses in kilograms, times in seconds, forces in newtons; any consistent set of
   units works as well. Particles and springs are plain indices that never change; nothing is global, so two
   threads may use two worlds at once (one world belongs to one thread at a time).

   Functions that can fail return an msd_result; msd_result_string names it and msd_world_message says which
   particle, spring or value was meant. A call that fails leaves the world as it was (a diverged step keeps
   the last finite state). Functions that only read a particle or a spring answer zero for an index that
   does not exist. */
#ifndef MSD_MSD_H
#define MSD_MSD_H

#include "msd/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- results */

/* Every result with the text that msd_result_string gives. */
#define MSD_RESULTS(X)                                                                                       \
  X(MSD_OK, "done")                                                                                          \
  X(MSD_OUT_OF_MEMORY, "the allocator returned no memory")                                                   \
  X(MSD_TOO_LARGE, "over the memory_limit of the world definition, or over 2^31-1 items")                    \
  X(MSD_BAD_DEF, "the definition was not made by its msd_default_..._def function")                          \
  X(MSD_BAD_INDEX, "no such particle, spring, constraint, anchor or rotor")                                  \
  X(MSD_BAD_VALUE, "a value is not finite, or outside the range that its comment gives")                     \
  X(MSD_BAD_TIME_STEP, "the time step must be finite and above 0, and substeps 0 or more")                   \
  X(MSD_NO_STABLE_STEP, "no number of substeps can be certified; lower the coefficients or set a limit")     \
  X(MSD_DIVERGED, "the step would leave a non-finite state; take a smaller step or softer springs")          \
  X(MSD_BUFFER_TOO_SMALL, "the buffer is smaller than the snapshot")                                         \
  X(MSD_BAD_SNAPSHOT, "not a snapshot, or cut, or corrupted")                                                \
  X(MSD_SNAPSHOT_VERSION, "the snapshot was made by another version of the format")                          \
  X(MSD_SNAPSHOT_PRECISION, "the snapshot was made with the other precision or byte order")

typedef enum msd_result {
#define MSD_RESULT_NAME(name, text) name,
  MSD_RESULTS(MSD_RESULT_NAME)
#undef MSD_RESULT_NAME
      MSD_RESULT_COUNT
} msd_result;

/* The text of a result in the table above; "unknown result" for any other number. */
MSD_API const char *msd_result_string(msd_result result);

/* The version as "0.1.0". */
MSD_API const char *msd_version(void);

/* The precision of the library, sizeof(msd_real) as it was compiled: 4 or 8. A program may compare it with
   its own sizeof(msd_real). */
MSD_API int msd_precision(void);

/* ------------------------------------------------------------------------------------------------ world */

typedef struct msd_vec3 {
  msd_real x, y, z;
} msd_vec3;

typedef struct msd_world msd_world;

/* How a step advances the state.
   Symplectic Euler is the default: v += dt (f/m + g), then x += dt v; order 1, and the one whose stability
   is certified. The others are offered for comparison.
   Sequential impulse is symplectic Euler with the springs one after another: with ck = k dt^2/m and cd =
   mu dt/m, m = 1/(w_a + w_b), a spring changes the momenta of its ends by
   -(m/dt) ck (length - rest_length) - m cd length', where length' has what the springs before it have done. For
   a lone spring, and where nothing is damped, it is the same as symplectic Euler; in a network damping makes
   springs stiffer under a load. The order of the springs is fixed, by colours that share no particle;
   constraints follow them in the same way. */
typedef enum msd_integrator {
  MSD_SYMPLECTIC_EULER,
  MSD_EXPLICIT_EULER,
  MSD_VELOCITY_VERLET,
  MSD_RK4,
  MSD_SEQUENTIAL_IMPULSE,
  MSD_INTEGRATOR_COUNT
} msd_integrator;

/* The name used in scene files: "symplectic_euler", ...; NULL for a number that is no integrator. */
MSD_API const char *msd_integrator_name(msd_integrator integrator);

/* Whether springs stiffer than a step can carry are softened. */
typedef enum msd_limit {
  MSD_LIMIT_NONE, /* springs are what they were defined to be; but where legs and triangles collapse, whose
                     gradients then grow without bound, physical springs on angles and dihedral angles are
                     softened, each as far as the substep asks for and while it does: msd/constraint.h */
  MSD_LIMIT_COEFFICIENTS, /* each spring is capped to the stiffest certified coefficient at the substep */
  MSD_LIMIT_COUNT
} msd_limit;

/* The widest vector instructions that the step may use. All give the same bits. */
typedef enum msd_simd {
  MSD_SIMD_WIDEST, /* the widest this processor has */
  MSD_SIMD_SCALAR, /* plain C, one particle at a time: the reference the others are checked against */
  MSD_SIMD_128,
  MSD_SIMD_256,
  MSD_SIMD_512,
  MSD_SIMD_COUNT
} msd_simd;

/* Where a world takes its memory. `allocate` returns memory aligned to 64 bytes, or NULL; `release` gets
   what `allocate` returned. Both or neither are set. */
typedef struct msd_allocator {
  void *(*allocate)(size_t bytes, void *context);
  void (*release)(void *memory, void *context);
  void *context;
} msd_allocator;

/* Called with one line of text (no newline) when a call fails. */
typedef void (*msd_log_function)(const char *message, void *context);

typedef struct msd_world_def {
  msd_vec3 gravity;          /* acceleration of every unpinned particle, m/s^2; default 0, -9.81, 0 */
  msd_real air_drag;         /* rate in 1/s, >= 0: velocities decay by exp(-air_drag t); default 0 */
  msd_integrator integrator; /* default MSD_SYMPLECTIC_EULER */
  msd_limit limit;           /* default MSD_LIMIT_NONE */
  int impulse_iterations;    /* of MSD_SEQUENTIAL_IMPULSE: passes over the springs in a substep, 1 (default)
                                to 1000. They do not change a lone spring; in a network they converge where
                                cd < 1 */
  bool impulse_warm_start; /* of MSD_SEQUENTIAL_IMPULSE: begin with the impulses of the substep before, which
                                needs fewer iterations in slow motion, but feeds energy in with strong
                                damping, cd near 1; default false */
  int thread_count;        /* threads of a step, 0..256; 0 (default): as many as pay on this machine */
  msd_simd simd;           /* default MSD_SIMD_WIDEST */
  size_t memory_limit;     /* bytes that the world may take; default 8 GiB */
  msd_allocator allocator; /* default: the C library's */
  msd_log_function log;    /* default NULL: silent */
  void *log_context;
  uint32_t cookie; /* set by msd_default_world_def */
} msd_world_def;

MSD_API msd_world_def msd_default_world_def(void);

/* Makes an empty world. On failure *world is NULL, and the log of the definition, when it has one, is told the
   field. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_create_world(const msd_world_def *def, msd_world **world);

/* Frees a world; NULL is allowed. */
MSD_API void msd_destroy_world(msd_world *world);

/* What the last failing call on this world had to say: one line, "" when none failed. Calls that take the
   world as const (msd_world_save, msd_world_stability ...) leave no message. */
MSD_API const char *msd_world_message(const msd_world *world);

/* Advances the world by time_step seconds (> 0) in `substeps` equal substeps. 0 takes the fewest that are
   certified stable (msd_world_stability): for springs and anchors at every shape of the network, for stiff
   constraints at the shape they begin with, with a margin of 2, so that time_step should be short beside the time in
   which triangles and legs halve; MSD_NO_STABLE_STEP when there are none below a million.
   Forces given by msd_particle_apply_force act during this call and are then cleared, and pins moved by
   msd_particle_move_to arrive at its end.
   MSD_DIVERGED: a coordinate or velocity would no longer be a finite number. The world keeps the state of
   the last finite substep, and the message names the first particle (lowest index) that failed. */
MSD_API msd_result msd_world_step(msd_world *world, msd_real time_step, int substeps);

/* Change what the definition set. MSD_BAD_VALUE outside the ranges given there. */
MSD_API msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity);
MSD_API msd_result msd_world_set_air_drag(msd_world *world, msd_real air_drag);
MSD_API msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator);
MSD_API msd_result msd_world_set_limit(msd_world *world, msd_limit limit);
MSD_API msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations);
MSD_API msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start);
MSD_API msd_result msd_world_set_thread_count(msd_world *world, int thread_count);
MSD_API msd_result msd_world_set_simd(msd_world *world, msd_simd simd);

MSD_API msd_vec3 msd_world_get_gravity(const msd_world *world);
MSD_API msd_real msd_world_get_air_drag(const msd_world *world);
MSD_API msd_integrator msd_world_get_integrator(const msd_world *world);
MSD_API msd_limit msd_world_get_limit(const msd_world *world);
MSD_API int msd_world_get_impulse_iterations(const msd_world *world);
MSD_API bool msd_world_get_impulse_warm_start(const msd_world *world);

/* The most threads that a step uses: thread_count, or what the machine offers and the size may repay. Of the
   latter a world finds out by trying, again and again, whether they pay on the machine as it is. */
MSD_API int msd_world_get_thread_count(const msd_world *world);

MSD_API int32_t msd_world_get_particle_count(const msd_world *world);
MSD_API int32_t msd_world_get_spring_count(const msd_world *world); /* broken ones included */
MSD_API double msd_world_get_time(const msd_world *world);          /* seconds simulated */
MSD_API int64_t msd_world_get_steps(const msd_world *world);        /* substeps done */

/* A 64-bit fingerprint of the state: the bits of every position and velocity in the order of the indices.
   Equal worlds stepped equally have equal hashes on any number of threads and any vector width. */
MSD_API uint64_t msd_world_hash(const msd_world *world);

/* -------------------------------------------------------------------------------------------- particles */

typedef struct msd_particle_def {
  msd_vec3 position; /* m; default 0 */
  msd_vec3 velocity; /* m/s; default 0 */
  msd_real mass;     /* kg, finite and > 0; default 1. A pinned particle keeps it for when it is unpinned */
  bool pinned;       /* default false */
  uint32_t cookie;   /* set by msd_default_particle_def */
} msd_particle_def;

MSD_API msd_particle_def msd_default_particle_def(void);

/* Adds `count` >= 0 particles with consecutive indices, the first of which goes to *first (may be NULL).
   All or none are added. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_particles(msd_world *world, const msd_particle_def *defs, int count,
                                     int32_t *first);

MSD_API msd_vec3 msd_particle_get_position(const msd_world *world, int32_t particle);
MSD_API msd_vec3 msd_particle_get_velocity(const msd_world *world, int32_t particle);
MSD_API msd_real msd_particle_get_mass(const msd_world *world, int32_t particle);
MSD_API bool msd_particle_is_pinned(const msd_world *world, int32_t particle);

/* Puts a particle elsewhere at once; its velocity stays. MSD_BAD_INDEX, MSD_BAD_VALUE. */
MSD_API msd_result msd_particle_set_position(msd_world *world, int32_t particle, msd_vec3 position);

/* Sets a velocity. A pinned particle then travels at it, whatever the springs do, until it is set again. */
MSD_API msd_result msd_particle_set_velocity(msd_world *world, int32_t particle, msd_vec3 velocity);

/* Sets the mass, finite and > 0. */
MSD_API msd_result msd_particle_set_mass(msd_world *world, int32_t particle, msd_real mass);

/* Pins a particle where it is (its velocity becomes 0): neither springs nor gravity move it. Unpinning lets
   it go with the velocity it has. */
MSD_API msd_result msd_particle_pin(msd_world *world, int32_t particle);
MSD_API msd_result msd_particle_unpin(msd_world *world, int32_t particle);

/* Carries a pinned particle in a straight line to `position` during the next msd_world_step; the springs
   feel the velocity of that motion. Afterwards it is still. MSD_BAD_VALUE when it is not pinned. */
MSD_API msd_result msd_particle_move_to(msd_world *world, int32_t particle, msd_vec3 position);

/* Adds a force in N that acts on the particle during the whole of the next msd_world_step. */
MSD_API msd_result msd_particle_apply_force(msd_world *world, int32_t particle, msd_vec3 force);

/* The arrays of the world itself, without a copy: particle i is at x[i], or at x[slot[i]] when slot is not
   NULL. Valid until the next call that steps, changes or destroys the world. */
typedef struct msd_view {
  const msd_real *x, *y, *z;
  const int32_t *slot;
  int32_t count;
} msd_view;

MSD_API msd_view msd_world_positions(const msd_world *world);
MSD_API msd_view msd_world_velocities(const msd_world *world);

/* ---------------------------------------------------------------------------------------------- springs */

/* How the numbers of a spring are meant. With u the unit vector between the ends and C = length -
   rest_length, every law is the force -(k C + mu C') u on one end and its opposite on the other. */
typedef enum msd_spring_law {
  MSD_SPRING_NONE,        /* no spring; only in the definitions of builders: "none of this kind" */
  MSD_SPRING_PHYSICAL,    /* k = stiffness in N/m, mu = damping in N s/m */
  MSD_SPRING_COEFFICIENT, /* k = ck m/dt^2, mu = cd m/dt, with m = 1/(1/m_a + 1/m_b) the reduced mass of the
                             ends and dt the substep: fractions of the stiffest a single spring can be. The
                             stiffness in seconds follows the step, it is not independent of it */
  MSD_SPRING_FREQUENCY,   /* k = m (2 pi frequency)^2, mu = 2 damping_ratio m 2 pi frequency */
  MSD_SPRING_LAW_COUNT
} msd_spring_law;

/* Which of its forces a spring has. A tether is a rope: slack below its rest length, and never pushing, not even
   by its damping. A strut is a prop: free above its rest length, and never pulling. */
typedef enum msd_spring_side {
  MSD_SPRING_BOTH,
  MSD_SPRING_TETHER, /* tension only */
  MSD_SPRING_STRUT,  /* compression only */
  MSD_SPRING_SIDE_COUNT
} msd_spring_side;

/* For ck and cd: the stiffest coefficient that is certified stable at every shape of the network, 1/n with
   n = (w_a n_a + w_b n_b)/(w_a + w_b), w the inverse masses and n the springs at each end. */
#define MSD_STIFFEST ((msd_real)-1)

typedef struct msd_spring_def {
  int32_t a, b;           /* the ends, two different particles; default -1 */
  msd_real rest_length;   /* m; negative (default): the distance of the ends when added */
  msd_spring_law law;     /* default MSD_SPRING_PHYSICAL */
  msd_real stiffness;     /* physical: N/m, >= 0; default 0 */
  msd_real damping;       /* physical: N s/m, >= 0; default 0 */
  msd_real ck, cd;        /* coefficient: >= 0, or MSD_STIFFEST (default) */
  msd_real frequency;     /* frequency: Hz, >= 0; default 0 */
  msd_real damping_ratio; /* frequency: 1 is critical, >= 0; default 0 */
  msd_spring_side side;   /* default MSD_SPRING_BOTH */
  uint32_t cookie;        /* set by msd_default_spring_def */
} msd_spring_def;

MSD_API msd_spring_def msd_default_spring_def(void);

/* Adds `count` >= 0 springs with consecutive indices, the first of which goes to *first (may be NULL). All
   or none are added. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first);

/* The definition of a spring as it now is, rest length filled in; the default one for a bad index. */
MSD_API msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring);

/* Gives a spring another law, stiffness and damping; a, b, rest_length and side of the definition are ignored. The
   first time that more than 128 different ones are kept at once it asks for memory: MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_spring_retune(msd_world *world, int32_t spring, const msd_spring_def *def);

/* Sets the rest length in m, >= 0. */
MSD_API msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length);

/* A broken spring keeps its index and exerts no force; there is no way back. Breaking it again is allowed. */
MSD_API msd_result msd_spring_break(msd_world *world, int32_t spring);
MSD_API bool msd_spring_is_broken(const msd_world *world, int32_t spring);

/* The present length in m. */
MSD_API msd_real msd_spring_get_length(const msd_world *world, int32_t spring);

/* k and mu in N/m and N s/m as the spring now is. Coefficient and limited springs depend on the substep:
   they answer for the last substep taken, and 0 before the first. */
MSD_API msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring);
MSD_API msd_real msd_spring_get_damping(const msd_world *world, int32_t spring);

/* The force along the spring in N, k (length - rest_length) + mu length', positive when it pulls its ends
   together. */
MSD_API msd_real msd_spring_get_tension(const msd_world *world, int32_t spring);

/* ------------------------------------------------------------------------------------------ diagnostics */

typedef struct msd_stats {
  int32_t particles, pinned;                             /* counts */
  int32_t springs, broken;                               /* broken ones are counted among springs */
  int32_t constraints, anchors, rotors, angular_springs; /* broken ones are counted */
  double total_mass;                                     /* kg, pinned particles included */
  double kinetic_energy;                                 /* J, unpinned particles and rotors */
  double elastic_energy; /* J: sum of 1/2 k C^2 over unbroken springs (a slack tether has none), constraints,
                                anchors and angular springs */
  double potential_energy;    /* J: minus the sum of m g . x */
  double momentum[3];         /* kg m/s, unpinned particles */
  double angular_momentum[3]; /* kg m^2/s about the origin, unpinned particles */
  double center_of_mass[3];   /* m, pinned particles included */
  double max_stretch; /* largest length/rest_length - 1 over unbroken springs with a rest length > 0; a tether
                          counts while it is taut, a strut while it is short */
  double mean_stretch;        /* their mean */
  int32_t max_stretch_spring; /* where the largest is; -1 when there is none */
  double max_speed;           /* m/s */
  size_t bytes;               /* memory the world holds */
} msd_stats;

/* Energies, momenta and stretch of the present state. Sums are in double, in the order of the indices.
   O(particles + springs). */
MSD_API msd_stats msd_world_get_stats(const msd_world *world);

/* -------------------------------------------------------------------------------------------- stability */

/* Why the limiting spring limits. A spring weighs inverse mass x springs at the particle x stiffness: the
   factor of it that stands out most from the typical one (the geometric mean) of the network. */
typedef enum msd_stability_cause {
  MSD_CAUSE_NONE,           /* there is no limit */
  MSD_CAUSE_ALL_ALIKE,      /* nothing is over twice the typical */
  MSD_CAUSE_LIGHT_PARTICLE, /* its lighter end has less mass than others */
  MSD_CAUSE_STIFF_SPRING,   /* it is stiffer or more damped than others, at the largest certified step */
  MSD_CAUSE_MANY_SPRINGS,   /* one of its ends has more springs than others */
  MSD_CAUSE_COUNT
} msd_stability_cause;

/* How large a step of symplectic Euler this network bears. With w the inverse masses and kappa = dt^2 k +
   2 dt mu of each spring, the operator (A x)_i = w_i sum kappa (x_i + x_j) bounds the network at every
   shape, and the network is stable there when the spectral radius of A is below 4. Springs count as they are
   defined, but for `radius`.
   Constraints and anchors add to the diagonal of A. A stiff constraint has no bound at every shape: it is taken at
   the present one, with a margin of 2 on its stiffness, until the next msd_world_step finds the limit again.
   Coefficients of constraints are certified at every shape in the part of them that pulls along the gradient, which
   is all that a step can be too long for at rest; MSD_STIFFEST ones share the 3 of 4 with the springs. */
typedef struct msd_stability {
  double time_step;        /* s: the substep asked about */
  double radius;           /* upper bound of the spectral radius of A at that step; certified below 4.
                                    With MSD_LIMIT_COEFFICIENTS of the softened springs: 3 at most */
  double stable_time_step; /* s: largest certified, at every shape if every_shape; INFINITY when any step
                                    is (no or only mild coefficient springs), 0 when none is */
  double rotor_time_step;  /* s: the same of the rotors alone, which bounds stable_time_step, radius,
                                    integrator_time_step and substeps as well; INFINITY without angular springs */
  double stable_time_step_quick; /* s: the same from one pass over the springs; never larger than the truth */
  double this_shape_time_step; /* s: estimate of the linear limit at the present positions alone. No promise:
                                    folding or turning the network can lower it to the certified one */
  int iterations;              /* sweeps behind stable_time_step */
  double tightness;            /* 0..1: stable_time_step divided by an upper bound of the exact limit of A;
                                    1 means that it cannot grow by more sweeps */
  bool every_shape;            /* whether all that counts here is bounded at every shape: false with stiff
                                    constraints, which are bounded at the present shape; see above */
  int32_t limiting_spring;     /* the spring whose stiffness moves the limit most; -1 when there is none, or
                                    limiting_constraint moves it more */
  int32_t limiting_constraint; /* the constraint of which that is true; -1 when there is none */
  int32_t limiting_particle;   /* the particle whose mass moves the limit most; -1 when there is none */
  double coefficient_limit;    /* Ck = Cd = c below this is certified for all springs at once */
  int32_t capped_springs; /* with MSD_LIMIT_COEFFICIENTS: springs, angular ones included, that are softened
                                    at this step */
  int32_t capped_constraints; /* and constraints, at the present shape */
  double capped_stiffness;    /* what is left of the stiffness of the one that loses most, 0 to 1; 1: all */
  int32_t softened_folds;     /* with MSD_LIMIT_NONE: physical springs on angles and dihedral angles that a
                                    substep of time_step softens at the present shape. 0 at stable_time_step and
                                    below. Automatic substeps do not follow folds into collapse
                                    (constraint.h): there they are fewer than `substeps` */
  int32_t substeps;           /* fewest certified substeps of the world's integrator for a frame of
                                    time_step; 0 when there are none */

  /* s: the limit of each integrator by msd_integrator, as stable_time_step. Explicit Euler: 0 when any spring
     is stiff. Velocity Verlet: proven without damping, or with damping that is proportional to stiffness.
     Sequential impulse: that of symplectic Euler when no spring is damped, cd < 2 of every spring (1 with more
     than one iteration) when none is stiff; 0 for a network that has both, or is damped and warm started:
     nothing is proven about it. */
  double integrator_time_step[MSD_INTEGRATOR_COUNT];

  msd_stability_cause cause; /* why limiting_spring limits */
  double cause_ratio;        /* how many times the typical that factor is: 100 at a hundredth of the mass */

  /* What would bring the limit of symplectic Euler to time_step, each alone; also how much room there is. */
  double stiffness_factor; /* of all stiffness in N/m, with ... */
  double damping_factor;   /* ... this one of all damping in N s/m: damping ratios stay. INFINITY: no limit;
                                0: no softness helps, coefficient springs are over the limit alone */
  double
      mass_factor; /* of all masses and inertias; INFINITY: no mass helps. Coefficient springs do not feel it */
  double coefficient_factor; /* of all ck and cd; INFINITY: there are none; 0: not their fault alone */

  /* The stiffest certified coefficients, MSD_STIFFEST: 1/n of each spring, from .. to; 0 without springs. */
  double stiffest_min, stiffest_max;

  /* Largest stretch (length/rest_length - 1) to expect where the network hangs from its pins at rest, with
     substeps of time_step: an estimate as if all hung straight down, springs as many steps from a pin alike. 0 when
     nothing hangs from a pin; INFINITY when the stiffness of no spring holds some of it. It does not see constraints
     and anchors carry, spans between pins, springs that are stretched as placed, nor the motion before rest. */
  double static_stretch;          /* with the springs as they are */
  double static_stretch_stiffest; /* with all of them at MSD_STIFFEST */
} msd_stability;

/* Fills *out for a substep of time_step seconds (> 0). MSD_BAD_TIME_STEP, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out);

/* How stiff a network must be so that it stretches little, and the substeps that it then takes. Stretch falls
   with the square of the substeps: stability is cheap, stiffness is what costs. */
typedef struct msd_stretch_target {
  double stretch;       /* largest length/rest_length - 1 wanted where the network hangs at rest; > 0; default
                           0.05, which is 5 % */
  double time_step;     /* s of a frame, > 0; default 1/60 */
  int32_t substeps_max; /* most substeps that a frame may take, 1 to 1000000 (default): the time budget of a
                           frame over the time that one substep takes */
  uint32_t cookie;      /* set by msd_default_stretch_target */
} msd_stretch_target;

MSD_API msd_stretch_target msd_default_stretch_target(void);

typedef struct msd_stretch_plan {
  bool reached;     /* whether the target is met within substeps_max */
  int32_t substeps; /* of a frame, certified with the factor below; at most substeps_max; 0: as they are
                              the springs need more, and softer ones would not help */
  int32_t substeps_needed; /* that meet the target, whatever substeps_max; 0: no number up to 1000000 does */
  double stiffness_factor; /* for msd_world_scale_stiffness: 1 when the springs may stay as they are */
  double stretch;          /* to expect with the plan: static_stretch of msd_stability, an estimate */
} msd_stretch_plan;

/* Plans the fewest substeps, and the stiffness certified with them, that keep the stretch to the target; with
   too small a substeps_max the plan is the stiffest that fits. Springs that are stiff enough already keep
   their stiffness when its substeps fit, with MSD_LIMIT_COEFFICIENTS as that softens them. Springs become softer
   only for a target that is then met; when no number of substeps meets it they stay as they are. Changes nothing.
   MSD_BAD_DEF, MSD_BAD_VALUE; MSD_NO_STABLE_STEP when the coefficient springs alone allow no step, the integrator
   none, or the rotors need more substeps than substeps_max; MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                          msd_stretch_plan *plan);

/* Multiplies the stiffness of all springs and constraints by `factor` (> 0) and their damping by its square root, so that
   damping ratios stay. Coefficient springs follow the substep by themselves and are left alone. All or none
   change: MSD_BAD_VALUE when some number would not be finite. */
MSD_API msd_result msd_world_scale_stiffness(msd_world *world, double factor);

/* ------------------------------------------------------------------------------------------- snapshots */

/* Writes the whole world (particles, springs, settings, time) as `*size` bytes. With buffer NULL only the
   size is given. A world restored from it continues with the same bits. MSD_BUFFER_TOO_SMALL: nothing is
   written, and *size says how much is needed. */
MSD_API msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size);

/* The most bytes that msd_world_save takes until something is added to the world: a buffer that large can be
   used again and again while forces, moves of pins and the order of the particles come and go. 0 without a world. */
MSD_API size_t msd_world_save_bound(const msd_world *world);

/* Replaces the contents and settings of a world (all but thread_count, simd, memory_limit, allocator and
   log) with those of a snapshot. MSD_BAD_SNAPSHOT, MSD_SNAPSHOT_VERSION, MSD_SNAPSHOT_PRECISION,
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY; the world is then as before. */
MSD_API msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#include "msd/anchor.h"
#include "msd/builder.h"
#include "msd/constraint.h"
#include "msd/rotor.h"

#endif
