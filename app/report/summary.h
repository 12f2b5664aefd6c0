/* What a run has to say at its end, for people and for programs. */
#ifndef MSD_APP_REPORT_SUMMARY_H
#define MSD_APP_REPORT_SUMMARY_H

#include "app/report/certificate.h"
#include "app/report/energy_ledger.h"
#include "app/report/intersection_tally.h"
#include "app/report/method.h"
#include "app/report/stretch.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* A run of a scene. Counts, time and wall time are of the whole run, the parts before a resume included. */
typedef struct run_report {
  const scene *scene;
  /* Done, and asked for. */
  int64_t frames, frames_wanted;
  /* Substeps done. */
  int64_t steps;
  /* The most and the fewest that a frame took. */
  int substeps, substeps_least;
  /* s simulated; s of a frame. */
  double time, time_step;
  /* Spent stepping. */
  double wall_seconds;
  /* Frame; -1: not resumed. */
  int64_t resumed_from;
  bool diverged, interrupted, failed;
  stretch_outcome stretch;
  method_choice method;
  msd_stats stats;
  const energy_ledger *ledger;
  const intersection_tally *intersections;
  /* At the start. */
  certificate certificate;
  /* Each process had a part alone: without certificate, and without the place of the spring that is stretched
     most. */
  bool in_parts;
} run_report;

/* springs * steps / wall_seconds; 0 while no time has passed. */
double run_report_rate(const run_report *report);

void summary_print(const run_report *report, FILE *stream);

/* One JSON object. Numbers that are not finite are null. False when memory is short. */
bool summary_print_json(const run_report *report, FILE *stream);

#endif
