/* How a call reports what went wrong: a result, and one line of text that is kept and logged. */
#ifndef MSD_ENGINE_BASE_REPORT_H
#define MSD_ENGINE_BASE_REPORT_H

#include "engine/base/memory.h"

enum { REPORT_MESSAGE_MAX = 256 };

typedef struct report {
  /* The last failure; "" when nothing has failed. */
  char message[REPORT_MESSAGE_MAX];
  /* May be NULL. */
  msd_log_function log;
  void *log_context;
  /* Its limit may be the reason why an allocation failed. */
  const memory *memory;
} report;

/* What a message is about, and begins with: "spring definition 7: ", "rope: ", or "rope: stretch." */
typedef struct subject {
  const char *what;
  /* Negative: there is only one. */
  int32_t index;
  /* The member whose field the message names, as `stretch` in rope: stretch.damping; NULL: none. */
  const char *field;
} subject;

static inline subject the_only(const char *what) {
  return (subject){what, -1, NULL};
}

/* MinGW's printf is that of C17; its compiler takes it for that of Windows unless told. */
#ifdef __MINGW32__
#define REPORT_PRINTF gnu_printf
#else
#define REPORT_PRINTF printf
#endif

/* Keeps and logs the message, and returns `result`; MSD_TOO_LARGE instead of MSD_OUT_OF_MEMORY when the memory
   limit was the reason. */
#if defined(__GNUC__)
__attribute__((format(REPORT_PRINTF, 3, 4)))
#endif
msd_result
report_fail(report *r, msd_result result, const char *format, ...);

/* The same with a message about `about`. */
#if defined(__GNUC__)
__attribute__((format(REPORT_PRINTF, 4, 5)))
#endif
msd_result
report_refuse(report *r, msd_result result, subject about, const char *format, ...);

#endif
