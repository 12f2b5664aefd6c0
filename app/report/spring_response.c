#include "app/report/spring_response.h"

#include "app/base/gnuplot.h"
#include "app/base/output_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hz. */
static const double rates[SPRING_RATES] = {15, 30, 60, 144};

/* ------------------------------------------------------------------------------------------------- states */

static bool simulate(const spring_response *all, spring_step *step, double rate, spring_series *out) {
  out->rate = rate;
  out->count = (int)floor(all->duration * rate + 1e-9) + 1;
  out->states = malloc((size_t)out->count * sizeof *out->states);
  if (out->states == NULL)
    return false;
  out->states[0] = spring_start(&all->setup);
  for (int i = 1; i < out->count; i++) {
    spring_state s = out->states[i - 1];
    step(&all->setup, &s, 1 / rate);
    s.time = i / rate;
    out->states[i] = s;
  }
  return true;
}

enum { CURVE_POINTS = 360 };

bool spring_response_make(spring_response *all, const spring_kind *kind, const spring_setup *setup,
                          double duration) {
  *all = (spring_response){.kind = kind, .setup = *setup, .duration = duration};
  bool ok = simulate(all, kind->exact, CURVE_POINTS / duration, &all->exact);
  for (int i = 0; i < SPRING_RATES && ok; i++)
    ok = simulate(all, kind->naive, rates[i], &all->naive[i]);
  return ok;
}

void spring_response_free(spring_response *all) {
  free(all->exact.states);
  for (int i = 0; i < SPRING_RATES; i++)
    free(all->naive[i].states);
}

/* -------------------------------------------------------------------------------------------------- table */

static spring_state exact_at(const spring_response *all, double time) {
  spring_state s = spring_start(&all->setup);
  if (time > 0)
    all->kind->exact(&all->setup, &s, time);
  return s;
}

/* What is on the screen at this time: the latest frame. */
static double shown_at(const spring_series *s, double time) {
  int i = (int)floor(time * s->rate + 1e-6);
  return s->states[i < s->count ? i : s->count - 1].x;
}

static void print_number(double value) {
  if (fabs(value) < 1e4)
    printf("  %11.5f", value);
  else
    printf("  %11.3g", value);
}

static void print_parameters(const spring_response *all) {
  const msd_spring_parameters *p = &all->setup.parameters;
  const spring_setup *s = &all->setup;
  printf("%s: %s\n", all->kind->name, all->kind->summary);
  if (all->kind->uses & (USES_PARAMETERS | USES_HALFLIFE)) {
    if (strcmp(all->kind->name, "damper") == 0)
      printf("  half-life %g s\n", p->halflife);
    else
      printf("  of unit mass: stiffness k/m %.6g 1/s^2, damping c/m %.6g 1/s\n"
             "  frequency %.6g Hz, damping ratio %.6g, half-life %.6g s\n",
             p->stiffness, p->damping, p->frequency, p->damping_ratio, p->halflife);
  }
  if ((strcmp(all->kind->name, "spring") == 0 || strcmp(all->kind->name, "critical") == 0) &&
      s->goal != s->from) {
    const double way = s->goal - s->from;
    printf("  settles within 1 %% of the distance after %.4g s\n",
           msd_damped_spring_settle_time(p->angular_frequency, p->damping_ratio, -way,
                                         s->velocity - s->goal_velocity, 0.01 * fabs(way)));
  }
}

void spring_response_print(const spring_response *all) {
  enum { ROWS = 20 };
  print_parameters(all);
  printf("\n%10s  %11s", "time", "exact");
  for (int i = 0; i < SPRING_RATES; i++)
    printf("  naive %3.0fHz", rates[i]);
  printf("\n");
  for (int row = 0; row <= ROWS; row++) {
    const double time = all->duration * row / ROWS;
    printf("%10.4f", time);
    print_number(exact_at(all, time).x);
    for (int i = 0; i < SPRING_RATES; i++)
      print_number(shown_at(&all->naive[i], time));
    printf("\n");
  }
  printf("\n%10s  %11s", "worst", "");
  for (int i = 0; i < SPRING_RATES; i++) {
    const spring_series *s = &all->naive[i];
    double worst = 0;
    for (int k = 0; k < s->count; k++)
      worst = fmax(worst, fabs(s->states[k].x - exact_at(all, s->states[k].time).x));
    print_number(worst);
  }
  printf("   largest error of a frame\n");
}

