/* Gauss-Seidel over springs: each takes back its own share of the error at the end of the substep, and sees what
   those before it have taken. docs/gauss_seidel.md has the proofs.

   A substep of dt seconds has predicted velocities v, and so positions y = x + dt v. With w the sum of the
   inverse masses of its ends and u the direction between them at y, a spring changes their relative velocity by

       dl = -(p C + (1 - p dt) l),    C = |y_a - y_b| - rest,    p = dt w k/(1 + dt^2 w k)

   of which a has the share w_a/w along u and b the rest along -u; l is what it has changed so far in the
   substep. That is implicit Euler of a lone spring, whatever came before: its length is then what -k C of the
   new C makes of it. A rigid spring has p = 1/dt, and l does not count.

   Dampers have gone before, in the same way, at the directions of x:

       dl = -(p C' + (1 - p) l),      C' = u . (v_a - v_b) now,            p = dt w mu/(1 + dt w mu)

   Either sweep goes through the colours of spring_impulse.h forward, then back in exactly the opposite order. A
   tether or a strut gives nothing against its side: dl is cut off where l would pass 0.

   Nothing but velocities is written, so that no position is rounded more often than once a substep. */
#ifndef MSD_ENGINE_KERNEL_SPRING_PROJECTION_H
#define MSD_ENGINE_KERNEL_SPRING_PROJECTION_H

#include "engine/kernel/spring_impulse.h"

/* p of a spring without damping: the part of C in 1/s that it takes back in dt seconds. rigid: all. */
msd_real spring_projection_elastic(double stiffness, double inverse_mass, double time_step, bool rigid);

/* p of a damper. */
msd_real spring_projection_damper(double damping, double inverse_mass, double time_step);

/* What one thread needs for a substep. */
typedef struct spring_projection_thread {
  /* Items have p of the spring as their stiffness, and p of the damper as their damping. */
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
  parallel_barrier *barrier;
  int thread, threads;
} spring_projection_thread;

/* Forward and back through the dampers, or through the springs. All threads of a run call it together, when the
   velocities of all are there; they are complete when it returns. */
void spring_projection_damp(const spring_projection_thread *t);
void spring_projection_project(const spring_projection_thread *t);

#endif
