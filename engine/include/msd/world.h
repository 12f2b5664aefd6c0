/* msd: the world: settings, stepping, diagnostics, snapshots and rollback states. */
#ifndef MSD_WORLD_H
#define MSD_WORLD_H

#include "msd/base.h"
#include "msd/callbacks.h"
#include "msd/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------- settings */

/* Time integrators. Symplectic Euler is the default and the one whose stability is proven. The others are for
   comparison.
   - Symplectic Euler: v += dt (f/m + g), then x += dt v; order 1. Particles to which nothing is attached, and
     which no collider can reach in the substep, move exactly, by dt v - dt^2/2 (f/m + g), unless they
     belong to a collision mesh.
   - Sequential impulse: symplectic Euler that applies springs one after another. With ck = k dt^2/m, cd = mu
     dt/m and m = 1/(w_a + w_b), a spring changes the momenta of its ends by
     -(m/dt) ck (length - rest_length) - m cd length'. length' includes the effect of the springs before it.

   For a single spring, and without damping, sequential impulses equal symplectic Euler. In a network, damping
   makes springs stiffer under load. The order is fixed by a coloring in which springs of one color have no
   common particle; constraints follow in the same manner. */
typedef enum msd_integrator {
  MSD_SYMPLECTIC_EULER,
  MSD_EXPLICIT_EULER,
  MSD_VELOCITY_VERLET,
  MSD_RK4,
  MSD_SEQUENTIAL_IMPULSE,
  MSD_INTEGRATOR_COUNT
} msd_integrator;

/* Returns the name used in scene files, such as "symplectic_euler"; NULL for any other number. */
MSD_API const char *msd_integrator_name(msd_integrator integrator);

/* Treatment of numerical energy gain with symplectic Euler. Stable substeps of one length never diverge, but a
   spring that rotates while it contracts gains a little energy, which accumulates in violent undamped motion.
   With substeps of changing length undamped springs can resonate, and gain without limit
   (docs/theory/energy.md). Springs between particles and constraints have an account each. Soft pins, hard
   limits, contact, wind and torsion springs do work from outside.

   Modes other than MSD_ENERGY_OFF need MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT and no sleep, and a world
   that is not a subdomain; otherwise msd_world_step, or the call that chooses them, returns MSD_BAD_VALUE. */
typedef enum msd_energy_mode {
  /* Default, the fastest mode. The gain of springs is not treated; that of constraints is bounded as below from
     the first substep on in which one is softened (constraint.h). */
  MSD_ENERGY_OFF,
  /* The gain is measured (msd_world_get_energy_account). The motion is bitwise identical to that without
     treatment. */
  MSD_ENERGY_MONITOR,
  /* The gain is bounded to 1 % of the largest energy so far, also in frames of changing length. A substep that
     would exceed the bound is repeated with all spring forces adjusted by one common factor. Until then the
     motion is bitwise identical to that without treatment. After a change to shorter substeps the gain may
     exceed the bound for a while; the kinetic energy keeps its own (docs/theory/energy.md). */
  MSD_ENERGY_BOUNDED,
  /* As above with forces along the springs only, which conserves angular momentum too. The bound is not
     proven. */
  MSD_ENERGY_BOUNDED_CENTRAL,
  MSD_ENERGY_MODE_COUNT
} msd_energy_mode;

/* Returns the name used in scene files, such as "off"; NULL for any other number. */
MSD_API const char *msd_energy_mode_name(msd_energy_mode energy);

/* Mass scaling: the masses that the forces of springs, constraints and soft pins act on. For symplectic
   Euler. */
typedef enum msd_mass_scaling {
  /* Default. The masses of the particles; the stiffest springs limit the substep. */
  MSD_MASS_SCALING_NONE,
  /* Selective mass scaling. Springs that are too stiff for the substep get added inertia in their relative
     motion only; gravity, applied forces and the motion of the center of mass are unaffected. The network is
     proven stable at any substep and stiffness.

     Constraints are scaled as springs are, and soft pins are integrated as forces. Colliders and hard limits
     yield for a few substeps where they touch only a small part of a body. All collision meshes must be
     excluded from contact with each other and themselves. See docs/theory/mass_scaling.md. */
  MSD_MASS_SCALING_SELECTIVE,
  MSD_MASS_SCALING_COUNT
} msd_mass_scaling;

