/* frames [PARTICLES...]: the frame time of the viewer for square cloths of about PARTICLES particles (10000,
   100000 and 1000000 by default). Draws 1280 x 800 pixels without a window, with the renderer that the system
   offers without a display. Prints a table of times. Exit status: 0 done, 1 a call failed, 2 bad usage. */
#include "bench/machine.h"
#include "render/paint/canvas.h"
#include "render/paint/headless.h"
#include "render/view/viewer.h"
#include "scenes/loader/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SIZES_MOST = 8,
  PARTICLES_LEAST = 100,
  PARTICLES_MOST = 20000000,
  WIDTH = 1280,
  HEIGHT = 800,
  SAMPLES = 4,
  FRAMES_LEAST = 20,
  FRAMES_MOST = 2000,
  /* Frames after a change that are not measured: in them the viewer finds its level of detail. */
  FRAMES_BEFORE = 12
};

/* Minimum time of the measurement of each row, in s. */
static const double SECONDS = 4;

static char error[PICTURE_ERROR_MAX];

static void check(bool done, const char *what) {
  if (done)
    return;
  fprintf(stderr, "frames: %s\n", what);
  exit(1);
}

/* A cloth that hangs from its upper edge in weak gravity: it moves all the time and keeps its shape. */
static scene *load_cloth(int32_t side) {
  char path[] = "/tmp/msd-frames-XXXXXX.json";
  scene_error cause;
  const int handle = mkstemps(path, (int)strlen(".json"));
  FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
  check(file != NULL, "cannot write a scene");
  fprintf(file,
          "{\"msd\": 1, \"frame_time\": 0.0166667, \"substeps\": 1, \"gravity\": [0, -0.001, 0], "
          "\"bodies\": [{\"type\": \"cloth\", "
          "\"u\": [1, 0, 0], \"v\": [0, -1, 0.3], \"columns\": %d, \"rows\": %d, \"mass\": 0.2, "
          "\"pinned\": [\"top\"], \"stretch\": {\"stiffness\": \"max_stable\"}, \"shear\": {\"stiffness\": "
          "\"max_stable\"}}]}\n",
          (int)side, (int)side);
  check(fclose(file) == 0, "cannot write a scene");
  scene *s = scene_load(path, &cause);
  remove(path);
  check(s != NULL, cause.text);
  return s;
}

typedef struct stage {
  viewer *viewer;
  canvas *drawn, *shown;
  /* Start of the last frame, in s. */
  double before;
} stage;

/* Draws and presents a frame as the window does, with the real elapsed time. Returns its time in s. */
static double draw_frame(stage *s) {
  const double begin = machine_clock();
  const double elapsed = s->before > 0 ? begin - s->before : 0;
  s->before = begin;
  check(viewer_frame(s->viewer, elapsed, canvas_framebuffer(s->drawn), error, sizeof error), error);
  canvas_show(s->drawn, canvas_framebuffer(s->shown));
  glFinish();
  return machine_clock() - begin;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Use of the viewer during the measurement. */
typedef enum treatment { STANDS, IS_TURNED, RUNS, TREATMENTS } treatment;

static const char *const names[TREATMENTS] = {"paused, full detail", "rotating camera", "running"};

typedef struct times {
  double median, most;
} times;

/* The median and the 95th percentile of the frame times, in ms. */
static times look(stage *s, treatment how) {
  static double seconds[FRAMES_MOST];
  const bool is_paused = viewer_get_status(s->viewer).is_paused;
  if (is_paused != (how != RUNS))
    viewer_do(s->viewer, VIEWER_PAUSE);
  if (how == IS_TURNED)
    viewer_press(s->viewer, VIEWER_RIGHT, false, false, WIDTH / 2, HEIGHT / 2);
  int count = 0;
  double all = 0;
  for (int n = 0; count < FRAMES_MOST && (count < FRAMES_LEAST || all < SECONDS); n++) {
    if (how == IS_TURNED)
      viewer_move(s->viewer, WIDTH / 2 + (float)(10 * (n % 40)), HEIGHT / 2);
    const double took = draw_frame(s);
    if (n < FRAMES_BEFORE)
      continue;
    seconds[count++] = took;
    all += took;
  }
  viewer_release(s->viewer);
  qsort(seconds, (size_t)count, sizeof *seconds, compare);
  return (times){1e3 * seconds[count / 2], 1e3 * seconds[count * 95 / 100]};
}

static void measure(int32_t particles, times found[TREATMENTS]) {
  const viewer_options options = {
      .camera = {.azimuth = 25, .elevation = 12, .zoom = 1}, .ground = true, .hides_help = true};
  stage s = {.drawn = canvas_create(WIDTH, HEIGHT, SAMPLES, error, sizeof error),
             .shown = canvas_create(WIDTH, HEIGHT, 1, error, sizeof error)};
  check(s.drawn != NULL && s.shown != NULL, error);
  s.viewer = viewer_create(load_cloth((int32_t)lround(sqrt(particles))), &options, WIDTH, HEIGHT, error,
                           sizeof error);
  check(s.viewer != NULL, error);
  for (int how = 0; how < TREATMENTS; how++)
    found[how] = look(&s, (treatment)how);
  viewer_destroy(s.viewer);
  canvas_destroy(s.drawn);
  canvas_destroy(s.shown);
}

static void print_table(const int32_t *sizes, times found[][TREATMENTS], int count) {
  printf("| ms a frame: median, 95th percentile |");
  for (int n = 0; n < count; n++)
    printf(" %d |", (int)sizes[n]);
  printf("\n|---|");
  for (int n = 0; n < count; n++)
    printf("---|");
  for (int how = 0; how < TREATMENTS; how++) {
    printf("\n| %s |", names[how]);
    for (int n = 0; n < count; n++)
      printf(" %.0f, %.0f |", found[n][how].median, found[n][how].most);
  }
  puts("");
}

int main(int argc, char **argv) {
  int32_t sizes[SIZES_MOST] = {10000, 100000, 1000000};
  static times found[SIZES_MOST][TREATMENTS];
  int count = argc > 1 ? 0 : 3;
  bool is_right = argc <= 1 + SIZES_MOST;
  for (int n = 1; n < argc && is_right; n++) {
    sizes[count++] = atoi(argv[n]);
    is_right = sizes[n - 1] >= PARTICLES_LEAST && sizes[n - 1] <= PARTICLES_MOST;
  }
  if (!is_right) {
    fprintf(stderr, "usage: frames [PARTICLES...], up to %d cloths of %d to %d\n", SIZES_MOST,
            PARTICLES_LEAST, PARTICLES_MOST);
    return 2;
  }
  headless *context = headless_open(error, sizeof error);
  check(context != NULL && gpu_load(headless_function, error, sizeof error), error);
  for (int n = 0; n < count; n++)
    measure(sizes[n], found[n]);
  headless_close(context);
  print_table(sizes, found, count);
  return 0;
}
