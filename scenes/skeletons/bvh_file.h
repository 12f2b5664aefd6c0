/* Figures and how they move, from BVH files, which most programs for motion capture write. */
#ifndef MSD_SCENES_SKELETONS_BVH_FILE_H
#define MSD_SCENES_SKELETONS_BVH_FILE_H

#include "scenes/input/scene_error.h"

#include <stdbool.h>
#include <stdint.h>

/* What a number of a frame is: a way along an axis in the unit of the file, or an angle about it in degrees. */
typedef enum bvh_channel {
  BVH_X_POSITION,
  BVH_Y_POSITION,
  BVH_Z_POSITION,
  BVH_X_ROTATION,
  BVH_Y_ROTATION,
  BVH_Z_ROTATION,
  BVH_CHANNEL_COUNT
} bvh_channel;

/* The most joints of a figure, ends included. */
enum { BVH_JOINTS_MAX = 1000 };

typedef struct bvh_joint {
  /* NULL: the end of a limb, which has no channels. */
  char *name;

  /* It stands before its children; the first is the root, whose parent is -1. */
  int32_t parent;

  /* From its parent. */
  double offset[3];

  /* In the order of the file, each at most once; where in a frame the first of them stands. */
  bvh_channel channels[BVH_CHANNEL_COUNT];
  int channel_count, first_channel;
} bvh_joint;

typedef struct bvh_data {
  bvh_joint *joints;
  int32_t joint_count;

  /* `channel_count` numbers for each frame. */
  double *numbers;
  int channel_count;
  int32_t frame_count;

  /* s */
  double frame_time;

  /* Of the bytes of the file: two files are equal when it is, as good as always. */
  uint64_t checksum;
} bvh_data;

/* False with the error filled, which names the line; then *out is empty. */
bool bvh_file_read(const char *path, bvh_data *out, scene_error *error);

void bvh_data_free(bvh_data *data);

#endif
