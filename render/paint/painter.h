/* Draws a scene into the current OpenGL context: a window's, or one without a display. */
#ifndef MSD_RENDER_PAINT_PAINTER_H
#define MSD_RENDER_PAINT_PAINTER_H

#include "render/paint/camera.h"
#include "render/paint/gpu.h"
#include "render/paint/picture.h"
#include "render/paint/topology.h"

typedef struct painter_view {
  /* painter_draw sets its planes. */
  camera camera;
  int width, height;
  picture_color color;
  /* Value at the top of the scale, > 0. */
  double color_max;
  bool springs, particles, ground, flat;
  picture_background background;
} painter_view;

typedef struct painter painter;

/* Prepares to draw `s`, which must outlive the painter. NULL with a line in `error` when it cannot. */
painter *painter_create(const scene *s, char *error, size_t size);

/* NULL is allowed. */
void painter_destroy(painter *p);

/* Takes positions, pins, and the values that `color` shows from the world, and uploads them: 16 bytes for
   each particle, and 4 for each spring to show forces. Without `all_springs` the forces of shear and bend
   springs, which only lines show, may be old. */
void painter_update(painter *p, picture_color color, bool all_springs);

/* Around all particles and rotors at the last update. */
const box *painter_box(const painter *p);

/* Adds where the shadow of the last update lies on the ground, in the light of this camera, to a box. Of a
   large scene evenly spread particles are taken. Nothing without gravity. */
void painter_add_shadow(const painter *p, const camera *c, box *b);

/* Whether anything in the scene has what this colour shows: rotors have neither strains nor forces. */
bool painter_has_values(const painter *p, picture_color color);

/* No rotor, and at most 2 % of the particles, have a larger value; 0 without values. */
double painter_value_high(const painter *p);

/* Against gravity, or +y without. */
void painter_up(const painter *p, vec3 up);

/* Draws the last update into a framebuffer with depth, over all of its pixels. Leaves the uniforms of the frame
   bound, for an overlay. */
void painter_draw(painter *p, const painter_view *view, GLuint framebuffer);

/* The shapes that are drawn, and where the particles were at the last update: x, y, z in m of each. */
const topology *painter_shapes(const painter *p);
const float (*painter_points(const painter *p))[4];

/* After springs broke: what they held together is no longer drawn. False with a line in `error` when memory is
   short; the drawing is then as before. */
bool painter_reshape(painter *p, char *error, size_t size);

#endif
