/* The warnings of a command: printed when they are found, and kept for the summary. */
#ifndef MSD_APP_REPORT_WARNINGS_H
#define MSD_APP_REPORT_WARNINGS_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stddef.h>

enum { WARNINGS_MAX = 32, WARNING_BRIEF_MAX = 96 };

typedef struct warning_line {
  char text[PROBLEM_MAX];
  /* The same in some words, for one line of all; "": none. */
  char brief[WARNING_BRIEF_MAX];
} warning_line;

typedef struct warning_list {
  /* Of the command. */
  const char *command;
  warning_line *lines;
  int count;
} warning_list;

/* Prints "msd COMMAND: warning: ..." and keeps it, with these few words for the summary. */
void warn(warning_list *w, const char *brief, const char *format, ...) MESSAGE_FORMAT(3, 4);

/* Those of the file of the scene. */
void warn_of_file(warning_list *w, const scene *s);

enum { WARNINGS_TEXT_MAX = 400 };

/* "nothing holds "cloth 1"; 2 more warnings above"; "" where there are none. */
void warnings_describe(const warning_list *w, char text[WARNINGS_TEXT_MAX]);

/* Adds the list "warnings" to an object. Nonzero when memory is short. */
int warnings_json(const warning_list *w, json_t *object);

void warnings_free(warning_list *w);

#endif
