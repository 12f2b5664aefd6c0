#include "engine/base/report.h"

#include <stdio.h>

msd_result report_fail_list(report *r, msd_result result, const char *format, va_list arguments) {
  const int length = vsnprintf(r->message, sizeof r->message, format, arguments);
  if (result == MSD_OUT_OF_MEMORY && r->memory->over_limit) {
    result = MSD_TOO_LARGE;
    if (length >= 0 && length < REPORT_MESSAGE_MAX)
      snprintf(r->message + length, sizeof r->message - (size_t)length, " within the memory_limit of %.3g GB",
               (double)r->memory->limit / 1e9);
  }
  if (r->log)
    r->log(r->message, r->log_context);
  return result;
}

msd_result report_fail(report *r, msd_result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  result = report_fail_list(r, result, format, arguments);
  va_end(arguments);
  return result;
}
