#include "bench/refined_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The vertices include one at the middle of each edge; each triangle becomes four. */
typedef struct fine_mesh {
  msd_vec3 *vertices;
  int32_t *triangles;
  int32_t vertex_count, triangle_count;
} fine_mesh;

/* a < b; `corner` is the corner of the triangle at which the edge starts. */
typedef struct half_edge {
  int32_t a, b, corner;
} half_edge;

static int compare(const void *one, const void *other) {
  const half_edge *a = one, *b = other;
  const int32_t first = a->a != b->a ? a->a - b->a : a->b - b->b;
  return first != 0 ? first : a->corner - b->corner;
}

static msd_vec3 middle(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
}

/* middles[n] is the vertex in the middle of the edge that starts at corner n. */
static void put_middles(fine_mesh *m, half_edge *edges, int32_t *middles) {
  const int32_t count = 3 * m->triangle_count;
  for (int32_t n = 0; n < count; n++) {
    const int32_t a = m->triangles[n], b = m->triangles[n % 3 == 2 ? n - 2 : n + 1];
    edges[n] = a < b ? (half_edge){a, b, n} : (half_edge){b, a, n};
  }
  qsort(edges, (size_t)count, sizeof *edges, compare);
  for (int32_t n = 0; n < count; n++) {
    const half_edge *e = &edges[n];
    if (n == 0 || e->a != e[-1].a || e->b != e[-1].b)
      m->vertices[m->vertex_count++] = middle(m->vertices[e->a], m->vertices[e->b]);
    middles[e->corner] = m->vertex_count - 1;
  }
}

/* Runs backward, so that each triangle is read before it is overwritten. */
static void put_triangles(fine_mesh *m, const int32_t *middles) {
  for (int32_t t = m->triangle_count - 1; t >= 0; t--) {
    const int32_t *c = m->triangles + 3 * (size_t)t, *of = middles + 3 * (size_t)t;
    const int32_t four[12] = {c[0],  of[0], of[2], of[0], c[1],  of[1],
                              of[2], of[1], c[2],  of[0], of[1], of[2]};
    memcpy(m->triangles + 12 * (size_t)t, four, sizeof four);
  }
  m->triangle_count *= 4;
}

static bool halve(fine_mesh *m) {
  const size_t corners = 3 * (size_t)m->triangle_count;
  msd_vec3 *vertices = realloc(m->vertices, ((size_t)m->vertex_count + corners) * sizeof *vertices);
  m->vertices = vertices ? vertices : m->vertices;
  int32_t *triangles = realloc(m->triangles, 4 * corners * sizeof *triangles);
  m->triangles = triangles ? triangles : m->triangles;
  half_edge *edges = malloc(corners * sizeof *edges);
  int32_t *middles = malloc(corners * sizeof *middles);
  const bool done = vertices && triangles && edges && middles;
  if (done) {
    put_middles(m, edges, middles);
    put_triangles(m, middles);
  }
  free(edges);
  free(middles);
  return done;
}

static bool write(const fine_mesh *m, const char *path, scene_error *error) {
  FILE *file = fopen(path, "w");
  if (!file)
    return scene_fail(error, "%s: cannot be written", scene_error_path(path));
  for (int32_t n = 0; n < m->vertex_count; n++) {
    const msd_vec3 v = m->vertices[n];
    fprintf(file, "v %.17g %.17g %.17g\n", (double)v.x, (double)v.y, (double)v.z);
  }
  for (int32_t t = 0; t < m->triangle_count; t++) {
    const int32_t *c = m->triangles + 3 * (size_t)t;
    fprintf(file, "f %d %d %d\n", (int)c[0] + 1, (int)c[1] + 1, (int)c[2] + 1);
  }
  const bool failed = ferror(file) != 0;
  return (fclose(file) == 0 && !failed) || scene_fail(error, "%s: cannot be written", scene_error_path(path));
}

bool halved_mesh_write(const mesh_data *mesh, int times, const char *path, scene_error *error) {
  const size_t vertices = (size_t)mesh->vertex_count * sizeof *mesh->vertices,
               triangles = 3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles;
  fine_mesh m = {malloc(vertices), malloc(triangles), mesh->vertex_count, mesh->triangle_count};
  bool done = m.vertices && m.triangles;
  if (done) {
    memcpy(m.vertices, mesh->vertices, vertices);
    memcpy(m.triangles, mesh->triangles, triangles);
  }
  for (int n = 0; n < times && done; n++)
    done = halve(&m);
  done = done ? write(&m, path, error) : scene_fail_out_of_memory(error);
  free(m.vertices);
  free(m.triangles);
  return done;
}
