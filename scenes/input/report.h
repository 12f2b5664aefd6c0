/* Errors as one line of text, and the suggestions in them. */
#ifndef MSD_SCENES_REPORT_H
#define MSD_SCENES_REPORT_H

#include "scenes/loader/scene.h"

/* Fills *error as printf would; characters that would break the line become '?'. Always false, so that a
   reader can `return report(...)`. */
__attribute__((format(printf, 2, 3))) bool report(scene_error *error, const char *format, ...);

/* Always false too. */
bool report_out_of_memory(scene_error *error);

/* The end of a path that would leave no room for the error; the path itself when it is short. */
const char *report_path(const char *path);

enum { SUGGESTION_MAX = 512 };

/* A remedy for a word that is not in `words` (ended by NULL): the word it was probably meant to be, or all of
   them when none is like it. */
void report_suggestion(char text[SUGGESTION_MAX], const char *word, const char *const *words);

#endif