/* Returns the name used in scene files, "none" or "selective"; NULL for any other number. */
MSD_API const char *msd_mass_scaling_name(msd_mass_scaling scaling);

/* Solvers: how springs between particles act in a substep. For symplectic Euler. */
typedef enum msd_solver {
  /* Default. Explicit forces, all at once. The stiffest springs limit the substep, unless masses are scaled. */
  MSD_SOLVER_EXPLICIT,
  /* Gauss-Seidel, similar to XPBD. Springs act one after another in the order of a coloring, forward and
     backward, each by an implicit Euler substep of its own. Any substep and stiffness is proven stable, and
     more substeps come closer to the requested stiffness. MSD_MAX_STABLE means rigid. Hard limits with ck = 1
     between a particle and one or two pins are exact.

     It suits small sheets and ropes of inextensible cloth: the substeps for a given strain grow with
     resolution. Two sweeps are not converged: what is stretched between pins loses tension
     (msd_world_get_solver_residual), and what turns freely loses angular momentum, as with any implicit Euler
     step. Constraints remain forces and are softened to what any substep can take. Not available with
     soft pins, fibers, mass scaling or a treatment of the energy gain. See docs/theory/gauss_seidel.md. */
  MSD_SOLVER_GAUSS_SEIDEL,
  MSD_SOLVER_COUNT
} msd_solver;

/* Returns the name used in scene files, "explicit" or "gauss_seidel"; NULL for any other number. */
MSD_API const char *msd_solver_name(msd_solver solver);

/* Widest vector instructions to use. Results are bitwise identical with all of them. */
typedef enum msd_simd {
  /* Default. The widest that the processor supports. */
  MSD_SIMD_WIDEST,
  /* Plain C, one particle at a time: the reference for the others. */
  MSD_SIMD_SCALAR,
  MSD_SIMD_128,
  MSD_SIMD_256,
  MSD_SIMD_512,
  MSD_SIMD_COUNT
} msd_simd;

/* Memory allocator of a world. `allocate` returns memory aligned to 64 bytes, or NULL; `release` frees it.
   Set both or neither. */
typedef struct msd_allocator {
  void *(*allocate)(size_t bytes, void *context);
  void (*release)(void *memory, void *context);
  void *context;
} msd_allocator;

/* Called with one line of text, without a newline, when a call fails. */
typedef void (*msd_log_function)(const char *message, void *context);

/* Settings of a world. */
typedef struct msd_world_def {
  /* m/s^2; default (0,-9.81,0). Acceleration of every unpinned particle. */
  msd_vec3 gravity;
  /* 1/s, >= 0; default 0. Linear damping: velocities decay by exp(-linear_damping t). */
  msd_real linear_damping;
  /* Default MSD_SYMPLECTIC_EULER. */
  msd_integrator integrator;
  /* Stiffness clamping. If true, the stiffness of each spring is clamped to the maximum stable coefficient at
     the substep (MSD_MAX_STABLE). If false (default), springs keep their defined stiffness. Constraints of the
     stiffness or frequency law, except fibers, are softened only in shapes whose gradients are too large for
     the substep, and only while they are (constraint.h). */
  bool clamp_stiffness;
  /* Default MSD_ENERGY_OFF; the only one that other integrators support. */
  msd_energy_mode energy_mode;
  /* Default MSD_MASS_SCALING_NONE; the only one that other integrators support. */
  msd_mass_scaling mass_scaling;
  /* Default MSD_SOLVER_EXPLICIT; the only one that supports other integrators, energy modes and mass scaling.
     */
  msd_solver solver;
  /* 1 to 1000; default 1. Used by MSD_SEQUENTIAL_IMPULSE: passes over the springs in a substep. They do not
     affect a single spring; in a network they converge if cd < 1. */
  int impulse_iterations;
  /* Default false. Used by MSD_SEQUENTIAL_IMPULSE: start from the impulses of the last substep. This needs
     fewer iterations in slow motion, but adds energy with strong damping (cd near 1). */
  bool impulse_warm_start;
  /* 0 to 256; default 0: automatic. Largest number of threads of a frame. */
  int thread_count;
  /* Job system that provides the threads; default threads of msd, if the library is built with OpenMP
     (tasks.h). */
  msd_tasks tasks;
  /* Default MSD_SIMD_WIDEST. */
  msd_simd simd;
  /* Bytes; default 8 GiB. Most memory that the world may allocate. */
  size_t memory_limit;
  /* Default that of the C library. */
  msd_allocator allocator;
  /* Default NULL: no log. */
  msd_log_function log;
  void *log_context;
  /* Internal mark of an initialized definition. Set by msd_default_world_def. */
  uint32_t cookie;
} msd_world_def;

