#include "render/view/viewer_state.h"

#include "render/view/clock.h"
#include "render/view/details.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The share of the window that a scene fills. */
#define FRAME_SHARE 0.8f
/* s: steps run in batches about as long as a frame takes, within these bounds of real time. */
#define BATCH_SECONDS_MIN 0.03
#define BATCH_SECONDS_MAX 0.25
/* s for which a message is shown. */
#define MESSAGE_SECONDS 6

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
  hand_forget(&v->hand);
  v->to_grab = v->target = NO_TARGET;
  v->to_pin = -1;
  v->to_release = false;
  v->cut_count = 0;
  v->selected_particle = v->selected_spring = -1;
  memset(v->details, 0, sizeof v->details);
}

/* Whether there is more to see than before. */
static bool widen(viewer *v) {
  return framing_widen(&v->framing, v->painter, &v->camera, v->ground && v->color != PICTURE_COLOR_KIND);
}

static void place_camera(viewer *v) {
  framing_apply(&v->framing, &v->camera, (float)v->width / (float)v->height, FRAME_SHARE);
}

/* Moves the camera, without turning it, to where it shows everything. */
static void frame_all(viewer *v) {
  v->follows = true;
  v->framing = framing_empty();
  widen(v);
  place_camera(v);
}

/* Keeps everything in view after the world has changed, except while the user is dragging something. */
static void follow(viewer *v) {
  if (v->fits_each_frame)
    v->framing = framing_empty();
  if (v->follows && v->gesture != GESTURE_PULL && widen(v))
    place_camera(v);
}

/* Starts with a scene at time 0, and frees the one before. On failure nothing has changed, and the caller still
   owns `s`. */
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
  v->pace = pace_make(s->frame_time);
  v->pace.speed = speed;
  pace_restart(&v->pace);
  v->time = v->step_seconds = v->own_seconds = v->value_high = 0;
  v->steps = 0;
  forget_gestures(v);
  painter_update(p, &(painter_reading){v->color, v->springs, v->contacts});
  v->is_dirty = true;
  return true;
}

void viewer_destroy(viewer *v) {
  if (v == NULL)
    return;
  runner_destroy(v->runner);
  hand_forget(&v->hand);
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
                .background = options->background,
                .springs = options->springs,
                .particles = options->particles,
                .contacts = options->contacts,
                .ground = options->ground,
                .shows_keys = !options->hides_help,
                .hides_status = options->hides_status,
                .reach = VIEWER_REACH,
                .is_paused = options->is_paused,
                .is_lockstep = options->is_lockstep,
                .fits_each_frame = options->fits_each_frame,
                .level = pixel_level_make(),
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
  const picture_camera *start = &options->camera;
  painter_up(v->painter, v->camera.up);
  v->camera.azimuth = (float)fmod(start->azimuth, 360);
  v->camera.elevation = (float)start->elevation;
  frame_all(v);
  camera_zoom(&v->camera, (float)start->zoom);
  v->follows = start->zoom == 1 && !start->has_target;
  if (start->has_target)
    for (int i = 0; i < 3; i++)
      v->camera.target[i] = (float)start->target[i];
  return v;
}

void viewer_resize(viewer *v, int width, int height) {
  v->full_seconds = 0;
  v->width = width;
  v->height = height;
}

/* ----------------------------------------------------------------------------------------------- keys */

static void change_speed(viewer *v, double factor) {
  v->pace.speed = fmin(fmax(v->pace.speed * factor, 1.0 / 64), 16);
  pace_restart(&v->pace);
}

void viewer_do(viewer *v, viewer_action action) {
  v->full_seconds = 0;
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
  case VIEWER_CONTACTS:
    v->contacts = !v->contacts;
    v->is_dirty = true;
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
}

static void grab(viewer *v, msd_world *world) {
  if (v->to_grab.particle >= 0)
    hand_grab(&v->hand, world, v->to_grab.particle);
  if (v->to_grab.collider >= 0)
    hand_grab_collider(&v->hand, world, v->to_grab.collider, v->grip);
  if (v->to_grab.body >= 0)
    hand_grab_pins(&v->hand, world, v->scene->bodies[v->to_grab.body].particles, v->grip);
  v->to_grab = NO_TARGET;
}

