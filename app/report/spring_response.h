/* How a closed-form spring moves over time, and what the naive formula makes of it at usual frame rates. */
#ifndef MSD_APP_REPORT_SPRING_RESPONSE_H
#define MSD_APP_REPORT_SPRING_RESPONSE_H

#include "app/base/message.h"
#include "app/report/spring_kinds.h"

enum { SPRING_RATES = 4 };

/* The states of one formula at one rate in Hz: count of them, at 0, 1/rate, 2/rate, ... */
typedef struct spring_series {
  double rate;
  int count;
  spring_state *states;
} spring_series;

typedef struct spring_response {
  spring_setup setup;
  const spring_kind *kind;
  /* s. */
  double duration;
  /* Fine enough to look continuous. */
  spring_series exact;
  spring_series naive[SPRING_RATES];
} spring_response;

/* False without memory; to be freed all the same. */
bool spring_response_make(spring_response *all, const spring_kind *kind, const spring_setup *setup,
                          double duration);
void spring_response_free(spring_response *all);

/* A table on stdout. */
void spring_response_print(const spring_response *all);
bool spring_response_write_csv(const spring_response *all, const char *path, problem *p);
bool spring_response_plot(const spring_response *all, const char *path, problem *p);

#endif
