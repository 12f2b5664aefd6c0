/* A camera on a sphere around what it looks at. */
#ifndef MSD_RENDER_PAINT_CAMERA_H
#define MSD_RENDER_PAINT_CAMERA_H

#include <cglm/cglm.h>
#include <stdbool.h>

/* An axis-aligned box; empty when low > high. */
typedef struct box {
  vec3 low, high;
} box;

box box_empty(void);
bool box_is_empty(const box *b);
void box_add(box *b, const float point[3]);
void box_join(box *b, const box *other);
bool box_contains(const box *b, const box *other);

/* Half the diagonal; 0 of an empty box. */
float box_radius(const box *b);

typedef struct camera {
  /* Unit vector against gravity. */
  vec3 up;
  /* m: the point in the middle of the view. */
  vec3 target;
  /* Degrees: 0, 0 looks along -z when up is +y; azimuth 90 looks along -x. */
  float azimuth, elevation;
  /* m from target to eye, > 0. */
  float distance;
  /* Degrees, over the height of the picture; default 30. */
  float field_of_view;
  /* m from the eye; camera_set_depth places them around the scene. */
  float near_plane, far_plane;
} camera;

/* Looks at the origin from 1 m, with up = +y. */
camera camera_default(void);

/* Unit vectors to the right and to the top of the picture, and out of it towards the eye. */
void camera_axes(const camera *c, vec3 right, vec3 top, vec3 back);

/* The two horizontal axes that the azimuth is measured from: +x and +z when up is +y. */
void camera_horizon(const vec3 up, vec3 x, vec3 z);

void camera_eye(const camera *c, vec3 eye);

/* From meters to clip coordinates; `aspect` is width / height. */
void camera_matrix(const camera *c, float aspect, mat4 view_projection);

/* Looks at the middle of the box, from the shortest distance at which all its corners are within the inner
   `share` (0..1) of the picture. A box without extent is seen from 1 m. */
void camera_frame(camera *c, const box *b, float aspect, float share);

/* The same for two boxes, without the space between them that a box around both would have. Looks at the
   middle of what is seen of them. */
void camera_frame_both(camera *c, const box *a, const box *b, float aspect, float share);

/* Places the near and far planes around a scene of `radius` m about `middle` on a large ground. */
void camera_set_depth(camera *c, const vec3 middle, float radius);

/* The pixel (from the top left corner) and the depth (m in front of the eye) of a point. False when the point
   is behind the eye. */
bool camera_project(const camera *c, int width, int height, const vec3 point, float pixel[2], float *depth);

/* The ray through a pixel: from the eye, in a unit direction. */
void camera_ray(const camera *c, int width, int height, const float pixel[2], vec3 origin, vec3 direction);

/* Turns by degrees; elevation stays within +-89. */
void camera_orbit(camera *c, float azimuth, float elevation);

/* Moves the target so that a point at its depth follows a pointer that moved by dx, dy pixels (y down). */
void camera_pan(camera *c, int height, float dx, float dy);

/* Divides the distance by `factor` > 0, within 1 mm .. 1000 km. */
void camera_zoom(camera *c, float factor);

#endif
