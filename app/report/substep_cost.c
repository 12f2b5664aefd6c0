#include "app/report/substep_cost.h"

#include "app/base/progress.h"

#include <math.h>

static const double TRIAL_SECONDS = 0.05;
enum { TRIAL_SUBSTEPS = 16 };

double substep_cost_measure(const msd_world *world, int threads, double substep) {
  msd_world *copy = NULL;
  double least = INFINITY;
  bool steps = msd_copy_world(world, &copy) == MSD_OK && msd_world_set_thread_count(copy, threads) == MSD_OK;
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
