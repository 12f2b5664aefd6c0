/* The stability report of a scene, for people and for programs. */
#ifndef MSD_APP_REPORT_STABILITY_REPORT_H
#define MSD_APP_REPORT_STABILITY_REPORT_H

#include "app/base/message.h"
#include "app/report/limiting.h"
#include "app/report/softening_table.h"
#include "app/report/step_parts.h"

#include <jansson.h>
#include <stdio.h>

typedef struct stability_report {
  /* Of a frame of the scene. */
  msd_stability_explanation why;
  limiting_class limiting;
  /* Of a frame, that msd run takes with the settings of the scene; 0: it refuses, since no number is stable. */
  int32_t run_substeps;
  step_parts parts;
  softening_table softening;
  /* Whether the substeps that a run takes are energy-safe. */
  bool is_energy_safe;
  /* s: the estimate in the current configuration; below 0: was not requested. */
  double linearized_limit;
} stability_report;

/* A small scene gets its estimate of the limit in the current configuration in any case: it takes a moment. */
bool stability_report_make(const scene *s, bool with_estimate, stability_report *out, problem *p);

/* A paragraph: the limits, their causes, and the remedies. */
void stability_report_print(const scene *s, const stability_report *report, FILE *stream);

/* "46 substeps per frame (0.362 ms each), stable in every configuration". */
void stability_report_describe(const scene *s, const stability_report *all, char *text, size_t size);

/* "limit 0.3625 ms, set by the stretch springs of curtain (500 N/m, all 8,064 alike)"; "" when nothing limits.
   */
void stability_report_describe_limit(const scene *s, const stability_report *all, char *text, size_t size);

/* "estimate at rest: 3.9 % below pins, more at corners"; "" where nothing hangs from a pin. */
void stability_report_describe_stretch(const scene *s, const stability_report *report, char *text,
                                       size_t size);

/* Whether the total energy can rise within a substep, and an energy mode could bound it. */
bool stability_report_may_gain_energy(const scene *s, const stability_report *all);

/* s: of a run. */
double stability_report_substep(const stability_report *all);

/* Adds everything to a JSON object, named as in msd_stability; numbers that are not finite are null. The static
   stretches are those at the substep that a run of the scene takes. Nonzero when memory was short. */
int stability_report_json(const scene *s, const stability_report *report, json_t *object);

/* "in every configuration", or the configurations for which it is proven. */
const char *stability_report_shapes(const msd_stability *report);

/* "dihedral constraint 12, whose first corner is ...". */
void stability_report_constraint(const scene *s, int32_t constraint, char *text, size_t size);

#endif
