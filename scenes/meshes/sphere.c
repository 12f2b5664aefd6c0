#include "scenes/meshes/sphere.h"

#include <math.h>
#include <stdlib.h>

enum { NEIGHBORS_MAX = 6 };

/* (sqrt(5) + 1)/2 : 1 are the sides of the three rectangles whose corners an icosahedron has. */
#define GOLDEN 1.6180339887498949
static const double corner_of_icosahedron[12][3] = {
    {-1, GOLDEN, 0},  {1, GOLDEN, 0},  {-1, -GOLDEN, 0}, {1, -GOLDEN, 0}, {0, -1, GOLDEN},  {0, 1, GOLDEN},
    {0, -1, -GOLDEN}, {0, 1, -GOLDEN}, {GOLDEN, 0, -1},  {GOLDEN, 0, 1},  {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1}};
static const int32_t face_of_icosahedron[20][CORNERS] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

/* The middle of an edge, kept at its end with the lower number. */
typedef struct middle {
  /* 0: none, since 0 is never the higher one. */
  int32_t other_end;
  int32_t vertex;
} middle;

typedef struct sphere {
  /* The vertices, at distance 1. */
  double (*at)[3];
  int32_t vertex_count;
  /* The middles of the edges of the present triangles. */
  middle (*middles)[NEIGHBORS_MAX];
  int32_t *triangles, *cut;
  int32_t triangle_count;
} sphere;

static int32_t add_vertex(sphere *s, double x, double y, double z) {
  double length = sqrt(x * x + y * y + z * z);
  double *at = s->at[s->vertex_count];
  at[0] = x / length;
  at[1] = y / length;
  at[2] = z / length;
  return s->vertex_count++;
}

static int32_t middle_of(sphere *s, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  middle *m = s->middles[low];
  while (m->other_end != 0 && m->other_end != high)
    m++;
  if (m->other_end == 0) {
    const double *p = s->at[a], *q = s->at[b];
    *m = (middle){high, add_vertex(s, p[0] + q[0], p[1] + q[1], p[2] + q[2])};
  }
  return m->vertex;
}

static void add_triangle(sphere *s, int32_t a, int32_t b, int32_t c) {
  int32_t *triangle = s->triangles + (size_t)CORNERS * (size_t)s->triangle_count++;
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
}

static void subdivide(sphere *s) {
  int32_t *whole = s->triangles, count = s->triangle_count;
  for (int32_t v = 0; v < s->vertex_count; v++)
    for (int n = 0; n < NEIGHBORS_MAX; n++)
      s->middles[v][n] = (middle){0, 0};
  s->triangles = s->cut;
  s->cut = whole;
  s->triangle_count = 0;
  for (int32_t t = 0; t < count; t++) {
    const int32_t *corner = whole + (size_t)CORNERS * (size_t)t;
    int32_t ab = middle_of(s, corner[0], corner[1]), bc = middle_of(s, corner[1], corner[2]),
            ca = middle_of(s, corner[2], corner[0]);
    add_triangle(s, corner[0], ab, ca);
    add_triangle(s, ab, corner[1], bc);
    add_triangle(s, ca, bc, corner[2]);
    add_triangle(s, ab, bc, ca);
  }
}

static bool hand_over(const sphere *s, double radius, mesh_data *mesh) {
  mesh->vertices = malloc((size_t)s->vertex_count * sizeof *mesh->vertices);
  mesh->triangles = malloc((size_t)s->triangle_count * CORNERS * sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    return false;
  for (int32_t v = 0; v < s->vertex_count; v++)
    mesh->vertices[v] = (msd_vec3){(msd_real)(radius * s->at[v][0]), (msd_real)(radius * s->at[v][1]),
                                   (msd_real)(radius * s->at[v][2])};
  for (int32_t i = 0; i < CORNERS * s->triangle_count; i++)
    mesh->triangles[i] = s->triangles[i];
  mesh->vertex_count = s->vertex_count;
  mesh->triangle_count = s->triangle_count;
  return true;
}

bool sphere_make(double radius, int subdivisions, mesh_data *mesh) {
  size_t parts = (size_t)1 << 2 * subdivisions, vertices = 10 * parts + 2, corners = 20 * parts * CORNERS;
  sphere s = {.at = malloc(vertices * sizeof *s.at),
              .middles = malloc(vertices * sizeof *s.middles),
              .triangles = malloc(corners * sizeof *s.triangles),
              .cut = malloc(corners * sizeof *s.cut)};
  bool done = s.at && s.middles && s.triangles && s.cut;
  if (done) {
    for (int v = 0; v < 12; v++)
      add_vertex(&s, corner_of_icosahedron[v][0], corner_of_icosahedron[v][1], corner_of_icosahedron[v][2]);
    for (int f = 0; f < 20; f++)
      add_triangle(&s, face_of_icosahedron[f][0], face_of_icosahedron[f][1], face_of_icosahedron[f][2]);
    for (int n = 0; n < subdivisions; n++)
      subdivide(&s);
    done = hand_over(&s, radius, mesh);
  }
  free(s.at);
  free(s.middles);
  free(s.triangles);
  free(s.cut);
  return done;
}
