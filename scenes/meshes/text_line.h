/* Lines of text files, cut into words and numbers. */
#ifndef MSD_SCENES_MESHES_TEXT_LINE_H
#define MSD_SCENES_MESHES_TEXT_LINE_H

#include <stdlib.h>
#include <string.h>

#define LINE_BLANKS " \t\r"

static inline const char *skip_blanks(const char *text) {
  return text + strspn(text, LINE_BLANKS);
}

/* The characters of the first word; 0 at the end of the line. */
static inline size_t word_length(const char *text) {
  return strcspn(text, LINE_BLANKS);
}

/* The characters of a line, without the blanks at its end. */
static inline size_t trimmed_length(const char *text) {
  size_t length = strlen(text);
  while (length > 0 && strchr(LINE_BLANKS, text[length - 1]))
    length--;
  return length;
}

/* How many numbers a line begins with, at most 3; the others are 0. */
static inline int line_numbers(const char *line, double numbers[3]) {
  int count = 0;
  for (int c = 0; c < 3; c++)
    numbers[c] = 0;
  for (char *end; count < 3; count++, line = end) {
    const double number = strtod(line, &end);
    if (end == line)
      break;
    numbers[count] = number;
  }
  return count;
}

#endif
