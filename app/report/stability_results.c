#include "app/report/stability_results.h"

#include "app/base/gnuplot.h"
#include "app/base/output_file.h"
#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>

const msd_integrator stability_order[MSD_INTEGRATOR_COUNT] = {
    MSD_SYMPLECTIC_EULER, MSD_VELOCITY_VERLET, MSD_RK4, MSD_SEQUENTIAL_IMPULSE, MSD_EXPLICIT_EULER};

/* ----------------------------------------------------------------------------------------------------- table
   */

static bool has_particles(const stability_results *r) {
  return msd_world_get_particle_count(r->scene->world) > 0;
}

/* One unit for all values of a table. */
typedef struct table_unit {
  const char *name;
  /* Of 1 s or 1 m. */
  double factor;
} table_unit;

static table_unit unit_of_steps(const stability_results *r) {
  if (r->center >= 1)
    return (table_unit){"s", 1};
  return r->center >= 1e-4 ? (table_unit){"ms", 1e3} : (table_unit){"us", 1e6};
}

/* With as many digits behind the point as give `like` three, and no exponent. */
static void put_like(double value, double like, table_unit unit, char text[UNITS_MAX]) {
  const double shown = value * unit.factor, size = fabs(like * unit.factor);
  const int digits = size > 0 ? 2 - (int)floor(log10(size)) : 0, most = 4;
  if (fabs(shown) >= 1e9)
    snprintf(text, UNITS_MAX, ">10^9 %s", unit.name);
  else
    snprintf(text, UNITS_MAX, "%.*f %s", digits < 0 ? 0 : digits > most ? most : digits, shown, unit.name);
}

static void put_step(const stability_results *r, double step, char text[UNITS_MAX]) {
  put_like(step, r->center, unit_of_steps(r), text);
}

static void put_distance(double distance, char text[UNITS_MAX]) {
  const table_unit unit = {"mm", 1e3};
  if (distance > 0 && distance < 1e-7)
    snprintf(text, UNITS_MAX, "<0.0001 mm");
  else
    put_like(distance, distance * 10, unit, text);
}

/* Two digits, with the sign. */
static void put_percent(double share, char text[UNITS_MAX]) {
  const double percent = 100 * share, size = fabs(percent);
  if (size < 0.001)
    snprintf(text, UNITS_MAX, "0 %%");
  else
    snprintf(text, UNITS_MAX, "%+.*f %%", size >= 10 ? 0 : size >= 1 ? 1 : size >= 0.1 ? 2 : 3, percent);
}

static bool is_lengthened(const stability_results *r) {
  return STABILITY_STEPS_MIN * r->center * r->factor[r->rungs - 1] > r->duration;
}

/* s of wall time: a shorter wait is not worth a word. */
static const double WAIT_SECONDS = 10;

void stability_results_print_head(const stability_results *r) {
  printf("%s: %s%d runs of %s", r->scene->name, r->is_short ? "up to " : "", MSD_INTEGRATOR_COUNT * r->rungs,
         units_si(r->duration, "s").text);
  if (is_lengthened(r))
    printf(", at least %d substeps", STABILITY_STEPS_MIN);
  if (has_particles(r))
    printf(", initial disturbance %s", units_si(r->disturbance, "m").text);
  if (msd_world_get_clamp_stiffness(r->scene->world))
    printf(", stiffness clamped to each substep");
  if (r->expected >= WAIT_SECONDS)
    printf("; about %s", units_wait(r->expected).text);
  putchar('\n');
  if (r->is_short)
    printf("shortened to end within 2 min: all runs would take about %s (--full)\n",
           units_wait(r->expected_in_full).text);
}

void stability_results_print_columns(void) {
  printf("%-18s %14s %14s %7s %15s %14s %16s\n", "integrator", "predicted", "stable up to", "ratio",
         "first failure", "energy error", "position error");
}

static void put_predicted(const stability_results *r, msd_integrator integrator, char text[UNITS_MAX]) {
  const double predicted = r->predicted.integrator_stable_substep[integrator];
  if (predicted > 0 && isfinite(predicted))
    put_step(r, predicted, text);
  else
    snprintf(text, UNITS_MAX, "%s", predicted > 0 ? "any" : "no bound known");
}

static void put_measured(const stability_results *r, msd_integrator integrator, char text[UNITS_MAX]) {
  const double measured = r->measured[integrator];
  char step[UNITS_MAX];
  if (measured > 0 && isfinite(measured)) {
    put_step(r, measured, step);
    snprintf(text, UNITS_MAX, "%s%.40s", r->is_cut[integrator] ? "> " : "", step);
  } else
    snprintf(text, UNITS_MAX, "%s", measured == 0 ? "none" : "all tried");
}

