#include "app/export/body_rows.h"

static int64_t triangles_of(const body_grid *g) {
  return 2 * ((int64_t)g->columns - 1) * (g->rows - 1);
}

/* In the order of msd_cloth_get_triangles. */
static void add_cloth(body_rows *b, const scene_body *body) {
  if (body->columns > 1 && body->rows > 1)
    b->grids[b->grid_count++] = (body_grid){b->points.first, 1, body->columns, body->columns, body->rows};
}

/* In the order of msd_block_get_triangles: of each side seen from outside. */
static void add_block(body_rows *b, const scene_body *body) {
  for (int c = 0; c < 3; c++)
    b->block[c] = body->cells[c] + 1;
  const int32_t stride[3] = {1, b->block[0], b->block[0] * b->block[1]};
  for (int axis = 0; axis < 3; axis++) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int32_t first = b->points.first, last = first + body->cells[axis] * stride[axis];
    b->grids[b->grid_count++] = (body_grid){first, stride[u], b->block[u], stride[v], b->block[v]};
    b->grids[b->grid_count++] = (body_grid){last, stride[v], b->block[v], stride[u], b->block[u]};
  }
}

/* All points are loose where there are neither triangles nor lines, and those inside of a block. */
static int64_t count_loose(const body_rows *b) {
  if (b->block[0] > 0)
    return (int64_t)(b->block[0] - 2) * (b->block[1] - 2) * (b->block[2] - 2);
  return b->counts[EXPORT_TRIANGLES] + b->counts[EXPORT_LINES] > 0 ? 0 : b->points.count;
}

body_rows body_rows_of(const scene_body *body, int32_t first, bool has_lines) {
  body_rows b = {.points = {first, scene_body_whole(body)}};
  if (body->cells[0] > 0)
    add_block(&b, body);
  else
    add_cloth(&b, body);
  b.counts[EXPORT_TRIANGLES] = body->faces.whole;
  for (int g = 0; g < b.grid_count; g++)
    b.counts[EXPORT_TRIANGLES] += triangles_of(&b.grids[g]);
  if (b.counts[EXPORT_TRIANGLES] == 0 && has_lines)
    b.counts[EXPORT_LINES] = b.points.count - 1;
  b.counts[EXPORT_LOOSE_POINTS] = count_loose(&b);
  return b;
}

/* Each cell has two: its corners a, down, down and across; and a, down and across, across. */
static void put_triangle(const body_grid *g, int64_t number, int32_t corners[3]) {
  const int64_t cell = number / 2;
  const int32_t a = g->start + (int32_t)(cell % (g->columns - 1)) * g->across +
                    (int32_t)(cell / (g->columns - 1)) * g->down;
  corners[0] = a;
  corners[1] = number % 2 == 0 ? a + g->down : a + g->down + g->across;
  corners[2] = number % 2 == 0 ? a + g->down + g->across : a + g->across;
}

static void put_triangles(const body_rows *b, msd_range rows, int32_t (*corners)[3]) {
  int64_t left = rows.first;
  int g = 0;
  for (int32_t n = 0; n < rows.count; n++, left++) {
    while (left >= triangles_of(&b->grids[g]))
      left -= triangles_of(&b->grids[g++]);
    put_triangle(&b->grids[g], left, corners[n]);
  }
}

/* Inside of a block, or any. */
static int32_t loose_point(const body_rows *b, int32_t number) {
  if (b->block[0] == 0)
    return b->points.first + number;
  const int32_t x = b->block[0] - 2, y = b->block[1] - 2, i = number % x + 1, j = number / x % y + 1,
                k = number / x / y + 1;
  return b->points.first + (k * b->block[1] + j) * b->block[0] + i;
}

void body_rows_put(const body_rows *b, export_column column, msd_range rows, int32_t *corners) {
  if (column == EXPORT_TRIANGLES) {
    put_triangles(b, rows, (int32_t(*)[3])corners);
    return;
  }
  for (int32_t n = 0; n < rows.count; n++) {
    if (column == EXPORT_LOOSE_POINTS) {
      corners[n] = loose_point(b, rows.first + n);
    } else {
      corners[2 * n] = b->points.first + rows.first + n;
      corners[2 * n + 1] = corners[2 * n] + 1;
    }
  }
}
