/* msd: the world, its settings, its step, its diagnostics and its snapshots. */
#ifndef MSD_WORLD_H
#define MSD_WORLD_H

#include "msd/base.h"
#include "msd/callbacks.h"
#include "msd/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------- settings */

/* How a step advances the state.
   Symplectic Euler is the default: v += dt (f/m + g), then x += dt v; order 1, and the one whose stability
   is certified. The others are offered for comparison.
   Sequential impulse is symplectic Euler with the springs one after another: with ck = k dt^2/m and cd =
   mu dt/m, m = 1/(w_a + w_b), a spring changes the momenta of its ends by
   -(m/dt) ck (length - rest_length) - m cd length', where length' has what the springs before it have done.
   For a lone spring, and where nothing is damped, it is the same as symplectic Euler; in a network damping
   makes springs stiffer under a load. The order of the springs is fixed, by colours that share no particle;
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

/* Whether springs stiffer than a step can take are softened. */
typedef enum msd_limit {
  /* Springs are what they were defined to be. Only physical springs on angles and dihedral angles, whose
     gradients grow without bound where legs and triangles collapse, are softened there, each as far as the
     substep asks for and while it does: constraint.h. */
  MSD_LIMIT_NONE,
  /* Each spring is capped to the stiffest certified coefficient at the substep. */
  MSD_LIMIT_COEFFICIENTS,
  MSD_LIMIT_COUNT
} msd_limit;

/* The name used in scene files: "none" or "coefficients"; NULL for any other number. */
MSD_API const char *msd_limit_name(msd_limit limit);

/* What a step of symplectic Euler does about the energy that it makes. Certified substeps never explode, but a
   spring that turns while it shortens leaves a little energy behind, and in violent undamped motion that adds
   up: docs/energy.md. The springs between particles are what is watched; the energies of constraints, anchors,
   catches and angular springs are their own. */
typedef enum msd_energy {
  /* Nothing: the fastest. */
  MSD_ENERGY_PLAIN,
  /* It is measured (msd_world_get_energy_account); the motion is that of MSD_ENERGY_PLAIN, bit for bit. */
  MSD_ENERGY_MEASURED,
  /* It is kept below a hundredth of all the energy that there was: a substep that would make more is taken
     again with all spring forces moved by one common factor. The same bits as plain until then. */
  MSD_ENERGY_GUARDED,
  /* The same by forces along the springs alone, which keep the angular momentum too; without proof. */
  MSD_ENERGY_CENTRAL,
  MSD_ENERGY_COUNT
} msd_energy;

/* The name used in scene files: "plain", "measured", "guarded" or "central"; NULL for any other number. */
MSD_API const char *msd_energy_name(msd_energy energy);

/* Which masses the forces of springs, constraints and anchors act on, with MSD_SYMPLECTIC_EULER. */
typedef enum msd_mass_scaling {
  /* Those of the particles: substeps are limited by the stiffest springs. */
  MSD_MASS_SCALING_NONE,
  /* Where a substep is too long for a spring, its ends are heavier against each other, and against
     nothing else: the network is certified at any substep and any stiffness. Gravity, forces and the
     motion of the centre of mass know nothing of it. Constraints are scaled as springs are, anchors are
     forces, and colliders and catches give way for a few substeps where little of a body meets them. Of
     worlds whose surfaces all ignore each other and themselves: docs/mass_scaling.md. */
  MSD_MASS_SCALING_SELECTIVE,
  MSD_MASS_SCALING_COUNT
} msd_mass_scaling;

/* The name used in scene files: "none" or "selective"; NULL for any other number. */
MSD_API const char *msd_mass_scaling_name(msd_mass_scaling scaling);

/* How the springs between particles act in a substep, with MSD_SYMPLECTIC_EULER. */
typedef enum msd_solver {
  /* As forces, all at once: substeps are limited by the stiffest, or masses are scaled. */
  MSD_SOLVER_FORCES,
  /* One after another, each by implicit Euler of its own on what those before it have left, forward and back
     through an order of colours: any substep is certified at any stiffness, and the more of them the closer to
     what was asked for. MSD_STIFFEST is rigid, and catches that hold a particle to one or two pins and take
     back all of it keep their length exactly. For small sheets and ropes of inextensible cloth: the substeps
     for the same stretch grow with how finely they are divided. Constraints are forces, softened to what any
     substep bears. Of worlds without anchors and fibres, MSD_MASS_SCALING_NONE and MSD_ENERGY_PLAIN:
     docs/gauss_seidel.md. */
  MSD_SOLVER_GAUSS_SEIDEL,
  MSD_SOLVER_COUNT
} msd_solver;

