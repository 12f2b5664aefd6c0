/* Sequential impulses of constraints: spring_impulse.h with more than two ends.

   Let g_j = dC/dx_j be the gradients, m = 1/sum w_j |g_j|^2 the effective mass, and k and mu the coefficients
   of the law, all in the configuration at the beginning of the substep. A constraint changes the velocities
   of its corners by w_j g_j dJ,

       dJ = -dt (k C + mu C') + (Cd - 1) L,       C' = sum g_j . v_j now,  Cd = dt mu/m,  L = impulse so far,

   which for an isolated constraint is dt times its force, for any number of passes: k, mu, C and g are those
   of the force. The derivations of spring_impulse.h hold unchanged, with the g of all springs and constraints
   as the columns of B. They form one system; each pass processes the springs first, then the constraints. The
   order is by color (coloring.h); closed meshes have no color.

   A mesh stores its gradients for the substep. Other constraints recompute them in each pass, which is faster
   than loading them from memory. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H

#include "engine/kernel/coloring.h"
#include "engine/store/constraint.h"

typedef struct constraint_impulse {
  int32_t slots[CONSTRAINT_CORNERS];
  /* 0 for a mesh, whose index is slots[0]. */
  int32_t corners;
  int32_t constraint;
  /* w: inverse masses in 1/kg. */
  msd_real weight[CONSTRAINT_CORNERS];
  msd_real rest;
  /* The factor on k and mu where C < 0. */
  msd_real compression;
  msd_real factors[CONSTRAINT_FACTORS];
  /* The maximum since the last reset. */
  msd_real excess;
} constraint_impulse;

/* The state of a constraint at the beginning of a substep. */
typedef struct constraint_impulse_state {
  /* C */
  msd_real error;
  msd_real stiffness, damping;
  /* 1/m */
  msd_real weight;
  /* As in factors.h. */
  msd_real excess;
  /* False if it is broken or has no gradient. */
  bool acts;
} constraint_impulse_state;

typedef struct constraint_impulses {
  /* In the order of `colors`. */
  constraint_impulse *items;
  int32_t count;
  coloring colors;
  /* 1/dt^2 and 1/dt: stiffness clamping limits k and mu to m^ times these; 0: no clamping. */
  msd_real most_stiffness, most_damping;
  /* The revision of the layout. */
  revision made_for;

  constraint_impulse_state *meshes;
  /* Per vertex of all meshes. */
  int32_t *vertex_slots;
  msd_real *vertex_weight;
  msd_vec3 *gradients;
  /* Per fan, the two corners that follow the vertex. */
  int32_t *fan_slots;
} constraint_impulses;

/* Lays out all constraints of the store. Returns false, and leaves the layout empty, if memory runs out. */
bool constraint_impulses_make(constraint_impulses *c, memory *m, const constraint_store *s,
                              const particle_store *p);
void constraint_impulses_free(constraint_impulses *c, memory *m);

/* Copies the current laws, rest values and masses, for substeps of `dt`. */
void constraint_impulses_tune(constraint_impulses *c, const constraint_store *s, const particle_store *p,
                              double dt, bool limit);

/* Reads the rest values again. */
void constraint_impulses_set_rests(constraint_impulses *c, const constraint_store *s);

/* As constraint_forces_take_softened. */
bool constraint_impulses_take_softened(constraint_impulses *c, const constraint_store *s);

/* The arguments of one thread for a substep. */
typedef struct constraint_impulse_thread {
  constraint_impulses *impulses;
  const constraint_store *store;
  /* At the beginning of the substep: three components with this stride. */
  const msd_real *position;
  /* Three components with this stride; changed in place. */
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real dt;
  /* The initial impulse of each constraint; NULL: 0. */
  const msd_real *begin;
  /* The accumulated impulse of each constraint. May be NULL for a single pass without warm start. */
  msd_real *given;
  parallel_barrier *barrier;
  int thread, threads;
} constraint_impulse_thread;

typedef enum impulse_pass {
  /* Applies the initial impulses. */
  IMPULSE_WARM,
  /* Corrects from L = 0. */
  IMPULSE_FIRST,
  /* Corrects the accumulated impulses. */
  IMPULSE_NEXT
} impulse_pass;

/* Processes all constraints once. All threads call it together. On return the velocities are complete.
   `begins`: first pass of a substep. */
void constraint_impulses_pass(const constraint_impulse_thread *t, impulse_pass pass, bool begins);

#endif
