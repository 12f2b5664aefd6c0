/* Gauss-Seidel over springs: each takes back its own share of the error at the end of the substep, and sees
   what those before it have taken. docs/gauss_seidel.md has the proofs.

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

   Nothing but velocities is written, so that no position is rounded more often than once a substep. States are
   records (base/record.h), in which the springs of a block, which have one colour, are gathered and
   scattered as vectors; those without a colour have a block each. */
#ifndef MSD_ENGINE_KERNEL_SPRING_PROJECTION_H
#define MSD_ENGINE_KERNEL_SPRING_PROJECTION_H

#include "engine/kernel/coloring.h"
#include "engine/network/network.h"
#include "engine/store/revision.h"

enum { PROJECTION_LANES = 16 };

/* Springs that share no particle that moves. Lanes without one have index -1, lie before the first record and
   take nothing. */
typedef struct projection_block {
  /* Slots of the ends, and the place of the rest length in the network. */
  int32_t a[PROJECTION_LANES], b[PROJECTION_LANES], rest[PROJECTION_LANES];
  /* w_a/w and w_b/w, and p of the spring. */
  msd_real share_a[PROJECTION_LANES], share_b[PROJECTION_LANES], elastic[PROJECTION_LANES];
  /* l */
  msd_real so_far[PROJECTION_LANES];
  /* p of the damper, and the network_side. */
  msd_real damper[PROJECTION_LANES], side[PROJECTION_LANES];
  /* Which ends move, a bit for each lane. */
  uint32_t moves_a, moves_b;
  /* Of the springs. */
  int32_t index[PROJECTION_LANES];
} projection_block;

typedef struct spring_projections {
  projection_block *blocks;
  int32_t count;
  /* Of blocks. */
  coloring colors;
  /* Whether some spring has a damper. */
  bool is_damped;
  /* Of all slots, one of zeros before the first. */
  msd_real *records;
  revision made_for, tuned_for;
} spring_projections;

/* Orders the springs of a network that was compiled from `source`, without what they take. False, and empty,
   when there is no memory. */
bool spring_projections_make(spring_projections *s, memory *m, const network *net,
                             const network_source *source);
void spring_projections_free(spring_projections *s, memory *m);

/* What a spring asks for. */
typedef struct projection_tuning {
  /* N/m and N s/m; rigid: more than any. */
  double stiffness, damping;
  bool rigid;
} projection_tuning;

/* Sets what one lane takes in a substep of that many seconds. */
void spring_projections_tune(spring_projections *s, const network *net, projection_block *block, int lane,
                             projection_tuning tuning, double time_step);

/* A sweep through some blocks of one colour, or of none. */
typedef struct projection_sweep {
  projection_block *blocks;
  const msd_real *rests;
  msd_real *records;
  /* s */
  msd_real time_step;
  bool goes_back;
} projection_sweep;

/* Each takes the blocks first..last-1, in the opposite order where it goes back. */
typedef struct projection_kernel {
  void (*project)(const projection_sweep *s, int32_t first, int32_t last);
  void (*damp)(const projection_sweep *s, int32_t first, int32_t last);
} projection_kernel;

/* What one thread needs for a substep. */
typedef struct spring_projection_thread {
  const spring_projections *springs;
  projection_kernel kernel;
  const network *net;
  /* s */
  msd_real time_step;
  parallel_barrier *barrier;
  int thread, threads;
} spring_projection_thread;

/* Forward and back through the dampers, or through the springs. All threads of a run call it together, when all
   records are there; they are complete when it returns. */
void spring_projection_damp(const spring_projection_thread *t);
void spring_projection_project(const spring_projection_thread *t);

#endif
