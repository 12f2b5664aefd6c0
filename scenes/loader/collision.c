#include "scenes/loader/collision.h"

#include <stdlib.h>

enum { CORNERS = 3 };

static bool allocate(scene_body *body, int32_t triangle_count) {
  body->triangles = malloc(((size_t)triangle_count * CORNERS + 1) * sizeof *body->triangles);
  body->triangle_count = body->triangles ? triangle_count : 0;
  return body->triangles != NULL;
}

static bool allocate_segments(scene_body *body, int32_t count) {
  body->segments = malloc(((size_t)count * 2 + 1) * sizeof *body->segments);
  body->segment_count = body->segments ? count : 0;
  return body->segments != NULL;
}

bool surface_of_rope(scene_body *body) {
  const int32_t first = body->particles.first;
  if (!allocate_segments(body, body->particles.count - 1))
    return false;
  for (int32_t i = 0; i < body->segment_count; i++) {
    body->segments[2 * i] = first + i;
    body->segments[2 * i + 1] = first + i + 1;
  }
  return true;
}

bool surface_of_lines(scene_body *body, const int32_t *lines, int32_t line_count) {
  if (!allocate_segments(body, line_count))
    return false;
  for (int32_t e = 0; e < 2 * line_count; e++)
    body->segments[e] = body->particles.first + lines[e];
  return true;
}

bool surface_of_cloth(scene_body *body, const msd_cloth_def *def) {
  int32_t count = 0;
  if (def->columns == 1 || def->rows == 1)
    return surface_of_rope(body); /* a row or column of particles */
  return msd_cloth_get_triangles(def, 0, NULL, 0, &count) == MSD_OK && allocate(body, count) &&
         msd_cloth_get_triangles(def, body->particles.first, body->triangles, count, &count) == MSD_OK;
}

bool surface_of_block(scene_body *body, const msd_block_def *def) {
  int32_t count = 0;
  return msd_block_get_triangles(def, 0, NULL, 0, &count) == MSD_OK && allocate(body, count) &&
         msd_block_get_triangles(def, body->particles.first, body->triangles, count, &count) == MSD_OK;
}

bool surface_of_tetmesh(scene_body *body, const msd_tetmesh_def *def) {
  int32_t count = 0;
  return msd_tetmesh_get_triangles(def, 0, NULL, 0, &count) == MSD_OK && allocate(body, count) &&
         msd_tetmesh_get_triangles(def, body->particles.first, body->triangles, count, &count) == MSD_OK;
}

bool surface_of_mesh(scene_body *body, const int32_t *triangles, int32_t triangle_count) {
  if (!allocate(body, triangle_count))
    return false;
  for (size_t c = 0; c < CORNERS * (size_t)triangle_count; c++)
    body->triangles[c] = body->particles.first + triangles[c];
  return true;
}
