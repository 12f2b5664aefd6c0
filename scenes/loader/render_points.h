/* What is drawn and exported of a scene. Its points are the particles of the world, by their indices, and
   behind them the vertices of meshes that simpler ones stand for, which move with these. */
#ifndef MSD_SCENES_LOADER_RENDER_POINTS_H
#define MSD_SCENES_LOADER_RENDER_POINTS_H

#include "scenes/loader/edges.h"
#include "scenes/loader/scene.h"

/* Numbers the points of the skins of a scene whose bodies are all there. */
void render_points_number(scene *s);

int32_t shown_point_count(const scene *s);

/* The triangles that are shown of a body: three points each. */
static inline const int32_t *shown_triangles(const scene *s, const scene_body *body) {
  return body->skin.points ? body->skin.triangles : scene_triangles(s, body);
}

static inline int32_t shown_triangle_count(const scene_body *body) {
  return body->skin.points ? body->skin.triangle_count : body->triangle_count;
}

/* Whether a triangle that is shown has one of the broken edges between particles, or a corner that follows a
   triangle with one. */
bool shown_is_torn(const scene *s, const edge_set *broken, const scene_body *body, int32_t triangle);

/* The points that are shown of a body. */
static inline msd_range shown_range(const scene_body *body) {
  return body->skin.points ? (msd_range){body->skin.first, body->skin.count} : body->particles;
}

/* The particle that a point is, or is nearest to. */
int32_t shown_particle(const scene *s, int32_t point);

/* Where the points are and how fast. */
typedef struct render_points {
  const scene *scene;

  /* Six numbers for each point; NULL where all are particles, which the world has itself. */
  msd_real *numbers;

  /* Of the last update, while the world does not step. */
  msd_view positions, velocities;
} render_points;

/* Updated. False when memory is short; close it all the same. */
bool render_points_open(render_points *points, const scene *s);
void render_points_update(render_points *points);
void render_points_close(render_points *points);

#endif
