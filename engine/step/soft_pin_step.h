/* Integration of soft pins: damped springs from a particle to a point in space.

   With symplectic Euler and sequential impulses, a soft pin of the stiffness or frequency law is integrated
   in closed form instead of applying a force. All other forces first kick the velocity V of the particle to
   V* = (V + dt (f/m + g)) decay. Then the particle follows the exact motion of the soft pin instead of a
   straight line. Let X = x - a be relative to the point, and P, Q, R, S the closed form of one substep
   (msd_damped_spring_make_stiffness with k/m and mu/m):

       X_next = P X + Q V*,       V_next = R X + S V*.

   For a point that moves at q, V - q replaces V. Other springs see, and the API reports, the mean velocity of
   the substep, v = (x_next - x)/dt. Without a soft pin v equals V; with one, V is kept in its own array of
   the soft pin. Reporting v is what extends the following proof to damped networks.

   Stability. Let K and D be the stiffness and damping matrices of the other springs. M, P, Q, R, S are
   diagonal; T = P + S and E^2 = P S - Q R. Eliminating V leaves a recurrence of three consecutive positions:

       M/Q (x_next - T x + E^2 x_last) + dt K x + D (x - x_last) = 0.

   All matrices are symmetric, so an eigenvalue z solves a z^2 + b z + c = 0, where a, b and c are real
   quadratic forms of its eigenvector. As Q > 0 and 0 < E <= 1, Jury's conditions reduce to a - b + c > 0:

       dt^2 K + 2 dt D < M c4,       c4 = (1 + T + E^2) dt/Q,       c4 = 4 at a particle without a soft pin.

   With w the natural frequency, zeta the damping ratio, Y = zeta w dt and th = w dt sqrt|1 - zeta^2|:
   - zeta >= 1: c4 = 2 (cosh Y + cosh th) th/sinh th >= 4 th coth th >= 4. Such a soft pin does not reduce the
     stable time step.
   - zeta < 1: c4 = 2 (cosh Y + cos th) th/sin th >= 2 th/tan(th/2) >= 4 - (2 th/pi)^2 for th < pi, since
     t cot t is concave in t^2 and falls from 1 at t = 0 to 0 at t = pi/2. The load is at most (2/pi)^2 times
     that of a force with the stiffness k (1 - zeta^2). A substep below the stable limit implies th < pi.
   Linear damping acts on V*, so it multiplies Q and S. As P >= -1, this only increases c4.

   A soft pin of the coefficient law is a force. It adds Ck and Cd to the diagonals of K and D, a load of
   Ck + 2 Cd. A closed form would not work: with Cd >= 1 after the kick, the particle would ignore the kick or
   move against it.

   Under stiffness clamping springs use 3 of the 4 units of load that a particle can carry, and a soft pin is
   clamped to SOFT_PIN_SHARE of the fourth. */
#ifndef MSD_ENGINE_STEP_SOFT_PIN_STEP_H
#define MSD_ENGINE_STEP_SOFT_PIN_STEP_H

#include "engine/kernel/energy_meter.h"
#include "engine/store/model.h"

#define SOFT_PIN_SHARE 0.999

/* True if soft pins are integrated in closed form instead of as forces: the integrator supports it and masses
   are not scaled. */
bool soft_pin_is_exact(const world_model *model);

/* Load of a soft pin on its particle, per mass, in the sums of stability/bound.h: as a force, or as the
   reduction of c4 by the closed form. All 0 if the soft pin moves nothing. */
typedef struct soft_pin_weight {
  /* In 1/s^2. */
  double stiffness;
  /* In 1/s. */
  double damping;
  /* Dimensionless. */
  double coefficient;
} soft_pin_weight;

soft_pin_weight soft_pin_weigh(const world_model *model, int32_t soft_pin, bool is_exact);

/* Before and after a frame of `substeps` substeps of `substep` seconds, of which `done` succeeded. The first
   prepares the coefficients; the second stores the forces and the positions that the points have reached. */
void soft_pin_begin_step(world_model *model, double substep, int substeps);
void soft_pin_end_step(world_model *model, int done, int substeps);

