#include "app/base/message.h"

#include <stdarg.h>
#include <stdio.h>

/* Longer lines are cut. */
enum { LINE_MAX_BYTES = 4096 };

/* Names of files and values of options may hold line breaks and the codes that a terminal obeys. */
static void replace_controls(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f)
      *text = '?';
}

static void print_line(const char *command, const char *label, const char *format, va_list values) {
  char text[LINE_MAX_BYTES];
  vsnprintf(text, sizeof text, format, values);
  replace_controls(text);
  fprintf(stderr, "msd%s%s: %s%s\n", *command ? " " : "", command, label, text);
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
