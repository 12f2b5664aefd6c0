/* What msd bench found, as a table, as comma-separated values, as JSON and as a plot. */
#ifndef MSD_APP_REPORT_BENCH_REPORT_H
#define MSD_APP_REPORT_BENCH_REPORT_H

#include "app/base/output_file.h"
#include "bench/damped_spring.h"
#include "bench/machine.h"
#include "bench/speed.h"

#include <jansson.h>

typedef struct bench_report {
  machine_limits machine[SPEED_THREADS]; /* with that many threads */
  int threads[SPEED_THREADS];
  bool rivals[SPEED_RIVALS]; /* which of them run */
  speed_result *results;     /* one per case that ran */
  const speed_case **cases;
  int count;
} bench_report;

void bench_print_table_head(const bench_report *r);
void bench_print_table_rows(const bench_report *r, int n);

void bench_print_csv_head(void);
void bench_print_csv_rows(const bench_report *r, int n);

/* NULL when there is no memory. `springs` may be NULL. */
json_t *bench_json(const bench_report *r, const damped_spring_speed *springs);

/* Springs per second against particles, with gnuplot. */
bool bench_plot(const bench_report *r, const char *path, problem *p);

#endif
