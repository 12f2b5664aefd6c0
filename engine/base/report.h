/* How a call says what went wrong: a result, and one line of text that is kept and told to the log. */
#ifndef MSD_ENGINE_BASE_REPORT_H
#define MSD_ENGINE_BASE_REPORT_H

#include "engine/base/memory.h"

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

/* What a message is about. It begins with that: "spring definition 7: ", "rope: ", or "rope: stretch." */
typedef struct subject {
  const char *what;
  /* Negative: there is one only. */
  int32_t index;
  /* A field of it that the message names first a field of; NULL: none. */
  const char *field;
} subject;

static inline subject the_only(const char *what) {
  return (subject){what, -1, NULL};
}

/* Keeps the message, tells the log, and returns `result`; MSD_TOO_LARGE instead of MSD_OUT_OF_MEMORY when it
   was the memory limit that refused. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
msd_result
report_fail(report *r, msd_result result, const char *format, ...);

/* The same of a message about something. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
msd_result
report_refuse(report *r, msd_result result, subject about, const char *format, ...);

#endif
