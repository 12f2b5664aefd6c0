#include "app/report/scene_checks.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "scenes/loader/edges.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 3, ENDS = 2 };

/* ------------------------------------------------------------------------------------------------ free fall */

/* Bodies named one by one; the others are counted. */
enum { NAMED = 2 };

static bool can_fall(const scene *s) {
  const msd_vec3 gravity = msd_world_get_gravity(s->world);
  scene_pieces components;
  return (gravity.x != 0 || gravity.y != 0 || gravity.z != 0) &&
         msd_world_get_collider_count(s->world) == 0 && s->animation.force_count == 0 && s->ranks == NULL &&
         scene_count_pieces(s, &components) && components.count > 0 && components.loose == components.count;
}

void scene_check_free_fall(const scene *s, warning_list *w) {
  char names[200], brief[WARNING_BRIEF_MAX];
  text_line line = text_line_begin(names, sizeof names);
  int bodies = 0;
  if (!can_fall(s))
    return;
  for (int b = 0; b < s->body_count; b++) {
    if (s->bodies[b].particles.count == 0)
      continue;
    if (bodies++ < NAMED)
      text_list(&line, "\"%.60s\"", s->bodies[b].name);
  }
  if (bodies > NAMED)
    text_add(&line, " and %d more bodies", bodies - NAMED);
  snprintf(brief, sizeof brief, "nothing holds %.70s", names);
  warn(w, brief,
       "nothing holds %s%s and there are no colliders: %s will fall freely; pin some particles, or add a "
       "collider such as "
       "a plane",
       names, bodies == 1 ? "" : ",", bodies == 1 ? "it" : "they");
}

/* -------------------------------------------------------------------------------------------- intersections */

/* The triangles and segments of all collision meshes, and which mesh each belongs to. */
typedef struct pieces {
  int32_t *triangles, *segments, *mesh_of_triangle, *mesh_of_segment;
  int32_t triangle_count, segment_count;
} pieces;

static void free_pieces(pieces *p) {
  free(p->triangles);
  free(p->segments);
  free(p->mesh_of_triangle);
  free(p->mesh_of_segment);
}

static void add_mesh(pieces *p, int32_t mesh, const msd_collision_mesh_def *def) {
  if (def->triangle_count > 0)
    memcpy(&p->triangles[CORNERS * (size_t)p->triangle_count], def->triangles,
           CORNERS * (size_t)def->triangle_count * sizeof *def->triangles);
  if (def->segment_count > 0)
    memcpy(&p->segments[ENDS * (size_t)p->segment_count], def->segments,
           ENDS * (size_t)def->segment_count * sizeof *def->segments);
  for (int32_t n = 0; n < def->triangle_count; n++)
    p->mesh_of_triangle[p->triangle_count + n] = mesh;
  for (int32_t n = 0; n < def->segment_count; n++)
    p->mesh_of_segment[p->segment_count + n] = mesh;
  p->triangle_count += def->triangle_count;
  p->segment_count += def->segment_count;
}

static bool list_pieces(const scene *s, pieces *p) {
  const int32_t meshes = msd_world_get_collision_mesh_count(s->world);
  size_t triangles = 1, segments = 1;
  for (int32_t m = 0; m < meshes; m++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(s->world, m);
    triangles += (size_t)def.triangle_count;
    segments += (size_t)def.segment_count;
  }
  *p = (pieces){.triangles = calloc(triangles, CORNERS * sizeof(int32_t)),
                .segments = calloc(segments, ENDS * sizeof(int32_t)),
                .mesh_of_triangle = calloc(triangles, sizeof(int32_t)),
                .mesh_of_segment = calloc(segments, sizeof(int32_t))};
  if (!p->triangles || !p->segments || !p->mesh_of_triangle || !p->mesh_of_segment)
    return false;
  for (int32_t m = 0; m < meshes; m++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(s->world, m);
    add_mesh(p, m, &def);
  }
  return true;
}