/* The name used in scene files: "forces" or "gauss_seidel"; NULL for any other number. */
MSD_API const char *msd_solver_name(msd_solver solver);

/* The widest vector instructions that the step may use. All give the same bits. */
typedef enum msd_simd {
  /* The widest that this processor has. */
  MSD_SIMD_WIDEST,
  /* Plain C, one particle at a time: the reference that the others are checked against. */
  MSD_SIMD_SCALAR,
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
  /* m/s^2: acceleration of every unpinned particle; default 0, -9.81, 0. */
  msd_vec3 gravity;
  /* 1/s, >= 0: velocities decay by exp(-air_drag t); default 0. */
  msd_real air_drag;
  /* Default MSD_SYMPLECTIC_EULER. */
  msd_integrator integrator;
  /* Default MSD_LIMIT_NONE. */
  msd_limit limit;
  /* Default MSD_ENERGY_PLAIN, which alone the other integrators can take. */
  msd_energy energy;
  /* Default MSD_MASS_SCALING_NONE, which alone the other integrators can take. */
  msd_mass_scaling mass_scaling;
  /* Default MSD_SOLVER_FORCES, which alone the other integrators, energies and scaled masses can take. */
  msd_solver solver;
  /* Of MSD_SEQUENTIAL_IMPULSE: passes over the springs in a substep, 1 (default) to 1000. They do not change
     a lone spring; in a network they converge where cd < 1. */
  int impulse_iterations;
  /* Of MSD_SEQUENTIAL_IMPULSE: begin with the impulses of the substep before, which needs fewer iterations in
     slow motion, but feeds energy in with strong damping, cd near 1; default false. */
  bool impulse_warm_start;
  /* The most threads of a step, 0 to 256; 0 (default): as many as may pay on this machine. */
  int thread_count;
  /* Where they come from; default: OpenMP, as long as the library is built with it (tasks.h). */
  msd_tasks tasks;
  /* Default MSD_SIMD_WIDEST. */
  msd_simd simd;
  /* Bytes that the world may take; default 8 GiB. */
  size_t memory_limit;
  /* Default: the C library's. */
  msd_allocator allocator;
  /* Default NULL: silent. */
  msd_log_function log;
  void *log_context;
  /* Set by msd_default_world_def. */
  uint32_t cookie;
} msd_world_def;

MSD_API msd_world_def msd_default_world_def(void);

/* Makes an empty world. On failure *world is NULL, and the log of the definition, when it has one, is told
   the field. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_create_world(const msd_world_def *def, msd_world **world);

/* Makes an independent world in the same state, with the same settings, tasks, allocator and log; callbacks
   are not among them. Stepped alike both have the same bits. On failure *copy is NULL.
   MSD_OUT_OF_MEMORY, MSD_TOO_LARGE. */
MSD_API msd_result msd_copy_world(const msd_world *world, msd_world **copy);

/* Frees a world; NULL is allowed. */
MSD_API void msd_destroy_world(msd_world *world);

/* What the last failing call on this world had to say: one line, "" when none failed. Calls that take the
   world as const (msd_world_save, msd_world_stability ...) leave no message. */
MSD_API const char *msd_world_message(const msd_world *world);

/* Change what the definition set. MSD_BAD_VALUE outside the ranges given there. */
MSD_API msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity);
MSD_API msd_result msd_world_set_air_drag(msd_world *world, msd_real air_drag);
MSD_API msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator);
MSD_API msd_result msd_world_set_limit(msd_world *world, msd_limit limit);
MSD_API msd_result msd_world_set_energy(msd_world *world, msd_energy energy);
MSD_API msd_result msd_world_set_mass_scaling(msd_world *world, msd_mass_scaling scaling);
MSD_API msd_result msd_world_set_solver(msd_world *world, msd_solver solver);
MSD_API msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations);
MSD_API msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start);
MSD_API msd_result msd_world_set_thread_count(msd_world *world, int thread_count);
MSD_API msd_result msd_world_set_simd(msd_world *world, msd_simd simd);

