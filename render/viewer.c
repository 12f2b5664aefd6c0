#define _POSIX_C_SOURCE 200809L
#include "viewer.h"

#include "details.h"
#include "hud.h"
#include "legend.h"
#include "pace.h"
#include "painter.h"
#include "pick.h"
#include "runner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGE_MAX = 512, CLICK_REACH = 9, CLICK_SLACK = 4 }; /* bytes; pixels */

#define FRAME_SHARE     0.8f /* of the window that a scene fills */
#define BATCH_SECONDS   0.03 /* of real time that steps are taken in before a picture shows them */
#define MESSAGE_SECONDS 6

typedef enum gesture {
  GESTURE_NONE,
  GESTURE_TURN,
  GESTURE_MOVE,
  GESTURE_PULL,
  GESTURE_CUT,
  GESTURE_PIN
} gesture;

struct viewer {
  scene *scene;
  painter *painter;
  overlay *overlay;
  runner *runner;
  int width, height;

  camera camera;
  bool follows; /* the camera shows everything that was ever seen, until someone moves it */
  box seen;
  picture_color color;
  double color_max, value_high;
  bool springs, particles, ground, shows_keys, shows_panel;
  controls controls;

  pace pace;
  bool is_paused, is_lockstep, wants_step, wants_to_quit, wants_picture;
  bool has_job;      /* the runner has the world, or a report that was not read */
  bool is_dirty;     /* the drawn state is not the world's */
  double unpaid;     /* s since the pace was last asked for steps */
  double unrecorded; /* s since the pace last heard of steps */
  double time, step_seconds, draw_seconds;
  int64_t steps;

  gesture gesture;
  bool has_moved; /* the pointer, since pressed */
  bool is_click;  /* released without moving, it selects */
  float pressed[2], pointer[2];
  int32_t target;         /* particle under the pointer when pressed; -1: none */
  float target_depth;     /* m in front of the eye */
  float target_offset[2]; /* pixels from the pointer to the particle when pressed */
  double goal[3];

  /* The world belongs to the runner most of the time: what a person does to it waits for its return. */
  hand hand;
  int32_t to_grab, to_pin; /* particles; -1: none */
  bool to_release, to_reload;
  int32_t *to_cut;
  int32_t cut_count;

