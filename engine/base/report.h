/* How a call says what went wrong: a result, and one line of text that is kept and told to the log. */
#ifndef MSD_ENGINE_BASE_REPORT_H
#define MSD_ENGINE_BASE_REPORT_H

#include "engine/base/memory.h"

#include <stdarg.h>

enum { REPORT_MESSAGE_MAX = 256 };

typedef struct report {
  /* The last failure; "" when nothing has failed. */
  char message[REPORT_MESSAGE_MAX];
  /* NULL: nobody is told. */
  msd_log_function log;
  void *log_context;
  /* Whose limit may have been the reason that there was no memory. */
  const memory *memory;
} report;

/* Keeps the message, tells the log, and returns `result`; MSD_TOO_LARGE instead of MSD_OUT_OF_MEMORY when it
   was the memory limit that refused. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
msd_result
report_fail(report *r, msd_result result, const char *format, ...);

/* The same with the arguments of a function that takes them as `...`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
msd_result
report_fail_list(report *r, msd_result result, const char *format, va_list arguments);

#endif
