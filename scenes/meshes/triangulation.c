#include "scenes/meshes/triangulation.h"

#include "scenes/meshes/corner_set.h"

#include <math.h>
#include <stdlib.h>

/* Fans from so many corners of a polygon are tried. */
enum { FANS_TRIED = 8 };

typedef struct cutting {
  const polygon_mesh *from;
  mesh_data *to;
  /* Faces and triangles so far. */
  corner_set *seen;

  /* Faces that are left out, at least in part. */
  int32_t repeated, first_repeated;
} cutting;

static double distance(msd_vec3 a, msd_vec3 b) {
  double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
  return sqrt(x * x + y * y + z * z);
}

/* Corners of a face, counted within it or among those of all faces, as vertices. */
static void vertices_at(const int32_t *corner, const int32_t at[CORNERS], int32_t triangle[CORNERS]) {
  for (int c = 0; c < CORNERS; c++)
    triangle[c] = corner[at[c]];
}

static bool is_degenerate(const int32_t triangle[CORNERS]) {
  return triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
}

/* Triangle i, from 0, of a polygon of `count` corners that is cut as a fan from corner `start`: which corners
   it has. It begins with the first of them in the polygon. */
static void triangle_of_fan(int32_t count, int32_t start, int32_t i, int32_t at[CORNERS]) {
  const int32_t second = (start + i + 1) % count, third = (start + i + 2) % count;
  const int32_t order[] = {start, second, third, start, second};
  const int32_t *first = second < start && second < third ? order + 1 : third < start ? order + 2 : order;
  for (int c = 0; c < CORNERS; c++)
    at[c] = first[c];
}

static bool is_free_fan(cutting *c, const int32_t *corner, int32_t count, int32_t start) {
  for (int32_t i = 0; i < count - 2; i++) {
    int32_t at[CORNERS], triangle[CORNERS];
    triangle_of_fan(count, start, i, at);
    vertices_at(corner, at, triangle);
    if (!is_degenerate(triangle) && corner_set_has(c->seen, triangle, CORNERS))
      return false;
  }
  return true;
}

/* The first corner, or the last of a quad whose shorter diagonal begins there. */
static int32_t preferred_start(const cutting *c, const int32_t *corner, int32_t count) {
  const msd_vec3 *v = c->from->vertices;
  const bool last = count == 4 && distance(v[corner[1]], v[corner[3]]) < distance(v[corner[0]], v[corner[2]]);
  return last ? 3 : 0;
}

static int32_t choose_start(cutting *c, const int32_t *corner, int32_t count) {
  const int32_t preferred = preferred_start(c, corner, count),
                tries = count < FANS_TRIED ? count : FANS_TRIED;
  for (int32_t t = 0; t < tries; t++) {
    const int32_t start = (preferred + t) % count;
    if (is_free_fan(c, corner, count, start))
      return start;
  }
  return preferred;
}

static void note_repeat(cutting *c, const polygon *p) {
  if (c->repeated++ == 0)
    c->first_repeated = p->number;
}

/* Of three corners among those of all faces. */
static void keep_triangle(cutting *c, const polygon *p, const int32_t corners[CORNERS]) {
  mesh_data *mesh = c->to;
  const size_t first = (size_t)CORNERS * (size_t)mesh->triangle_count;
  for (int i = 0; i < CORNERS; i++)
    mesh->corner_of[first + (size_t)i] = corners[i];
  vertices_at(c->from->corners, corners, mesh->triangles + first);
  mesh->face_of[mesh->triangle_count++] = p->number;
}

static void cut_polygon(cutting *c, const polygon *p) {
  const int32_t *corner = c->from->corners + p->first, count = p->end - p->first;
  const int32_t start = choose_start(c, corner, count);
  bool whole = true;
  for (int32_t i = 0; i < count - 2; i++) {
    int32_t at[CORNERS], triangle[CORNERS];
    triangle_of_fan(count, start, i, at);
    vertices_at(corner, at, triangle);
    if (is_degenerate(triangle))
      continue;
    for (int k = 0; k < CORNERS; k++)
      at[k] += p->first;
    if (corner_set_add(c->seen, triangle, CORNERS))
      keep_triangle(c, p, at);
    else
      whole = false;
  }
  if (!whole)
    note_repeat(c, p);
}

/* All faces are seen before the first is cut, so that cuts go round those that are triangles already. */
static void find_repeats(cutting *c, bool *is_kept) {
  for (int32_t p = 0; p < c->from->polygon_count; p++) {
    const polygon *of = &c->from->polygons[p];
    const int32_t count = of->end - of->first;
    is_kept[p] = count >= CORNERS && corner_set_add(c->seen, c->from->corners + of->first, count);
    if (count >= CORNERS && !is_kept[p])
      note_repeat(c, of);
  }
}

static void warn_of_repeats(const cutting *c, scene_warnings *warnings) {
  if (c->repeated == 0)
    return;
  char where[FACE_TEXT_MAX];
  face_text(c->from->path, c->from->has_lines, c->first_repeated, where);
  if (c->repeated == 1)
    scene_warn(warnings, "%s: repeats another face, and is left out", where);
  else
    scene_warn(warnings, "%s: this face and %d more repeat others, and are left out", where,
               (int)c->repeated - 1);
}

/* Makes room for the triangles, and for them and the faces in the set. */
static bool open_cutting(cutting *c) {
  size_t triangles = 0, cut = 0;
  for (int32_t p = 0; p < c->from->polygon_count; p++) {
    const int32_t count = c->from->polygons[p].end - c->from->polygons[p].first;
    const size_t own = count < CORNERS ? 0 : (size_t)count - 2;
    triangles += own;
    cut += own > 1 ? own : 0;
  }
  c->seen = corner_set_make((size_t)c->from->polygon_count + cut,
                            (size_t)c->from->corner_count + CORNERS * (cut + 1));
  c->to->triangles = malloc((triangles + 1) * CORNERS * sizeof *c->to->triangles);
  c->to->face_of = malloc((triangles + 1) * sizeof *c->to->face_of);
  c->to->corner_of = malloc((triangles + 1) * CORNERS * sizeof *c->to->corner_of);
  c->to->triangle_count = 0;
  return c->seen && c->to->triangles && c->to->face_of && c->to->corner_of;
}

bool triangulate(const polygon_mesh *polygons, mesh_data *mesh, scene_warnings *warnings) {
  cutting c = {.from = polygons, .to = mesh};
  bool *is_kept = malloc((size_t)polygons->polygon_count + 1);
  const bool done = open_cutting(&c) && is_kept;
  if (done) {
    find_repeats(&c, is_kept);
    for (int32_t p = 0; p < polygons->polygon_count; p++) {
      const polygon *of = &polygons->polygons[p];
      if (is_kept[p] && of->end - of->first == CORNERS)
        keep_triangle(&c, of, (int32_t[CORNERS]){of->first, of->first + 1, of->first + 2});
      else if (is_kept[p])
        cut_polygon(&c, of);
    }
    warn_of_repeats(&c, warnings);
  }
  corner_set_free(c.seen);
  free(is_kept);
  return done;
}
