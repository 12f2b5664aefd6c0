/* How colliders push particles: behind a substep, as anchors and catches move what springs have moved before.

   A substep of dt seconds has left a particle at y = x + u, u = dt v. For each collider let p be its point
   nearest to x, n the normal there and d the distance of x, at the beginning of the substep; and p', n' the
   same point and normal of the body at its end. The particle may not leave the half-space

       C(z) = n' . (z - p') - e >= 0,       e = min(thickness, d + CONTACT_PUSH dt),

   which holds x as long as the collider stands: what is too near to begin with is not thrown out, but pushed
   at CONTACT_PUSH m/s. With S the intersection of the half-spaces of a particle,

       x' = y + (1 - softness) (P y - y),       P y the point of S nearest to y,       v' = v + (x' - y)/dt.

   Friction of one of them then takes min(|t|, mu lambda) of the way t that the particle has slid on it, which
   the motion of p to p' is not part of; P y - y = sum of lambda n'. It sticks exactly.

   Why that adds no energy. Colliders that stand, no friction, x in S; Phi(z) = (1 - softness)/2 |z - P z|^2 is
   convex, has the gradient (1 - softness)(z - P z), which changes at most as fast as z, and is 0 at x. So
   Phi(x') <= Phi(y) - 1/2 |g|^2 and Phi(y) <= g . u with g the gradient at y, and |x' - x|^2 = |u - g|^2 =
   |u|^2 - 2 g . u + |g|^2 <= |u|^2 - 2 Phi(x') - |g|^2: the kinetic energy falls by at least Phi(x')/dt^2 of
   the particle's mass. With softness 0 that holds together with whatever was a gradient step before, as catches
   are: a projected gradient step (docs/contact.md). Friction shortens the way from x further.

   It needs no other particle: the order does not matter, and threads need not meet. u is dt v in double and
   not y - x, whose rounding would be some per cent of the friction.

   Groups of 16 particles that are too far from a collider are left out together. */
#ifndef MSD_ENGINE_CONTACT_COLLIDER_CONTACT_H
#define MSD_ENGINE_CONTACT_COLLIDER_CONTACT_H

#include "engine/base/parallel.h"
#include "engine/contact/collider_shape.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

enum { CONTACT_GROUP = 16 };

/* m/s */
#define CONTACT_PUSH 0.05

/* A collider in a substep. */
typedef struct collider_motion {
  collider_frame before, after;
  /* The most that a point moves: this many m, and so many times its distance from the origin. */
  double shift, turn;
} collider_motion;

/* Of one thread in the last substep. */
typedef struct contact_tally {
  int32_t contacts;
  /* Particles for which no place was left. */
  int32_t pinched;
} contact_tally;

/* What contact needs beside the colliders, and what it did last. */
typedef struct contact_work {
  /* Threads times colliders of them. */
  collider_motion *motions;
  /* As many: the colliders near a group. */
  int32_t *near;
  contact_tally *tallies;
  int threads;
  int32_t colliders;

  /* Of each slot: the collider that pushed it in the last substep, -1: none. And what all have changed its
     velocity by, in m/s: three components with a stride. */
  int32_t *pushed_by;
  msd_real *given;
  size_t stride;
  /* Of each group: some particle in it was pushed. */
  uint8_t *is_pushed;
  int32_t particles;

  revision made_for;
} contact_work;

/* Makes room for so many of each, with nothing pushed. On failure it is empty. */
bool contact_work_make(contact_work *w, memory *m, int threads, int32_t colliders, const particle_store *p);
void contact_work_free(contact_work *w, memory *m);

/* The sums of all threads. */
contact_tally contact_work_sum(const contact_work *w);

/* What one thread does in a substep. */
typedef struct contact_thread {
  contact_work *work;
  const collider_store *colliders;
  contact_settings settings;
  int thread;
  /* Of the particles. */
  parallel_range groups;
  /* Six components each: x and v before, y and v behind the substep. */
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* The state behind, too; NULL: there are none. */
  msd_real *records;
  /* 1/kg; pins stay where they are. */
  const msd_real *inverse_mass;
  /* s: dt. */
  double time_step;
  /* The share of the step that is over at the beginning of the substep, and at its end. */
  double share_before, share_behind;
} contact_thread;

/* Returns whether all that was pushed is finite. */
bool contact_act(const contact_thread *t);

#endif
