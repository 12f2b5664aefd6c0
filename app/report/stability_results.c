#include "app/report/stability_results.h"

#include "app/base/gnuplot.h"
#include "app/base/output_file.h"
#include "app/base/units.h"
#include "app/report/stability_report.h"

#include <inttypes.h>
#include <math.h>

const msd_integrator stability_order[MSD_INTEGRATOR_COUNT] = {
    MSD_SYMPLECTIC_EULER, MSD_VELOCITY_VERLET, MSD_RK4, MSD_SEQUENTIAL_IMPULSE, MSD_EXPLICIT_EULER};

/* ----------------------------------------------------------------------------------------------------- table
   */

static bool has_particles(const stability_results *r) {
  return msd_world_get_particle_count(r->scene->world) > 0;
}

static bool is_lengthened(const stability_results *r) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    for (int i = 0; i < r->rungs; i++)
      if (r->runs[n][i].duration > r->duration)
        return true;
  return false;
}

/* Of what there is any. */
static void print_counts(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  printf("  ");
  if (stats.particles > 0 || stats.rotors == 0)
    printf("%" PRId32 " particles, %" PRId32 " springs", stats.particles, stats.springs);
  if (stats.constraints > 0)
    printf(", %" PRId32 " constraints", stats.constraints);
  if (stats.rotors > 0)
    printf("%s%" PRId32 " rotor%s, %" PRId32 " angular spring%s", stats.particles > 0 ? ", " : "",
           stats.rotors, stats.rotors == 1 ? "" : "s", stats.angular_springs,
           stats.angular_springs == 1 ? "" : "s");
  printf("; ");
}

static void print_limits(const stability_results *r) {
  const msd_stability *s = &r->predicted;
  printf("%s%s%s\n", r->scene->name, *r->scene->title != '\0' ? ": " : "", r->scene->title);
  print_counts(r->scene->world);
  printf("every run simulates %s from the same start", units_si(r->duration, "s").text);
  if (has_particles(r))
    printf(",\n  where each particle has been moved by up to %s", units_si(r->disturbance, "m").text);
  if (is_lengthened(r))
    printf("\n  (those of long steps more, %d steps, and are not compared)", STABILITY_STEPS_MIN);
  printf("\n  certified         %s for symplectic_euler, %s\n",
         s->stable_time_step > 0 ? units_si(s->stable_time_step, "s").text : "none",
         stability_report_shapes(s));
  printf("  this shape        %s, an estimate and no promise\n", units_si(r->this_shape, "s").text);
  if (msd_world_get_limit(r->scene->world) == MSD_LIMIT_COEFFICIENTS)
    printf("  limit             springs are softened to what each step can take\n");
}

static void print_run(const stability_results *r, const stability_run *run) {
  char outcome[64], stretch[32] = "-", energy[32] = "-", error[UNITS_MAX] = "-";
  if (run->outcome == STABILITY_STABLE) {
    snprintf(outcome, sizeof outcome, "stable");
    if (msd_world_get_spring_count(r->scene->world) > 0)
      snprintf(stretch, sizeof stretch, "%.3g %%", 100 * run->max_stretch);
    if (isfinite(run->energy_error))
      snprintf(energy, sizeof energy, "%+.2g %%", 100 * run->energy_error);
    if (isfinite(run->error) && has_particles(r))
      snprintf(error, sizeof error, "%s", units_si(run->error, "m").text);
  } else {
    snprintf(outcome, sizeof outcome, "%s at %s", stability_outcome_name(run->outcome),
             units_si(run->failed_at, "s").text);
  }
  printf("  %10s %8.4g  %-22s %9s %10s %10s %10s\n", units_si(run->step, "s").text, run->step / r->center,
         outcome, stretch, energy, error, units_si(run->cost, "s").text);
}

static void print_verdict(const stability_results *r, msd_integrator integrator) {
  const double predicted = r->predicted.integrator_time_step[integrator], measured = r->measured[integrator];
  printf("\n%s, predicted limit ", msd_integrator_name(integrator));
  if (predicted > 0)
    printf("%s", units_si(predicted, "s").text);
  else
    printf("none");
  if (r->runs[integrator][0].outcome == STABILITY_REFUSED)
    printf("; has no catches\n");
  else if (measured == 0)
    printf("; unstable at every step tried\n");
  else if (isinf(measured))
    printf("; stable at every step tried\n");
  else if (predicted > 0 && isfinite(predicted))
    printf("; stable up to %s, %.4g times that\n", units_si(measured, "s").text, measured / predicted);
  else
    printf("; stable up to %s in this time\n", units_si(measured, "s").text);
}

void stability_results_print(const stability_results *r) {
  print_limits(r);
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    print_verdict(r, integrator);
    if (r->runs[integrator][0].outcome == STABILITY_REFUSED)
      continue;
    printf("  %10s %8s  %-22s %9s %10s %10s %10s\n", "time step",
           isfinite(r->predicted.stable_time_step) ? "x limit" : "x scene", "outcome", "stretch", "energy",
           "position", "wall/s");
    for (int i = 0; i < r->rungs; i++)
      print_run(r, &r->runs[integrator][i]);
  }
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
  fprintf(file.stream, "integrator,time_step,predicted_limit,outcome,failed_at,max_stretch,energy_error,"
                       "position_error,wall_seconds_per_second\n");
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = stability_order[n];
    for (int i = 0; i < r->rungs; i++) {
      const stability_run *run = &r->runs[integrator][i];
      fprintf(file.stream, "%s,%.9g", msd_integrator_name(integrator), run->step);
      put_number(file.stream, r->predicted.integrator_time_step[integrator]);
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
    for (int first = 0, end; first < r->rungs; first = end) {
      for (end = first + 1; end < r->rungs && runs[end].outcome == runs[first].outcome; end++)
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
    const double limit = r->predicted.integrator_time_step[stability_order[n]];
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
  fprintf(script, ".': what happens at each time step'\n");
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
