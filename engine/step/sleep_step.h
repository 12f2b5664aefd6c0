/* Sleeping: components that have settled are excluded from substeps until something acts on them.

   A connected component (store/sleep.h) rests while all its particles are slower than sleep.speed at the ends
   of frames and its pins are static. Components whose collision meshes may be in contact form an island,
   unless one of the two consists of static pins there. When all components of an island have rested for
   sleep.time they fall asleep: their velocities become 0. find_restless and find_blown decide which components
   are not at rest. Rotors belong to no component and never sleep.

   To the kernels a sleeping particle is a static pin: its inverse mass in the network is 0. This alone
   determines the results, as then x' = x + dt 0 and v' = 0. No spring connects two components, so nothing
   else depends on a sleeping one. Chunks of the network in which all particles sleep are skipped; both states
   are identical there. Groups of constraints, soft pins and clusters of collision meshes are skipped if all
   their particles sleep.

   Setting a velocity to 0 removes its kinetic energy and moves nothing, so falling asleep adds no energy.
   Waking adds none either: a component wakes at rest in the same place.

   Waking. The functions of the API wake components when they change them. A change of a particle, spring or
   constraint wakes its component and those that fell asleep with it; a changed collider wakes everything
   within its reach; a global change wakes all. At the start of a frame, components are woken by changing rest
   lengths, by moving colliders that come near, and by another substep length if their spring laws depend on
   it. During a frame, approaching collision meshes wake each other when a neighbor list is built
   (contact/self_contact.h).

   All of this depends only on the state, which includes how long components have rested. */
#ifndef MSD_ENGINE_STEP_SLEEP_STEP_H
#define MSD_ENGINE_STEP_SLEEP_STEP_H

#include "engine/base/intervals.h"
#include "engine/contact/broad_phase.h"
#include "engine/store/model.h"

typedef struct stepper stepper;

/* Flags of a particle: awake; asleep and not pinned. */
enum { SLEEP_AWAKE = 1, SLEEP_ASLEEP_UNPINNED = 2 };

typedef struct sleep_work {
  /* Whether some particle sleeps, so that the lists below apply; whether some particle of a collision mesh is
     awake. */
  bool some_sleep, surfaces_awake;
  /* By slot: component of the particle, and its flags. */
  int32_t *piece_at;
  uint8_t *marks;
  /* Chunks of the network with an awake particle, and the corresponding groups and mesh chunks of
     constraints. */
  span_list chunks, constraint_groups, mesh_chunks;
  /* By component, at the end of a frame: an earlier component of its island, or itself (union-find). */
  int32_t *joined;
  /* Components found while a frame is prepared. They replace those of the model when the frame starts; empty
     if there are none. */
  sleep_store found;
  /* Revision and broken springs for which the components were found; revision for which the lists above were
     built. */
  revision pieces_for, made_for;
  int32_t broken_springs, broken_constraints;
  uint64_t changes;
  /* Counts how often the lists were built. */
  uint64_t lists;
} sleep_work;

void sleep_work_free(sleep_work *w, memory *m);

/* Finds components and reserves memory, without changing the model. Returns MSD_BAD_VALUE for a world that
   does not support sleeping, or MSD_OUT_OF_MEMORY. */
msd_result sleep_prepare(stepper *s);

/* After all checks that can refuse a frame: wakes components that something will act on, and builds the
   lists. last_substep is the previous substep length in s. */
void sleep_begin_step(stepper *s, double last_substep);

/* After a frame of `dt` seconds, before damage and plasticity. */
void sleep_end_step(stepper *s, double dt);

/* Wakes everything within reach of a collider at its current pose. */
void sleep_wake_near(world_model *model, const collider_entry *c);

/* Wakes sleeping components that are paired with an awake primitive, except through pins alone. Returns true
   if there were any. */
bool sleep_wake_paired(stepper *s, const pair_list *list);

/* Chunks of the network and faces with wind that are active; whether some chunks are skipped. */
span_list sleep_awake_chunks(const stepper *s);
span_list sleep_awake_faces(const stepper *s);
bool sleep_leaves_out(const stepper *s);

#endif
