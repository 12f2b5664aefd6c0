/* msd spring: the response of a closed-form spring, beside what naive formulas make of it at usual frame
   rates. */
#include "app/commands.h"

#include "app/base/gnuplot.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/output_file.h"
#include "app/report/spring_kinds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPTION_KIND = OPTIONS_FIRST_ID,
  OPTION_FREQUENCY,
  OPTION_RATIO,
  OPTION_HALFLIFE,
  OPTION_STIFFNESS,
  OPTION_DAMPING,
  OPTION_DURATION,
  OPTION_BOUNCE,
  OPTION_FROM,
  OPTION_VELOCITY,
  OPTION_GOAL,
  OPTION_GOAL_VELOCITY,
  OPTION_GOAL_TIME,
  OPTION_SPEED,
  OPTION_APPREHENSION,
  OPTION_POSITION_GAIN,
  OPTION_VELOCITY_GAIN,
  OPTION_TIME,
  OPTION_CSV,
  OPTION_PLOT,
  OPTIONS_END_ID
};

enum { NUMBERS = OPTIONS_END_ID - OPTIONS_FIRST_ID };

typedef struct request {
  const spring_kind *kind;
  double number[NUMBERS]; /* by id of the option */
  bool given[NUMBERS];
  const char *csv, *plot; /* NULL: not wanted */
} request;

/* Allowed values, defaults and the kinds that use it; kinds = 0: all. */
typedef struct number_spec {
  int id;
  double least, most, initial;
  unsigned uses;
} number_spec;

static const number_spec numbers[] = {
    {OPTION_FREQUENCY, 0, 1e6, 2, USES_PARAMETERS},
    {OPTION_RATIO, 0, 1e6, 0.25, USES_PARAMETERS},
    {OPTION_HALFLIFE, 1e-9, 1e9, 0.15, USES_PARAMETERS | USES_HALFLIFE},
    {OPTION_STIFFNESS, 0, 1e12, 0, USES_PARAMETERS},
    {OPTION_DAMPING, 0, 1e12, 0, USES_PARAMETERS},
    {OPTION_DURATION, 1e-9, 1e9, 0, USES_PARAMETERS},
    {OPTION_BOUNCE, -1e6, 1, 0, USES_PARAMETERS},
    {OPTION_FROM, -1e9, 1e9, 0, 0},
    {OPTION_VELOCITY, -1e9, 1e9, 0, 0},
    {OPTION_GOAL, -1e9, 1e9, 1, 0},
    {OPTION_GOAL_VELOCITY, -1e9, 1e9, 0, USES_GOAL_VELOCITY},
    {OPTION_GOAL_TIME, 0, 1e9, 1, USES_GOAL_TIME},
    {OPTION_SPEED, 0, 1e9, 1, USES_SPEED},
    {OPTION_APPREHENSION, 0, 1e3, 2, USES_APPREHENSION},
    {OPTION_POSITION_GAIN, 0, 1, 0.05, USES_GAINS},
    {OPTION_VELOCITY_GAIN, 0, 1, 0.2, USES_GAINS},
    {OPTION_TIME, 1e-3, 1e3, 1.5, 0},
};