MSD_API msd_vec3 msd_world_get_gravity(const msd_world *world);
MSD_API msd_real msd_world_get_air_drag(const msd_world *world);
MSD_API msd_integrator msd_world_get_integrator(const msd_world *world);
MSD_API msd_limit msd_world_get_limit(const msd_world *world);
MSD_API msd_energy msd_world_get_energy(const msd_world *world);
MSD_API msd_mass_scaling msd_world_get_mass_scaling(const msd_world *world);
MSD_API msd_solver msd_world_get_solver(const msd_world *world);
MSD_API int msd_world_get_impulse_iterations(const msd_world *world);
MSD_API bool msd_world_get_impulse_warm_start(const msd_world *world);

/* The most threads that a step uses: thread_count, but no more than the tasks have workers, or what the machine
   or the tasks offer and the size may repay. The world keeps trying out whether they pay on the machine as it
   is, or one thread is faster. The next step after msd_world_set_thread_count uses them all. */
MSD_API int msd_world_get_thread_count(const msd_world *world);

/* ------------------------------------------------------------------------------------------------- step */

/* Advances the world by time_step seconds (> 0) in `substeps` equal substeps. 0 takes the fewest that are
   certified stable (msd_world_stability): for springs and anchors at every shape of the network; for
   stiff constraints at a shape of some steps ago, with a margin of 2, and softened where another shape
   asks for more (constraint.h). The step after one that softened a constraint finds them again. After
   changes of single springs and particles those that it takes are certified too, and may be more than the
   fewest for a while (msd_world_find_substeps). With MSD_MASS_SCALING_SELECTIVE any number is certified,
   and 0 takes as many as keep the scaled masses in proportion (msd_stability.substeps); with
   MSD_SOLVER_GAUSS_SEIDEL any number is too, and 0 takes as many as hold a sheet to 1 or 2 %.
   MSD_NO_STABLE_STEP when there are none below a million. Forces given by msd_particle_apply_force act
   during this call and are then cleared, and pins moved by msd_particle_move_to arrive at its end. After
   every 512th substep since the beginning of the world, what has all but come to rest does: components of
   velocity below 2^-53 m/s become 0, and with them components of the position below 2^-53 m (2^-480 in
   double precision). MSD_DIVERGED: a coordinate or velocity would no longer be a finite number. The world
   keeps the state of the last finite substep, and the message names the first particle (lowest index)
   that failed. MSD_BAD_VALUE: the world has something that one of its settings cannot take, as the
   message says. MSD_STOPPED, and what else a step tells in its course: callbacks.h. MSD_BUSY in the
   course of another one. MSD_OUT_OF_MEMORY: before the first substep, and the world is as before; with
   surfaces (surface.h) also in a later one, and the world keeps the state before that, which the message
   names; and behind the last, where particles would be split (wear.h) or callbacks told what touches. */
MSD_API msd_result msd_world_step(msd_world *world, msd_real time_step, int substeps);

/* Seconds simulated. */
MSD_API double msd_world_get_time(const msd_world *world);

/* Substeps done. */
MSD_API int64_t msd_world_get_steps(const msd_world *world);

/* A 64-bit fingerprint of the state: the bits of every position and velocity in the order of the indices.
   Equal worlds stepped equally have equal hashes on any number of threads, any vector width and any byte
   order. */
MSD_API uint64_t msd_world_hash(const msd_world *world);

/* ------------------------------------------------------------------------------------------ diagnostics */

