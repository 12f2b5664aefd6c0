/* What msd info reports of a scene. */
#ifndef MSD_APP_REPORT_INFO_H
#define MSD_APP_REPORT_INFO_H

#include "app/base/message.h"
#include "app/report/memory_report.h"
#include "app/report/method.h"
#include "app/report/stability_report.h"
#include "scenes/loader/scene.h"

#include <stdio.h>

typedef struct scene_info {
  const scene *scene;
  msd_stats stats;
  msd_components components;
  stability_report stability;
  /* Springs of each law. */
  int32_t laws[MSD_SPRING_LAW_COUNT];
  int32_t constraint_kinds[MSD_CONSTRAINT_KIND_COUNT];
  /* Springs that can tear, those of them that split particles, and those that can yield. */
  int32_t tearable, splitting, yielding;
  memory_report memory;
  method_choice method;
} scene_info;

/* Estimates the limit in the current configuration of large scenes too where `with_estimate`. */
bool info_make(scene *s, bool with_estimate, scene_info *out, problem *p);

/* At most 12 lines. */
void info_print(const scene_info *all, FILE *stream);

/* The lines of `msd info --details`. */
void info_print_details(const scene_info *all, FILE *stream);

/* One JSON object. False when memory is short. */
bool info_print_json(const scene_info *all, FILE *stream);

/* Pinned particles of a body. */
int32_t info_count_pinned(const scene *s, const scene_body *body);

#endif
