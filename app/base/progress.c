#include "app/base/progress.h"

#include "app/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 20, TITLE_MAX = 20 };

static const double REDRAW_SECONDS = 0.1;

double progress_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_text(const char *title, const progress_state *state, char *text, size_t size) {
  double done = state->frames > 0 ? (double)state->frame / (double)state->frames : 1;
  int64_t frames_here = state->frame - state->first_frame;
  units_text rate = {""}, wait = {""};
  if (state->springs_per_second > 0)
    snprintf(rate.text, sizeof rate.text, "%.30s M springs/s",
             units_number(state->springs_per_second / 1e6, 3).text);
  if (frames_here > 0)
    wait = units_wait(state->seconds / (double)frames_here * (double)(state->frames - state->frame));
  char numbers[PROGRESS_COLUMNS + 1];
  snprintf(numbers, sizeof numbers, "%3.0f %%  %" PRId64 "/%" PRId64 "%s%s%s%s%s", 100 * done, state->frame,
           state->frames, *rate.text != '\0' ? "  " : "", rate.text, *wait.text != '\0' ? "  " : "",
           wait.text, *wait.text != '\0' ? " left" : "");

  /* The bar gives way to the numbers. */
  char line[256], bar[BAR_CELLS + 1];
  int title_length = strlen(title) < TITLE_MAX ? (int)strlen(title) : TITLE_MAX;
  int room = PROGRESS_COLUMNS - title_length - (int)strlen(" [] ") - (int)strlen(numbers);
  int cells = room < 0 ? 0 : room < BAR_CELLS ? room : BAR_CELLS;
  for (int i = 0; i < cells; i++)
    bar[i] = i < (int)(done * cells) ? '#' : '.';
  bar[cells] = '\0';
  snprintf(line, sizeof line, "%.*s [%s] %s", TITLE_MAX, title, bar, numbers);
  snprintf(text, size, "%.*s", PROGRESS_COLUMNS, line);
}

progress progress_begin(const char *title) {
  return (progress){
      .title = title, .on_terminal = isatty(STDERR_FILENO) != 0, .last_drawn = progress_clock()};
}

progress progress_begin_lines(const char *title) {
  progress bar = progress_begin(title);
  bar.in_lines = !bar.on_terminal;
  return bar;
}

bool progress_is_due(const progress *bar) {
  const double wait = bar->on_terminal ? REDRAW_SECONDS : PROGRESS_LINE_SECONDS;
  return (bar->on_terminal || bar->in_lines) && progress_clock() - bar->last_drawn >= wait;
}

void progress_say(progress *bar, const char *text) {
  if (bar->on_terminal)
    fprintf(stderr, "\r%-*.*s", PROGRESS_COLUMNS, PROGRESS_COLUMNS, text);
  else
    fprintf(stderr, "%s\n", text);
  fflush(stderr);
  bar->drawn = bar->on_terminal;
  bar->last_drawn = progress_clock();
}

void progress_update(progress *bar, const progress_state *state) {
  char line[PROGRESS_COLUMNS + 1];
  if (!progress_is_due(bar))
    return;
  progress_text(bar->title, state, line, sizeof line);
  progress_say(bar, line);
}

void progress_clear(progress *bar) {
  if (!bar->drawn)
    return;
  fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
  fflush(stderr);
  bar->drawn = false;
}
