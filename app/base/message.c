#include "app/base/message.h"

#include <stdarg.h>
#include <stdio.h>

static void print_line(const char *command, const char *label, const char *format, va_list values) {
  fprintf(stderr, "msd%s%s: %s", *command ? " " : "", command, label);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
}

void message_error(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_line(command, "", format, values);
  va_end(values);
}

void message_warning(const char *command, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_line(command, "warning: ", format, values);
  va_end(values);
}

bool problem_set(problem *p, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(p->text, sizeof p->text, format, values);
  va_end(values);
  return false;
}
