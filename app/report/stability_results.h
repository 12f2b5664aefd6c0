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
  double linearized_limit;
  /* s: the step that the ladder is around. */
  double center;
  /* s of every run. */
  double duration;
  /* s: the substep of the reference; 0: there is none. */
  double reference;
  /* s of wall time: of these runs, and of all of them; 0: unknown, since it is short. */
  double expected, expected_in_full;
  /* Runs are fewer and shorter, so that they end in time. */
  bool is_short;
  /* m. */
  double disturbance;
  int rungs;
  /* Steps over center, ascending. */
  double factor[STABILITY_RUNGS_MAX];
  stability_run runs[MSD_INTEGRATOR_COUNT][STABILITY_RUNGS_MAX];
  /* Runs made: a short test stops at the first failure, or where its time is over. */
  int done[MSD_INTEGRATOR_COUNT];
  /* Its time was over: runs may be stable at longer substeps than measured. */
  bool is_cut[MSD_INTEGRATOR_COUNT];
  double
      /* s: where runs stop being stable; 0: before the first rung; INFINITY: beyond the last. */
      measured[MSD_INTEGRATOR_COUNT];
} stability_results;

/* In the order in which they are shown: the default one first. */
extern const msd_integrator stability_order[MSD_INTEGRATOR_COUNT];

/* How many runs of which length, and how long they take; and the head of the table. */
void stability_results_print_head(const stability_results *r);
void stability_results_print_columns(void);

/* The row of an integrator whose runs are done or out of time, and with `all_runs` a row for each run. */
void stability_results_print_integrator(const stability_results *r, msd_integrator integrator, bool all_runs);

/* Whether no run below a predicted limit failed. */
bool stability_results_hold(const stability_results *r);

/* The verdict on all runs, and what the table leaves out. */
void stability_results_print_notes(const stability_results *r, bool all_runs);
bool stability_results_write_csv(const stability_results *r, const char *path, problem *p);
bool stability_results_plot(const stability_results *r, const char *path, problem *p);

#endif
