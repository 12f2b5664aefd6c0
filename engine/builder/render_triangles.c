/* The public functions of msd/render_mesh.h that return the triangles of a body. */
#include "engine/builder/builder.h"

#include "engine/base/float_environment.h"
#include "engine/base/sort.h"

enum { CORNERS = 3, FACES = 4 };

/* Counts triangles, and writes them up to the capacity. */
typedef struct triangle_writer {
  int32_t *to;
  int32_t first, capacity, count;
} triangle_writer;

static void add(triangle_writer *w, int32_t a, int32_t b, int32_t c) {
  if (w->to && w->count < w->capacity) {
    int32_t *triangle = w->to + (size_t)CORNERS * (size_t)w->count;
    triangle[0] = w->first + a;
    triangle[1] = w->first + b;
    triangle[2] = w->first + c;
  }
  w->count++;
}

/* Checks that `triangles` of particles below `particles` fit 32-bit counts and indices. */
static msd_result check_size(double triangles, double particles, int32_t first) {
  const double most = INT32_MAX;
  if (first < 0)
    return MSD_BAD_VALUE;
  return triangles * CORNERS <= most && particles + first <= most ? MSD_OK : MSD_TOO_LARGE;
}

/* ------------------------------------------------------------------------------------------------- grids */

/* Points start + c across + r down. */
typedef struct grid {
  int32_t start, across, columns, down, rows;
} grid;

/* The winding is a, down, across: counterclockwise if `across` points right and `down` points down. */
static void add_grid(triangle_writer *w, grid g) {
  for (int32_t r = 0; r + 1 < g.rows; r++)
    for (int32_t c = 0; c + 1 < g.columns; c++) {
      const int32_t a = g.start + c * g.across + r * g.down;
      add(w, a, a + g.down, a + g.down + g.across);
      add(w, a, a + g.down + g.across, a + g.across);
    }
}

