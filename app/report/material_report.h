/* What the materials of a scene have become. */
#ifndef MSD_APP_REPORT_MATERIAL_REPORT_H
#define MSD_APP_REPORT_MATERIAL_REPORT_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* A paragraph for each body of a material, behind a heading; nothing without any. */
void material_report_print(const scene *s, FILE *stream);

/* Adds a "material" to the object of a body that has one. Nonzero when memory was short. */
int material_report_json(const scene *s, const scene_body *body, json_t *object);

#endif
