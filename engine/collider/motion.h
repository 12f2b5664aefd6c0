/* A collider in one substep, in the representation that contact uses. */
#ifndef MSD_ENGINE_COLLIDER_MOTION_H
#define MSD_ENGINE_COLLIDER_MOTION_H

#include "engine/store/collider.h"

typedef struct collider_motion {
  /* Its index. */
  int32_t collider;
  msd_collider_kind kind;
  /* The frame at the beginning of the substep: its origin in m, and its axes as columns. */
  msd_vec3 origin, axis[3];
  /* The changes of both in the substep; and of the normals without spin, which is 0 for a sphere. `spins`: a
     round collider turns about its own axis or center. `grips`: it turns by less than a quarter turn, so
     particles can stick. */
  bool moves, turns, spins, grips;
  msd_vec3 shift, turn[3], swing[3];
  /* At the velocity at the beginning of the substep, kept during it: the displacement of the origin, and the
     rotation vector in rad. */
  msd_vec3 drift, rotation;

  /* For a plane. */
  msd_vec3 normal;
  /* For a box: half of its sides. */
  msd_vec3 half;
  /* For a capsule: the start of its line, the unit vector along it (0 if it has no length), a unit vector
     orthogonal to it, and its length. A sphere is a capsule of length 0. */
  msd_vec3 from, along, across;
  msd_real length;
  /* For both; else 0. */
  msd_real radius;

  msd_real friction;
  /* m: upper bound of the displacement of any point in the substep; infinite for a rotating plane. */
  msd_real reach;
} collider_motion;

/* The frame of a collider in double: its origin in m, and its axes as columns. */
typedef struct collider_frame {
  double3 origin, axis[3];
} collider_frame;

/* The frame at a fraction of the motion in the world's current frame. */
collider_frame collider_frame_at(const collider_entry *c, double share);

/* The motion from the fraction `share_before` of the frame to `share_behind`. */
collider_motion collider_motion_make(const collider_entry *c, contact_settings settings, double share_before,
                                     double share_behind);

/* For the current pose of a collider: the surface point nearest to a position, and the outward unit normal
   there. */
typedef struct collider_touch {
  msd_vec3 point, normal;
} collider_touch;

collider_touch collider_find_touch(const collider_entry *c, msd_vec3 place);

#endif