/* The shortest substep that was not stable; the number of runs where all were. */
static int first_failure(const stability_results *r, msd_integrator integrator) {
  int n = 0;
  while (n < r->done[integrator] && r->runs[integrator][n].outcome == STABILITY_STABLE)
    n++;
  return n;
}

/* Just below the limit of symplectic Euler: the run whose errors are shown. NULL: it was not made. */
static const double COMPARED = 0.98;

static const stability_run *compared_run(const stability_results *r, msd_integrator integrator) {
  for (int n = 0; n < r->done[integrator]; n++)
    if (r->factor[n] == COMPARED)
      return &r->runs[integrator][n];
  return NULL;
}

static void print_summary(const stability_results *r, msd_integrator integrator) {
  const double predicted = r->predicted.integrator_stable_substep[integrator],
               measured = r->measured[integrator];
  char limit[UNITS_MAX], stable[UNITS_MAX], ratio[UNITS_MAX] = "-", failure[UNITS_MAX] = "-";
  char energy[UNITS_MAX] = "-", position[UNITS_MAX] = "-";
  const int failed = first_failure(r, integrator);
  const stability_run *compared = compared_run(r, integrator);
  put_predicted(r, integrator, limit);
  put_measured(r, integrator, stable);
  if (predicted > 0 && isfinite(predicted) && measured > 0 && isfinite(measured))
    snprintf(ratio, sizeof ratio, "%.2f", measured / predicted);
  if (failed < r->done[integrator])
    put_step(r, r->runs[integrator][failed].step, failure);
  if (compared != NULL && isfinite(compared->energy_error))
    put_percent(compared->energy_error, energy);
  if (compared != NULL && isfinite(compared->error) && has_particles(r))
    put_distance(compared->error, position);
  printf("%-18s %14s %14s %7s %15s %14s %16s\n", msd_integrator_name(integrator), limit, stable, ratio,
         failure, energy, position);
}

static void print_run(const stability_results *r, const stability_run *run) {
  char step[UNITS_MAX], outcome[64] = "stable", stretch[UNITS_MAX] = "-", energy[UNITS_MAX] = "-";
  char error[UNITS_MAX] = "-";
  put_step(r, run->step, step);
  if (run->outcome != STABILITY_STABLE)
    snprintf(outcome, sizeof outcome, "%s at %s", stability_outcome_name(run->outcome),
             units_si(run->failed_at, "s").text);
  else {
    if (msd_world_get_spring_count(r->scene->world) > 0)
      snprintf(stretch, sizeof stretch, "%.1f %%", 100 * run->max_stretch);
    if (isfinite(run->energy_error))
      put_percent(run->energy_error, energy);
    if (isfinite(run->error) && has_particles(r))
      put_distance(run->error, error);
  }
  printf("  %12s %8.3f  %-22s %9s  %12s  %14s  %12.2g\n", step, run->step / r->center, outcome, stretch,
         energy, error, run->cost);
}

void stability_results_print_integrator(const stability_results *r, msd_integrator integrator,
                                        bool all_runs) {
  if (r->done[integrator] == 0) {
    printf("%-18s not run: the time is over\n", msd_integrator_name(integrator));
    return;
  }
  if (r->runs[integrator][0].outcome == STABILITY_REFUSED) {
    printf("%-18s does not support what this scene has\n", msd_integrator_name(integrator));
    return;
  }
  print_summary(r, integrator);
  if (!all_runs)
    return;
  printf("  %12s %8s  %-22s %9s  %12s  %14s  %12s\n", "substep",
         isfinite(r->predicted.stable_substep) ? "x limit" : "x scene", "outcome", "stretch", "energy error",
         "position error", "wall s per s");
  for (int i = 0; i < r->done[integrator]; i++)
    print_run(r, &r->runs[integrator][i]);
}

/* ------------------------------------------------------------------------------------------------- verdict
   */

/* Of the limit: a run so much shorter that fails is no matter of rounding. */
static const double BELOW = 0.999;
/* Times the limit. */
static const double MUCH_LONGER = 1.2;
/* Of the size of the scene, and of its energy. */
static const double ACCURATE = 0.01;

typedef struct judgment {
  /* Runs at substeps below the predicted limit of their integrator, and those of them that failed. */
  int below, failed;
  /* The first of those. */
  msd_integrator integrator;
  double step;
} judgment;

static judgment judge(const stability_results *r) {
  judgment j = {.below = 0};
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    for (int i = 0; i < r->done[integrator]; i++) {
      const stability_run *run = &r->runs[integrator][i];
      if (run->outcome == STABILITY_REFUSED ||
          run->step > BELOW * r->predicted.integrator_stable_substep[integrator])
        continue;
      j.below++;
      if (run->outcome == STABILITY_STABLE || j.failed++ > 0)
        continue;
      j.integrator = integrator;
      j.step = run->step;
    }
  }
  return j;
}

