#include "render/paint/coarse.h"

#include <stdlib.h>

/* Seeds are sought point by point, and each takes what it can reach. */
typedef struct gathering {
  const topology *shapes;
  /* The seed of each point; -1: none yet. */
  int32_t *seed;
  /* The points that a seed has, those of a ring behind those of the ring before. */
  int32_t *reached;
} gathering;

static void *items(int64_t count, size_t size) {
  return malloc((size_t)(count > 0 ? count : 1) * size);
}

/* Edges from a seed to the furthest of its vertices, in an even mesh, where 3 r (r + 1) are within r edges of
   one. */
static int32_t rings_for(const topology *t, int32_t most) {
  int32_t rings = 0;
  while (most > 0 && t->creases.vertex_count / (1 + 3 * rings * (rings + 1)) > most)
    rings++;
  return rings;
}

static void reach(const gathering *g, int32_t point, int32_t seed, int32_t *count) {
  if (g->seed[point] >= 0)
    return;
  g->seed[point] = seed;
  g->reached[(*count)++] = point;
}

static void gather_around(const gathering *g, int32_t seed, int32_t rings) {
  const topology *t = g->shapes;
  int32_t count = 0, begin = 0;
  reach(g, seed, seed, &count);
  for (int32_t ring = 0; ring < rings && begin < count; ring++) {
    const int32_t end = count;
    for (; begin < end; begin++) {
      const topology_fan *fan = &t->fans[g->reached[begin]];
      for (int32_t c = fan->first_corner; c < fan->last_corner; c++) {
        reach(g, t->corners[c].next, seed, &count);
        reach(g, t->corners[c].last, seed, &count);
      }
    }
  }
}

static void list_vertices(coarse *c, const gathering *g) {
  for (int32_t point = 0; point < g->shapes->points; point++)
    if (g->seed[point] == point)
      c->vertices[c->vertex_count++] = point;
}

/* Where nothing is simpler the corners stay what they are, creases and all. */
static uint32_t corner_of(const gathering *g, uint32_t vertex, int32_t rings) {
  return rings == 0 ? vertex : (uint32_t)g->seed[g->shapes->creases.points[vertex]];
}

static void list_triangles(coarse *c, const gathering *g, int32_t rings) {
  const topology *t = g->shapes;
  for (int32_t n = 0; n < t->surface_count; n++) {
    const topology_surface *fine = &t->surfaces[n];
    const int32_t first = c->index_count;
    for (int32_t i = fine->first; i < fine->first + fine->count; i += 3) {
      uint32_t *to = c->indices + c->index_count;
      for (int corner = 0; corner < 3; corner++)
        to[corner] = corner_of(g, t->indices[i + corner], rings);
      c->index_count += to[0] != to[1] && to[1] != to[2] && to[2] != to[0] ? 3 : 0;
    }
    c->surfaces[n] = (topology_surface){fine->body, first, c->index_count - first};
  }
}

bool coarse_make(coarse *c, const topology *t, int32_t most) {
  const int32_t rings = rings_for(t, most);
  gathering g = {t, items(t->points, sizeof *g.seed), items(t->points, sizeof *g.reached)};
  *c = (coarse){.indices = items((int64_t)t->index_count, sizeof *c->indices),
                .surfaces = items(t->surface_count, sizeof *c->surfaces),
                .vertices = items(t->creases.vertex_count, sizeof *c->vertices)};
  const bool done = g.seed && g.reached && c->indices && c->surfaces && c->vertices;
  for (int32_t point = 0; point < t->points && done; point++)
    g.seed[point] = -1;
  for (int32_t point = 0; point < t->points && done; point++)
    if (g.seed[point] < 0)
      gather_around(&g, point, rings);
  if (done) {
    list_triangles(c, &g, rings);
    list_vertices(c, &g);
  }
  for (int32_t vertex = t->points; vertex < t->creases.vertex_count && done && rings == 0; vertex++)
    c->vertices[c->vertex_count++] = vertex;
  free(g.seed);
  free(g.reached);
  if (!done)
    coarse_free(c);
  return done;
}

void coarse_free(coarse *c) {
  free(c->indices);
  free(c->surfaces);
  free(c->vertices);
  *c = (coarse){.indices = NULL};
}
