/* Public functions of msd/query.h. Geometry is in double. A tree only prunes: each candidate is measured by the
   same functions, and of equal distances the lower object wins, so results are those of testing all of them. */

#include "engine/base/definition.h"
#include "engine/base/float_environment.h"
#include "engine/collider/motion.h"
#include "engine/intersection/box_tree.h"
#include "engine/intersection/orientation.h"
#include "engine/store/fracture.h"
#include "engine/world/world.h"

#include <float.h>
#include <math.h>

/* With fewer items or elements, testing all elements is faster than a tree. */
enum { TREE_ITEMS_MIN = 16, TREE_ELEMENTS_MIN = 64, THREAD_ITEMS_MIN = 64, STACK = 64 };

/* The distance between a number and the next larger one, relative to it. */
static const double SPACING = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

/* A triangle (three corners) or a segment (two) of a collision mesh. */
typedef struct element {
  int32_t mesh, index, corners[3];
  int32_t count;
  double radius;
} element;

/* What one item of a query looks for: a ray, or the surface around a point within `reach`. */
typedef struct probe {
  double3 origin, direction;
  /* Unit vectors across the direction of a ray. */
  double3 across[2];
  double reach;
  bool is_ray;
} probe;

/* Where a probe meets an object. */
typedef struct contact_point {
  double distance;
  double3 point, normal;
  double weights[3];
} contact_point;

typedef struct query {
  const world_model *model;
  const msd_query_def *def;
  memory memory;
  element *elements;
  int32_t element_count;
  collider_motion *colliders;
  int32_t collider_count;
  box_tree tree;
  bool has_tree;
} query;

/* ------------------------------------------------------------------------------------------------- geometry */

static double3 along(double3 from, double3 direction, double distance) {
  return double3_add_scaled(from, direction, distance);
}

static double length_of(double3 v) {
  return sqrt(double3_dot(v, v));
}

/* v scaled to length 1, or `other` if it has no length. */
static double3 unit_or(double3 v, double3 other) {
  const double length = length_of(v);
  return length > 0 ? double3_scale(v, 1 / length) : other;
}

static double clamp(double t, double most) {
  return t > 0 ? fmin(t, most) : 0;
}

/* The fraction of the way from a to b that is nearest to p. */
static double nearest_on_edge(double3 p, double3 a, double3 b) {
  const double3 ab = double3_subtract(b, a);
  const double square = double3_dot(ab, ab);
  return square > 0 ? clamp(double3_dot(double3_subtract(p, a), ab) / square, 1) : 0;
}

static double3 weighted(const double3 corner[3], const double w[3], int count) {
  double3 sum = double3_scale(corner[0], w[0]);
  for (int n = 1; n < count; n++)
    sum = double3_add_scaled(sum, corner[n], w[n]);
  return sum;
}

/* The weights of the point of a triangle that is nearest to p: the foot of the perpendicular if it is inside,
   or else the nearest point of the three edges. */
static void nearest_on_triangle(double3 p, const double3 corner[3], double w[3]) {
  const double3 ab = double3_subtract(corner[1], corner[0]), ac = double3_subtract(corner[2], corner[0]),
                ap = double3_subtract(p, corner[0]), normal = double3_cross(ab, ac);
  const double square = double3_dot(normal, normal);
  if (square > 0) {
    const double b = double3_dot(double3_cross(ap, ac), normal) / square,
                 c = double3_dot(double3_cross(ab, ap), normal) / square;
    if (b >= 0 && c >= 0 && b + c <= 1) {
      w[0] = 1 - b - c, w[1] = b, w[2] = c;
      return;
    }
  }
  double best = INFINITY;
  for (int n = 0; n < 3; n++) {
    const int m = (n + 1) % 3;
    const double t = nearest_on_edge(p, corner[n], corner[m]);
    const double3 to = double3_subtract(along(corner[n], double3_subtract(corner[m], corner[n]), t), p);
    if (double3_dot(to, to) < best) {
      best = double3_dot(to, to);
      w[n] = 1 - t, w[m] = t, w[(n + 2) % 3] = 0;
    }
  }
}

/* A corner as seen along a ray that is at 0. Rounded once for each corner, so triangles that share it agree. */
static point seen_along(const probe *ray, double3 corner) {
  const double3 to = double3_subtract(corner, ray->origin);
  return (point){{double3_dot(to, ray->across[0]), double3_dot(to, ray->across[1]), 0}};
}