MSD_API msd_world_def msd_default_world_def(void);

/* Creates an empty world. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_VALUE or MSD_OUT_OF_MEMORY on failure; *world
   is then NULL, and the log of the definition, if any, receives the name of the field. */
MSD_API msd_result msd_create_world(const msd_world_def *def, msd_world **world);

/* Creates an independent copy of a world: same state, settings, tasks, allocator and log, but no callbacks.
   Stepped alike, both remain bitwise identical. Returns MSD_OUT_OF_MEMORY or MSD_TOO_LARGE on failure; *copy
   is then NULL. */
MSD_API msd_result msd_copy_world(const msd_world *world, msd_world **copy);

/* Frees a world. NULL is allowed. */
MSD_API void msd_destroy_world(msd_world *world);

/* Returns the message of the last failed call on this world: one line, "" if none failed. Calls with a const
   world (msd_world_save, msd_world_analyze_stability, ...) set no message. */
MSD_API const char *msd_world_message(const msd_world *world);

/* Change a setting of the definition. Return MSD_BAD_VALUE if the value is out of its range, and MSD_LOCKED
   inside a callback. */
MSD_API msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity);
MSD_API msd_result msd_world_set_linear_damping(msd_world *world, msd_real linear_damping);
MSD_API msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator);
MSD_API msd_result msd_world_set_clamp_stiffness(msd_world *world, bool clamp);
MSD_API msd_result msd_world_set_energy_mode(msd_world *world, msd_energy_mode mode);
MSD_API msd_result msd_world_set_mass_scaling(msd_world *world, msd_mass_scaling scaling);
MSD_API msd_result msd_world_set_solver(msd_world *world, msd_solver solver);
MSD_API msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations);
MSD_API msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start);
MSD_API msd_result msd_world_set_thread_count(msd_world *world, int thread_count);
MSD_API msd_result msd_world_set_simd(msd_world *world, msd_simd simd);

/* Checks whether the next step can begin, before it is taken: whether the settings support everything that the
   world has, and whether collision meshes intersect. A step makes the same checks, and reuses what was found
   here if nothing has moved since. The initial intersections are then in msd_world_get_penetrations.
   MSD_BAD_VALUE, with both settings in msd_world_message; MSD_TOO_FAR, as msd_world_step;
   MSD_INITIAL_INTERSECTION where the contact settings treat initial intersections as an error;
   MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_check(msd_world *world);

/* Return the current settings. */
MSD_API msd_vec3 msd_world_get_gravity(const msd_world *world);
MSD_API msd_real msd_world_get_linear_damping(const msd_world *world);
MSD_API msd_integrator msd_world_get_integrator(const msd_world *world);
MSD_API bool msd_world_get_clamp_stiffness(const msd_world *world);
MSD_API msd_energy_mode msd_world_get_energy_mode(const msd_world *world);
MSD_API msd_mass_scaling msd_world_get_mass_scaling(const msd_world *world);
MSD_API msd_solver msd_world_get_solver(const msd_world *world);
MSD_API int msd_world_get_impulse_iterations(const msd_world *world);
MSD_API bool msd_world_get_impulse_warm_start(const msd_world *world);

/* Returns the largest number of threads that a frame uses. It is limited by thread_count, by the worker_count
   of the tasks or by the machine, and by the size of the world. The world measures from time to time whether
   these threads or a single one are faster; the next frame after msd_world_set_thread_count uses all of
   them. */
MSD_API int msd_world_get_thread_count(const msd_world *world);

/* ------------------------------------------------------------------------------------------------- step */

