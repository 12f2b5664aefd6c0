#define _POSIX_C_SOURCE 200809L
#include "render/view/window.h"

#include "render/paint/canvas.h"
#include "render/paint/png.h"
#include "render/view/panel.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 256, PICTURES_MAX = 10000, SAMPLES = 4 };

typedef struct window {
  GLFWwindow *handle;
  viewer *viewer;
  /* NULL until there is one of the size of the window. */
  canvas *canvas;
  /* Pixels of the framebuffer; 0 while minimized. */
  int width, height;
  /* Pixels: the position at the last event. Asking for the position would tell where the pointer has moved
     since then, not where a button was pressed. */
  float pointer[2];
  bool has_panel;
} window;

/* Reports the last error of GLFW. */
static void glfw_problem(const char *what, char *error, size_t size) {
  const char *reason = NULL;
  glfwGetError(&reason);
  snprintf(error, size, "%s: %s", what, reason != NULL ? reason : "the system gives no reason");
}

/* ---------------------------------------------------------------------------------------------- events */

static window *window_of(GLFWwindow *handle) {
  return glfwGetWindowUserPointer(handle);
}

/* From screen units to pixels of the framebuffer. */
static void to_pixels(const window *w, double x, double y, float pixel[2]) {
  int width, height;
  glfwGetWindowSize(w->handle, &width, &height);
  pixel[0] = width > 0 ? (float)(x * w->width / width) : 0;
  pixel[1] = height > 0 ? (float)(y * w->height / height) : 0;
}

static bool is_panel_up(const window *w) {
  return w->has_panel && viewer_shows_panel(w->viewer);
}

/* The key codes of GLFW are those of ASCII, which viewer_key takes. */
static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods) {
  (void)scancode, (void)mods;
  if (action == GLFW_RELEASE || (is_panel_up(window_of(handle)) && panel_has_keys()))
    return;
  if (key == GLFW_KEY_ESCAPE)
    glfwSetWindowShouldClose(handle, GLFW_TRUE);
  else if (key == GLFW_KEY_RIGHT)
    viewer_do(window_of(handle)->viewer, VIEWER_STEP);
  else if (action == GLFW_PRESS || key == GLFW_KEY_PERIOD)
    viewer_key(window_of(handle)->viewer, key);
}

static void on_button(GLFWwindow *handle, int button, int action, int mods) {
  window *w = window_of(handle);
  if (action == GLFW_RELEASE)
    viewer_release(w->viewer);
  else if (!(is_panel_up(w) && panel_has_pointer()))
    viewer_press(w->viewer,
                 button == GLFW_MOUSE_BUTTON_LEFT    ? VIEWER_LEFT
                 : button == GLFW_MOUSE_BUTTON_RIGHT ? VIEWER_RIGHT
                                                     : VIEWER_MIDDLE,
                 (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_CONTROL) != 0, w->pointer[0], w->pointer[1]);
}

static void on_pointer(GLFWwindow *handle, double x, double y) {
  window *w = window_of(handle);
  to_pixels(w, x, y, w->pointer);
  viewer_move(w->viewer, w->pointer[0], w->pointer[1]);
}

static void on_scroll(GLFWwindow *handle, double x, double y) {
  (void)x;
  window *w = window_of(handle);
  if (!(is_panel_up(w) && panel_has_pointer()))
    viewer_scroll(w->viewer, (float)y);
}

static void on_focus(GLFWwindow *handle, int focused) {
  /* The release of a button outside of the window would not be seen. */
  if (!focused)
    viewer_release(window_of(handle)->viewer);
}

static void on_size(GLFWwindow *handle, int width, int height) {
  window *w = window_of(handle);
  w->width = width;
  w->height = height;
  canvas_destroy(w->canvas);
  w->canvas = NULL;
  if (width > 0 && height > 0)
    viewer_resize(w->viewer, width, height);
}

/* --------------------------------------------------------------------------------------------- pictures */

static bool save_picture(const window *w, const char *path, char *error, size_t size) {
  uint8_t *pixels = malloc(3 * (size_t)w->width * (size_t)w->height);
  bool done = pixels != NULL;
  if (done) {
    canvas_read(w->canvas, pixels);
    done = png_write(path, w->width, w->height, 3, pixels, error, size);
  } else {
    snprintf(error, size, "%s: out of memory for a picture", path);
  }
  free(pixels);
  return done;
}