/* Whether the ray is on the same side of all edges, or on some of them. Sides are exact for the corners as
   seen, so a ray at a common edge or corner of triangles hits one of them at least. */
static bool ray_meets_triangle(const probe *ray, const double3 corner[3], contact_point *at) {
  const point zero = {{0, 0, 0}};
  point seen[3];
  double area[3], sum = 0;
  int positive = 0, negative = 0;
  for (int n = 0; n < 3; n++)
    seen[n] = seen_along(ray, corner[n]);
  for (int n = 0; n < 3; n++) {
    const point *a = &seen[(n + 1) % 3], *b = &seen[(n + 2) % 3];
    const int side = orientation_in_plane(a, b, &zero, 2);
    positive += side > 0;
    negative += side < 0;
    area[n] = side == 0 ? 0 : fabs(a->at[0] * b->at[1] - a->at[1] * b->at[0]);
    sum += area[n];
  }
  if ((positive > 0 && negative > 0) || !(sum > 0))
    return false;
  for (int n = 0; n < 3; n++)
    at->weights[n] = area[n] / sum;
  at->point = weighted(corner, at->weights, 3);
  at->distance = double3_dot(double3_subtract(at->point, ray->origin), ray->direction);
  return at->distance >= 0 && at->distance <= ray->reach;
}

/* The smaller t at which |from + t direction| is `radius`; INFINITY: none. From the nearest point of the line,
   so that a small radius does not cancel against a long way. */
static double first_root(double3 from, double3 direction, double radius) {
  const double square = double3_dot(direction, direction);
  if (!(square > 0))
    return INFINITY;
  const double nearest = -double3_dot(from, direction) / square;
  const double3 out = along(from, direction, nearest);
  const double left = radius * radius - double3_dot(out, out);
  return left >= 0 ? nearest - sqrt(left / square) : INFINITY;
}

/* The distance at which a ray enters the capsule of `radius` about the line from p to q; INFINITY: never, 0: it
   starts inside. */
static double ray_enters_capsule(const probe *ray, double3 p, double3 q, double radius) {
  const double3 axis = double3_subtract(q, p), from_p = double3_subtract(ray->origin, p),
                from_q = double3_subtract(ray->origin, q),
                start = double3_subtract(from_p, double3_scale(axis, nearest_on_edge(ray->origin, p, q)));
  if (double3_dot(start, start) <= radius * radius)
    return 0;
  if (!(radius > 0))
    return INFINITY;
  double best = INFINITY;
  for (int end = 0; end < 2; end++) {
    const double3 from = end ? from_q : from_p;
    const double t = first_root(from, ray->direction, radius);
    best = t >= 0 ? fmin(best, t) : best;
  }
  const double length = double3_dot(axis, axis);
  if (length > 0) {
    const double d = double3_dot(ray->direction, axis) / length, o = double3_dot(from_p, axis) / length;
    const double3 across = along(ray->direction, axis, -d), out = along(from_p, axis, -o);
    const double t = first_root(out, across, radius);
    best = t >= 0 && o + t * d >= 0 && o + t * d <= 1 ? fmin(best, t) : best;
  }
  return best;
}

/* The surface of a capsule at the point nearest to `at`. `w` receives the weights of the nearest point of the
   axis. */
static contact_point on_capsule(double3 at, double3 p, double3 q, double radius, double3 otherwise) {
  const double t = nearest_on_edge(at, p, q);
  const double3 axis = along(p, double3_subtract(q, p), t), out = double3_subtract(at, axis);
  const double3 normal = unit_or(out, otherwise);
  return (contact_point){.distance = length_of(out) - radius,
                         .point = along(axis, normal, radius),
                         .normal = normal,
                         .weights = {1 - t, t, 0}};
}

/* A unit vector across the line from p to q. */
static double3 across_line(double3 p, double3 q) {
  const double3 d = double3_subtract(q, p), x = {1, 0, 0}, y = {0, 1, 0};
  return unit_or(double3_cross(d, fabs(d.x) < fabs(d.y) ? x : y), y);
}

/* A distance of INFINITY means never, even if the probe reaches that far. */
static bool is_within(double distance, const probe *p) {
  return distance <= p->reach && distance < INFINITY;
}