typedef struct msd_stats {
  int32_t particles, pinned;
  /* Broken ones are counted among springs. */
  int32_t springs, broken;
  /* Those of them that strain has broken, and unbroken ones that have yielded (wear.h). */
  int32_t torn, yielded;
  /* Unbroken constraints that have yielded (wear.h). */
  int32_t yielded_constraints;
  /* Particles that are parts of others, since those were split (wear.h). */
  int32_t split;
  /* Particles that sleep (sleep.h). */
  int32_t asleep;
  /* Broken ones are counted. */
  int32_t constraints, anchors, rotors, angular_springs, colliders;
  /* Of the last substep: what was pushed apart, pairs of a particle and a collider and pairs of points and
     triangles or of edges of surfaces; and what found no place: particles between colliders (collider.h), and
     pairs of surfaces that prescribed motion has forced together and that are not apart yet (surface.h). */
  int32_t contacts, pinched;
  /* Since the beginning: pairs of surfaces that prescribed motion has forced together; and how often a
     particle of a surface went less far in a substep than it would have gone, so that nothing passes through
     anything. */
  int64_t pinched_pairs, shortened_steps;
  /* Pairs of triangles and segments of surfaces that still intersect, of those that did when something else
     than steps had put them there, or that prescribed motion has forced; as of the last time that it was
     looked at, a few substeps ago. */
  int64_t tangles;
  /* kg, pinned particles included. */
  double total_mass;
  /* J: unpinned particles and rotors. */
  double kinetic_energy;
  /* J: sum of 1/2 k C^2 over unbroken springs (a slack tether has none), constraints, anchors and angular
     springs. */
  double elastic_energy;
  /* J: minus the sum of m g . x. */
  double potential_energy;
  /* kg m/s: unpinned particles. */
  double momentum[3];
  /* kg m^2/s about the origin: unpinned particles. */
  double angular_momentum[3];
  /* m, pinned particles included. */
  double center_of_mass[3];
  /* Largest length/rest_length - 1 over unbroken springs and fibres (constraint.h) with a rest length > 0, of
     a fibre value/rest - 1; a tether counts while it is taut, a strut while it is short. */
  double max_stretch;
  /* Their mean, each counting once. */
  double mean_stretch;
  /* The spring or the fibre with the largest, a constraint, the other -1; both -1 when there is none. */
  int32_t max_stretch_spring, max_stretch_fibre;
  /* m/s. */
  double max_speed;
  /* Surfaces and their triangles; and how many edges these have, with the segments of ropes, 0 before the
     first step. */
  int32_t surfaces, surface_triangles, surface_edges;
  /* Memory that the world holds, and what of it is for contact and not in definitions: 0 before the first
     step. */
  size_t bytes, contact_bytes;
} msd_stats;

/* Energies, momenta and stretch of the present state. Sums are in double, in the order of the indices.
   O(particles + springs + constraints). */
MSD_API msd_stats msd_world_get_stats(const msd_world *world);

/* The counts and bytes of it alone, with 0 and -1 for what is of masses, places and speeds: at once where
   nothing wears and no particle is split, of worlds of any size. */
MSD_API msd_stats msd_world_get_counts(const msd_world *world);

/* The energy that steps have made by themselves while the world's msd_energy was another than
   MSD_ENERGY_PLAIN: what is there beyond what there was and what gravity, forces, pins, drag, constraints and
   damping have done. */
typedef struct msd_energy_account {
  /* J, as of the beginning of the last substep. Below 0 it was lost; damped springs make it 0 then, as that is
     heat. */
  double made;
  /* J: the most that a guarded world makes; a hundredth of the largest energy so far. */
  double credit;
  /* Substeps that were taken again with other forces, and those of them whose forces were not along the
     springs, which changes the angular momentum. */
  int64_t guarded_substeps, turned_substeps;
  /* The least factor that spring forces were scaled by; 1: none was. */
  double least_factor;
} msd_energy_account;

MSD_API msd_energy_account msd_world_get_energy_account(const msd_world *world);

/* Adds to made[e] what the last substep of symplectic Euler has made at spring e, in J, by the trapezoidal rule
   that a kick and a drift follow: with the lengths l and l' before and after it, and c the cosine of the angle
   that the spring turned by, -(k rest/2) (l' - l) (1 - c) of one that acts all the time (docs/energy.md). Where
   nothing is damped their sum is what msd_energy_account.made changes by. Whatever the msd_energy; nothing of
   broken springs, before the first step, with other integrators, and where it is beyond all numbers. `made` has
   msd_world_get_spring_count elements. O(springs). */