static double size_of_scene(const stability_results *r) {
  const msd_world *world = r->scene->world;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
  for (int32_t n = 0; n < msd_world_get_particle_count(world); n++) {
    const msd_vec3 at = msd_particle_get_position(world, n);
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    for (int axis = 0; axis < 3; axis++)
      low[axis] = fmin(low[axis], x[axis]), high[axis] = fmax(high[axis], x[axis]);
  }
  for (int axis = 0; axis < 3 && isfinite(low[axis]); axis++)
    size = fmax(size, high[axis] - low[axis]);
  return size;
}

/* Of the default integrator near its limit. */
static void print_accuracy(const stability_results *r) {
  const stability_run *run = compared_run(r, MSD_SYMPLECTIC_EULER);
  const double size = size_of_scene(r);
  if (run == NULL || !isfinite(run->error) || !isfinite(run->energy_error) || !(size > 0))
    return;
  const bool is_accurate = run->error <= ACCURATE * size && fabs(run->energy_error) <= ACCURATE;
  char step[UNITS_MAX], energy[UNITS_MAX];
  put_step(r, run->step, step);
  put_percent(run->energy_error, energy);
  printf("            symplectic_euler at %s is %s: energy %s, positions %s of the scene\n", step,
         is_accurate ? "accurate" : "stable, but inaccurate", energy, units_percent(run->error / size).text);
}

bool stability_results_hold(const stability_results *r) {
  return judge(r).failed == 0;
}

static void print_verdict(const stability_results *r) {
  const judgment j = judge(r);
  const double limit = r->predicted.integrator_stable_substep[MSD_SYMPLECTIC_EULER],
               measured = r->measured[MSD_SYMPLECTIC_EULER];
  char step[UNITS_MAX];
  printf("verdict     ");
  if (j.failed > 0) {
    put_step(r, j.step, step);
    printf("%d of %d runs below the predicted limits FAILED, the first with %s at %s\n", j.failed, j.below,
           msd_integrator_name(j.integrator), step);
    if (r->predicted.energy_safe_substep < j.step)
      printf("            damping is light: springs that turn can gain energy below the limit "
             "(docs/explain/energy.md)\n");
    return;
  }
  if (j.below == 0) {
    printf("no run was below a predicted limit\n");
    return;
  }
  printf("the predictions hold: none of %d runs below them failed", j.below);
  if (limit > 0 && isfinite(limit) && measured > MUCH_LONGER * limit && isfinite(measured))
    printf("; this motion allows %s times the limit", units_number(measured / limit, 2).text);
  putchar('\n');
  print_accuracy(r);
}

void stability_results_print_notes(const stability_results *r, bool all_runs) {
  const double step = r->predicted.stable_substep;
  char compared[UNITS_MAX], reference[UNITS_MAX];
  print_verdict(r);
  if (step > 0 && isfinite(step) && !r->predicted.every_shape)
    printf("Predictions hold in every configuration for springs and fibers, for other constraints in the "
           "initial one.\n");
  if (r->reference > 0) {
    put_step(r, COMPARED * r->center, compared);
    put_step(r, r->reference, reference);
    printf("Errors: at substeps of %s against %s. ", compared, reference);
  }
  bool is_cut = false;
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    is_cut = is_cut || r->is_cut[n];
  if (is_cut)
    printf(">: the time was over. ");
  if (!all_runs)
    printf("All runs: --table, --csv, --plot.");
  if (r->reference > 0 || is_cut || !all_runs)
    putchar('\n');
}

/* ------------------------------------------------------------------------------------------------------- CSV
   */

/* Numbers that are not there leave their field empty. */
static void put_number(FILE *stream, double value) {
  if (isfinite(value))
    fprintf(stream, ",%.9g", value);
  else
    fputc(',', stream);
}

bool stability_results_write_csv(const stability_results *r, const char *path, problem *p) {
  output_file file;
  if (!output_file_open(&file, path, p))
    return false;
  fprintf(file.stream, "integrator,substep,predicted_limit,outcome,failed_at,max_stretch,energy_error,"
                       "position_error,wall_seconds_per_second\n");
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    for (int i = 0; i < r->done[integrator]; i++) {
      const stability_run *run = &r->runs[integrator][i];
      fprintf(file.stream, "%s,%.9g", msd_integrator_name(integrator), run->step);
      put_number(file.stream, r->predicted.integrator_stable_substep[integrator]);
      fprintf(file.stream, ",%s", stability_outcome_name(run->outcome));
      put_number(file.stream, run->outcome == STABILITY_STABLE ? NAN : run->failed_at);
      put_number(file.stream, run->max_stretch);
      put_number(file.stream, run->energy_error);
      put_number(file.stream, run->error);
      put_number(file.stream, run->cost);
      fputc('\n', file.stream);
    }
  }
  return output_file_commit(&file, false, p);
}

