/* The forces of all constraints in a substep, for the integrators that treat springs as forces.

   Constraints share corners, so threads cannot add forces to particles directly. An evaluation has two phases
   with a barrier between them:

       1. every constraint    from the state: f_j = -(k C + mu C') dC/dx_j at its corners -> corner_forces
       2. every particle      force = the applied force + those of its corners, in the order of the constraints

   spring_force.h then reads `force` as the applied force. Sums are taken in the order of the indices, so
   results do not depend on threads, vector width, or the memory order of particles. corner_gather.h implements
   phase 2, with one summand for each corner.

   Layout of phase 1. Constraints of one type fill groups of 16 lanes in the order of their indices. Within
   windows they are reordered so that constraints with the same index pattern are adjacent, as in a lattice.
   If the particles of a corner have consecutive slots they are loaded as vectors from the slabs of the state.
   Of near slots, such as every second one in a row of a lattice with alternating diagonals, two vectors are
   loaded and the lanes selected, in widths that can (lane_pick_two). Others are gathered. Lanes after the
   last constraint repeat it with all factors 0; broken constraints have factors 0 too. A group has

       slots          4 rows of 16     particles of corner 0, 1, 2, 3
       numbers        8 rows of 16     the factors of factors.h, rest, a_j of the four corners
       excess         1 row  of 16     the maximum of each since the last reset
       places         4 rows of 16     the index in corner_forces of the forces on corner 0, 1, 2, 3
       energies       3 rows of 16     the rows of enum constraint_energy, if a meter asks for them

   Consecutive fibers with the same corners share a lane, up to CONSTRAINT_FIBERS of them: the corners are
   loaded once, and the sums of their forces are stored once. All lanes of a group have the same number of
   corners and fibers. The numbers of a group are 7 rows of 16 for each fiber:

       k, mu, rest, the factor on k and mu where C < 0, and the weights of the corners 1, 2, 3

   They do not depend on the configuration: stiffness clamping acts on a fiber in the same manner everywhere,
   and is included in k and mu.

   Meshes. The lanes of a mesh group are 16 vertices. Row r stores, for each vertex, the two particles that
   follow it in its r-th triangle, or the vertex twice, which adds nothing. A chunk of 8 groups writes its
   gradients to mesh_gradients and sums its contributions to C, C' and the masses. After a barrier every chunk
   adds the sums of all chunks of its mesh, in order, and scales its gradients to forces.

   Energy. For a constraint let b = dt C' before the kick, kappa = k + 2 mu/dt and y = C - b/2, with the k and
   mu that the configuration leaves of its law. As for a spring (energy_meter.h)

       e = 1/2 k y^2 - kappa b^2/8,    A = 1/2 k y^2,    P = (B - kappa b^2)/8

   where B bounds kappa (sum g_j . D_j)^2 in every configuration, with D_j = dt v_j. For a fiber B = kappa |sum
   w_j D_j|^2. For the others softening gives each corner the stiffness b_j = kappa_0/a_j, with kappa_0 of the
   law, and

       B = sum b_j |D_j - mean|^2

   with the mean of D_j weighted by b_j, or the D of a pinned corner. A scaled pass has the forces

       f_j = -(s (k C + mu C') + (1 - s) kappa b/2) g_j - theta/2 (b_j (D_j - mean) - kappa b g_j)

   with s = sqrt(cap/A) for a constraint whose A exceeds the cap, and 1 for the others. They sum to 0 over the
   corners. docs/theory/energy.md has the theorem. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H

#include "engine/base/intervals.h"
#include "engine/base/record.h"
#include "engine/kernel/corner_gather.h"
#include "engine/kernel/lane_runs.h"
#include "engine/store/constraint.h"

enum {
  CONSTRAINT_LANES = 16,
  /* Number of lanes among which constraints are sorted by index pattern. */
  CONSTRAINT_WINDOW = 256,
  /* In groups. */
  CONSTRAINT_MESH_CHUNK = 8,
  /* The maximum number of fibers in a lane. */
  CONSTRAINT_FIBERS = 6
};

/* Rows of numbers: those of enum constraint_factor, then these. */
enum constraint_number {
  CONSTRAINT_REST = CONSTRAINT_FACTORS,
  CONSTRAINT_WEIGHT,
  CONSTRAINT_NUMBERS = CONSTRAINT_WEIGHT + CONSTRAINT_CORNERS
};

