#include "scenes/input/scene_warnings.h"

#include "scenes/input/scene_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const scene_warnings *warnings, const char *line) {
  for (int i = 0; i < warnings->count; i++)
    if (strcmp(warnings->lines[i], line) == 0)
      return true;
  return false;
}

static void add_line(scene_warnings *warnings, const char *line) {
  char *copy = strdup(line);
  char **lines = realloc(warnings->lines, ((size_t)warnings->count + 1) * sizeof *lines);
  if (lines)
    warnings->lines = lines;
  if (lines && copy)
    lines[warnings->count++] = copy;
  else
    free(copy);
}

void scene_warn(scene_warnings *warnings, const char *format, ...) {
  if (!warnings || warnings->count == SCENE_WARNINGS_MAX)
    return;
  scene_error line;
  va_list arguments;
  va_start(arguments, format);
  scene_error_set(&line, format, arguments);
  va_end(arguments);
  if (!is_known(warnings, line.text))
    add_line(warnings,
             warnings->count < SCENE_WARNINGS_MAX - 1 ? line.text : "there are more warnings than these");
}

void scene_warnings_free(scene_warnings *warnings) {
  for (int i = 0; i < warnings->count; i++)
    free(warnings->lines[i]);
  free(warnings->lines);
  *warnings = (scene_warnings){0};
}
