/* msd bench: how fast the step is on this machine, beside what the machine can do. */
#include "commands.h"

#include "bench/damped_spring.h"
#include "bench/speed.h"
#include "message.h"
#include "options.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum {
  OPTION_JSON = OPTIONS_FIRST_ID,
  OPTION_CSV,
  OPTION_COMPARE,
  OPTION_CASE,
  OPTION_SAMPLES,
  OPTION_SECONDS
};

typedef enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV } format;

typedef struct bench_options {
  format format;
  bool compare;
  const char *only; /* part of the names of the cases to run; NULL: all */
  int64_t samples;
  double seconds; /* of one sample */
} bench_options;

static int read_options(int argc, char **argv, bench_options *o) {
  static const option_spec specs[] = {
      {OPTION_JSON, "json", NULL, "print one JSON object", NULL},
      {OPTION_CSV, "csv", NULL, "print comma-separated values", NULL},
      {OPTION_COMPARE, "compare", NULL, "run the textbook loop in turns with ours, and give ratios", NULL},
      {OPTION_CASE, "case", "TEXT", "run only the cases whose names contain TEXT", "all"},
      {OPTION_SAMPLES, "samples", "N", "samples of each, 1 to 199; the least and the median are reported",
       "9"},
      {OPTION_SECONDS, "seconds", "S", "length of one sample in s, above 0", "0.05"},
  };
  static const command_line line = {
      .name = "bench",
      .summary =
          "Measures springs per second on cloths, ropes and irregular networks, with one thread and with\n"
          "all, beside the memory bandwidth and the arithmetic peak measured in the same run. Every state\n"
          "is checked against the plain scalar step, bit for bit.",
      .options = specs,
      .option_count = (int)(sizeof specs / sizeof *specs),
      .notes = "Exit status: 0 done, 1 a state was wrong or a case could not be run, 2 bad usage."};
  const char *value, *operand;
  int id;
  while ((id = options_next(&line, argc, argv, &value)) > OPTIONS_END) {
    if (id == OPTION_JSON)
      o->format = FORMAT_JSON;
    else if (id == OPTION_CSV)
      o->format = FORMAT_CSV;
    else if (id == OPTION_COMPARE)
      o->compare = true;
    else if (id == OPTION_CASE)
      o->only = value;
    else if (id == OPTION_SAMPLES && !parse_count(value, 1, 199, &o->samples)) {
      message_error("bench", "--samples %s: expected a whole number from 1 to 199", value);
      return OPTIONS_BAD;
    } else if (id == OPTION_SECONDS && !(parse_number(value, &o->seconds) && o->seconds > 0)) {
      message_error("bench", "--seconds %s: expected a number of seconds above 0", value);
      return OPTIONS_BAD;
    }
  }
  return id == OPTIONS_END && !options_operand(&line, argc, argv, &operand) ? OPTIONS_BAD : id;
}

/* Millions of springs per second. */
static double rate(const speed_result *r, double seconds) {
  return seconds > 0 ? r->springs / seconds / 1e6 : 0;
}

static void print_table_head(const machine_limits *machine, int threads, bool compare) {
  printf("memory %.1f GB/s (triad), arithmetic %.0f GFLOP/s (fused multiply-add), %d threads\n\n",
         machine->triad_bytes / 1e9, machine->fma_flops / 1e9, threads);
  printf("%-16s %9s %9s | %9s %9s %6s | %7s %6s %6s %6s | %6s %7s%s\n", "", "", "", "1 thread", "", "", "all",
         "", "of", "of", "bytes/", "build", compare ? " |     textbook     ratio" : "");
  printf("%-16s %9s %9s | %9s %9s %6s | %7s %6s %6s %6s | %6s %7s%s\n", "network", "particles", "springs",
         "Mspring/s", "median", "ns/p", "Mspr/s", "x", "memory", "peak", "p", "ms",
         compare ? " | Mspring/s     1    all" : "");
}

static void print_table_row(const speed_case *c, const speed_result *r, const machine_limits *machine) {
  const double one = r->msd[0].least, all = r->msd[1].least;
  printf("%-16s %9" PRId32 " %9" PRId32 " | %9.0f %9.0f %6.1f | %7.0f %6.2f %5.0f%% %5.0f%% | %6.0f %7.1f",
         c->name, r->particles, r->springs, rate(r, one), rate(r, r->msd[0].median), 1e9 * one / r->particles,
         rate(r, all), one / all, 100 * r->bytes / all / machine->triad_bytes,
         100 * r->flops / all / machine->fma_flops, (double)r->memory / r->particles, 1e3 * r->build_seconds);
  if (r->textbook.least > 0)
    printf(" | %9.0f %5.1f %6.1f", rate(r, r->textbook.least), r->textbook.least / one,
           r->textbook.least / all);
  printf("%s\n", r->hash_is_right ? "" : "  WRONG STATE");
}

static void print_csv_row(const speed_case *c, const speed_result *r, const machine_limits *machine) {
  for (int n = 0; n < SPEED_THREADS; n++)
    printf("%s,%" PRId32 ",%" PRId32 ",%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%zu,%.6g,%016" PRIx64 ",%s\n",
           c->name, r->particles, r->springs, r->threads[n], r->msd[n].least, r->msd[n].median,
           r->springs / r->msd[n].least, r->bytes / r->msd[n].least, r->flops / r->msd[n].least,
           machine->triad_bytes, machine->fma_flops, r->memory, r->textbook.least, r->hash,
           r->hash_is_right ? "right" : "wrong");
}