msd_result msd_cloth_get_triangles(const msd_cloth_def *def, int32_t first, int32_t *triangles,
                                   int32_t capacity, int32_t *count) {
  if (!def || def->cookie != MSD_CLOTH_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  if (!count || def->columns < 1 || def->rows < 1)
    return MSD_BAD_VALUE;
  const msd_result result =
      check_size(2.0 * (def->columns - 1.0) * (def->rows - 1.0), (double)def->columns * def->rows, first);
  if (result != MSD_OK)
    return result;
  triangle_writer w = {.to = triangles, .first = first, .capacity = capacity};
  add_grid(&w, (grid){0, 1, def->columns, def->columns, def->rows});
  *count = w.count;
  return MSD_OK;
}

msd_result msd_block_get_triangles(const msd_block_def *def, int32_t first, int32_t *triangles,
                                   int32_t capacity, int32_t *count) {
  if (!def || def->cookie != MSD_BLOCK_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  const int32_t *of = def->cells;
  if (!count || of[0] < 1 || of[1] < 1 || of[2] < 1)
    return MSD_BAD_VALUE;
  const double x = of[0], y = of[1], z = of[2];
  const msd_result result = check_size(4 * (x * y + y * z + z * x), (x + 1) * (y + 1) * (z + 1), first);
  if (result != MSD_OK)
    return result;
  const int32_t points[3] = {of[0] + 1, of[1] + 1, of[2] + 1};
  const int32_t stride[3] = {1, points[0], points[0] * points[1]};
  triangle_writer w = {.to = triangles, .first = first, .capacity = capacity};
  for (int axis = 0; axis < 3; axis++) {
    /* u x v points along the axis; a grid faces down x across. */
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int32_t last = of[axis] * stride[axis];
    add_grid(&w, (grid){0, stride[u], points[u], stride[v], points[v]});
    add_grid(&w, (grid){last, stride[v], points[v], stride[u], points[u]});
  }
  *count = w.count;
  return MSD_OK;
}

/* ------------------------------------------------------------------------------------------------ meshes */

/* Checks lists of items with that many corners each. */
static msd_result check_corners(const int32_t *items, int32_t item_count, int corners, int32_t vertex_count,
                                int32_t first) {
  if (!items || item_count < 1 || vertex_count < 1)
    return MSD_BAD_VALUE;
  for (size_t c = 0; c < (size_t)item_count * (size_t)corners; c++)
    if (items[c] < 0 || items[c] >= vertex_count)
      return MSD_BAD_VALUE;
  return check_size((double)item_count * (corners == CORNERS ? 1 : FACES), vertex_count, first);
}

msd_result msd_mesh_get_triangles(const msd_mesh_def *def, int32_t first, int32_t *triangles,
                                  int32_t capacity, int32_t *count) {
  if (!def || def->cookie != MSD_MESH_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  if (!count)
    return MSD_BAD_VALUE;
  const msd_result result =
      check_corners(def->triangles, def->triangle_count, CORNERS, def->vertex_count, first);
  if (result != MSD_OK)
    return result;
  triangle_writer w = {.to = triangles, .first = first, .capacity = capacity};
  for (int32_t t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = def->triangles + (size_t)CORNERS * (size_t)t;
    add(&w, corner[0], corner[1], corner[2]);
  }
  *count = w.count;
  return MSD_OK;
}

/* Face `number` of all, FACES of each tetrahedron, counterclockwise seen from outside. */
static void face_of(const msd_tetmesh_def *def, int32_t number, int32_t corner[CORNERS]) {
  static const int corners[FACES][CORNERS] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const int32_t *v = def->tetrahedra + 4 * (size_t)(number / FACES);
  const msd_vec3 *x = def->vertices;
  const bool is_turned = builder_six_volumes(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) < 0;
  for (int c = 0; c < CORNERS; c++)
    corner[c] = v[corners[number % FACES][c == 0 || !is_turned ? c : CORNERS - c]];
}

static void swap_down(int32_t *low, int32_t *high) {
  const int32_t moved = *low;
  if (moved > *high) {
    *low = *high;
    *high = moved;
  }
}

/* Equal for both tetrahedra that share a face. */
static void sorted_face(const msd_tetmesh_def *def, int32_t number, int32_t corner[CORNERS]) {
  face_of(def, number, corner);
  swap_down(&corner[0], &corner[1]);
  swap_down(&corner[1], &corner[2]);
  swap_down(&corner[0], &corner[1]);
}

static bool is_same_face(const msd_tetmesh_def *def, int32_t one, int32_t other) {
  int32_t a[CORNERS], b[CORNERS];
  sorted_face(def, one, a);
  sorted_face(def, other, b);
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Sorts faces by their corners: first by the highest of each, then by the other two. Equal ones keep their
   order. */
static const sort_item *sort_faces(const msd_tetmesh_def *def, sort_item *items, sort_item *spare) {
  const int32_t count = FACES * def->tetrahedron_count;
  int32_t corner[CORNERS];
  for (int32_t f = 0; f < count; f++) {
    sorted_face(def, f, corner);
    items[f] = (sort_item){(uint64_t)corner[2], f};
  }
  sort_item *sorted = sort_by_key(items, spare, count);
  for (int32_t f = 0; f < count; f++) {
    sorted_face(def, sorted[f].index, corner);
    sorted[f].key = (uint64_t)corner[0] << 32 | (uint64_t)corner[1];
  }
  return sort_by_key(sorted, sorted == items ? spare : items, count);
}

/* Adds the faces that only one tetrahedron has. */
static void add_outer_faces(triangle_writer *w, const msd_tetmesh_def *def, const sort_item *sorted) {
  const int32_t count = FACES * def->tetrahedron_count;
  for (int32_t f = 0, next; f < count; f = next) {
    for (next = f + 1; next < count && is_same_face(def, sorted[f].index, sorted[next].index);)
      next++;
    if (next > f + 1)
      continue;
    int32_t corner[CORNERS];
    face_of(def, sorted[f].index, corner);
    add(w, corner[0], corner[1], corner[2]);
  }
}

msd_result msd_tetmesh_get_triangles(const msd_tetmesh_def *def, int32_t first, int32_t *triangles,
                                     int32_t capacity, int32_t *count) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!def || def->cookie != MSD_TETMESH_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  if (!count || !def->vertices)
    return MSD_BAD_VALUE;
  const msd_result result =
      check_corners(def->tetrahedra, def->tetrahedron_count, 4, def->vertex_count, first);
  if (result != MSD_OK)
    return result;
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  const int64_t faces = (int64_t)FACES * def->tetrahedron_count;
  sort_item *items = memory_allocate_items(&m, faces, sizeof *items),
            *spare = memory_allocate_items(&m, faces, sizeof *spare);
  triangle_writer w = {.to = triangles, .first = first, .capacity = capacity};
  if (items && spare) {
    add_outer_faces(&w, def, sort_faces(def, items, spare));
    *count = w.count;
  }
  const bool done = items && spare;
  memory_release(&m, items);
  memory_release(&m, spare);
  return done ? MSD_OK : MSD_OUT_OF_MEMORY;
}