static const option_spec options[] = {
    {OPTION_KIND, "kind", "NAME", "which spring; the kinds are listed below", "spring"},
    {OPTION_FREQUENCY, "frequency", "HZ", "oscillations per second", "2"},
    {OPTION_RATIO, "ratio", "R", "damping ratio; 1 is critical", "0.25"},
    {OPTION_HALFLIFE, "halflife", "S", "half-life in seconds", "0.15"},
    {OPTION_STIFFNESS, "stiffness", "K", "stiffness in 1/s^2, of unit mass", NULL},
    {OPTION_DAMPING, "damping", "D", "damping in 1/s, of unit mass", NULL},
    {OPTION_DURATION, "duration", "S", "seconds of one oscillation", NULL},
    {OPTION_BOUNCE, "bounce", "B", "0 is critical, 1 swings for ever", NULL},
    {OPTION_FROM, "from", "X", "where it starts", "0"},
    {OPTION_VELOCITY, "velocity", "V", "velocity at the start, in 1/s", "0"},
    {OPTION_GOAL, "goal", "X", "where it goes; a velocity in 1/s for a character", "1"},
    {OPTION_GOAL_VELOCITY, "goal-velocity", "V", "velocity of the goal in 1/s (spring, critical)", "0"},
    {OPTION_GOAL_TIME, "goal-time", "S", "when to arrive, in seconds (timed)", "1"},
    {OPTION_SPEED, "speed", "V", "speed in 1/s (velocity)", "1"},
    {OPTION_APPREHENSION, "apprehension", "N", "half-lives of looking ahead (timed, velocity)", "2"},
    {OPTION_POSITION_GAIN, "position-gain", "G", "gain per 1/60 s, 0..1 (tracking)", "0.05"},
    {OPTION_VELOCITY_GAIN, "velocity-gain", "G", "gain per 1/60 s, 0..1 (tracking)", "0.2"},
    {OPTION_TIME, "time", "S", "how long to show, in seconds", "1.5"},
    {OPTION_CSV, "csv", "FILE", "write all values: formula, rate in Hz (0: continuous), time, x, v", NULL},
    {OPTION_PLOT, "plot", "FILE", "draw them with gnuplot; .svg or .png", NULL},
};

static const double rates[] = {15, 30, 60, 144}; /* Hz */
enum { RATES = sizeof rates / sizeof *rates };

/* ------------------------------------------------------------------------------------------ command line */

static double value_of(const request *r, int id) {
  return r->number[id - OPTIONS_FIRST_ID];
}

static bool is_given(const request *r, int id) {
  return r->given[id - OPTIONS_FIRST_ID];
}

static const char *name_of(int id) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (options[i].id == id)
      return options[i].name;
  }
  return "";
}

static bool read_kind(request *r, const char *text) {
  const char *names[SPRING_KINDS];
  for (int i = 0; i < SPRING_KINDS; i++)
    names[i] = spring_kinds[i].name;
  const int index = parse_name(text, names, SPRING_KINDS);
  if (index >= 0) {
    r->kind = &spring_kinds[index];
    return true;
  }
  const char *meant = nearest_name(text, names, SPRING_KINDS);
  if (meant != NULL)
    message_error("spring", "--kind '%s': unknown; did you mean '%s'?", text, meant);
  else
    message_error("spring", "--kind '%s': unknown; 'msd spring --help' lists the kinds", text);
  return false;
}

static bool read_number(request *r, int id, const char *text) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (numbers[i].id != id)
      continue;
    double value;
    if (!parse_number(text, &value) || value < numbers[i].least || value > numbers[i].most) {
      message_error("spring", "--%s '%s': must be a number from %g to %g", name_of(id), text,
                    numbers[i].least, numbers[i].most);
      return false;
    }
    r->number[id - OPTIONS_FIRST_ID] = value;
    r->given[id - OPTIONS_FIRST_ID] = true;
  }
  return true;
}

static bool check_uses(const request *r) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (is_given(r, numbers[i].id) && numbers[i].uses != 0 && (numbers[i].uses & r->kind->uses) == 0) {
      message_error("spring", "--%s: has no meaning for --kind %s; leave it out", name_of(numbers[i].id),
                    r->kind->name);
      return false;
    }
  }
  return true;
}

/* The end of --help: the kinds, and what they take. */
static const char *write_notes(char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "kinds:\n");
  for (int i = 0; i < SPRING_KINDS && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "  %-9s  %s\n", spring_kinds[i].name,
                               spring_kinds[i].summary);
  if (length < size)
    snprintf(
        text + length, size - length,
        "spring and angle take one pair of --frequency --ratio, --frequency --halflife, --ratio --halflife,\n"
        "--stiffness --damping, or --duration --bounce; the other kinds take --halflife.\n"
        "Each is shown exactly and as the usual naive formula makes it at 15, 30, 60 and 144 Hz.");
  return text;
}

