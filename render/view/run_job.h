/* A few steps of a scene while the user drags something. They end when their time is up. */
#ifndef MSD_RENDER_VIEW_RUN_JOB_H
#define MSD_RENDER_VIEW_RUN_JOB_H

#include "render/view/hand.h"
#include "scenes/loader/scene.h"

typedef struct run_job {
  const scene *scene;
  /* s. */
  double frame_time;
  /* 0: automatic. */
  int substeps;
  int steps;
  /* s of real time after which no further step is started. */
  double patience;
  /* hand_step is called before each step. */
  hand *hand;
} run_job;

typedef struct run_report {
  /* The result of the last step. */
  msd_result result;
  /* The number of steps taken. */
  int steps;
  /* s: the real time that they took, and the processor time of the thread, which is less when drawing competes
     for the processor. */
  double seconds, own_seconds;
} run_report;

run_report run_job_do(const run_job *job);

#endif
