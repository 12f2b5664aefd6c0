/* The record of a frame: contacts and reactions, summed over its substeps. It has nothing to do with the AoS
   records of kernel/records.h. A frame is recorded only if the program requests it or has contact events. The
   stepper then advances its substeps one at a time. One thread adds the impulses of each substep, in the order
   of the indices, so sums do not depend on the number of threads. The record does not affect the simulation.

   A new quantity gets an MSD_RECORD_ flag. frame_record_begin reserves its memory, frame_record_before reads
   the state before a substep, frame_record_after adds the impulses of the substep, and world/reaction_api.c
   returns the mean over the frame.

       contacts       the displacements by colliders (contact_pushes), and F of the pairs of meshes
       pins           minus the sum of the impulses on the pin: springs, constraints and hard limits at it,
                      wind, contact of meshes, applied force and weight
       soft pins      the impulse on the particle
       constraints    L = dt (k C + mu C'), and -L dC/dx_j at each corner

   Where springs and constraints are forces, they are evaluated in double at the state that the substep reads.
   With sequential impulses, the record adds the impulses that the solver has applied. */
#ifndef MSD_ENGINE_STEP_FRAME_RECORD_H
#define MSD_ENGINE_STEP_FRAME_RECORD_H

#include "engine/base/vec3.h"
#include "engine/kernel/contacts.h"
#include "engine/store/constraint.h"
#include "engine/store/spring.h"

#include <msd/reaction.h>

struct stepper;

enum { RECORD_OF_COLLIDERS, RECORD_OF_MESHES, RECORD_KINDS };

/* The key is {particle, collider}, or {pair kind, the four particles}. */
enum { CONTACT_KEY = 5 };
typedef struct contact_record {
  int32_t key[CONTACT_KEY];
  /* Impulse in N s on the particle, or on the first mesh. */
  double3 impulse;
  /* Last contact point in m, and its unit normal. During the frame, `point` of a collider contact is the
     position of the particle, and `share` the elapsed fraction of the frame at that contact. */
  msd_vec3 point, normal;
  double share;
  /* True if the contact existed in the last substep. */
  bool is_last;
} contact_record;

/* Contacts, sorted by key in ascending order. */
typedef struct contact_records {
  contact_record *items;
  int32_t count, capacity;
} contact_records;

/* Impulse in N s on a collider, and its moment in N m s about the position of the collider. */
typedef struct collider_record {
  double3 impulse, moment;
  /* Position of the collider in m at the start of the substep. */
  double3 at;
} collider_record;

/* A spring with a pinned end, and its unit vector from b to a at the start of the substep. */
typedef struct pin_spring {
  int32_t spring;
  law_tuning tuning;
  double unit[3];
} pin_spring;

/* A constraint. gradient: dC/dx_j at the start of the substep. impulse: summed impulse on each corner in N s.
   now: L of the substep. sum: L summed over the frame. */
typedef struct constraint_record {
  int32_t constraint;
  double3 gradient[CONSTRAINT_CORNERS], impulse[CONSTRAINT_CORNERS];
  double now, sum;
} constraint_record;

typedef struct frame_record {
  /* MSD_RECORD_ flags that the program has requested, and those of the current or last frame. */
  int wanted, what;
  /* True if a frame is being recorded; true if memory has run out in it. */
  bool is_open, lacks_memory;
  /* Reactions of pins are unknown, because an integrator, a solver or the energy limiter changes the forces. */
  bool lacks_pins;
  /* Duration in s of the recorded substeps. */
  double time;
  /* energy_limiter.scaled at the start of the frame. */
  int64_t scaled;

  contact_pushes pushes;
  contact_records contacts[RECORD_KINDS], fresh, merged;
  /* By slot: the particle. */
  int32_t *particle_of;
  int32_t slot_capacity;
  collider_record *colliders;
  int32_t collider_count, collider_capacity;
  /* By particle: impulse in N s on a pinned particle, without its weight. */
  double3 *pins;
  int32_t pin_count, pin_capacity;
  /* By soft pin: impulse in N s on the particle. */
  double3 *soft_pins;
  int32_t soft_pin_count, soft_pin_capacity;
  pin_spring *springs;
  int32_t spring_count, spring_capacity;
  /* Sorted by constraint in ascending order. */
  constraint_record *constraints;
  int32_t constraint_count, constraint_capacity;
} frame_record;

void frame_record_free(frame_record *r, memory *m);

/* Discards the record, because indices have changed. */
void frame_record_forget(frame_record *r);

/* True if the record has the contacts of the last frame. It returns false during a frame, when queries return
   the contacts of the last substep. */
static inline bool frame_record_has_contacts(const frame_record *r) {
  return (r->what & MSD_RECORD_CONTACTS) && !r->is_open && r->time > 0;
}

/* Begins the record of a frame. `what`: MSD_RECORD_ flags; 0: none. Returns false if memory runs out. */
bool frame_record_begin(struct stepper *s, int what);

/* Called before and after each substep of a recorded frame. `taken` substeps of the frame precede it. */
void frame_record_before(struct stepper *s, int taken);
void frame_record_after(struct stepper *s, int taken);

/* Completes the record after the frame. Returns false if memory ran out; the record is then empty. */
bool frame_record_end(struct stepper *s);

#endif
