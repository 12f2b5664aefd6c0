/* The light of a picture: where it comes from, and where shadows fall. */
#ifndef MSD_RENDER_PAINT_SUN_H
#define MSD_RENDER_PAINT_SUN_H

#include "render/paint/camera.h"

/* The unit vector to the light, which shines over the left shoulder of the viewer. */
void sun_direction(const camera *c, const vec3 up, vec3 light);

/* The parallel projection, along the light, of everything within `reach` m of `middle`. */
void sun_matrix(const vec3 light, const vec3 up, const vec3 middle, float reach, mat4 projection);

/* Extends `b` to where the shadow of a point falls on the ground, which is `ground` m along `up`. */
void sun_add_shadow(const vec3 light, const vec3 up, float ground, const vec3 point, box *b);

/* The same for the corners of a box. */
void sun_add_box_shadow(const vec3 light, const vec3 up, float ground, const box *of, box *b);

#endif
