#include "engine/contact/self_contact.h"

#include "engine/base/rigid_path.h"

#include <string.h>

/* Shared by the threads that compute tangential displacements. */
typedef struct holding {
  near_pairs *near;
  const self_contact_end *at;
} holding;

static void hold(void *context, int thread, int threads) {
  const holding *h = context;
  near_kernel_choose(h->at->simd)
      ->hold(h->near, h->at->positions, h->at->stride, parallel_split(h->near->group_count, thread, threads));
}

/* Below this number of groups one thread is as fast as several. */
enum { FEW_GROUPS = 256 };

static void take_friction_cache(self_contact *c, friction_cache *to, const self_contact_end *at) {
  holding h = {&c->near, at};
  const int threads = c->near.group_count < FEW_GROUPS ? 1 : at->threads;
  parallel_run(at->tasks, threads, hold, &h);
  c->near.has_followed = false;
  friction_cache_take(to, &c->near, at->particle, at->tasks, threads);
}

/* A step that was canceled before its first substep leaves the cache unchanged. */
void self_contact_hold(self_contact *c, const self_contact_end *end) {
  const bool is_known = c->is_listed && c->is_chosen;
  if (is_known && c->near.count > 0)
    take_friction_cache(c, &c->cache.friction_cache, end);
  else if (is_known || c->mesh.touches_nothing)
    self_contact_let_go(c);
}

void self_contact_let_go(self_contact *c) {
  if (c->cache.friction_cache.count > 0)
    friction_cache_clear(&c->cache.friction_cache);
}

const friction_cache *self_contact_friction(const self_contact_step *s) {
  self_contact *c = s->contact;
  const self_contact_end at = {s->before, s->stride,  s->penetrations->particle,
                               s->tasks,  s->threads, s->simd};
  friction_cache *held = c->is_chosen ? &c->friction_cache : &c->cache.friction_cache;
  if (c->is_chosen && c->near.count > 0)
    take_friction_cache(c, held, &at);
  else if (c->is_chosen)
    friction_cache_clear(held);
  friction_cache_index(held, s->tasks, s->threads);
  return held;
}

/* -------------------------------------------------------------------------------------- pins that are moved */

static bool is_pin(const self_contact_step *s, int32_t slot) {
  return !(s->inverse_mass[slot] > 0);
}

/* The first triangle of pins at a vertex, or at an edge if `to` is not below 0. */
static bool find_triangle_at(const self_contact_step *s, int32_t slot, int32_t to,
                             int32_t triangle[SURFACE_CORNERS]) {
  const vertex_adjacency *at = &s->contact->mesh.triangles_at;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1]; n++) {
    const int32_t *others = at->others[n];
    if (!(is_pin(s, others[0]) && is_pin(s, others[1])) || (to >= 0 && others[0] != to && others[1] != to))
      continue;
    triangle[0] = slot, triangle[1] = others[0], triangle[2] = others[1];
    return true;
  }
  return false;
}

/* The triangle of pins at which a pair acts. */
static bool find_triangle(const self_contact_step *s, pair_kind kind, const int32_t slots[PAIR_CORNERS],
                          int32_t triangle[SURFACE_CORNERS]) {
  if (kind == PAIR_EDGE_EDGE)
    return (is_pin(s, slots[0]) && is_pin(s, slots[1]) &&
            find_triangle_at(s, slots[0], slots[1], triangle)) ||
           (is_pin(s, slots[2]) && is_pin(s, slots[3]) && find_triangle_at(s, slots[2], slots[3], triangle));
  if (is_pin(s, slots[0]))
    return find_triangle_at(s, slots[0], -1, triangle);
  memcpy(triangle, slots + 1, SURFACE_CORNERS * sizeof *triangle);
  return is_pin(s, slots[1]) && is_pin(s, slots[2]) && is_pin(s, slots[3]);
}

static bool has_turn(const self_contact_step *s, int32_t slot) {
  const pin_move *move = s->turning ? particle_find_move(s->turning, s->penetrations->particle[slot]) : NULL;
  return move && !turn_is_none(move->turn);
}

static double3 read_at(const msd_real *state, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  return (double3){(double)state[at], (double)state[stride + at], (double)state[2 * stride + at]};
}

/* Three axes across each other: along the first side of a triangle, and across it in its plane and out of it.
   False if it has no area. */
static bool find_axes(const msd_real *state, size_t stride, const int32_t triangle[SURFACE_CORNERS],
                      double3 axes[3]) {
  const double3 x = read_at(state, stride, triangle[0]),
                side = double3_subtract(read_at(state, stride, triangle[1]), x),
                up = double3_cross(side, double3_subtract(read_at(state, stride, triangle[2]), x));
  const double squares[2] = {double3_dot(side, side), double3_dot(up, up)};
  if (!(squares[0] > 0 && squares[1] > 0 && isfinite(squares[0]) && isfinite(squares[1])))
    return false;
  axes[0] = double3_scale(side, 1 / sqrt(squares[0]));
  axes[2] = double3_scale(up, 1 / sqrt(squares[1]));
  axes[1] = double3_cross(axes[2], axes[0]);
  return true;
}

/* z = sum of g x before the substep. */
static double3 apart_before(const self_contact_step *s, int32_t n, const int32_t slots[PAIR_CORNERS]) {
  const double3 first = read_at(s->before, s->stride, slots[0]);
  double3 z = {0, 0, 0};
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    z = double3_add_scaled(z, double3_subtract(read_at(s->before, s->stride, slots[corner]), first),
                           (double)*near_pairs_at(&s->contact->near, NEAR_WEIGHT + corner, n));
  return z;
}

void self_contact_turn_anchors(const self_contact_step *s, parallel_range groups) {
  const near_pairs *near = &s->contact->near;
  for (int32_t n = near_pairs_next_pinned(near, groups, -1); n >= 0;
       n = near_pairs_next_pinned(near, groups, n)) {
    const msd_real most = *near_pairs_at(near, NEAR_SLIP_LIMIT, n);
    int32_t slots[PAIR_CORNERS], triangle[SURFACE_CORNERS];
    double3 from[3], to[3];
    near_pairs_slots(near, n, slots);
    if (most == NEAR_FREE || !find_triangle(s, near_pairs_kind(near, n), slots, triangle) ||
        has_turn(s, triangle[0]) || !find_axes(s->before, s->stride, triangle, from) ||
        !find_axes(s->behind, s->stride, triangle, to))
      continue;
    const double3 z = apart_before(s, n, slots);
    double3 turned = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++)
      turned = double3_add_scaled(turned, to[axis], double3_dot(from[axis], z));
    const double change[3] = {turned.x - z.x, turned.y - z.y, turned.z - z.z}, sign = most < 0 ? -1 : 1;
    for (int axis = 0; axis < 3; axis++) {
      msd_real *at = near_pairs_at(near, NEAR_ANCHOR + axis, n);
      *at = (msd_real)((double)*at + sign * change[axis]);
    }
  }
}
