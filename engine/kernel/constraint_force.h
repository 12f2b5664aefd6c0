/* The forces of all constraints in a substep, for the integrators that take springs as forces.

   Constraints share corners, so their forces cannot be added where they act by many threads at once. Each
   evaluation has two phases with a barrier between them:

       1. every constraint    from the state: f_j = -(k C + mu C') dC/dx_j at its corners -> places
       2. every particle      force = the applied force + its places, in the order of the constraints

   and step.h then reads `force` as it reads applied forces. The order of a sum is that of the indices: no bit
   depends on threads, vectors, or where particles stand in memory.

   Layout of phase 1. Constraints of one kind stand in groups of 16 lanes, in the order of their indices; lanes
   behind the last repeat it with all factors 0, as those of broken ones are. Of a group there are

       slots     4 rows of 16     particles of corner 0, 1, 2, 3
       numbers  16 rows of 16     rest, the six factors of constraint_factors, room_per_load of a fold, then w of the
                                  four corners and n w
       places   12 rows of 16     x, y, z of the force on corner 0, 1, 2, 3

   Whatever the law, one formula serves: with m = 1/sum w |g|^2 and m^ = 1/sum n w |g|^2, k = k0 + k1 m + k2 m^,
   mu = mu0 + mu1 m + mu2 m^, k <= m^/dt^2 and mu <= m^/dt where the world limits coefficients. Of folds k0 and mu0
   are multiplied by room_per_load m^ where that is below 1 (constraint_room).

   Meshes. The lanes of a mesh group are 16 vertices; row r has for each the two particles that follow it in its
   r-th triangle, or the vertex twice, which adds nothing. A chunk of 8 groups writes its gradients to the places
   and sums up what C, C' and the masses take; behind a barrier every chunk adds the sums of all chunks of its
   mesh in their order, and scales its gradients to forces. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_FORCE_H

#include "engine/base/parallel.h"
#include "engine/store/constraint.h"

enum { CONSTRAINT_LANES = 16, CONSTRAINT_MESH_CHUNK = 8 /* groups */ };

/* Rows of numbers. */
enum constraint_number {
  /* Behind those of enum constraint_factor. */
  CONSTRAINT_REST = CONSTRAINT_FACTORS,
  CONSTRAINT_WEIGHT,
  CONSTRAINT_SHARED_WEIGHT = CONSTRAINT_WEIGHT + CONSTRAINT_CORNERS,
  CONSTRAINT_NUMBERS = CONSTRAINT_SHARED_WEIGHT + CONSTRAINT_CORNERS
};

/* What the vertices of a chunk add to their mesh. */
typedef struct constraint_mesh_sum {
  msd_real volume; /* 3 times it */
  msd_real rate;
  msd_real weight, shared_weight;
} constraint_mesh_sum;

typedef struct constraint_mesh_work {
  int32_t constraint;
  int32_t first_group, last_group, first_chunk, last_chunk;
  int32_t origin; /* slot */
  msd_real factors[CONSTRAINT_FACTORS];
  msd_real rest;
} constraint_mesh_work;

typedef struct constraint_mesh_chunk {
  int32_t mesh, first_group, last_group;
} constraint_mesh_chunk;

typedef struct constraint_forces {
  int32_t group_count;
  uint8_t *kinds; /* msd_constraint_kind of each group */
  int32_t *slots; /* of corners */
  msd_real *numbers;
  int32_t *lanes; /* of each constraint, group * CONSTRAINT_LANES + lane; -1 - n: it is mesh n */
  int32_t count;  /* of constraints when it was made */

  int32_t mesh_count, mesh_group_count, mesh_chunk_count;
  constraint_mesh_work *meshes;
  constraint_mesh_chunk *chunks;
  constraint_mesh_sum *sums; /* of each chunk */
  int32_t *mesh_slots;       /* of each group the row of its vertices */
  msd_real *mesh_weights;    /* of each group a row of w, then of n w */
  int32_t *mesh_rows;        /* mesh_group_count + 1: where the rows of a group begin */
  int32_t *mesh_fans;        /* rows of the next particle and of the last, by turns */

  msd_real *places;
  int32_t touched_count;
  int32_t *touched;       /* slots that have corners, ascending */
  int32_t *touched_first; /* touched_count + 1: where the corners of each begin */
  int32_t *corner_places; /* where x is; y and z are CONSTRAINT_LANES and twice as much behind */

  msd_real *force; /* N: three components with the stride of the states; NULL: none yet */
  void *force_block;
  size_t force_size; /* reals */
  bool holds_others; /* `force` has forces where no constraint acts */

  /* The layout, and the numbers in it. */
  revision made_for, tuned_for;
  msd_real most_stiffness,
      most_damping; /* 1/dt^2, 1/dt: k and mu are limited to m^ times these; 0: no limit */
} constraint_forces;

/* Where x of a mesh group's forces is among the places. */
static inline size_t constraint_mesh_place(const constraint_forces *f, int32_t group) {
  return ((size_t)f->group_count * CONSTRAINT_CORNERS + (size_t)group) * 3 * CONSTRAINT_LANES;
}

/* Lays out all constraints of the store; those of numbers are filled by constraint_forces_tune. False, with the
   layout empty, when there is no memory. */
bool constraint_forces_make(constraint_forces *f, memory *m, const constraint_store *s,
                            const particle_store *p);
void constraint_forces_free(constraint_forces *f, memory *m);

void constraint_forces_tune(constraint_forces *f, const constraint_store *s, const particle_store *p,
                            double time_step, msd_limit limit);

/* Changes one rest in place, of a constraint in the layout. */
void constraint_forces_set_rest(constraint_forces *f, int32_t constraint, msd_real rest);

/* Makes the array of forces ready for a step: what users apply (NULL: nothing) stands in it wherever no
   constraint acts. `anchored`: others will write to it too. False when there is no memory. */
bool constraint_forces_apply(constraint_forces *f, memory *m, const particle_store *p,
                             const msd_real *applied, bool anchored);

/* A state that forces are wanted at. */
typedef struct constraint_state {
  const msd_real *at; /* six components with this stride */
  size_t stride;
} constraint_state;

/* Phase 1 for groups first..last-1, and the gradients and sums of mesh chunks first..last-1. */
typedef void constraint_function(const constraint_forces *f, const constraint_state *state, int32_t first,
                                 int32_t last);

typedef struct constraint_kernel {
  constraint_function *groups, *mesh_chunks;
} constraint_kernel;

/* The kernel of that width; the next narrower one where this processor or build has none. */
constraint_kernel constraint_kernel_choose(msd_simd simd);

/* One thread's part of an evaluation. */
typedef struct constraint_part {
  const constraint_forces *forces;
  constraint_kernel kernel;
  constraint_state state;
  const msd_real *applied; /* as of constraint_forces_apply */
  size_t first, last;      /* the slots whose forces this thread needs and sums */
  parallel_barrier *barrier;
  int thread, threads;
} constraint_part;

/* All threads of a run call it together. The forces in the thread's own slots are complete when it returns. */
void constraint_forces_evaluate(const constraint_part *p);

/* Made by constraint_kernel.h at each width. */
constraint_function constraint_groups_scalar, constraint_mesh_chunks_scalar;
constraint_function constraint_groups_128, constraint_mesh_chunks_128;
constraint_function constraint_groups_256, constraint_mesh_chunks_256;
constraint_function constraint_groups_512, constraint_mesh_chunks_512;

#endif
