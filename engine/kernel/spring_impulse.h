/* Sequential impulses: the coefficient spring spring by spring, each seeing what those before it have done.
   Springs on constraints follow them in each pass (constraint_impulse.h).

   A spring with the fractions Ck, Cd of what its reduced mass m = 1/(w_a + w_b) bears in a substep dt gives
   its ends, along u, the impulses J and -J,

       J = -(m/dt) Ck C - m Cd C',        C = length - rest,  C' = u . (v_a - v_b)

   which for a lone spring is dt times its force: Ck = k dt^2/m, Cd = mu dt/m. Here v is the velocity at that
   moment and not the one at the beginning of the substep; C and u are taken at its beginning. All springs come
   before gravity and other forces, as they do in the force form.

   Iterations. Let L be the impulse that a spring has given so far. Without it the spring would meet
   C' - L/m, so that what it is still to give is

       dJ = -(m/dt) Ck C - m Cd (C' - L/m) - L  =  -dt (k C + mu C') + (Cd - 1) L

   The L at which dJ = 0 depends on what the other springs do, and not on how often it was asked for: a lone
   spring is done after one pass whatever L it began with, and a spring without damping in any network. (After
   E. Catto, "Soft Constraints", GDC 2011, where the impulse that has been accumulated softens the next one.)
   With G = B' W B, B the directions of the springs, all dJ = 0 is the linear system

       (G + diag(G_ee (1/Cd_e - 1))) L = -(C' + Ck/(Cd dt) C)         C' here before all springs

   and the passes are its Gauss-Seidel iteration. For Cd < 1 its matrix is positive definite, so that they
   converge. At 1 that takes springs whose demands do not contradict each other, as in a tree; above, more than
   one pass may do harm.

   A tether gives nothing below its rest length, and its L never pushes: dJ is cut so that it does not pass 0. A
   strut the other way round.

   Warm start: L begins with that of the substep before, given to all springs at once, instead of with 0.

   The order of the springs is by colour (coloring.h). A pin does not count as an end of the one-sided springs that
   it holds, of which there may be very many. */
#ifndef MSD_ENGINE_KERNEL_SPRING_IMPULSE_H
#define MSD_ENGINE_KERNEL_SPRING_IMPULSE_H

#include "engine/base/parallel.h"
#include "engine/kernel/coloring.h"
#include "engine/kernel/constraint_impulse.h"
#include "engine/network/network.h"

enum { IMPULSE_ITERATIONS_MAX = 1000 };

typedef struct impulse_spring {
  int32_t a, b;                /* slots of its ends */
  int32_t lane;                /* of its rest length in the network */
  int32_t index;               /* of the spring */
  msd_real stiffness, damping; /* 0 between two pins, so that nothing is given there */
} impulse_spring;

typedef struct impulse_plan {
  impulse_spring *springs; /* in the order of `colors` */
  int32_t count;
  coloring colors;
  /* The colours, and the springs' stiffness and damping. */
  revision made_for, tuned_for;
} impulse_plan;

/* The springs of a network that was compiled from `source`. False, with the plan empty, when there is no memory. */
bool impulse_plan_make(impulse_plan *plan, memory *m, const network *net, const network_source *source);
/* Reads the stiffness and damping that the network was tuned to; until then those of a new plan are 0. */
void impulse_plan_tune(impulse_plan *plan, const network *net, const network_source *source);

void impulse_plan_free(impulse_plan *plan, memory *m);

/* One thread's part of the springs' work in one substep. */
typedef struct impulse_part {
  const impulse_plan *plan;
  const network *net;
  const uint8_t *side;      /* msd_spring_side of each spring; NULL: all MSD_SPRING_BOTH */
  const msd_real *position; /* at the beginning of the substep: three components with this stride */
  msd_real *velocity;       /* changed in place: the same */
  size_t stride;
  msd_real time_step; /* s */
  int iterations;
  const msd_real *begin; /* N s: what each spring begins with, by its index; NULL: 0 */
  msd_real *given;       /* N s: what each spring gave; NULL with one iteration that begins with 0 */
  const constraint_impulse_part
      *constraints; /* which follow the springs in each pass; NULL: there are none */
  parallel_barrier *barrier;
  int thread, threads;
} impulse_part;

/* All threads of a run call it together; the velocities are complete when it returns. */
void impulse_solve(const impulse_part *p);

#endif
