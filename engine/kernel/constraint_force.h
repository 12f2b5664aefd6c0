/* The forces of all constraints in a substep, for the integrators that take springs as forces.

   Constraints share corners, so many threads cannot add their forces where they act. An evaluation has two
   phases with a barrier between them:

       1. every constraint    from the state: f_j = -(k C + mu C') dC/dx_j at its corners -> corner_forces
       2. every particle      force = the applied force + those of its corners, in the order of the constraints

   spring_force.h then reads `force` as it reads applied forces. Sums are taken in the order of the indices,
   so no bit depends on threads, vectors, or where particles are in memory.

   Phase 2 is that of corner_sums.h, with a part for each corner.

   Layout of phase 1. Constraints of one kind fill groups of 16 lanes, in the order of their indices but
   that within windows those stand together that join particles in the same way, as in a lattice: where the
   particles of a corner follow each other they are read as vectors from the slabs of the state, and else
   gathered. Lanes behind the last constraint repeat it with all factors 0; broken ones have factors 0 too.
   A group has

       slots          4 rows of 16     particles of corner 0, 1, 2, 3
       numbers        8 rows of 16     the factors of factors.h, rest, a_j of the four corners
       excess         1 row  of 16     the largest of each since it was last taken
       places         4 rows of 16     where the forces on corner 0, 1, 2, 3 go in corner_forces

   Fibres that follow each other over the same corners share a lane, up to CONSTRAINT_FIBRES of them: the
   corners are fetched once, and the sums of their forces are written once. Groups are of lanes with the
   same number of corners and fibres. The numbers of a group are 6 rows of 16 for each fibre,

       k, mu, rest, and the weights of the corners 1, 2, 3

   as no shape softens them; the limit of coefficients is the same at every shape, and in k and mu.

   Meshes. The lanes of a mesh group are 16 vertices. Row r has, for each, the two particles that follow it
   in its r-th triangle, or the vertex twice, which adds nothing. A chunk of 8 groups writes its gradients
   to mesh_gradients and sums what it adds to C, C' and the masses. Behind a barrier every chunk adds the
   sums of all chunks of its mesh, in their order, and scales its gradients to forces, each in its place. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H

#include "engine/base/record.h"
#include "engine/base/spans.h"
#include "engine/kernel/corner_sums.h"
#include "engine/kernel/lane_runs.h"
#include "engine/store/constraint.h"

enum {
  CONSTRAINT_LANES = 16,
  /* Lanes among which constraints are put together that join particles in the same way. */
  CONSTRAINT_WINDOW = 256,
  /* In groups. */
  CONSTRAINT_MESH_CHUNK = 8,
  /* In a lane. */
  CONSTRAINT_FIBRES = 6
};

/* Rows of numbers: those of enum constraint_factor, then these. */
enum constraint_number {
  CONSTRAINT_REST = CONSTRAINT_FACTORS,
  CONSTRAINT_WEIGHT,
  CONSTRAINT_NUMBERS = CONSTRAINT_WEIGHT + CONSTRAINT_CORNERS
};

/* Rows of numbers of each fibre. */
enum fibre_number {
  FIBRE_STIFFNESS,
  FIBRE_DAMPING,
  FIBRE_REST,
  FIBRE_WEIGHT,
  FIBRE_NUMBERS = FIBRE_WEIGHT + CONSTRAINT_CORNERS - 1
};

typedef struct constraint_group {
  /* Where its rows of numbers begin. */
  int32_t first_row;
  /* The msd_constraint_kind. */
  uint8_t kind;
  /* Of each lane; `count` is how many constraints have it, 1 but for fibres. */
  uint8_t corners, count;
  /* RUN_COUNT bits for each corner: runs_of_row. */
  uint8_t runs;
} constraint_group;

/* What the vertices of a chunk add to their mesh. */
typedef struct constraint_mesh_sum {
  /* 3 times the volume. */
  msd_real volume;
  msd_real rate;
  msd_real excess;
} constraint_mesh_sum;

typedef struct constraint_mesh_groups {
  int32_t constraint;
  int32_t first_group, last_group, first_chunk, last_chunk;
  /* The slot of its first vertex. */
  int32_t origin;
  msd_real factors[CONSTRAINT_FACTORS];
  msd_real rest;
  /* As that of a group. */
  msd_real excess;
} constraint_mesh_groups;

