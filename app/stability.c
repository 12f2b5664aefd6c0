/* msd stability: the predicted stable substep of a scene against simulations. */
#include "app/commands.h"

#include "app/base/gnuplot.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/output_file.h"
#include "app/base/progress.h"
#include "app/base/scene_input.h"
#include "app/base/units.h"
#include "app/report/stability_results.h"
#include "app/report/substep_cost.h"

#include <math.h>
#include <string.h>

static const char command[] = "stability";

enum {
  OPTION_TIME = OPTIONS_FIRST_ID,
  OPTION_DISTURBANCE,
  OPTION_TABLE,
  OPTION_CSV,
  OPTION_PLOT,
  OPTION_FULL
};

typedef struct stability_options {
  const char *scene, *csv, *plot;
  /* Print every run. */
  bool table;
  /* Make all runs, however long they take. */
  bool full;
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

/* Of a scene that takes long. */
static const double short_ladder[] = {0.5, 0.9, 0.98, 1.1, 1.5, 2, 3, 4, 8, 16, 32};
enum { SHORT_RUNGS = sizeof short_ladder / sizeof *short_ladder };

/* s of wall time: all runs are made if they take no longer; runs end then, unless they are wanted in full. */
static const double FULL_SECONDS = 60, MOST_SECONDS = 120;

static const double LIMIT_STEPS = 1000, LIMIT_STEPS_MIN = STABILITY_STEPS_MIN;
/* Than the certified limit. */
static const double REFERENCE_FINER = 16, SHORT_REFERENCE_FINER = 4;
static const double RELATIVE_DISTURBANCE = 1e-3;
/* Of the measured limit, and the runs of a bisection to it, about. */
static const double PRECISION = 1e-3, SHORT_PRECISION = 1e-2;
enum { BISECTIONS = 9, SHORT_BISECTIONS = 6 };
/* Collisions come in during a run: its substeps cost more than the first, and most where it blows up. */
static const double COLLIDING = 20, SHORT_COLLIDING = 4;

static int read_options(int argc, char **argv, stability_options *o) {
  static const option_spec specs[] = {
      {OPTION_TIME, "duration", "SECONDS", "simulated time of each run, s, above 0",
       "1000 substeps at the limit; at least 300, at most the scene's duration"},
      {OPTION_DISTURBANCE, "disturbance", "METERS",
       "largest initial displacement of a particle, m, 0 or more",
       "0.001 of the mean rest length; without springs 1 mm"},
      {OPTION_FULL, "full", NULL, "make all runs, however long they take, as with --duration",
       "runs are shortened to end within about 2 min"},
      {OPTION_TABLE, "table", NULL, "print every run", NULL},
      {OPTION_CSV, "csv", "FILE", "write every run as CSV", NULL},
      {OPTION_PLOT, "plot", "FILE", "plot the outcomes, .svg or .png", NULL},
  };
  static const command_line line = {
      .name = command,
      .operand = "SCENE",
      .summary =
          "Tests the predicted stability limit of a scene: runs it with every integrator at 22 substep\n"
          "lengths from 1/8 to 32 times the limit, and reports where runs become unstable.\n"
          "SCENE is a scene file, or the name of a built-in one ('msd list').",
      .options = specs,
      .option_count = (int)(sizeof specs / sizeof *specs),
      .notes =
          "stable up to: found by bisection. first failure: the shortest of the tried substeps that failed.\n"
          "A run is unstable if its energy grows, and diverged if numbers are no longer finite.\n"
          "Errors: at the end of the run at 0.98 of the limit, against velocity_verlet at 1/16 of it (1/4 "
          "if\n"
          "runs are shortened). Energy: relative to the largest kinetic and elastic energy. Position: root\n"
          "mean square over all particles.\n"
          "Scenes whose 110 runs would take over a minute get runs of 300 substeps at 11 lengths up to the\n"
          "first failure, and end after 2 min: --full makes all.\n"
          "A run takes at least 300 substeps, so that slow growth is seen. Runs with long substeps "
          "therefore\n"
          "last longer than the reference and are not compared with it.\n"
          "Springs whose stiffness follows the substep (coefficients, --clamp-stiffness) have no reference.\n"
          "Examples:\n"
          "  msd stability curtain\n"
          "  msd stability hanging_rope --plot map.svg\n"
          "Exit status: 0 the predictions hold; 1 a run below a predicted limit failed; 2 bad usage or\n"
          "input; 3 a file cannot be written."};
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    if (id == OPTION_CSV)
      o->csv = reader.value;
    else if (id == OPTION_PLOT)
      o->plot = reader.value;
    else if (id == OPTION_TABLE)
      o->table = true;
    else if (id == OPTION_FULL)
      o->full = true;
    else if (id == OPTION_TIME && !option_take_seconds(&reader, false, &o->duration))
      return OPTIONS_BAD;
    else if (id == OPTION_DISTURBANCE &&
             !(parse_number(reader.value, &o->disturbance) && o->disturbance >= 0)) {
      option_refuse(&reader, "a number of meters, 0 or more");
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
    return STATUS_IO;
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

/* Evaluations of all forces in a substep. */
static int evaluations(msd_integrator integrator) {
  return integrator == MSD_RK4 ? 4 : 1;
}

static double substeps_of_run(const stability_results *r, double factor) {
  return fmax(STABILITY_STEPS_MIN, r->duration / (r->center * factor));
}

/* Of all runs, in evaluations of all forces. */
static double count_work(const stability_results *r) {
  const int bisections = r->is_short ? SHORT_BISECTIONS : BISECTIONS;
  double of_each = bisections * substeps_of_run(r, 1), weights = 0;
  for (int i = 0; i < r->rungs; i++)
    of_each += substeps_of_run(r, r->factor[i]);
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    weights += evaluations((msd_integrator)n);
  return of_each * weights + (r->reference > 0 ? r->duration / r->reference : 0);
}

/* Springs whose stiffness follows the substep have no reference. */
static bool is_comparable(const msd_world *world) {
  return !has_coefficient_springs(world) && msd_world_get_clamp_stiffness(world) == false;
}

static void shorten(const scene *s, stability_results *r) {
  r->is_short = true;
  r->rungs = SHORT_RUNGS;
  memcpy(r->factor, short_ladder, sizeof short_ladder);
  r->duration = fmin(r->duration, LIMIT_STEPS_MIN * r->center);
  r->reference = is_comparable(s->world) ? r->center / SHORT_REFERENCE_FINER : 0;
}

/* Measures what a substep costs, and makes fewer runs where all would take long. */
static void fit(const scene *s, const stability_options *o, stability_results *r) {
  const bool collides =
      msd_world_get_collider_count(s->world) + msd_world_get_collision_mesh_count(s->world) > 0;
  const double each = substep_cost_measure(s->world, 1, r->center);
  r->expected = r->expected_in_full = each * (collides ? COLLIDING : 1) * count_work(r);
  if (o->full || o->duration > 0 || r->expected <= FULL_SECONDS)
    return;
  shorten(s, r);
  r->expected = fmin(each * (collides ? SHORT_COLLIDING : 1) * count_work(r), MOST_SECONDS);
}

/* Fills in all but the runs. */
static bool plan(const scene *s, const stability_options *o, stability_results *r, problem *p) {
  *r = (stability_results){.scene = s, .rungs = RUNGS};
  memcpy(r->factor, ladder, sizeof ladder);
  msd_result result = msd_world_analyze_stability(s->world, (msd_real)s->frame_time, &r->predicted);
  if (result == MSD_OK)
    result = msd_world_estimate_current_limit(s->world, (msd_real)s->frame_time, &r->linearized_limit);
  if (result != MSD_OK)
    return problem_set(p, "%s: a frame_time of %.9g s: %s", s->path, s->frame_time,
                       msd_result_string(result));
  const double limit = r->predicted.stable_substep;
  r->center = isfinite(limit) && limit > 0 ? limit : s->frame_time / (s->substeps > 0 ? s->substeps : 1);
  r->duration = o->duration > 0 ? o->duration : fmin(s->duration, LIMIT_STEPS * r->center);
  if (o->duration == 0 && s->duration > 0)
    r->duration = fmax(r->duration, LIMIT_STEPS_MIN * r->center);
  if (!(r->duration > 0))
    return problem_set(p, "%s: has a duration of 0; give --duration SECONDS", s->path);
  r->disturbance = o->disturbance >= 0 ? o->disturbance : RELATIVE_DISTURBANCE * mean_rest_length(s->world);
  r->reference = is_comparable(s->world) ? r->center / REFERENCE_FINER : 0;
  fit(s, o, r);
  return true;
}

/* The wait so far, on stderr. */
typedef struct wait {
  progress bar;
  /* Evaluations of all forces, and s of wall time: done, and in all; 0: without end. */
  double work, all_work, began, most;
  /* s of wall time since it began, when the integrator of now has to end; 0: never. */
  double end_of_now;
  const char *now;
  bool is_over;
} wait;

static bool show_wait(void *context, msd_integrator integrator, int64_t substeps) {
  wait *w = context;
  const double seconds = progress_clock() - w->began;
  w->work += (double)substeps * evaluations(integrator);
  w->is_over = w->end_of_now > 0 && seconds > w->end_of_now;
  if (!w->is_over && progress_is_due(&w->bar) && w->work > 0) {
    char text[2 * PROGRESS_COLUMNS];
    double left = fmax(w->all_work / w->work - 1, 0) * seconds;
    if (w->most > 0)
      left = fmin(left, w->most - seconds);
    snprintf(text, sizeof text, "%.20s: %.20s, about %s left", w->bar.title, w->now, units_wait(left).text);
    progress_say(&w->bar, text);
  }
  return !w->is_over;
}

/* Where an integrator stops being stable: between the last run before the first failure, and that. */
static double measure(stability_map *map, const stability_results *r, msd_integrator integrator) {
  int failed = 0;
  while (failed < r->done[integrator] && r->runs[integrator][failed].outcome == STABILITY_STABLE)
    failed++;
  if (failed == 0)
    return 0;
  if (failed == r->done[integrator])
    return failed == r->rungs ? INFINITY : r->runs[integrator][failed - 1].step;
  return stability_map_measure(map, integrator, r->center * r->factor[failed - 1],
                               r->center * r->factor[failed], r->is_short ? SHORT_PRECISION : PRECISION);
}

/* What is left of the work of an integrator is none, once it is done. */
static void run_integrator(stability_map *map, stability_results *r, msd_integrator integrator, wait *w,
                           double work_after) {
  w->now = msd_integrator_name(integrator);
  w->is_over = false;
  for (int i = 0; i < r->rungs && !w->is_over; i++) {
    const stability_run run = stability_map_run(map, integrator, r->center * r->factor[i]);
    if (run.abandoned && run.outcome == STABILITY_STABLE)
      break;
    r->runs[integrator][r->done[integrator]++] = run;
    if (r->is_short && run.outcome != STABILITY_STABLE)
      break;
  }
  r->measured[integrator] = measure(map, r, integrator);
  r->is_cut[integrator] = w->is_over;
  w->all_work -= work_after - w->work;
}

/* Prints the row of each integrator as soon as its runs are done. */
static bool run_all(stability_results *r, const stability_options *o, problem *p) {
  const scene *s = r->scene;
  wait w = {.bar = progress_begin_lines(s->name),
            .all_work = count_work(r),
            .began = progress_clock(),
            .most = o->full || o->duration > 0 ? 0 : MOST_SECONDS,
            .now = "reference"};
  w.end_of_now = w.most;
  const stability_map_def def = {.duration = r->duration,
                                 .reference_step = r->reference,
                                 .disturbance = r->disturbance,
                                 .stop_at_growth = r->is_short,
                                 .watch = show_wait,
                                 .context = &w};
  stability_results_print_head(r);
  fflush(stdout);
  msd_result result;
  stability_map *map = stability_map_open(s->world, &def, &result);
  progress_clear(&w.bar);
  if (map == NULL)
    return problem_set(p, "%s: the reference run: %s", s->path,
                       w.is_over ? "takes more than 2 min; use --full" : msd_result_string(result));
  const double reference = r->reference > 0 ? r->duration / r->reference : 0;
  const double of_each = (w.all_work - reference) / (MSD_INTEGRATOR_COUNT - 1 + evaluations(MSD_RK4));
  stability_results_print_columns();
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    if (w.most > 0) {
      const double passed = progress_clock() - w.began;
      w.end_of_now = passed + fmax(w.most - passed, 0) / (MSD_INTEGRATOR_COUNT - n);
    }
    run_integrator(map, r, integrator, &w, w.work + of_each * evaluations(integrator));
    progress_clear(&w.bar);
    stability_results_print_integrator(r, integrator, o->table);
    fflush(stdout);
  }
  stability_results_print_notes(r, o->table);
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
  scene_input_warn(command, s);
  if (!plan(s, &options, &results, &p) || !run_all(&results, &options, &p))
    status = STATUS_BAD_INPUT;
  else if (!write_outputs(&results, &options, &p))
    status = STATUS_IO;
  if (status != STATUS_DONE)
    message_error(command, "%s", p.text);
  else if (!stability_results_hold(&results))
    status = STATUS_FAILED;
  scene_free(s);
  return status;
}