/* Saves a picture in the current folder under the next free name: curtain-1.png, curtain-2.png ... */
static void save_next_picture(const window *w) {
  char path[PATH_BYTES], error[PICTURE_ERROR_MAX];
  const char *name = viewer_get_status(w->viewer).scene->name;
  for (int i = 1; i <= PICTURES_MAX; i++) {
    snprintf(path, sizeof path, "%.200s-%d.png", name, i);
    if (access(path, F_OK) == 0)
      continue;
    if (save_picture(w, path, error, sizeof error))
      viewer_tell(w->viewer, "saved %s", path);
    else
      viewer_tell(w->viewer, "%s", error);
    return;
  }
  viewer_tell(w->viewer, "there are %d pictures of this scene here already", PICTURES_MAX);
}

/* ------------------------------------------------------------------------------------------------- run */

window_options window_default_options(void) {
  return (window_options){
      .width = 1280, .height = 800, .view = {.camera = picture_default_options().camera, .ground = true}};
}

static GLFWwindow *open_handle(const scene *s, const window_options *options, char *error, size_t size) {
  if (!glfwInit()) {
    glfw_problem("no window can be opened here (msd run --png draws without one)", error, size);
    return NULL;
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  char title[PATH_BYTES];
  snprintf(title, sizeof title, "%.200s - msd", s->title[0] != '\0' ? s->title : s->name);
  GLFWwindow *handle = glfwCreateWindow(options->width, options->height, title, NULL, NULL);
  if (handle == NULL) {
    glfw_problem("this display gives no window with OpenGL 3.3", error, size);
    glfwTerminate();
    return NULL;
  }
  glfwMakeContextCurrent(handle);
  glfwSwapInterval(options->frames > 0 ? 0 : 1);
  return handle;
}

static void listen(window *w) {
  double x, y;
  glfwGetCursorPos(w->handle, &x, &y);
  to_pixels(w, x, y, w->pointer);
  glfwSetWindowUserPointer(w->handle, w);
  glfwSetKeyCallback(w->handle, on_key);
  glfwSetMouseButtonCallback(w->handle, on_button);
  glfwSetCursorPosCallback(w->handle, on_pointer);
  glfwSetScrollCallback(w->handle, on_scroll);
  glfwSetWindowFocusCallback(w->handle, on_focus);
  glfwSetFramebufferSizeCallback(w->handle, on_size);
}

/* Draws the panel, and opens it when it is shown for the first time. */
static void show_panel(window *w) {
  if (!viewer_shows_panel(w->viewer))
    return;
  if (!w->has_panel && !(w->has_panel = panel_open(w->handle))) {
    viewer_do(w->viewer, VIEWER_PANEL);
    viewer_tell(w->viewer, "this program was built without Dear ImGui and has no panel");
    return;
  }
  panel_draw(viewer_controls(w->viewer));
}

static bool loop(window *w, const window_options *options, char *error, size_t size) {
  double before = glfwGetTime();
  for (int64_t frame = 0; options->frames == 0 || frame < options->frames;) {
    if (w->width == 0 || w->height == 0 || viewer_is_still(w->viewer))
      glfwWaitEventsTimeout(0.1);
    else
      glfwPollEvents();
    if (glfwWindowShouldClose(w->handle) || viewer_wants_to_quit(w->viewer))
      break;
    bool is_minimized = w->width == 0 || w->height == 0;
    if (is_minimized)
      continue;
    if (w->canvas == NULL && (w->canvas = canvas_create(w->width, w->height, SAMPLES, error, size)) == NULL)
      return false;
    double time = glfwGetTime();
    if (!viewer_frame(w->viewer, time - before, canvas_framebuffer(w->canvas), error, size))
      return false;
    before = time;
    frame++;
    if (viewer_wants_picture(w->viewer))
      save_next_picture(w);
    if (frame == options->frames && options->png != NULL && !save_picture(w, options->png, error, size))
      return false;
    canvas_show(w->canvas, 0);
    show_panel(w);
    glfwSwapBuffers(w->handle);
  }
  return true;
}

bool window_run(scene *s, const window_options *options, char *error, size_t size) {
  window w = {.handle = open_handle(s, options, error, size)};
  if (w.handle == NULL) {
    scene_free(s);
    return false;
  }
  glfwGetFramebufferSize(w.handle, &w.width, &w.height);
  viewer_options view = options->view;
  view.is_lockstep = options->frames > 0;
  view.fits_each_frame = options->png != NULL;
  bool done = gpu_load(glfwGetProcAddress, error, size);
  if (!done)
    scene_free(s);
  if (done) {
    w.viewer = viewer_create(s, &view, w.width > 0 ? w.width : 1, w.height > 0 ? w.height : 1, error, size);
    done = w.viewer != NULL;
  }
  if (done) {
    listen(&w);
    done = loop(&w, options, error, size);
  }
  if (w.has_panel)
    panel_close();
  viewer_destroy(w.viewer);
  canvas_destroy(w.canvas);
  glfwDestroyWindow(w.handle);
  glfwTerminate();
  return done;
}
