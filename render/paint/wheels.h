/* The rotors of a scene, drawn as wheels that turn. */
#ifndef MSD_RENDER_PAINT_WHEELS_H
#define MSD_RENDER_PAINT_WHEELS_H

#include "render/paint/camera.h"
#include "render/paint/gpu.h"
#include "render/paint/picture.h"

#include "scenes/loader/scene.h"

/* A wheel, laid out as it is uploaded. */
typedef struct wheel {
  /* m. */
  float center[3], radius;
  /* Unit vector; rad, less than a turn. */
  float axis[3], angle;
  /* The value that colors it: the speed of the rim in m/s, or the kinetic energy in J. */
  float value;
  int32_t body;
} wheel;

typedef struct wheels {
  const scene *scene;
  wheel *all;
  /* The rotor of the world that each wheel shows. */
  int32_t *rotors;
  int32_t count;
  GLuint program, shadow_program, array, buffer;
} wheels;

/* The scene must outlive them. False, with a line in `error`, on failure; they must be destroyed even then. */
bool wheels_create(wheels *w, const scene *s, char *error, size_t size);
void wheels_destroy(wheels *w);

/* Extends a box by all wheels. */
void wheels_add_to_box(const wheels *w, box *b);

/* The height of their lowest point, m along `up`; INFINITY without any. */
float wheels_lowest(const wheels *w, const vec3 up);

/* Extends `b` to where their shadow falls on the ground, as sun_add_shadow does. */
void wheels_add_shadow(const wheels *w, const vec3 light, const vec3 up, float ground, box *b);

/* Reads the angles and the values that `color` shows from the world and uploads them. */
void wheels_update(wheels *w, picture_color color);

/* The largest value at the last update; 0 without any. */
double wheels_value_high(const wheels *w);

/* Draws into the current framebuffer; with `is_shadow`, for the lightmap. */
void wheels_draw(const wheels *w, bool is_shadow);

#endif
