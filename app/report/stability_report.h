/* The stability report of a scene, for people and for programs. */
#ifndef MSD_APP_REPORT_STABILITY_REPORT_H
#define MSD_APP_REPORT_STABILITY_REPORT_H

#include "app/base/message.h"
#include "app/report/softening_table.h"
#include "app/report/step_parts.h"

#include <jansson.h>
#include <stdio.h>

typedef struct stability_report {
  /* Of a frame of the scene. */
  msd_stability_explanation why;
  /* Of a frame, that msd run takes as the scene is; 0: it refuses, since none is certified. */
  int32_t run_substeps;
  step_parts parts;
  softening_table softening;
  /* Whether the substeps that a run takes are energy-safe. */
  bool is_energy_safe;
  /* s: the estimate at the present positions; below 0: was not asked for. */
  double this_shape;
} stability_report;

/* A small scene gets its estimate of the limit at the present positions unasked: nobody waits for it. */
bool stability_report_make(const scene *s, bool with_estimate, stability_report *out, problem *p);

/* A paragraph: the limits, what limits and why, and what would help. */
void stability_report_print(const scene *s, const stability_report *report, FILE *stream);

/* Adds everything to a JSON object, named as in msd_stability; numbers that are not finite are null. The static
   stretches are those at the substep that a run of the scene takes. Nonzero when memory was short. */
int stability_report_json(const scene *s, const stability_report *report, json_t *object);

/* Why the limiting spring or constraint limits, as a part of a sentence: "an end of that spring has 0.01 of
   the typical mass"; "" when nothing limits. */
void stability_report_cause(const msd_stability_cause *why, char *text, size_t size);

/* "at every shape of the network", or what else its certificate is for. */
const char *stability_report_shapes(const msd_stability *report);

/* Which constraint it is: "dihedral constraint 12, whose first corner is ...". */
void stability_report_constraint(const scene *s, int32_t constraint, char *text, size_t size);

#endif
