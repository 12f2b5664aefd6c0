/* A collider in one substep, in the numbers that the step uses. */
#ifndef MSD_ENGINE_COLLIDER_MOTION_H
#define MSD_ENGINE_COLLIDER_MOTION_H

#include "engine/store/collider.h"

typedef struct collider_motion {
  /* By its index. */
  int32_t collider;
  msd_collider_kind kind;
  /* The frame at the beginning of the substep: its origin in m, and its axes as columns. */
  msd_vec3 origin, axis[3];
  /* What the substep adds to both; and to the normals, which those of a sphere have nothing of. */
  bool moves, turns;
  msd_vec3 shift, turn[3], swing[3];

  /* Of a plane. */
  msd_vec3 normal;
  /* Of a box: half of its sides. */
  msd_vec3 half;
  /* Of a capsule: where its line begins, the unit vector along it (0: it has no length), one across it, and how
     long it is; of a sphere a line without length. */
  msd_vec3 from, along, across;
  msd_real length;
  /* Of both; else 0. */
  msd_real radius;

  msd_real friction;
  /* m: no point of it moves further in the substep; infinite of a plane that turns. */
  msd_real reach;
} collider_motion;

/* From `share_before` of the step to `share_behind`. */
collider_motion collider_motion_make(const collider_entry *c, contact_settings settings, double share_before,
                                     double share_behind);

/* Of a collider that stands where it now is: the point of its surface nearest to a place, and the unit vector
   that leads out of it there. */
typedef struct collider_touch {
  msd_vec3 point, normal;
} collider_touch;

collider_touch collider_find_touch(const collider_entry *c, msd_vec3 place);

#endif