static void apply_edits(viewer *v) {
  msd_world *world = v->scene->world;
  if (v->to_reload)
    reload(v);
  else if (v->to_release || target_is_there(v->to_grab) || v->to_pin >= 0 || v->cut_count > 0)
    v->is_dirty = true;
  if (v->to_release)
    hand_release(&v->hand, world);
  v->to_release = false;
  grab(v, world);
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
  v->pace.frame_time = v->scene->frame_time;
}

/* A moving average, so that a number that changes with every frame can be read. */
static double smoothed(double before, double seconds) {
  return before > 0 ? before + 0.1 * (seconds - before) : seconds;
}

static void collect(viewer *v) {
  run_report report = runner_report(v->runner);
  v->has_job = false;
  v->time += report.steps * v->scene->frame_time;
  v->steps += report.steps;
  v->is_dirty = true;
  if (report.steps > 0) {
    v->step_seconds = smoothed(v->step_seconds, report.seconds / report.steps);
    v->own_seconds = smoothed(v->own_seconds, report.own_seconds / report.steps);
  }
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
  double patience = fmin(fmax(v->frame_seconds, BATCH_SECONDS_MIN), BATCH_SECONDS_MAX);
  runner_start(v->runner, &(run_job){.scene = v->scene,
                                     .frame_time = v->scene->frame_time,
                                     .substeps = v->scene->substeps,
                                     .steps = steps,
                                     .patience = patience,
                                     .hand = &v->hand});
  v->has_job = true;
}

/* When the runner is done with the world: takes it back, applies what the user asked for, and lends it again.
   */
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
    painter_update(v->painter, &(painter_reading){v->color, v->springs, v->contacts});
    follow(v);
  }
  v->is_dirty = false;
  if (steps > 0 && !v->is_lockstep)
    start(v, steps);
}

/* -------------------------------------------------------------------------------------------- a frame */

/* Whether a frame must not take long, and one in full detail does. What is kept, or stands still, has all of
   it. */
static bool wants_coarse(const viewer *v) {
  const bool moves = !v->is_paused || v->has_job || v->gesture != GESTURE_NONE;
  return moves && !v->is_lockstep && !v->wants_picture && v->full_seconds > PIXELS_SECONDS_MAX;
}

bool viewer_frame(viewer *v, double elapsed, unsigned framebuffer, char *error, size_t size) {
  v->message_seconds -= elapsed;
  v->unrecorded += elapsed;
  v->unpaid += elapsed;
  v->frame_seconds = smoothed(v->frame_seconds, elapsed);
  const double called = clock_now();
  simulate(v);
  v->is_coarse = wants_coarse(v);
  double begin = clock_now();
  viewer_draw(v, framebuffer);
  /* Without this the time would be that of issuing the commands. */
  glFinish();
  double end = clock_now();
  v->draw_seconds = smoothed(v->draw_seconds, end - begin);
  if (v->is_coarse)
    pixel_level_look(&v->level, end - called);
  else
    v->full_seconds = end - begin;
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
         v->gesture == GESTURE_NONE && v->message_seconds <= 0 && !v->is_coarse;
}

viewer_status viewer_get_status(const viewer *v) {
  return (viewer_status){.scene = v->scene,
                         .camera = v->camera,
                         .time = v->time,
                         .steps = v->steps,
                         .is_paused = v->is_paused,
                         .speed = v->pace.speed,
                         .rate = v->pace.rate,
                         .is_coarse = v->is_coarse,
                         .step_seconds = v->step_seconds,
                         .draw_seconds = v->draw_seconds,
                         .held = v->hand.particle,
                         .selected_particle = v->selected_particle,
                         .selected_spring = v->selected_spring,
                         .message = v->message_seconds > 0 ? v->message : ""};
}
