/* Files as a whole: regular ones, none larger than what it is read for can need. */
#ifndef MSD_SCENES_INPUT_FILE_BYTES_H
#define MSD_SCENES_INPUT_FILE_BYTES_H

#include "scenes/input/scene_error.h"

#include <stddef.h>

/* What a file must be. */
typedef struct file_kind {
  /* "a scene file" */
  const char *what;

  /* Where to look when there is no such file: "give the path of one". */
  const char *missing_remedy;

  /* What to do with a larger one: "cut it into several". */
  const char *size_remedy;

  /* Millions of bytes. */
  double largest_mb;
} file_kind;

/* The bytes of a regular file, with a zero after them, to be freed; NULL with the error filled. A pipe or a
   device is refused without waiting for what it may give. */
char *file_bytes_read(const char *path, const file_kind *kind, size_t *size, scene_error *error);

/* The bytes of a regular file, without reading it. False with the error filled. */
bool file_measure(const char *path, const file_kind *kind, size_t *size, scene_error *error);

/* Takes some lines of a text, with a zero after the last, which it may change; false: no more. */
typedef bool (*line_taker)(void *context, char *lines);

/* Gives a text in UTF-8 to `take` some lines at a time, so that it never is in memory as a whole: without
   the mark that some editors begin it with, and cut only where a line ends without a backslash. False with
   the error filled, or where `take` has answered so. */
bool file_lines_read(const char *path, const file_kind *kind, line_taker take, void *context,
                     scene_error *error);

/* How many bytes the mark takes with which some editors begin a file in UTF-8: 3, or 0 where there is none. */
size_t file_mark_length(const char *bytes, size_t size);

/* Whether the bytes can be text in UTF-8: refuses UTF-16 and zero bytes. `shown` names the file in errors. */
bool file_check_text(const char *shown, const char *bytes, size_t size, scene_error *error);

/* Whether a path ends so, in small or capital letters. */
bool file_has_ending(const char *path, const char *ending);

/* The folder of a file, to be freed; NULL when out of memory. */
char *file_folder(const char *path);

/* The path, to be freed, of a file that is named in a file of that folder; NULL when out of memory. */
char *file_path_in_folder(const char *folder, const char *file);

#endif
