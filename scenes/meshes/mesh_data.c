#include "scenes/meshes/mesh_data.h"

#include "scenes/meshes/polygon_mesh.h"

#include <stdlib.h>

void mesh_data_free(mesh_data *mesh) {
  free(mesh->vertices);
  free(mesh->file_vertices);
  free(mesh->triangles);
  free(mesh->segments);
  free(mesh->vertex_of);
  free(mesh->face_of);
  free(mesh->corner_of);
  vertex_groups_free(&mesh->groups);
  corner_attributes_free(&mesh->attributes);
  free(mesh->path);
  *mesh = (mesh_data){0};
}

/* ----------------------------------------------------------------------------------------------- closedness */

/* An edge of a triangle, as the triangle goes along it. */
typedef struct half_edge {
  int32_t low, high;
  int32_t triangle;
  /* Whether it goes from the lower to the higher vertex. */
  bool is_upward;
} half_edge;

static int compare_edges(const half_edge *a, const half_edge *b) {
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

static int compare_half_edges(const void *left, const void *right) {
  const half_edge *a = left, *b = right;
  const int order = compare_edges(a, b);
  return order ? order : (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static half_edge *sorted_half_edges(const mesh_data *mesh) {
  const size_t count = (size_t)CORNERS * (size_t)mesh->triangle_count;
  half_edge *edges = malloc(count * sizeof *edges);
  for (size_t i = 0; edges && i < count; i++) {
    const int32_t from = mesh->triangles[i], to = mesh->triangles[i % CORNERS == 2 ? i - 2 : i + 1];
    edges[i] = (half_edge){from < to ? from : to, from < to ? to : from, (int32_t)(i / CORNERS), from < to};
  }
  if (edges)
    qsort(edges, count, sizeof *edges, compare_half_edges);
  return edges;
}

/* What is wrong with edges, by kind. */
typedef enum flaw { FLAW_NONE, FLAW_OPEN, FLAW_SHARED, FLAW_TURNED, FLAW_COUNT } flaw;

static flaw flaw_of_edge(const half_edge *edge, size_t triangles) {
  if (triangles == 1)
    return FLAW_OPEN;
  if (triangles > 2)
    return FLAW_SHARED;
  return edge[0].is_upward == edge[1].is_upward ? FLAW_TURNED : FLAW_NONE;
}

/* The first kind that there is, by the first edge and how many there are. */
static bool fail_edges(const mesh_data *mesh, const half_edge *first[FLAW_COUNT],
                       const int32_t count[FLAW_COUNT], const char *remedy, scene_error *error) {
  static const char *const texts[FLAW_COUNT][2] = {
      [FLAW_OPEN] = {"has no face beyond it", "fill the holes"},
      [FLAW_SHARED] = {"is shared by more than two faces", "delete faces inside the mesh"},
      [FLAW_TURNED] = {"has two faces that go round different ways", "recalculate the normals"}};
  for (int f = FLAW_OPEN; f < FLAW_COUNT; f++) {
    if (count[f] == 0)
      continue;
    const msd_vec3 a = mesh->vertices[first[f]->low], b = mesh->vertices[first[f]->high];
    char where[FACE_TEXT_MAX];
    face_text(mesh->path, mesh->has_lines, mesh->face_of[first[f]->triangle], where);
    return scene_fail(
        error,
        "%s: the edge of this face from %.6g %.6g %.6g to %.6g %.6g %.6g %s, one of %d such edges; with "
        "pressure a mesh must be closed: %s, or %s",
        where, (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z, texts[f][0],
        (int)count[f], texts[f][1], remedy);
  }
  return true;
}

bool mesh_data_check_closed(const mesh_data *mesh, const char *remedy, scene_error *error) {
  half_edge *edges = sorted_half_edges(mesh);
  if (!edges)
    return scene_fail_out_of_memory(error);
  const half_edge *first[FLAW_COUNT] = {NULL};
  int32_t counts[FLAW_COUNT] = {0};
  const size_t count = (size_t)CORNERS * (size_t)mesh->triangle_count;
  for (size_t start = 0, end; start < count; start = end) {
    for (end = start + 1; end < count && compare_edges(&edges[start], &edges[end]) == 0;)
      end++;
    const flaw f = flaw_of_edge(&edges[start], end - start);
    if (counts[f]++ == 0)
      first[f] = &edges[start];
  }
  const bool closed = fail_edges(mesh, first, counts, remedy, error);
  free(edges);
  return closed;
}

bool mesh_data_has_area(const mesh_data *mesh, int32_t triangle) {
  const int32_t *corner = mesh->triangles + CORNERS * (size_t)triangle;
  const msd_vec3 p = mesh->vertices[corner[0]], q = mesh->vertices[corner[1]], r = mesh->vertices[corner[2]];
  const double a[3] = {(double)q.x - (double)p.x, (double)q.y - (double)p.y, (double)q.z - (double)p.z};
  const double b[3] = {(double)r.x - (double)p.x, (double)r.y - (double)p.y, (double)r.z - (double)p.z};
  return a[1] * b[2] != a[2] * b[1] || a[2] * b[0] != a[0] * b[2] || a[0] * b[1] != a[1] * b[0];
}
