#include "app/base/text_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

text_line text_line_begin(char *text, size_t size) {
  text[0] = '\0';
  return (text_line){.text = text, .size = size};
}

static void add(text_line *line, const char *format, va_list values) {
  if (line->used + 1 >= line->size)
    return;
  const int length = vsnprintf(line->text + line->used, line->size - line->used, format, values);
  line->used += length > 0 ? (size_t)length : 0;
}

void text_add(text_line *line, const char *format, ...) {
  va_list values;
  va_start(values, format);
  add(line, format, values);
  va_end(values);
}

void text_list(text_line *line, const char *format, ...) {
  va_list values;
  if (line->used > 0)
    text_add(line, ", ");
  va_start(values, format);
  add(line, format, values);
  va_end(values);
}

/* Up to the last space that leaves a line of `width`; a longer word stays whole. A part after ";" goes to the
   next line whole, where that leaves no short line. */
static size_t length_of_line(const char *text, size_t width) {
  size_t space = 0, part = 0;
  if (strlen(text) <= width)
    return strlen(text);
  for (size_t n = 0; text[n] != '\0' && (n <= width || space == 0); n++) {
    if (text[n] != ' ')
      continue;
    space = n;
    if (n > 0 && text[n - 1] == ';')
      part = n;
  }
  return 2 * part > width ? part : space > 0 ? space : strlen(text);
}

void text_print(const char *label, int indent, const char *text, FILE *stream) {
  do {
    const size_t length = length_of_line(text, (size_t)(TEXT_COLUMNS - indent));
    fprintf(stream, "%-*s%.*s\n", indent, label, (int)length, text);
    label = "";
    text += length;
    text += strspn(text, " ");
  } while (*text != '\0');
}
