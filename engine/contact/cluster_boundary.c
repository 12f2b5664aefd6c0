#include "engine/contact/cluster_boundary.h"

bool cluster_boundaries_allocate(cluster_boundaries *r, memory *m, const surface_mesh *mesh) {
  const int64_t triangles = surface_mesh_places(mesh, SURFACE_TRIANGLES);
  r->of = memory_allocate_items(m, mesh->leaf_count, sizeof *r->of);
  r->edges = memory_allocate_unset_items(m, SURFACE_CORNERS * (int64_t)triangles, sizeof *r->edges);
  r->is_over = memory_allocate_items(m, triangles, sizeof *r->is_over);
  r->bare = memory_allocate_unset_items(
      m, (int64_t)surface_mesh_places(mesh, SURFACE_VERTICES) + surface_mesh_places(mesh, SURFACE_EDGES),
      sizeof *r->bare);
  return r->of && r->edges && r->is_over && r->bare;
}

void cluster_boundaries_free(cluster_boundaries *r, memory *m) {
  memory_release(m, r->bare);
  memory_release(m, r->is_over);
  memory_release(m, r->edges);
  memory_release(m, r->of);
  *r = (cluster_boundaries){0};
}

void cluster_boundaries_turn(cluster_boundaries *r, const surface_mesh *mesh, const cluster_frame *planes,
                             int32_t leaf) {
  cluster_boundary *rim = &r->of[leaf];
  rim->least_height = INFINITY;
  for (int32_t t = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
       t < surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1); t++) {
    if (!surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, t))
      continue;
    double3 at[SURFACE_CORNERS];
    for (int n = 0; n < SURFACE_CORNERS; n++)
      at[n] = surface_mesh_rest(mesh, surface_mesh_triangle_corner(mesh, t, n));
    const double3 a = double3_subtract(at[1], at[0]), b = double3_subtract(at[2], at[0]),
                  c = double3_subtract(at[2], at[1]), normal = double3_cross(a, b);
    const double most = fmax(fmax(double3_dot(a, a), double3_dot(b, b)), double3_dot(c, c)),
                 height = sqrt(double3_dot(normal, normal) / most);
    rim->least_height = height >= rim->least_height ? rim->least_height : height > 0 ? height : 0;
    rim->triangle_count++;
    r->is_over[t] = double3_dot(planes[leaf].normal, normal) < 0;
  }
}

/* True if two triangles traverse their common edge in the same direction. */
static bool go_alike(const surface_mesh *mesh, int32_t half_edge, int32_t beyond) {
  const int32_t from = surface_mesh_triangle_corner(mesh, half_edge / 3, half_edge % 3),
                to = surface_mesh_triangle_corner(mesh, half_edge / 3, half_edge % 3 + 1);
  int corner = 0;
  while (surface_mesh_triangle_corner(mesh, beyond, corner) != from)
    corner++;
  return surface_mesh_triangle_corner(mesh, beyond, corner + 1) == to;
}

static int32_t leaf_beyond(const surface_mesh *mesh, int32_t beyond) {
  return beyond < 0 ? -1 : surface_mesh_leaf_of(surface_mesh_triangle_corner(mesh, beyond, 0));
}

static bool is_of(const surface_mesh *mesh, int32_t triangle, int32_t leaf) {
  return triangle >= 0 && surface_mesh_leaf_of(surface_mesh_triangle_corner(mesh, triangle, 0)) == leaf;
}

static bool is_bare_vertex(const surface_mesh *mesh, const triangle_joins *joins, int32_t leaf,
                           int32_t vertex) {
  bool is = surface_mesh_is_filled(mesh, SURFACE_VERTICES, vertex);
  for (int32_t n = joins->first_at[vertex]; n < joins->first_at[vertex + 1] && is; n++)
    is = !is_of(mesh, joins->at[n], leaf);
  return is;
}

static bool is_bare_edge(const surface_mesh *mesh, const triangle_joins *joins, int32_t leaf, int32_t edge) {
  const int32_t along = joins->along[edge];
  return surface_mesh_is_filled(mesh, SURFACE_EDGES, edge) &&
         (along < 0 ||
          (!is_of(mesh, along / SURFACE_CORNERS, leaf) && !is_of(mesh, joins->beyond[along], leaf)));
}

static void list_bare(const cluster_boundaries *r, const surface_mesh *mesh, const triangle_joins *joins,
                      int32_t leaf) {
  const int32_t first = surface_mesh_first_place(mesh, SURFACE_EDGES, leaf),
                end = surface_mesh_first_place(mesh, SURFACE_EDGES, leaf + 1);
  cluster_boundary *rim = &r->of[leaf];
  int32_t *bare = r->bare + (size_t)leaf * SURFACE_BLOCK + (size_t)first;
  rim->bare = bare;
  for (int32_t v = leaf * SURFACE_BLOCK; v < (leaf + 1) * SURFACE_BLOCK; v++)
    if (is_bare_vertex(mesh, joins, leaf, v))
      bare[rim->bare_vertex_count++] = v;
  rim->bare_count = rim->bare_vertex_count;
  for (int32_t e = first; e < end; e++)
    if (is_bare_edge(mesh, joins, leaf, e))
      bare[rim->bare_count++] = e;
}

void cluster_boundaries_find(cluster_boundaries *r, const surface_mesh *mesh, const triangle_joins *joins,
                             int32_t leaf) {
  cluster_boundary *rim = &r->of[leaf];
  const int32_t first = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf),
                end = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1);
  rim_edge *edges = r->edges + SURFACE_CORNERS * (size_t)first;
  rim->edges = edges;
  list_bare(r, mesh, joins, leaf);
  for (int32_t h = SURFACE_CORNERS * first; h < SURFACE_CORNERS * end; h++) {
    if (!surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, h / SURFACE_CORNERS))
      continue;
    const int32_t beyond = joins->beyond[h];
    const bool is_turned =
        beyond >= 0 && (r->is_over[h / SURFACE_CORNERS] != r->is_over[beyond]) != go_alike(mesh, h, beyond);
    if (beyond >= first && beyond < end)
      rim->is_folded = rim->is_folded || is_turned;
    else
      edges[rim->edge_count++] = (rim_edge){h, leaf_beyond(mesh, beyond), is_turned};
  }
}
