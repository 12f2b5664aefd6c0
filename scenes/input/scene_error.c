#include "scenes/input/scene_error.h"

#include <stdio.h>
#include <string.h>

static void keep_on_one_line(char *text) {
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?';
}

void scene_error_set(scene_error *error, const char *format, va_list arguments) {
  vsnprintf(error->text, sizeof error->text, format, arguments);
  keep_on_one_line(error->text);
}

bool scene_fail(scene_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  scene_error_set(error, format, arguments);
  va_end(arguments);
  return false;
}

bool scene_fail_out_of_memory(scene_error *error) {
  return scene_fail(error, "out of memory; close other programs or make the scene smaller");
}

const char *scene_error_path(const char *path) {
  enum { SHOWN = 300 };
  size_t length = strlen(path);
  return length > SHOWN ? path + length - SHOWN : path;
}
