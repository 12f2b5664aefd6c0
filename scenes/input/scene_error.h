/* What is wrong with a scene or a file that it names, as one line of text. */
#ifndef MSD_SCENES_INPUT_SCENE_ERROR_H
#define MSD_SCENES_INPUT_SCENE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

enum { SCENE_ERROR_MAX = 1024 };

/* One line without newline: the file, the place in it (file:line:column, or file and JSON path), what is wrong
   and what would be right. */
typedef struct scene_error {
  char text[SCENE_ERROR_MAX];
} scene_error;

/* Fills *error as vprintf would; characters that would break the line become '?'. */
__attribute__((format(printf, 2, 0))) void scene_error_set(scene_error *error, const char *format,
                                                           va_list arguments);

/* The same as printf would. Always false, so that a reader can `return scene_fail(...)`. */
__attribute__((format(printf, 2, 3))) bool scene_fail(scene_error *error, const char *format, ...);

/* Always false too. */
bool scene_fail_out_of_memory(scene_error *error);

/* The end of a path that would leave no room for the rest of the line; the path itself when it is short. */
const char *scene_error_path(const char *path);

#endif
