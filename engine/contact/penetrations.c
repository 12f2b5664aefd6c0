#include "engine/contact/penetrations.h"

#include "engine/intersection/hull.h"
#include "engine/intersection/intersections.h"

#define LANE_DOUBLE
#include "engine/contact/closest_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(penetrations, pairs)};
const growth_table penetrating_pair_growth = GROWTH(penetrations, count, capacity, arrays, .most = INT32_MAX);

/* ------------------------------------------------------------------------------------------------ by slot */

static void free_places(penetrations *t, memory *m) {
  memory_release(m, t->particle);
  memory_release(m, t->is_penetrating);
  memory_release(m, t->surface);
  torn_edges_free(&t->torn, m);
  t->particle = t->surface = NULL;
  t->is_penetrating = NULL;
}

void penetrations_free(penetrations *t, memory *m) {
  free_places(t, m);
  growth_free(&penetrating_pair_growth, t, m);
  *t = (penetrations){0};
}

static void mark_pair(penetrations *t, const penetrating_pair *p) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    t->is_penetrating[particle_slot(t->of.particles, p->particle[corner])] = true;
}

static void mark_pairs(penetrations *t) {
  memset(t->is_penetrating, 0, (size_t)t->of.particles->count * sizeof *t->is_penetrating);
  for (int32_t n = 0; n < t->count; n++)
    mark_pair(t, &t->pairs[n]);
}

static void note_surface(penetrations *t, const int32_t *particles, int count, int32_t surface) {
  const bool is_cut = torn_edges_cut(&t->torn, particles, count);
  for (int n = 0; n < count && !is_cut; n++)
    if (t->surface[particles[n]] < 0)
      t->surface[particles[n]] = surface;
}

bool penetrations_place(penetrations *t, memory *m, const penetrating_bodies *of) {
  const int32_t particles = of->particles->count;
  free_places(t, m);
  t->of = *of;
  t->particle = memory_allocate_items(m, particles, sizeof *t->particle);
  t->is_penetrating = memory_allocate_items(m, particles, sizeof *t->is_penetrating);
  t->surface = memory_allocate_items(m, particles, sizeof *t->surface);
  if (!t->particle || !t->is_penetrating || !t->surface || !torn_edges_find(&t->torn, m, of->springs)) {
    free_places(t, m);
    return false;
  }
  for (int32_t i = 0; i < particles; i++) {
    t->particle[particle_slot(of->particles, i)] = i;
    t->surface[i] = -1;
  }
  const surface_store *s = of->surfaces;
  for (int32_t n = 0; n < s->count; n++) {
    const surface_entry *e = &s->entries[n];
    for (int32_t k = 0; k < e->triangle_count; k++)
      note_surface(t, s->triangles[e->first_triangle + k], 3, n);
    for (int32_t k = 0; k < e->segment_count; k++)
      note_surface(t, s->segments[e->first_segment + k], 2, n);
  }
  mark_pairs(t);
  return true;
}

/* ----------------------------------------------------------------------------------------- order of pairs */

static void put_in_order(int32_t *a, int32_t *b) {
  if (*a > *b) {
    const int32_t larger = *a;
    *a = *b;
    *b = larger;
  }
}

static void order_edges(penetrating_pair *p) {
  int32_t *c = p->particle;
  put_in_order(&c[0], &c[1]);
  put_in_order(&c[2], &c[3]);
  if (c[0] < c[2] || (c[0] == c[2] && c[1] < c[3]))
    return;
  const penetrating_pair given = *p;
  for (int n = 0; n < PAIR_CORNERS; n++)
    c[n] = given.particle[(n + 2) % PAIR_CORNERS];
  p->surface[0] = given.surface[1];
  p->surface[1] = given.surface[0];
}

