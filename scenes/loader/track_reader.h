/* Keyframes. */
#ifndef MSD_SCENES_LOADER_TRACK_READER_H
#define MSD_SCENES_LOADER_TRACK_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/animation.h"

/* Any time of a world, in s. */
extern const quantity quantity_time;

/* Reads "time", a list of two times that `text` tells about; an absent one leaves both as they are. */
bool times_read(const json_place *object, const char *key, const char *text, double *begin, double *end);

/* The words of a list of keys. */
typedef struct track_words {
  /* The member that is the list, and what each key calls its offset. */
  const char *list, *offset;

  /* Whether the offset is a point, relative to the origin of the scene. */
  bool is_point;

  /* Whether keys may have a "rotation", in degrees. */
  bool turns;
} track_words;

/* Reads a list of keys: each has a "time"; what else it leaves out is as in *standard. The keys of *track are
   to be freed. */
bool track_read(const json_place *object, const track_words *words, const scene_key *standard,
                scene_track *track);

#endif
