#include "engine/base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* A message being written, truncated to its maximum length. */
typedef struct writing {
  char *text;
  size_t length;
} writing;

static void add_list(writing *w, const char *format, va_list arguments) {
  const int length = vsnprintf(w->text + w->length, REPORT_MESSAGE_MAX - w->length, format, arguments);
  if (length > 0)
    w->length += (size_t)length;
  if (w->length >= REPORT_MESSAGE_MAX)
    w->length = REPORT_MESSAGE_MAX - 1;
}

static void add(writing *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_list(w, format, arguments);
  va_end(arguments);
}

static void add_subject(writing *w, subject about) {
  add(w, "%s", about.what);
  if (about.index >= 0)
    add(w, " %d", (int)about.index);
  add(w, ": ");
  if (about.field)
    add(w, "%s.", about.field);
}

static msd_result finish(report *r, writing *w, msd_result result) {
  if (result == MSD_OUT_OF_MEMORY && r->memory->over_limit) {
    result = MSD_TOO_LARGE;
    add(w, " within the memory_limit of %.3g GB", (double)r->memory->limit / 1e9);
  }
  if (r->log)
    r->log(r->message, r->log_context);
  return result;
}

msd_result report_fail(report *r, msd_result result, const char *format, ...) {
  writing w = {r->message, 0};
  va_list arguments;
  va_start(arguments, format);
  add_list(&w, format, arguments);
  va_end(arguments);
  return finish(r, &w, result);
}

msd_result report_refuse(report *r, msd_result result, subject about, const char *format, ...) {
  writing w = {r->message, 0};
  va_list arguments;
  add_subject(&w, about);
  va_start(arguments, format);
  add_list(&w, format, arguments);
  va_end(arguments);
  return finish(r, &w, result);
}
