/* The progress of a run on stderr. On a terminal it is one line that is redrawn at most ten times a second.
   Elsewhere there is none, or a line of its own every few seconds. */
#ifndef MSD_APP_BASE_PROGRESS_H
#define MSD_APP_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a run is. */
typedef struct progress_state {
  /* Done, and in all. */
  int64_t frame, frames;
  /* Where this part of the run began. */
  int64_t first_frame;
  /* Since then. */
  double seconds;
  /* While stepping; 0: not known. */
  double springs_per_second;
} progress_state;

enum { PROGRESS_COLUMNS = 79 };

/* The line without its end, at most PROGRESS_COLUMNS letters. */
void progress_text(const char *title, const progress_state *state, char *text, size_t size);

typedef struct progress {
  const char *title;
  bool on_terminal;
  /* Elsewhere: a line every PROGRESS_LINE_SECONDS. */
  bool in_lines;
  /* There is a line to be cleared. */
  bool drawn;
  /* s of progress_clock, or when it began: a short run shows nothing. */
  double last_drawn;
} progress;

/* `title` must outlive the progress. */
progress progress_begin(const char *title);

/* The same, with lines where stderr is no terminal. */
progress progress_begin_lines(const char *title);

enum { PROGRESS_LINE_SECONDS = 5 };

/* Whether it is time to draw; progress_say then shows any text instead of a bar. */
bool progress_is_due(const progress *bar);
void progress_say(progress *bar, const char *text);

void progress_update(progress *bar, const progress_state *state);

/* Clears the line, so that something else can be printed. */
void progress_clear(progress *bar);

/* Seconds of a clock that only goes forward. */
double progress_clock(void);

#endif
