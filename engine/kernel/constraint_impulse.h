/* Sequential impulses of springs on constraints: spring_impulse.h with more than two ends.

   With the gradients g_j = dC/dx_j, effective mass m = 1/sum w_j |g_j|^2, and k and mu of its law, all at the
   shape at the beginning of the substep, a constraint changes the velocities of its corners by w_j g_j dJ,

       dJ = -dt (k C + mu C') + (Cd - 1) L,       C' = sum g_j . v_j now,  Cd = dt mu/m,  L what it gave before,

   which for a lone one is dt times its force, whatever the number of passes: k, mu, C and g are those of the
   force. All that spring_impulse.h derives holds unchanged, with the g of all springs and constraints as the
   columns of B: it is one system, and each pass goes through the springs first, then through the constraints.

   The order is by colour (coloring.h); closed meshes have no colour.

   A mesh keeps its gradients for the substep. Other constraints compute theirs again in each pass, which is
   faster than fetching them from memory. */
#ifndef MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H
#define MSD_ENGINE_KERNEL_CONSTRAINT_IMPULSE_H

#include "engine/kernel/coloring.h"
#include "engine/store/constraint.h"

typedef struct constraint_impulse {
  int32_t slots[CONSTRAINT_CORNERS];
  /* 0: a mesh, whose number is slots[0]. */
  int32_t corners;
  int32_t constraint;
  /* w */
  msd_real weight[CONSTRAINT_CORNERS];
  msd_real rest;
  msd_real factors[CONSTRAINT_FACTORS];
  /* The largest since it was last taken. */
  msd_real excess;
} constraint_impulse;

/* What a constraint is at the beginning of a substep. */
typedef struct constraint_impulse_state {
  /* C */
  msd_real error;
  msd_real stiffness, damping;
  /* 1/m */
  msd_real weight;
  /* As in factors.h. */
  msd_real excess;
  /* It is not broken, and has a direction. */
  bool acts;
} constraint_impulse_state;

typedef struct constraint_impulses {
  /* In the order of `colors`. */
  constraint_impulse *items;
  int32_t count;
  coloring colors;
  /* 1/dt^2 and 1/dt: k and mu are limited to m^ times these; 0: no limit. */
  msd_real most_stiffness, most_damping;
  /* The layout. */
  revision made_for;

  constraint_impulse_state *meshes;
  /* Of the vertices of all meshes. */
  int32_t *vertex_slots;
  msd_real *vertex_weight;
  msd_vec3 *gradients;
  /* Of each fan the two corners that follow the vertex. */
  int32_t *fan_slots;
} constraint_impulses;

/* Lays out all constraints of the store. False, with no layout, when there is no memory. */
bool constraint_impulses_make(constraint_impulses *c, memory *m, const constraint_store *s,
                              const particle_store *p);
void constraint_impulses_free(constraint_impulses *c, memory *m);

/* Laws, rests and masses as they now are, at a substep of `time_step`. */
void constraint_impulses_tune(constraint_impulses *c, const constraint_store *s, const particle_store *p,
                              double time_step, msd_limit limit);

/* As constraint_forces_take_softened. */
bool constraint_impulses_take_softened(constraint_impulses *c, const constraint_store *s);

/* What one thread needs for a substep. */
typedef struct constraint_impulse_thread {
  constraint_impulses *impulses;
  const constraint_store *store;
  /* At the beginning of the substep: three components with this stride. */
  const msd_real *position;
  /* The same; changed in place. */
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real time_step;
  /* What each constraint begins with; NULL: 0. */
  const msd_real *begin;
  /* What each gave; NULL with one pass that begins with 0. */
  msd_real *given;
  parallel_barrier *barrier;
  int thread, threads;
} constraint_impulse_thread;

typedef enum impulse_pass {
  /* Gives what each begins with. */
  IMPULSE_WARM,
  /* Corrects from L = 0. */
  IMPULSE_FIRST,
  /* Corrects what was given so far. */
  IMPULSE_NEXT
} impulse_pass;

/* All constraints once. All threads of a run call it together; the velocities are complete when it returns.
   `begins`: it is the first pass of a substep. */
void constraint_impulses_pass(const constraint_impulse_thread *t, impulse_pass pass, bool begins);

#endif
