/* Contact of particles with colliders. It is applied after the substep, like soft pins and hard length
   limits.

   A substep of dt seconds moves a particle from x to y = x + u, u = dt v. For each collider let p be the
   point nearest to x, n its normal and d the distance of x, at the beginning of the substep; and p', n' the
   same point and normal of the body at the end. The particle must stay in the half-space

       C(z) = n' . (z - p') - e >= 0,       e = min(thickness, d + CONTACT_PUSH dt),

   which contains x if the collider is static. So a particle that starts too close is pushed out at
   CONTACT_PUSH m/s, not thrown out. Where d equals the thickness up to rounding, e = d, so that resting
   particles stay at rest and rounding does not become velocity. A round collider moves with its center point
   or center line; its spin only affects friction. With S the intersection of the half-spaces of a particle,

       x' = y + (1 - relaxation) (P y - y),       P y the point of S nearest to y,       v' = v + (x' - y)/dt.

   Friction then removes min(|t|, mu lambda) of the tangential slip t relative to the displacement w of the
   collider at x, as if x were a point of the body, where P y - y = sum of lambda n'. So a particle that sticks
   goes round with the body at its own distance from the axis. On a collider that turns, a particle that slides
   is rubbed against the velocity of the surface and not its chord, at any angle in a substep. On a round
   collider that spins, the tangent plane stays and x + w leaves it: a particle sticks if the normal force that
   keeps it on its circle leaves friction enough. Sticking is exact. If friction moves a particle into another
   half-space, that half-space stops it.

   Energy. For static colliders S contains x, so P y is no farther from x than y is. The same holds for all
   points between P y and y, and friction shortens the displacement further. The displacement is dt v', so the
   kinetic energy does not grow. docs/theory covers hard length limits and lists the exceptions.

   Hildreth's method computes P y: it visits the half-spaces cyclically and adjusts each multiplier until the
   half-space just contains y + s. A single half-space needs one iteration. Any number of iterations keeps the
   distance from x from growing. u is computed as dt v and not as y - x, whose rounding would be some percent
   of the friction.

   Particles are independent, so threads need no barrier and the order does not matter. Particles are
   processed in groups of 16. Each stores its clearance, the distance that it can move before it may reach a
   collider. A group whose particles all stay within their clearance tests no collider. */
#ifndef MSD_ENGINE_KERNEL_CONTACTS_H
#define MSD_ENGINE_KERNEL_CONTACTS_H

#include "engine/base/intervals.h"
#include "engine/collider/motion.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/surface.h"

#include <stdatomic.h>

enum { CONTACT_GROUP = 16, CONTACT_CHUNK = 16 };

/* m/s: the speed at which penetrating particles are pushed out. */
#define CONTACT_PUSH 0.05

/* The counts of one thread in the last substep. */
typedef struct contact_tally {
  int32_t contacts;
  /* Particles squeezed between colliders. */
  int32_t squeezed;
} contact_tally;

/* What one collider did to a particle in a substep: its part of x' - y in m. */
typedef struct contact_push {
  int32_t slot, collider;
  msd_real way[3];
} contact_push;

/* The pushes of a substep, in any order, for a frame whose contacts are recorded (step/frame_record.h). Pushes
   beyond the capacity are counted and not stored. */
typedef struct contact_pushes {
  contact_push *items;
  int32_t capacity;
  atomic_int count;
} contact_pushes;

/* The working memory of contact, and the results of the last substep. */
typedef struct contact_work {
  /* threads times colliders entries. */
  collider_motion *motions;
  contact_tally *tallies;
  int threads;
  int32_t colliders;

  /* By slot: the collider that pushed the particle in the last substep, -1 for none; the velocity change by
     all colliders in m/s; and the clearance in m. Three components, and one, with a stride. */
  int32_t *pushed_by;
  msd_real *given, *clear;
  void *given_block, *clear_block;
  /* By slot, in m^2; see chord_offset.h. NULL without collision meshes. */
  msd_real *chord_offset;
  void *chord_offset_block;
  size_t stride;
  /* Per group: true if some particle was pushed. */
  uint8_t *is_pushed;
  int32_t particles;
  /* NULL: contacts are not recorded. */
  contact_pushes *pushes;

  /* The revisions of the other arrays, of `clear`, and of `chord_offset`. */
  revision made_for, clear_for, chord_offset_for;
} contact_work;

/* Allocates the arrays, without contacts. On failure it is empty. */
bool contact_work_make(contact_work *w, memory *m, int threads, int32_t colliders, const particle_store *p);
void contact_work_free(contact_work *w, memory *m);

/* Computes `chord_offset`. Returns false if memory runs out. */
bool contact_work_measure(contact_work *w, memory *m, const particle_store *p, const surface_store *s);

/* Invalidates all clearances. */
void contact_work_forget_clear(contact_work *w);

/* Invalidates the clearances of the slots first..last-1. */
void contact_work_forget_own(contact_work *w, size_t first, size_t last);

/* Resets the counts of all threads and the pushes. Call it before the threads run, because some may not take
   part. */
void contact_work_begin(contact_work *w);

/* The sums of all threads. */
contact_tally contact_work_sum(const contact_work *w);

/* The arguments of one thread in a substep. */
typedef struct contact_thread contact_thread;

/* Processes groups[first..last-1]. Returns whether all results are finite. */
typedef bool contact_kernel(const contact_thread *t, int32_t first, int32_t last);

struct contact_thread {
  contact_work *work;
  contact_kernel *kernel;
  const collider_store *colliders;
  contact_settings settings;
  int thread;
  /* The groups of this thread, and the chunks of CONTACT_CHUNK groups that are processed. */
  parallel_range groups;
  span_list awake;
  /* Six components each: x and v before the substep, y and v after it. */
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* The state after the substep as records, too; NULL: none. */
  msd_real *records;
  /* 1/kg; pinned particles do not move. */
  const msd_real *inverse_mass;
  /* s: dt. */
  msd_real dt;
  /* By slot: 1 for loose particles (step/loose.h), else 0; NULL: none. A loose particle that no collider can
     reach in the substep falls exactly: x' = x + dt v' - dt^2/2 (f/m + g). `force` in N, NULL: none. */
  const msd_real *loose, *force;
  msd_real gravity[3];
  /* The fraction of the frame that is over at the beginning and at the end of the substep. */
  double share_before, share_behind;

  /* Set by contact_begin: the collider motions of this thread, their number, and the largest displacement of
     a collider point in m. */
  const collider_motion *motions;
  int32_t motion_count;
  msd_real reach;
};

/* Processes the groups of the thread. Returns whether all results are finite. */
bool contact_act(const contact_thread *t);

/* The same in two calls, for any groups. */
void contact_begin(contact_thread *t);
bool contact_act_on(const contact_thread *t, parallel_range groups);

#endif
