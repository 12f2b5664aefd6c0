/* Closed meshes: checks the triangles and finds those that meet at each vertex. */

#include "engine/base/sort.h"
#include "engine/store/constraint.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------- adding */

/* Half-edges are sorted by the particle that they leave, then by number. */
static bool is_before(const int32_t *triangles, int32_t a, int32_t b) {
  return triangles[a] != triangles[b] ? triangles[a] < triangles[b] : a < b;
}

static void sift_down(const int32_t *triangles, int32_t *heap, int32_t at, int32_t count) {
  const int32_t sifted = heap[at];
  for (int64_t below = 2 * (int64_t)at + 1; below < count; below = 2 * below + 1) {
    if (below + 1 < count && is_before(triangles, heap[below], heap[below + 1]))
      below++;
    if (!is_before(triangles, sifted, heap[below]))
      break;
    heap[at] = heap[below];
    at = (int32_t)below;
  }
  heap[at] = sifted;
}

/* Heapsort (J. Williams, 1964) needs no memory, so appending a checked mesh with reserved capacity cannot
   fail. */
static void sort_half_edges(const int32_t *triangles, int32_t *half_edges, int32_t count) {
  for (int32_t at = count / 2 - 1; at >= 0; at--)
    sift_down(triangles, half_edges, at, count);
  for (int32_t last = count - 1; last > 0; last--) {
    const int32_t largest = half_edges[0];
    half_edges[0] = half_edges[last];
    half_edges[last] = largest;
    sift_down(triangles, half_edges, 0, last);
  }
}

int32_t constraint_append_mesh(constraint_store *s, const int32_t *triangles, int32_t count) {
  constraint_mesh *mesh = &s->meshes[s->mesh_count];
  *mesh = (constraint_mesh){
      .first_triangle = s->triangle_count, .triangle_count = count, .first_vertex = s->vertex_count};
  const int32_t first = 3 * s->triangle_count, last = first + 3 * count;
  s->triangle_count += count;
  memcpy(s->triangles + first, triangles, 3 * (size_t)count * sizeof *triangles);
  for (int32_t half_edge = first; half_edge < last; half_edge++)
    s->fans[half_edge] = half_edge;
  sort_half_edges(s->triangles, s->fans + first, last - first);
  for (int32_t f = first; f < last; f++) {
    const int32_t particle = s->triangles[s->fans[f]];
    if (f > first && particle == s->triangles[s->fans[f - 1]])
      continue;
    s->vertex_first[s->vertex_count] = f;
    s->vertex_placed[s->vertex_count] = s->vertex_weights[s->vertex_count] = 0;
    s->vertices[s->vertex_count++] = particle;
  }
  s->vertex_first[s->vertex_count] = last;
  mesh->vertex_count = s->vertex_count - mesh->first_vertex;
  return s->mesh_count++;
}

/* ----------------------------------------------------------------------------------------- checking */

typedef struct edge {
  int32_t from, to;
} edge;

static edge edge_at(const int32_t *triangles, int32_t half_edge) {
  return (edge){triangles[half_edge], triangles[constraint_next_half_edge(half_edge)]};
}

static msd_result check_triangles(report *r, const int32_t *triangles, int32_t count, subject about) {
  if (count < 4 || !triangles)
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "triangle_count is %d and triangles %s; a closed mesh has 4 or more", (int)count,
                         triangles ? "set" : "NULL");
  if (count > CONSTRAINT_TRIANGLES_MAX)
    return report_refuse(r, MSD_TOO_LARGE, about, "triangle_count is %d; it must be at most %d", (int)count,
                         (int)CONSTRAINT_TRIANGLES_MAX);
  for (int32_t t = 0; t < count; t++) {
    const int32_t a = triangles[3 * t], b = triangles[3 * t + 1], c = triangles[3 * t + 2];
    if (a < 0 || b < 0 || c < 0 || a == b || b == c || c == a)
      return report_refuse(r, MSD_BAD_VALUE, about,
                           "triangle %d has the particles %d, %d, %d; they must be three different ones",
                           (int)t, (int)a, (int)b, (int)c);
  }
  return MSD_OK;
}

/* The number of consecutive items with the key of items[at]. */
static int32_t count_alike(const sort_item *items, int32_t at, int32_t count) {
  int32_t n = 1;
  while (at + n < count && items[at + n].key == items[at].key)
    n++;
  return n;
}

static msd_result check_edges(report *r, const int32_t *triangles, const sort_item *items, int32_t count,
                              subject about) {
  for (int32_t at = 0, n; at < count; at += n) {
    n = count_alike(items, at, count);
    const edge one = edge_at(triangles, items[at].index), two = edge_at(triangles, items[at + n - 1].index);
    if (n != 2)
      return report_refuse(
          r, MSD_BAD_VALUE, about,
          "the edge between particles %d and %d has %d triangle%s; in a closed mesh each edge has two",
          (int)one.from, (int)one.to, (int)n, n == 1 ? "" : "s");
    if (one.from == two.from)
      return report_refuse(r, MSD_BAD_VALUE, about,
                           "triangles %d and %d have opposite orientations along the edge from particle %d "
                           "to %d; flip one of them",
                           (int)(items[at].index / 3), (int)(items[at + 1].index / 3), (int)one.from,
                           (int)one.to);
  }
  return MSD_OK;
}

msd_result constraint_check_mesh(report *r, memory *m, const int32_t *triangles, int32_t count,
                                 subject about) {
  const msd_result result = check_triangles(r, triangles, count, about);
  if (result != MSD_OK)
    return result;
  const int32_t edges = 3 * count;
  sort_item *items = memory_allocate(m, 2 * (size_t)edges * sizeof *items);
  if (!items)
    return report_refuse(r, MSD_OUT_OF_MEMORY, about, "no memory to check %d triangles", (int)count);
  for (int32_t at = 0; at < edges; at++) {
    const edge e = edge_at(triangles, at);
    const uint64_t low = (uint64_t)(e.from < e.to ? e.from : e.to),
                   high = (uint64_t)(e.from < e.to ? e.to : e.from);
    items[at] = (sort_item){low << 32 | high, at};
  }
  const msd_result closed = check_edges(r, triangles, sort_by_key(items, items + edges, edges), edges, about);
  memory_release(m, items);
  return closed;
}
