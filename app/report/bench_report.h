/* What msd bench found, as a table, as comma-separated values, as JSON and as a plot. */
#ifndef MSD_APP_REPORT_BENCH_REPORT_H
#define MSD_APP_REPORT_BENCH_REPORT_H

#include "app/base/output_file.h"
#include "bench/contact_speed.h"
#include "bench/damped_spring.h"
#include "bench/machine.h"
#include "bench/speed.h"

#include <jansson.h>

typedef struct bench_report {
  /* With that many threads. */
  machine_limits machine[SPEED_THREADS];
  int threads[SPEED_THREADS];
  /* Which of them run. */
  bool rivals[SPEED_RIVALS];
  /* One per case that ran. */
  speed_result *results;
  const speed_case **cases;
  int count;
  /* The same of cloths in contact. */
  contact_result *contacts;
  const contact_case **contact_cases;
  int contact_count;
  /* Of the closed-form springs; NULL: they did not run. */
  const damped_spring_speed *springs;
} bench_report;

/* At most 12 lines, the verdict first. `is_right`: all states were right, and nothing intersected. */
void bench_print_summary(const bench_report *r, bool is_right);

void bench_print_table_head(const bench_report *r);
void bench_print_table_rows(const bench_report *r, int n);

void bench_print_csv_head(void);
void bench_print_csv_rows(const bench_report *r, int n);

void bench_print_contact_head(void);
void bench_print_contact_rows(const contact_case *c, const contact_result *result);

/* One case as an object; NULL when there is no memory. */
json_t *bench_contact_json(const contact_case *c, const contact_result *result);

/* NULL when there is no memory. `contacts` is an array, and is taken; `springs` may be NULL. */
json_t *bench_json(const bench_report *r, json_t *contacts, const damped_spring_speed *springs);

/* Springs per second against particles, with gnuplot. */
bool bench_plot(const bench_report *r, const char *path, problem *p);

#endif
