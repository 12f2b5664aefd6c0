/* Sequential impulses: coefficient springs one after another, each seeing what those before it have done.
   Springs on constraints follow them in each pass (constraint_impulse.h).

   A spring takes the fractions Ck and Cd of what its reduced mass m = 1/(w_a + w_b) can take in a substep dt.
   Along u it gives its ends the impulses J and -J,

       J = -(m/dt) Ck C - m Cd C',        C = length - rest,  C' = u . (v_a - v_b)

   which for a lone spring is dt times its force: Ck = k dt^2/m, Cd = mu dt/m. Here v is the velocity at that
   moment, not the one at the beginning of the substep; C and u are taken at its beginning. All springs act
   before gravity and other forces, as they do in the force form.

   Iterations. Let L be the impulse that a spring has given so far. Without it C' would be C' - L/m, so what the
   spring still has to give is

       dJ = -(m/dt) Ck C - m Cd (C' - L/m) - L  =  -dt (k C + mu C') + (Cd - 1) L

   The L at which dJ = 0 depends on what the other springs do, but not on the number of passes: one pass is
   enough for a lone spring, whatever L it began with, and for a spring without damping in any network. (After
   E. Catto, "Soft Constraints", GDC 2011, where the accumulated impulse softens the next one.) With G = B' W
   B, B the directions of the springs, all dJ = 0 is the linear system

       (G + diag(G_ee (1/Cd_e - 1))) L = -(C' + Ck/(Cd dt) C)         C' here before all springs

   and the passes are its Gauss-Seidel iteration. For Cd < 1 its matrix is positive definite, so they
   converge. At Cd = 1 the demands of the springs must not contradict each other, as in a tree; above 1, more
   than one pass may do harm.

   A tether gives nothing below its rest length, and its L never pushes: dJ is cut off where L would pass 0. A
   strut is the mirror image.

   Warm start: L begins at its value in the substep before, given to all springs at once, instead of at 0.

   The order of the springs is by colour (coloring.h). A pin does not count as an end of the one-sided springs
   that it holds, of which there may be very many. */
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
  /* Of its rest length in the network. */
  int32_t lane;
  /* Of the spring. */
  int32_t index;
  /* 0 between two pins, so that nothing is given there. */
  msd_real stiffness, damping;
} spring_impulse;

typedef struct spring_impulses {
  /* In the order of `colors`. */
  spring_impulse *items;
  int32_t count;
  coloring colors;
  /* The order, and the stiffness and damping of the items. */
  revision made_for, tuned_for;
} spring_impulses;

/* Orders the springs of a network that was compiled from `source`; their stiffness and damping are 0. False,
   and empty, when there is no memory. */
bool spring_impulses_make(spring_impulses *s, memory *m, const network *net, const network_source *source);

/* Reads the stiffness and damping that the network was tuned to. */
void spring_impulses_tune(spring_impulses *s, const network *net, const network_source *source);

void spring_impulses_free(spring_impulses *s, memory *m);

/* What one thread needs for a substep. */
typedef struct spring_impulse_thread {
  const spring_impulses *springs;
  const network *net;
  /* The msd_spring_side of each spring; NULL: all are MSD_SPRING_BOTH. */
  const uint8_t *side;
  /* At the beginning of the substep: three components with this stride. */
  const msd_real *position;
  /* The same; changed in place. */
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real time_step;
  int iterations;
  /* N s: what each spring begins with, by index; NULL: 0. */
  const msd_real *begin;
  /* N s: what each spring gave; NULL with one iteration that begins with 0. */
  msd_real *given;
  /* Follow the springs in each pass; NULL: there are none. */
  const constraint_impulse_thread *constraints;
  parallel_barrier *barrier;
  int thread, threads;
} spring_impulse_thread;

/* All threads of a run call it together; the velocities are complete when it returns. */
void spring_impulses_solve(const spring_impulse_thread *t);

#endif
