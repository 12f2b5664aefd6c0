/* A figure as it stands in a scene: the skeleton of a BVH file, scaled, turned and placed, and where its joints
   are at any time of the world. */
#ifndef MSD_SCENES_LOADER_SKELETON_H
#define MSD_SCENES_LOADER_SKELETON_H

#include <msd/msd.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct skeleton_joint {
  /* NULL: the end of a limb. */
  char *name;

  /* It stands before its children; of the first, the root: -1. */
  int32_t parent;

  /* m: from its parent, in the frame of that; 0 of the root. */
  double offset[3];

  /* Which of the rotations of a frame is its own; -1: it does not turn. */
  int32_t turn;
} skeleton_joint;

/* Where the frame of a joint is, and its rotation as a unit quaternion w, x, y, z. */
typedef struct skeleton_place {
  double position[3], rotation[4];
} skeleton_place;

typedef struct skeleton {
  skeleton_joint *joints;
  int32_t joint_count;

  /* Of each frame the rotations of the joints that turn, against their parents. Others have none, so that a
     figure has no more numbers than a few for each of its file. */
  double (*rotations)[4];
  int32_t turn_count;

  /* m: of each frame where the root is. */
  double (*roots)[3];
  int32_t frame_count;

  /* s: when the first frame is; frames in a second. */
  double start, rate;

  /* Whether the first frame follows the last, which is like it, and the root goes on from where it is. */
  bool loops;

  /* Where its frame stands in the scene. */
  skeleton_place place;
} skeleton;

/* Before the first frame it holds that, and after the last one that, unless it loops. Between two frames every
   joint turns about its parent the short way, and the root goes straight: bones keep their length. Only with +
   - * / and square roots of what the figure has, so with the same bits everywhere. */
skeleton_place skeleton_joint_at(const skeleton *f, int32_t joint, double time);

/* The joint of a name; -1: there is none. */
int32_t skeleton_find_joint(const skeleton *f, const char *name);

/* As the world takes them. */
msd_vec3 skeleton_place_position(const skeleton_place *place);
msd_quaternion skeleton_place_rotation(const skeleton_place *place);

/* NULL is allowed. */
void skeleton_free(skeleton *f);

#endif
