/* The causes of the substeps of a scene: the number that it would need without damping, and without bending. */
#ifndef MSD_APP_REPORT_STEP_PARTS_H
#define MSD_APP_REPORT_STEP_PARTS_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

typedef struct step_parts {
  /* Stable for a frame of the scene; 0: no number is, or no memory to find it. */
  int32_t all, undamped, unbent;
  /* Whether it has any damping in N s/m, and anything that resists bending. */
  bool is_damped, is_bent;
} step_parts;

/* Several times as much work as finding the substeps. */
step_parts step_parts_find(const scene *s);

/* One or two lines; none where neither costs a substep. */
void step_parts_print(const step_parts *parts, FILE *stream);

/* Adds substeps_undamped and substeps_unbent. Nonzero when memory was short. */
int step_parts_json(const step_parts *parts, json_t *object);

#endif