/* Advances the world by frame_time seconds (> 0), one frame, in `substeps` equal substeps. With 0 substeps it
   takes the fewest that are proven stable (see below).

   Forces of msd_particle_apply_force act during this call and are then cleared. Pins moved by
   msd_particle_move_to reach their targets at its end. Returns MSD_OK, or:
   - MSD_BAD_FRAME_TIME if frame_time is not finite and above 0, or a substep would be 0.
   - MSD_BAD_VALUE if the world has something that one of its settings does not support; the message says
     what.
   - MSD_NO_STABLE_STEP if `substeps` is 0 and no number up to a million is proven stable.
   - MSD_INITIAL_INTERSECTION if collision meshes intersect at the start and error_on_intersection of
     msd_contact_settings is set.
   - MSD_TOO_FAR if most of a collision mesh lies so far from the origin that positions are rounded there to
     more than 1/32 of its thickness: beyond 1300 m for 5 mm in single precision. From a tenth of that on,
     frames with contact take longer. Subtract a point near the bodies from all positions.
   - MSD_DIVERGED if a coordinate or velocity would become non-finite. The world keeps the state of the last
     finite substep; the message names the failed particle of lowest index. With collision meshes also if
     particles move too far in a substep for contact: the message says how many substeps are stable, or that
     pins and colliders are to move more slowly. The next call continues from there.
   - MSD_CANCELED if a callback has stopped the frame (events.h).
   - MSD_LOCKED if it is called inside a callback.
   - MSD_OUT_OF_MEMORY before the first substep, with the world unchanged. With collision meshes it can also
     occur in a later substep: the world keeps the state before that substep, which the message names. It can
     also occur after the last one, for particles to split (msd_damage_def) or contact events.

   Automatic substeps are those of msd_stability:
   - Springs, fibers and soft pins: proven stable in every configuration.
   - Other stiff constraints: proven at the shape of a few frames ago, with a margin of 2; softened where the
     current shape needs more substeps (constraint.h). The frame after such softening computes the substeps
     again.
   - After changes of single springs or particles the substeps are still proven stable, but for some time
     there may be more than necessary (msd_world_find_substeps).
   - At least 8 substeps a turn of colliders that turn (msd_turn), and 64 of pins and soft pins.
   - MSD_MASS_SCALING_SELECTIVE is stable with any number; 0 selects enough to keep the added inertia small.
   - MSD_SOLVER_GAUSS_SEIDEL is stable with any number; 0 selects enough for a strain of 1 to 2 % of a hanging
     sheet.

   Denormal numbers. After every 512th substep since the world was created, components of velocity below 2^-53
   m/s are set to 0, and with them components of position below 2^-53 m (2^-480 in double precision). */
MSD_API msd_result msd_world_step(msd_world *world, msd_real frame_time, int substeps);

/* Returns the simulated time in s. */
MSD_API double msd_world_get_time(const msd_world *world);

/* Returns the number of substeps done since the world was created. */
MSD_API int64_t msd_world_get_steps(const msd_world *world);

/* Returns a 64-bit hash of the bits of all positions and velocities, in the order of the indices. Equal
   worlds that are stepped equally have equal hashes for any number of threads, vector width and byte order. */
MSD_API uint64_t msd_world_hash(const msd_world *world);

/* ------------------------------------------------------------------------------------------ diagnostics */

/* Statistics of the current state. */
typedef struct msd_stats {
  /* Particles, and how many of them are pinned. */
  int32_t particles, pinned;
  /* Springs, broken ones included, and broken springs. */
  int32_t springs, broken;
  /* Springs that strain has broken, and unbroken springs that have yielded (msd_damage_def). */
  int32_t torn, yielded;
  /* Unbroken constraints that have yielded (msd_damage_def). */
  int32_t yielded_constraints;
  /* Particles that were created by splitting others (msd_damage_def). */
  int32_t split;
  /* Sleeping particles (sleep.h). */
  int32_t asleep;
  /* Numbers of objects; broken constraints and torsion springs are included. */
  int32_t constraints, soft_pins, rotors, torsion_springs, colliders;
  /* Last substep. Contacts: active pairs of particle and collider, vertex and triangle, or edge and edge.
     Squeezed: particles between colliders that leave no valid position (collider.h), plus forced
     intersections that have not separated yet (collision_mesh.h). */
  int32_t contacts, squeezed;
  /* Since the world was created. Forced intersections: pairs of collision meshes that kinematic motion has
     forced together. Clipped moves: how often the displacement of a particle in a substep was shortened to
     prevent penetration. */
  int64_t forced_intersections, clipped_moves;
  /* Intersecting pairs of triangles and segments of collision meshes that contact ignores: initial and forced
     intersections that have not separated. Updated every few substeps. */
  int64_t penetrations;
  /* kg, pinned particles included. */
  double total_mass;
  /* J, of unpinned particles and rotors. */
  double kinetic_energy;
  /* J. Sum of 1/2 k C^2 over unbroken springs, constraints, soft pins and torsion springs. A slack
     tension-only spring has none. Where the energy account of constraints limits their forces, it counts what
     they can give back. */
  double elastic_energy;
  /* J. Minus the sum of m g . x. */
  double potential_energy;
  /* kg m/s, of unpinned particles. */
  double momentum[3];
  /* kg m^2/s about the origin, of unpinned particles. */
  double angular_momentum[3];
  /* m, pinned particles included. */
  double center_of_mass[3];
  /* Largest strain length/rest_length - 1 of unbroken springs, and value/rest - 1 of unbroken fibers, with
     rest length > 0. Tension-only springs count while taut, compression-only springs while compressed. */
  double max_stretch;
  /* Mean of these strains, with equal weights. */
  double mean_stretch;
  /* The spring or fiber (index of a constraint) with the largest strain; the other is -1, or both if there is
     none. */
  int32_t max_stretch_spring, max_stretch_fiber;
  /* m/s. */
  double max_speed;
  /* Collision meshes, their triangles including cut ones (msd_collision_mesh_find_cut), and the edges of what
     is not cut, including segments of ropes. Edges are 0 before the first frame. */
  int32_t collision_meshes, collision_triangles, collision_edges;
  /* Bytes of memory of the world, and of these the bytes for contact outside definitions, 0 before the first
     frame. */
  size_t bytes, contact_bytes;
} msd_stats;

