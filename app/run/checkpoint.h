/* Checkpoints of a run: a snapshot of the world with what the run itself needs to go on. A file is replaced
   whole and only when the new one is safely on the disk. Where each of several processes has a part of the
   scene, all of them call these functions together, which end alike on all, and the file is that of one
   process. */
#ifndef MSD_APP_RUN_CHECKPOINT_H
#define MSD_APP_RUN_CHECKPOINT_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

/* The state of a run beside the world. */
typedef struct checkpoint {
  /* Frames done. */
  int64_t frame;
  /* s: that the run is to simulate in all, and of a frame. */
  double duration, frame_time;
  /* Of a frame; 0: auto. */
  int32_t substeps;
  /* s spent stepping so far. */
  double wall_seconds;
} checkpoint;

/* Whole numbers are exact in a double up to here, and so is the time of a frame. */
#define CHECKPOINT_FRAMES_MAX INT64_C(9000000000000000)

/* A checksum of all that a scene file defines, taken from the world before its first step. 0 when memory is
   short. */
uint64_t checkpoint_fingerprint(const scene *s);

/* Writes the run of scene `s`, whose fingerprint was taken before it began, to `path`. */
bool checkpoint_save(const char *path, const scene *s, uint64_t fingerprint, const checkpoint *c, problem *p);

/* Reads `path` into *c and the world of `s`. False, with the world as it was and *p filled, when the file
   cannot be read, is cut or corrupted, or belongs to another scene or precision. */
bool checkpoint_load(const char *path, scene *s, uint64_t fingerprint, checkpoint *c, problem *p);

#endif
