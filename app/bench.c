/* msd bench: the speed of a substep, compared with the limits of this machine. */
#include "app/commands.h"

#include "app/base/gnuplot.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/progress.h"
#include "app/report/bench_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPTION_JSON = OPTIONS_FIRST_ID,
  OPTION_CSV,
  OPTION_PLOT,
  OPTION_COMPARE,
  OPTION_CASE,
  OPTION_SAMPLES,
  OPTION_SECONDS,
  OPTION_DETAILS
};

typedef enum format { FORMAT_SUMMARY, FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV } format;

typedef struct bench_options {
  format format;
  bool compare;
  /* The file for it; NULL: none. */
  const char *plot;
  /* Part of the names of the cases to run; NULL: all. */
  const char *only;
  int64_t samples;
  /* Of one sample. */
  double seconds;
} bench_options;

static int read_options(int argc, char **argv, bench_options *o) {
  static const option_spec specs[] = {
      {OPTION_DETAILS, "details", NULL, "print a table with every column", NULL},
      {OPTION_JSON, "json", NULL, "print one JSON object", NULL},
      {OPTION_CSV, "csv", NULL, "print comma-separated values", NULL},
      {OPTION_PLOT, "plot", "FILE", "plot springs per second against particles, .svg or .png", NULL},
      {OPTION_COMPARE, "compare", NULL, "compare with a textbook loop and with the engines installed here",
       NULL},
      {OPTION_CASE, "case", "TEXT", "run only cases whose names contain TEXT", "all"},
      {OPTION_SAMPLES, "samples", "N", "samples of each case, 1 to 199; the best and the median are reported",
       "9"},
      {OPTION_SECONDS, "seconds", "S", "length of a sample, s, above 0", "0.05"},
  };
  static const command_line line = {
      .name = "bench",
      .summary =
          "Measures springs per second on cloths, ropes and irregular networks, with one thread and with\n"
          "all, next to the memory bandwidth and the arithmetic peak of this machine. Every result is\n"
          "compared bit for bit with a scalar reference and with the recorded one. Then measures frames of\n"
          "cloths in self-collision, and counts exactly what intersects.",
      .options = specs,
      .option_count = (int)(sizeof specs / sizeof *specs),
      .notes = "Examples:\n"
               "  msd bench --case cloth\n"
               "  msd bench --compare --case 100x100\n"
               "Exit status: 0 done; 1 a result was wrong or a case failed; 2 bad usage; 3 a file cannot be "
               "written."};
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    if (id == OPTION_DETAILS)
      o->format = FORMAT_TABLE;
    else if (id == OPTION_JSON)
      o->format = FORMAT_JSON;
    else if (id == OPTION_CSV)
      o->format = FORMAT_CSV;
    else if (id == OPTION_PLOT)
      o->plot = reader.value;
    else if (id == OPTION_COMPARE)
      o->compare = true;
    else if (id == OPTION_CASE)
      o->only = reader.value;
    else if (id == OPTION_SAMPLES &&
             !option_take_count(&reader, 1, 199, "a whole number from 1 to 199", &o->samples))
      return OPTIONS_BAD;
    else if (id == OPTION_SECONDS && !option_take_seconds(&reader, false, &o->seconds))
      return OPTIONS_BAD;
  }
  if (o->compare && o->format == FORMAT_SUMMARY)
    o->format = FORMAT_TABLE;
  return id;
}

/* The peers whose programs are there, and a word about those that are not. */
static void find_peers(bool found[PEER_COUNT]) {
  const char *separator = "not compared with ";
  for (int p = 0; p < PEER_COUNT; p++) {
    found[p] = peers_found((peer)p);
    if (!found[p]) {
      fprintf(stderr, "%s%s (%s)", separator, peers_name((peer)p), peers_packages((peer)p));
      separator = ", ";
    }
  }
  if (*separator == ',')
    fprintf(stderr, ": the packages were not installed when msd was built\n");
}

static bool is_wanted(const bench_options *o, const char *name) {
  return !o->only || strstr(name, o->only);
}

