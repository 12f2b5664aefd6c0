#include "app/report/scene_checks.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "scenes/loader/edges.h"

#include <inttypes.h>
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
  scene_check_manifold(s, w);
}