/* Returns energies, momenta, strain and counts of the current state. Sums are in double, in the order of the
   indices. O(particles + springs + constraints). */
MSD_API msd_stats msd_world_get_stats(const msd_world *world);

/* Returns only the counts and bytes of the statistics; masses, positions, speeds and strains are 0 or -1.
   Constant time for worlds of any size, unless springs or constraints can yield or tear or particles have
   split. */
MSD_API msd_stats msd_world_get_counts(const msd_world *world);

/* Numerical energy gain: the energy that exists beyond the initial energy plus the work of gravity, forces,
   pins, linear damping, constraints and damping. It is counted while the energy mode is other than
   MSD_ENERGY_OFF. */
typedef struct msd_energy_account {
  /* J, at the start of the last substep. Negative: lost. With damped springs it is set to 0 then, because the
     loss is dissipation. */
  double gain;
  /* J. Allowance of the bounded modes: 1 % of the largest energy so far. */
  double allowance;
  /* Substeps that were repeated with other forces, and those of them whose forces were not along the springs,
     which changes the angular momentum. */
  int64_t bounded_substeps, turned_substeps;
  /* Smallest factor that spring forces were multiplied by; 1: none. */
  double least_factor;
  /* The same of constraints. Their account begins with the first substep in which one is softened, or the tip
     of a dihedral angle may jump over the hinge line; in the bounded modes it is always kept. It limits their
     gain in every mode. Negative: they have given back less than they received. */
  double constraint_gain, constraint_allowance;
  int64_t constraint_bounded_substeps, constraint_turned_substeps;
} msd_energy_account;

/* Returns the energy account. */
MSD_API msd_energy_account msd_world_get_energy_account(const msd_world *world);

/* How far the Gauss-Seidel solver is from convergence. Of each spring, the distance in m between its length
   and the length at which it would be in equilibrium with the impulse that the last substep gave it, divided
   by its rest length. 0 for a converged substep. A stretched string at rest whose residual is 0.04 has a
   tension that belongs to 4 % less stretch or more. */
typedef struct msd_solver_residual {
  /* The largest, and the mean. */
  double largest, mean;
  /* The spring with the largest; -1: none. */
  int32_t spring;
} msd_solver_residual;

/* Returns the residual of the last substep. All 0 and -1 with other solvers, before the first substep, and
   after a change or a restore until the next one. Slack springs, and those of rest length 0, are left out.
   O(springs). */
MSD_API msd_solver_residual msd_world_get_solver_residual(const msd_world *world);

/* Adds to made[e] the energy in J that spring e has gained in the last substep of symplectic Euler. It is
   computed by the trapezoidal rule that kick and drift follow.

   Let l and l' be the lengths before and after the substep, and c the cosine of the angle that the spring
   turned by. The gain of a spring that acts in both directions is -(k rest/2) (l' - l) (1 - c)
   (docs/theory/energy.md). Without damping the sum over all springs is the change of msd_energy_account.gain.

   Works in every energy mode. Adds nothing for broken springs, before the first frame, with other
   integrators, and where the value would not be finite. `made` has msd_world_get_spring_count elements.
   O(springs). */
