/* A viewer on a scene file, without a window. */
#ifndef MSD_TESTS_SUPPORT_VIEWER_STAGE_H
#define MSD_TESTS_SUPPORT_VIEWER_STAGE_H

#include "render/paint/canvas.h"
#include "render/paint/headless.h"
#include "render/view/viewer_state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 240, COLUMNS = 13, ROWS = 13 };

static char error[PICTURE_ERROR_MAX];

/* A cloth of 1 m x 1 m in the plane z = 0 with its upper corners pinned. The particle in row r, column c is at
   x = c/12 - 1/2, y = 1 - r/12. */
static const char cloth_json[] = "{\"msd\": 1, \"title\": \"%s\", \"frame_time\": 0.01, \"substeps\": %d, "
                                 "\"linear_damping\": 1, \"bodies\": [{\"type\": "
                                 "\"cloth\", \"origin\": [-0.5, 1, 0], \"u\": [1, 0, 0], \"v\": [0, -1, 0], "
                                 "\"columns\": %d, \"rows\": %d, "
                                 "\"mass\": 0.1, \"pinned\": [\"top_left\", \"top_right\"], \"stretch\": "
                                 "{}, \"shear\": {\"stiffness\": \"max_stable\"}}]}";

typedef struct fixture {
  headless *context;
  canvas *canvas;
  viewer *viewer;
  /* Columns and rows of the cloth. */
  int side;
  char path[64];
} fixture;

static inline void write_scene(const fixture *f, const char *title, int substeps) {
  FILE *file = fopen(f->path, "w");
  cr_assert(file != NULL);
  fprintf(file, cloth_json, title, substeps, f->side, f->side);
  cr_assert(fclose(file) == 0);
}

static inline void open_viewer_of(fixture *f, viewer_options options, int substeps, int side) {
  *f = (fixture){.context = headless_open(error, sizeof error), .side = side};
  if (f->context == NULL)
    cr_skip_test("no picture can be drawn here: %s", error);
  cr_assert(gpu_load(headless_function, error, sizeof error), "%s", error);
  snprintf(f->path, sizeof f->path, "/tmp/msd_test_viewer_%ld.json", (long)getpid());
  write_scene(f, "first", substeps);
  scene_error cause;
  scene *s = scene_load(f->path, &cause);
  cr_assert(s != NULL, "%s", cause.text);
  f->canvas = canvas_create(WIDTH, HEIGHT, 1, error, sizeof error);
  cr_assert(f->canvas != NULL, "%s", error);
  f->viewer = viewer_create(s, &options, WIDTH, HEIGHT, error, sizeof error);
  cr_assert(f->viewer != NULL, "%s", error);
}

static inline void open_viewer(fixture *f, viewer_options options, int substeps) {
  open_viewer_of(f, options, substeps, COLUMNS);
}

static inline viewer_options front(void) {
  return (viewer_options){.camera = {.zoom = 1}, .is_lockstep = true};
}

static inline void close_viewer(fixture *f) {
  remove(f->path);
  viewer_destroy(f->viewer);
  canvas_destroy(f->canvas);
  headless_close(f->context);
}

static inline void frames(fixture *f, int count) {
  for (int i = 0; i < count; i++)
    cr_assert(viewer_frame(f->viewer, 0.01, canvas_framebuffer(f->canvas), error, sizeof error), "%s", error);
}

static inline viewer_status status(const fixture *f) {
  return viewer_get_status(f->viewer);
}

#endif
