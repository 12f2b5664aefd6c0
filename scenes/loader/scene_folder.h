/* Where the scenes that ship are. */
#ifndef MSD_SCENES_LOADER_SCENE_FOLDER_H
#define MSD_SCENES_LOADER_SCENE_FOLDER_H

#include "scenes/loader/scene.h"

/* The folder: the one that the environment variable MSD_SCENES names, else the one that is installed with the
   program that runs, else where the build was to be installed, else the one of the source code. */
const char *scene_folder(void);

/* The path, to be freed, of a scene file or of a scene that ships; NULL with the error filled when a name
   is not among those that ship. What has a slash or ends in ".json" is a path and is not looked for. */
char *scene_folder_find(const char *name_or_path, scene_error *error);

/* The names of the scene files in the folder, sorted, ended by NULL; freed by scene_folder_names_free. NULL
   with the error filled when the folder cannot be read. */
char **scene_folder_names(scene_error *error);
void scene_folder_names_free(char **names);

/* The path of a name in the folder, to be freed; NULL when out of memory. */
char *scene_folder_path(const char *name);

#endif
