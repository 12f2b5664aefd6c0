/* Draws a scene into the current OpenGL context: a window's, or one without a display. */
#ifndef MSD_RENDER_PAINT_PAINTER_H
#define MSD_RENDER_PAINT_PAINTER_H

#include "render/paint/camera.h"
#include "render/paint/gpu.h"
#include "render/paint/picture.h"
#include "render/paint/topology.h"

typedef struct painter_view {
  /* painter_draw places its near and far planes. */
  camera camera;
  int width, height;
  picture_color color;
  /* Value at the top of the scale, > 0. */
  double color_max;
  bool springs, particles, contacts, ground, flat;
  /* Large surfaces with fewer triangles, so that a frame takes less long; not where particles are drawn as
     balls. */
  bool coarse;
  /* So many x so many pixels are drawn as one; 0 and 1: one pixel each. */
  int pixel_side;
  picture_background background;
} painter_view;

typedef struct painter painter;

/* Prepares to draw `s`, which must outlive the painter. NULL, with a line in `error`, on failure. */
painter *painter_create(const scene *s, char *error, size_t size);

/* NULL is allowed. */
void painter_destroy(painter *p);

/* What an update reads of the world beside positions, pins and breaks. */
typedef struct painter_reading {
  /* The values that this color shows. */
  picture_color color;
  /* Without it the forces of shear and bend springs, which only lines show, may be stale. */
  bool all_springs;
  /* Without it there are none. */
  bool contacts;
} painter_reading;

/* Reads the world and uploads what it has read: 16 bytes per particle, 4 per spring for forces, and 28 per
   contact. Springs that broke, and the triangles that they held together, are no longer drawn. */
void painter_update(painter *p, const painter_reading *reading);

/* Bounds of all particles and rotors at the last update, except for particles that fall for ever: those of
   pieces that nothing holds, where gravity acts and something else is held. */
const box *painter_box(const painter *p);

/* Extends a box by the shadow on the ground at the last update, in the light that goes with this camera. In a
   large scene a sample of the particles, evenly spread, stands for all. Adds nothing without gravity. */
void painter_add_shadow(const painter *p, const camera *c, box *b);

/* Whether anything in the scene has what this color shows: rotors have neither strain nor force. */
bool painter_has_values(const painter *p, picture_color color);

/* For the top of the scale: at most 2 % of the particles, and no rotor, have a larger value. 0 without values.
   */
double painter_value_high(const painter *p);

/* The unit vector against gravity; +y without gravity. */
void painter_up(const painter *p, vec3 up);

/* Draws the last update into a framebuffer with depth and fills all of its pixels. Leaves the uniforms of the
   frame bound, for an overlay. */
void painter_draw(painter *p, const painter_view *view, GLuint framebuffer);

/* The collider that a ray meets first, as colliders_hit. */
int32_t painter_hit_collider(const painter *p, const vec3 origin, const vec3 direction, float *distance);

/* The contacts at the last update. */
int32_t painter_contacts(const painter *p);

/* The shapes that are drawn, and the positions of the particles at the last update: x, y, z in m. */
const topology *painter_shapes(const painter *p);
const float (*painter_points(const painter *p))[4];

#endif