/* Rows of numbers for each fiber. */
enum fiber_number {
  FIBER_STIFFNESS,
  FIBER_DAMPING,
  FIBER_REST,
  FIBER_COMPRESSION,
  FIBER_WEIGHT,
  FIBER_NUMBERS = FIBER_WEIGHT + CONSTRAINT_CORNERS - 1
};

/* Rows of energies in J, each of all lanes and then one number for each mesh: e, A and P. */
enum constraint_energy { CONSTRAINT_ENERGY, CONSTRAINT_SPARE, CONSTRAINT_ACROSS, CONSTRAINT_ENERGIES };

/* Measures the energies, or scales the forces by those of the measuring pass of the same state. */
typedef struct constraint_meter {
  bool scales;
  /* The cap in J, and theta. */
  msd_real cap, turned;
} constraint_meter;

typedef struct constraint_group {
  /* Index of its first row of numbers. */
  int32_t first_row;
  /* An msd_constraint_kind. */
  uint8_t kind;
  /* Corners of each lane; `count` is the number of constraints per lane, 1 except for fibers. */
  uint8_t corners, count;
  /* RUN_COUNT bits for each corner; see runs_of_row. */
  uint8_t runs;
  /* NEAR_COUNT bits for each corner; see nears_of_row. */
  uint16_t nears;
} constraint_group;

/* The contribution of the vertices of a chunk to their mesh. */
typedef struct constraint_mesh_sum {
  /* 3 times the volume. */
  msd_real volume;
  msd_real rate;
  msd_real excess;
  /* For a meter: the sums of b_j, b_j u_j and b_j |u_j|^2, in units of kappa_0, with u_j the velocity relative
     to the first vertex. */
  msd_real weight, motion[3], squared;
} constraint_mesh_sum;

typedef struct constraint_mesh_groups {
  int32_t constraint;
  int32_t first_group, last_group, first_chunk, last_chunk;
  /* The slot of its first vertex. */
  int32_t origin;
  msd_real factors[CONSTRAINT_FACTORS];
  msd_real rest;
  /* The maximum since the last reset. */
  msd_real excess;
  /* Some vertex is pinned. */
  bool is_held;
  /* True if the last evaluation softened it. */
  bool alarm;
} constraint_mesh_groups;

typedef struct constraint_mesh_chunk {
  int32_t mesh, first_group, last_group;
} constraint_mesh_chunk;

typedef struct constraint_forces {
  int32_t group_count;
  constraint_group *groups;
  /* Number of corners in lanes that are not consecutive; and of those that are not near either, in vectors of
     RUN_LANES and in whole rows. */
  int32_t apart, far_in_runs, far_in_rows;
  int32_t *slots, *places;
  msd_real *numbers;
  msd_real *excess;
  /* Per group: 1 if the last evaluation softened a constraint of it, or if the tip of a dihedral angle may
     reach the hinge line within a substep, where the angle jumps. */
  uint8_t *alarms;
  /* CONSTRAINT_ENERGIES rows. */
  msd_real *energies;
  /* Per constraint: group * CONSTRAINT_LANES + lane, or -1 - n for mesh n. */
  int32_t *lanes;
  /* Per constraint: its index among the fibers of its lane. */
  uint8_t *turns;
  /* Number of constraints. */
  int32_t count;

  int32_t mesh_count, mesh_group_count, mesh_chunk_count;
  constraint_mesh_groups *meshes;
  constraint_mesh_chunk *chunks;
  /* Per chunk. */
  constraint_mesh_sum *sums;
  /* Per group a row of vertex slots, and a row of indices into corner_forces. */
  int32_t *mesh_slots, *mesh_places;
  /* Per group a row of quads. */
  msd_real *mesh_gradients;
  /* Per group a row of a_j. */
  msd_real *mesh_weights;
  /* mesh_group_count + 1 entries: the first row of mesh_fans for each group. */
  int32_t *mesh_rows;
  /* Alternating rows of the first and second following particles. */
  int32_t *mesh_fans;

  /* The summands of phase 2. */
  msd_real *corner_forces;
  corner_gather particle_sums;

  /* N: three components with the stride of the states; NULL: not allocated. `force_size` is in reals. */
  msd_real *force;
  /* N: the forces of constraints alone, after an evaluation with a meter. In the same block. */
  msd_real *own;
  void *force_block;
  size_t force_size;
  /* True if `force` may be nonzero at particles that are not corners. */
  bool holds_others;

  /* The revisions of the layout, and of the numbers in it. */
  revision made_for, tuned_for;
  /* 1/dt^2 and 1/dt: stiffness clamping limits k and mu to m^ times these; 0: no clamping. */
  msd_real most_stiffness, most_damping;
  /* s: the substep, which account_of in scheduler.c sets, and that of the numbers, which is not shorter. */
  msd_real step, tuned_step;
  /* True if the law of some constraint has damping; if the stiffness of some follows the substep. */
  bool is_damped, follows_step;
} constraint_forces;

