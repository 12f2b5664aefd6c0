/* The state of a viewer, which its files share. */
#ifndef MSD_RENDER_VIEW_VIEWER_STATE_H
#define MSD_RENDER_VIEW_VIEWER_STATE_H

#include "render/paint/framing.h"
#include "render/view/hud.h"
#include "render/view/pace.h"
#include "render/view/pick.h"
#include "render/view/pixel_level.h"
#include "render/view/runner.h"
#include "render/view/viewer.h"

/* Bytes of a message; points of a stroke. */
enum { MESSAGE_MAX = 512, STROKE_MAX = 128 };

/* Pixels: how far from the pointer a mouse picks. */
enum { VIEWER_REACH = 9 };

typedef enum gesture {
  GESTURE_NONE,
  GESTURE_TURN,
  GESTURE_MOVE,
  GESTURE_PULL,
  GESTURE_CUT,
  GESTURE_PIN
} gesture;

/* What can be dragged: a particle, a collider of the world, or a mesh collider, which is a body of the scene.
   At most one of them; -1: none. */
typedef struct viewer_target {
  int32_t particle, collider, body;
} viewer_target;

#define NO_TARGET ((viewer_target){-1, -1, -1})

static inline bool target_is_there(viewer_target t) {
  return t.particle >= 0 || t.collider >= 0 || t.body >= 0;
}

struct viewer {
  scene *scene;
  painter *painter;
  overlay *overlay;
  runner *runner;
  int width, height;

  camera camera;
  /* The camera shows everything that was drawn so far, until the user moves it. */
  bool follows, fits_each_frame;
  framing framing;
  picture_color color;
  double color_max, value_high;
  picture_background background;
  bool springs, particles, contacts, ground, shows_keys, shows_panel, hides_status;
  controls controls;

  pace pace;
  bool is_paused, is_lockstep, wants_step, wants_to_quit, wants_picture;
  /* The runner has the world, or a report that was not read yet. */
  bool has_job;
  /* The world has changed since the last painter_update. */
  bool is_dirty;
  /* s of real time since pace_due, and since pace_record, was last called. */
  double unpaid, unrecorded;
  /* s of simulated time. */
  double time;
  /* s of real time lately: of a step, of drawing, and from one frame to the next. */
  double step_seconds, draw_seconds, frame_seconds;
  /* s: what the last frame in full detail took to draw; 0: none has been since what is drawn was changed. */
  double full_seconds;
  /* The last frame was drawn with fewer triangles, and so many pixels as one. */
  bool is_coarse;
  pixel_level level;
  /* s of processor time of a step lately. */
  double own_seconds;
  int64_t steps;

  gesture gesture;
  /* Pixels: how far from the pointer things are picked. */
  float reach;
  /* The pointer has moved since the button was pressed. */
  bool has_moved;
  /* If the button is released without motion, the object there is selected. */
  bool is_click;
  float pressed[2], pointer[2];
  /* What was under the pointer when the button was pressed. */
  viewer_target target;
  /* m: its distance in front of the eye; and pixels from the pointer to it. */
  float target_depth, target_offset[2];
  /* m: where the pointer met the collider. */
  double grip[3];
  /* m: where that is dragged to. */
  double goal[3];
  /* Pixels: the path of the pointer while it cuts. */
  float stroke[STROKE_MAX][2];
  int stroke_count;

  /* What the user asked for: most of the time the world belongs to the runner, and changes wait for its return.
     A particle, -1: none, and springs. */
  hand hand;
  viewer_target to_grab;
  int32_t to_pin;
  bool to_release, to_reload;
  int32_t *to_cut;
  int32_t cut_count;

  int32_t selected_particle, selected_spring;
  char details[DETAIL_LINES][DETAIL_MAX];
  char message[MESSAGE_MAX];
  /* s for which the message is still shown. */
  double message_seconds;
};

/* The state that was drawn last, in which the pointer picks. */
pick_view viewer_pick_view(const viewer *v);

/* Draws a frame: the scene, the legend, text and marks. */
void viewer_draw(viewer *v, GLuint framebuffer);

#endif
