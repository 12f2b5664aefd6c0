/* What is under the pointer. Pixels count from the top left corner of the picture. Every call takes time
   proportional to the number of particles or springs of the scene. */
#ifndef MSD_RENDER_VIEW_PICK_H
#define MSD_RENDER_VIEW_PICK_H

#include "render/paint/camera.h"
#include "render/paint/topology.h"

/* What was drawn last: the shapes, the positions, and the camera. */
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

/* The particle at a pixel: on a surface the nearest corner of the triangle there; else the nearest particle
   within `reach` pixels that is not hidden. Mesh colliders hide what is behind them, and have none. -1 when
   there is none. */
int32_t pick_particle(const pick_view *view, const float pixel[2], float reach);

/* The particle of a mesh collider at a pixel, where nothing of a body hides it: a corner of the triangle
   there, or an end of a line within `reach` pixels; and its depth in m in front of the eye.
   -1 when there is none. */
int32_t pick_mesh_collider(const pick_view *view, const float pixel[2], float reach, float *depth);

/* The unbroken spring that is nearest to a pixel in the picture, within `reach` pixels; tethers do not count.
   -1 when there is none. */
int32_t pick_spring(const pick_view *view, const float pixel[2], float reach);

/* Writes the unbroken springs that a stroke between two pixels crosses in the picture, hidden ones too, at most
   `capacity` of them, and returns how many it wrote. */
int32_t pick_crossed(const pick_view *view, const float from[2], const float to[2], int32_t *springs,
                     int32_t capacity);

#endif
