#include "scenes/input/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void keep_on_one_line(char *text) {
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?';
}

bool report(scene_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  keep_on_one_line(error->text);
  return false;
}

bool report_out_of_memory(scene_error *error) {
  return report(error, "out of memory; close other programs or make the scene smaller");
}

const char *report_path(const char *path) {
  enum { SHOWN = 300 };
  size_t length = strlen(path);
  return length > SHOWN ? path + length - SHOWN : path;
}

enum { WORD_MAX = 48 }; /* longer words are compared by their beginning */

static int smallest(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

/* Levenshtein distance: the fewest letters to insert, delete or replace. One row of the table at a time. */
static int edit_distance(const char *a, const char *b) {
  int length_a = (int)strnlen(a, WORD_MAX), length_b = (int)strnlen(b, WORD_MAX);
  int row[WORD_MAX + 1];
  for (int j = 0; j <= length_b; j++)
    row[j] = j;
  for (int i = 1; i <= length_a; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= length_b; j++) {
      int above = row[j];
      row[j] = smallest(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[length_b];
}

static const char *nearest_word(const char *word, const char *const *words, int *distance) {
  const char *nearest = NULL;
  *distance = WORD_MAX + 1;
  for (; *words; words++) {
    int d = edit_distance(word, *words);
    if (d < *distance) {
      *distance = d;
      nearest = *words;
    }
  }
  return nearest;
}

void report_suggestion(char text[SUGGESTION_MAX], const char *word, const char *const *words) {
  int distance;
  const char *nearest = nearest_word(word, words, &distance);
  /* Two words that differ in more than half their letters are not a slip of the keyboard. */
  if (nearest && 2 * distance <= (int)strnlen(nearest, WORD_MAX)) {
    snprintf(text, SUGGESTION_MAX, "did you mean \"%.60s\"?", nearest);
    return;
  }
  size_t used = (size_t)snprintf(text, SUGGESTION_MAX, "known here:");
  for (const char *comma = ""; *words && used < SUGGESTION_MAX; words++, comma = ",")
    used += (size_t)snprintf(text + used, SUGGESTION_MAX - used, "%s %.60s", comma, *words);
}
