/* msd view: a window on a scene. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/scene_input.h"
#include "render/view/window.h"
#include "scenes/loader/scene.h"

#include <stdint.h>

enum {
  OPTION_SIZE = OPTIONS_FIRST_ID,
  OPTION_COLOR,
  OPTION_CAMERA,
  OPTION_BACKGROUND,
  OPTION_SPRINGS,
  OPTION_PARTICLES,
  OPTION_CONTACTS,
  OPTION_PAUSED,
  OPTION_FRAMES,
  OPTION_PNG
};

static const option_spec specs[] = {
    {OPTION_SIZE, "size", "WxH", "of the window", "1280x800"},
    {OPTION_COLOR, "color", "NAME", "none, strain, force, speed, energy or kind", "none"},
    {OPTION_CAMERA, "camera", "A,E[,ZOOM]", "azimuth and elevation in degrees, and zoom", "25,12,1"},
    {OPTION_BACKGROUND, "background", "COLOR", "sky, or white, black or #rrggbb without a floor", "sky"},
    {OPTION_SPRINGS, "springs", NULL, "show every spring", NULL},
    {OPTION_PARTICLES, "particles", NULL, "show every particle", NULL},
    {OPTION_CONTACTS, "show-contacts", NULL, "show contacts and their forces", NULL},
    {OPTION_PAUSED, "paused", NULL, "begin paused", NULL},
    {OPTION_FRAMES, "frames", "N", "close after N frames, each one step of the scene", NULL},
    {OPTION_PNG, "png", "FILE", "write the last of --frames as a picture", NULL},
};

#define KEY_LINE(code, action, name, text) "\n  " name "\t" text

static const command_line line = {
    .name = "view",
    .operand = "SCENE",
    .summary =
        "Opens a window on a scene. SCENE is a scene file, or the name of a built-in one ('msd list').",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes =
        "In the window, drag a body to pull it, drag the background to turn the view, Shift and drag to cut\n"
        "springs, Ctrl and click to pin. Keys:" VIEWER_KEYS(
            KEY_LINE) "\n\nWithout a display, 'msd run SCENE --png FILE' draws the same pictures.",
};

static bool read_option(const option_reader *r, window_options *o) {
  char error[PICTURE_ERROR_MAX];
  switch (r->option->id) {
  case OPTION_SIZE:
    return option_accept(r, picture_parse_size(r->value, &o->width, &o->height, error, sizeof error), error);
  case OPTION_COLOR:
    return option_accept(r, picture_parse_color(r->value, &o->view.color, error, sizeof error), error);
  case OPTION_CAMERA:
    return option_accept(r, picture_parse_camera(r->value, &o->view.camera, error, sizeof error), error);
  case OPTION_BACKGROUND:
    return option_accept(r, picture_parse_background(r->value, &o->view.background, error, sizeof error),
                         error);
  case OPTION_SPRINGS:
    o->view.springs = true;
    return true;
  case OPTION_PARTICLES:
    o->view.particles = true;
    return true;
  case OPTION_CONTACTS:
    o->view.contacts = true;
    return true;
  case OPTION_PAUSED:
    o->view.is_paused = true;
    return true;
  case OPTION_FRAMES:
    return option_take_count(r, 1, INT32_MAX, "a whole number of frames, 1 or more", &o->frames);
  default:
    return option_take_file(r, ".png", &o->png);
  }
}

/* OPTIONS_END when the window can open; else what ended the reading. */
static int read_options(int argc, char **argv, const char **path, window_options *o) {
  *o = window_default_options();
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END)
    if (!read_option(&reader, o))
      return OPTIONS_BAD;
  if (id != OPTIONS_END)
    return id;
  *path = reader.operand;
  if (o->png != NULL && o->frames == 0) {
    message_error(line.name, "--png needs --frames N, the frame to write");
    return OPTIONS_BAD;
  }
  if (o->view.is_paused && o->frames > 0) {
    message_error(line.name,
                  "--paused and --frames: frames of a paused scene are all the same; leave one out");
    return OPTIONS_BAD;
  }
  o->view.hides_help = o->frames > 0;
  return OPTIONS_END;
}

int command_view(int argc, char **argv) {
  window_options options;
  const char *path;
  const int id = read_options(argc, argv, &path, &options);
  if (id == OPTIONS_HELP)
    return STATUS_DONE;
  if (id != OPTIONS_END)
    return STATUS_BAD_INPUT;
  scene *s = scene_input_load(line.name, path);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  scene_input_warn(line.name, s);
  char error[PICTURE_ERROR_MAX];
  if (window_run(s, &options, error, sizeof error))
    return STATUS_DONE;
  message_error(line.name, "%s", error);
  return STATUS_FAILED;
}
