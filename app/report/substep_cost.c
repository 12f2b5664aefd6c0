#include "app/report/substep_cost.h"

#include "app/base/progress.h"

#include <math.h>
#include <stdlib.h>

static const double TRIAL_SECONDS = 0.05;
enum { TRIAL_SUBSTEPS = 16 };

/* An independent world in the same state. NULL when there is no memory. */
static msd_world *copy_world(const msd_world *world) {
  size_t size = 0;
  if (msd_world_save(world, NULL, 0, &size) != MSD_OK)
    return NULL;
  void *bytes = malloc(size);
  msd_world_def def = msd_default_world_def();
  msd_world *copy = NULL;
  if (bytes && msd_world_save(world, bytes, size, &size) == MSD_OK &&
      msd_create_world(&def, &copy) == MSD_OK && msd_world_restore(copy, bytes, size) != MSD_OK) {
    msd_destroy_world(copy);
    copy = NULL;
  }
  free(bytes);
  return copy;
}

double substep_cost_measure(const msd_world *world, int threads, double substep) {
  msd_world *copy = copy_world(world);
  double least = INFINITY;
  bool steps = copy && msd_world_set_thread_count(copy, threads) == MSD_OK;
  const double began = progress_clock();
  while (steps && progress_clock() - began < TRIAL_SECONDS) {
    const double start = progress_clock();
    steps = msd_world_step(copy, (msd_real)(substep * TRIAL_SUBSTEPS), TRIAL_SUBSTEPS) == MSD_OK;
    if (steps)
      least = fmin(least, (progress_clock() - start) / TRIAL_SUBSTEPS);
  }
  msd_destroy_world(copy);
  return isfinite(least) ? least : 0;
}
