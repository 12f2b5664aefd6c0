/* How anchors move: damped springs from a particle to a point in space.

   In symplectic Euler and sequential impulses an anchor of the physical or frequency law is not a force. All
   other forces kick the velocity V of the particle, V* = (V + dt (f/m + g)) decay, and instead of letting the
   particle drift in a straight line the anchor then takes it along its own exact motion. With X = x - a
   relative to the point, and P, Q, R, S the closed form of a step (msd_damped_spring_make with k/m and mu/m)

       X_next = P X + Q V*,       V_next = R X + S V*,

   about a point that moves at q with V - q for V. What other springs see, and what the particle tells, is not V
   but v = (x_next - x)/dt, the mean velocity of the substep, which of particles without an anchor is their
   velocity; V is kept here. That is what makes the following a proof for damped networks too.

   Stability. Let the other springs be K and D, and M, P ... S diagonal, with T = P + S and E^2 = P S - Q R.
   Eliminating V leaves three positions one after another,

       M/Q (x_next - T x + E^2 x_last) + dt K x + D (x - x_last) = 0.

   All matrices are symmetric, so an eigenvalue z solves a z^2 + b z + c = 0 with real quotients at its vector,
   and for Q > 0, as 0 < E <= 1, Jury's conditions come down to a - b + c > 0:

       dt^2 K + 2 dt D < M room,       room = (1 + T + E^2) dt/Q,       4 at a particle without an anchor.

   With w the natural frequency, zeta the ratio, Y = zeta w dt and th = w dt sqrt|1 - zeta^2|:
   - zeta >= 1: room = 2 (cosh Y + cosh th) th/sinh th >= 4 th coth th >= 4. It takes nothing, at any step.
   - zeta < 1: room = 2 (cosh Y + cos th) th/sin th >= 2 th/tan(th/2) >= 4 - (2 th/pi)^2 while th < pi, the
     last since t cot t is concave in t^2 and falls from 1 to 0 at t = pi/2. So it weighs at most (2/pi)^2 of
     what a force with the stiffness k (1 - zeta^2) would, and th < pi follows from being certified.
   Air drag acts on V*, which multiplies Q and S: P >= -1, so the room only grows.

   An anchor of the coefficient law is a force: it adds Ck and Cd to the diagonals of K and D, and so weighs
   Ck + 2 Cd. As a closed form it would be none: damped by Cd >= 1 after the kick, the particle would not feel
   the kick at all, or go against it.

   Where the limit softens springs they use 3 of the 4 that a particle can carry, and an anchor is softened to
   ANCHOR_SHARE of the fourth. */
#ifndef MSD_ENGINE_STEP_ANCHOR_STEP_H
#define MSD_ENGINE_STEP_ANCHOR_STEP_H

#include "engine/kernel/spring_watch.h"
#include "engine/store/model.h"

#define ANCHOR_SHARE 0.999

/* Whether a world moves anchored particles by their closed form instead of by a force: its integrator does, and
   masses are not scaled. */
bool anchor_is_exact(const world_model *model);

/* The load of an anchor at its particle in the sums of stability/bound.h, per mass: as a force, or as what it
   takes from the room of the closed form. All 0 when it moves nothing. */
typedef struct anchor_weight {
  /* 1/s^2. */
  double stiffness;
  /* 1/s. */
  double damping;
  /* Dimensionless. */
  double coefficient;
} anchor_weight;

anchor_weight anchor_weigh(const world_model *model, int32_t anchor, bool is_exact);

/* Before and after a step of `substeps`, of which `done` succeeded: prepares what the substeps need, then
   keeps the forces and the positions that the points have reached. */
void anchor_begin_step(world_model *model, double substep, int substeps);
void anchor_end_step(world_model *model, int done, int substeps);

/* k in N/m of an anchor in a substep of that many seconds; 0 where it holds nothing that moves. */
double anchor_stiffness(const world_model *model, int32_t anchor, double substep);

/* Elastic energy in J of an anchor at the present state: k/2 |x - a|^2. Of coefficients at the last substep. */
double anchor_energy(const world_model *model, int32_t anchor);

/* One thread's share of a substep: the particles in the slots first..last-1. */
typedef struct anchor_slice {
  anchor_work *works;
  int32_t work_count;
  size_t first, last;
  /* The stride of the states. */
  size_t stride;
  /* By slot, in 1/kg: 0 of what sleeps, which anchors do not move. */
  const msd_real *inverse_mass;
  /* s: the substep. */
  double time_step;
  /* s since the beginning of the step. */
  double elapsed;
  /* The factor of air drag on a velocity in the substep. */
  double decay;
} anchor_slice;

/* Behind a kernel that wrote the kicked velocity and the drift along it into `write`: moves the anchored
   particles, also in write_records (may be NULL). `state` is which of the two is written. Returns whether all
   is finite. */
bool anchor_move(const anchor_slice *p, const msd_real *read, msd_real *write, msd_real *write_records,
                 int state);

/* What a guarded substep (energy_guard.h) needs to know of anchored particles: to the springs they are pins
   that move, whose velocity behind the kick is where their anchor takes them. */
typedef struct anchor_watch {
  spring_tally *tallies;
  const msd_real *inverse_mass;
  /* N, as spring_input has it. */
  const msd_real *force;
  /* m/s^2 */
  double gravity[3];
} anchor_watch;

/* Between the kernel and anchor_move: takes the work of springs at the kicked velocity out of the tallies; and
   behind anchor_move: puts in that at the velocity of the motion. */
void anchor_watch_kick(const anchor_slice *p, const anchor_watch *w, const msd_real *read,
                       const msd_real *write);
void anchor_watch_move(const anchor_slice *p, const anchor_watch *w, const msd_real *write);

/* Of what the kernel made of the velocity of the particle in slot `at` only the force in N that springs are;
   `kicked` is what that was changed by, in m/s. */
double anchor_watch_force(const anchor_slice *p, const anchor_watch *w, size_t at, int c, double kicked);

/* Whether the particle in a slot of the slice has an anchor. */
bool anchor_holds(const anchor_slice *p, size_t slot);

/* Behind what moved particles after their anchors did: V becomes that of a kick from which the anchor itself
   would have taken them there, S/Q times what they were moved by. So the three positions above are related as
   they are without that. `watch` may be NULL. */
void anchor_follow(const anchor_slice *p, const anchor_watch *watch, const msd_real *write, int state);

/* Adds -k (x - a) - mu (v - q) at `state` to the forces in N, three components with the stride of the
   states. */
void anchor_add_forces(const anchor_slice *p, const msd_real *state, msd_real *force);

#endif