/* Where a table tells how far it is, a summary does not. */
static void show_progress(const bench_options *o, progress *bar, const char *name) {
  char text[96];
  if (o->format == FORMAT_TABLE || o->format == FORMAT_CSV || !progress_is_due(bar))
    return;
  snprintf(text, sizeof text, "msd bench: %.60s", name);
  progress_say(bar, text);
}

/* Runs the cases that are wanted and prints each when it is done. Returns the exit status. */
static int run_cases(const bench_options *o, const speed_plan *plan, bench_report *r, progress *bar) {
  int count, status = STATUS_DONE;
  const speed_case *cases = speed_cases(&count);
  for (int n = 0; n < count; n++) {
    if (!is_wanted(o, cases[n].name))
      continue;
    speed_result *result = &r->results[r->count];
    const char *why;
    show_progress(o, bar, cases[n].name);
    if (!speed_measure(&cases[n], plan, result, &why)) {
      message_error("bench", "%s: %s", cases[n].name, why);
      status = STATUS_FAILED;
      continue;
    }
    r->cases[r->count++] = &cases[n];
    if (o->format == FORMAT_TABLE && r->count == 1)
      bench_print_table_head(r);
    if (o->format == FORMAT_TABLE)
      bench_print_table_rows(r, r->count - 1);
    if (o->format == FORMAT_CSV)
      bench_print_csv_rows(r, r->count - 1);
    fflush(stdout);
    if (result->state != SPEED_STATE_RIGHT) {
      message_error("bench", "%s: the state after %d substeps, %016" PRIx64 ", %s", cases[n].name,
                    SPEED_CHECKED_SUBSTEPS, result->hash, speed_state_text(result->state));
      status = STATUS_FAILED;
    }
  }
  return status;
}

/* Those that are wanted, printed as they are done and, for JSON, gathered in `all`. Returns the exit status. */
static int run_contacts(const bench_options *o, bench_report *r, json_t *all, progress *bar) {
  int count, done = 0, status = STATUS_DONE;
  const contact_case *cases = contact_cases(&count);
  for (int n = 0; n < count; n++) {
    contact_result result;
    if (!is_wanted(o, cases[n].name))
      continue;
    show_progress(o, bar, cases[n].name);
    if (!contact_measure(&cases[n], &result)) {
      message_error("bench", "%s: could not be built, or a step failed", cases[n].name);
      status = STATUS_FAILED;
      continue;
    }
    if (o->format == FORMAT_TABLE && done++ == 0)
      bench_print_contact_head();
    if (o->format == FORMAT_TABLE)
      bench_print_contact_rows(&cases[n], &result);
    if (o->format == FORMAT_JSON)
      json_array_append_new(all, bench_contact_json(&cases[n], &result));
    r->contact_cases[r->contact_count] = &cases[n];
    r->contacts[r->contact_count++] = result;
    fflush(stdout);
    if (!result.is_one_state || result.intersections > 0) {
      message_error("bench", "%s: %s", cases[n].name,
                    result.is_one_state ? "triangles intersect"
                                        : "the result depends on the number of threads");
      status = STATUS_FAILED;
    }
  }
  return status;
}

/* The closed-form springs, of which a batch is as fast as memory allows. */
static const char DAMPED_SPRINGS[] = "damped springs";
enum { DAMPED_SPRING_PAIRS = 1000000, DAMPED_SPRING_ROUNDS = 60 };

static bool run_damped_springs(const bench_options *o, damped_spring_speed *springs) {
  if (!bench_damped_spring(DAMPED_SPRING_PAIRS, DAMPED_SPRING_ROUNDS, springs)) {
    message_error("bench", "%s: out of memory", DAMPED_SPRINGS);
    return false;
  }
  if (o->format == FORMAT_TABLE)
    printf("\n%s: %zu critical pairs of float in %.3f ms, %.1f GB/s, %.0f%% of the speed of a copy\n",
           DAMPED_SPRINGS, springs->pairs, 1e3 * springs->update_seconds, springs->bytes_per_second / 1e9,
           100 * springs->ratio);
  return true;
}

