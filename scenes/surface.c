#include "scenes/surface.h"

#include <stdlib.h>

enum { CORNERS = 3 };

static bool allocate(scene_body *body, int64_t triangle_count) {
  if (triangle_count > INT32_MAX / CORNERS)
    return false;
  body->triangles = malloc(((size_t)triangle_count * CORNERS + 1) * sizeof *body->triangles);
  body->triangle_count = 0;
  return body->triangles != NULL;
}

static void add_triangle(scene_body *body, int32_t a, int32_t b, int32_t c) {
  int32_t *triangle = body->triangles + (size_t)CORNERS * (size_t)body->triangle_count++;
  triangle[0] = body->particles.first + a;
  triangle[1] = body->particles.first + b;
  triangle[2] = body->particles.first + c;
}

/* Two triangles for each cell of a grid of columns x rows points, point (c, r) being start + c across + r down.
   They wind a, down, across: counterclockwise when across points right and down points down. */
static void add_grid(scene_body *body, int32_t start, int32_t across, int32_t columns, int32_t down,
                     int32_t rows) {
  for (int32_t r = 0; r + 1 < rows; r++)
    for (int32_t c = 0; c + 1 < columns; c++) {
      int32_t a = start + c * across + r * down;
      add_triangle(body, a, a + down, a + down + across);
      add_triangle(body, a, a + down + across, a + across);
    }
}

bool surface_of_cloth(scene_body *body) {
  int64_t cells = (int64_t)(body->columns - 1) * (body->rows - 1);
  if (cells == 0)
    return true; /* a row of particles has no surface */
  if (!allocate(body, 2 * cells))
    return false;
  add_grid(body, 0, 1, body->columns, body->columns, body->rows);
  return true;
}

bool surface_of_block(scene_body *body) {
  int32_t points[3], stride[3] = {1, 0, 0};
  for (int c = 0; c < 3; c++) {
    points[c] = body->cells[c] + 1;
    if (c > 0)
      stride[c] = stride[c - 1] * points[c - 1];
  }
  const int32_t *cells = body->cells;
  int64_t squares =
      (int64_t)cells[0] * cells[1] + (int64_t)cells[1] * cells[2] + (int64_t)cells[2] * cells[0];
  if (!allocate(body, 4 * squares))
    return false;
  for (int axis = 0; axis < 3; axis++) {
    /* u x v points along the axis; add_grid faces down x across. */
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    add_grid(body, 0, stride[u], points[u], stride[v], points[v]);
    add_grid(body, (points[axis] - 1) * stride[axis], stride[v], points[v], stride[u], points[u]);
  }
  return true;
}

bool surface_of_mesh(scene_body *body, const int32_t *triangles, int32_t triangle_count) {
  if (!allocate(body, triangle_count))
    return false;
  for (int32_t t = 0; t < triangle_count; t++)
    add_triangle(body, triangles[CORNERS * t], triangles[CORNERS * t + 1], triangles[CORNERS * t + 2]);
  return true;
}