/* ------------------------------------------------------------------------------------------------------ plot
   */

static const char *const outcome_colors[STABILITY_OUTCOME_COUNT] = {"#4aa564", "#f2b134", "#c8402f",
                                                                    "#b0b0b0"};
static const char *const outcome_titles[STABILITY_OUTCOME_COUNT] = {"stable", "energy grows", "diverged",
                                                                    "refused"};

/* The lower end of a rung's box: half way, in logarithms, to the one below. */
static double lower_edge(const stability_results *r, int rung) {
  const double at = r->factor[rung], next = rung > 0 ? r->factor[rung - 1] : at * at / r->factor[1];
  return r->center * sqrt(at * next);
}

static double upper_edge(const stability_results *r, int rung) {
  const double at = r->factor[rung],
               next = rung + 1 < r->rungs ? r->factor[rung + 1] : at * at / r->factor[r->rungs - 2];
  return r->center * sqrt(at * next);
}

static int row_of(int n) {
  return MSD_INTEGRATOR_COUNT - n;
}

/* One box for each row of rungs with that outcome, so that no seams show between them. */
static void put_boxes(FILE *script, const stability_results *r, stability_outcome outcome) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const stability_run *runs = r->runs[stability_order[n]];
    const int done = r->done[stability_order[n]];
    for (int first = 0, end; first < done; first = end) {
      for (end = first + 1; end < done && runs[end].outcome == runs[first].outcome; end++)
        ;
      const double low = lower_edge(r, first), high = upper_edge(r, end - 1);
      if (runs[first].outcome == outcome)
        fprintf(script, "%.9g %d %.9g %.9g %g %g\n", sqrt(low * high), row_of(n), low, high, row_of(n) - 0.36,
                row_of(n) + 0.36);
    }
  }
  fprintf(script, "NaN NaN NaN NaN NaN NaN\ne\n"); /* never an empty set */
}

static void put_limits(FILE *script, const stability_results *r) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const double limit = r->predicted.integrator_stable_substep[stability_order[n]];
    if (limit > 0 && isfinite(limit))
      fprintf(script, "%.9g %g 0 0.92\n", limit, row_of(n) - 0.46);
  }
  fprintf(script, "NaN NaN NaN NaN\ne\n");
}

static void put_names(FILE *script) {
  static const char *const names[MSD_INTEGRATOR_COUNT] = {
      [MSD_SYMPLECTIC_EULER] = "symplectic Euler",
      [MSD_VELOCITY_VERLET] = "velocity Verlet",
      [MSD_RK4] = "Runge-Kutta 4",
      [MSD_SEQUENTIAL_IMPULSE] = "sequential impulse",
      [MSD_EXPLICIT_EULER] = "explicit Euler",
  };
  fprintf(script, "set ytics (");
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    fprintf(script, "%s'%s' %d", n > 0 ? ", " : "", names[stability_order[n]], row_of(n));
  fprintf(script, ") scale 0\n");
}

bool stability_results_plot(const stability_results *r, const char *path, problem *p) {
  gnuplot g;
  if (!gnuplot_open(&g, path, 960, 460, p))
    return false;
  FILE *script = g.script;
  put_names(script);
  fprintf(script, "set title ");
  gnuplot_put_text(&g, r->scene->name);
  fprintf(script, ".': outcome at each substep length'\n");
  fprintf(script,
          "set logscale x\nset format x '%%.0s %%cs'\nset xrange [%.9g:%.9g]\nset yrange [0.4:%g]\n"
          "set border 1\nset xtics nomirror out\nset mxtics 10\n"
          "set key outside below center horizontal maxrows 1 samplen 2\n"
          "set style fill solid noborder\n",
          lower_edge(r, 0), upper_edge(r, r->rungs - 1), MSD_INTEGRATOR_COUNT + 0.6);
  fprintf(script, "plot ");
  for (int outcome = 0; outcome < STABILITY_OUTCOME_COUNT; outcome++)
    fprintf(script, "'-' using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '%s' title '%s', ",
            outcome_colors[outcome], outcome_titles[outcome]);
  fprintf(script, "'-' with vectors nohead linewidth 4 linecolor rgb 'black' title 'predicted limit'\n");
  for (int outcome = 0; outcome < STABILITY_OUTCOME_COUNT; outcome++)
    put_boxes(script, r, (stability_outcome)outcome);
  put_limits(script, r);
  return gnuplot_close(&g, p);
}