static int32_t mesh_of(const pieces *p, int32_t piece) {
  return piece < p->triangle_count ? p->mesh_of_triangle[piece]
                                   : p->mesh_of_segment[piece - p->triangle_count];
}

static bool is_pinned(const scene *s, const pieces *p, int32_t piece) {
  const bool is_triangle = piece < p->triangle_count;
  const int32_t *corners = is_triangle ? &p->triangles[CORNERS * (size_t)piece]
                                       : &p->segments[ENDS * (size_t)(piece - p->triangle_count)];
  bool all = true;
  for (int n = 0; n < (is_triangle ? CORNERS : ENDS); n++)
    all = all && msd_particle_is_pinned(s->world, corners[n]);
  return all;
}

/* Pairs of two meshes, a <= b. */
typedef struct crossing {
  int32_t a, b;
  int64_t count;
} crossing;

enum { CROSSINGS_MAX = 64, CROSSINGS_SHOWN = 3 };

typedef struct crossing_list {
  crossing of[CROSSINGS_MAX];
  int count;
} crossing_list;

static void count_crossing(crossing_list *list, int32_t a, int32_t b) {
  int n = 0;
  while (n < list->count && (list->of[n].a != a || list->of[n].b != b))
    n++;
  if (n == CROSSINGS_MAX)
    return;
  if (n == list->count)
    list->of[list->count++] = (crossing){a, b, 0};
  list->of[n].count++;
}

/* Only pairs that contact would keep apart, and that can move. */
static void count_crossings(const scene *s, const pieces *p, const msd_intersection *found, int64_t count,
                            crossing_list *list) {
  for (int64_t n = 0; n < count; n++) {
    const int32_t one = mesh_of(p, found[n].a), other = mesh_of(p, found[n].b);
    const int32_t a = one < other ? one : other, b = one < other ? other : one;
    const bool is_ignored = a == b ? !msd_collision_mesh_get_def(s->world, a).self_collision
                                   : msd_collision_mesh_excludes(s->world, a, b);
    if (!is_ignored && !(is_pinned(s, p, found[n].a) && is_pinned(s, p, found[n].b)))
      count_crossing(list, a, b);
  }
}

static void find_crossings(const scene *s, const pieces *p, crossing_list *list) {
  msd_intersection_def def = msd_default_intersection_def();
  int64_t count = 0;
  def.triangles = p->triangles, def.triangle_count = p->triangle_count;
  def.segments = p->segments, def.segment_count = p->segment_count;
  if (msd_world_find_intersections(s->world, &def, NULL, 0, &count) != MSD_OK || count == 0 ||
      count > INT32_MAX)
    return;
  msd_intersection *found = malloc((size_t)count * sizeof *found);
  if (found != NULL && msd_world_find_intersections(s->world, &def, found, (int)count, &count) == MSD_OK)
    count_crossings(s, p, found, count, list);
  free(found);
}

static const char *name_of_mesh(const scene *s, int32_t mesh) {
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].surface.number == mesh)
      return s->bodies[b].name;
  return "?";
}

static void warn_of_crossing(const scene *s, const crossing *c, warning_list *w) {
  const char *a = name_of_mesh(s, c->a), *b = name_of_mesh(s, c->b), *plural = c->count == 1 ? "" : "s";
  char brief[WARNING_BRIEF_MAX];
  if (c->a == c->b) {
    snprintf(brief, sizeof brief, "\"%.50s\" intersects itself at the start", a);
    warn(w, brief,
         "body \"%s\" intersects itself at the start (%s pair%s of triangles or edges); contact ignores "
         "these pairs until "
         "they separate: remove the self-intersections from its shape",
         a, units_count(c->count).text, plural);
    return;
  }
  snprintf(brief, sizeof brief, "\"%.25s\" and \"%.25s\" intersect at the start", a, b);
  warn(w, brief,
       "bodies \"%s\" and \"%s\" intersect at the start (%s pair%s of triangles or edges); contact ignores "
       "these pairs "
       "until they separate: move the bodies apart by more than their thickness",
       a, b, units_count(c->count).text, plural);
}

