/* What a window on a scene does: draws it, steps it at its own pace, and lets a person turn, drag, pin and cut. It
   knows no window system, so that it runs in a test as well: whoever owns the window passes on keys and pointers.

   Places of the pointer are pixels of the framebuffer from its top left corner. */
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
  double color_max; /* as in picture_options */
  picture_camera camera;
  bool springs, particles, ground;
  bool is_paused;   /* at first */
  bool is_lockstep; /* one step for each frame, whatever time passes, and waits for it */
  bool hides_help;  /* at first */
} viewer_options;

typedef struct viewer viewer;

/* Shows `s`, which the viewer owns from now on, in the current OpenGL context. NULL with a line in `error`. */
viewer *viewer_create(scene *s, const viewer_options *options, int width, int height, char *error,
                      size_t size);
void viewer_destroy(viewer *v); /* NULL is allowed */

/* The framebuffer has another size, each side >= 1. */
void viewer_resize(viewer *v, int width, int height);

void viewer_do(viewer *v, viewer_action action);
void viewer_key(viewer *v, int code); /* a code of VIEWER_KEYS; others do nothing */

/* The pointer: the left button drags what is under it, or turns the view beside everything; with `cuts` its stroke
   cuts springs, with `pins` a click pins or unpins a particle. The right button turns, the middle one moves the
   view. A left click without any way shows the numbers of what is there. */
void viewer_press(viewer *v, viewer_button button, bool cuts, bool pins, float x, float y);
void viewer_move(viewer *v, float x, float y);
void viewer_release(viewer *v); /* the button, or the window lost the pointer */
void viewer_scroll(viewer *v, float notches);

/* One frame of the display, `elapsed` real seconds after the last: takes what the simulation has done, lets it go
   on, and draws. False with a line in `error` when the drawing failed. */
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
  double time;   /* s of simulated time since the beginning */
  int64_t steps; /* since the beginning */
  bool is_paused;
  double speed;        /* wanted: simulated seconds in a real one */
  double rate;         /* of late */
  double step_seconds; /* real time of a step of late */
  double draw_seconds; /* real time that drawing takes on the processor, without the simulation */
  int32_t held;        /* particle; -1: none */
  int32_t selected_particle, selected_spring; /* -1: none */
  const char *message;                        /* "" when there is none */
} viewer_status;

viewer_status viewer_get_status(const viewer *v);

#endif
