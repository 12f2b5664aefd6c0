#include "app/report/bench_report.h"

#include "app/base/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double rate(const speed_result *r, double seconds) {
  return seconds > 0 ? r->springs / seconds : 0;
}

/* How many times as fast as a rival; 0 when it did not run. */
static double ratio(const speed_rival *rival, double seconds) {
  return rival->time.least / seconds;
}

static double memory_share(const bench_report *r, int n, int way) {
  const speed_result *s = &r->results[n];
  return s->bytes / s->msd[way].least / r->machine[way].triad_bytes;
}

static double arithmetic_share(const bench_report *r, int n, int way) {
  const speed_result *s = &r->results[n];
  return s->flops / s->msd[way].least / r->machine[way].fma_flops;
}

/* ----------------------------------------------------------------------------------------------------- table
   */

void bench_print_table_head(const bench_report *r) {
  for (int way = 0; way < SPEED_THREADS; way++)
    printf("%d thread%s: memory %.1f GB/s (triad), arithmetic %.0f GFLOP/s (fused multiply-add, %s)\n",
           r->threads[way], r->threads[way] == 1 ? " " : "s", r->machine[way].triad_bytes / 1e9,
           r->machine[way].fma_flops / 1e9, precision_name());
  printf("\n%-16s %9s %9s %3s | %9s %7s %6s | %5s %5s %7s %5s | %6s %7s %-16s", "", "", "", "", "Mspring/s",
         "", "ns per", "", "of", "", "of", "bytes/", "build", "");
  for (int rival = 0; rival < SPEED_RIVALS; rival++)
    if (r->rivals[rival])
      printf("%s%9s", rival == 0 ? " | " : " ", "ratio to");
  printf("\n%-16s %9s %9s %3s | %9s %7s %6s | %5s %5s %7s %5s | %6s %7s %-16s", "network", "particles",
         "springs", "thr", "best", "median", "part.", "GB/s", "triad", "GFLOP/s", "peak", "part.", "ms",
         "state");
  for (int rival = 0; rival < SPEED_RIVALS; rival++)
    if (r->rivals[rival])
      printf("%s%9s", rival == 0 ? " | " : " ", speed_rival_name(rival));
  printf("\n");
}

static void print_ratios(const bench_report *r, int n, int way) {
  for (int rival = 0; rival < SPEED_RIVALS; rival++)
    if (r->rivals[rival]) {
      printf("%s", rival == 0 ? " | " : " ");
      if (r->results[n].rivals[rival].time.least > 0)
        printf("%9.1f", ratio(&r->results[n].rivals[rival], r->results[n].msd[way].least));
      else
        printf("%9s", "-");
    }
}

/* What the rivals reach themselves. */
static void print_rivals(const bench_report *r, int n) {
  const speed_result *s = &r->results[n];
  printf("%-131s", "");
  for (int rival = 0; rival < SPEED_RIVALS; rival++)
    if (r->rivals[rival]) {
      printf("%s", rival == 0 ? " | " : " ");
      if (s->rivals[rival].time.least > 0)
        printf("%7.1f M", rate(s, s->rivals[rival].time.least) / 1e6);
      else
        printf("%9s", "-");
    }
  printf("\n");
}

void bench_print_table_rows(const bench_report *r, int n) {
  const speed_result *s = &r->results[n];
  for (int way = 0; way < SPEED_THREADS; way++) {
    const speed_time *time = &s->msd[way];
    if (way == 0)
      printf("%-16s %9" PRId32 " %9" PRId32, r->cases[n]->name, s->particles, s->springs);
    else
      printf("%-36s", "");
    printf(" %3d | %9.0f %7.0f %6.2f | %5.1f %4.0f%% %7.1f %4.0f%% | ", r->threads[way],
           rate(s, time->least) / 1e6, rate(s, time->median) / 1e6, 1e9 * time->least / s->particles,
           s->bytes / time->least / 1e9, 100 * memory_share(r, n, way), s->flops / time->least / 1e9,
           100 * arithmetic_share(r, n, way));
    if (way == 0)
      printf("%6.0f %7.1f %016" PRIx64, (double)s->memory / s->particles, 1e3 * s->build_seconds, s->hash);
    else
      printf("%-31s", s->state == SPEED_STATE_RIGHT ? "" : "                      WRONG");
    print_ratios(r, n, way);
    printf("\n");
  }
  if (r->rivals[SPEED_TEXTBOOK])
    print_rivals(r, n);
}

void bench_print_contact_head(void) {
  printf("\n%-16s %9s %9s %3s | %10s %10s %9s | %13s %12s\n", "", "", "", "", "ms a frame", "without",
         "us per", "intersections", "without");
  printf("%-16s %9s %9s %3s | %10s %10s %9s | %13s %12s\n", "surfaces", "particles", "triangles", "thr", "",
         "surfaces", "particle", "", "surfaces");
}

