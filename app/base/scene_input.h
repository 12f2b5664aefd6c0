/* The scene that a command works on. */
#ifndef MSD_APP_BASE_SCENE_INPUT_H
#define MSD_APP_BASE_SCENE_INPUT_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

/* Loads a scene by its path or name; NULL when it cannot, with the reason on stderr. */
scene *scene_input_load(const char *command, const char *name_or_path);

/* Prints the warnings of the file on stderr; to be called when nothing else is wrong, so that an error stays
   one line. */
void scene_input_warn(const char *command, const scene *s);

/* Whether a result may be written at `path`: not over a file that the scene was read from. */
bool scene_input_spare(const scene *s, const char *path, problem *p);

#endif
