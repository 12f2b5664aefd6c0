/* Anchors: damped springs from a particle to a point in space.

   In symplectic Euler and sequential impulses an anchor of the physical or frequency law is not a force. All
   other forces kick the velocity V of the particle, V* = (V + dt (f/m + g)) decay, and instead of letting the
   particle drift in a straight line the anchor then takes it along its own exact motion. With X = x - a relative
   to the point, and P, Q, R, S the closed form of a step (msd_damped_spring_make with k/m and mu/m)

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
#ifndef MSD_ENGINE_ANCHOR_H
#define MSD_ENGINE_ANCHOR_H

#include "engine/store/particle.h"

#define ANCHOR_SHARE 0.999

/* One anchor by definition. */
typedef struct anchor_entry {
  int32_t particle;            /* -1: holds nothing */
  msd_spring_law law;          /* a definition that holds nothing has one too */
  msd_real stiffness, damping; /* N/m, ck or Hz; N s/m, cd or damping ratio: by law */
  msd_vec3 point;              /* m */
  msd_vec3 target;             /* m: where the next step carries the point */
  bool moves;                  /* it has a target */
  bool knows_velocity;         /* the next two are those of the last substep */
  double velocity[3];          /* m/s: V */
  double seen[3];              /* m/s: v. When the particle has another, it was set: then V is that one too */
  msd_vec3 force;              /* N: msd_anchor_get_force */
} anchor_entry;

/* An anchor as the step needs it. */
typedef struct anchor_work {
  size_t slot;
  int32_t anchor;
  bool is_coefficient;                 /* which has no closed form */
  bool keeps_position, keeps_velocity; /* pos_pos is P - 1, vel_vel is S - 1: no digit of x and v is lost */
  double pos_pos, pos_vel, vel_pos, vel_vel; /* P, Q, R, S of the closed form */
  double ck, cd;                             /* ck/dt in 1/s, and cd; 0 of other laws */
  double stiffness, damping;                 /* N/m, N s/m: as a force */
  double point[3], point_velocity[3];        /* m, m/s: at the beginning of the step, and during it */
  bool knows_velocity;

  /* With each of the two states, as it was written. */
  double velocity[2][3], seen[2][3]; /* m/s: V and v */
  double change[2][3];               /* m/s: what the anchor gave to V in the substep */
} anchor_work;

typedef struct anchor_store {
  int32_t count, capacity;
  anchor_entry *entries;
  anchor_work *works; /* in the order of their slots; of the unpinned that are held. NULL: capacity 0 */
  int32_t work_count;
  bool is_stale;    /* works is of other anchors, slots, masses, pins or ... */
  double work_step; /* s: ... of another substep */
} anchor_store;

void anchor_store_free(anchor_store *s, memory *m);

/* Whether the index is one; keeps the message when not. */
bool world_has_anchor(msd_world *world, int32_t anchor);

/* Whether an integrator moves anchored particles by their closed form instead of by a force. */
bool anchor_is_exact(msd_integrator integrator);

/* Whether it holds a particle that is not pinned. */
static inline bool anchor_moves(const anchor_store *s, const particle_store *p, int32_t anchor) {
  const int32_t particle = s->entries[anchor].particle;
  return particle >= 0 && p->inverse_mass[particle] > 0;
}

/* What an anchor weighs at its particle in the sums of stability_bound.h, per mass: as a force, or as what it
   takes from the room of the closed form. All 0 when it moves nothing. */
typedef struct anchor_weight {
  double stiffness;   /* 1/s^2 */
  double damping;     /* 1/s */
  double coefficient; /* 1 */
} anchor_weight;

anchor_weight anchor_weigh(const msd_world *world, int32_t anchor, bool is_exact);

/* Says that the integrator changed. */
void anchor_forget_works(msd_world *world);

/* Before and after a step of `substeps`, of which `done` succeeded: makes ready what the substeps need, then
   keeps the forces and leaves the points where they have come. */
void anchor_begin_step(msd_world *world, double substep, int substeps);
void anchor_end_step(msd_world *world, int done, int substeps);

/* Elastic energy in J of an anchor at the present state: k/2 |x - a|^2. Of coefficients at the last substep. */
double anchor_energy(const msd_world *world, int32_t anchor);

/* One thread's part of a substep: the particles in the slots first..last-1. */
typedef struct anchor_part {
  anchor_work *works;
  int32_t work_count;
  size_t first, last;
  size_t stride;    /* of the states */
  double time_step; /* s: the substep */
  double elapsed;   /* s since the beginning of the step */
  double decay;     /* what air drag leaves of a velocity in the substep */
} anchor_part;

/* Behind a kernel that wrote the kicked velocity and the drift along it into `write`: moves the anchored particles, also in write_records
   (may be NULL). `state` is which of the two is written. Returns whether all is finite. */
bool anchor_move(const anchor_part *p, const msd_real *read, msd_real *write, msd_real *write_records,
                 int state);

/* Adds -k (x - a) - mu (v - q) at `state` to the forces in N, three components with the stride of the states. */
void anchor_add_forces(const anchor_part *p, const msd_real *state, msd_real *force);

/* Snapshots: bytes of that many, writing them, and reading them into an empty store for the particles `p`, whose
   masses are there. Fails with MSD_BAD_SNAPSHOT, saying what is out of its range, or MSD_OUT_OF_MEMORY. */
uint64_t anchor_snapshot_size(int32_t anchors);
void anchor_snapshot_put(unsigned char **to, const anchor_store *s);
msd_result anchor_snapshot_get(msd_world *world, anchor_store *s, const particle_store *p, int32_t anchors,
                               const unsigned char **from);

#endif
