#include "scenes/input/peer_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct peer_row {
  /* NULL: all. */
  const char *objects;
  /* Of values; NULL: the row is about a key. */
  const char *keys;
  const char *names, *here;
} peer_row;

static const peer_row rows[] = {
#define ALL                               NULL
#define KEY(objects, names, here)         {objects, NULL, names, here},
#define VALUE(objects, keys, names, here) {objects, keys, names, here},
#include "scenes/input/peer_names.inc"
#undef ALL
#undef KEY
#undef VALUE
};

/* Whether a list of words, separated by single spaces, has the word. Case does not matter. */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; length > 0 && at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncasecmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
      return true;
  }
  return false;
}

static bool is_of(const peer_row *row, const char *object, const char *key) {
  return (row->keys ? key && has_word(row->keys, key) : !key) &&
         (!row->objects || has_word(row->objects, *object ? object : "."));
}

/* Whether the first key that a suggestion names is among `known`; one that names none always holds. */
static bool is_known(const char *here, const char *const *known) {
  const size_t length = here[0] == '"' ? strcspn(here + 1, "\"") : 0;
  if (length == 0)
    return true;
  for (; *known; known++)
    if (strncmp(*known, here + 1, length) == 0 && (*known)[length] == '\0')
      return true;
  return false;
}

const char *peer_key(const char *object, const char *name, const char *const *known) {
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    if (is_of(&rows[r], object, NULL) && has_word(rows[r].names, name) && is_known(rows[r].here, known))
      return rows[r].here;
  return NULL;
}

const char *peer_value(const char *object, const char *key, const char *value) {
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    if (is_of(&rows[r], object, key) && has_word(rows[r].names, value))
      return rows[r].here;
  return NULL;
}

void peer_advice(char *text, size_t size, const char *here) {
  const size_t length = strcspn(here, ";");
  if (here[0] == '"')
    snprintf(text, size, "did you mean %.*s?%s", (int)length, here, here[length] ? here + length + 1 : "");
  else
    snprintf(text, size, "%s", here);
}