/* OPTIONS_END when the request is complete, else what options_next said. */
static int read_request(int argc, char **argv, request *r) {
  *r = (request){.kind = &spring_kinds[1]};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    r->number[numbers[i].id - OPTIONS_FIRST_ID] = numbers[i].initial;
  char notes[2048];
  const command_line line = {.name = "spring",
                             .summary = "Shows how a closed-form damped spring moves, beside naive formulas.",
                             .options = options,
                             .option_count = sizeof options / sizeof *options,
                             .notes = write_notes(notes, sizeof notes)};
  const char *value, *operand;
  int id;
  while ((id = options_next(&line, argc, argv, &value)) > 0) {
    bool ok = true;
    if (id == OPTION_KIND)
      ok = read_kind(r, value);
    else if (id == OPTION_CSV)
      r->csv = value;
    else if (id == OPTION_PLOT)
      r->plot = value;
    else
      ok = read_number(r, id, value);
    if (!ok)
      return OPTIONS_BAD;
  }
  if (id != OPTIONS_END)
    return id;
  return options_operand(&line, argc, argv, &operand) && check_uses(r) ? OPTIONS_END : OPTIONS_BAD;
}

/* The pairs that describe a spring; defaults fill what a lone frequency, ratio or half-life leaves open. */
static bool describe_spring(const request *r, msd_spring_parameters *out) {
  if ((r->kind->uses & USES_PARAMETERS) == 0) {
    *out = msd_spring_from_critical(value_of(r, OPTION_HALFLIFE));
    return true;
  }
  unsigned given = 0;
  for (int id = OPTION_FREQUENCY; id <= OPTION_BOUNCE; id++)
    given |= is_given(r, id) ? 1u << (id - OPTION_FREQUENCY) : 0;
  enum { F = 1, R = 2, H = 4, S = 8, D = 16, T = 32, B = 64 };
  const double halflife = value_of(r, OPTION_HALFLIFE);
  switch (given) {
  case 0:
  case F:
  case R:
  case F | R:
    *out = msd_spring_from_angular(2 * acos(-1.0) * value_of(r, OPTION_FREQUENCY), value_of(r, OPTION_RATIO));
    return true;
  case F | H:
    *out = msd_spring_from_frequency(value_of(r, OPTION_FREQUENCY), halflife);
    return true;
  case H:
  case R | H:
    *out = msd_spring_from_ratio(value_of(r, OPTION_RATIO), halflife);
    if (isfinite(out->stiffness))
      return true;
    message_error("spring", "--ratio 0 with --halflife: would be infinitely stiff; give --frequency instead");
    return false;
  case S | D:
    *out = msd_spring_from_stiffness(value_of(r, OPTION_STIFFNESS), value_of(r, OPTION_DAMPING));
    return true;
  case T:
  case T | B:
    *out = msd_spring_from_duration(value_of(r, OPTION_DURATION), value_of(r, OPTION_BOUNCE));
    return true;
  default:
    message_error("spring", "give one pair: --frequency --ratio, --frequency --halflife, --ratio --halflife, "
                            "--stiffness --damping, or --duration --bounce");
    return false;
  }
}

/* ---------------------------------------------------------------------------------------------- results */

/* The states of one formula at one rate: count of them, at 0, 1/rate, 2/rate, ... */
typedef struct series {
  double rate;
  int count;
  spring_state *states;
} series;

typedef struct response {
  spring_setup setup;
  const spring_kind *kind;
  double time;
  series exact; /* fine enough to look continuous */
  series naive[RATES];
} response;

