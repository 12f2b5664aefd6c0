/* What to say about a word that is not known: the known word that it was probably meant to be. */
#ifndef MSD_SCENES_INPUT_SUGGESTION_H
#define MSD_SCENES_INPUT_SUGGESTION_H

/* The index of the word of `words` (ended by NULL) that is the same; -1 when there is none. */
int word_index(const char *word, const char *const *words);

/* The word of `words` (ended by NULL) that was probably meant; NULL when none is like it. */
const char *nearest_word(const char *word, const char *const *words);

enum { SUGGESTION_MAX = 512 };

/* A remedy for a word that is not in `words` (ended by NULL): "did you mean ...?", or the list of them when
   none is similar. Of a long list only the most similar ones. */
void suggest_word(char text[SUGGESTION_MAX], const char *word, const char *const *words);

#endif
