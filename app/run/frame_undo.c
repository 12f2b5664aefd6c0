#include "app/run/frame_undo.h"

#include "app/base/progress.h"
#include "app/report/substep_cost.h"

#include <stdlib.h>

/* A shorter frame is waited for. */
static const double LONG_FRAME_SECONDS = 0.5;

/* To keep them may take this part of the time of a run. */
static const double SHARE_MAX = 0.02;

/* Events change springs and particles, and seams rest lengths, which states do not have. */
static bool is_all_in_states(const scene *s) {
  return s->animation.event_count == 0 && s->animation.seam_count == 0 &&
         substep_cost_states_suffice(s->world);
}

static bool save(frame_undo *start, const msd_world *world) {
  return (start->is_state ? msd_world_save_state(world, start->saved, start->capacity, &start->size)
                          : msd_world_save(world, start->saved, start->capacity, &start->size)) == MSD_OK;
}

bool frame_undo_keep(frame_undo *start, const scene *s, double expected) {
  if (expected < LONG_FRAME_SECONDS || start->seconds > SHARE_MAX * expected)
    return false;
  const double before = progress_clock();
  size_t bound = 0;
  start->is_state = is_all_in_states(s);
  if (!start->is_state)
    bound = msd_world_get_save_bound(s->world);
  else if (msd_world_save_state(s->world, NULL, 0, &bound) != MSD_OK)
    return false;
  if (bound > start->capacity) {
    free(start->saved);
    start->saved = malloc(bound);
    start->capacity = start->saved != NULL ? bound : 0;
  }
  const bool kept = start->saved != NULL && save(start, s->world);
  start->seconds = progress_clock() - before;
  return kept;
}

msd_result frame_undo_restore(const frame_undo *start, msd_world *world) {
  return start->is_state ? msd_world_restore_state(world, start->saved, start->size)
                         : msd_world_restore(world, start->saved, start->size);
}

void frame_undo_free(frame_undo *start) {
  free(start->saved);
  *start = (frame_undo){.seconds = start->seconds};
}
