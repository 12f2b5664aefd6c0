/* Sequential impulses of springs on constraints: impulse.h with more than two ends.

   With the gradients g_j = dC/dx_j, effective mass m = 1/sum w_j |g_j|^2, k and mu of its law at the shape at the
   beginning of the substep, a constraint gives its corners w_j g_j J,

       dJ = -dt (k C + mu C') + (Cd - 1) L,       C' = sum g_j . v_j now,  Cd = dt mu/m,  L what it gave before,

   which for a lone one is dt times its force, whatever the number of passes: k, mu, C and g are those of the force.
   All else that impulse.h derives holds as it stands, with the g of all springs and constraints as the columns of B:
   one system, of which each pass is springs first, then constraints.

   The order is by colour (coloring.h); closed meshes have no colour.

   A mesh keeps its gradients for the substep; others find theirs again at each pass, which is faster than to fetch
   them from memory. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H

#include "engine/kernel/coloring.h"
#include "engine/store/constraint.h"

typedef struct constraint_impulse {
  int32_t slots[CONSTRAINT_CORNERS];
  int32_t corners; /* 0: a mesh, whose number is slots[0] */
  int32_t constraint;
  msd_real weight[CONSTRAINT_CORNERS], shared_weight[CONSTRAINT_CORNERS]; /* w and n w */
  msd_real rest;
  msd_real factors[CONSTRAINT_FACTORS];
} constraint_impulse;

/* What a constraint is at the beginning of a substep. */
typedef struct constraint_impulse_state {
  msd_real error; /* C */
  msd_real stiffness, damping;
  msd_real weight; /* 1/m */
  bool acts;       /* it is not broken, and has a direction */
} constraint_impulse_state;

typedef struct constraint_impulses {
  constraint_impulse *items; /* in the order of `colors` */
  int32_t count;
  coloring colors;
  msd_real most_stiffness, most_damping; /* 1/dt^2 and 1/dt: k and mu are at most m^ times these */

  /* The layout. */
  revision made_for;

  constraint_impulse_state *meshes;
  int32_t *vertex_slots; /* of the vertices of all meshes */
  int32_t *fan_slots;    /* of each fan the two corners that follow the vertex */
  msd_real *vertex_weight, *vertex_shared_weight;
  msd_vec3 *gradients; /* of the vertices */
} constraint_impulses;

/* Lays out all constraints of the store. False, with no layout, when there is no memory. */
bool constraint_impulses_make(constraint_impulses *c, memory *m, const constraint_store *s,
                              const particle_store *p);
void constraint_impulses_free(constraint_impulses *c, memory *m);

/* Laws, rests and masses as they now are, at a substep of `time_step`. */
void constraint_impulses_tune(constraint_impulses *c, const constraint_store *s, const particle_store *p,
                              double time_step, msd_limit limit);

/* One thread's part of a substep. */
typedef struct constraint_impulse_part {
  constraint_impulses *impulses;
  const constraint_store *store;
  const msd_real *position; /* at the beginning of the substep: three components with this stride */
  msd_real *velocity;       /* changed in place: the same */
  size_t stride;
  msd_real time_step;    /* s */
  const msd_real *begin; /* what each constraint begins with; NULL: 0 */
  msd_real *given;       /* what each gave; NULL with one pass that begins with 0 */
  parallel_barrier *barrier;
  int thread, threads;
} constraint_impulse_part;

typedef enum constraint_impulse_pass {
  CONSTRAINT_IMPULSE_WARM,  /* gives what each begins with */
  CONSTRAINT_IMPULSE_FIRST, /* corrects from L = 0 */
  CONSTRAINT_IMPULSE_NEXT   /* corrects what was given so far */
} constraint_impulse_pass;

/* All constraints once. All threads of a run call it together; the velocities are complete when it returns.
   `begins` with the first pass of a substep. */
void constraint_impulses_pass(const constraint_impulse_part *p, constraint_impulse_pass pass, bool begins);

#endif
