/* The collider store: shapes and poses. kernel/contacts.h explains the contact response. */
#ifndef MSD_ENGINE_STORE_COLLIDER_H
#define MSD_ENGINE_STORE_COLLIDER_H

#include "engine/base/growth.h"
#include "engine/base/rigid_path.h"

/* Position and orientation of a collider. The rotation has length 1. */
typedef struct collider_pose {
  double3 position;
  msd_quaternion rotation;
} collider_pose;

typedef struct collider_entry {
  msd_collider_kind kind;
  collider_pose pose;
  /* The pose at the end of the next frame, if the collider moves. */
  collider_pose target;
  bool moves;
  /* The way there: a turn that was given, or the shorter arc about the position. */
  bool has_turn;
  msd_turn turn;
  /* The path of the current frame, and the small rotation that is left at its end; from collider_begin_step. */
  rigid_path path;
  msd_quaternion rest;
  /* The collider was destroyed and has no contacts. */
  bool is_gone;
  /* In the collider frame; the normal has length 1. Fields that the type does not use are stored too. */
  msd_vec3 normal, from, to, size;
  msd_real radius;
  /* MSD_CONTACT_FRICTION: the value of the world. */
  msd_real friction;
} collider_entry;

typedef struct collider_store {
  int32_t count, capacity;
  collider_entry *entries;
  /* The number of substeps of the current frame. */
  int substeps;
} collider_store;

/* The contact settings of the world; see msd_contact_settings. */
typedef struct contact_settings {
  msd_real thickness, friction, relaxation;
  bool error_on_intersection;
} contact_settings;

bool contact_settings_are_sound(contact_settings c);

void collider_store_free(collider_store *s, memory *m);

extern const growth_table collider_growth;

/* Converts a validated definition. */
collider_entry collider_entry_of(const msd_collider_def *def);
msd_collider_def collider_def_of(const collider_entry *c);

/* Scale to length 1. Return false if the length is 0 or not finite. */
bool collider_normalize(msd_quaternion *rotation);
bool collider_normalize_vector(msd_vec3 *v);

/* The path from the current pose to the target. */
rigid_path collider_path(const collider_entry *c);

/* The angle in rad between the target and the rotation that the turn leads to. */
double collider_turn_rest(const collider_entry *c);

/* The largest angle in rad by which a collider turns in the next frame. */
double collider_moves_turn(const collider_store *s);

/* Begins a frame. */
void collider_begin_step(collider_store *s, int substeps);

/* The pose after the fraction `share`, 0 to 1, of the frame. */
collider_pose collider_pose_at(const collider_entry *c, double share);

/* From that fraction on: the displacement in m of the origin, and the rotation vector in rad, of a motion that
   keeps the present velocity for the fraction `span` of the frame. */
void collider_velocity_at(const collider_entry *c, double share, double span, double3 *shift, double3 *turn);

/* Ends a frame of which `done` substeps were taken: moving colliders stop at the pose that they have
   reached. */
void collider_end_step(collider_store *s, int done);

#endif
