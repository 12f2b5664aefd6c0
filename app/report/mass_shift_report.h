/* What moving the mass of bodies has done for the substeps of a scene. */
#ifndef MSD_APP_REPORT_MASS_SHIFT_REPORT_H
#define MSD_APP_REPORT_MASS_SHIFT_REPORT_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* One line, of a scene in which mass may be moved; nothing of others. */
void mass_shift_report_print(const scene *s, FILE *stream);

/* Adds "mass_shift", null where nothing may be moved. Nonzero when memory was short. */
int mass_shift_report_json(const scene *s, json_t *object);

#endif
