/* The Gauss-Seidel solver over springs: each spring corrects a fraction of its error at the end of the
   substep, with the velocities that the previous ones have changed. docs/theory has the proofs.

   A substep of dt seconds predicts velocities v, and so positions y = x + dt v. With w the sum of the inverse
   masses of its ends and u its direction at y, a spring changes their relative velocity by

       dl = -(p C + (1 - p dt) l),    C = |y_a - y_b| - rest,    p = dt w k/(1 + dt^2 w k)

   a gets the fraction w_a/w of it along u, and b the rest along -u; l is the change so far in the substep.
   For an isolated spring this is implicit Euler for any previous l: the new length is in equilibrium with the
   force -k C of the new C. A rigid spring has p = 1/dt, and l drops out.

   Dampers are applied before, in the same manner, with the directions at x:

       dl = -(p C' + (1 - p) l),      C' = u . (v_a - v_b) now,            p = dt w mu/(1 + dt w mu)

   Each sweep visits the colors of spring_impulse.h forward, then backward in exactly the opposite order. A
   tension-only or compression-only spring applies no force in the other direction: dl is limited so that l
   does not change sign.

   Only velocities are written, so that a position is rounded once a substep. States are records
   (base/record.h). The springs of a block, which have one color, are gathered and scattered as vectors. Each
   spring without a color has its own block. */
#ifndef MSD_ENGINE_KERNEL_SPRING_PROJECTION_H
#define MSD_ENGINE_KERNEL_SPRING_PROJECTION_H

#include "engine/kernel/coloring.h"
#include "engine/network/network.h"
#include "engine/store/revision.h"

enum { PROJECTION_LANES = 16 };

/* Springs that share no free particle. Unused lanes have index -1, refer to the zero record before the first
   one, and apply nothing. */
typedef struct projection_block {
  /* Slots of the ends, and the lane of the rest length in the network. */
  int32_t a[PROJECTION_LANES], b[PROJECTION_LANES], rest[PROJECTION_LANES];
  /* w_a/w and w_b/w, and p of the spring. */
  msd_real share_a[PROJECTION_LANES], share_b[PROJECTION_LANES], elastic[PROJECTION_LANES];
  /* l: the change so far. */
  msd_real so_far[PROJECTION_LANES];
  /* p of the damper, and the network_side. */
  msd_real damper[PROJECTION_LANES], side[PROJECTION_LANES];
  /* The ends that move, one bit for each lane. */
  uint32_t moves_a, moves_b;
  /* Indices of the springs. */
  int32_t index[PROJECTION_LANES];
} projection_block;

typedef struct spring_projections {
  projection_block *blocks;
  int32_t count;
  /* The coloring of the blocks. */
  coloring colors;
  /* True if some spring has a damper. */
  bool is_damped;
  /* True if `so_far` of the blocks is of the last substep, which ended with positions of that revision. */
  bool is_solved;
  revision solved_for;
  /* The records of all slots, preceded by a zero record. */
  msd_real *records;
  revision made_for, tuned_for;
} spring_projections;

/* Orders the springs of a network that was compiled from `source`, without coefficients. Returns false, and
   leaves it empty, if memory runs out. */
bool spring_projections_make(spring_projections *s, memory *m, const network *net,
                             const network_source *source);
void spring_projections_free(spring_projections *s, memory *m);

/* The requested coefficients of a spring. */
typedef struct projection_tuning {
  /* N/m and N s/m; `rigid`: infinitely stiff. */
  double stiffness, damping;
  bool rigid;
} projection_tuning;

/* Sets the coefficients of one lane for a substep of `dt` seconds. */
void spring_projections_tune(spring_projections *s, const network *net, projection_block *block, int lane,
                             projection_tuning tuning, double dt);

/* Error in m of a lane after a substep of dt seconds that ended at `length`, as a fraction of `rest`; negative
   for a lane without a spring that acts. */
double spring_projection_residual(const projection_block *block, int lane, double rest, double length,
                                  double dt);

/* A sweep through blocks of one color, or without a color. */
typedef struct projection_sweep {
  projection_block *blocks;
  const msd_real *rests;
  msd_real *records;
  /* s */
  msd_real dt;
  bool goes_back;
} projection_sweep;

/* Each function processes the blocks first..last-1, in reverse order if goes_back. */
typedef struct projection_kernel {
  void (*project)(const projection_sweep *s, int32_t first, int32_t last);
  void (*damp)(const projection_sweep *s, int32_t first, int32_t last);
} projection_kernel;

/* The arguments of one thread for a substep. */
typedef struct spring_projection_thread {
  const spring_projections *springs;
  projection_kernel kernel;
  const network *net;
  /* s */
  msd_real dt;
  parallel_barrier *barrier;
  int thread, threads;
} spring_projection_thread;

/* A forward and a backward sweep over the dampers, or over the springs. All threads call it together, when
   all records are complete. On return the records are complete again. */
void spring_projection_damp(const spring_projection_thread *t);
void spring_projection_project(const spring_projection_thread *t);

#endif