static bool probe_capsule(const probe *p, double3 a, double3 b, double radius, contact_point *at) {
  if (!p->is_ray) {
    *at = on_capsule(p->origin, a, b, radius, across_line(a, b));
    return at->distance <= p->reach;
  }
  const double distance = ray_enters_capsule(p, a, b, radius);
  if (!is_within(distance, p))
    return false;
  const double3 entry = along(p->origin, p->direction, distance);
  *at = on_capsule(entry, a, b, radius, across_line(a, b));
  at->distance = distance;
  at->point = entry;
  return true;
}

static bool probe_triangle(const probe *p, const double3 corner[3], contact_point *at) {
  const double3 normal =
      unit_or(double3_cross(double3_subtract(corner[1], corner[0]), double3_subtract(corner[2], corner[0])),
              (double3){0, 0, 0});
  if (p->is_ray) {
    if (!ray_meets_triangle(p, corner, at))
      return false;
    at->normal = double3_scale(normal, double3_dot(normal, p->direction) > 0 ? -1 : 1);
    return true;
  }
  nearest_on_triangle(p->origin, corner, at->weights);
  at->point = weighted(corner, at->weights, 3);
  const double3 out = double3_subtract(p->origin, at->point);
  at->distance = length_of(out);
  at->normal = double3_scale(normal, double3_dot(normal, out) < 0 ? -1 : 1);
  return at->distance <= p->reach;
}

/* ------------------------------------------------------------------------------------------------ colliders */

/* Rotate from the frame of a collider to the world, and back. */
static double3 to_world(const collider_motion *c, double3 v) {
  return along(along(double3_scale(vec3_double(c->axis[0]), v.x), vec3_double(c->axis[1]), v.y),
               vec3_double(c->axis[2]), v.z);
}

static double3 to_frame(const collider_motion *c, double3 v) {
  return (double3){double3_dot(vec3_double(c->axis[0]), v), double3_dot(vec3_double(c->axis[1]), v),
                   double3_dot(vec3_double(c->axis[2]), v)};
}

/* A plane; p and `at` in its frame. */
static bool probe_plane(const probe *p, double3 normal, contact_point *at) {
  const double height = double3_dot(normal, p->origin),
               speed = p->is_ray ? double3_dot(normal, p->direction) : 0;
  at->normal = normal;
  at->distance = !p->is_ray ? height : height <= 0 ? 0 : speed < 0 ? -height / speed : INFINITY;
  if (!is_within(at->distance, p))
    return false;
  at->point = p->is_ray ? along(p->origin, p->direction, at->distance) : along(p->origin, normal, -height);
  return true;
}

/* The point of the surface of a box that is nearest to p, in its frame, as nearest_of_box in
   collider/shape.h. */
static contact_point on_box(double3 p, double3 half) {
  const double x[3] = {p.x, p.y, p.z}, h[3] = {half.x, half.y, half.z};
  double to[3], out[3], normal[3] = {0, 0, 0};
  int nearest = 0;
  for (int n = 0; n < 3; n++) {
    to[n] = fmax(-h[n], fmin(h[n], x[n]));
    out[n] = x[n] - to[n];
    nearest = h[n] - fabs(x[n]) < h[nearest] - fabs(x[nearest]) ? n : nearest;
  }
  const double3 away = {out[0], out[1], out[2]};
  const double length = length_of(away);
  if (length > 0)
    return (contact_point){length, {to[0], to[1], to[2]}, double3_scale(away, 1 / length), {0, 0, 0}};
  normal[nearest] = x[nearest] < 0 ? -1 : 1;
  to[nearest] = normal[nearest] * h[nearest];
  return (contact_point){
      fabs(x[nearest]) - h[nearest], {to[0], to[1], to[2]}, {normal[0], normal[1], normal[2]}, {0, 0, 0}};
}

