/* msd spring: the exact response of a damped spring, beside naive formulas at common frame rates. */
#include "app/commands.h"

#include "app/base/gnuplot.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/output_file.h"
#include "app/report/spring_response.h"

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
  /* By id of the option. */
  double number[NUMBERS];
  bool given[NUMBERS];
  /* NULL: not wanted. */
  const char *csv, *plot;
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
    {OPTION_KIND, "kind", "NAME", "which spring: a kind from the list below", "spring"},
    {OPTION_FREQUENCY, "frequency", "HZ", "oscillations per second", "2"},
    {OPTION_RATIO, "ratio", "R", "damping ratio; 1 is critical", "0.25"},
    {OPTION_HALFLIFE, "halflife", "S", "half-life in seconds", "0.15"},
    {OPTION_STIFFNESS, "stiffness", "K", "stiffness of a unit mass, k/m in 1/s^2", NULL},
    {OPTION_DAMPING, "damping", "D", "damping of a unit mass, c/m in 1/s", NULL},
    {OPTION_DURATION, "period", "S", "seconds of one oscillation", NULL},
    {OPTION_BOUNCE, "bounce", "B", "0 is critical, 1 is undamped", NULL},
    {OPTION_FROM, "from", "X", "where it starts", "0"},
    {OPTION_VELOCITY, "velocity", "V", "velocity at the start, in 1/s", "0"},
    {OPTION_GOAL, "goal", "X", "where it goes; a velocity in 1/s for a character", "1"},
    {OPTION_GOAL_VELOCITY, "goal-velocity", "V", "velocity of the goal in 1/s (spring, critical)", "0"},
    {OPTION_GOAL_TIME, "goal-time", "S", "when to arrive, in seconds (timed)", "1"},
    {OPTION_SPEED, "speed", "V", "speed in 1/s (velocity)", "1"},
    {OPTION_APPREHENSION, "apprehension", "N", "half-lives of looking ahead (timed, velocity)", "2"},
    {OPTION_POSITION_GAIN, "position-gain", "G", "gain per 1/60 s, 0..1 (tracking)", "0.05"},
    {OPTION_VELOCITY_GAIN, "velocity-gain", "G", "gain per 1/60 s, 0..1 (tracking)", "0.2"},
    {OPTION_TIME, "duration", "S", "time to show, in seconds", "1.5"},
    {OPTION_CSV, "csv", "FILE", "write all values as CSV: formula, rate in Hz (0: continuous), time, x, v",
     NULL},
    {OPTION_PLOT, "plot", "FILE", "draw them with gnuplot; .svg or .png", NULL},
};

static const option_group option_groups[] = {
    {OPTION_KIND, "Spring"}, {OPTION_FROM, "Motion"}, {OPTION_TIME, "Output"}, {0, NULL}};

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

static bool read_kind(request *r, const option_reader *reader) {
  const char *names[SPRING_KINDS + 1] = {NULL};
  for (int i = 0; i < SPRING_KINDS; i++)
    names[i] = spring_kinds[i].name;
  int index;
  if (!option_take_name(reader, names, &index))
    return false;
  r->kind = &spring_kinds[index];
  return true;
}

static bool read_number(request *r, const option_reader *reader) {
  const int id = reader->option->id;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const number_spec *spec = &numbers[i];
    double value;
    if (spec->id != id)
      continue;
    if (!parse_number(reader->value, &value) || value < spec->least || value > spec->most) {
      char range[80];
      snprintf(range, sizeof range, "a number from %g to %g", spec->least, spec->most);
      return option_refuse(reader, range);
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
        "spring and angle take one pair: --frequency and --ratio, --frequency and --halflife, --ratio and\n"
        "--halflife, --stiffness and --damping, or --period and --bounce. The other kinds take --halflife.\n"
        "The table shows the exact response and the naive formula at 15, 30, 60 and 144 Hz.\n"
        "exit status: 0 done; 2 bad usage; 3 a file cannot be written.");
  return text;
}

/* OPTIONS_END when the request is complete, else what options_next said. */
static int read_request(int argc, char **argv, request *r) {
  *r = (request){.kind = &spring_kinds[1]};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    r->number[numbers[i].id - OPTIONS_FIRST_ID] = numbers[i].initial;
  char notes[2048];
  const command_line line = {
      .name = "spring",
      .summary =
          "Shows the exact response of one damped spring of unit mass, beside naive formulas that depend on\n"
          "the frame rate.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .groups = option_groups,
      .outputs = "--csv FILE and --plot FILE",
      .notes = write_notes(notes, sizeof notes),
      .examples = "  msd spring --frequency 2 --ratio 0.25       an underdamped spring\n"
                  "  msd spring --kind critical --halflife 0.2   a critically damped one\n"
                  "  msd spring --kind damper --plot damper.svg  a plot"};
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    bool ok = true;
    if (id == OPTION_KIND)
      ok = read_kind(r, &reader);
    else if (id == OPTION_CSV)
      r->csv = reader.value;
    else if (id == OPTION_PLOT)
      r->plot = reader.value;
    else
      ok = read_number(r, &reader);
    if (!ok)
      return OPTIONS_BAD;
  }
  return id != OPTIONS_END || check_uses(r) ? id : OPTIONS_BAD;
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
    message_error(
        "spring",
        "give one pair: --frequency and --ratio, --frequency and --halflife, --ratio and --halflife, "
        "--stiffness and --damping, or --period and --bounce");
    return false;
  }
}

int command_spring(int argc, char **argv) {
  request r;
  const int read = read_request(argc, argv, &r);
  if (read != OPTIONS_END)
    return read == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;
  spring_setup setup = {.from = value_of(&r, OPTION_FROM),
                        .velocity = value_of(&r, OPTION_VELOCITY),
                        .goal = value_of(&r, OPTION_GOAL),
                        .goal_velocity = value_of(&r, OPTION_GOAL_VELOCITY),
                        .goal_time = value_of(&r, OPTION_GOAL_TIME),
                        .speed = value_of(&r, OPTION_SPEED),
                        .apprehension = value_of(&r, OPTION_APPREHENSION),
                        .gains = {value_of(&r, OPTION_POSITION_GAIN), value_of(&r, OPTION_VELOCITY_GAIN), 0}};
  if (!describe_spring(&r, &setup.parameters))
    return STATUS_BAD_INPUT;
  problem p;
  if ((r.csv != NULL && !output_file_check(r.csv, &p)) || (r.plot != NULL && !gnuplot_check(r.plot, &p))) {
    message_error("spring", "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  spring_response all;
  bool ok = spring_response_make(&all, r.kind, &setup, value_of(&r, OPTION_TIME)) ||
            problem_set(&p, "out of memory");
  if (ok)
    spring_response_print(&all);
  ok = ok && (r.csv == NULL || spring_response_write_csv(&all, r.csv, &p)) &&
       (r.plot == NULL || spring_response_plot(&all, r.plot, &p));
  if (!ok)
    message_error("spring", "%s", p.text);
  spring_response_free(&all);
  return ok ? STATUS_DONE : STATUS_IO;
}
