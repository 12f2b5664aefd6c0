#include "app/base/scene_input.h"

#include "app/base/output_file.h"

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

bool scene_input_spare(const scene *s, const char *path, problem *p) {
  bool spared = !output_file_same(path, s->path);
  for (int i = 0; spared && i < s->body_count; i++)
    spared = s->bodies[i].file == NULL || !output_file_same(path, s->bodies[i].file);
  for (int f = 0; spared && f < s->animation.skeleton_count; f++)
    spared = !output_file_same(path, s->animation.skeletons[f].file);
  return spared ||
         problem_set(p, "%s: is read by the scene, and is not written over; name another file", path);
}