MSD_API void msd_world_add_made_energy(const msd_world *world, double *made);

/* A piece is what unbroken springs and constraints join, directly or through others; a particle that nothing
   is joined to is one by itself. It is held when one of its particles is pinned or has an anchor. */
typedef struct msd_pieces {
  int32_t pieces, held;
} msd_pieces;

/* Counts the pieces as the world now is. piece_of[i] becomes the number of the piece that particle i belongs
   to, from 0 in the order of their first particles (-1 of one that was destroyed), and is_held[i] whether that
   is held. Both have msd_world_get_particle_count elements, and either may be NULL. O(particles + springs +
   constraints). MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_pieces(const msd_world *world, int32_t *piece_of, bool *is_held,
                                         msd_pieces *counts);

/* -------------------------------------------------------------------------------------------- snapshots */

/* Writes the whole world (particles, springs, settings, time) as `*size` bytes. With buffer NULL only the
   size is given. A world restored from it continues with the same bits. MSD_BUFFER_TOO_SMALL: nothing is
   written, and *size says how much is needed.
   That is 29 bytes a particle, 22 a spring and 78 a constraint (57, 34 and 138 in double), 12 for each triangle
   of a surface and 12 (24) for each particle from the first to the last of surfaces; 4 more a particle in a
   network whose particles have an order of their own, 12 (24) while forces wait, and what little else there
   is. Where surfaces touch it also has what the next step goes on with: 28 bytes a particle, or 60 where some
   are near each other (56 and 120), 32 (60) for each that has left the way that was expected of it, and 33 (49)
   for each pair that friction holds. */
MSD_API msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size);

/* The most bytes that msd_world_save takes until something is added to the world or destroyed, or more of its
   surfaces intersects than 4 tangles (surface.h) for each of their triangles and segments: a buffer that large
   can be used again and again while forces, moves of pins and rest lengths and the order of the particles come
   and go. 0 without a world. */
MSD_API size_t msd_world_get_save_bound(const msd_world *world);

/* Replaces the contents and settings of a world (all but thread_count, tasks, simd, memory_limit, allocator
   and log) with those of a snapshot. MSD_BAD_SNAPSHOT, MSD_SNAPSHOT_VERSION, MSD_SNAPSHOT_PRECISION,
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY; the world is then as before. */
MSD_API msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size);

/* ---------------------------------------------------------------------------------------------- states */

/* A state is what steps change of a world: its time, positions and velocities, the angles of rotors, where
   anchors and colliders are; and which particles are pinned. It is for going back some frames within one run of
   a program, at the speed of memory: 24 1/4 bytes a particle (48 1/4 in double) and less than 1 kB, and, where
   there are such, 100 to 200 bytes an anchor, rotor, angular spring, collider and tangle, and the impulses of a
   warm start; where surfaces touch also what the next step goes on with, as in a snapshot, and the step
   behind a restored one takes some time longer.

   What else a world is does not go back with it: what has been broken, retuned or set since stays so, and rest
   lengths that have gone somewhere stay there. Where nothing was but pins, the steps that follow have the same
   bits as those that did, in the world and in its copies; but for pins between a state of before the first step
   and that step, as a large network may find another order of its particles, and for a constraint whose
   particles were in one place when it was added (MSD_AS_PLACED): from a state of before they parted one cannot
   go back to a later one, as it waits for a shape again. Forces, torques and targets that wait for the next
   step are not in it, and are forgotten when it is restored; contacts that are read are those of the last step
   that was taken. */

/* As msd_world_save. MSD_BAD_VALUE of a world whose springs or constraints wear (wear.h), of which steps change
   more than that: take a snapshot. */
MSD_API msd_result msd_world_save_state(const msd_world *world, void *buffer, size_t capacity, size_t *size);

/* Takes a world back to a state of it, or of a copy that has as many particles, anchors, rotors, angular
   springs, colliders and surfaces, and of which the same has been destroyed (removal.h). MSD_BAD_VALUE,
   MSD_BAD_SNAPSHOT, MSD_OUT_OF_MEMORY; the world is then as before. */
MSD_API msd_result msd_world_restore_state(msd_world *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
