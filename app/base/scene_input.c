#include "app/base/scene_input.h"

#include "app/base/message.h"

scene *scene_input_load(const char *command, const char *name_or_path) {
  scene_error error;
  scene *s = scene_load(name_or_path, &error);
  if (s == NULL)
    message_error(command, "%s", error.text);
  return s;
}

void scene_input_warn(const char *command, const scene *s) {
  for (int i = 0; i < s->warnings.count; i++)
    message_warning(command, "%s", s->warnings.lines[i]);
}
