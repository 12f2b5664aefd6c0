/* How colliders push particles: behind a substep, as anchors and catches move what springs have moved before.

   A substep of dt seconds has left a particle at y = x + u, u = dt v. For each collider let p be its point
   nearest to x, n the normal there and d the distance of x, at the beginning of the substep; and p', n' the
   same point and normal of the body at its end. The particle may not leave the half-space

       C(z) = n' . (z - p') - e >= 0,       e = min(thickness, d + CONTACT_PUSH dt),

   which holds x as long as the collider stands: what is too near to begin with is not thrown out, but pushed
   at CONTACT_PUSH m/s. Where d is the thickness but for rounding, e = d, so that what rests is at rest, and
   rounding is no speed. What is round is moved with the line or point that it is round about, and not as it
   spins: only friction sees that. With S the intersection of the half-spaces of a particle,

       x' = y + (1 - softness) (P y - y),       P y the point of S nearest to y,       v' = v + (x' - y)/dt.

   Friction of one of them then takes min(|t|, mu lambda) of the way t that the particle has slid on it, which
   the motion of p to p' is not part of; P y - y = sum of lambda n'. It sticks exactly. What friction has so led
   into another half-space goes no further than that allows.

   Why that adds no energy: of colliders that stand S holds x, so P y is no further from x than y is, nor is
   anything between them, and friction shortens the way from x once more. That way is dt v': the kinetic energy
   falls. docs/contact.md has it with catches, and what is not covered.

   P y is found by Hildreth's method: each half-space in turn takes and gives back what it pushes until it just
   holds y + s; one alone needs one turn. However few turns it gets, it goes no further from x. u is dt v and
   not y - x, whose rounding would be some per cent of the friction.

   It needs no other particle, so threads need not meet, and the order does not matter. Particles are taken by
   groups of 16. Each keeps how far it can go before it may touch something; a group in which all have more left
   than they go asks no collider. */
#ifndef MSD_ENGINE_KERNEL_CONTACTS_H
#define MSD_ENGINE_KERNEL_CONTACTS_H

#include "engine/base/spans.h"
#include "engine/collider/motion.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/surface.h"

enum { CONTACT_GROUP = 16, CONTACT_CHUNK = 16 };

/* m/s */
#define CONTACT_PUSH 0.05

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
  contact_tally *tallies;
  int threads;
  int32_t colliders;

  /* By slot. The collider that pushed it in the last substep, -1: none; what all have changed its velocity by,
     in m/s; and how far it can go before it may touch one, in m. Three components, and one, with a stride. */
  int32_t *pushed_by;
  msd_real *given, *clear;
  void *given_block, *clear_block;
  /* By slot, in m^2: sagitta.h; NULL where there are no surfaces. */
  msd_real *sagitta;
  void *sagitta_block;
  size_t stride;
  /* Of each group: some particle in it was pushed. */
  uint8_t *is_pushed;
  int32_t particles;

  /* All but the others, `clear`, and `sagitta`. */
  revision made_for, clear_for, sagitta_for;
} contact_work;

/* Makes room for so many of each, with nothing pushed. On failure it is empty. */
bool contact_work_make(contact_work *w, memory *m, int threads, int32_t colliders, const particle_store *p);
void contact_work_free(contact_work *w, memory *m);

/* Makes `sagitta`. False without memory. */
bool contact_work_measure(contact_work *w, memory *m, const particle_store *p, const surface_store *s);

/* Forgets how far particles can go. */
void contact_work_forget_clear(contact_work *w);

/* The same of the slots first..last-1. */
void contact_work_forget_own(contact_work *w, size_t first, size_t last);

/* Before threads act: those that do not come have done nothing. */
void contact_work_begin(contact_work *w);

/* The sums of all threads. */
contact_tally contact_work_sum(const contact_work *w);

/* What one thread does in a substep. */
typedef struct contact_thread contact_thread;

/* Acts on groups[first..last-1]; returns whether all that was pushed is finite. */
typedef bool contact_kernel(const contact_thread *t, int32_t first, int32_t last);

struct contact_thread {
  contact_work *work;
  contact_kernel *kernel;
  const collider_store *colliders;
  contact_settings settings;
  int thread;
  /* Of the particles, and the chunks of CONTACT_CHUNK groups that are to be gone through. */
  parallel_range groups;
  span_list awake;
  /* Six components each: x and v before, y and v behind the substep. */
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* The state behind, too; NULL: there are none. */
  msd_real *records;
  /* 1/kg; pins stay where they are. */
  const msd_real *inverse_mass;
  /* s: dt. */
  msd_real time_step;
  /* The share of the step that is over at the beginning of the substep, and at its end. */
  double share_before, share_behind;

  /* Filled in by contact_begin: the thread's own of `motions`, of which there are so many, and the most that a
     point of them moves, in m. */
  const collider_motion *motions;
  int32_t motion_count;
  msd_real reach;
};

/* Acts on its groups. Returns whether all that was pushed is finite. */
bool contact_act(const contact_thread *t);

/* The same of some groups after the other, which need not be those of the thread. */
void contact_begin(contact_thread *t);
bool contact_act_on(const contact_thread *t, parallel_range groups);

#endif
