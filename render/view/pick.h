/* What lies under the pointer. All places are in the picture, in pixels from its top left corner; all times are
   proportional to the particles or springs of the scene. */
#ifndef MSD_RENDER_VIEW_PICK_H
#define MSD_RENDER_VIEW_PICK_H

#include "render/paint/camera.h"
#include "render/paint/topology.h"

/* The drawn state: who looks, at which particles. */
typedef struct pick_view {
  const topology *shapes;
  const float (*points)[4]; /* m: x, y, z of each particle */
  camera camera;
  int width, height; /* pixels */
} pick_view;

/* The pixel and depth (m in front of the eye) of a particle; false behind the eye. */
bool pick_project(const pick_view *view, int32_t particle, float pixel[2], float *depth);

/* The particle that is drawn at a pixel, or the one nearest to what is: a corner of the surface there, or within
   `reach` pixels a particle of a rope, a ball, or of an edge. -1 when there is none. */
int32_t pick_particle(const pick_view *view, const float pixel[2], float reach);

/* The unbroken spring nearest to a pixel on the picture, within `reach` pixels; no tether. -1 when there is none. */
int32_t pick_spring(const pick_view *view, const float pixel[2], float reach);

/* Writes the unbroken springs that a stroke between two pixels crosses on the picture, hidden ones included, at
   most `capacity`, and returns how many it wrote. */
int32_t pick_crossed(const pick_view *view, const float from[2], const float to[2], int32_t *springs,
                     int32_t capacity);

#endif
