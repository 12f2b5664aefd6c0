#include "app/report/substep_cost.h"

#include "app/base/progress.h"

#include <math.h>
#include <stdlib.h>

static const double TRIAL_SECONDS = 0.05;

/* A call that takes so long tells enough by itself. */
static const double LONG_CALL_SECONDS = 0.02;

/* In one call. A few show what several in one pass through memory take, as most of a frame are. */
enum { TRIAL_SUBSTEPS = 16, FEW_SUBSTEPS = 4 };

/* s of one of several in a call; INFINITY: it does not step. */
static double try_some(msd_world *world, double substep, int count) {
  const double start = progress_clock();
  const bool steps = msd_world_step(world, (msd_real)(substep * count), count) == MSD_OK;
  return steps ? (progress_clock() - start) / count : INFINITY;
}

/* s: the least of a moment's trials; 0: it does not step. The first lays out, and counts for nothing else. */
static double try_substeps(msd_world *world, double substep) {
  const double first = try_some(world, substep, 1);
  const int count = first * TRIAL_SUBSTEPS < TRIAL_SECONDS ? TRIAL_SUBSTEPS : FEW_SUBSTEPS;
  double least = INFINITY, last = first;
  for (double began = progress_clock(); isfinite(last);) {
    last = try_some(world, substep, count);
    least = fmin(least, last);
    if (last * count >= LONG_CALL_SECONDS || progress_clock() - began >= TRIAL_SECONDS)
      break;
  }
  return isfinite(least) ? least : 0;
}

bool substep_cost_states_suffice(const msd_world *world) {
  size_t size;
  return msd_world_save_state(world, NULL, 0, &size) == MSD_OK &&
         msd_world_get_constraint_count(world) == 0 && msd_world_get_collision_mesh_count(world) == 0 &&
         msd_world_get_collider_count(world) == 0;
}

/* In the world itself, which need not be laid out twice then. False, and nothing tried, where it may not step,
   or could not be taken back. */
static bool try_in_place(msd_world *world, double substep, double *seconds) {
  size_t size;
  if (!substep_cost_states_suffice(world) || msd_world_save_state(world, NULL, 0, &size) != MSD_OK)
    return false;
  void *state = malloc(size);
  const bool saved = state != NULL && msd_world_save_state(world, state, size, &size) == MSD_OK;
  if (saved) {
    *seconds = try_substeps(world, substep);
    if (msd_world_restore_state(world, state, size) != MSD_OK)
      *seconds = -1;
  }
  free(state);
  return saved;
}

double substep_cost_measure(msd_world *world, int threads, double substep) {
  double seconds = 0;
  msd_world *copy = NULL;
  if (msd_world_set_thread_count(world, threads) == MSD_OK && try_in_place(world, substep, &seconds))
    return seconds;
  if (msd_copy_world(world, &copy) == MSD_OK)
    seconds = try_substeps(copy, substep);
  msd_destroy_world(copy);
  return seconds;
}
