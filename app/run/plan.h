/* The plan of a run: its duration, its frames and substeps, its first frame. From the command line, else from
   the checkpoint of a resumed run, else from the scene. */
#ifndef MSD_APP_RUN_PLAN_H
#define MSD_APP_RUN_PLAN_H

#include "app/base/message.h"
#include "app/report/method.h"
#include "app/report/stretch.h"
#include "app/run/run_options.h"
#include "scenes/loader/scene.h"

typedef struct run_plan {
  /* s: of the whole run, and of a frame. */
  double duration, frame_time;
  /* Of a frame, as msd_world_step takes them: 0 is auto. */
  int substeps;
  /* Where the run begins, which is later than 0 after a resume, and where it ends. */
  int64_t first_frame, frames;
  /* s spent stepping before a resume. */
  double wall_seconds;
  /* Of the scene; 0 for a run without checkpoints. */
  uint64_t fingerprint;
  stretch_outcome stretch;
  /* Of --solver auto. */
  method_choice method;
} run_plan;

/* Also brings the world of the scene to where the run begins, with the settings that it runs with. */
bool run_plan_make(run_plan *plan, const run_options *options, scene *s, problem *p);

/* Whether a checkpoint is due after a frame that is not the last, so many seconds after the one before. */
bool run_plan_save_is_due(const run_plan *plan, const run_options *options, int64_t frame, double seconds);

/* Writes the checkpoint of the options; see checkpoint_save. */
bool run_plan_save(const run_plan *plan, const run_options *options, const scene *s, int64_t frame,
                   double wall_seconds, problem *p);

/* s: the simulated time at the end of that many frames. */
static inline double run_plan_time(const run_plan *plan, int64_t frame) {
  return (double)frame * plan->frame_time;
}

#endif