  int32_t selected_particle, selected_spring;
  char details[DETAIL_LINES][DETAIL_MAX];
  char message[MESSAGE_MAX];
  double message_seconds; /* still to be shown */
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void viewer_tell(viewer *v, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(v->message, sizeof v->message, format, arguments);
  va_end(arguments);
  v->message_seconds = MESSAGE_SECONDS;
}

/* ------------------------------------------------------------------------------------------- creation */

static void forget_gestures(viewer *v) {
  v->gesture = GESTURE_NONE;
  v->hand = hand_empty();
  v->to_grab = v->to_pin = v->target = -1;
  v->to_release = false;
  v->cut_count = 0;
  v->selected_particle = v->selected_spring = -1;
  memset(v->details, 0, sizeof v->details);
}

/* From where it looks, as near as shows everything. */
static void frame_all(viewer *v) {
  v->follows = true;
  v->seen = *painter_box(v->painter);
  camera_frame(&v->camera, &v->seen, (float)v->width / (float)v->height, FRAME_SHARE);
}

static void follow(viewer *v) {
  const box *now_seen = painter_box(v->painter);
  if (!v->follows || v->gesture == GESTURE_PULL || box_contains(&v->seen, now_seen))
    return;
  box_join(&v->seen, now_seen);
  camera_frame(&v->camera, &v->seen, (float)v->width / (float)v->height, FRAME_SHARE);
}

/* Takes over a scene: its painter, and a beginning at time 0. */
static bool adopt(viewer *v, scene *s, char *error, size_t size) {
  painter *p = painter_create(s, error, size);
  int32_t *to_cut = p != NULL ? malloc(sizeof *to_cut * (size_t)(painter_shapes(p)->line_count + 1)) : NULL;
  controls c = {0};
  if (to_cut == NULL || !controls_open(&c, s)) {
    if (p != NULL)
      snprintf(error, size, "out of memory for the window");
    painter_destroy(p);
    free(to_cut);
    return false;
  }
  painter_destroy(v->painter);
  scene_free(v->scene);
  free(v->to_cut);
  controls_close(&v->controls);
  v->controls = c;
  v->scene = s;
  v->painter = p;
  v->to_cut = to_cut;
  double speed = v->pace.speed > 0 ? v->pace.speed : 1;
  v->pace = pace_make(s->time_step);
  v->pace.speed = speed;
  pace_restart(&v->pace);
  v->time = v->step_seconds = v->value_high = 0;
  v->steps = 0;
  forget_gestures(v);
  painter_update(p, v->color, v->springs);
  v->is_dirty = true;
  return true;
}

void viewer_destroy(viewer *v) {
  if (v == NULL)
    return;
  runner_destroy(v->runner);
  painter_destroy(v->painter);
  overlay_destroy(v->overlay);
  scene_free(v->scene);
  controls_close(&v->controls);
  free(v->to_cut);
  free(v);
}

viewer *viewer_create(scene *s, const viewer_options *options, int width, int height, char *error,
                      size_t size) {
  viewer *v = calloc(1, sizeof *v);
  if (v == NULL) {
    snprintf(error, size, "out of memory for the window");
    scene_free(s);
    return NULL;
  }
  *v = (viewer){.width = width,
                .height = height,
                .color = options->color,
                .color_max = options->color_max,
                .springs = options->springs,
                .particles = options->particles,
                .ground = options->ground,
                .shows_keys = !options->hides_help,
                .is_paused = options->is_paused,
                .is_lockstep = options->is_lockstep,
                .camera = camera_default()};
  forget_gestures(v);
  bool done = adopt(v, s, error, size);
  if (!done)
    scene_free(s);
  done = done && (v->overlay = overlay_create(error, size)) != NULL &&
         (v->runner = runner_create(error, size)) != NULL;
  if (!done) {
    viewer_destroy(v);
    return NULL;
  }
  const picture_camera *wish = &options->camera;
  painter_up(v->painter, v->camera.up);
  v->camera.azimuth = (float)fmod(wish->azimuth, 360);
  v->camera.elevation = (float)wish->elevation;
  frame_all(v);
  camera_zoom(&v->camera, (float)wish->zoom);
  v->follows = wish->zoom == 1 && !wish->has_target;
  if (wish->has_target)
    for (int i = 0; i < 3; i++)
      v->camera.target[i] = (float)wish->target[i];
  return v;
}

void viewer_resize(viewer *v, int width, int height) {
  v->width = width;
  v->height = height;
}

/* ----------------------------------------------------------------------------------------------- keys */

static void change_speed(viewer *v, double factor) {
  v->pace.speed = fmin(fmax(v->pace.speed * factor, 1.0 / 64), 16);
  pace_restart(&v->pace);
}

void viewer_do(viewer *v, viewer_action action) {
  switch (action) {
  case VIEWER_PAUSE:
    v->is_paused = !v->is_paused;
    pace_restart(&v->pace);
    break;
  case VIEWER_STEP:
    v->is_paused = v->wants_step = true;
    break;
  case VIEWER_RELOAD:
    v->to_reload = true;
    break;
  case VIEWER_SLOWER:
    change_speed(v, 0.5);
    break;
  case VIEWER_FASTER:
    change_speed(v, 2);
    break;
  case VIEWER_FRAME:
    frame_all(v);
    break;
  case VIEWER_COLOR:
    v->color = (picture_color)((v->color + 1) % PICTURE_COLOR_COUNT);
    v->color_max = v->value_high = 0;
    v->is_dirty = true;
    break;
  case VIEWER_SPRINGS:
    v->springs = !v->springs;
    v->is_dirty = true;
    break;
  case VIEWER_PARTICLES:
    v->particles = !v->particles;
    break;
  case VIEWER_GROUND:
    v->ground = !v->ground;
    break;
  case VIEWER_PANEL:
    v->shows_panel = !v->shows_panel;
    break;
  case VIEWER_PICTURE:
    v->wants_picture = true;
    break;
  case VIEWER_HELP:
    v->shows_keys = !v->shows_keys;
    break;
  case VIEWER_QUIT:
    v->wants_to_quit = true;
    break;
  case VIEWER_ACTION_COUNT:
    break;
  }
}

void viewer_key(viewer *v, int code) {
  static const struct {
    int code;
    viewer_action action;
  } keys[] = {
#define VIEWER_KEY(code, action, name, text) {code, action},
      VIEWER_KEYS(VIEWER_KEY)
#undef VIEWER_KEY
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i].code == code)
      viewer_do(v, keys[i].action);
}

/* -------------------------------------------------------------------------------------------- pointer */

static pick_view view_of(const viewer *v) {
  return (pick_view){painter_shapes(v->painter), painter_points(v->painter), v->camera, v->width, v->height};
}