void bench_print_contact_rows(const contact_case *c, const contact_result *result) {
  for (int way = 0; way < CONTACT_THREADS; way++) {
    if (way == 0)
      printf("%-16s %9" PRId32 " %9" PRId32, c->name, result->particles, result->triangles);
    else
      printf("%-36s", "");
    printf(" %3d | %10.2f %10.2f %9.3f |", result->threads[way], 1e3 * result->seconds[way],
           1e3 * result->bare_seconds[way], 1e6 * result->seconds[way] / result->particles);
    if (way == 0)
      printf(" %13" PRId64 " %12" PRId64, result->intersections, result->bare_intersections);
    printf("\n");
  }
}

/* --------------------------------------------------------------------------------------------------- summary
   */

static int fastest(const bench_report *r, int way) {
  int best = 0;
  for (int n = 1; n < r->count; n++)
    if (rate(&r->results[n], r->results[n].msd[way].least) >
        rate(&r->results[best], r->results[best].msd[way].least))
      best = n;
  return best;
}

static void print_verdict(const bench_report *r, bool is_right) {
  printf("msd bench: %s", is_right ? "all results are correct" : "SOME RESULTS ARE WRONG");
  for (int way = 0; way < SPEED_THREADS && r->count > 0; way++) {
    const int best = fastest(r, way);
    printf("%s %.0f M springs/s with %d thread%s (%s)", way == 0 ? "; up to" : ",",
           rate(&r->results[best], r->results[best].msd[way].least) / 1e6, r->threads[way],
           r->threads[way] == 1 ? "" : "s", r->cases[best]->name);
  }
  printf("\n");
}

/* "cloth" of "cloth 32x32". */
static int family_length(const char *name) {
  return (int)strcspn(name, " ");
}

static bool is_new_family(const char *name, const char *before) {
  const int length = family_length(name);
  return !before || length != family_length(before) || strncmp(name, before, (size_t)length) != 0;
}

/* The rest of a name, and a value for each number of threads. */
static void print_item(const char *name, const double values[SPEED_THREADS], int digits) {
  const char *size = name + family_length(name);
  printf("  %s", *size ? size + 1 : size);
  for (int way = 0; way < SPEED_THREADS; way++)
    printf("%s%.*f", way == 0 ? ": " : " / ", digits, values[way]);
}

static void print_family(const char *name, const char *before) {
  if (is_new_family(name, before))
    printf("%s  %-12.*s", before ? "\n" : "", family_length(name), name);
  else
    printf(", ");
}

static void print_networks(const bench_report *r) {
  printf("M springs/s, %d / %d threads\n", r->threads[0], r->threads[1]);
  for (int n = 0; n < r->count; n++) {
    double values[SPEED_THREADS];
    for (int way = 0; way < SPEED_THREADS; way++)
      values[way] = rate(&r->results[n], r->results[n].msd[way].least) / 1e6;
    print_family(r->cases[n]->name, n > 0 ? r->cases[n - 1]->name : NULL);
    print_item(r->cases[n]->name, values, 0);
  }
  printf("\n  %-12s  memory: %.1f / %.1f GB/s,   arithmetic: %.0f / %.0f GFLOP/s\n", "machine",
         r->machine[0].triad_bytes / 1e9, r->machine[1].triad_bytes / 1e9, r->machine[0].fma_flops / 1e9,
         r->machine[1].fma_flops / 1e9);
}

static void print_contacts(const bench_report *r) {
  printf("ms per frame with contact, %d / %d threads\n", r->contacts[0].threads[0],
         r->contacts[0].threads[1]);
  for (int n = 0; n < r->contact_count; n++) {
    const double values[SPEED_THREADS] = {1e3 * r->contacts[n].seconds[0], 1e3 * r->contacts[n].seconds[1]};
    print_family(r->contact_cases[n]->name, n > 0 ? r->contact_cases[n - 1]->name : NULL);
    print_item(r->contact_cases[n]->name, values, 1);
  }
  printf("\n");
}

void bench_print_summary(const bench_report *r, bool is_right) {
  print_verdict(r, is_right);
  if (r->count > 0)
    print_networks(r);
  if (r->contact_count > 0)
    print_contacts(r);
  if (r->springs)
    printf("closed-form damped springs: %.0f million pairs/s, %.0f %% of the speed of a copy\n",
           (double)r->springs->pairs / r->springs->update_seconds / 1e6, 100 * r->springs->ratio);
  printf("All columns: --details, --csv, --json.\n");
}

/* ------------------------------------------------------------------------------------------------------- CSV
   */

void bench_print_csv_head(void) {
  printf("network,particles,springs,threads,precision,seconds_per_substep,median_seconds_per_substep,"
         "springs_per_second,nanoseconds_per_particle,bytes_per_second,triad_bytes_per_second,memory_share,"
         "flops_per_second,fma_flops_per_second,arithmetic_share,bytes,bytes_per_particle,build_seconds,hash,"
         "state");
  for (int rival = 0; rival < SPEED_RIVALS; rival++)
    printf(",%s_springs_per_second,%s_ratio,%s_distance", speed_rival_name(rival), speed_rival_name(rival),
           speed_rival_name(rival));
  printf("\n");
}