static void order_corners(penetrating_pair *p) {
  int32_t *c = p->particle;
  if (p->kind == PAIR_EDGE_EDGE) {
    order_edges(p);
    return;
  }
  put_in_order(&c[1], &c[2]);
  put_in_order(&c[2], &c[3]);
  put_in_order(&c[1], &c[2]);
}

static int compare_pairs(const void *one, const void *other) {
  const penetrating_pair *a = one, *b = other;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    if (a->particle[corner] != b->particle[corner])
      return a->particle[corner] < b->particle[corner] ? -1 : 1;
  return 0;
}

/* Breaks ties by collision mesh, so that the order does not depend on qsort. */
static int compare_with_surfaces(const void *one, const void *other) {
  const penetrating_pair *a = one, *b = other;
  int order = compare_pairs(a, b);
  for (int n = 0; n < 2 && order == 0; n++)
    order = (a->surface[n] > b->surface[n]) - (a->surface[n] < b->surface[n]);
  return order;
}

/* Sorts and merges duplicates, including their flags. */
static void sort_pairs(penetrations *t) {
  if (t->count == 0)
    return;
  qsort(t->pairs, (size_t)t->count, sizeof *t->pairs, compare_with_surfaces);
  int32_t last = 0;
  for (int32_t n = 1; n < t->count; n++) {
    const penetrating_pair *p = &t->pairs[n];
    if (compare_pairs(&t->pairs[last], p) != 0) {
      t->pairs[++last] = *p;
      continue;
    }
    t->pairs[last].is_forced = t->pairs[last].is_forced || p->is_forced;
    t->pairs[last].crosses = t->pairs[last].crosses || p->crosses;
  }
  t->count = last + 1;
}

/* Assigns the first collision meshes that contain the particles. */
static penetrating_pair of_surfaces(const penetrations *t, penetrating_pair p) {
  p.surface[0] = t->surface[p.particle[0]];
  p.surface[1] = t->surface[p.particle[PAIR_CORNERS - 1]];
  return p;
}

static penetrating_pair pair_at(const penetrations *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]) {
  penetrating_pair p = {.kind = kind};
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    p.particle[corner] = t->particle[slots[corner]];
  order_corners(&p);
  return of_surfaces(t, p);
}

/* Binary search among the first `count` pairs, which are sorted. */
static const penetrating_pair *look_up(const penetrations *t, const penetrating_pair *wanted, int32_t count) {
  return count > 0 ? bsearch(wanted, t->pairs, (size_t)count, sizeof *wanted, compare_pairs) : NULL;
}

const penetrating_pair *penetrations_look_up(const penetrations *t, pair_kind kind,
                                             const int32_t slots[PAIR_CORNERS]) {
  const penetrating_pair wanted = pair_at(t, kind, slots);
  return look_up(t, &wanted, t->count);
}

bool penetrations_make_room(penetrations *t, memory *m, int64_t more) {
  return growth_reserve(&penetrating_pair_growth, t, m, t->count + more);
}

void penetrations_add_forced(penetrations *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]) {
  if (penetrations_has(t, kind, slots))
    return;
  penetrating_pair p = pair_at(t, kind, slots);
  p.is_forced = true;
  if (t->forced_count++ == 0)
    t->first_forced = p;
  int32_t at = t->count++;
  for (; at > 0 && compare_pairs(&t->pairs[at - 1], &p) > 0; at--)
    t->pairs[at] = t->pairs[at - 1];
  t->pairs[at] = p;
  mark_pair(t, &p);
}

static bool is_pair_sound(const penetrating_pair *p, const surface_store *s) {
  penetrating_pair ordered = *p;
  bool sound = p->kind == PAIR_POINT_TRIANGLE || p->kind == PAIR_EDGE_EDGE;
  for (int n = 0; n < 2; n++)
    sound = sound && p->surface[n] >= 0 && p->surface[n] < s->count;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    sound = sound && p->particle[corner] >= 0 && p->particle[corner] < s->rest_count;
    for (int other = 0; other < corner; other++)
      sound = sound && p->particle[corner] != p->particle[other];
  }
  order_corners(&ordered);
  return sound && compare_pairs(p, &ordered) == 0;
}

