/* Sequential impulses: coefficient springs in sequence, each with the velocities that the previous ones have
   changed. Constraints follow the springs in each pass (constraint_impulse.h).

   A spring has the coefficients Ck and Cd relative to its reduced mass m = 1/(w_a + w_b) and the substep dt.
   Along u it applies the impulses J and -J to its ends,

       J = -(m/dt) Ck C - m Cd C',        C = length - rest,  C' = u . (v_a - v_b)

   which for an isolated spring is dt times its force: Ck = k dt^2/m, Cd = mu dt/m. Here v is the velocity at
   that moment, not at the beginning of the substep; C and u are from the beginning. All springs act before
   gravity and other forces, as in the explicit solver.

   Iterations. Let L be the impulse of a spring so far. Without it C' would be C' - L/m, so the remaining
   impulse is

       dJ = -(m/dt) Ck C - m Cd (C' - L/m) - L  =  -dt (k C + mu C') + (Cd - 1) L

   The L at which dJ = 0 depends on the other springs, but not on the number of passes. One pass is enough for
   an isolated spring with any initial L, and for a spring without damping in any network. (After E. Catto,
   "Soft Constraints", GDC 2011, where the accumulated impulse softens the next one.) With G = B' W B, B the
   directions of the springs, dJ = 0 for all springs is the linear system

       (G + diag(G_ee (1/Cd_e - 1))) L = -(C' + Ck/(Cd dt) C)         C' here before all springs

   and the passes are its Gauss-Seidel iteration. For Cd < 1 its matrix is positive definite, so they
   converge. At Cd = 1 the conditions of the springs must be consistent, as in a tree. Above 1, more than one
   pass may diverge.

   A tension-only spring applies no impulse below its rest length, and its L never pushes: dJ is limited so
   that L does not change sign. A compression-only spring is the mirror image.

   Warm start: L begins at its value of the previous substep, applied to all springs at once, instead of 0.

   The order of the springs is by color (coloring.h). A pin does not count as an end of one-sided springs,
   since it may have very many of them. */
#ifndef MSD_ENGINE_KERNEL_SPRING_IMPULSE_H
#define MSD_ENGINE_KERNEL_SPRING_IMPULSE_H

#include "engine/base/parallel.h"
#include "engine/kernel/coloring.h"
#include "engine/kernel/constraint_impulse.h"
#include "engine/network/network.h"

enum { IMPULSE_ITERATIONS_MAX = 1000 };

typedef struct spring_impulse {
  /* Slots of its ends. */
  int32_t a, b;
  /* Lane of its rest length in the network. */
  int32_t lane;
  /* Index of the spring. */
  int32_t index;
  /* 0 between two pins, so that the impulse is 0. */
  msd_real stiffness, damping;
} spring_impulse;

typedef struct spring_impulses {
  /* In the order of `colors`. */
  spring_impulse *items;
  int32_t count;
  coloring colors;
  /* The revisions of the order, and of the stiffness and damping of the items. */
  revision made_for, tuned_for;
} spring_impulses;

/* Orders the springs of a network that was compiled from `source`; stiffness and damping are 0. Returns
   false, and leaves it empty, if memory runs out. */
bool spring_impulses_make(spring_impulses *s, memory *m, const network *net, const network_source *source);

/* Copies the stiffness and damping of the network. */
void spring_impulses_tune(spring_impulses *s, const network *net, const network_source *source);

void spring_impulses_free(spring_impulses *s, memory *m);

/* The arguments of one thread for a substep. */
typedef struct spring_impulse_thread {
  const spring_impulses *springs;
  const network *net;
  /* The msd_spring_mode of each spring; NULL: all are two-sided. */
  const uint8_t *side;
  /* At the beginning of the substep: three components with this stride. */
  const msd_real *position;
  /* Three components with this stride; changed in place. */
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real dt;
  int iterations;
  /* N s: the initial impulse of each spring, by index; NULL: 0. */
  const msd_real *begin;
  /* N s: the accumulated impulse of each spring. May be NULL for one iteration without warm start. */
  msd_real *given;
  /* The constraints that follow the springs in each pass; NULL: none. */
  const constraint_impulse_thread *constraints;
  parallel_barrier *barrier;
  int thread, threads;
} spring_impulse_thread;

/* All threads call it together. On return the velocities are complete. */
void spring_impulses_solve(const spring_impulse_thread *t);

#endif
