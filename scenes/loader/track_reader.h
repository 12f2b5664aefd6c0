/* Keyframes. */
#ifndef MSD_SCENES_LOADER_TRACK_READER_H
#define MSD_SCENES_LOADER_TRACK_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/timetable.h"

/* Any time of a world, in s. */
extern const quantity quantity_time;

/* Reads a member that is a list of keys: each has a "time", and may have `offset` in m and "rotation" in
   degrees, which are else as in *standard. The keys of *track are to be freed. */
bool track_read(const json_place *object, const char *key, const char *offset, const scene_key *standard,
                scene_track *track);

#endif
