#include "app/export/attributes.h"

#include <math.h>
#include <stdlib.h>

enum { CORNERS = 3 };

/* ------------------------------------------------------------------------------------------- making them */

/* What all bodies have together. */
typedef struct totals {
  int32_t triangles, texture, normals;
} totals;

static totals count_all(const scene *s) {
  totals all = {0};
  for (int b = 0; b < s->body_count; b++) {
    all.triangles += shown_triangle_count(&s->bodies[b]);
    all.texture += s->bodies[b].attributes.texture_count;
    all.normals += s->bodies[b].attributes.normal_count;
  }
  return all;
}

/* `count` items, and one so that none is no failure. */
static void *allocate(int32_t count, size_t bytes) {
  return calloc((size_t)count + 1, bytes);
}

/* Numbers of a body's corners among those of all; -1 where it has none. */
static void put_numbers(int32_t (*to)[CORNERS], const int32_t *from, int32_t triangles, int32_t first) {
  for (int32_t i = 0; i < triangles; i++)
    for (int c = 0; c < CORNERS; c++)
      to[i][c] = from != NULL && from[CORNERS * i + c] >= 0 ? first + from[CORNERS * i + c] : -1;
}

static bool make_texture(const scene *s, totals all, export_attributes *out) {
  if (all.texture == 0)
    return true;
  out->texture = allocate(all.texture, sizeof *out->texture);
  out->texture_of = allocate(all.triangles, sizeof *out->texture_of);
  if (out->texture == NULL || out->texture_of == NULL)
    return false;
  int32_t triangle = 0;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    put_numbers(out->texture_of + triangle, body->attributes.texture_of, shown_triangle_count(body),
                out->texture_count);
    for (int32_t i = 0; i < body->attributes.texture_count; i++)
      for (int c = 0; c < 2; c++)
        out->texture[out->texture_count + i][c] = body->attributes.texture[i][c];
    out->texture_count += body->attributes.texture_count;
    triangle += shown_triangle_count(body);
  }
  return true;
}

static bool is_same(const export_attributes *a, int32_t one, int32_t other) {
  return a->texture[one][0] == a->texture[other][0] && a->texture[one][1] == a->texture[other][1];
}

/* False at a seam. */
static bool match_points(const export_shape *shape, export_attributes *a) {
  for (int32_t i = 0; i < CORNERS * shape->triangle_count; i++) {
    const int32_t corner = a->texture_of[shape->numbers[i / CORNERS]][i % CORNERS];
    int32_t *point = &a->texture_of_point[shape->triangles[i / CORNERS][i % CORNERS]];
    if (*point >= 0 && corner >= 0 && !is_same(a, *point, corner))
      return false;
    if (*point < 0)
      *point = corner;
  }
  return true;
}

static bool make_point_texture(const export_shape *shape, export_attributes *out) {
  const int32_t points = shape->numbering.count;
  if (out->texture == NULL)
    return true;
  out->texture_of_point = allocate(points, sizeof *out->texture_of_point);
  if (out->texture_of_point == NULL)
    return false;
  for (int32_t i = 0; i < points; i++)
    out->texture_of_point[i] = -1;
  if (!match_points(shape, out)) {
    free(out->texture_of_point);
    out->texture_of_point = NULL;
  }
  return true;
}

static bool make_normals(const scene *s, totals all, int32_t points, export_attributes *out) {
  if (all.normals == 0)
    return true;
  out->normals = allocate(all.normals, sizeof *out->normals);
  out->normal_of = allocate(all.triangles, sizeof *out->normal_of);
  out->normal_of_point = allocate(points, sizeof *out->normal_of_point);
  if (out->normals == NULL || out->normal_of == NULL || out->normal_of_point == NULL)
    return false;
  int32_t triangle = 0;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    put_numbers(out->normal_of + triangle, body->attributes.normal_of, shown_triangle_count(body),
                out->normal_count);
    out->normal_count += body->attributes.normal_count;
    triangle += shown_triangle_count(body);
  }
  return true;
}

bool export_attributes_make(const scene *s, const export_shape *shape, bool with_normals,
                            export_attributes *out) {
  const totals all = count_all(s);
  *out = (export_attributes){.texture = NULL};
  if (make_texture(s, all, out) && make_point_texture(shape, out) &&
      (!with_normals || make_normals(s, all, shape->numbering.count, out)))
    return true;
  export_attributes_free(out);
  return false;
}

void export_attributes_free(export_attributes *a) {
  free(a->texture);
  free(a->texture_of);
  free(a->texture_of_point);
  free(a->normals);
  free(a->normal_of);
  free(a->normal_of_point);
  *a = (export_attributes){.texture = NULL};
}

/* ------------------------------------------------------------------------------------------------ shading */

/* Twice the area of a triangle, along its normal. */
static void cross_of(msd_view at, const int32_t corners[CORNERS], double out[3]) {
  const msd_vec3 p = msd_view_at(at, corners[0]), q = msd_view_at(at, corners[1]),
                 r = msd_view_at(at, corners[2]);
  const double a[3] = {(double)q.x - (double)p.x, (double)q.y - (double)p.y, (double)q.z - (double)p.z};
  const double b[3] = {(double)r.x - (double)p.x, (double)r.y - (double)p.y, (double)r.z - (double)p.z};
  for (int c = 0; c < 3; c++)
    out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static void add(double sum[3], const double v[3]) {
  for (int c = 0; c < 3; c++)
    sum[c] += v[c];
}

static void clear(double (*vectors)[3], int32_t count) {
  for (int32_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++)
      vectors[i][c] = 0;
}

static void normalize(double (*vectors)[3], int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    double *v = vectors[i];
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3 && length > 0; c++)
      v[c] /= length;
  }
}

void export_attributes_shade(export_attributes *a, const export_shape *shape, msd_view positions) {
  if (a->normals == NULL)
    return;
  clear(a->normals, a->normal_count);
  clear(a->normal_of_point, positions.count);
  for (int32_t i = 0; i < shape->triangle_count; i++) {
    const int32_t *normal_of = a->normal_of[shape->numbers[i]];
    double cross[3];
    if (normal_of[0] < 0)
      continue;
    cross_of(positions, shape->triangles[i], cross);
    for (int c = 0; c < CORNERS; c++) {
      add(a->normals[normal_of[c]], cross);
      add(a->normal_of_point[shape->triangles[i][c]], cross);
    }
  }
  normalize(a->normals, a->normal_count);
  normalize(a->normal_of_point, positions.count);
}