static void aim(viewer *v) {
  vec3 eye, ray, right, top, back;
  float pixel[2] = {v->pointer[0] + v->target_offset[0], v->pointer[1] + v->target_offset[1]};
  camera_ray(&v->camera, v->width, v->height, pixel, eye, ray);
  camera_axes(&v->camera, right, top, back);
  /* In the plane of the particle that faces the camera. */
  float along = v->target_depth / -glm_vec3_dot(ray, back);
  for (int i = 0; i < 3; i++)
    v->goal[i] = (double)(eye[i] + along * ray[i]);
}

static void select_under(viewer *v, float x, float y) {
  pick_view view = view_of(v);
  const float pixel[2] = {x, y};
  bool shows_lines = v->springs || v->color == PICTURE_COLOR_KIND;
  v->selected_spring = shows_lines || v->target < 0 ? pick_spring(&view, pixel, CLICK_REACH) : -1;
  if (v->target >= 0 && v->selected_spring >= 0) { /* the spring, or one of its ends? */
    topology_line line = view.shapes->lines[v->selected_spring];
    float ends[3][2] = {{0}};
    float depth;
    bool is_seen = pick_project(&view, line.a, ends[0], &depth) &&
                   pick_project(&view, line.b, ends[1], &depth) &&
                   pick_project(&view, v->target, ends[2], &depth);
    float length = hypotf(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    if (is_seen && hypotf(ends[2][0] - x, ends[2][1] - y) < fminf(0.3f * length, CLICK_REACH))
      v->selected_spring = -1;
  }
  v->selected_particle = v->selected_spring < 0 ? v->target : -1;
}

void viewer_press(viewer *v, viewer_button button, bool cuts, bool pins, float x, float y) {
  viewer_release(v);
  pick_view view = view_of(v);
  v->pressed[0] = v->pointer[0] = x;
  v->pressed[1] = v->pointer[1] = y;
  v->has_moved = false;
  v->is_click = button == VIEWER_LEFT && !cuts && !pins;
  v->target = -1;
  if (button != VIEWER_LEFT) {
    v->gesture = button == VIEWER_RIGHT ? GESTURE_TURN : GESTURE_MOVE;
    return;
  }
  if (cuts) {
    v->gesture = GESTURE_CUT;
    return;
  }
  v->target = pick_particle(&view, v->pointer, CLICK_REACH);
  v->gesture = pins ? GESTURE_PIN : v->target >= 0 ? GESTURE_PULL : GESTURE_TURN;
  if (v->target < 0)
    return;
  float at[2] = {x, y};
  pick_project(&view, v->target, at, &v->target_depth);
  v->target_offset[0] = at[0] - x;
  v->target_offset[1] = at[1] - y;
}

static void cut_to(viewer *v, float x, float y) {
  pick_view view = view_of(v);
  int32_t room =
      view.shapes->line_count - v->cut_count; /* a spring may be met twice before the world is free */
  v->cut_count += pick_crossed(&view, v->pointer, (float[]){x, y}, v->to_cut + v->cut_count, room);
}

void viewer_move(viewer *v, float x, float y) {
  float dx = x - v->pointer[0], dy = y - v->pointer[1];
  bool was_click = !v->has_moved;
  v->has_moved = v->has_moved || hypotf(x - v->pressed[0], y - v->pressed[1]) > CLICK_SLACK;
  if (v->gesture == GESTURE_CUT)
    cut_to(v, x, y);
  v->pointer[0] = x;
  v->pointer[1] = y;
  if (v->gesture == GESTURE_TURN || v->gesture == GESTURE_MOVE)
    v->follows = false;
  if (v->gesture == GESTURE_TURN)
    camera_orbit(&v->camera, -0.35f * dx, 0.35f * dy);
  if (v->gesture == GESTURE_MOVE)
    camera_pan(&v->camera, v->height, dx, dy);
  if (v->gesture == GESTURE_PULL && v->has_moved) {
    aim(v);
    if (was_click)
      v->to_grab = v->target;
  }
}

void viewer_release(viewer *v) {
  if (v->gesture == GESTURE_PULL) {
    if (v->to_grab >= 0)
      v->to_grab = -1; /* the hand never closed */
    else
      v->to_release = v->hand.particle >= 0;
  }
  if (!v->has_moved && v->gesture == GESTURE_PIN)
    v->to_pin = v->target;
  if (v->gesture != GESTURE_NONE && v->is_click && !v->has_moved)
    select_under(v, v->pointer[0], v->pointer[1]);
  v->gesture = GESTURE_NONE;
}

void viewer_scroll(viewer *v, float notches) {
  v->follows = false;
  camera_zoom(&v->camera, powf(1.12f, notches));
}

/* -------------------------------------------------------------------------------- while the world is free */

static void reload(viewer *v) {
  scene_error problem;
  scene *s = scene_load(v->scene->path, &problem);
  v->to_reload = false;
  if (s == NULL) {
    viewer_tell(v, "%s", problem.text);
    return;
  }
  char error[PICTURE_ERROR_MAX];
  if (!adopt(v, s, error, sizeof error)) {
    scene_free(s);
    viewer_tell(v, "%s", error);
  }
}

static void cut(viewer *v) {
  for (int32_t i = 0; i < v->cut_count; i++)
    msd_spring_break(v->scene->world, v->to_cut[i]);
  v->cut_count = 0;
  char error[PICTURE_ERROR_MAX];
  if (!painter_reshape(v->painter, error, sizeof error))
    viewer_tell(v, "%s", error);
}

static void apply_edits(viewer *v) {
  msd_world *world = v->scene->world;
  if (v->to_reload)
    reload(v);
  else if (v->to_release || v->to_grab >= 0 || v->to_pin >= 0 || v->cut_count > 0)
    v->is_dirty = true;
  if (v->to_release)
    hand_release(&v->hand, world);
  v->to_release = false;
  if (v->to_grab >= 0)
    hand_grab(&v->hand, world, v->to_grab);
  v->to_grab = -1;
  memcpy(v->hand.goal, v->goal, sizeof v->goal);
  if (v->to_pin >= 0 && v->to_pin != v->hand.particle) {
    if (msd_particle_is_pinned(world, v->to_pin))
      msd_particle_unpin(world, v->to_pin);
    else
      msd_particle_pin(world, v->to_pin);
  }
  v->to_pin = -1;
  if (v->cut_count > 0)
    cut(v);
  char error[PICTURE_ERROR_MAX];
  if (!controls_apply(&v->controls, v->scene, error, sizeof error))
    viewer_tell(v, "%s", error);
  v->pace.time_step = v->scene->time_step;
}

/* A time that the eye can read although it changes every frame. */
static double smoothed(double before, double seconds) {
  return before > 0 ? before + 0.1 * (seconds - before) : seconds;
}

static void collect(viewer *v) {
  run_report report = runner_report(v->runner);
  v->has_job = false;
  v->time += report.steps * v->scene->time_step;
  v->steps += report.steps;
  v->is_dirty = true;
  if (report.steps > 0)
    v->step_seconds = smoothed(v->step_seconds, report.seconds / report.steps);
  pace_record(&v->pace, report.steps, v->unrecorded);
  v->unrecorded = 0;
  if (report.result != MSD_OK) {
    v->is_paused = true;
    viewer_tell(v, "%s. R begins again", msd_world_message(v->scene->world));
  }
}

static void describe_selection(viewer *v) {
  memset(v->details, 0, sizeof v->details);
  if (v->selected_particle >= 0)
    details_of_particle(v->scene, v->selected_particle, v->details);
  else if (v->selected_spring >= 0)
    details_of_spring(v->scene, v->selected_spring, v->details);
}

static int steps_due(viewer *v) {
  double elapsed = v->unpaid;
  v->unpaid = 0;
  if (v->is_paused) {
    int steps = v->wants_step;
    v->wants_step = false;
    v->unrecorded = 0;
    return steps;
  }
  return v->is_lockstep ? 1 : pace_due(&v->pace, elapsed);
}

static void start(viewer *v, int steps) {
  runner_start(v->runner, &(run_job){.world = v->scene->world,
                                     .time_step = v->scene->time_step,
                                     .substeps = v->scene->substeps,
                                     .steps = steps,
                                     .patience = BATCH_SECONDS,
                                     .hand = &v->hand});
  v->has_job = true;
}

/* Takes the world back if the runner has done with it, sees to it, and lends it again. */
static void simulate(viewer *v) {
  if (!runner_is_idle(v->runner))
    return;
  if (v->has_job)
    collect(v);
  apply_edits(v);
  int steps = steps_due(v);
  if (steps > 0 && v->is_lockstep) {
    start(v, steps);
    runner_wait(v->runner);
    collect(v);
  }
  describe_selection(v);
  if (v->shows_panel && (v->is_dirty || v->controls.wants_stability))
    controls_sample(&v->controls, v->scene, v->step_seconds);
  if (v->is_dirty) {
    painter_update(v->painter, v->color, v->springs);
    follow(v);
  }
  v->is_dirty = false;
  if (steps > 0 && !v->is_lockstep)
    start(v, steps);
}

/* -------------------------------------------------------------------------------------------- a frame */

static void fill_status(const viewer *v, hud *h) {
  const topology *t = painter_shapes(v->painter);
  snprintf(h->status[0], DETAIL_MAX, "%d particles   %d springs   %.2f s", (int)t->particles,
           (int)t->line_count, v->time);
  snprintf(h->status[1], DETAIL_MAX, "step %.3g ms   draw %.3g ms", 1e3 * v->step_seconds,
           1e3 * v->draw_seconds);
  if (v->is_paused)
    snprintf(h->status[2], DETAIL_MAX, "paused");
  else if (!v->is_lockstep && v->pace.rate < 0.93 * v->pace.speed)
    snprintf(h->status[2], DETAIL_MAX, "x %.2g of real time: this machine is slower than the scene",
             v->pace.rate);
  else if (v->pace.speed != 1)
    snprintf(h->status[2], DETAIL_MAX, "x %.3g of real time", v->pace.speed);
}

/* Marks a particle, or a spring at its middle. */
static void add_mark(viewer *v, int32_t a, int32_t b, bool is_held) {
  pick_view view = view_of(v);
  float ends[2][2], depth;
  if (a >= 0 && pick_project(&view, a, ends[0], &depth) && pick_project(&view, b, ends[1], &depth))
    hud_mark(v->overlay, v->height, (float[]){(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2},
             is_held);
}

static void draw(viewer *v, GLuint framebuffer) {
  v->value_high = fmax(v->value_high, painter_value_high(v->painter));
  double color_max = v->color_max > 0 ? v->color_max : legend_round_up(v->color, v->value_high);
  painter_view view = {.camera = v->camera,
                       .width = v->width,
                       .height = v->height,
                       .color = v->color,
                       .color_max = color_max,
                       .springs = v->springs,
                       .particles = v->particles,
                       .ground = v->ground};
  painter_draw(v->painter, &view, framebuffer);
  legend_add(v->overlay, v->width, v->height, v->color, color_max, painter_shapes(v->painter)->kinds);
  hud h = {.title = v->scene->title[0] != '\0' ? v->scene->title : v->scene->name,
           .message = v->message_seconds > 0 ? v->message : "",
           .shows_keys = v->shows_keys};
  fill_status(v, &h);
  memcpy(h.details, v->details, sizeof h.details);
  hud_add(v->overlay, v->width, v->height, &h);
  add_mark(v, v->selected_particle, v->selected_particle, false);
  if (v->selected_spring >= 0) {
    topology_line line = painter_shapes(v->painter)->lines[v->selected_spring];
    add_mark(v, line.a, line.b, false);
  }
  add_mark(v, v->hand.particle, v->hand.particle, true);
  overlay_draw(v->overlay);
}

bool viewer_frame(viewer *v, double elapsed, unsigned framebuffer, char *error, size_t size) {
  v->message_seconds -= elapsed;
  v->unrecorded += elapsed;
  v->unpaid += elapsed;
  simulate(v);
  double begin = now();
  draw(v, framebuffer);
  v->draw_seconds = smoothed(v->draw_seconds, now() - begin);
  return gpu_check("when drawing the window", error, size);
}

bool viewer_wants_to_quit(const viewer *v) {
  return v->wants_to_quit;
}

bool viewer_shows_panel(const viewer *v) {
  return v->shows_panel;
}

controls *viewer_controls(viewer *v) {
  return &v->controls;
}

bool viewer_wants_picture(viewer *v) {
  bool wants = v->wants_picture;
  v->wants_picture = false;
  return wants;
}

bool viewer_is_still(const viewer *v) {
  return v->is_paused && !v->shows_panel && !v->has_job && !v->wants_step && !v->to_reload &&
         v->gesture == GESTURE_NONE && v->message_seconds <= 0;
}

viewer_status viewer_get_status(const viewer *v) {
  return (viewer_status){.scene = v->scene,
                         .camera = v->camera,
                         .time = v->time,
                         .steps = v->steps,
                         .is_paused = v->is_paused,
                         .speed = v->pace.speed,
                         .rate = v->pace.rate,
                         .step_seconds = v->step_seconds,
                         .draw_seconds = v->draw_seconds,
                         .held = v->hand.particle,
                         .selected_particle = v->selected_particle,
                         .selected_spring = v->selected_spring,
                         .message = v->message_seconds > 0 ? v->message : ""};
}