static bool print_json(const bench_report *r, json_t *contacts, const damped_spring_speed *springs) {
  json_t *all = bench_json(r, contacts, springs);
  const bool done = all && json_dumpf(all, stdout, JSON_INDENT(2)) == 0;
  printf("\n");
  json_decref(all);
  if (!done)
    message_error("bench", "out of memory for the JSON object");
  return done;
}

static int run_bench(const bench_options *o, bench_report *r) {
  speed_plan plan = {.samples = (int)o->samples, .seconds = o->seconds, .textbook = o->compare};
  if (o->compare)
    find_peers(plan.peers);
  r->rivals[SPEED_TEXTBOOK] = o->compare;
  memcpy(r->rivals + SPEED_PEERS, plan.peers, sizeof plan.peers);
  for (int way = 0; way < SPEED_THREADS; way++) {
    r->threads[way] = way == 0 ? 1 : machine_threads();
    r->machine[way] = machine_measure(r->threads[way], plan.samples);
  }
  if (o->format == FORMAT_CSV)
    bench_print_csv_head();
  progress bar = progress_begin_lines("msd bench");
  int status = run_cases(o, &plan, r, &bar);
  json_t *contacts = json_array();
  if (o->format != FORMAT_CSV && run_contacts(o, r, contacts, &bar) != STATUS_DONE)
    status = STATUS_FAILED;
  damped_spring_speed springs = {0};
  const bool with_springs = o->format != FORMAT_CSV && is_wanted(o, DAMPED_SPRINGS);
  if (with_springs && !run_damped_springs(o, &springs))
    status = STATUS_FAILED;
  progress_clear(&bar);
  r->springs = with_springs && springs.update_seconds > 0 ? &springs : NULL;
  if (o->format == FORMAT_SUMMARY)
    bench_print_summary(r, status == STATUS_DONE);
  r->springs = NULL;
  if (o->format != FORMAT_JSON)
    json_decref(contacts);
  else if (!print_json(r, contacts, with_springs ? &springs : NULL))
    status = STATUS_FAILED;
  problem p;
  if (o->plot && r->count > 0 && !bench_plot(r, o->plot, &p)) {
    message_error("bench", "%s", p.text);
    status = STATUS_IO;
  }
  return status;
}

static bool is_any_wanted(const bench_options *o) {
  int count;
  const speed_case *cases = speed_cases(&count);
  bool any = is_wanted(o, DAMPED_SPRINGS);
  for (int n = 0; n < count; n++)
    any = any || is_wanted(o, cases[n].name);
  const contact_case *contacts = contact_cases(&count);
  for (int n = 0; n < count; n++)
    any = any || is_wanted(o, contacts[n].name);
  return any;
}

int command_bench(int argc, char **argv) {
  bench_options o = {.samples = 9, .seconds = 0.05};
  const int id = read_options(argc, argv, &o);
  if (id == OPTIONS_HELP)
    return STATUS_DONE;
  if (id == OPTIONS_BAD)
    return STATUS_BAD_INPUT;
  problem p;
  if (!is_any_wanted(&o)) {
    message_error("bench",
                  "--case \"%s\": no case has that in its name; try cloth, ropes, triangles, tetrahedra, "
                  "drape or stack",
                  o.only);
    return STATUS_BAD_INPUT;
  }
  if (o.plot && !gnuplot_check(o.plot, &p)) {
    message_error("bench", "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  int count, contacts;
  speed_cases(&count);
  contact_cases(&contacts);
  bench_report report = {.results = calloc((size_t)count, sizeof *report.results),
                         .cases = calloc((size_t)count, sizeof *report.cases),
                         .contacts = calloc((size_t)contacts, sizeof *report.contacts),
                         .contact_cases = calloc((size_t)contacts, sizeof *report.contact_cases)};
  int status = STATUS_FAILED;
  if (report.results && report.cases && report.contacts && report.contact_cases)
    status = run_bench(&o, &report);
  else
    message_error("bench", "out of memory");
  free(report.results);
  free(report.cases);
  free(report.contacts);
  free(report.contact_cases);
  return status;
}
