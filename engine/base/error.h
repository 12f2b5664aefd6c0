/* Error reporting: a result code, and a one-line message that is stored and logged. */
#ifndef MSD_ENGINE_BASE_ERROR_H
#define MSD_ENGINE_BASE_ERROR_H

#include "engine/base/memory.h"

enum { REPORT_MESSAGE_MAX = 256 };

typedef struct report {
  /* The last error; "" if there was none. */
  char message[REPORT_MESSAGE_MAX];
  /* May be NULL. */
  msd_log_function log;
  void *log_context;
  /* Used to check if the memory limit caused a failure. */
  const memory *memory;
} report;

/* The prefix of a message: "spring definition 7: ", "rope: ", or "rope: stretch." */
typedef struct subject {
  const char *what;
  /* Negative: no index. */
  int32_t index;
  /* The member whose field the message names, as `stretch` in rope: stretch.damping; NULL: none. */
  const char *field;
} subject;

static inline subject the_only(const char *what) {
  return (subject){what, -1, NULL};
}

/* MinGW's printf conforms to C17; its compiler assumes that of Windows by default. */
#ifdef __MINGW32__
#define REPORT_PRINTF gnu_printf
#else
#define REPORT_PRINTF printf
#endif

/* Stores and logs the message, and returns `result`; MSD_TOO_LARGE instead of MSD_OUT_OF_MEMORY if the memory
   limit was the reason. */
#if defined(__GNUC__)
__attribute__((format(REPORT_PRINTF, 3, 4)))
#endif
msd_result
report_fail(report *r, msd_result result, const char *format, ...);

/* The same with a prefix. */
#if defined(__GNUC__)
__attribute__((format(REPORT_PRINTF, 4, 5)))
#endif
msd_result
report_refuse(report *r, msd_result result, subject about, const char *format, ...);

#endif
