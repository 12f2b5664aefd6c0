/* Sleep: pieces that have come to rest are left out of the steps until something touches them.

   A piece (store/sleep.h) rests while each of its particles is slower than sleep.speed at the ends of steps,
   and its pins stand. Pieces whose surfaces may touch are one island, but where all that touches of one is
   pins that stand. When all pieces of an island have rested for sleep.time they fall asleep: velocities
   become 0.

   To the kernels whoever sleeps is a pin that stands: its inverse mass in the network is 0. That alone would
   do, as then x' = x + dt 0 and v' = 0, and is what decides the bits. Since no spring joins two pieces,
   nothing else depends on what becomes of those that sleep; so chunks of the network in which all particles
   do are not gone through at all. Both states have the same numbers there. Groups of constraints, anchors
   and leaves of surfaces are left out where all their particles sleep.

   Setting a velocity to 0 takes its kinetic energy, and nothing is moved: so falling asleep adds no energy,
   and waking adds none either, as it begins at rest in the same place.

   What wakes. All that changes one particle, spring or constraint wakes its piece and those that fell asleep
   with it, a collider what it reaches, and whatever changes all wakes all: in the world's functions, where
   they change it. At the
   beginning of a step that is done by rest lengths that go somewhere, by colliders that move and come near,
   and by another substep where laws follow it; and in the course of one, by surfaces that come near, when a
   list of what is near is made (contact/self_contact.h).

   All of it follows from the state, and from it alone, which has how long pieces have rested. */
#ifndef MSD_ENGINE_STEP_SLEEP_STEP_H
#define MSD_ENGINE_STEP_SLEEP_STEP_H

#include "engine/base/spans.h"
#include "engine/contact/pair_search.h"
#include "engine/store/model.h"

typedef struct stepper stepper;

/* Of a particle: it is awake; it sleeps and is no pin. */
enum { SLEEP_AWAKE = 1, SLEEP_HELD_FREE = 2 };

typedef struct sleep_work {
  /* Whether something sleeps, so that the lists say what does not; and whether something is awake that has a
     surface. */
  bool some_sleep, surfaces_awake;
  /* The piece of the particle in each slot, and its marks. */
  int32_t *piece_at;
  uint8_t *marks;
  /* Chunks of the network that have some that is awake; the same of groups and mesh chunks of constraints. */
  span_list chunks, constraint_groups, mesh_chunks;
  /* Of pieces, at the end of a step: an earlier one of its island, or itself. */
  int32_t *joined;
  /* Pieces that a step has found and that become those of the world when it begins; none without particles. */
  sleep_store found;
  /* What the pieces were found for: the revision, and what was broken; what all above was made for. */
  revision pieces_for, made_for;
  int32_t broken_springs, broken_constraints;
  uint64_t changes;
  /* Counts how often all above was made. */
  uint64_t lists;
} sleep_work;

void sleep_work_free(sleep_work *w, memory *m);

/* Finds pieces and makes room, and changes nothing of the world. MSD_BAD_VALUE of a world with which nothing
   can sleep, MSD_OUT_OF_MEMORY. */
msd_result sleep_prepare(stepper *s);

/* Behind all that may refuse a step: wakes what will be touched in it, and makes the lists. The last substep
   had so many seconds. */
void sleep_begin_step(stepper *s, double last_substep);

/* Behind a step of that many seconds, before anything wears. */
void sleep_end_step(stepper *s, double time_step);

/* Wakes what is as near to a collider as it reaches, where it is. */
void sleep_wake_near(world_model *model, const collider_entry *c);

/* Wakes whoever is paired with somebody that is awake, unless by pins alone; false when there is none. */
bool sleep_wake_paired(stepper *s, const pair_list *list);

/* What of the network, and of the faces that air pushes, is to be gone through; whether the former leaves
   something out. */
span_list sleep_awake_chunks(const stepper *s);
span_list sleep_awake_faces(const stepper *s);
bool sleep_leaves_out(const stepper *s);

#endif
