#include "app/report/warnings.h"

#include "app/base/text_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Without memory a warning is printed all the same. */
static void keep(warning_list *w, const char *brief, const char *text) {
  if (w->lines == NULL)
    w->lines = calloc(WARNINGS_MAX, sizeof *w->lines);
  if (w->lines == NULL || w->count == WARNINGS_MAX)
    return;
  warning_line *line = &w->lines[w->count++];
  snprintf(line->text, sizeof line->text, "%s", text);
  snprintf(line->brief, sizeof line->brief, "%s", brief);
}

void warn(warning_list *w, const char *brief, const char *format, ...) {
  problem line;
  va_list values;
  va_start(values, format);
  vsnprintf(line.text, sizeof line.text, format, values);
  va_end(values);
  message_warning(w->command, "%s", line.text);
  keep(w, brief, line.text);
}

void warn_of_file(warning_list *w, const scene *s) {
  for (int i = 0; i < s->warnings.count; i++)
    warn(w, "", "%s", s->warnings.lines[i]);
}

void warnings_describe(const warning_list *w, char text[WARNINGS_TEXT_MAX]) {
  text_line line = text_line_begin(text, WARNINGS_TEXT_MAX);
  int others = 0;
  for (int i = 0; i < w->count; i++) {
    const char *brief = w->lines[i].brief;
    if (*brief != '\0')
      text_add(&line, "%s%s", line.used > 0 ? "; " : "", brief);
    others += *brief == '\0';
  }
  if (others > 0)
    text_add(&line, "%s%d %swarning%s above", line.used > 0 ? "; " : "", others, line.used > 0 ? "more " : "",
             others == 1 ? "" : "s");
}

int warnings_json(const warning_list *w, json_t *object) {
  json_t *lines = json_array();
  int failed = 0;
  for (int i = 0; i < w->count; i++)
    failed |= json_array_append_new(lines, json_string(w->lines[i].text));
  return failed | json_object_set_new(object, "warnings", lines);
}

void warnings_free(warning_list *w) {
  free(w->lines);
  w->lines = NULL;
  w->count = 0;
}
