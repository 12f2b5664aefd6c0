#include "scenes/meshes/embedding.h"

#include "scenes/meshes/mesh_cage.h"
#include "scenes/meshes/point.h"
#include "scenes/meshes/vertex_stars.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------------------- in which triangle */

static double distance_to_edge(point p, point a, point b) {
  const point edge = point_minus(b, a), way = point_minus(p, a);
  const double square = point_dot(edge, edge);
  const double along = square > 0 ? fmin(fmax(point_dot(way, edge) / square, 0), 1) : 0;
  const point off = point_minus(p, point_plus(a, along, edge));
  return point_length(off);
}

/* The coordinates of the foot of p in the plane of a triangle; false of one without an area. */
static bool find_weights(point p, const point at[CORNERS], double weights[CORNERS], double *height) {
  const point first = point_minus(at[1], at[0]), second = point_minus(at[2], at[0]),
              way = point_minus(p, at[0]);
  const point normal = point_cross(first, second);
  const double square = point_dot(normal, normal);
  if (!(square > 1e-24 * point_dot(first, first) * point_dot(second, second)))
    return false;
  weights[1] = point_dot(point_cross(way, second), normal) / square;
  weights[2] = point_dot(point_cross(first, way), normal) / square;
  weights[0] = 1 - weights[1] - weights[2];
  *height = point_dot(way, normal) / sqrt(square);
  return true;
}

static double distance_to(point p, const point at[CORNERS], const double weights[CORNERS], double height) {
  if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
    return fabs(height);
  const double one = fmin(distance_to_edge(p, at[0], at[1]), distance_to_edge(p, at[1], at[2]));
  return fmin(one, distance_to_edge(p, at[2], at[0]));
}

/* Keeps what is nearer. */
static void try_triangle(const mesh_cage *cage, int32_t triangle, point p, embedded_point *best,
                         double *least) {
  embedded_point made;
  point at[CORNERS];
  for (int c = 0; c < CORNERS; c++) {
    made.corners[c] = cage->triangles[CORNERS * (size_t)triangle + (size_t)c];
    at[c] = point_of(cage->vertices[made.corners[c]]);
  }
  if (!find_weights(p, at, made.weights, &made.height))
    return;
  const double far = distance_to(p, at, made.weights, made.height);
  if (!(far < *least))
    return;
  *least = far;
  *best = made;
}

static void try_star(const mesh_cage *cage, const vertex_stars *stars, int32_t vertex, point p,
                     embedded_point *best, double *least) {
  for (int32_t t = stars->first[vertex]; t < stars->first[vertex + 1]; t++)
    try_triangle(cage, stars->triangles[t], p, best, least);
}

/* In the triangles at a vertex, and in those at its neighbors. */
static embedded_point embed(const mesh_cage *cage, const vertex_stars *stars, int32_t vertex, point p) {
  embedded_point best = {{vertex, vertex, vertex}, {1, 0, 0}, 0};
  double least = INFINITY;
  for (int32_t t = stars->first[vertex]; t < stars->first[vertex + 1]; t++)
    for (int c = 0; c < CORNERS; c++)
      try_star(cage, stars, cage->triangles[CORNERS * (size_t)stars->triangles[t] + (size_t)c], p, &best,
               &least);
  return best;
}

embedded_point *embedding_make(const mesh_data *mesh, const mesh_cage *cage) {
  vertex_stars stars;
  embedded_point *points = malloc(((size_t)mesh->vertex_count + 1) * sizeof *points);
  if (!vertex_stars_make(cage->triangles, cage->triangle_count, cage->vertex_count, &stars) || !points) {
    vertex_stars_free(&stars);
    free(points);
    return NULL;
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    points[v] = embed(cage, &stars, cage->vertex_of[v], point_of(mesh->vertices[v]));
  vertex_stars_free(&stars);
  return points;
}

/* ------------------------------------------------------------------------------------------ where it is */

static point weighted(const embedded_point *p, const point at[CORNERS]) {
  point sum = {0, 0, 0};
  for (int c = 0; c < CORNERS; c++)
    sum = point_plus(sum, p->weights[c], at[c]);
  return sum;
}

static void read_corners(const embedded_point *p, msd_view view, point at[CORNERS]) {
  for (int c = 0; c < CORNERS; c++)
    at[c] = point_of(msd_view_at(view, p->corners[c]));
}

msd_vec3 embedded_position(const embedded_point *p, msd_view positions) {
  point at[CORNERS];
  read_corners(p, positions, at);
  const point normal = point_cross(point_minus(at[1], at[0]), point_minus(at[2], at[0]));
  const double length = point_length(normal);
  return point_as_vec3(point_plus(weighted(p, at), length > 0 ? p->height / length : 0, normal));
}

msd_vec3 embedded_velocity(const embedded_point *p, msd_view velocities) {
  point at[CORNERS];
  read_corners(p, velocities, at);
  return point_as_vec3(weighted(p, at));
}

int32_t embedded_nearest(const embedded_point *p) {
  int nearest = 0;
  for (int c = 1; c < CORNERS; c++)
    if (p->weights[c] > p->weights[nearest])
      nearest = c;
  return p->corners[nearest];
}
