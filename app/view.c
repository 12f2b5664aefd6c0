/* msd view: a window on a scene. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/options.h"
#include "render/view/window.h"
#include "scenes/loader/scene.h"

#include <stdint.h>

enum {
  OPTION_SIZE = OPTIONS_FIRST_ID,
  OPTION_COLOR,
  OPTION_CAMERA,
  OPTION_SPRINGS,
  OPTION_PARTICLES,
  OPTION_PAUSED,
  OPTION_FRAMES,
  OPTION_PNG
};

static const option_spec specs[] = {
    {OPTION_SIZE, "size", "WxH", "of the window", "1280x800"},
    {OPTION_COLOR, "color", "NAME", "none, strain, force, speed, energy or kind", "none"},
    {OPTION_CAMERA, "camera", "A,E[,ZOOM]", "azimuth and elevation in degrees, and zoom", "25,12,1"},
    {OPTION_SPRINGS, "springs", NULL, "show every spring", NULL},
    {OPTION_PARTICLES, "particles", NULL, "show every particle", NULL},
    {OPTION_PAUSED, "paused", NULL, "begin paused", NULL},
    {OPTION_FRAMES, "frames", "N", "close after N frames, each one step of the scene", NULL},
    {OPTION_PNG, "png", "FILE", "write the last of --frames as a picture", NULL},
};

#define KEY_LINE(code, action, name, text) "\n  " name "\t" text

static const command_line line = {
    .name = "view",
    .operand = "SCENE",
    .summary =
        "Opens a window on a scene. SCENE is a scene file, or the name of one that ships ('msd list').",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes =
        "In the window, drag to pull what is there, drag beside it to turn the view, Shift and drag to cut\n"
        "springs, Ctrl and click to pin. Keys:" VIEWER_KEYS(
            KEY_LINE) "\n\nWithout a display, 'msd run SCENE --png FILE' draws the same pictures.",
};

typedef struct view_options {
  const char *scene;
  window_options window;
} view_options;

/* The parsers of render/ say what is wrong with a value themselves. */
static bool accept(bool parsed, const char *option, const char *error) {
  if (!parsed)
    message_error(line.name, "--%s: %s", option, error);
  return parsed;
}

static bool read_option(int id, const char *value, window_options *o) {
  char error[PICTURE_ERROR_MAX];
  switch (id) {
  case OPTION_SIZE:
    return accept(picture_parse_size(value, &o->width, &o->height, error, sizeof error), "size", error);
  case OPTION_COLOR:
    return accept(picture_parse_color(value, &o->view.color, error, sizeof error), "color", error);
  case OPTION_CAMERA:
    return accept(picture_parse_camera(value, &o->view.camera, error, sizeof error), "camera", error);
  case OPTION_SPRINGS:
    o->view.springs = true;
    return true;
  case OPTION_PARTICLES:
    o->view.particles = true;
    return true;
  case OPTION_PAUSED:
    o->view.is_paused = true;
    return true;
  case OPTION_FRAMES:
    if (parse_count(value, 1, INT32_MAX, &o->frames))
      return true;
    message_error(line.name, "--frames '%s': must be a whole number of frames, 1 or more", value);
    return false;
  default:
    o->png = value;
    return true;
  }
}

/* OPTIONS_END when the window can open; else what ended the reading. */
static int read_options(int argc, char **argv, view_options *options) {
  *options = (view_options){.window = window_default_options()};
  const char *value;
  int id;
  while ((id = options_next(&line, argc, argv, &value)) >= OPTIONS_FIRST_ID)
    if (!read_option(id, value, &options->window))
      return OPTIONS_BAD;
  if (id != OPTIONS_END)
    return id;
  if (!options_operand(&line, argc, argv, &options->scene))
    return OPTIONS_BAD;
  window_options *o = &options->window;
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
  view_options options;
  int id = read_options(argc, argv, &options);
  if (id == OPTIONS_HELP)
    return STATUS_DONE;
  if (id != OPTIONS_END)
    return STATUS_BAD_INPUT;
  scene_error cause;
  scene *s = scene_load(options.scene, &cause);
  if (s == NULL) {
    message_error(line.name, "%s", cause.text);
    return STATUS_BAD_INPUT;
  }
  char error[PICTURE_ERROR_MAX];
  if (window_run(s, &options.window, error, sizeof error))
    return STATUS_DONE;
  message_error(line.name, "%s", error);
  return STATUS_FAILED;
}
