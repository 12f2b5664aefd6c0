/* What the files of the viewer share: its state. */
#ifndef MSD_RENDER_VIEW_VIEWER_STATE_H
#define MSD_RENDER_VIEW_VIEWER_STATE_H

#include "render/paint/framing.h"
#include "render/view/hud.h"
#include "render/view/pace.h"
#include "render/view/pick.h"
#include "render/view/runner.h"
#include "render/view/viewer.h"

enum { MESSAGE_MAX = 512, STROKE_MAX = 128 }; /* bytes; points */

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
  framing framing;
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
  double frame_seconds; /* from one frame to the next */
  int64_t steps;

  gesture gesture;
  bool has_moved; /* the pointer, since pressed */
  bool is_click;  /* released without moving, it selects */
  float pressed[2], pointer[2];
  int32_t target;         /* particle under the pointer when pressed; -1: none */
  float target_depth;     /* m in front of the eye */
  float target_offset[2]; /* pixels from the pointer to the particle when pressed */
  double goal[3];
  float stroke[STROKE_MAX][2]; /* pixels: the way of the pointer while it cuts */
  int stroke_count;

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

/* What the pointer can meet: the particles as they were last drawn. */
pick_view viewer_pick_view(const viewer *v);

/* Draws a frame: the scene, the legend, texts and marks. */
void viewer_draw(viewer *v, GLuint framebuffer);

#endif
