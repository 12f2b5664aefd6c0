/* msd stability: the predicted limit of a scene against what really happens. */
#include "app/commands.h"

#include "app/base/gnuplot.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/output_file.h"
#include "app/base/progress.h"
#include "app/base/scene_input.h"
#include "app/report/stability_results.h"

#include <math.h>
#include <string.h>

static const char command[] = "stability";

enum { OPTION_TIME = OPTIONS_FIRST_ID, OPTION_DISTURBANCE, OPTION_CSV, OPTION_PLOT };

typedef struct stability_options {
  const char *scene, *csv, *plot;
  /* s; 0: LIMIT_STEPS of the certified limit, but no more than the scene's, and LIMIT_STEPS_MIN at least. */
  double duration;
  /* m; negative: RELATIVE_DISTURBANCE of the mean rest length. */
  double disturbance;
} stability_options;

/* Around the certified limit and far beyond it. */
static const double ladder[] = {0.125, 0.25, 0.5, 0.7, 0.8, 0.9, 0.98, 1.02, 1.1, 1.25, 1.5,
                                1.75,  2,    2.5, 3,   4,   6,   8,    12,   16,  24,   32};
enum { RUNGS = sizeof ladder / sizeof *ladder };
_Static_assert(sizeof ladder / sizeof *ladder <= STABILITY_RUNGS_MAX, "the results have room for the ladder");

static const double LIMIT_STEPS = 1000, LIMIT_STEPS_MIN = STABILITY_STEPS_MIN;
/* Than the certified limit. */
static const double REFERENCE_FINER = 16;
static const double RELATIVE_DISTURBANCE = 1e-3;
/* Of the measured limit. */
static const double PRECISION = 1e-3;

static int read_options(int argc, char **argv, stability_options *o) {
  static const option_spec specs[] = {
      {OPTION_TIME, "time", "SECONDS", "time that every run simulates, above 0",
       "1000 certified steps; 300 or more, at most the scene's"},
      {OPTION_DISTURBANCE, "disturbance", "METRES",
       "particles are moved by up to that at the start, 0 or more", "0.001 of the mean rest length"},
      {OPTION_CSV, "csv", "FILE", "write the runs as CSV", NULL},
      {OPTION_PLOT, "plot", "FILE", "draw them as .svg or .png", NULL},
  };
  static const command_line line = {
      .name = command,
      .operand = "SCENE",
      .summary =
          "Runs a scene with every integrator at time steps around its predicted limit and far beyond, and\n"
          "tells what happens: stable, unstable (the energy grows) or diverged (no longer finite), and "
          "when.\n"
          "SCENE is a scene file, or the name of one that ships ('msd list').",
      .options = specs,
      .option_count = (int)(sizeof specs / sizeof *specs),
      .notes =
          "stretch: the largest seen. energy, position: at the end, against a run of velocity_verlet at "
          "1/16\n"
          "of the certified limit; energy as a part of the largest kinetic and elastic energy, position as\n"
          "the root mean square over particles. wall/s: seconds of one thread for each simulated second.\n"
          "A run takes 300 steps at least: what grows slowly would not be seen in fewer. Those of long steps "
          "last\n"
          "longer than the reference, and are not compared with it.\n"
          "Springs whose stiffness follows the step (coefficients, --limit) leave nothing to compare.\n"
          "exit status: 0 done; 1 a file cannot be written; 2 bad usage or input."};
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    if (id == OPTION_CSV)
      o->csv = reader.value;
    else if (id == OPTION_PLOT)
      o->plot = reader.value;
    else if (id == OPTION_TIME && !option_take_seconds(&reader, false, &o->duration))
      return OPTIONS_BAD;
    else if (id == OPTION_DISTURBANCE &&
             !(parse_number(reader.value, &o->disturbance) && o->disturbance >= 0)) {
      option_refuse(&reader, "a number of metres, 0 or more");
      return OPTIONS_BAD;
    }
  }
  o->scene = reader.operand;
  return id;
}

/* Returns the exit status. */
static int check_outputs(const stability_options *o, problem *p) {
  if (o->csv != NULL && o->plot != NULL && strcmp(o->csv, o->plot) == 0) {
    problem_set(p, "--csv and --plot are both '%s'; name two files", o->csv);
    return STATUS_BAD_INPUT;
  }
  if ((o->csv != NULL && !output_file_check(o->csv, p)) ||
      (o->plot != NULL && !output_file_check(o->plot, p)))
    return STATUS_FAILED;
  return o->plot == NULL || gnuplot_check(o->plot, p) ? STATUS_DONE : STATUS_BAD_INPUT;
}

