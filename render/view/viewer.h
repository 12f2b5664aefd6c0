/* What a window on a scene does: draws it, steps it at its own pace, and lets a person turn, drag, pin and
   cut. It knows no window system, so that tests can run it: whoever owns the window passes on keys and
   pointers.

   The pointer is in pixels of the framebuffer from its top left corner. */
#ifndef MSD_RENDER_VIEW_VIEWER_H
#define MSD_RENDER_VIEW_VIEWER_H

#include "render/paint/camera.h"
#include "render/paint/picture.h"
#include "render/view/controls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every key: its code (of ASCII, capital letters), what it does, its name and what the help says. */
#define VIEWER_KEYS(X)                                                                                       \
  X(' ', VIEWER_PAUSE, "Space", "pause or go on")                                                            \
  X('.', VIEWER_STEP, ".", "one step")                                                                       \
  X('R', VIEWER_RELOAD, "R", "begin again (reads the file)")                                                 \
  X('-', VIEWER_SLOWER, "-", "half as fast")                                                                 \
  X('=', VIEWER_FASTER, "=", "twice as fast")                                                                \
  X('F', VIEWER_FRAME, "F", "show everything")                                                               \
  X('C', VIEWER_COLOR, "C", "next colouring")                                                                \
  X('S', VIEWER_SPRINGS, "S", "springs")                                                                     \
  X('B', VIEWER_PARTICLES, "B", "particles as balls")                                                        \
  X('G', VIEWER_GROUND, "G", "ground")                                                                       \
  X('T', VIEWER_PANEL, "T", "tuning panel")                                                                  \
  X('P', VIEWER_PICTURE, "P", "save a picture")                                                              \
  X('H', VIEWER_HELP, "H", "keys")                                                                           \
  X('Q', VIEWER_QUIT, "Q", "quit")

typedef enum viewer_action {
#define VIEWER_ACTION(code, action, name, text) action,
  VIEWER_KEYS(VIEWER_ACTION)
#undef VIEWER_ACTION
      VIEWER_ACTION_COUNT
} viewer_action;

typedef enum viewer_button { VIEWER_LEFT, VIEWER_RIGHT, VIEWER_MIDDLE } viewer_button;

typedef struct viewer_options {
  picture_color color;
  /* As in picture_options. */
  double color_max;
  picture_camera camera;
  picture_background background;
  bool springs, particles, ground;
  /* Of the beginning. */
  bool is_paused, hides_help;
  /* Each frame waits for one step, whatever time passes. */
  bool is_lockstep;
  /* The camera fits the frame that it shows, not all before it. */
  bool fits_each_frame;
} viewer_options;

typedef struct viewer viewer;

/* Shows `s`, which the viewer owns from now on, in the current OpenGL context. NULL with a line in `error`. */
viewer *viewer_create(scene *s, const viewer_options *options, int width, int height, char *error,
                      size_t size);

/* NULL is allowed. */
void viewer_destroy(viewer *v);

/* The framebuffer now has this size, each side >= 1. */
void viewer_resize(viewer *v, int width, int height);

void viewer_do(viewer *v, viewer_action action);

/* A code of VIEWER_KEYS; others do nothing. */
void viewer_key(viewer *v, int code);

/* The left button drags what is under the pointer, or turns the view when nothing is; with `cuts` its stroke
   cuts springs, with `pins` a click pins or unpins a particle. The right button turns the view, the middle
   one moves it. A left click without motion shows the numbers of what is there. */
void viewer_press(viewer *v, viewer_button button, bool cuts, bool pins, float x, float y);
void viewer_move(viewer *v, float x, float y);

/* Of the button; also when the window lost the pointer. */
void viewer_release(viewer *v);
void viewer_scroll(viewer *v, float notches);

/* One frame of the display, `elapsed` real seconds after the last: takes what the simulation has done, lets
   it go on, and draws. False with a line in `error` when the drawing failed. */
bool viewer_frame(viewer *v, double elapsed, unsigned framebuffer, char *error, size_t size);

/* Whether someone asked to quit, or (once) to save a picture of the last frame. */
bool viewer_wants_to_quit(const viewer *v);
bool viewer_wants_picture(viewer *v);

/* Whether the panel is to be shown, and what it shows and changes. */
bool viewer_shows_panel(const viewer *v);
controls *viewer_controls(viewer *v);

/* Whether nothing moves: the next frame can wait for an event. */
bool viewer_is_still(const viewer *v);

/* Shows a line for some seconds, as "saved curtain.png". */
void viewer_tell(viewer *v, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* What is going on, for titles, panels and tests. */
typedef struct viewer_status {
  const scene *scene;
  camera camera;
  /* s of simulated time since the beginning. */
  double time;
  /* Since the beginning. */
  int64_t steps;
  bool is_paused;
  /* Simulated seconds in a real one: wanted, and lately. */
  double speed, rate;
  /* s of real time that a step took lately. */
  double step_seconds;
  /* s of real time that drawing took lately. */
  double draw_seconds;
  /* Particles and springs; -1: none. */
  int32_t held, selected_particle, selected_spring;
  /* "" when there is none. */
  const char *message;
} viewer_status;

viewer_status viewer_get_status(const viewer *v);

#endif
