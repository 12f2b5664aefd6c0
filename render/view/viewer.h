/* What a window on a scene does: it draws the scene, steps it at its own pace, and lets the user turn, drag,
   pin and cut. It knows nothing of window systems, so that tests can run it: the owner of the window passes on
   keys and pointer.

   Positions of the pointer are in pixels of the framebuffer from its top left corner. */
#ifndef MSD_RENDER_VIEW_VIEWER_H
#define MSD_RENDER_VIEW_VIEWER_H

#include "render/paint/camera.h"
#include "render/paint/picture.h"
#include "render/view/controls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys: code (ASCII, capital letters), action, name, and description in the help. */
#define VIEWER_KEYS(X)                                                                                       \
  X(' ', VIEWER_PAUSE, "Space", "pause or go on")                                                            \
  X('.', VIEWER_STEP, ".", "one step")                                                                       \
  X('R', VIEWER_RELOAD, "R", "begin again (reads the file)")                                                 \
  X('-', VIEWER_SLOWER, "-", "half as fast")                                                                 \
  X('=', VIEWER_FASTER, "=", "twice as fast")                                                                \
  X('F', VIEWER_FRAME, "F", "show everything")                                                               \
  X('C', VIEWER_COLOR, "C", "next coloring")                                                                 \
  X('S', VIEWER_SPRINGS, "S", "springs")                                                                     \
  X('B', VIEWER_PARTICLES, "B", "particles as balls")                                                        \
  X('X', VIEWER_CONTACTS, "X", "contacts")                                                                   \
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
  /* The top of the color scale, as in picture_options. */
  double color_max;
  picture_camera camera;
  picture_background background;
  bool springs, particles, contacts, ground;
  /* Starts paused; starts without the list of keys. */
  bool is_paused, hides_help;
  /* Without title and status, for a host that shows them itself. */
  bool hides_status;
  /* Each frame takes exactly one step, however long that is. */
  bool is_lockstep;
  /* The camera is fitted to the present frame alone, not to all frames so far. */
  bool fits_each_frame;
} viewer_options;

typedef struct viewer viewer;

/* Shows `s` in the current OpenGL context and takes ownership of it. NULL, with a line in `error`, on failure;
   `s` is freed even then. */
viewer *viewer_create(scene *s, const viewer_options *options, int width, int height, char *error,
                      size_t size);

/* NULL is allowed. */
void viewer_destroy(viewer *v);

/* Sets the new size of the framebuffer, each side >= 1. */
void viewer_resize(viewer *v, int width, int height);

void viewer_do(viewer *v, viewer_action action);

/* Does what the key with this code of VIEWER_KEYS does; other codes do nothing. */
void viewer_key(viewer *v, int code);

/* The left button drags what is under the pointer, or turns the view when there is nothing; with `cuts` its
   stroke cuts springs, with `pins` a click pins or unpins a particle. The right button turns the view, the
   middle button moves it. A left click without motion shows the numbers of the object there. */
void viewer_press(viewer *v, viewer_button button, bool cuts, bool pins, float x, float y);
void viewer_move(viewer *v, float x, float y);

/* How far from the pointer things are picked, in pixels >= 1; 9 by default. A finger needs more. */
void viewer_set_reach(viewer *v, float pixels);

/* The button was released; also when the window has lost the pointer. */
void viewer_release(viewer *v);
void viewer_scroll(viewer *v, float notches);

/* One frame of the display, `elapsed` real seconds after the last one: takes the result of the simulation, lets
   it go on, and draws. False, with a line in `error`, when drawing failed. */
bool viewer_frame(viewer *v, double elapsed, unsigned framebuffer, char *error, size_t size);

/* Whether the user asked to quit, or to save a picture of the last frame, which is reported once. */
bool viewer_wants_to_quit(const viewer *v);
bool viewer_wants_picture(viewer *v);

/* Whether the panel is to be shown, and the settings that it shows and changes. */
bool viewer_shows_panel(const viewer *v);
controls *viewer_controls(viewer *v);

/* Whether nothing moves, so that the next frame can wait for an event. */
bool viewer_is_still(const viewer *v);

/* Shows a message for some seconds, such as "saved curtain.png". */
void viewer_tell(viewer *v, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The state of a viewer, for titles, panels and tests. */
typedef struct viewer_status {
  const scene *scene;
  camera camera;
  /* s of simulated time, and steps, since the start. */
  double time;
  int64_t steps;
  bool is_paused;
  /* Simulated seconds per real second: as wanted, and as it lately was. */
  double speed, rate;
  /* s of real time that a step, and drawing a frame, took lately. */
  double step_seconds, draw_seconds;
  /* The last frame had fewer triangles, since one in full detail takes long to draw. */
  bool is_coarse;
  /* Indices; -1: none. */
  int32_t held, selected_particle, selected_spring;
  /* "" when there is none. */
  const char *message;
} viewer_status;

viewer_status viewer_get_status(const viewer *v);

#endif
