/* What lies under the pointer. Pixels count from the top left corner of the picture. Every call takes time in
   proportion to the particles or springs of the scene. */
#ifndef MSD_RENDER_VIEW_PICK_H
#define MSD_RENDER_VIEW_PICK_H

#include "render/paint/camera.h"
#include "render/paint/topology.h"

/* The drawn state: who looks, at which particles. */
typedef struct pick_view {
  const topology *shapes;
  /* m: x, y, z of each particle. */
  const float (*points)[4];
  camera camera;
  /* Pixels. */
  int width, height;
} pick_view;

/* The pixel and depth (m in front of the eye) of a particle; false behind the eye. */
bool pick_project(const pick_view *view, int32_t particle, float pixel[2], float *depth);

/* The particle drawn at a pixel, or the nearest one to what is drawn there: a corner of the surface, or
   within `reach` pixels a particle of a rope, a ball or an edge. -1 when there is none. */
int32_t pick_particle(const pick_view *view, const float pixel[2], float reach);

/* The unbroken spring nearest to a pixel on the picture, within `reach` pixels, tethers left out. -1 when
   there is none. */
int32_t pick_spring(const pick_view *view, const float pixel[2], float reach);

/* Writes the unbroken springs, at most `capacity`, that a stroke between two pixels crosses on the picture,
   hidden ones included, and returns how many it wrote. */
int32_t pick_crossed(const pick_view *view, const float from[2], const float to[2], int32_t *springs,
                     int32_t capacity);

#endif
