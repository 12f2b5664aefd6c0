/* The viewer in a web page: it replaces render/view/window.c and gets events from JavaScript (page/page.js).
   One page shows one scene. JSON results are valid until the next call. */
#include "app/base/json_values.h"
#include "render/paint/canvas.h"
#include "render/view/viewer.h"
#include "web/report.h"

#include <emscripten/html5.h>
#include <jansson.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4 };

/* Tools of the left button, numbered as in page.js. */
enum { TOOL_DRAG, TOOL_CUT, TOOL_PIN };

static viewer *shown;
static canvas *surface;
static int surface_width, surface_height;
static char message[1024];

static const char *keep_json(json_t *value) {
  char *text = json_dumps(value, 0);
  json_decref(value);
  return web_keep(text);
}

/* Message of the last failed call. */
const char *page_message(void) {
  return message;
}

/* Creates the WebGL context of the canvas. */
int page_begin(void) {
  EmscriptenWebGLContextAttributes wishes;
  emscripten_webgl_init_context_attributes(&wishes);
  wishes.majorVersion = 2;
  /* The canvas of render/paint has its own multisampling and depth buffer. */
  wishes.antialias = wishes.depth = wishes.stencil = wishes.alpha = false;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context("#view", &wishes);
  if (context > 0 && emscripten_webgl_make_context_current(context) == EMSCRIPTEN_RESULT_SUCCESS)
    return 1;
  snprintf(message, sizeof message, "This browser does not support WebGL 2, which drawing needs.");
  return 0;
}

/* Shows a scene file instead of the current scene, which remains on failure. */
int page_open(const char *path, int is_paused, int width, int height) {
  scene_error problem;
  scene *s = scene_load(path, &problem);
  if (s == NULL) {
    snprintf(message, sizeof message, "%s", problem.text);
    return 0;
  }
  const viewer_options options = {.camera = picture_default_options().camera,
                                  .ground = true,
                                  .is_paused = is_paused != 0,
                                  .hides_help = true,
                                  .hides_status = true};
  viewer *made = viewer_create(s, &options, width, height, message, sizeof message);
  if (made == NULL)
    return 0;
  viewer_destroy(shown);
  shown = made;
  return 1;
}

/* Draws one display frame, `elapsed` s after the last one. */
int page_frame(double elapsed, int width, int height) {
  if (surface == NULL || width != surface_width || height != surface_height) {
    canvas_destroy(surface);
    surface = canvas_create(width, height, SAMPLES, message, sizeof message);
    if (surface == NULL)
      return 0;
    surface_width = width;
    surface_height = height;
    viewer_resize(shown, width, height);
    viewer_do(shown, VIEWER_FRAME);
  }
  if (!viewer_frame(shown, elapsed, canvas_framebuffer(surface), message, sizeof message))
    return 0;
  canvas_show(surface, 0);
  return 1;
}

/* Coordinates are pixels from the top left corner of the framebuffer. Fingers have a larger pick radius than
   a mouse. */
void page_press(int button, int tool, float x, float y, float reach) {
  viewer_set_reach(shown, reach);
  viewer_press(shown, (viewer_button)button, tool == TOOL_CUT, tool == TOOL_PIN, x, y);
}

void page_move(float x, float y) {
  viewer_move(shown, x, y);
}

void page_release(void) {
  viewer_release(shown);
}

void page_scroll(float notches) {
  viewer_scroll(shown, notches);
}

/* Handles a key of VIEWER_KEYS. */
void page_key(int code) {
  viewer_key(shown, code);
}

const char *page_state(void) {
  const viewer_status v = viewer_get_status(shown);
  const msd_world *world = v.scene->world;
  int32_t broken = 0;
  const int32_t springs = msd_world_get_spring_count(world);
  for (int32_t i = 0; i < springs; i++)
    broken += msd_spring_is_broken(world, i);
  return keep_json(json_pack("{s:s,s:s,s:o,s:I,s:b,s:o,s:o,s:o,s:o,s:i,s:i,s:i,s:i,s:s}", "title",
                             v.scene->title, "name", v.scene->name, "time", json_number(v.time),
                             "total_substeps", (json_int_t)v.steps, "paused", (int)v.is_paused, "speed",
                             json_number(v.speed), "rate", json_number(v.rate), "simulation_seconds",
                             json_number(v.step_seconds), "draw_seconds", json_number(v.draw_seconds),
                             "dragged", (int)v.held, "particles", (int)msd_world_get_particle_count(world),
                             "springs", (int)springs, "broken", (int)broken, "message", v.message));
}

const char *page_report(void) {
  return web_keep(web_report(viewer_get_status(shown).scene));
}