static double mean_rest_length(const msd_world *world) {
  const int32_t count = msd_world_get_spring_count(world);
  double sum = 0;
  for (int32_t e = 0; e < count; e++)
    sum += (double)msd_spring_get_def(world, e).rest_length;
  return count > 0 ? sum / count : 1;
}

static bool has_coefficient_springs(const msd_world *world) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    if (msd_spring_get_def(world, e).law == MSD_SPRING_COEFFICIENT)
      return true;
  return false;
}

/* Fills in all but the runs. */
static bool plan(const scene *s, const stability_options *o, stability_results *r, problem *p) {
  *r = (stability_results){.scene = s, .rungs = RUNGS};
  memcpy(r->factor, ladder, sizeof ladder);
  msd_result result = msd_world_stability(s->world, (msd_real)s->time_step, &r->predicted);
  if (result == MSD_OK)
    result = msd_world_estimate_this_shape(s->world, (msd_real)s->time_step, &r->this_shape);
  if (result != MSD_OK)
    return problem_set(p, "%s: a time step of %g s: %s", s->path, s->time_step, msd_result_string(result));
  const double limit = r->predicted.stable_time_step;
  r->center = isfinite(limit) && limit > 0 ? limit : s->time_step / (s->substeps > 0 ? s->substeps : 1);
  r->duration = o->duration > 0 ? o->duration : fmin(s->duration, LIMIT_STEPS * r->center);
  if (o->duration == 0 && s->duration > 0)
    r->duration = fmax(r->duration, LIMIT_STEPS_MIN * r->center);
  if (!(r->duration > 0))
    return problem_set(p, "%s: lasts no time; give --time SECONDS", s->path);
  r->disturbance = o->disturbance >= 0 ? o->disturbance : RELATIVE_DISTURBANCE * mean_rest_length(s->world);
  return true;
}

/* Where an integrator stops being stable: between the last rung before the first failure, and that. */
static double measure(stability_map *map, const stability_results *r, msd_integrator integrator) {
  int failed = 0;
  while (failed < r->rungs && r->runs[integrator][failed].outcome == STABILITY_STABLE)
    failed++;
  if (failed == 0)
    return 0;
  if (failed == r->rungs)
    return INFINITY;
  return stability_map_measure(map, integrator, r->center * r->factor[failed - 1],
                               r->center * r->factor[failed], PRECISION);
}

static bool run_all(stability_results *r, problem *p) {
  const scene *s = r->scene;
  const bool comparable =
      !has_coefficient_springs(s->world) && msd_world_get_limit(s->world) == MSD_LIMIT_NONE;
  const stability_map_def def = {.duration = r->duration,
                                 .reference_step = comparable ? r->center / REFERENCE_FINER : 0,
                                 .disturbance = r->disturbance};
  msd_result result;
  stability_map *map = stability_map_open(s->world, &def, &result);
  if (map == NULL)
    return problem_set(p, "%s: the reference run: %s", s->path, msd_result_string(result));
  progress bar = progress_begin(s->name);
  progress_state state = {.frames = MSD_INTEGRATOR_COUNT * (RUNGS + 1)};
  const double began = progress_clock();
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    for (int i = 0; i < r->rungs; i++) {
      r->runs[integrator][i] = stability_map_run(map, integrator, r->center * r->factor[i]);
      state.frame++;
      state.seconds = progress_clock() - began;
      progress_update(&bar, &state);
    }
    r->measured[integrator] = measure(map, r, integrator);
    state.frame++;
  }
  progress_clear(&bar);
  stability_map_close(map);
  return true;
}

static bool write_outputs(const stability_results *r, const stability_options *o, problem *p) {
  if (o->csv != NULL && !stability_results_write_csv(r, o->csv, p))
    return false;
  return o->plot == NULL || stability_results_plot(r, o->plot, p);
}

int command_stability(int argc, char **argv) {
  stability_options options = {.disturbance = -1};
  const int id = read_options(argc, argv, &options);
  if (id == OPTIONS_HELP)
    return STATUS_DONE;
  if (id != OPTIONS_END)
    return STATUS_BAD_INPUT;
  problem p;
  int status = check_outputs(&options, &p);
  if (status != STATUS_DONE) {
    message_error(command, "%s", p.text);
    return status;
  }
  scene *s = scene_input_load(command, options.scene);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  static stability_results results;
  if (!plan(s, &options, &results, &p) || !run_all(&results, &p))
    status = STATUS_BAD_INPUT;
  else {
    scene_input_warn(command, s);
    stability_results_print(&results);
    if (!write_outputs(&results, &options, &p))
      status = STATUS_FAILED;
  }
  if (status != STATUS_DONE)
    message_error(command, "%s", p.text);
  scene_free(s);
  return status;
}