bool penetrations_contain(const penetrations *t, int32_t particle) {
  bool found = false;
  for (int32_t n = 0; n < t->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      found = found || t->pairs[n].particle[corner] == particle;
  return found;
}

bool penetrations_are_sound(const penetrations *t, const surface_store *surfaces) {
  bool sound = t->forced_count == 0 || is_pair_sound(&t->first_forced, surfaces);
  for (int32_t n = 0; n < t->count; n++)
    sound = sound && is_pair_sound(&t->pairs[n], surfaces) &&
            (n == 0 || compare_pairs(&t->pairs[n - 1], &t->pairs[n]) < 0);
  return sound;
}

int32_t penetrations_count_forced(const penetrations *t) {
  int32_t count = 0;
  for (int32_t n = 0; n < t->count; n++)
    count += t->pairs[n].is_forced;
  return count;
}

/* --------------------------------------------------------------------------------- distance and thickness */

static double3 place_of(msd_view positions, int32_t particle) {
  return vec3_double(msd_view_at(positions, particle));
}

static double distance_of(pair_kind kind, const double3 x[PAIR_CORNERS]) {
  const double3 a = double3_subtract(x[1], x[0]), b = double3_subtract(x[2], x[0]),
                c = double3_subtract(x[3], x[0]);
  const closest_points closest = kind == PAIR_POINT_TRIANGLE ? closest_on_triangle(a, b, c)
                                                             : closest_of_edges(a, b, double3_subtract(c, b));
  return sqrt(closest.square);
}

static double thickness_of_surface(const penetrations *t, int32_t surface) {
  const msd_real own = t->of.surfaces->entries[surface].thickness;
  return (double)(own < 0 ? t->of.thickness : own);
}

/* The thickness of a pair as defined in broad_phase.h. */
static double thickness_of(const penetrations *t, const penetrating_pair *p) {
  double3 rest[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    rest[corner] = vec3_double(t->of.surfaces->rest[p->particle[corner]]);
  const double mean = (thickness_of_surface(t, p->surface[0]) + thickness_of_surface(t, p->surface[1])) / 2,
               most = (double)pair_rest_share(p->surface[0] == p->surface[1]) * distance_of(p->kind, rest);
  return most < mean ? most : mean;
}

static bool is_too_near(const penetrations *t, const penetrating_pair *p, msd_view positions) {
  double3 x[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    x[corner] = place_of(positions, p->particle[corner]);
  return !(distance_of(p->kind, x) > thickness_of(t, p));
}

/* ------------------------------------------------------------------------------------ pairs of a crossing */

/* A corner, an edge, or all of a triangle or segment. */
typedef struct face {
  const int32_t *corner[SURFACE_CORNERS];
  int count;
} face;

static face corner_of(const penetrating_piece *p, int n) {
  return (face){{&p->particle[n]}, 1};
}

static int edge_count(const penetrating_piece *p) {
  return p->count == SURFACE_CORNERS ? SURFACE_CORNERS : 1;
}

static face edge_of(const penetrating_piece *p, int n) {
  return (face){{&p->particle[n], &p->particle[(n + 1) % SURFACE_CORNERS]}, 2};
}

static face triangle_of(const penetrating_piece *p) {
  return (face){{&p->particle[0], &p->particle[1], &p->particle[2]}, 3};
}

/* True if the faces share a point but no particle. */
static bool faces_meet(msd_view positions, const face *a, const face *b) {
  const face *both[2] = {a, b};
  point points[2][SURFACE_CORNERS];
  hull hulls[2];
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < b->count; k++)
      if (*a->corner[i] == *b->corner[k])
        return false;
  for (int n = 0; n < 2; n++) {
    hulls[n].count = both[n]->count;
    for (int i = 0; i < both[n]->count; i++) {
      const double3 x = place_of(positions, *both[n]->corner[i]);
      points[n][i] = (point){{x.x, x.y, x.z}};
      hulls[n].corner[i] = &points[n][i];
    }
  }
  return hulls_meet(&hulls[0], &hulls[1]);
}

/* The pair of a point and a triangle, or of two edges. */
static penetrating_pair pair_of(const face *a, int32_t surface, const face *b, int32_t other) {
  penetrating_pair p = {.kind = a->count == 1 ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE,
                        .surface = {surface, other},
                        .crosses = true};
  for (int n = 0; n < PAIR_CORNERS; n++)
    p.particle[n] = n < a->count ? *a->corner[n] : *b->corner[n - a->count];
  order_corners(&p);
  return p;
}

/* Needs reserved memory. */
static void add_pair(penetrations *t, const face *a, int32_t surface, const face *b, int32_t other) {
  t->pairs[t->count++] = pair_of(a, surface, b, other);
}

static bool is_kinematic(const penetrations *t, const int32_t *particles, int count) {
  for (int n = 0; n < count; n++)
    if (t->of.particles->inverse_mass[particles[n]] > 0)
      return false;
  return true;
}

/* The pairs between an edge and a triangle: both ends with the triangle, the edge with the three sides. */
enum { PASSES = 5 };

/* True if all known penetrations among these pairs were forced, and one pair is fully kinematic, so that no
   free particle can give way. The forced pairs then suffice to undo the crossing, and the others are still
   kept apart. */
static bool is_forced_alone(const penetrations *t, const penetrating_pair pairs[PASSES], int32_t known) {
  bool some = false, led = false;
  for (int n = 0; n < PASSES; n++) {
    const penetrating_pair *there = look_up(t, &pairs[n], known);
    if (there && !there->is_forced)
      return false;
    some = some || there;
    led = led || is_kinematic(t, pairs[n].particle, PAIR_CORNERS);
  }
  return some && led;
}

/* Adds the pairs of an edge that pierces a triangle. The first `known` pairs are sorted. */
static void add_passes(penetrations *t, const face *edge, int32_t surface, const penetrating_piece *triangle,
                       int32_t known) {
  const face inside = triangle_of(triangle);
  penetrating_pair pairs[PASSES];
  for (int k = 0; k < 2; k++)
    pairs[k] = pair_of(&(face){{edge->corner[k]}, 1}, surface, &inside, triangle->surface);
  for (int k = 0; k < SURFACE_CORNERS; k++) {
    const face side = edge_of(triangle, k);
    pairs[2 + k] = pair_of(edge, surface, &side, triangle->surface);
  }
  const bool forced = is_forced_alone(t, pairs, known);
  for (int k = 0; k < PASSES; k++)
    if (!forced || look_up(t, &pairs[k], known))
      t->pairs[t->count++] = pairs[k];
}

/* Adds the corners of `one` that lie on `other`, and its edges that pierce it. */
static void add_pairs_through(penetrations *t, msd_view positions, const penetrating_piece *one,
                              const penetrating_piece *other, int32_t known) {
  if (other->count < SURFACE_CORNERS)
    return;
  const face triangle = triangle_of(other);
  for (int n = 0; n < one->count; n++) {
    const face corner = corner_of(one, n);
    if (faces_meet(positions, &corner, &triangle))
      add_pair(t, &corner, one->surface, &triangle, other->surface);
  }
  for (int n = 0; n < edge_count(one); n++) {
    const face edge = edge_of(one, n);
    if (faces_meet(positions, &edge, &triangle))
      add_passes(t, &edge, one->surface, other, known);
  }
}

/* In each direction 3 corners and the pairs of 3 edges; and 9 pairs of edges. */
enum { CROSSING_PAIRS = 2 * (3 + 3 * PASSES) + 9 };

static void add_pairs_between(penetrations *t, msd_view positions, const penetrating_piece *one,
                              const penetrating_piece *other, int32_t known) {
  add_pairs_through(t, positions, one, other, known);
  add_pairs_through(t, positions, other, one, known);
  for (int n = 0; n < edge_count(one); n++)
    for (int k = 0; k < edge_count(other); k++) {
      const face a = edge_of(one, n), b = edge_of(other, k);
      if (faces_meet(positions, &a, &b))
        add_pair(t, &a, one->surface, &b, other->surface);
    }
}

/* ----------------------------------------------------------------------------------- search for crossings */

/* The triangles and segments to test, and the intersections found. */
typedef struct crossing_search {
  int32_t (*triangles)[3], (*segments)[2];
  int32_t triangle_count, segment_count;
  /* By triangle, then by segment. */
  int32_t *surface;
  msd_intersection *found;
  int64_t found_count;
} crossing_search;

static bool is_any_penetrating(const penetrations *t, const int32_t *particles, int count) {
  for (int n = 0; n < count; n++)
    if (t->is_penetrating[particle_slot(t->of.particles, particles[n])])
      return true;
  return false;
}

/* A cut triangle or segment is no part of its mesh. What it intersects must not let its neighbors go. */
static bool is_wanted(const penetrations *t, const int32_t *particles, int count, bool all) {
  return (all || is_any_penetrating(t, particles, count)) && !torn_edges_cut(&t->torn, particles, count);
}

/* Collects all triangles and segments that are not cut, or those of them with a corner of a penetration. */
static void collect(crossing_search *c, const penetrations *t, bool all) {
  const surface_store *s = t->of.surfaces;
  for (int32_t n = 0; n < s->count; n++) {
    const surface_entry *e = &s->entries[n];
    for (int32_t k = e->first_triangle; k < e->first_triangle + e->triangle_count; k++)
      if (is_wanted(t, s->triangles[k], 3, all)) {
        memcpy(c->triangles[c->triangle_count], s->triangles[k], sizeof s->triangles[k]);
        c->surface[c->triangle_count++] = n;
      }
  }
  for (int32_t n = 0; n < s->count; n++) {
    const surface_entry *e = &s->entries[n];
    for (int32_t k = e->first_segment; k < e->first_segment + e->segment_count; k++)
      if (is_wanted(t, s->segments[k], 2, all)) {
        memcpy(c->segments[c->segment_count], s->segments[k], sizeof s->segments[k]);
        c->surface[c->triangle_count + c->segment_count++] = n;
      }
  }
}

static penetrating_piece piece_of(const crossing_search *c, int32_t n) {
  penetrating_piece p = {.surface = c->surface[n]};
  p.count = n < c->triangle_count ? 3 : 2;
  memcpy(p.particle, p.count == 3 ? c->triangles[n] : c->segments[n - c->triangle_count],
         (size_t)p.count * sizeof *p.particle);
  return p;
}

static msd_view view_of(const penetrations *t, const penetrating_places *at) {
  const msd_real *x = at->positions;
  const particle_store *p = t->of.particles;
  return (msd_view){x, x + at->stride, x + 2 * at->stride, p->slot, p->count};
}

/* Repeats the search with more memory if there are more intersections than primitives. */
static bool find_all(crossing_search *c, const penetrations *t, const penetrating_places *at, memory *m) {
  const msd_intersection_def def = {.triangles = c->triangle_count > 0 ? c->triangles[0] : NULL,
                                    .segments = c->segment_count > 0 ? c->segments[0] : NULL,
                                    .triangle_count = c->triangle_count,
                                    .segment_count = c->segment_count};
  const intersection_question question = {view_of(t, at), &def, at->tasks, at->threads};
  int64_t room = (int64_t)c->triangle_count + c->segment_count;
  for (;;) {
    msd_intersection *found = memory_replace(m, c->found, (size_t)room * sizeof *found);
    if (!found)
      return false;
    c->found = found;
    if (intersections_find(&question, m, c->found, (int)room, &c->found_count) != MSD_OK ||
        c->found_count > INT32_MAX)
      return false;
    if (c->found_count <= room)
      return true;
    room = c->found_count;
  }
}

/* Adds the pairs of all intersections, and counts the intersections. */
static bool add_crossings(penetrations *t, memory *m, const crossing_search *c, msd_view positions) {
  const int32_t known = t->count;
  t->crossings = 0;
  for (int64_t n = 0; n < c->found_count; n++) {
    const penetrating_piece one = piece_of(c, c->found[n].a), other = piece_of(c, c->found[n].b);
    if (surface_store_ignores(t->of.surfaces, one.surface, other.surface))
      continue;
    if (!growth_reserve(&penetrating_pair_growth, t, m, (int64_t)t->count + CROSSING_PAIRS))
      return false;
    add_pairs_between(t, positions, &one, &other, known);
    if (is_kinematic(t, one.particle, one.count) && is_kinematic(t, other.particle, other.count))
      continue;
    if (t->crossings++ == 0) {
      t->first[0] = one;
      t->first[1] = other;
    }
  }
  return true;
}

/* Appends all pairs that cross; the pairs are unsorted afterwards. */
static bool add_what_crosses(penetrations *t, memory *m, const penetrating_places *at, bool all) {
  const surface_store *s = t->of.surfaces;
  crossing_search c = {0};
  c.triangles = memory_allocate_unset(m, (size_t)s->triangle_count * sizeof *c.triangles);
  c.segments = memory_allocate_unset(m, (size_t)s->segment_count * sizeof *c.segments);
  c.surface =
      memory_allocate_unset(m, ((size_t)s->triangle_count + (size_t)s->segment_count) * sizeof *c.surface);
  bool done = c.triangles && c.segments && c.surface;
  if (done) {
    collect(&c, t, all);
    done = find_all(&c, t, at, m) && add_crossings(t, m, &c, view_of(t, at));
  }
  memory_release(m, c.triangles);
  memory_release(m, c.segments);
  memory_release(m, c.surface);
  memory_release(m, c.found);
  return done;
}

/* Removes pairs that do not cross and, with `keeps_near`, are farther apart than their thickness. */
static void let_go(penetrations *t, msd_view positions, bool keeps_near) {
  int32_t kept = 0;
  for (int32_t n = 0; n < t->count; n++)
    if (t->pairs[n].crosses || (keeps_near && is_too_near(t, &t->pairs[n], positions)))
      t->pairs[kept++] = t->pairs[n];
  t->count = kept;
}

/* Keeps forced pairs whose particles still belong to collision meshes. */
static void keep_forced(penetrations *t) {
  int32_t kept = 0;
  for (int32_t n = 0; n < t->count; n++) {
    penetrating_pair p = of_surfaces(t, t->pairs[n]);
    p.crosses = false;
    if (p.is_forced && p.surface[0] >= 0 && p.surface[1] >= 0)
      t->pairs[kept++] = p;
  }
  t->count = kept;
}

bool penetrations_find(penetrations *t, memory *m, const penetrating_places *at) {
  const msd_view view = view_of(t, at);
  keep_forced(t);
  const bool done = add_what_crosses(t, m, at, true);
  sort_pairs(t);
  if (done)
    let_go(t, view, false);
  mark_pairs(t);
  return done;
}

bool penetrations_update(penetrations *t, memory *m, const penetrating_places *at) {
  const msd_view view = view_of(t, at);
  if (t->count == 0)
    return true;
  for (int32_t n = 0; n < t->count; n++)
    t->pairs[n].crosses = false;
  const bool done = add_what_crosses(t, m, at, false);
  sort_pairs(t);
  if (done)
    let_go(t, view, true);
  mark_pairs(t);
  return done;
}
