#include "scenes/meshes/triangulation.h"

#include "scenes/meshes/corner_set.h"
#include "scenes/meshes/ear_clipping.h"
#include "scenes/meshes/point.h"

#include <stdlib.h>

/* Fans from so many corners of a polygon are tried. */
enum { FANS_TRIED = 8 };

/* Of the area of a polygon: as much of a fan may turn against it, as where corners in a line are rounded; and
   a warning names a face whose triangles overlap by more. */
static const double TURNED_MOST = 1e-6, OVERLAP_WARNED = 1e-3;

/* Faces that a warning is about, and the number of the first. */
typedef struct face_count {
  int32_t faces, first;
} face_count;

typedef struct cutting {
  const polygon_mesh *from;
  mesh_data *to;
  /* Faces and triangles so far. */
  corner_set *seen;

  /* Of the face at hand: room for those of the one with the most corners. */
  int32_t (*triangles)[CORNERS];

  /* Faces that are left out, at least in part; and whose triangles overlap. */
  face_count repeated, crossed;
} cutting;

/* A face that is cut. */
typedef struct cut_face {
  /* The vertices of its corners. */
  const int32_t *corner;
  int32_t count;

  /* Newell's normal, as long as twice the area; 0 where the face has none, as one that crosses itself in its
     middle. */
  point normal;
  double area;
} cut_face;

static point position_of(const cutting *c, int32_t vertex) {
  const double *at = c->from->file_vertices[vertex];
  return (point){at[0], at[1], at[2]};
}

