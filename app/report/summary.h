/* What a run has to say at its end, for people and for programs. */
#ifndef MSD_APP_REPORT_SUMMARY_H
#define MSD_APP_REPORT_SUMMARY_H

#include "app/report/certificate.h"
#include "app/report/stretch.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* A run of a scene. Counts, time and wall time are of the whole run, the parts before a resume included. */
typedef struct run_report {
  const scene *scene;
  int64_t frames, frames_wanted; /* done, and asked for */
  int64_t steps;                 /* substeps done */
  int substeps, substeps_least;  /* the most and the fewest that a frame took */
  double time, time_step;        /* s simulated; s of a frame */
  double wall_seconds;           /* spent stepping */
  int64_t resumed_from;          /* frame; -1: not resumed */
  bool diverged, interrupted, failed;
  stretch_outcome stretch;
  msd_stats stats;
  certificate certificate; /* at the start */
} run_report;

/* springs * steps / wall_seconds; 0 while no time has passed. */
double run_report_rate(const run_report *report);

void summary_print(const run_report *report, FILE *stream);

/* One JSON object. Numbers that are not finite are null. False when memory is short. */
bool summary_print_json(const run_report *report, FILE *stream);

/* A JSON number, or null when the value is not finite: JSON has no other word for it. */
json_t *json_number(double value);

/* An index, or null when it is negative: there is none. */
json_t *json_index(int32_t index);

const char *precision_name(void);

#endif
