/* A window on a scene, through GLFW. */
#ifndef MSD_RENDER_VIEW_WINDOW_H
#define MSD_RENDER_VIEW_WINDOW_H

#include "render/view/viewer.h"

typedef struct window_options {
  /* The size of the window in screen units; default 1280 x 800. */
  int width, height;
  /* > 0: closes after so many frames, each of one step of the scene; 0: stays open until the user closes it. */
  int64_t frames;
  /* The file that the last frame is written to, or NULL. */
  const char *png;
  viewer_options view;
} window_options;

window_options window_default_options(void);

/* Opens a window on `s`, takes ownership of it, and returns when the window is closed. False, with a line in
   `error`, when there is no display, when it offers no OpenGL 3.3, or when the file cannot be written. */
bool window_run(scene *s, const window_options *options, char *error, size_t size);

#endif