static double distance(const cutting *c, int32_t a, int32_t b) {
  return point_length(point_minus(position_of(c, a), position_of(c, b)));
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

/* Perpendicular to a triangle, as long as twice its area. */
static point normal_of(const cutting *c, const int32_t triangle[CORNERS]) {
  const point first = position_of(c, triangle[0]);
  return point_cross(point_minus(position_of(c, triangle[1]), first),
                     point_minus(position_of(c, triangle[2]), first));
}

/* The normals of the triangles of any fan add up to that of the face. */
static cut_face face_of(const cutting *c, const polygon *p) {
  cut_face face = {.corner = c->from->corners + p->first, .count = p->end - p->first};
  double sum = 0;
  for (int32_t i = 1; i + 1 < face.count; i++) {
    const point n = normal_of(c, (int32_t[CORNERS]){face.corner[0], face.corner[i], face.corner[i + 1]});
    face.normal = point_plus(face.normal, 1, n);
    sum += point_length(n);
  }
  face.area = point_length(face.normal);
  if (face.area <= TURNED_MOST * sum)
    face = (cut_face){.corner = face.corner, .count = face.count};
  return face;
}

/* How much of a triangle, of twice its area, is turned against its face. */
static double turned_part(const cutting *c, const cut_face *face, const int32_t triangle[CORNERS]) {
  const double part = face->area > 0 ? point_dot(normal_of(c, triangle), face->normal) / face->area : 0;
  return part < 0 ? -part : 0;
}

/* Whether the corners of a triangle are in a line. */
static bool is_flat(const cutting *c, const int32_t triangle[CORNERS]) {
  double squares = 0;
  for (int k = 0; k < CORNERS; k++) {
    const double edge = distance(c, triangle[k], triangle[(k + 1) % CORNERS]);
    squares += edge * edge;
  }
  return point_length(normal_of(c, triangle)) <= EAR_FLATTEST * squares;
}

/* Whether no triangle of a fan is there already, each has an area, and none lies outside the face. */
static bool is_good_fan(cutting *c, const cut_face *face, int32_t start) {
  double turned = 0;
  for (int32_t i = 0; i < face->count - 2; i++) {
    int32_t at[CORNERS], triangle[CORNERS];
    triangle_of_fan(face->count, start, i, at);
    vertices_at(face->corner, at, triangle);
    if (is_degenerate(triangle))
      continue;
    turned += turned_part(c, face, triangle);
    if (turned > TURNED_MOST * face->area || is_flat(c, triangle) ||
        corner_set_has(c->seen, triangle, CORNERS))
      return false;
  }
  return true;
}

/* The first corner, or the last of a quad whose shorter diagonal begins there. */
static int32_t preferred_start(const cutting *c, const cut_face *face) {
  const int32_t *corner = face->corner;
  return face->count == 4 && distance(c, corner[1], corner[3]) < distance(c, corner[0], corner[2]) ? 3 : 0;
}

/* -1: no fan is good. */
static int32_t choose_start(cutting *c, const cut_face *face) {
  const int32_t preferred = preferred_start(c, face),
                tries = face->count < FANS_TRIED ? face->count : FANS_TRIED;
  for (int32_t t = 0; t < tries; t++) {
    const int32_t start = (preferred + t) % face->count;
    if (is_good_fan(c, face, start))
      return start;
  }
  return -1;
}

static bool is_seen(void *context, const int32_t triangle[CORNERS]) {
  return corner_set_has(((const cutting *)context)->seen, triangle, CORNERS);
}

/* The corners of a face in its plane. NULL when out of memory. */
static double (*lay_flat(const cutting *c, const cut_face *face))[2] {
  const point n = point_plus((point){0, 0, 0}, 1 / face->area, face->normal);
  const point aside = n.x * n.x < 0.5 ? (point){1, 0, 0} : (point){0, 1, 0};
  point u = point_cross(aside, n);
  u = point_plus((point){0, 0, 0}, 1 / point_length(u), u);
  const point v = point_cross(n, u), first = position_of(c, face->corner[0]);
  double(*at)[2] = malloc((size_t)face->count * sizeof *at);
  for (int32_t i = 0; at && i < face->count; i++) {
    const point from_first = point_minus(position_of(c, face->corner[i]), first);
    at[i][0] = point_dot(from_first, u);
    at[i][1] = point_dot(from_first, v);
  }
  return at;
}

/* By a fan where one is good: it always is of a convex face. False when out of memory. */
static bool choose_triangles(cutting *c, const cut_face *face, int32_t (*triangles)[CORNERS]) {
  const int32_t start = choose_start(c, face);
  if (start < 0 && face->area > 0 && face->count <= EAR_CORNERS_MAX) {
    ear_polygon flat = {face->count, lay_flat(c, face), face->corner, is_seen, c};
    const bool done = flat.at && ear_clipping_cut(&flat, triangles);
    free(flat.at);
    return done;
  }
  for (int32_t i = 0; i < face->count - 2; i++)
    triangle_of_fan(face->count, start < 0 ? preferred_start(c, face) : start, i, triangles[i]);
  return true;
}

static void note(face_count *count, const polygon *p) {
  if (count->faces++ == 0)
    count->first = p->number;
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

static bool cut_polygon(cutting *c, const polygon *p) {
  const cut_face face = face_of(c, p);
  int32_t(*triangles)[CORNERS] = c->triangles;
  double turned = 0, sum = 0;
  bool whole = true;
  if (!choose_triangles(c, &face, triangles))
    return false;
  for (int32_t i = 0; i < face.count - 2; i++) {
    int32_t triangle[CORNERS];
    vertices_at(face.corner, triangles[i], triangle);
    if (is_degenerate(triangle))
      continue;
    turned += turned_part(c, &face, triangle);
    sum += point_length(normal_of(c, triangle));
    for (int k = 0; k < CORNERS; k++)
      triangles[i][k] += p->first;
    if (corner_set_add(c->seen, triangle, CORNERS))
      keep_triangle(c, p, triangles[i]);
    else
      whole = false;
  }
  if (!whole)
    note(&c->repeated, p);
  if (face.area > 0 ? turned > OVERLAP_WARNED * face.area : sum > 0)
    note(&c->crossed, p);
  return true;
}

/* All faces are seen before the first is cut, so that cuts go round those that are triangles already. */
static void find_repeats(cutting *c, bool *is_kept) {
  for (int32_t p = 0; p < c->from->polygon_count; p++) {
    const polygon *of = &c->from->polygons[p];
    const int32_t count = of->end - of->first;
    is_kept[p] = count >= CORNERS && corner_set_add(c->seen, c->from->corners + of->first, count);
    if (count >= CORNERS && !is_kept[p])
      note(&c->repeated, of);
  }
}

/* `one` of a single face, or `more` of the first and the number of the others. */
static void warn_of(const cutting *c, face_count count, const char *one, const char *more,
                    scene_warnings *warnings) {
  char where[FACE_TEXT_MAX];
  face_text(c->from->path, c->from->has_lines, count.first, where);
  if (count.faces == 1)
    scene_warn(warnings, "%s: %s", where, one);
  else if (count.faces > 1)
    scene_warn(warnings, "%s: this face and %d more %s", where, (int)count.faces - 1, more);
}

static void warn(const cutting *c, scene_warnings *warnings) {
  warn_of(c, c->repeated, "repeats another face, and is left out", "repeat others, and are left out",
          warnings);
  warn_of(c, c->crossed, "crosses itself, so that its triangles overlap",
          "cross themselves, so that their triangles overlap", warnings);
}

/* Makes room for the triangles, and for them and the faces in the set. */
static bool open_cutting(cutting *c) {
  size_t triangles = 0, cut = 0, most = 0;
  for (int32_t p = 0; p < c->from->polygon_count; p++) {
    const int32_t count = c->from->polygons[p].end - c->from->polygons[p].first;
    const size_t own = count < CORNERS ? 0 : (size_t)count - 2;
    triangles += own;
    cut += own > 1 ? own : 0;
    most = own > most ? own : most;
  }
  c->seen = corner_set_make((size_t)c->from->polygon_count + cut,
                            (size_t)c->from->corner_count + CORNERS * (cut + 1));
  c->to->triangles = malloc((triangles + 1) * CORNERS * sizeof *c->to->triangles);
  c->to->face_of = malloc((triangles + 1) * sizeof *c->to->face_of);
  c->to->corner_of = malloc((triangles + 1) * CORNERS * sizeof *c->to->corner_of);
  c->to->triangle_count = 0;
  c->triangles = malloc((most + 1) * sizeof *c->triangles);
  return c->seen && c->triangles && c->to->triangles && c->to->face_of && c->to->corner_of;
}

bool triangulate(const polygon_mesh *polygons, mesh_data *mesh, scene_warnings *warnings) {
  cutting c = {.from = polygons, .to = mesh};
  bool *is_kept = malloc((size_t)polygons->polygon_count + 1);
  bool done = open_cutting(&c) && is_kept;
  if (done)
    find_repeats(&c, is_kept);
  for (int32_t p = 0; done && p < polygons->polygon_count; p++) {
    const polygon *of = &polygons->polygons[p];
    if (is_kept[p] && of->end - of->first == CORNERS)
      keep_triangle(&c, of, (int32_t[CORNERS]){of->first, of->first + 1, of->first + 2});
    else if (is_kept[p])
      done = cut_polygon(&c, of);
  }
  if (done)
    warn(&c, warnings);
  corner_set_free(c.seen);
  free(c.triangles);
  free(is_kept);
  return done;
}
