/* The summary of a run, for people and for programs. */
#ifndef MSD_APP_REPORT_SUMMARY_H
#define MSD_APP_REPORT_SUMMARY_H

#include "app/report/certificate.h"
#include "app/report/energy_ledger.h"
#include "app/report/intersection_tally.h"
#include "app/report/method.h"
#include "app/report/stretch.h"
#include "app/report/warnings.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* A run of a scene. Counts, time and wall time are of the whole run, including what came before a resume. */
typedef struct run_report {
  const scene *scene;
  /* Done, and requested. */
  int64_t frames, frames_wanted;
  /* Substeps done. */
  int64_t steps;
  /* The most and the fewest that a frame took. */
  int substeps, substeps_least;
  /* s simulated; s of a frame. */
  double time, frame_time;
  /* Spent stepping. */
  double wall_seconds;
  /* Frame; -1: not resumed. */
  int64_t resumed_from;
  /* `diverged`: not finite; `unstable`: that, or finite and far too large. */
  bool diverged, unstable, interrupted, failed;
  stretch_outcome stretch;
  method_choice method;
  msd_stats stats;
  const energy_ledger *ledger;
  const intersection_tally *intersections;
  /* At the start. */
  certificate certificate;
  /* NULL: not collected. */
  const warning_list *warnings;
  /* Each process had a subdomain alone: without certificate, and without the place of the spring that is
     stretched most. */
  bool in_parts;
} run_report;

/* springs * steps / wall_seconds; 0 while no time has passed. */
double run_report_rate(const run_report *report);

/* Springs clamped at this substep; 0 without stiffness clamping. */
int32_t run_report_clamped(const run_report *report);

/* Nothing for a run that was unstable: its numbers mean nothing. */
void summary_print(const run_report *report, bool with_details, FILE *stream);

/* Part of summary_print. */
void summary_print_details(const run_report *report, FILE *stream);

/* One JSON object. Numbers that are not finite are null. False when memory is short. */
bool summary_print_json(const run_report *report, FILE *stream);

#endif