/* ---------------------------------------------------------------------------------------------------- CSV */

static void write_series(FILE *stream, const char *formula, double rate, const spring_series *s) {
  for (int i = 0; i < s->count; i++)
    fprintf(stream, "%s,%g,%.9g,%.17g,%.17g\n", formula, rate, s->states[i].time, s->states[i].x,
            s->states[i].v);
}

bool spring_response_write_csv(const spring_response *all, const char *path, problem *p) {
  output_file file;
  if (!output_file_open(&file, path, p))
    return false;
  fprintf(file.stream, "formula,rate,time,x,v\n");
  write_series(file.stream, "exact", 0, &all->exact);
  for (int i = 0; i < SPRING_RATES; i++)
    write_series(file.stream, "naive", rates[i], &all->naive[i]);
  return output_file_commit(&file, false, p);
}

/* --------------------------------------------------------------------------------------------------- plot */

static void put_data(FILE *script, const char *name, const spring_series *s) {
  fprintf(script, "$%s << END\n", name);
  for (int i = 0; i < s->count; i++) {
    const double x = s->states[i].x; /* gnuplot clips what is out of the picture; it need not read 1e300 */
    fprintf(script, "%.9g %.9g\n", s->states[i].time, fmin(fmax(x, -1e30), 1e30));
  }
  fprintf(script, "END\n");
}

/* What the exact curve and the goal need, and some room: naive curves that blow up leave the picture. */
static void put_range(FILE *script, const spring_response *all) {
  const bool has_goal = spring_has_goal(all->kind);
  double low = fmin(all->setup.from, has_goal ? all->setup.goal : INFINITY);
  double high = fmax(all->setup.from, has_goal ? all->setup.goal : -INFINITY);
  for (int i = 0; i < all->exact.count; i++) {
    low = fmin(low, all->exact.states[i].x);
    high = fmax(high, all->exact.states[i].x);
  }
  const double room = fmax(0.2 * (high - low), 1e-6 * fmax(fabs(low), 1e-3));
  fprintf(script, "set xrange [0:%.9g]\nset yrange [%.9g:%.9g]\n", all->duration, low - room, high + room);
}

bool spring_response_plot(const spring_response *all, const char *path, problem *p) {
  static const char *const colors[SPRING_RATES] = {"#d62728", "#ff7f0e", "#2ca02c", "#1f77b4"};
  gnuplot g;
  if (!gnuplot_open(&g, path, 860, 480, p))
    return false;
  const msd_spring_parameters *q = &all->setup.parameters;
  FILE *s = g.script;
  put_data(s, "exact", &all->exact);
  for (int i = 0; i < SPRING_RATES; i++) {
    char name[16];
    snprintf(name, sizeof name, "naive%d", i);
    put_data(s, name, &all->naive[i]);
  }
  put_range(s, all);
  fprintf(s, "set title \"%s: %s", all->kind->name, all->kind->summary);
  if (all->kind->uses & USES_PARAMETERS)
    fprintf(s, "\\nfrequency %.4g Hz, damping ratio %.4g, half-life %.4g s", q->frequency, q->damping_ratio,
            q->halflife);
  else if (all->kind->uses & USES_HALFLIFE)
    fprintf(s, "\\nhalf-life %.4g s", q->halflife);
  fprintf(
      s, "\"\nset xlabel 'time, s'\nset ylabel 'x'\nset grid lt 1 lc rgb '#dddddd'\nset key outside right\n");
  const bool has_goal = spring_has_goal(all->kind);
  if (has_goal)
    fprintf(s, "goal(t) = %.17g + %.17g*t\n", all->setup.goal, all->setup.goal_velocity);
  fprintf(s, "plot ");
  if (has_goal)
    fprintf(s, "goal(x) lc rgb '#999999' dt 2 title 'goal', ");
  for (int i = 0; i < SPRING_RATES; i++)
    fprintf(s, "$naive%d with %s lc rgb '%s' title 'naive, %g Hz', ", i,
            rates[i] < 50 ? "linespoints pt 7 ps 0.4" : "lines", colors[i], rates[i]);
  fprintf(s, "$exact with lines lc rgb 'black' lw 2.5 title 'exact, any rate'\n");
  return gnuplot_close(&g, p);
}
