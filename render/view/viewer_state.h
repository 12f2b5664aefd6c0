/* What the files of the viewer share: its state. */
#ifndef MSD_RENDER_VIEW_VIEWER_STATE_H
#define MSD_RENDER_VIEW_VIEWER_STATE_H

#include "render/paint/framing.h"
#include "render/view/hud.h"
#include "render/view/pace.h"
#include "render/view/pick.h"
#include "render/view/runner.h"
#include "render/view/viewer.h"

/* Bytes of a message; points of a stroke. */
enum { MESSAGE_MAX = 512, STROKE_MAX = 128 };

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
  /* The camera shows everything that was ever seen, until someone moves it. */
  bool follows, fits_each_frame;
  framing framing;
  picture_color color;
  double color_max, value_high;
  picture_background background;
  bool springs, particles, ground, shows_keys, shows_panel;
  controls controls;

  pace pace;
  bool is_paused, is_lockstep, wants_step, wants_to_quit, wants_picture;
  /* The runner has the world, or a report that was not read. */
  bool has_job;
  /* The drawn state is not the world's. */
  bool is_dirty;
  /* s since the pace was last asked for steps, and since it last heard of steps. */
  double unpaid, unrecorded;
  /* s of simulated time; s of real time, of a step, of drawing, and from one frame to the next; s that the
     processor works on a step. */
  double time, step_seconds, draw_seconds, frame_seconds, own_seconds;
  int64_t steps;

  gesture gesture;
  /* The pointer has moved since it was pressed. */
  bool has_moved;
  /* Released without moving, it selects. */
  bool is_click;
  float pressed[2], pointer[2];
  /* The particle under the pointer when pressed; -1: none. */
  int32_t target;
  /* m in front of the eye; pixels from the pointer to the particle when pressed. */
  float target_depth, target_offset[2];
  double goal[3];
  /* Pixels: the path of the pointer while it cuts. */
  float stroke[STROKE_MAX][2];
  int stroke_count;

  /* Most of the time the world belongs to the runner: what a person does to it waits for its return.
     Particles and springs; -1: none. */
  hand hand;
  int32_t to_grab, to_pin;
  bool to_release, to_reload;
  int32_t *to_cut;
  int32_t cut_count;

  int32_t selected_particle, selected_spring;
  char details[DETAIL_LINES][DETAIL_MAX];
  char message[MESSAGE_MAX];
  /* s for which it is still shown. */
  double message_seconds;
};

/* What the pointer can meet: the particles as they were last drawn. */
pick_view viewer_pick_view(const viewer *v);

/* Draws a frame: the scene, the legend, texts and marks. */
void viewer_draw(viewer *v, GLuint framebuffer);

#endif
