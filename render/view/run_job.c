#include "render/view/run_job.h"

#include "render/view/clock.h"

run_report run_job_do(const run_job *job) {
  run_report report = {.result = MSD_OK};
  double start = clock_now(), own_start = clock_of_thread();
  while (report.steps < job->steps && report.result == MSD_OK && report.seconds < job->patience) {
    hand_step(job->hand, job->scene->world, job->frame_time);
    report.result = scene_step(job->scene, job->frame_time, job->substeps);
    report.steps += report.result == MSD_OK;
    report.seconds = clock_now() - start;
    report.own_seconds = clock_of_thread() - own_start;
  }
  return report;
}