/* ------------------------------------------------------------------------------------------- tuning */

/* The two numbers of a spring law; NULL if there is no second. */
static void numbers_of(msd_spring_def *def, msd_real *numbers[2], const char *names[2]) {
  switch (def->law) {
  case MSD_SPRING_STIFFNESS:
    numbers[0] = &def->stiffness, names[0] = "stiffness, N/m";
    numbers[1] = &def->damping, names[1] = "damping, N s/m";
    break;
  case MSD_SPRING_FREQUENCY:
    numbers[0] = &def->frequency, names[0] = "frequency, Hz";
    numbers[1] = &def->damping_ratio, names[1] = "damping ratio";
    break;
  case MSD_SPRING_COEFFICIENT:
    numbers[0] = &def->ck, names[0] = "ck";
    numbers[1] = &def->cd, names[1] = "cd";
    break;
  default:
    numbers[0] = &def->ck, names[0] = "ck of the hard limit";
    numbers[1] = NULL, names[1] = NULL;
  }
}

static json_t *number_json(const char *name, msd_real value, double limit) {
  return json_pack("{s:s,s:f,s:o}", "name", name, "value", (double)value, "limit",
                   isfinite(limit) ? json_real(limit) : json_null());
}

static json_t *group_json(control_group *group) {
  msd_real *numbers[2];
  const char *names[2];
  json_t *list = json_array();
  numbers_of(&group->pattern, numbers, names);
  for (int n = 0; n < 2 && numbers[n] != NULL; n++)
    json_array_append_new(list, number_json(names[n], *numbers[n], group->limit[n]));
  return json_pack("{s:s,s:s,s:i,s:o}", "body", group->body, "name", group->name, "springs",
                   (int)group->springs.count, "numbers", list);
}

/* Settings and groups of springs, with the stability limit for the slider of each. */
const char *page_controls(void) {
  controls *c = viewer_controls(shown);
  c->wants_stability = true;
  controls_sample(c, viewer_get_status(shown).scene, viewer_get_status(shown).step_seconds);
  json_t *groups = json_array();
  for (int i = 0; i < c->group_count; i++)
    json_array_append_new(groups, group_json(&c->groups[i]));
  return keep_json(json_pack("{s:i,s:i,s:f,s:f,s:b,s:o}", "substeps", c->substeps, "run_substeps",
                             c->has_stability || c->substeps_taken > 0 ? c->substeps_taken : 0, "frame_time",
                             c->frame_time, "gravity", c->gravity[1], "proven_stable",
                             c->has_stability && c->stability.certified, "groups", groups));
}

/* Sets one of the two numbers of the law for all springs of a group, from the next frame on. */
void page_set_group(int group, int number, double value) {
  controls *c = viewer_controls(shown);
  msd_real *numbers[2];
  const char *names[2];
  numbers_of(&c->groups[group].pattern, numbers, names);
  *numbers[number] = (msd_real)value;
  c->groups[group].is_changed = true;
}

/* Sets the substeps per frame (0: automatic) and gravity along y in m/s^2, from the next frame on. */
void page_set_world(int substeps, double gravity) {
  controls *c = viewer_controls(shown);
  c->substeps = substeps;
  c->gravity[1] = gravity;
  c->settings_changed = true;
}

/* -------------------------------------------------------------------------------------------- tests */

/* Hash of the state, 16 hexadecimal digits. */
const char *page_hash(void) {
  char *text = malloc(17);
  if (text != NULL)
    snprintf(text, 17, "%016" PRIx64, msd_world_hash(viewer_get_status(shown).scene->world));
  return web_keep(text);
}

/* Simulates `count` frames as fast as possible; false if one fails. */
int page_steps(int count) {
  const scene *s = viewer_get_status(shown).scene;
  for (int i = 0; i < count; i++)
    if (scene_step(s, s->frame_time, s->substeps) != MSD_OK)
      return 0;
  return 1;
}

/* Position of a particle in the picture, in pixels, and in the world, in m. */
const char *page_find(int particle) {
  const viewer_status v = viewer_get_status(shown);
  const msd_vec3 x = msd_particle_get_position(v.scene->world, particle);
  const vec3 point = {(float)x.x, (float)x.y, (float)x.z};
  float pixel[2] = {-1, -1}, depth;
  camera_project(&v.camera, surface_width, surface_height, point, pixel, &depth);
  return keep_json(json_pack("{s:[f,f],s:[f,f,f],s:b}", "pixel", (double)pixel[0], (double)pixel[1],
                             "position", (double)x.x, (double)x.y, (double)x.z, "pinned",
                             msd_particle_is_pinned(v.scene->world, particle)));
}
