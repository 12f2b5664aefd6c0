/* One line of text in a buffer of fixed size, added to part by part. What does not fit is cut. */
#ifndef MSD_APP_BASE_TEXT_LINE_H
#define MSD_APP_BASE_TEXT_LINE_H

#include "app/base/message.h"

#include <stddef.h>
#include <stdio.h>

typedef struct text_line {
  char *text;
  size_t size, used;
} text_line;

/* Empties the buffer, of at least one byte. */
text_line text_line_begin(char *text, size_t size);

/* Adds as printf would. */
void text_add(text_line *line, const char *format, ...) MESSAGE_FORMAT(2, 3);

/* Adds ", " unless the line is empty, then as printf would. */
void text_list(text_line *line, const char *format, ...) MESSAGE_FORMAT(2, 3);

/* The width of the output of a command. */
enum { TEXT_COLUMNS = 110 };

/* Prints a label, which is padded to `indent`, and the text behind it, in lines of TEXT_COLUMNS at most that
   break at spaces; further lines are indented. */
void text_print(const char *label, int indent, const char *text, FILE *stream);

#endif
