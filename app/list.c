/* msd list: the scenes that ship. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/options.h"
#include "scenes/loader/scene.h"

#include <string.h>

int command_list(int argc, char **argv) {
  static const command_line line = {
      .name = "list",
      .summary = "Lists the scenes that ship: the name that other commands take, and what each shows."};
  option_reader reader = options_begin(&line, argc, argv);
  const int id = options_next(&reader);
  if (id != OPTIONS_END)
    return id == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;

  scene_error error;
  int count;
  scene_listing *scenes = scene_list(&count, &error);
  if (scenes == NULL) {
    message_error(line.name, "%s", error.text);
    return STATUS_BAD_INPUT;
  }
  int width = 0;
  for (int i = 0; i < count; i++) {
    int length = (int)strlen(scenes[i].name);
    width = length > width ? length : width;
  }
  for (int i = 0; i < count; i++)
    printf("%-*s  %s\n", width, scenes[i].name,
           *scenes[i].description != '\0' ? scenes[i].description : scenes[i].title);
  scene_list_free(scenes, count);
  return STATUS_DONE;
}