static bool probe_box(const probe *p, double3 half, contact_point *at) {
  if (!p->is_ray) {
    *at = on_box(p->origin, half);
    return at->distance <= p->reach;
  }
  const double o[3] = {p->origin.x, p->origin.y, p->origin.z},
               d[3] = {p->direction.x, p->direction.y, p->direction.z}, h[3] = {half.x, half.y, half.z};
  double enters = 0, leaves = INFINITY, normal[3] = {0, 0, 0};
  int side = -1;
  for (int n = 0; n < 3; n++) {
    if (d[n] == 0) {
      if (fabs(o[n]) > h[n])
        return false;
      continue;
    }
    const double sign = d[n] > 0 ? -1 : 1, in = (sign * h[n] - o[n]) / d[n],
                 out = (-sign * h[n] - o[n]) / d[n];
    if (in > enters)
      enters = in, side = n;
    leaves = fmin(leaves, out);
  }
  if (enters > leaves || enters > p->reach)
    return false;
  const double3 entry = along(p->origin, p->direction, enters);
  *at = on_box(entry, half);
  if (side >= 0) {
    normal[side] = d[side] > 0 ? -1 : 1;
    at->normal = (double3){normal[0], normal[1], normal[2]};
  }
  at->point = entry;
  at->distance = enters;
  return true;
}

static bool probe_collider(const collider_motion *c, const probe *p, contact_point *at) {
  const double3 origin = vec3_double(c->origin);
  probe own = *p;
  own.origin = to_frame(c, double3_subtract(p->origin, origin));
  own.direction = to_frame(c, p->direction);
  *at = (contact_point){.distance = INFINITY};
  bool meets;
  if (c->kind == MSD_COLLIDER_PLANE) {
    meets = probe_plane(&own, vec3_double(c->normal), at);
  } else if (c->kind == MSD_COLLIDER_BOX) {
    meets = probe_box(&own, vec3_double(c->half), at);
  } else {
    const double3 from = vec3_double(c->from);
    meets = probe_capsule(&own, from, along(from, vec3_double(c->along), (double)c->length),
                          (double)c->radius, at);
  }
  at->point = double3_add_scaled(to_world(c, at->point), origin, 1);
  at->normal = to_world(c, at->normal);
  return meets;
}

/* ------------------------------------------------------------------------------------------------- elements */

static bool probe_element(const query *q, int32_t n, const probe *p, contact_point *at) {
  const element *e = &q->elements[n];
  double3 corner[3] = {{0, 0, 0}};
  for (int k = 0; k < e->count; k++)
    corner[k] = vec3_double(particle_vector(&q->model->particles, POSITION_X, e->corners[k]));
  *at = (contact_point){.distance = INFINITY};
  return e->count == 3 ? probe_triangle(p, corner, at)
                       : probe_capsule(p, corner[0], corner[1], e->radius, at);
}

static msd_vec3 real_vector(double3 v) {
  return (msd_vec3){(msd_real)v.x, (msd_real)v.y, (msd_real)v.z};
}

static msd_hit no_hit(void) {
  return (msd_hit){.index = -1, .element = -1, .particles = {-1, -1, -1}};
}

static msd_hit hit_at(const contact_point *at) {
  msd_hit hit = no_hit();
  hit.is_hit = true;
  hit.point = real_vector(at->point);
  hit.normal = real_vector(at->normal);
  hit.distance = (msd_real)at->distance;
  return hit;
}

static msd_hit hit_of_collider(const query *q, int32_t n, const contact_point *at) {
  msd_hit hit = hit_at(at);
  hit.type = MSD_OBJECT_COLLIDER;
  hit.index = q->colliders[n].collider;
  return hit;
}

static msd_hit hit_of_element(const query *q, int32_t n, const contact_point *at) {
  const element *e = &q->elements[n];
  msd_hit hit = hit_at(at);
  hit.type = MSD_OBJECT_COLLISION_MESH;
  hit.index = e->mesh;
  hit.element = e->index;
  hit.is_triangle = e->count == 3;
  for (int k = 0; k < e->count; k++) {
    hit.particles[k] = e->corners[k];
    hit.weights[k] = (msd_real)at->weights[k];
  }
  return hit;
}

/* The nearest candidate so far: an element, or a collider if `element` is -1. */
typedef struct nearest {
  contact_point at;
  int32_t element, collider;
  /* Whatever is farther need not be measured. */
  double reach;
} nearest;

static void try_element(const query *q, int32_t n, const probe *p, nearest *best) {
  contact_point at;
  if (!probe_element(q, n, p, &at))
    return;
  const bool is_first = best->collider < 0 && best->element < 0;
  const bool precedes = best->collider < 0 && n < best->element;
  if (is_first || at.distance < best->at.distance || (at.distance == best->at.distance && precedes)) {
    *best = (nearest){at, n, -1, at.distance};
  }
}

