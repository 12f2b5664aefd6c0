#include "app/run/frame_start.h"

#include "app/base/progress.h"

#include <stdlib.h>

/* A shorter frame is waited for. */
static const double LONG_FRAME_SECONDS = 0.5;

/* Snapshots may take this part of the time of a run. */
static const double SHARE_MAX = 0.02;

bool frame_start_keep(frame_start *start, const msd_world *world, double expected) {
  if (expected < LONG_FRAME_SECONDS || start->seconds > SHARE_MAX * expected)
    return false;
  const double before = progress_clock();
  const size_t bound = msd_world_get_save_bound(world);
  if (bound > start->capacity) {
    frame_start_free(start);
    start->snapshot = malloc(bound);
    start->capacity = start->snapshot != NULL ? bound : 0;
  }
  const bool kept = start->snapshot != NULL &&
                    msd_world_save(world, start->snapshot, start->capacity, &start->size) == MSD_OK;
  start->seconds = progress_clock() - before;
  return kept;
}

msd_result frame_start_restore(const frame_start *start, msd_world *world) {
  return msd_world_restore(world, start->snapshot, start->size);
}

void frame_start_free(frame_start *start) {
  free(start->snapshot);
  *start = (frame_start){.seconds = start->seconds};
}
