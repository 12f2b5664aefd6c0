#include "scenes/input/json_reader.h"
#include "scenes/loader/scene_folder.h"

#include <stdlib.h>
#include <string.h>

void scene_list_free(scene_listing *list, int count) {
  for (int i = 0; list && i < count; i++) {
    free(list[i].name);
    free(list[i].path);
    free(list[i].title);
    free(list[i].description);
  }
  free(list);
}

static char *copy_member(const json_t *root, const char *key) {
  const char *text = json_string_value(json_object_get(root, key));
  return strdup(text ? text : "");
}

/* False when out of memory. A file that is no scene, or says nothing about itself, has an empty title. */
static bool fill_entry(scene_listing *entry, const char *name) {
  entry->name = strdup(name);
  entry->path = scene_folder_path(name);
  if (!entry->name || !entry->path)
    return false;
  scene_error ignored; /* scene_load says what is wrong with a file */
  const json_source source = {.file = entry->path, .error = &ignored};
  json_t *root = json_source_parse(&source);
  entry->title = copy_member(root, "title");
  entry->description = copy_member(root, "description");
  json_decref(root);
  return entry->title && entry->description;
}

scene_listing *scene_list(int *count, scene_error *error) {
  *count = 0;
  char **names = scene_folder_names(error);
  if (!names)
    return NULL;
  size_t files = 0;
  while (names[files])
    files++;
  scene_listing *list = calloc(files + 1, sizeof *list);
  bool done = list != NULL;
  for (size_t i = 0; done && i < files; i++) {
    scene_listing entry = {0};
    done = fill_entry(&entry, names[i]);
    if (done && entry.title[0] && entry.description[0]) {
      list[(*count)++] = entry;
    } else {
      free(entry.name);
      free(entry.path);
      free(entry.title);
      free(entry.description);
    }
  }
  scene_folder_names_free(names);
  if (done)
    return list;
  scene_list_free(list, *count);
  *count = 0;
  scene_fail_out_of_memory(error);
  return NULL;
}
