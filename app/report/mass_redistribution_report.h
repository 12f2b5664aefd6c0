/* The effect of mass redistribution on the substeps of a scene. */
#ifndef MSD_APP_REPORT_MASS_REDISTRIBUTION_REPORT_H
#define MSD_APP_REPORT_MASS_REDISTRIBUTION_REPORT_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* One line that begins with `label`, for a scene with mass redistribution; nothing for others. */
void mass_redistribution_report_print(const scene *s, const char *label, FILE *stream);

/* Adds "mass_redistribution", null without mass redistribution. Nonzero when memory was short. */
int mass_redistribution_report_json(const scene *s, json_t *object);

#endif