void bench_print_csv_rows(const bench_report *r, int n) {
  static const char *const states[SPEED_STATE_COUNT] = {"right", "wrong", "unknown", "different"};
  const speed_result *s = &r->results[n];
  for (int way = 0; way < SPEED_THREADS; way++) {
    const speed_time *time = &s->msd[way];
    printf("%s,%" PRId32 ",%" PRId32 ",%d,%s,%.6g,%.6g,%.6g,%.6g,", r->cases[n]->name, s->particles,
           s->springs, r->threads[way], precision_name(), time->least, time->median, rate(s, time->least),
           1e9 * time->least / s->particles);
    printf("%.6g,%.6g,%.4g,%.6g,%.6g,%.4g,", s->bytes / time->least, r->machine[way].triad_bytes,
           memory_share(r, n, way), s->flops / time->least, r->machine[way].fma_flops,
           arithmetic_share(r, n, way));
    printf("%zu,%.6g,%.6g,%016" PRIx64 ",%s", s->memory, (double)s->memory / s->particles, s->build_seconds,
           s->hash, states[s->state]);
    for (int rival = 0; rival < SPEED_RIVALS; rival++) {
      const speed_rival *other = &s->rivals[rival];
      if (other->time.least > 0)
        printf(",%.6g,%.4g,%.2g", rate(s, other->time.least), ratio(other, time->least), other->distance);
      else
        printf(",,,");
    }
    printf("\n");
  }
}

/* ------------------------------------------------------------------------------------------------------ JSON
   */

static json_t *json_way(const bench_report *r, int n, int way) {
  const speed_result *s = &r->results[n];
  const speed_time *time = &s->msd[way];
  return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "threads", r->threads[way],
                   "seconds_per_substep", time->least, "median_seconds_per_substep", time->median,
                   "springs_per_second", rate(s, time->least), "nanoseconds_per_particle",
                   1e9 * time->least / s->particles, "bytes_per_second", s->bytes / time->least,
                   "memory_share", memory_share(r, n, way), "flops_per_second", s->flops / time->least,
                   "arithmetic_share", arithmetic_share(r, n, way));
}

static json_t *json_rivals(const speed_result *s) {
  json_t *all = json_object();
  for (int rival = 0; rival < SPEED_RIVALS; rival++) {
    const speed_rival *other = &s->rivals[rival];
    if (other->time.least > 0)
      json_object_set_new(all, speed_rival_name(rival),
                          json_pack("{s:f, s:f, s:f, s:f}", "springs_per_second", rate(s, other->time.least),
                                    "median_seconds_per_substep", other->time.median, "ratio",
                                    ratio(other, s->msd[0].least), "distance", other->distance));
  }
  return all;
}

static json_t *json_network(const bench_report *r, int n) {
  const speed_result *s = &r->results[n];
  json_t *ways = json_array();
  for (int way = 0; way < SPEED_THREADS; way++)
    json_array_append_new(ways, json_way(r, n, way));
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
  return json_pack("{s:s, s:i, s:i, s:I, s:f, s:f, s:s, s:b, s:o, s:o}", "network", r->cases[n]->name,
                   "particles", (int)s->particles, "springs", (int)s->springs, "bytes", (json_int_t)s->memory,
                   "bytes_per_particle", (double)s->memory / s->particles, "build_seconds", s->build_seconds,
                   "hash", hash, "hash_is_right", s->state == SPEED_STATE_RIGHT, "msd", ways, "others",
                   json_rivals(s));
}

json_t *bench_contact_json(const contact_case *c, const contact_result *result) {
  json_t *ways = json_array();
  for (int way = 0; way < CONTACT_THREADS; way++)
    json_array_append_new(ways, json_pack("{s:i, s:f, s:f}", "threads", result->threads[way],
                                          "seconds_per_frame", result->seconds[way],
                                          "seconds_per_frame_without_surfaces", result->bare_seconds[way]));
  return json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:o}", "surfaces", c->name, "particles",
                   (int)result->particles, "triangles", (int)result->triangles, "substeps_per_frame",
                   CONTACT_SUBSTEPS, "intersections", (json_int_t)result->intersections,
                   "intersections_without_surfaces", (json_int_t)result->bare_intersections, "msd", ways);
}

json_t *bench_json(const bench_report *r, json_t *contacts, const damped_spring_speed *springs) {
  json_t *machine = json_array(), *networks = json_array();
  for (int way = 0; way < SPEED_THREADS; way++)
    json_array_append_new(machine, json_pack("{s:i, s:f, s:f}", "threads", r->threads[way],
                                             "triad_bytes_per_second", r->machine[way].triad_bytes,
                                             "fma_flops_per_second", r->machine[way].fma_flops));
  for (int n = 0; n < r->count; n++)
    json_array_append_new(networks, json_network(r, n));
  json_t *all = json_pack("{s:s, s:o, s:o, s:o}", "precision", precision_name(), "machine", machine,
                          "networks", networks, "surfaces", contacts);
  if (all && springs)
    json_object_set_new(all, "damped_springs",
                        json_pack("{s:I, s:f, s:f, s:f}", "pairs", (json_int_t)springs->pairs,
                                  "update_seconds", springs->update_seconds, "copy_seconds",
                                  springs->copy_seconds, "ratio", springs->ratio));
  return all;
}
