#include "engine/contact/triangle_joins.h"

#include "engine/base/counted_lists.h"
#include "engine/base/sort.h"

/* The half-edges, sorted by the edges that they are along. `items` and `spare` have room for all. */
static const sort_item *sort_half_edges(const surface_mesh *mesh, sort_item *items, sort_item *spare,
                                        int32_t *count) {
  *count = 0;
  for (int32_t t = 0; t < surface_mesh_places(mesh, SURFACE_TRIANGLES); t++)
    for (int n = 0; n < SURFACE_CORNERS && surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, t); n++) {
      const int32_t a = surface_mesh_triangle_corner(mesh, t, n),
                    b = surface_mesh_triangle_corner(mesh, t, n + 1);
      const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
      items[(*count)++] = (sort_item){low << 32 | high, 3 * t + n};
    }
  return sort_by_key(items, spare, *count);
}

/* Joins those of sorted half-edges that are along one edge. */
static void join(triangle_joins *j, const sort_item *same, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    j->beyond[same[n].index] = count == 1 ? JOIN_BORDER : count == 2 ? same[1 - n].index / 3 : JOIN_BRANCH;
}

/* Edges have the order of the half-edges. */
static void join_all(triangle_joins *j, const surface_mesh *mesh, const sort_item *sorted, int32_t count) {
  const surface_primitives *edges = &mesh->of[SURFACE_EDGES];
  int32_t first = 0;
  for (int32_t e = 0; e < surface_mesh_places(mesh, SURFACE_EDGES); e++) {
    j->along[e] = JOIN_BORDER;
    if (!surface_mesh_is_filled(mesh, SURFACE_EDGES, e))
      continue;
    const uint64_t key = (uint64_t)edges->corner[0][e] << 32 | (uint64_t)edges->corner[1][e];
    int32_t end = first;
    while (end < count && sorted[end].key == key)
      end++;
    if (end > first)
      j->along[e] = sorted[first].index;
    join(j, sorted + first, end - first);
    first = end;
  }
}

static void list_at_vertices(triangle_joins *j, const surface_mesh *mesh) {
  const int32_t half_edges = 3 * surface_mesh_places(mesh, SURFACE_TRIANGLES),
                vertices = mesh->leaf_count * SURFACE_BLOCK;
  for (int32_t h = 0; h < half_edges; h++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, h / 3))
      counted_lists_count(j->first_at, surface_mesh_triangle_corner(mesh, h / 3, h % 3));
  counted_lists_begin(j->first_at, vertices);
  for (int32_t h = 0; h < half_edges; h++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, h / 3))
      counted_lists_put(j->first_at, j->at, surface_mesh_triangle_corner(mesh, h / 3, h % 3), h / 3);
}

bool triangle_joins_make(triangle_joins *j, memory *m, const surface_mesh *mesh) {
  const int64_t half_edges = 3 * (int64_t)surface_mesh_places(mesh, SURFACE_TRIANGLES);
  sort_item *items = memory_allocate_unset_items(m, half_edges, sizeof *items);
  sort_item *spare = memory_allocate_unset_items(m, half_edges, sizeof *spare);
  j->beyond = memory_allocate_items(m, half_edges, sizeof *j->beyond);
  j->along = memory_allocate_unset_items(m, surface_mesh_places(mesh, SURFACE_EDGES), sizeof *j->along);
  j->first_at = memory_allocate_items(m, (int64_t)mesh->leaf_count * SURFACE_BLOCK + 2, sizeof *j->first_at);
  j->at = memory_allocate_items(m, half_edges, sizeof *j->at);
  const bool done =
      half_edges <= INT32_MAX && items && spare && j->beyond && j->along && j->first_at && j->at;
  if (done) {
    int32_t count;
    const sort_item *sorted = sort_half_edges(mesh, items, spare, &count);
    join_all(j, mesh, sorted, count);
    list_at_vertices(j, mesh);
  }
  memory_release(m, spare);
  memory_release(m, items);
  return done;
}

void triangle_joins_free(triangle_joins *j, memory *m) {
  memory_release(m, j->at);
  memory_release(m, j->first_at);
  memory_release(m, j->along);
  memory_release(m, j->beyond);
  *j = (triangle_joins){0};
}