void scene_check_intersections(const scene *s, warning_list *w) {
  pieces p;
  crossing_list list = {.count = 0};
  if (msd_world_get_collision_mesh_count(s->world) == 0 || s->ranks != NULL)
    return;
  if (list_pieces(s, &p))
    find_crossings(s, &p, &list);
  free_pieces(&p);
  for (int n = 0; n < list.count && n < CROSSINGS_SHOWN; n++)
    warn_of_crossing(s, &list.of[n], w);
  if (list.count > CROSSINGS_SHOWN)
    warn(w, "", "%d more pairs of bodies intersect at the start", list.count - CROSSINGS_SHOWN);
}

/* -------------------------------------------------------------------------------------------------- boxes */

/* m: elements that are this deep in a box, in all directions, begin in it. */
static const double DEEP = 1e-6;

/* A vector in the frame of a rotation, q* v q. */
static void turn_back(msd_quaternion q, const double v[3], double out[3]) {
  const double a[3] = {-(double)q.x, -(double)q.y, -(double)q.z}, w = (double)q.w;
  const double t[3] = {2 * (a[1] * v[2] - a[2] * v[1]), 2 * (a[2] * v[0] - a[0] * v[2]),
                       2 * (a[0] * v[1] - a[1] * v[0])};
  out[0] = v[0] + w * t[0] + a[1] * t[2] - a[2] * t[1];
  out[1] = v[1] + w * t[1] + a[2] * t[0] - a[0] * t[2];
  out[2] = v[2] + w * t[2] + a[0] * t[1] - a[1] * t[0];
}

/* Whether an element in the frame of a box overlaps it along a direction. */
static bool overlaps_along(const double half[3], double corners[CORNERS][3], int count,
                           const double axis[3]) {
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double extent = half[0] * fabs(axis[0]) + half[1] * fabs(axis[1]) + half[2] * fabs(axis[2]);
  double least = INFINITY, most = -INFINITY;
  for (int n = 0; n < count; n++) {
    const double along = axis[0] * corners[n][0] + axis[1] * corners[n][1] + axis[2] * corners[n][2];
    least = fmin(least, along);
    most = fmax(most, along);
  }
  return !(length > 0) || (least < extent - DEEP * length && most > DEEP * length - extent);
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int n = 0; n < 3; n++)
    out[n] = a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3];
}

