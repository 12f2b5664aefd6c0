/* The state that a long frame begins with, kept while it is computed: a run that is stopped in the middle
   goes back to it, and so ends between two frames, as its files do. */
#ifndef MSD_APP_RUN_FRAME_UNDO_H
#define MSD_APP_RUN_FRAME_UNDO_H

#include "scenes/loader/scene.h"

typedef struct frame_undo {
  /* A state of the world where that has all that a frame changes, else a snapshot. */
  void *saved;
  bool is_state;
  size_t capacity, size;
  /* s that taking one takes; 0 before the first. */
  double seconds;
} frame_undo;

/* Keeps the state when a frame of about `expected` seconds of computing is worth it. False when it is not, or
   there is no memory: the frame cannot be given up. */
bool frame_undo_keep(frame_undo *start, const scene *s, double expected);

/* Takes the world back to the state that was kept last. */
msd_result frame_undo_restore(const frame_undo *start, msd_world *world);

void frame_undo_free(frame_undo *start);

#endif
