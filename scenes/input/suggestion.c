#include "scenes/input/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int word_index(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], word) == 0)
      return i;
  return -1;
}

enum { WORD_MAX = 48 }; /* longer words are compared by their beginning */

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static bool is_same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The fewest letters to insert, delete, replace or swap with their neighbor (optimal string alignment). */
static int edit_distance(const char *a, const char *b) {
  const int length_a = (int)strnlen(a, WORD_MAX), length_b = (int)strnlen(b, WORD_MAX);
  int edits[WORD_MAX + 1][WORD_MAX + 1]; /* from the first i letters of a to the first j of b */
  for (int i = 0; i <= length_a; i++)
    edits[i][0] = i;
  for (int j = 0; j <= length_b; j++)
    edits[0][j] = j;
  for (int i = 1; i <= length_a; i++)
    for (int j = 1; j <= length_b; j++) {
      const int replaced = edits[i - 1][j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
      edits[i][j] = smaller(replaced, smaller(edits[i - 1][j], edits[i][j - 1]) + 1);
      if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]))
        edits[i][j] = smaller(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  return edits[length_a][length_b];
}

/* Whether a word is one of those that underscores part in another: "density" in "area_density". */
static bool is_part(const char *word, const char *of) {
  const size_t length = strlen(word);
  for (const char *at = of; length > 0 && at; at = strchr(at, '_')) {
    at += *at == '_';
    if (strncmp(at, word, length) == 0 && (at[length] == '_' || at[length] == '\0'))
      return true;
  }
  return false;
}

const char *nearest_word(const char *word, const char *const *words) {
  const char *nearest = NULL;
  int least = WORD_MAX + 1;
  for (; *words; words++) {
    const int distance = is_part(word, *words) ? 1 : edit_distance(word, *words);
    if (distance < least) {
      least = distance;
      nearest = *words;
    }
  }
  /* Two words that differ in half their letters or more are not a slip of the keyboard. */
  return nearest && 2 * least < (int)strnlen(nearest, WORD_MAX) ? nearest : NULL;
}

/* Longer lists are cut: a wall of names helps nobody. */
enum { LISTED_MAX = 18, LISTED_NEAREST = 6 };

static int count_words(const char *const *words) {
  int count = 0;
  while (words[count])
    count++;
  return count;
}

/* Whether fewer than LISTED_NEAREST words are nearer to `word`, or as near and before it in the list. */
static bool is_listed(const char *word, const char *const *words, int which) {
  const int own = edit_distance(word, words[which]);
  int nearer = 0;
  for (int i = 0; words[i]; i++) {
    const int distance = edit_distance(word, words[i]);
    nearer += distance < own || (distance == own && i < which);
  }
  return nearer < LISTED_NEAREST;
}

void suggest_word(char text[SUGGESTION_MAX], const char *word, const char *const *words) {
  const char *nearest = nearest_word(word, words);
  if (nearest) {
    snprintf(text, SUGGESTION_MAX, "did you mean \"%.60s\"?", nearest);
    return;
  }
  const int count = count_words(words);
  size_t used = (size_t)snprintf(text, SUGGESTION_MAX, "known here:");
  const char *comma = "";
  for (int i = 0; i < count && used < SUGGESTION_MAX; i++)
    if (count <= LISTED_MAX || is_listed(word, words, i)) {
      used += (size_t)snprintf(text + used, SUGGESTION_MAX - used, "%s %.60s", comma, words[i]);
      comma = ",";
    }
  if (count > LISTED_MAX && used < SUGGESTION_MAX)
    snprintf(text + used, SUGGESTION_MAX - used, " and %d more", count - LISTED_NEAREST);
}
