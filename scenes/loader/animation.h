/* What a scene file says is to happen at which time of the world: pins, soft pins and colliders that are led
   along, forces, seams that close, what is cut, and what is let go. A animation is only read while it is
   played: where everything is at a time depends on the time alone, so a world that was saved and restored goes
   on alike. */
#ifndef MSD_SCENES_LOADER_ANIMATION_H
#define MSD_SCENES_LOADER_ANIMATION_H

#include "scenes/loader/skeleton.h"

#include <msd/msd.h>

#include <stdbool.h>

/* Where something is at a time in s: how far it was moved, in m, and turned, in degrees about x, then y, then
   z. */
typedef struct scene_key {
  double time;
  double offset[3], rotation[3];
} scene_key;

/* A key as the world takes it. */
msd_vec3 key_position(const scene_key *key);
msd_quaternion key_rotation(const scene_key *key);

/* At least one key, in ascending order of times. */
typedef struct scene_track {
  scene_key *keys;
  int count;
} scene_track;

/* Where it is at any time: in straight lines from key to key, and at rest before the first and after the
   last. */
scene_key track_at(const scene_track *track, double time);

/* The rotation from one to the other. */
msd_quaternion rotation_between(msd_quaternion from, msd_quaternion to);

/* How far it turns from one time to a later one, through any number of turns: the integral of its angular
   velocity, in rad. */
void track_turned(const scene_track *track, double from, double to, double turned[3]);

/* The rotation vector of a change of rotation, in rad, with the whole turns that are nearest to `turned`. */
void turn_unwrap(msd_quaternion change, const double turned[3], double turn[3]);

/* The mean of its offset from one time to a later one, where it is nothing before the first key and after the
   last: with frames of any length the parts of a frame add up to the whole. */
void track_mean(const scene_track *track, double from, double to, double mean[3]);

/* Pins and targets of soft pins that move together: by keyframes, or with a joint of a skeleton. */
typedef struct scene_motion {
  /* In ascending order. */
  int32_t *particles;

  /* Of each the soft pin whose point is led; -1: its pin is. NULL: all are pins. */
  int32_t *soft_pins;

  /* m: where the scene placed each of them; of mesh colliders where the file has it, scaled. */
  double (*placed)[3];
  int32_t count;

  /* m: what they turn about. */
  double center[3];
  scene_track track;

  /* Of the animation; NULL: there are keys. */
  const skeleton *leader;
  int32_t joint;
} scene_motion;

/* The number of a particle in a motion; -1: it is not in it. */
int32_t motion_find(const scene_motion *motion, int32_t particle);

/* How far a motion has come. */
typedef struct motion_place {
  /* m */
  double offset[3], center[3];

  /* Without the identity, so that nothing is rounded where nothing turns. */
  double turn[3][3];
} motion_place;

motion_place motion_place_at(const scene_motion *motion, double time);

/* m: where what was placed there then is. */
msd_vec3 motion_place_of(const motion_place *place, const double placed[3]);
void motion_point_of(const motion_place *place, const double placed[3], double to[3]);

/* How it turns from one time to a later one. */
msd_turn motion_turn(const scene_motion *motion, double from, double to);

/* A collider that is led: the offset of the track is where it is, and the rotation how it is turned, both
   counted from nothing. */
typedef struct scene_collider_motion {
  int32_t collider;
  scene_track track;
} scene_collider_motion;

/* A figure whose bones are colliders. */
typedef struct scene_skeleton {
  /* Unique among those of all colliders. */
  char *name;

  /* What it is read from, and the checksum of that. */
  char *file;
  uint64_t checksum;
  skeleton *bones;

  /* Its bones, and the joint that leads each. */
  msd_range colliders;
  int32_t *joints;
} scene_skeleton;

/* A force that particles share evenly. */
typedef struct scene_force {
  /* In ascending order. */
  int32_t *particles;
  int32_t count;

  /* N, all of it, in the place of the offset. */
  scene_track track;
} scene_force;

/* Springs that become shorter together. */
typedef struct scene_seam {
  msd_range springs;

  /* m: of each the rest length that it begins with; NULL: none. */
  msd_real *placed;

  /* m: the rest length that they end with, where they begin with more. */
  double gap;

  /* s */
  double begin, end;
} scene_seam;

/* m: the rest length that spring i of a seam has at a time. */
msd_real seam_rest(const scene_seam *seam, int32_t i, double time);

/* What happens once. */
typedef struct scene_event {
  /* s */
  double time;

  /* Springs and constraints that break. */
  int32_t *springs, *constraints;
  int32_t spring_count, constraint_count;

  /* Pins that are let go, and soft pins that hold nothing any more. */
  int32_t *released, *soft_pins;
  int32_t released_count, soft_pin_count;
} scene_event;

typedef struct scene_animation {
  scene_motion *motions;
  int motion_count;

  scene_collider_motion *collider_motions;
  int collider_motion_count;

  scene_skeleton *skeletons;
  int skeleton_count;

  scene_force *forces;
  int force_count;

  scene_seam *seams;
  int seam_count;

  /* In the order of the file. */
  scene_event *events;
  int event_count;

  /* What the file says of it: two timetables are equal when their texts are. NULL: nothing. */
  char *text;
} scene_animation;

/* One more motion, of nothing yet; NULL when out of memory. Those before it may have moved. */
scene_motion *animation_add_motion(scene_animation *t);

/* One more of the others, the same way. */
scene_skeleton *animation_add_skeleton(scene_animation *t);
scene_force *animation_add_force(scene_animation *t);
scene_seam *animation_add_seam(scene_animation *t);

void animation_free(scene_animation *t);

#endif