/* The distance from which on a box may hold something that a probe meets; INFINITY: never. */
static double box_distance(const box *b, const probe *p) {
  const double o[3] = {p->origin.x, p->origin.y, p->origin.z},
               d[3] = {p->direction.x, p->direction.y, p->direction.z};
  double enters = 0, leaves = INFINITY, square = 0;
  for (int n = 0; n < 3; n++) {
    const double low = (double)b->low[n], high = (double)b->high[n];
    if (!p->is_ray) {
      const double out = fmax(fmax(low - o[n], o[n] - high), 0);
      square += out * out;
    } else if (d[n] == 0) {
      if (o[n] < low || o[n] > high)
        return INFINITY;
    } else {
      const double one = (low - o[n]) / d[n], other = (high - o[n]) / d[n];
      enters = fmax(enters, fmin(one, other));
      leaves = fmin(leaves, fmax(one, other));
    }
  }
  return !p->is_ray ? sqrt(square) : enters <= leaves ? enters : INFINITY;
}

typedef void visit_element(const query *q, int32_t n, const probe *p, void *context);

/* Visits all elements whose boxes are within *reach of a probe; the visitor may reduce it. */
static void visit_near(const query *q, const probe *p, const double *reach, visit_element *visit,
                       void *context) {
  if (!q->has_tree) {
    for (int32_t n = 0; n < q->element_count; n++)
      visit(q, n, p, context);
    return;
  }
  const box_tree *t = &q->tree;
  int32_t stack[STACK] = {1};
  for (int count = 1; count > 0;) {
    const int32_t node = stack[--count];
    const double distance = box_distance(&t->nodes[node].around, p);
    if (t->nodes[node].last < 0 || !(distance <= *reach && distance < INFINITY))
      continue;
    if (node < t->leaves) {
      const double left = box_distance(&t->nodes[2 * (size_t)node].around, p),
                   right = box_distance(&t->nodes[2 * (size_t)node + 1].around, p);
      stack[count++] = 2 * node + (left <= right);
      stack[count++] = 2 * node + (left > right);
      continue;
    }
    const tree_leaf *leaf = &t->leaf[node - t->leaves];
    for (int k = 0; k < BOX_TREE_ITEMS; k++)
      if (leaf->item[k] >= 0)
        visit(q, leaf->item[k], p, context);
  }
}

static void visit_nearest(const query *q, int32_t n, const probe *p, void *context) {
  try_element(q, n, p, context);
}

static msd_hit find_first(const query *q, const probe *p) {
  nearest best = {.element = -1, .collider = -1, .reach = p->reach};
  for (int32_t n = 0; n < q->collider_count; n++) {
    contact_point at;
    if (probe_collider(&q->colliders[n], p, &at) && (best.collider < 0 || at.distance < best.at.distance))
      best = (nearest){at, -1, n, fmax(at.distance, 0)};
  }
  visit_near(q, p, &best.reach, visit_nearest, &best);
  return best.element >= 0    ? hit_of_element(q, best.element, &best.at)
         : best.collider >= 0 ? hit_of_collider(q, best.collider, &best.at)
                              : no_hit();
}

/* --------------------------------------------------------------------------------------------------- set-up */

/* The box of an element, larger by more than what rounding may move a point that is measured on it. */
static box box_of(const query *q, const element *e) {
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int n = 0; n < 3; n++) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < e->count; k++) {
      const particle_store *p = &q->model->particles;
      const double x = (double)particle_state(p)[(size_t)n * p->stride + particle_slot(p, e->corners[k])];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    const double more = e->radius + 4 * SPACING * (fabs(low) + fabs(high) + e->radius);
    b.low[n] = (msd_real)(low - more);
    b.high[n] = (msd_real)(high + more);
  }
  return b;
}

static bool accepts(const query *q, msd_object type, int32_t index) {
  return !q->def->filter || q->def->filter(q->def->context, type, index);
}

static void list_colliders(query *q) {
  const collider_store *s = &q->model->colliders;
  for (int32_t n = 0; n < s->count && q->def->colliders; n++)
    if (!s->entries[n].is_gone && accepts(q, MSD_OBJECT_COLLIDER, n)) {
      collider_motion *c = &q->colliders[q->collider_count++];
      *c = collider_motion_make(&s->entries[n], (contact_settings){0}, 0, 0);
      c->collider = n;
    }
}

