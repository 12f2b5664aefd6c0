/* The colliders of a scene as solid shapes. A level plane is the ground. */
#ifndef MSD_RENDER_PAINT_COLLIDERS_H
#define MSD_RENDER_PAINT_COLLIDERS_H

#include "render/paint/camera.h"
#include "render/paint/gpu.h"

#include "scenes/loader/scene.h"

/* A box about its place, rounded by a radius. */
typedef struct collider_solid {
  /* m. */
  vec3 place;
  mat3 turn;
  /* Half the sides of the box, and the radius in m. */
  vec3 extents;
  float radius;
  /* A plane has no end, and only its middle is drawn. */
  bool is_plane;
} collider_solid;

typedef struct colliders {
  const scene *scene;
  /* As they were at the last update. */
  collider_solid *all;
  int32_t count;
  /* m: the middle of the scene, and how far planes are drawn around it. */
  vec3 middle;
  float reach;
  /* Level planes are not drawn. */
  vec3 up;
  GLuint program, shadow_program, array, buffer;
} colliders;

/* The scene must outlive them. False, with a line in `error`, on failure; they must be destroyed even then. */
bool colliders_create(colliders *c, const scene *s, char *error, size_t size);
void colliders_destroy(colliders *c);

/* Where planes are drawn: around the middle of a box, in a scene of `size` m; those that are level, seen along
   the unit vector `up`, are the ground. Without gravity `has_up` is false, and there is no ground. */
void colliders_place_planes(colliders *c, const box *around, float size, const vec3 up, bool has_up);

/* Reads from the world where they are. */
void colliders_update(colliders *c);

/* Extends a box by all that have an end. */
void colliders_add_to_box(const colliders *c, box *b);

/* The height of their lowest point, m along `up`, planes left out; INFINITY without any. */
float colliders_lowest(const colliders *c, const vec3 up);

/* The height of the highest level plane, m along up; -INFINITY without any. */
float colliders_ground(const colliders *c);

/* Extends `b` to where their shadow falls on the ground, as sun_add_shadow does. */
void colliders_add_shadow(const colliders *c, const vec3 light, const vec3 up, float ground, box *b);

/* The collider that a ray in a unit direction meets first, not further than *distance m, which becomes how far
   it is; -1: none. Planes do not count. */
int32_t colliders_hit(const colliders *c, const vec3 origin, const vec3 direction, float *distance);

/* Draws into the current framebuffer; with `is_shadow`, for the lightmap. */
void colliders_draw(const colliders *c, bool is_shadow);

#endif