typedef struct constraint_mesh_chunk {
  int32_t mesh, first_group, last_group;
} constraint_mesh_chunk;

typedef struct constraint_forces {
  int32_t group_count;
  constraint_group *groups;
  /* Corners of lanes that are no runs. */
  int32_t gathered;
  int32_t *slots, *places;
  msd_real *numbers;
  msd_real *excess;
  /* Of each constraint group * CONSTRAINT_LANES + lane; -1 - n when it is mesh n. */
  int32_t *lanes;
  /* Of each constraint which one of its lane it is. */
  uint8_t *turns;
  /* Of constraints. */
  int32_t count;

  int32_t mesh_count, mesh_group_count, mesh_chunk_count;
  constraint_mesh_groups *meshes;
  constraint_mesh_chunk *chunks;
  /* Of each chunk. */
  constraint_mesh_sum *sums;
  /* A row of vertices for each group, and one of where the forces on them go. */
  int32_t *mesh_slots, *mesh_places;
  /* A row of quads. */
  msd_real *mesh_gradients;
  /* A row of a_j for each group. */
  msd_real *mesh_weights;
  /* mesh_group_count + 1: where the rows of mesh_fans begin for each group. */
  int32_t *mesh_rows;
  /* Rows of first and second following particles, by turns. */
  int32_t *mesh_fans;

  /* The parts of the sums. */
  msd_real *corner_forces;
  corner_sums particle_sums;

  /* N: three components with the stride of the states; NULL: none yet. `force_size` is in reals. */
  msd_real *force;
  void *force_block;
  size_t force_size;
  /* `force` is not 0 somewhere else than at corners. */
  bool holds_others;

  /* The layout, and the numbers in it. */
  revision made_for, tuned_for;
  /* 1/dt^2 and 1/dt: k and mu are limited to m^ times these; 0: no limit. */
  msd_real most_stiffness, most_damping;
} constraint_forces;

/* Lays out all constraints of the store, but for the numbers, which constraint_forces_tune writes. False,
   with the layout empty, when there is no memory. */
bool constraint_forces_make(constraint_forces *f, memory *m, const constraint_store *s,
                            const particle_store *p);
void constraint_forces_free(constraint_forces *f, memory *m);

void constraint_forces_tune(constraint_forces *f, const constraint_store *s, const particle_store *p,
                            double time_step, msd_limit limit);

/* Whether a constraint in N/m or Hz was softened since it was last asked. */
bool constraint_forces_take_softened(constraint_forces *f, const constraint_store *s);

/* Changes one rest in place, of a constraint in the layout. */
void constraint_forces_set_rest(constraint_forces *f, int32_t constraint, msd_real rest);

/* Prepares `force` for a step: where no constraint acts it is what users apply (NULL: nothing). `anchored`:
   others will write to it too. False when there is no memory. */
bool constraint_forces_apply(constraint_forces *f, memory *m, const particle_store *p,
                             const msd_real *applied, bool anchored);

/* A state that forces are wanted at. */
typedef struct constraint_state {
  /* Six components with this stride. */
  const msd_real *at;
  size_t stride;
  /* The same state, see records.h; NULL: it has no records. */
  const msd_real *records;
} constraint_state;

/* Phase 1 for groups first..last-1, and the gradients and sums of mesh chunks first..last-1. */
typedef void constraint_function(const constraint_forces *f, const constraint_state *state, int32_t first,
                                 int32_t last);

typedef struct constraint_kernel {
  constraint_function *groups, *mesh_chunks;
  corner_sum_function *sum;
} constraint_kernel;

/* What one thread needs for an evaluation. */
typedef struct constraint_force_thread {
  const constraint_forces *forces;
  constraint_kernel kernel;
  constraint_state state;
  /* As of constraint_forces_apply. */
  const msd_real *applied;
  /* Those that are to be evaluated; the forces of others are wanted by nobody. */
  span_list groups, mesh_chunks;
  /* The slots first..last-1, whose forces this thread needs and sums. */
  size_t first, last;
  parallel_barrier *barrier;
  int thread, threads;
} constraint_force_thread;

/* All threads of a run call it together. The forces in a thread's own slots are complete when it returns. */
void constraint_forces_evaluate(const constraint_force_thread *t);

#endif