MSD_API void msd_world_add_spring_energy_gain(const msd_world *world, double *made);

/* Numbers of connected components and of attached components. A component is a set of particles that unbroken
   springs and constraints connect, directly or through others. A component is attached if it has a pinned
   particle or a soft pin. */
typedef struct msd_components {
  int32_t components, attached;
} msd_components;

/* Computes the connected components. component_of[i] receives the component of particle i, numbered from 0 by
   first particle, or -1 for a destroyed particle. is_attached[i] receives whether that component is attached.
   Both arrays have msd_world_get_particle_count elements and may be NULL. O(particles + springs +
   constraints). Returns MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_world_find_components(const msd_world *world, int32_t *component_of, bool *is_attached,
                                             msd_components *counts);

/* -------------------------------------------------------------------------------------------- snapshots */

/* Saves the whole world (objects, settings, time) as a snapshot of `*size` bytes. With buffer NULL only the
   size is computed. A restored world continues bitwise identically. Returns MSD_BUFFER_TOO_SMALL if
   `capacity` is too small: nothing is written, and *size is the required size.

   Bytes (in double precision):

       each particle                                     29 (57)
       each spring                                       22 (34)
       each constraint                                   82 (146)
       each triangle of a collision mesh                 12
       each particle from the first to the last
       of collision meshes                               12 (24)
       each particle, if the network is reordered         4
       each particle, while forces are pending           12 (24)
       with contact between collision meshes:
         each particle                                   28 (56), or 60 (120) if some are close
         each particle off its predicted motion          32 (60)
         each pair held by static friction               33 (49)

   plus small amounts for everything else. */
MSD_API msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size);

/* Returns an upper bound for the size of a snapshot; 0 without a world. A buffer of that size can be reused
   while pending forces, targets of pins, rest lengths and the order of particles change. The bound holds
   until objects are added or destroyed. It also requires at most 4 penetrations (collision_mesh.h) for each
   triangle and segment of collision meshes. */
MSD_API size_t msd_world_get_save_bound(const msd_world *world);

/* Replaces the contents and settings of a world by those of a snapshot, except thread_count, tasks, simd,
   memory_limit, allocator and log. Returns MSD_BAD_SNAPSHOT, MSD_SNAPSHOT_VERSION, MSD_SNAPSHOT_PRECISION,
   MSD_TOO_LARGE or MSD_OUT_OF_MEMORY on failure; the world is then unchanged. */
MSD_API msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size);

/* ---------------------------------------------------------------------------------------------- states */

/* A state is a fast quick save of motion, for example for rollback by a few frames within one run. It
   contains the time, positions and velocities, angles of rotors, positions of soft pins and colliders, and
   which particles are pinned.

   Size: 24 1/4 bytes for each particle (48 1/4 in double precision) and less than 1 kB. If present, there are
   also 100 to 200 bytes for each soft pin, rotor, torsion spring, collider and penetration, and the
   warm-start impulses. With contact between collision meshes it also contains the contact data of a snapshot,
   and the frame after restoring takes longer.

   A state restores motion only. Broken springs, changed stiffnesses and changed rest lengths are not undone.
   If only pins changed since the state was saved, the following frames reproduce the original ones bit for
   bit, in the world and in its copies. There are two exceptions:
   - Pins changed between a state from before the first frame and that frame: a large network may then be
     reordered.
   - A constraint with MSD_AS_PLACED whose particles coincided when it was added: after restoring a state from
     before they separated, a later state can no longer be restored.

   Pending forces, torques and targets are not part of a state, and are cleared when one is restored. The
   contacts that can be read are those of the last frame that was simulated. */

/* Saves a state; arguments and results are those of msd_world_save. Returns MSD_BAD_VALUE for a world with
   damage or plasticity (msd_damage_def), whose frames change more than motion; use a snapshot. */
MSD_API msd_result msd_world_save_state(const msd_world *world, void *buffer, size_t capacity, size_t *size);

/* Restores a state of this world or of a copy. Both must have the same numbers of particles, soft pins,
   rotors, torsion springs, colliders and collision meshes, and the same destroyed objects. Returns
   MSD_BAD_VALUE, MSD_BAD_SNAPSHOT or MSD_OUT_OF_MEMORY on failure; the world is then unchanged. */
MSD_API msd_result msd_world_restore_state(msd_world *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
