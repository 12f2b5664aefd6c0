/* A contact trial of a scene at another resolution. */
#ifndef MSD_BENCH_RESOLVED_TRIAL_H
#define MSD_BENCH_RESOLVED_TRIAL_H

#include "bench/contact_trial.h"
#include "scenes/loader/scene.h"

typedef struct resolved_trial {
  contact_trial trial;
  scene *of;
  int32_t *triangles, *segments;
} resolved_trial;

/* False with *error filled if the scene cannot be loaded. Close it in any case. */
bool resolved_trial_open(const char *name_or_path, int32_t side, resolved_trial *out, scene_error *error);
void resolved_trial_close(resolved_trial *t);

#endif
