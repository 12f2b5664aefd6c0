/* The results of `msd stability`, as a table, as CSV and as a plot. */
#ifndef MSD_APP_REPORT_STABILITY_RESULTS_H
#define MSD_APP_REPORT_STABILITY_RESULTS_H

#include "app/base/message.h"
#include "bench/stability_map.h"
#include "scenes/loader/scene.h"

#include <stdbool.h>

enum { STABILITY_RUNGS_MAX = 32 };

typedef struct stability_results {
  const scene *scene;
  /* For a frame of the scene. */
  msd_stability predicted;
  /* s: the estimate at the shape of the start. */
  double this_shape;
  /* s: the step that the ladder is around. */
  double center;
  /* s of every run. */
  double duration;
  /* m. */
  double disturbance;
  int rungs;
  /* Steps over center, ascending. */
  double factor[STABILITY_RUNGS_MAX];
  stability_run runs[MSD_INTEGRATOR_COUNT][STABILITY_RUNGS_MAX];
  double
      /* s: where runs stop being stable; 0: before the first rung; INFINITY: beyond the last. */
      measured[MSD_INTEGRATOR_COUNT];
} stability_results;

/* In the order in which they are shown: the default one first. */
extern const msd_integrator stability_order[MSD_INTEGRATOR_COUNT];

void stability_results_print(const stability_results *r);
bool stability_results_write_csv(const stability_results *r, const char *path, problem *p);
bool stability_results_plot(const stability_results *r, const char *path, problem *p);

#endif