static void list_mesh(query *q, const torn_edges *torn, int32_t mesh) {
  const surface_store *s = &q->model->surfaces;
  const surface_entry *entry = &s->entries[mesh];
  const double thickness = (double)(entry->thickness < 0 ? q->model->contact.thickness : entry->thickness);
  const double radius = q->def->segment_radius < 0 ? thickness / 2 : (double)q->def->segment_radius;
  for (int32_t n = 0; n < entry->triangle_count + entry->segment_count; n++) {
    const bool is_triangle = n < entry->triangle_count;
    const int32_t own = is_triangle ? n : n - entry->triangle_count;
    const int32_t *corners =
        is_triangle ? s->triangles[entry->first_triangle + own] : s->segments[entry->first_segment + own];
    const int count = is_triangle ? 3 : 2;
    if (torn_edges_cut(torn, corners, count))
      continue;
    element *e = &q->elements[q->element_count++];
    *e = (element){
        mesh, own, {corners[0], corners[1], is_triangle ? corners[2] : -1}, count, is_triangle ? 0 : radius};
  }
}

static bool list_meshes(query *q) {
  const surface_store *s = &q->model->surfaces;
  torn_edges torn;
  if (!torn_edges_find(&torn, &q->memory, &q->model->springs))
    return false;
  for (int32_t n = 0; n < s->count && q->def->collision_meshes; n++)
    if (s->entries[n].triangle_count + s->entries[n].segment_count > 0 &&
        accepts(q, MSD_OBJECT_COLLISION_MESH, n))
      list_mesh(q, &torn, n);
  torn_edges_free(&torn, &q->memory);
  return true;
}

static bool make_tree(query *q) {
  box *boxes = memory_allocate_items(&q->memory, q->element_count, sizeof *boxes);
  for (int32_t n = 0; n < q->element_count && boxes; n++)
    boxes[n] = box_of(q, &q->elements[n]);
  q->has_tree = boxes && box_tree_make(&q->tree, &q->memory, boxes, q->element_count);
  memory_release(&q->memory, boxes);
  return q->has_tree;
}

static void close_query(query *q) {
  if (q->has_tree)
    box_tree_free(&q->tree, &q->memory);
  memory_release(&q->memory, q->elements);
  memory_release(&q->memory, q->colliders);
}

/* `items`: probes that follow. */
static msd_result open_query(query *q, const msd_world *world, const msd_query_def *def, int items) {
  const world_model *model = &world->model;
  *q = (query){.model = model,
               .def = def,
               .memory = {.allocator = model->memory.allocator, .limit = model->memory.limit}};
  q->elements = memory_allocate_items(
      &q->memory, 1 + (int64_t)model->surfaces.triangle_count + model->surfaces.segment_count,
      sizeof *q->elements);
  q->colliders = memory_allocate_items(&q->memory, 1 + (int64_t)model->colliders.count, sizeof *q->colliders);
  bool done = q->elements && q->colliders;
  if (done)
    list_colliders(q);
  done = done && list_meshes(q);
  if (done && items >= TREE_ITEMS_MIN && q->element_count >= TREE_ELEMENTS_MIN)
    done = make_tree(q);
  if (done)
    return MSD_OK;
  close_query(q);
  return q->memory.over_limit ? MSD_TOO_LARGE : MSD_OUT_OF_MEMORY;
}

/* ----------------------------------------------------------------------------------------- public functions */

msd_query_def msd_default_query_def(void) {
  return (msd_query_def){.collision_meshes = true,
                         .colliders = true,
                         .segment_radius = MSD_QUERY_HALF_THICKNESS,
                         .cookie = MSD_QUERY_COOKIE};
}

