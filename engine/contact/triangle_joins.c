#include "engine/contact/triangle_joins.h"

#include "engine/base/counting_sort.h"
#include "engine/base/parallel.h"

/* The half-edge of a triangle between two of its vertices. */
static int32_t half_edge_between(const surface_mesh *mesh, int32_t triangle, int32_t a, int32_t b) {
  int n = 0;
  while ((surface_mesh_triangle_corner(mesh, triangle, n) != a ||
          surface_mesh_triangle_corner(mesh, triangle, n + 1) != b) &&
         (surface_mesh_triangle_corner(mesh, triangle, n) != b ||
          surface_mesh_triangle_corner(mesh, triangle, n + 1) != a))
    n++;
  return 3 * triangle + n;
}

/* Joins a half-edge with earlier ones of the same edge. */
static void join(triangle_joins *j, const surface_mesh *mesh, int32_t edge, int32_t half_edge) {
  const surface_primitives *edges = &mesh->of[SURFACE_EDGES];
  const int32_t first = j->along[edge], beyond = first < 0 ? JOIN_BORDER : j->beyond[first];
  if (first < 0) {
    j->along[edge] = half_edge;
    j->beyond[half_edge] = JOIN_BORDER;
  } else if (beyond == JOIN_BORDER) {
    j->beyond[first] = half_edge / 3;
    j->beyond[half_edge] = first / 3;
  } else {
    if (beyond >= 0)
      j->beyond[half_edge_between(mesh, beyond, edges->corner[0][edge], edges->corner[1][edge])] =
          JOIN_BRANCH;
    j->beyond[first] = j->beyond[half_edge] = JOIN_BRANCH;
  }
}

/* Finds the first edge that each vertex of some leaves owns; the others follow it. */
static void find_first_edges(const triangle_joins *j, const surface_mesh *mesh, parallel_range leaves,
                             int32_t *first_edge) {
  const surface_primitives *edges = &mesh->of[SURFACE_EDGES];
  for (int32_t e = edges->first_block[leaves.last] * SURFACE_BLOCK - 1;
       e >= edges->first_block[leaves.first] * SURFACE_BLOCK; e--) {
    j->along[e] = JOIN_BORDER;
    if (surface_mesh_is_filled(mesh, SURFACE_EDGES, e))
      first_edge[edges->corner[0][e]] = e;
  }
}

/* Joins the half-edges of all edges that some leaves own. */
static void join_along(triangle_joins *j, const surface_mesh *mesh, parallel_range leaves,
                       int32_t *first_edge) {
  const int32_t *high = mesh->of[SURFACE_EDGES].corner[1], begin = leaves.first * SURFACE_BLOCK,
                end = leaves.last * SURFACE_BLOCK;
  find_first_edges(j, mesh, leaves, first_edge);
  for (int32_t t = 0; t < surface_mesh_places(mesh, SURFACE_TRIANGLES); t++)
    for (int n = 0; n < SURFACE_CORNERS && surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, t); n++) {
      const int32_t a = surface_mesh_triangle_corner(mesh, t, n),
                    b = surface_mesh_triangle_corner(mesh, t, n + 1), low = a < b ? a : b;
      if (low < begin || low >= end)
        continue;
      int32_t edge = first_edge[low];
      while (high[edge] != (a < b ? b : a))
        edge++;
      join(j, mesh, edge, 3 * t + n);
    }
}

static void list_at_vertices(triangle_joins *j, const surface_mesh *mesh) {
  const int32_t half_edges = 3 * surface_mesh_places(mesh, SURFACE_TRIANGLES),
                vertices = mesh->leaf_count * SURFACE_BLOCK;
  for (int32_t h = 0; h < half_edges; h++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, h / 3))
      counting_sort_count(j->first_at, surface_mesh_triangle_corner(mesh, h / 3, h % 3));
  counting_sort_begin(j->first_at, vertices);
  for (int32_t h = 0; h < half_edges; h++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, h / 3))
      counting_sort_put(j->first_at, j->at, surface_mesh_triangle_corner(mesh, h / 3, h % 3), h / 3);
}

void triangle_joins_go_around(triangle_joins *j, const surface_mesh *mesh, int32_t vertex) {
  int32_t *around = j->around + 2 * (size_t)j->first_at[vertex] + (size_t)vertex, count = 0;
  for (int32_t n = j->first_at[vertex]; n < j->first_at[vertex + 1]; n++)
    for (int k = 0; k < SURFACE_CORNERS; k++) {
      const int32_t corner = surface_mesh_triangle_corner(mesh, j->at[n], k);
      int32_t known = 0;
      while (known < count && around[known] != corner)
        known++;
      if (known == count)
        around[count++] = corner;
    }
  if (count < 2 * (j->first_at[vertex + 1] - j->first_at[vertex]) + 1)
    around[count] = -1;
}

typedef struct joining {
  triangle_joins *joins;
  const surface_mesh *mesh;
  /* By vertex: the first edge that it owns. */
  int32_t *first_edge;
} joining;

/* The last thread lists the triangles at vertices while the others join half-edges. */
static void make_share(void *context, int thread, int threads) {
  joining *k = context;
  const int joining_threads = threads > 1 ? threads - 1 : 1;
  if (thread + 1 == threads)
    list_at_vertices(k->joins, k->mesh);
  if (thread < joining_threads)
    join_along(k->joins, k->mesh, parallel_split(k->mesh->leaf_count, thread, joining_threads),
               k->first_edge);
}

bool triangle_joins_make(triangle_joins *j, memory *m, const surface_mesh *mesh, const msd_tasks *tasks,
                         int threads) {
  const int64_t half_edges = 3 * (int64_t)surface_mesh_places(mesh, SURFACE_TRIANGLES),
                vertices = (int64_t)mesh->leaf_count * SURFACE_BLOCK;
  joining k = {.joins = j, .mesh = mesh};
  k.first_edge = memory_allocate_unset_items(m, vertices, sizeof *k.first_edge);
  j->beyond = memory_allocate_items(m, half_edges, sizeof *j->beyond);
  j->along = memory_allocate_unset_items(m, surface_mesh_places(mesh, SURFACE_EDGES), sizeof *j->along);
  j->first_at = memory_allocate_items(m, vertices + 2, sizeof *j->first_at);
  j->at = memory_allocate_items(m, half_edges, sizeof *j->at);
  j->around = memory_allocate_unset_items(m, 2 * half_edges + vertices, sizeof *j->around);
  const bool done =
      half_edges <= INT32_MAX && k.first_edge && j->beyond && j->along && j->first_at && j->at && j->around;
  if (done)
    parallel_run(tasks, threads, make_share, &k);
  memory_release(m, k.first_edge);
  return done;
}

void triangle_joins_free(triangle_joins *j, memory *m) {
  memory_release(m, j->around);
  memory_release(m, j->at);
  memory_release(m, j->first_at);
  memory_release(m, j->along);
  memory_release(m, j->beyond);
  *j = (triangle_joins){0};
}