static json_t *json_row(const speed_case *c, const speed_result *r) {
  json_t *ways = json_array();
  for (int n = 0; n < SPEED_THREADS; n++)
    json_array_append_new(
        ways, json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "threads", r->threads[n], "seconds_per_substep",
                        r->msd[n].least, "median_seconds_per_substep", r->msd[n].median, "springs_per_second",
                        r->springs / r->msd[n].least, "bytes_per_second", r->bytes / r->msd[n].least,
                        "flops_per_second", r->flops / r->msd[n].least));
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
  json_t *row = json_pack("{s:s, s:i, s:i, s:I, s:f, s:s, s:b, s:o}", "network", c->name, "particles",
                          (int)r->particles, "springs", (int)r->springs, "bytes", (json_int_t)r->memory,
                          "build_seconds", r->build_seconds, "hash", hash, "hash_is_right", r->hash_is_right,
                          "msd", ways);
  if (row && r->textbook.least > 0)
    json_object_set_new(row, "textbook_seconds_per_substep", json_real(r->textbook.least));
  return row;
}

/* The closed-form springs, of which a batch is as fast as memory allows. */
static const char DAMPED_SPRINGS[] = "damped springs";
enum { DAMPED_SPRING_PAIRS = 1000000, DAMPED_SPRING_ROUNDS = 60 };

static void print_damped_springs(const damped_spring_speed *r, format f, json_t *object) {
  if (f == FORMAT_TABLE)
    printf("\n%s: %zu critical pairs of float in %.3f ms, %.1f GB/s, %.0f%% of the speed of a copy\n",
           DAMPED_SPRINGS, r->pairs, 1e3 * r->update_seconds, r->bytes_per_second / 1e9, 100 * r->ratio);
  if (f == FORMAT_JSON)
    json_object_set_new(object, "damped_springs",
                        json_pack("{s:I, s:f, s:f, s:f}", "pairs", (json_int_t)r->pairs, "update_seconds",
                                  r->update_seconds, "copy_seconds", r->copy_seconds, "ratio", r->ratio));
}

int command_bench(int argc, char **argv) {
  bench_options o = {.samples = 9, .seconds = 0.05};
  const int id = read_options(argc, argv, &o);
  if (id == OPTIONS_HELP)
    return STATUS_DONE;
  if (id == OPTIONS_BAD)
    return STATUS_BAD_INPUT;
  const machine_limits machine = machine_measure(machine_threads());
  if (o.format == FORMAT_CSV)
    printf(
        "network,particles,springs,threads,seconds_per_substep,median_seconds_per_substep,springs_per_second,"
        "bytes_per_second,flops_per_second,triad_bytes_per_second,fma_flops_per_second,bytes,"
        "textbook_seconds_per_substep,hash,state\n");
  json_t *rows = json_array();
  int count, status = STATUS_DONE, done = 0;
  const speed_case *cases = speed_cases(&count);
  for (int n = 0; n < count; n++) {
    if (o.only && !strstr(cases[n].name, o.only))
      continue;
    speed_result result;
    const char *why;
    if (!speed_measure(&cases[n], o.compare, (int)o.samples, o.seconds, &result, &why)) {
      message_error("bench", "%s: %s", cases[n].name, why);
      status = STATUS_FAILED;
      continue;
    }
    if (o.format == FORMAT_TABLE && done == 0)
      print_table_head(&machine, machine_threads(), o.compare);
    done++;
    if (!result.hash_is_right) {
      message_error("bench", "%s: threads, vectors and the scalar step do not have one state", cases[n].name);
      status = STATUS_FAILED;
    }
    if (o.format == FORMAT_TABLE)
      print_table_row(&cases[n], &result, &machine);
    else if (o.format == FORMAT_CSV)
      print_csv_row(&cases[n], &result, &machine);
    else
      json_array_append_new(rows, json_row(&cases[n], &result));
    fflush(stdout);
  }
  json_t *all = json_pack("{s:f, s:f, s:o}", "triad_bytes_per_second", machine.triad_bytes,
                          "fma_flops_per_second", machine.fma_flops, "networks", rows);
  if (o.format != FORMAT_CSV && (!o.only || strstr(DAMPED_SPRINGS, o.only))) {
    damped_spring_speed springs;
    if (bench_damped_spring(DAMPED_SPRING_PAIRS, DAMPED_SPRING_ROUNDS, &springs)) {
      print_damped_springs(&springs, o.format, all);
      done++;
    } else {
      message_error("bench", "%s: out of memory", DAMPED_SPRINGS);
      status = STATUS_FAILED;
    }
  }
  if (o.format == FORMAT_JSON) {
    json_dumpf(all, stdout, JSON_INDENT(2));
    printf("\n");
  }
  json_decref(all);
  if (done == 0 && status == STATUS_DONE) {
    message_error("bench", "no case's name contains \"%s\"", o.only);
    return STATUS_BAD_INPUT;
  }
  return status;
}