/* Before substep `number` of `substeps`, counted from 1: points that turn move along the chord of this
   substep. */
void soft_pin_go(world_model *model, int number, int substeps);

/* The largest angle in rad by which a point turns in the next frame. */
double soft_pin_turn(const soft_pin_store *s);

/* Adds the impulse in N s of each soft pin in a substep to sums[soft pin]. It is called before the substep,
   `elapsed` seconds after the start of the frame, and after it; each soft pin is added in one of the calls. */
void soft_pin_add_impulses(const world_model *model, double elapsed, bool is_over, double3 *sums);

/* Stiffness k in N/m of a soft pin for a substep in seconds; 0 if it moves nothing. */
double soft_pin_stiffness(const world_model *model, int32_t soft_pin, double substep);

/* Elastic energy in J of a soft pin in the current state: k/2 |x - a|^2. The coefficient law uses the last
   substep length. */
double soft_pin_energy(const world_model *model, int32_t soft_pin);

/* Soft pins of the slots first..last-1, the work of one thread in a substep. */
typedef struct soft_pin_slice {
  soft_pin_work *works;
  int32_t work_count;
  size_t first, last;
  /* Stride of the states, in elements. */
  size_t stride;
  /* By slot, in 1/kg; 0 for sleeping particles, which soft pins do not move. */
  const msd_real *inverse_mass;
  /* Substep in s. */
  double dt;
  /* Time in s since the start of the frame. */
  double elapsed;
  /* Factor that linear damping applies to a velocity in one substep. */
  double decay;
} soft_pin_slice;

/* Moves the soft-pinned particles, and their records in write_records, which may be NULL. Runs after a kernel
   has stored the kicked velocity and the drift along it in `write`. `state` is the index (0 or 1) of the
   state that is written. Returns true if all results are finite. */
bool soft_pin_move(const soft_pin_slice *p, const msd_real *read, msd_real *write, msd_real *write_records,
                   int state);

/* Energy accounting of soft-pinned particles (energy_limiter.h): each counts as a kinematic pin whose velocity
   after the kick is the one that the soft pin gives it. */
typedef struct soft_pin_watch {
  spring_tally *tallies;
  const msd_real *inverse_mass;
  /* Applied forces in N, as in spring_input. */
  const msd_real *force;
  /* In m/s^2. */
  double gravity[3];
} soft_pin_watch;

/* soft_pin_watch_kick runs between the kernel and soft_pin_move and removes the spring work at the kicked
   velocity from the tallies. soft_pin_watch_move runs after soft_pin_move and adds the spring work at the final
   velocity. */
void soft_pin_watch_kick(const soft_pin_slice *p, const soft_pin_watch *w, const msd_real *read,
                         const msd_real *write);
void soft_pin_watch_move(const soft_pin_slice *p, const soft_pin_watch *w, const msd_real *write);

/* Spring force in N on the particle in slot `at` along axis c. `kicked` is the velocity change in m/s by the
   kernel; applied force and gravity are subtracted. */
double soft_pin_watch_force(const soft_pin_slice *p, const soft_pin_watch *w, size_t at, int c,
                            double kicked);

/* The same for a soft-pinned particle, as soft_pin_watch_kick stored it. */
double soft_pin_kept_force(const soft_pin_slice *p, size_t slot, int c);

/* True if the particle in this slot of the slice has a soft pin. */
bool soft_pin_holds(const soft_pin_slice *p, size_t slot);

/* Runs after contact or another correction has moved soft-pinned particles. Sets V as if a kick followed by
   the soft pin had produced that motion: S dt/Q times the change of the mean velocity. This keeps the
   recurrence above valid. `watch` may be NULL. */
void soft_pin_correct(const soft_pin_slice *p, const soft_pin_watch *watch, const msd_real *write, int state);

/* Adds -k (x - a) - mu (v - q) at `state` to `force`, in N: three components with the stride of the
   states. */
void soft_pin_add_forces(const soft_pin_slice *p, const msd_real *state, msd_real *force);

#endif
