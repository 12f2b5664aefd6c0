/* The light of a picture: where it comes from, and where shadows fall on the ground. */
#ifndef MSD_RENDER_PAINT_SUN_H
#define MSD_RENDER_PAINT_SUN_H

#include "render/paint/camera.h"

/* The unit vector to the light: from over the left shoulder of someone who looks along the camera. */
void sun_direction(const camera *c, const vec3 up, vec3 light);

/* The projection along the light of everything within `reach` m of `middle`. */
void sun_matrix(const vec3 light, const vec3 up, const vec3 middle, float reach, mat4 projection);

/* Adds to `b` where the shadow of a point falls on the ground, which lies `ground` m along `up`. */
void sun_add_shadow(const vec3 light, const vec3 up, float ground, const vec3 point, box *b);

#endif
