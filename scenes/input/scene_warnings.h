/* Warnings about a scene that loads, as lines of text. */
#ifndef MSD_SCENES_INPUT_SCENE_WARNINGS_H
#define MSD_SCENES_INPUT_SCENE_WARNINGS_H

/* Lines without newline, each once, in the order in which they came up. */
typedef struct scene_warnings {
  char **lines;
  int count;
} scene_warnings;

/* More would bury each other: the last line then says that there are more. */
enum { SCENE_WARNINGS_MAX = 20 };

/* Adds a line as printf would; nothing when `warnings` is NULL, and when there is no memory for it. */
__attribute__((format(printf, 2, 3))) void scene_warn(scene_warnings *warnings, const char *format, ...);

void scene_warnings_free(scene_warnings *warnings);

#endif
