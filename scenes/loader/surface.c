#include "scenes/loader/surface.h"

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

bool surface_of_cloth(scene_body *body) {
  int64_t cells = (int64_t)(body->columns - 1) * (body->rows - 1);
  if (cells == 0)
    return surface_of_rope(body); /* a row or column of particles */
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

typedef struct face {
  /* Its corners, ascending, the same in both tetrahedra that share it. */
  int32_t sorted[CORNERS];
  /* Its corners, anticlockwise seen from outside. */
  int32_t corner[CORNERS];
} face;

static void swap_down(int32_t *low, int32_t *high) {
  if (*low > *high) {
    int32_t moved = *low;
    *low = *high;
    *high = moved;
  }
}

static face make_face(int32_t a, int32_t b, int32_t c) {
  face f = {{a, b, c}, {a, b, c}};
  swap_down(&f.sorted[0], &f.sorted[1]);
  swap_down(&f.sorted[1], &f.sorted[2]);
  swap_down(&f.sorted[0], &f.sorted[1]);
  return f;
}

static int compare_faces(const void *left, const void *right) {
  const face *a = left, *b = right;
  for (int c = 0; c < CORNERS; c++)
    if (a->sorted[c] != b->sorted[c])
      return a->sorted[c] < b->sorted[c] ? -1 : 1;
  return 0;
}

bool surface_of_tetmesh(scene_body *body, const int32_t *tetrahedra, int32_t tetrahedron_count) {
  size_t count = 4 * (size_t)tetrahedron_count;
  face *faces = malloc(count * sizeof *faces);
  if (!faces || !allocate(body, (int64_t)count)) {
    free(faces);
    return false;
  }
  for (int32_t t = 0; t < tetrahedron_count; t++) {
    const int32_t *v = tetrahedra + 4 * (size_t)t;
    face *of = faces + 4 * (size_t)t;
    of[0] = make_face(v[0], v[2], v[1]);
    of[1] = make_face(v[0], v[1], v[3]);
    of[2] = make_face(v[0], v[3], v[2]);
    of[3] = make_face(v[1], v[2], v[3]);
  }
  qsort(faces, count, sizeof *faces, compare_faces);
  for (size_t f = 0, next; f < count; f = next) {
    for (next = f + 1; next < count && compare_faces(&faces[f], &faces[next]) == 0;)
      next++;
    if (next == f + 1)
      add_triangle(body, faces[f].corner[0], faces[f].corner[1], faces[f].corner[2]);
  }
  free(faces);
  return true;
}
