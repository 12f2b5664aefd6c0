#include "scenes/input/suggestion.h"

#include <stdio.h>
#include <string.h>

int word_index(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], word) == 0)
      return i;
  return -1;
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

void suggest_word(char text[SUGGESTION_MAX], const char *word, const char *const *words) {
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
