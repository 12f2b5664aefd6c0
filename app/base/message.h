/* What the command says on stderr, one line at a time. */
#ifndef MSD_APP_BASE_MESSAGE_H
#define MSD_APP_BASE_MESSAGE_H

#include <stdbool.h>

#ifdef __GNUC__
#define MESSAGE_FORMAT(text, values) __attribute__((format(printf, text, values)))
#else
#define MESSAGE_FORMAT(text, values)
#endif

/* "msd COMMAND: ..." on stderr. `command` is "" for msd itself. */
void message_error(const char *command, const char *format, ...) MESSAGE_FORMAT(2, 3);

/* "msd COMMAND: warning: ..." on stderr. */
void message_warning(const char *command, const char *format, ...) MESSAGE_FORMAT(2, 3);

enum { PROBLEM_MAX = 1200 };

/* Why a function returned false: one line without newline that names the file and the remedy. */
typedef struct problem {
  char text[PROBLEM_MAX];
} problem;

/* Fills the problem and returns false, so that a function can end with `return problem_set(...)`. */
bool problem_set(problem *p, const char *format, ...) MESSAGE_FORMAT(2, 3);

#endif