/* Both are convex: they are apart if a normal of a face or a product of two edges separates them. */
static bool overlaps_box(const double half[3], double corners[CORNERS][3], int count) {
  static const double sides[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double edges[CORNERS][3], axis[3];
  bool overlaps = true;
  for (int n = 0; n < 3; n++) {
    for (int k = 0; k < 3; k++)
      edges[n][k] = corners[(n + 1) % count][k] - corners[n % count][k];
    overlaps = overlaps && overlaps_along(half, corners, count, sides[n]);
  }
  cross(edges[0], edges[1], axis);
  overlaps = overlaps && overlaps_along(half, corners, count, axis);
  for (int n = 0; n < 3 * CORNERS && overlaps; n++) {
    cross(edges[n / 3], sides[n % 3], axis);
    overlaps = overlaps_along(half, corners, count, axis);
  }
  return overlaps;
}

static bool begins_in(const scene *s, const msd_collider_def *box, const int32_t *particles, int count) {
  const double half[3] = {(double)box->size.x / 2, (double)box->size.y / 2, (double)box->size.z / 2};
  double corners[CORNERS][3];
  for (int n = 0; n < count; n++) {
    const msd_vec3 x = msd_particle_get_position(s->world, particles[n]);
    const double from[3] = {(double)x.x - (double)box->position.x, (double)x.y - (double)box->position.y,
                            (double)x.z - (double)box->position.z};
    turn_back(box->rotation, from, corners[n]);
  }
  return overlaps_box(half, corners, count);
}

static int64_t count_in_box(const scene *s, const msd_collision_mesh_def *mesh, const msd_collider_def *box) {
  int64_t count = 0;
  for (int32_t n = 0; n < mesh->triangle_count; n++)
    count += begins_in(s, box, &mesh->triangles[CORNERS * (size_t)n], CORNERS);
  for (int32_t n = 0; n < mesh->segment_count; n++)
    count += begins_in(s, box, &mesh->segments[ENDS * (size_t)n], ENDS);
  return count;
}

void scene_check_boxes(const scene *s, warning_list *w) {
  for (int n = 0; n < s->collider_count && s->ranks == NULL; n++) {
    const msd_collider_def box = msd_collider_get_def(s->world, n);
    for (int b = 0; b < s->body_count && box.kind == MSD_COLLIDER_BOX; b++) {
      const scene_body *body = &s->bodies[b];
      if (body->surface.number < 0 || body->is_collider)
        continue;
      const msd_collision_mesh_def mesh = msd_collision_mesh_get_def(s->world, body->surface.number);
      const int64_t count = count_in_box(s, &mesh, &box);
      char brief[WARNING_BRIEF_MAX];
      snprintf(brief, sizeof brief, "\"%.25s\" begins in box \"%.25s\"", body->name, s->colliders[n].name);
      if (count > 0)
        warn(w, brief,
             "body \"%s\" begins in the box \"%s\" (%s triangle%s or edge%s); contact lets it come no "
             "deeper, but may not free it: move the body or the box",
             body->name, s->colliders[n].name, units_count(count).text, count == 1 ? "" : "s",
             count == 1 ? "" : "s");
    }
  }
}

/* ------------------------------------------------------------------------------------------------- manifold */

static bool is_same_edge(edge a, edge b) {
  return a.low == b.low && a.high == b.high;
}

/* Edges that more than two triangles share; 0 without memory. */
static int32_t count_branching_edges(const msd_collision_mesh_def *def) {
  const size_t count = CORNERS * (size_t)def->triangle_count;
  edge_set all = {.edges = malloc((count + 1) * sizeof *all.edges)};
  int32_t branching = 0;
  if (all.edges == NULL)
    return 0;
  for (int32_t n = 0; n < def->triangle_count; n++)
    for (int c = 0; c < CORNERS; c++)
      edge_set_add(&all, def->triangles[CORNERS * (size_t)n + (size_t)c],
                   def->triangles[CORNERS * (size_t)n + (size_t)(c + 1) % CORNERS]);
  edge_set_sort(&all);
  for (int32_t first = 0, next; first < all.count; first = next) {
    next = first + 1;
    while (next < all.count && is_same_edge(all.edges[first], all.edges[next]))
      next++;
    branching += next - first > 2;
  }
  free(all.edges);
  return branching;
}

void scene_check_manifold(const scene *s, warning_list *w) {
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    if (body->surface.number < 0 || body->is_collider)
      continue;
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(s->world, body->surface.number);
    const int32_t branching = def.self_collision ? count_branching_edges(&def) : 0;
    char brief[WARNING_BRIEF_MAX];
    snprintf(brief, sizeof brief, "\"%.50s\" is not manifold", body->name);
    if (branching > 0)
      warn(w, brief,
           "body \"%s\" has %" PRId32
           " non-manifold edge%s (shared by three or more triangles); self-collision is meant "
           "for at most two triangles at an edge: repair the mesh, or set its \"self_collision\" to false",
           body->name, branching, branching == 1 ? "" : "s");
  }
}

void scene_check(const scene *s, warning_list *w) {
  scene_check_free_fall(s, w);
  scene_check_intersections(s, w);
  scene_check_boxes(s, w);
  scene_check_manifold(s, w);
}
