/* The files that a scene file names. */
#ifndef MSD_SCENES_FILE_BYTES_H
#define MSD_SCENES_FILE_BYTES_H

#include "scenes/loader/scene.h"

/* The bytes of a regular file, with a zero after them, to be freed; NULL with the error filled. `what` is what the
   file should be: "an OBJ or PLY file". */
char *file_bytes_read(const char *path, const char *what, size_t *size, scene_error *error);

/* Whether a path ends so, in small or capital letters. */
bool file_has_ending(const char *path, const char *ending);

/* The path, to be freed, of a file that is named in a scene file of that folder; NULL when out of memory. */
char *file_path_in_folder(const char *folder, const char *file);

#endif