/* Index in a row of energies of mesh n. */
static inline size_t constraint_energy_of_mesh(const constraint_forces *f, int32_t mesh) {
  return (size_t)f->group_count * CONSTRAINT_LANES + (size_t)mesh;
}

/* Length of a row of energies. */
static inline size_t constraint_energy_count(const constraint_forces *f) {
  return constraint_energy_of_mesh(f, f->mesh_count);
}

/* Whether the last evaluation softened a constraint, or one may jump in the next substep. */
bool constraint_forces_alarmed(const constraint_forces *f);

/* Lays out all constraints of the store; constraint_forces_tune then writes the numbers. Returns false, and
   leaves the layout empty, if memory runs out. */
bool constraint_forces_make(constraint_forces *f, memory *m, const constraint_store *s,
                            const particle_store *p);
void constraint_forces_free(constraint_forces *f, memory *m);

void constraint_forces_tune(constraint_forces *f, const constraint_store *s, const particle_store *p,
                            double dt, bool limit);

/* Returns whether a constraint with a law in N/m or Hz was softened since the last call. */
bool constraint_forces_take_softened(constraint_forces *f, const constraint_store *s);

/* Changes the rest value of a constraint in place. */
void constraint_forces_set_rest(constraint_forces *f, int32_t constraint, msd_real rest);

/* Prepares `force` for a frame: particles without constraints get the force that users apply (NULL: 0).
   `anchored`: soft pins will write to it too. Returns false if memory runs out. */
bool constraint_forces_apply(constraint_forces *f, memory *m, const particle_store *p,
                             const msd_real *applied, bool anchored);

/* The state at which forces are evaluated. */
typedef struct constraint_state {
  /* Six components with this stride. */
  const msd_real *at;
  size_t stride;
  /* The same state as records (records.h); NULL: none. */
  const msd_real *records;
  /* NULL: none. */
  const constraint_meter *meter;
} constraint_state;

/* Phase 1 for groups first..last-1, and the gradients and sums of mesh chunks first..last-1. */
typedef void constraint_function(const constraint_forces *f, const constraint_state *state, int32_t first,
                                 int32_t last);

typedef struct constraint_kernel {
  constraint_function *groups, *mesh_chunks;
  corner_sum_function *sum;
  /* Lanes of its vectors; 0 if it cannot load near particles as vectors. */
  int near_lanes;
} constraint_kernel;

/* Number of corners that a kernel gathers. */
static inline int32_t constraint_forces_gathered(const constraint_forces *f,
                                                 const constraint_kernel *kernel) {
  return kernel->near_lanes == 0          ? f->apart
         : kernel->near_lanes > RUN_LANES ? f->far_in_rows
                                          : f->far_in_runs;
}

/* The arguments of one thread for an evaluation. */
typedef struct constraint_force_thread {
  const constraint_forces *forces;
  constraint_kernel kernel;
  constraint_state state;
  /* As in constraint_forces_apply. */
  const msd_real *applied;
  /* The groups and chunks to evaluate; the forces of the others are not needed. */
  span_list groups, mesh_chunks;
  /* The slots first..last-1, whose forces this thread sums. */
  size_t first, last;
  parallel_barrier *barrier;
  int thread, threads;
} constraint_force_thread;

/* All threads call it together. On return the forces in the thread's own slots are complete. */
void constraint_forces_evaluate(const constraint_force_thread *t);

#endif
