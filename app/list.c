/* msd list: the built-in scenes. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/text_line.h"
#include "scenes/loader/scene.h"

#include <string.h>

/* In the order in which they are listed; scenes of the folder that are in no group come last. */
static const struct {
  const char *name;
  const char *const *scenes;
} groups[] = {
    {"Try first", (const char *const[]){"layers", "curtain", "jelly_block", NULL}},
    {"Contact and collision",
     (const char *const[]){
         "drape",  "fabrics", "tablecloth",  "sheet_stack", "walker",   "walking_skirt", "rollers",   "ring",
         "funnel", "needles", "press_brake", "torn_sheet",  "rip",      "flag",          "flag_pole", "draft",
         "sail",   "ribbon",  "twist",       "reef_knot",   "sleepers", "yarn",          "capstan",   NULL}},
    {"Cloth", (const char *const[]){"hanging_cloth", "skirt", "denim_skirt", "paper_sheet", "tethered_sheet",
                                    "canopy", "tarpaulin", "hammock", "stiff_net", "web_demo_cloth", NULL}},
    {"Ropes and soft bodies",
     (const char *const[]){"hanging_rope", "chain_of_20", "rope_bridge", "wrecking_ball", "two_body_spring",
                           "tensegrity", "soft_block", "gummy_ring", "balloon", NULL}},
    {"Rotors", (const char *const[]){"torsion_pendulum", "coupled_pendulums", "clock_spring", NULL}},
};

enum { GROUPS = sizeof groups / sizeof *groups, LABEL_MAX = 256 };

static void print_heading(const char *name) {
  static bool is_first = true;
  printf("%s%s\n", is_first ? "" : "\n", name);
  is_first = false;
}

static void print_scene(const scene_listing *one, int width) {
  char label[LABEL_MAX];
  snprintf(label, sizeof label, "  %s", one->name);
  text_print(label, width + 4, *one->description != '\0' ? one->description : one->title, stdout);
}

static const scene_listing *find_scene(const scene_listing *scenes, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(scenes[i].name, name) == 0)
      return &scenes[i];
  return NULL;
}

static bool is_in_a_group(const char *name) {
  for (int g = 0; g < GROUPS; g++)
    for (const char *const *one = groups[g].scenes; *one != NULL; one++)
      if (strcmp(*one, name) == 0)
        return true;
  return false;
}

/* A folder of other scenes has none of a group. */
static void print_group(int g, const scene_listing *scenes, int count, int width) {
  bool is_open = false;
  for (const char *const *name = groups[g].scenes; *name != NULL; name++) {
    const scene_listing *one = find_scene(scenes, count, *name);
    if (one == NULL)
      continue;
    if (!is_open)
      print_heading(groups[g].name);
    is_open = true;
    print_scene(one, width);
  }
}

static void print_others(const scene_listing *scenes, int count, int width) {
  bool is_open = false;
  for (int i = 0; i < count; i++) {
    if (is_in_a_group(scenes[i].name))
      continue;
    if (!is_open)
      print_heading("Other scenes");
    is_open = true;
    print_scene(&scenes[i], width);
  }
}

static void print_all(const scene_listing *scenes, int count) {
  int width = 0;
  for (int i = 0; i < count; i++) {
    const int length = (int)strlen(scenes[i].name);
    width = length > width ? length : width;
  }
  for (int g = 0; g < GROUPS; g++)
    print_group(g, scenes, count, width);
  print_others(scenes, count, width);
  printf(
      "\nmsd view NAME shows a scene in a window, msd run NAME simulates it, msd info NAME analyzes it.\n");
}

int command_list(int argc, char **argv) {
  static const command_line line = {
      .name = "list",
      .summary = "Lists the built-in scenes: the name that other commands take, and a description.",
      .notes = "exit status: 0 done; 2 the folder of scenes cannot be read."};
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
  print_all(scenes, count);
  scene_list_free(scenes, count);
  return STATUS_DONE;
}
