/* The collider store: bodies that particles touch, and where they are. How they push is explained in
   kernel/contacts.h. */
#ifndef MSD_ENGINE_STORE_COLLIDER_H
#define MSD_ENGINE_STORE_COLLIDER_H

#include "engine/base/growth.h"
#include "engine/base/vec3.h"

/* Where the frame of a collider is. The rotation has length 1. */
typedef struct collider_pose {
  double3 position;
  msd_quaternion rotation;
} collider_pose;

typedef struct collider_entry {
  msd_collider_kind kind;
  collider_pose pose;
  /* At the end of the next step, where it moves. */
  collider_pose target;
  bool moves;
  /* It was destroyed, and pushes nothing. */
  bool is_gone;
  /* In the frame; the normal has length 1. Also what the kind has not is kept. */
  msd_vec3 normal, from, to, size;
  msd_real radius;
  /* MSD_CONTACT_FRICTION: the world's. */
  msd_real friction;
} collider_entry;

typedef struct collider_store {
  int32_t count, capacity;
  collider_entry *entries;
  /* Of the step that is being taken. */
  int substeps;
} collider_store;

/* What the world says of all contacts; see msd_contact_def. */
typedef struct contact_settings {
  msd_real thickness, friction, softness;
  bool strict;
} contact_settings;

bool contact_settings_are_sound(contact_settings c);

void collider_store_free(collider_store *s, memory *m);

extern const growth_table collider_growth;

/* A definition that was checked. */
collider_entry collider_entry_of(const msd_collider_def *def);
msd_collider_def collider_def_of(const collider_entry *c);

/* With length 1; false when that cannot be. */
bool collider_normalise(msd_quaternion *rotation);
bool collider_normalise_vector(msd_vec3 *v);

/* Where a collider is when `share` of the step, 0 to 1, is over: the rotation goes evenly along the chord, and
   so almost evenly along the arc. */
collider_pose collider_pose_at(const collider_entry *c, double share);

/* After a step of which so many substeps were done: those that move have come as far, and are still. */
void collider_end_step(collider_store *s, int done);

#endif