/* Replaces NULL by the defaults, and checks. */
static msd_result check_def(const msd_query_def *def, msd_query_def *used) {
  *used = def ? *def : msd_default_query_def();
  if (used->cookie != MSD_QUERY_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  const bool is_sound = isfinite(used->segment_radius) &&
                        (used->segment_radius >= 0 || used->segment_radius == MSD_QUERY_HALF_THICKNESS);
  return is_sound ? MSD_OK : MSD_BAD_VALUE;
}

/* Several probes, shared by threads. */
typedef struct probes {
  const query *query;
  int count;
  const msd_ray *rays;
  const msd_vec3 *points;
  double reach;
  msd_hit *hits;
} probes;

static probe probe_of(const probes *all, int n) {
  if (!all->rays)
    return (probe){.origin = vec3_double(all->points[n]), .reach = all->reach};
  const msd_ray *ray = &all->rays[n];
  const double3 d = vec3_double(ray->direction);
  const double largest = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
  const double3 direction = unit_or(double3_scale(d, 1 / largest), d);
  const double3 across = across_line((double3){0, 0, 0}, direction);
  return (probe){.origin = vec3_double(ray->origin),
                 .direction = direction,
                 .across = {across, double3_cross(direction, across)},
                 .reach = (double)ray->length,
                 .is_ray = true};
}

static void find_share(void *context, int thread, int threads) {
  const probes *all = context;
  const parallel_range own = parallel_split(all->count, thread, threads);
  for (int n = own.first; n < own.last; n++) {
    const probe p = probe_of(all, n);
    all->hits[n] = find_first(all->query, &p);
  }
}

static msd_result find_all(const msd_world *world, const msd_query_def *def, probes *all) {
  query q;
  const msd_result result = open_query(&q, world, def, all->count);
  if (result != MSD_OK)
    return result;
  all->query = &q;
  const int threads = all->count < THREAD_ITEMS_MIN
                          ? 1
                          : parallel_threads(&world->model.tasks, world->model.thread_count, INT32_MAX);
  parallel_run(&world->model.tasks, threads, find_share, all);
  close_query(&q);
  return MSD_OK;
}

msd_result msd_world_cast_rays(const msd_world *world, const msd_ray *rays, int count,
                               const msd_query_def *def, msd_hit *hits) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || count < 0 || (count > 0 && (!rays || !hits)))
    return MSD_BAD_VALUE;
  for (int n = 0; n < count; n++) {
    const msd_vec3 d = rays[n].direction;
    if (!vec3_is_finite(rays[n].origin) || !vec3_is_finite(d) || (d.x == 0 && d.y == 0 && d.z == 0) ||
        !(rays[n].length > 0))
      return MSD_BAD_VALUE;
  }
  msd_query_def used;
  const msd_result result = check_def(def, &used);
  return result == MSD_OK ? find_all(world, &used, &(probes){.count = count, .rays = rays, .hits = hits})
                          : result;
}

msd_result msd_world_find_nearest(const msd_world *world, const msd_vec3 *points, int count, msd_real reach,
                                  const msd_query_def *def, msd_hit *hits) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || count < 0 || (count > 0 && (!points || !hits)) || !(reach > 0))
    return MSD_BAD_VALUE;
  for (int n = 0; n < count; n++)
    if (!vec3_is_finite(points[n]))
      return MSD_BAD_VALUE;
  msd_query_def used;
  const msd_result result = check_def(def, &used);
  return result == MSD_OK
             ? find_all(world, &used,
                        &(probes){.count = count, .points = points, .reach = (double)reach, .hits = hits})
             : result;
}

/* The overlaps found so far. */
typedef struct overlaps {
  msd_hit *hits;
  int capacity, count;
} overlaps;

static void add_overlap(overlaps *all, msd_hit hit) {
  if (all->count < all->capacity)
    all->hits[all->count] = hit;
  all->count++;
}

static void visit_overlap(const query *q, int32_t n, const probe *p, void *context) {
  contact_point at;
  if (probe_element(q, n, p, &at))
    add_overlap(context, hit_of_element(q, n, &at));
}

msd_result msd_world_find_overlaps(const msd_world *world, msd_vec3 center, msd_real radius,
                                   const msd_query_def *def, msd_hit *hits, int capacity, int *found) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !found || capacity < 0 || (capacity > 0 && !hits) || !vec3_is_finite(center) ||
      !(radius >= 0 && isfinite(radius)))
    return MSD_BAD_VALUE;
  msd_query_def used;
  msd_result result = check_def(def, &used);
  query q;
  if (result == MSD_OK)
    result = open_query(&q, world, &used, 1);
  if (result != MSD_OK)
    return result;
  const probe p = {.origin = vec3_double(center), .reach = (double)radius};
  overlaps all = {hits, capacity, 0};
  for (int32_t n = 0; n < q.collider_count; n++) {
    contact_point at;
    if (probe_collider(&q.colliders[n], &p, &at))
      add_overlap(&all, hit_of_collider(&q, n, &at));
  }
  visit_near(&q, &p, &p.reach, visit_overlap, &all);
  close_query(&q);
  *found = all.count;
  return MSD_OK;
}