static bool simulate(const response *all, spring_step *step, double rate, series *out) {
  out->rate = rate;
  out->count = (int)floor(all->time * rate + 1e-9) + 1;
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

static bool respond(response *all) {
  bool ok = simulate(all, all->kind->exact, CURVE_POINTS / all->time, &all->exact);
  for (int i = 0; i < RATES && ok; i++)
    ok = simulate(all, all->kind->naive, rates[i], &all->naive[i]);
  return ok;
}

static void forget(response *all) {
  free(all->exact.states);
  for (int i = 0; i < RATES; i++)
    free(all->naive[i].states);
}

static spring_state exact_at(const response *all, double time) {
  spring_state s = spring_start(&all->setup);
  if (time > 0)
    all->kind->exact(&all->setup, &s, time);
  return s;
}

/* What is on the screen at this time: the latest frame. */
static double shown_at(const series *s, double time) {
  int i = (int)floor(time * s->rate + 1e-6);
  return s->states[i < s->count ? i : s->count - 1].x;
}

static void print_number(double value) {
  if (fabs(value) < 1e4)
    printf("  %11.5f", value);
  else
    printf("  %11.3g", value);
}

static void print_parameters(const response *all) {
  const msd_spring_parameters *p = &all->setup.parameters;
  const spring_setup *s = &all->setup;
  printf("%s: %s\n", all->kind->name, all->kind->summary);
  if (all->kind->uses & (USES_PARAMETERS | USES_HALFLIFE)) {
    if (strcmp(all->kind->name, "damper") == 0)
      printf("  half-life %g s\n", p->halflife);
    else
      printf("  stiffness %.6g 1/s^2, damping %.6g 1/s, frequency %.6g Hz, damping ratio %.6g, half-life "
             "%.6g s\n",
             p->stiffness, p->damping, p->frequency, p->damping_ratio, p->halflife);
  }
  if ((strcmp(all->kind->name, "spring") == 0 || strcmp(all->kind->name, "critical") == 0) &&
      s->goal != s->from) {
    const double way = s->goal - s->from;
    printf("  settles within 1 %% of the way after %.4g s\n",
           msd_damped_spring_settle_time(p->angular_frequency, p->damping_ratio, -way,
                                         s->velocity - s->goal_velocity, 0.01 * fabs(way)));
  }
}

static void print_table(const response *all) {
  enum { ROWS = 20 };
  print_parameters(all);
  printf("\n%10s  %11s", "time", "exact");
  for (int i = 0; i < RATES; i++)
    printf("  naive %3.0fHz", rates[i]);
  printf("\n");
  for (int row = 0; row <= ROWS; row++) {
    const double time = all->time * row / ROWS;
    printf("%10.4f", time);
    print_number(exact_at(all, time).x);
    for (int i = 0; i < RATES; i++)
      print_number(shown_at(&all->naive[i], time));
    printf("\n");
  }
  printf("\n%10s  %11s", "worst", "");
  for (int i = 0; i < RATES; i++) {
    const series *s = &all->naive[i];
    double worst = 0;
    for (int k = 0; k < s->count; k++)
      worst = fmax(worst, fabs(s->states[k].x - exact_at(all, s->states[k].time).x));
    print_number(worst);
  }
  printf("   largest error of a frame\n");
}

static void write_series(FILE *stream, const char *formula, double rate, const series *s) {
  for (int i = 0; i < s->count; i++)
    fprintf(stream, "%s,%g,%.9g,%.17g,%.17g\n", formula, rate, s->states[i].time, s->states[i].x,
            s->states[i].v);
}

static bool write_csv(const response *all, const char *path, problem *p) {
  output_file file;
  if (!output_file_open(&file, path, p))
    return false;
  fprintf(file.stream, "formula,rate,time,x,v\n");
  write_series(file.stream, "exact", 0, &all->exact);
  for (int i = 0; i < RATES; i++)
    write_series(file.stream, "naive", rates[i], &all->naive[i]);
  return output_file_commit(&file, false, p);
}

/* ------------------------------------------------------------------------------------------------- plot */

static void put_data(FILE *script, const char *name, const series *s) {
  fprintf(script, "$%s << END\n", name);
  for (int i = 0; i < s->count; i++) {
    const double x = s->states[i].x; /* gnuplot clips what is out of the picture; it need not read 1e300 */
    fprintf(script, "%.9g %.9g\n", s->states[i].time, fmin(fmax(x, -1e30), 1e30));
  }
  fprintf(script, "END\n");
}

/* What the exact curve and the goal need, and some room: naive curves that blow up leave the picture. */
static void put_range(FILE *script, const response *all) {
  const bool has_goal = spring_has_goal(all->kind);
  double low = fmin(all->setup.from, has_goal ? all->setup.goal : INFINITY);
  double high = fmax(all->setup.from, has_goal ? all->setup.goal : -INFINITY);
  for (int i = 0; i < all->exact.count; i++) {
    low = fmin(low, all->exact.states[i].x);
    high = fmax(high, all->exact.states[i].x);
  }
  const double room = fmax(0.2 * (high - low), 1e-6 * fmax(fabs(low), 1e-3));
  fprintf(script, "set xrange [0:%.9g]\nset yrange [%.9g:%.9g]\n", all->time, low - room, high + room);
}

static bool draw(const response *all, const char *path, problem *p) {
  static const char *const colors[RATES] = {"#d62728", "#ff7f0e", "#2ca02c", "#1f77b4"};
  gnuplot g;
  if (!gnuplot_open(&g, path, 860, 480, p))
    return false;
  const msd_spring_parameters *q = &all->setup.parameters;
  FILE *s = g.script;
  put_data(s, "exact", &all->exact);
  for (int i = 0; i < RATES; i++) {
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
  for (int i = 0; i < RATES; i++)
    fprintf(s, "$naive%d with %s lc rgb '%s' title 'naive, %g Hz', ", i,
            rates[i] < 50 ? "linespoints pt 7 ps 0.4" : "lines", colors[i], rates[i]);
  fprintf(s, "$exact with lines lc rgb 'black' lw 2.5 title 'exact, any rate'\n");
  return gnuplot_close(&g, p);
}

int command_spring(int argc, char **argv) {
  request r;
  const int read = read_request(argc, argv, &r);
  if (read != OPTIONS_END)
    return read == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;
  response all = {.kind = r.kind, .time = value_of(&r, OPTION_TIME)};
  all.setup =
      (spring_setup){.from = value_of(&r, OPTION_FROM),
                     .velocity = value_of(&r, OPTION_VELOCITY),
                     .goal = value_of(&r, OPTION_GOAL),
                     .goal_velocity = value_of(&r, OPTION_GOAL_VELOCITY),
                     .goal_time = value_of(&r, OPTION_GOAL_TIME),
                     .speed = value_of(&r, OPTION_SPEED),
                     .apprehension = value_of(&r, OPTION_APPREHENSION),
                     .gains = {value_of(&r, OPTION_POSITION_GAIN), value_of(&r, OPTION_VELOCITY_GAIN), 0}};
  if (!describe_spring(&r, &all.setup.parameters))
    return STATUS_BAD_INPUT;
  problem p;
  if ((r.csv != NULL && !output_file_check(r.csv, &p)) || (r.plot != NULL && !gnuplot_check(r.plot, &p))) {
    message_error("spring", "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  bool ok = respond(&all) || problem_set(&p, "out of memory");
  if (ok)
    print_table(&all);
  ok = ok && (r.csv == NULL || write_csv(&all, r.csv, &p)) && (r.plot == NULL || draw(&all, r.plot, &p));
  if (!ok)
    message_error("spring", "%s", p.text);
  forget(&all);
  return ok ? STATUS_DONE : STATUS_FAILED;
}
