/* The state of a painter, which its files share. */
#ifndef MSD_RENDER_PAINT_PAINTER_STATE_H
#define MSD_RENDER_PAINT_PAINTER_STATE_H

#include "render/paint/coarse.h"
#include "render/paint/colliders.h"
#include "render/paint/colormap.h"
#include "render/paint/contact_marks.h"
#include "render/paint/enlarged.h"
#include "render/paint/lightmap.h"
#include "render/paint/painter.h"
#include "render/paint/pins.h"
#include "render/paint/wheels.h"
#include "scenes/loader/render_points.h"

/* The most particles that are looked at to find the top of the scale and the extent of the shadow. */
enum { SAMPLE_MAX = 4096 };

/* About the number of vertices of the simpler surfaces that are drawn instead of large ones to save time. */
enum { COARSE_MAX = 3000 };

typedef enum program_index {
  GATHER,
  GATHER_SOME,
  SURFACE,
  STRAND,
  LINE,
  BALL,
  CONTACT,
  SURFACE_SHADOW,
  STRAND_SHADOW,
  BALL_SHADOW,
  BACKDROP,
  GROUND,
  PROGRAM_COUNT
} program_index;

/* The uniform block of common.glsl, which has the comments on its members. */
typedef struct frame {
  mat4 view_projection, light_projection;
  vec4 eye, right, top, back, light, up, viewport, coloring, shadow;
  vec4 palette[BODY_COLORS], back_palette[BODY_COLORS], kinds[KIND_COLORS];
} frame;

struct painter {
  const scene *scene;
  topology shapes;
  /* Made when it is first drawn; without vertices until then. */
  coarse coarse;
  enlarged enlarged;
  /* Springs of the world that were broken when the shapes were made. */
  int32_t broken;
  /* m: the extent of the scene when it was opened. */
  float size;
  /* Unit vector; without gravity +y, and has_up is false. */
  vec3 up;
  bool has_up;
  /* m along up: the height of the ground. */
  float ground;
  render_points shown;
  /* For each point, whether it falls for ever, see painter_box. */
  bool *is_falling;
  /* A number that tells which particles were pinned then. */
  uint64_t pinned;

  /* Of the last update: x, y, z and value of each point, as uploaded, and what colors springs
     and, behind them, fibers, see painter_update.c. */
  float (*points)[4];
  float *values;
  box bounds;
  /* m along up: the height of the lowest point of what is within the bounds. */
  float lowest;
  pins pins;
  contact_marks contacts;
  /* Values of SAMPLE_MAX particles at most. */
  float *sample;
  double value_high;

  GLuint programs[PROGRAM_COUNT];
  /* Uniform buffers: the camera's and the light's. */
  GLuint frames[2];
  GLuint point_texture, value_texture, gathered_texture, gather_target;
  GLuint fan_texture, corner_texture, link_texture, color_texture;
  GLuint empty_array, surface_array, coarse_array, some_array, strand_array, rod_array, ball_array, pin_array,
      line_array, contact_array;
  GLuint index_buffer, vertex_buffer, coarse_buffer, some_buffer, strand_buffer, rod_buffer, ball_buffer,
      pin_buffer, line_buffer, contact_buffer;
  lightmap light;
  wheels wheels;
  colliders colliders;
};

/* Looks at what changes the shapes: breaks and pins. What broke is no longer drawn, unless memory is short, and
   the bodies that fall for ever are found again. */
void painter_notice_changes(painter *p);

/* Called when they are first shown: a scene has several springs per particle, and few pictures show them all.
   */
void painter_make_lines(painter *p);

/* Called when it is first drawn, and again when the shapes are others. False, and there is none, when memory is
   short. */
bool painter_make_coarse(painter *p);

#endif
