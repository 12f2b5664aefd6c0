#include "scenes/loader/scene_folder.h"

#include "scenes/input/suggestion.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".json";

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* That of the tree in which the running program is installed, wherever it has been moved; NULL: none. Linux
   tells where the program is. */
static const char *folder_beside_program(void) {
  static _Thread_local char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof MSD_SCENES_BESIDE - 1);
  if (length <= 0)
    return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash)
    return NULL;
  strcpy(slash + 1, MSD_SCENES_BESIDE);
  return is_folder(path) ? path : NULL;
}

const char *scene_folder(void) {
  const char *wanted = getenv("MSD_SCENES"), *beside;
  if (wanted && wanted[0])
    return wanted;
  beside = folder_beside_program();
  if (beside)
    return beside;
  return is_folder(MSD_SCENES_INSTALLED) ? MSD_SCENES_INSTALLED : MSD_SCENES_SOURCE;
}

char *scene_folder_path(const char *name) {
  const char *folder = scene_folder();
  size_t size = strlen(folder) + strlen(name) + sizeof ending + 1;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%s%s", folder, name, ending);
  return path;
}

static bool has_ending(const char *name) {
  size_t length = strlen(name), tail = sizeof ending - 1;
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

void scene_folder_names_free(char **names) {
  if (!names)
    return;
  for (size_t i = 0; names[i]; i++)
    free(names[i]);
  free(names);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Keeps room for the NULL at the end. */
static bool append_name(char ***names, size_t count, const char *file) {
  char **larger = realloc(*names, (count + 2) * sizeof *larger);
  if (!larger)
    return false;
  *names = larger;
  larger[count] = strndup(file, strlen(file) - (sizeof ending - 1));
  larger[count + 1] = NULL;
  return larger[count] != NULL;
}

char **scene_folder_names(scene_error *error) {
  DIR *folder = opendir(scene_folder());
  if (!folder) {
    scene_fail(error, "%s: %s; MSD_SCENES must name a folder of scene files", scene_folder(),
               strerror(errno));
    return NULL;
  }
  char **names = calloc(1, sizeof *names);
  size_t count = 0;
  bool done = names != NULL;
  for (struct dirent *entry; done && (entry = readdir(folder)) != NULL;)
    if (has_ending(entry->d_name) && entry->d_name[0] != '.')
      done = append_name(&names, count++, entry->d_name);
  closedir(folder);
  if (!done) {
    scene_folder_names_free(names);
    scene_fail_out_of_memory(error);
    return NULL;
  }
  qsort(names, count, sizeof *names, compare_names);
  return names;
}

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

static bool is_path(const char *name_or_path) {
  return strchr(name_or_path, '/') || has_ending(name_or_path);
}

/* The path of a name that ships, or of a file that has neither slash nor ending. */
static char *find_name(const char *name, char *const *names, scene_error *error) {
  char *path = NULL;
  bool ships = word_index(name, (const char *const *)names) >= 0;
  if (ships || is_file(name)) {
    path = ships ? scene_folder_path(name) : strdup(name);
    if (!path)
      scene_fail_out_of_memory(error);
  } else {
    const char *nearest = nearest_word(name, (const char *const *)names);
    scene_fail(error, "no such scene or file: \"%s\"; %s%s%s'msd list' shows the built-in scenes",
               scene_error_path(name), nearest ? "did you mean \"" : "", nearest ? nearest : "",
               nearest ? "\"? " : "");
  }
  return path;
}

char *scene_folder_find(const char *name_or_path, scene_error *error) {
  if (is_path(name_or_path)) {
    char *path = strdup(name_or_path);
    if (!path)
      scene_fail_out_of_memory(error);
    return path;
  }
  char **names = scene_folder_names(error);
  char *path = names ? find_name(name_or_path, names, error) : NULL;
  scene_folder_names_free(names);
  return path;
}
