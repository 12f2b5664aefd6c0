#include "engine/contact/separation.h"

#include "engine/base/growth.h"
#include "engine/base/record.h"
#include "engine/contact/separation_pairs.h"
#include "engine/kernel/widths.h"

#include <string.h>

static const separation_kernel *const widths[MSD_SIMD_COUNT] = {
    [MSD_SIMD_SCALAR] = &cell_kernel_scalar,
    [MSD_SIMD_128] = &cell_kernel_128,
#ifdef MSD_KERNELS_X86
    [MSD_SIMD_256] = &cell_kernel_256,
    [MSD_SIMD_512] = &cell_kernel_512,
#endif
};

/* ------------------------------------------------------------------------------------------------- memory */

static const growth_array arrays[] = {GROWTH_ARRAY(cells, pairs),    GROWTH_ARRAY(cells, struck),
                                      GROWTH_ARRAY(cells, slots[0]), GROWTH_ARRAY(cells, slots[1]),
                                      GROWTH_ARRAY(cells, slots[2]), GROWTH_ARRAY(cells, slots[3]),
                                      GROWTH_ARRAY(cells, active)};
static const growth_table cell_growth = GROWTH(cells, count, capacity, arrays, .most = INT32_MAX / 8);

static const growth_array particle_arrays[] = {GROWTH_ARRAY(cells, particles), GROWTH_ARRAY(cells, rides)};
static const growth_table particle_growth =
    GROWTH(cells, particle_count, particle_capacity, particle_arrays, .most = INT32_MAX / 2);

bool separation_reserve(cells *c, memory *m, int32_t particles) {
  separation_free(c, m);
  return corner_lists_reserve(&c->corners, m, particles);
}

void separation_free(cells *c, memory *m) {
  growth_free(&cell_growth, c, m);
  growth_free(&particle_growth, c, m);
  separation_free_impacts(c, m);
  corner_lists_free(&c->corners, m);
  *c = (cells){0};
}

bool separation_make_room(cells *c, memory *m, int32_t first, int32_t pairs) {
  c->count = first;
  return growth_reserve(&cell_growth, c, m, pairs);
}

void separation_put(cells *c, int32_t n, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                    double thickness) {
  c->pairs[n] = (separation_pair){.kind = kind, .thickness = thickness};
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    c->slots[corner][n] = slots[corner];
}

bool separation_finish(cells *c, memory *m, int32_t first, int32_t count, const msd_tasks *tasks,
                       int threads) {
  c->count = count;
  const corners_extended extended =
      corner_lists_extend(&c->corners, m, (const int32_t *const *)c->slots, first, count, tasks, threads);
  c->particle_count = 0;
  if (extended == CORNERS_NONE || !growth_reserve(&particle_growth, c, m, c->corners.count))
    return false;
  c->particle_count = c->corners.count;
  for (int32_t n = extended == CORNERS_APPENDED ? first : 0; n < count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      c->pairs[n].particles[corner] = c->corners.owner[c->slots[corner][n]];
  return true;
}

bool cells_have(const cells *c, const int32_t slots[PAIR_CORNERS], pair_kind kind) {
  for (int32_t n = corner_lists_find(&c->corners, (const int32_t *const *)c->slots, slots, 0); n >= 0;
       n = corner_lists_find(&c->corners, (const int32_t *const *)c->slots, slots, n + 1))
    if (c->pairs[n].kind == kind)
      return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------- planes */

static void read_corners(const int32_t slots[PAIR_CORNERS], const msd_real *state, size_t stride,
                         double3 out[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    out[corner] = cell_read_at(state, stride, slots[corner]);
}

_Static_assert(sizeof(cell_particle) == RECORD_SIZE * sizeof(double), "a record");

void separation_read(const separation_step *s, parallel_range particles) {
  const cells *c = s->cells;
  for (int32_t n = particles.first; n < particles.last; n++) {
    const int32_t slot = c->corners.slots[n];
    cell_particle *a = &c->particles[n];
    a->x = cell_read_at(s->before, s->stride, slot);
    cell_take_next(s, n);
    a->is_kinematic = s->inverse_mass[slot] > 0 ? 0 : 1;
  }
}

/* A plane of a pair, as in separation_pair. */
typedef struct pair_plane {
  double3 normal;
  double gap, margin, plane, room[PAIR_CORNERS];
} pair_plane;

/* How far the free corners would pass their planes, in m; not above 0 if none would. */
static double excess_of(const separation_step *s, const separation_pair *p, double3 normal,
                        const double room[PAIR_CORNERS]) {
  double most = -INFINITY;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const cell_particle *a = separation_corner(s->cells, p, corner);
    const double along = double3_dot(normal, cell_way(a)),
                 excess = (separation_is_first(p->kind, corner) ? -along : along) - room[corner];
    most = a->is_kinematic > 0 || excess <= most ? most : excess;
  }
  return most;
}

/* The plane along a normal from side B to side A. False if the pair is nearer along it. */
static bool place_along(const separation_step *s, const separation_pair *p, double3 normal, pair_plane *out) {
  const cells *c = s->cells;
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  double along[PAIR_CORNERS];
  LANE_MASK is_kinematic[PAIR_CORNERS];
  cell_take_before(c, p, x);
  cell_take_behind(c, p, next);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    along[corner] = double3_dot(normal, x[corner]);
    is_kinematic[corner] = separation_corner(c, p, corner)->is_kinematic > 0;
  }
  const separation_sides now = separation_sides_along(p->kind, along),
                         then = separation_sides_of(p->kind, normal, next),
                         led = cell_sides_of_some(p->kind, normal, next, is_kinematic);
  const double least = separation_least_gap(x, p->thickness);
  out->normal = normal;
  out->gap = now.a - now.b;
  if (!(out->gap > 2 * least && out->gap > SURFACE_LEAST_LEVEL_GAP * p->thickness))
    return false;
  out->margin = cell_margin(p->thickness, out->gap, least);
  out->plane = cell_place_plane(now, then, led, out->margin, out->gap - 2 * out->margin);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const double behind = along[corner] - out->plane;
    out->room[corner] = cell_room(separation_is_first(p->kind, corner) ? behind : -behind, out->margin);
  }
  return true;
}

/* True if all corners of side A (`first`) or B are kinematic. */
static bool is_kinematic_side(const cells *c, const separation_pair *p, bool first) {
  bool is = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    is = is &&
         (separation_is_first(p->kind, corner) != first || separation_corner(c, p, corner)->is_kinematic > 0);
  return is;
}

/* Faces at a vertex that are tried. */
enum { MOST_FACES = 16 };

/* Longest way along a face, as a part of the thickness, in which planes stay across their witnesses. */
static const double MOST_ALONG = 0.5;

/* True if a free corner and a kinematic one slide farther along each other than that. */
static bool slides_far(const cells *c, const separation_pair *p, double3 normal) {
  double most = 0;
  for (int free = 0; free < PAIR_CORNERS; free++)
    for (int led = 0; led < PAIR_CORNERS; led++) {
      const cell_particle *a = separation_corner(c, p, free), *b = separation_corner(c, p, led);
      const double3 way = double3_subtract(cell_way(a), cell_way(b));
      const double along = double3_dot(normal, way), square = double3_dot(way, way) - along * along;
      if (!(a->is_kinematic > 0) && b->is_kinematic > 0 && square > most)
        most = square;
    }
  return most > MOST_ALONG * MOST_ALONG * p->thickness * p->thickness;
}

/* Takes the plane parallel to a face if the free corners pass it less far; `excess`: how far they pass. */
static void try_face(const separation_step *s, separation_pair *p, const double3 corners[SURFACE_CORNERS],
                     double *excess) {
  const double3 up =
      double3_cross(double3_subtract(corners[1], corners[0]), double3_subtract(corners[2], corners[0]));
  const double square = double3_dot(up, up);
  if (!(square > 0 && isfinite(square)))
    return;
  pair_plane plane;
  const double3 normal = double3_scale(up, 1 / sqrt(square));
  if (!slides_far(s->cells, p, normal))
    return;
  if (!place_along(s, p, normal, &plane) && !place_along(s, p, double3_scale(normal, -1), &plane))
    return;
  const double left = excess_of(s, p, plane.normal, plane.room);
  if (!(left < *excess))
    return;
  *excess = left;
  p->is_level = true;
  p->normal = plane.normal;
  p->margin = plane.margin;
  p->plane = plane.plane;
  p->away = 0;
  memcpy(p->room, plane.room, sizeof plane.room);
}

/* Tries the faces at an edge, or at a vertex (`to` < 0), of the surface. */
static void try_faces_at(const separation_step *s, separation_pair *p, int32_t slot, int32_t to,
                         double *excess) {
  const vertex_adjacency *at = &s->mesh->triangles_at;
  int tried = 0;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1]; n++) {
    if (tried == MOST_FACES || !(*excess > 0))
      return;
    const int32_t *others = at->others[n];
    if (to >= 0 && others[0] != to && others[1] != to)
      continue;
    const double3 corners[SURFACE_CORNERS] = {cell_read_at(s->before, s->stride, slot),
                                              cell_read_at(s->before, s->stride, others[0]),
                                              cell_read_at(s->before, s->stride, others[1])};
    try_face(s, p, corners, excess);
    tried++;
  }
}

/* Takes a plane parallel to a face of the kinematic side where the one across the witness clips more. */
static void level_plane(const separation_step *s, separation_pair *p) {
  const cells *c = s->cells;
  const bool first = is_kinematic_side(c, p, true), second = is_kinematic_side(c, p, false);
  if (p->stops || first == second)
    return;
  double excess = excess_of(s, p, p->normal, p->room);
  if (!(excess > 0))
    return;
  const int32_t *slots = c->corners.slots;
  if (p->kind == PAIR_POINT_TRIANGLE && second) {
    double3 x[PAIR_CORNERS];
    cell_take_before(c, p, x);
    try_face(s, p, x + 1, &excess);
  } else if (p->kind == PAIR_POINT_TRIANGLE) {
    try_faces_at(s, p, slots[p->particles[0]], -1, &excess);
  } else {
    const int side = first ? 0 : 2;
    try_faces_at(s, p, slots[p->particles[side]], slots[p->particles[side + 1]], &excess);
  }
}

/* How many pairs of a kind are collected before their planes are placed. */
enum { PLANES_AT_ONCE = 64 };

typedef struct cell_batch {
  int32_t count, pairs[PLANES_AT_ONCE];
} cell_batch;

static void divide_batch(const separation_step *s, const separation_kernel *kernel, pair_kind kind,
                         cell_batch *batch) {
  kernel->divide(s->cells, kind, batch->pairs, batch->count);
  for (int32_t k = 0; k < batch->count && s->mesh; k++)
    level_plane(s, &s->cells->pairs[batch->pairs[k]]);
  batch->count = 0;
}

void separation_divide(const separation_step *s, parallel_range pairs) {
  const cells *c = s->cells;
  const separation_kernel *kernel = widths[kernels_width(s->simd)];
  cell_batch near[PAIR_KINDS];
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    near[kind].count = 0;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    separation_pair *p = &c->pairs[n];
    cell_batch *batch = &near[p->kind];
    p->gap = s->is_again ? p->gap : p->next_gap;
    p->is_far = (p->gap > 0) & (separation_gap_after(c, p) > p->least);
    p->is_forced = p->stops = p->is_level = false;
    atomic_store_explicit(&c->struck[n], 0, memory_order_relaxed);
    batch->pairs[batch->count] = n;
    batch->count += !p->is_far;
    if (batch->count == PLANES_AT_ONCE)
      divide_batch(s, kernel, p->kind, batch);
  }
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    divide_batch(s, kernel, (pair_kind)kind, &near[kind]);
}

void separation_report(const cells *c, separation_distance *distances) {
  for (int32_t n = 0; n < c->count; n++)
    distances[n] = (separation_distance){c->pairs[n].next_gap, c->pairs[n].least};
}

/* Bounds come from snapshots, so they are compared with the real gap. */
void separation_continue(cells *c, const separation_distance *distances, const msd_real *before,
                         size_t stride) {
  for (int32_t n = 0; n < c->count; n++) {
    separation_pair *p = &c->pairs[n];
    int32_t slots[PAIR_CORNERS];
    double3 x[PAIR_CORNERS];
    cells_slots(c, n, slots);
    read_corners(slots, before, stride, x);
    const separation_witness w = separation_find_witness(p->kind, x);
    if (!(distances[n].least >= 2 * (p->thickness / 50)) || !w.found)
      continue;
    p->next_gap = distances[n].gap <= separation_gap(p->kind, &w) ? distances[n].gap : 0;
    p->least = distances[n].least;
  }
}

bool separation_has_divided(const separation_step *s, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                            double thickness) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  read_corners(slots, s->before, s->stride, x);
  read_corners(slots, s->behind, s->stride, next);
  const separation_witness w = separation_find_witness(kind, x);
  if (!w.found)
    return false;
  const separation_sides then = separation_sides_of(kind, w.normal, next);
  const double margin = cell_margin(thickness, separation_gap(kind, &w), separation_least_gap(x, thickness));
  return margin > 0 && then.a - then.b >= 2 * (margin - cell_slack(margin));
}

/* Displacements only shrink after the far test, except those of carried particles: so far pairs are checked
   too. */
static void check(const cells *c, separation_pair *p) {
  p->next_gap = separation_gap_after(c, p);
  if (p->is_far) {
    p->stops = !(p->next_gap > 0);
    return;
  }
  double3 next[PAIR_CORNERS];
  cell_take_behind(c, p, next);
  p->stops = p->stops || !separation_is_divided(p, next);
}

bool separation_check(const separation_step *s, parallel_range pairs) {
  bool asks = false;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    separation_pair *p = &s->cells->pairs[n];
    check(s->cells, p);
    asks = asks || p->stops || (!p->is_far && cell_is_led(s->cells, p));
  }
  return asks;
}

/* ---------------------------------------------------------------------------------------------- particles */

/* A half-space of displacements w from x: the bound on normal . w, and the tolerance of it. If `away` is
   above 0 the pair is below the least gap, and a clipped move goes this far away from the plane. */
typedef struct half_space {
  double3 normal;
  double room, slack, away;
  /* In corners.corners. */
  int32_t corner;
} half_space;

/* False for far pairs, and for pairs whose corners stay at x. */
static bool has_plane(const separation_pair *p) {
  return !(p->is_far | p->stops);
}

static half_space half_space_at(const cells *c, int32_t k) {
  const int corner = cell_corner_at(c, k);
  const separation_pair *p = separation_pair_at(c, k);
  const int towards = 1 - 2 * separation_is_first(p->kind, corner);
  return (half_space){double3_scale(p->normal, towards), p->room[corner], cell_slack(p->margin), p->away,
                      c->corners.corners[k]};
}

/* Up to IN_ORDER half-spaces are added by how far the move is outside, more in a shuffled order, and above
   MOST_HALF_SPACES the particle stays at x. So it does where more than IN_ORDER have no point in common, or
   where it visits more than MOST_VISITS half-spaces plus VISITS_OF_EACH for each it has, which IN_ORDER
   half-spaces never reach. */
enum { IN_ORDER = 128, MOST_HALF_SPACES = 1024, MOST_VISITS = 1 << 19, VISITS_OF_EACH = 64 };

/* The half-spaces of a particle. `is_full`: it has more of them; `is_empty`: no point lies in all of them. A
   point counts as within a half-space up to `rounding`, in m, so that planes that meet in one corner are not
   visited again and again. */
typedef struct half_spaces {
  bool is_full, is_empty;
  int32_t count;
  int64_t visits, most_visits;
  double rounding;
  half_space at[MOST_HALF_SPACES];
} half_spaces;

/* A fixed permutation (Fisher and Yates, 1938), with which the expected number of visits is linear. */
static void shuffle(int32_t *which, int32_t count) {
  uint32_t random = 1;
  for (int32_t n = count - 1; n > 0; n--) {
    random = random * 1664525 + 1013904223;
    const int32_t other = (int32_t)((random >> 8) % (uint32_t)(n + 1)), had = which[n];
    which[n] = which[other];
    which[other] = had;
  }
}

static void take_half_spaces(half_spaces *h, const cells *c, parallel_range corners) {
  int32_t held = 0, k = corners.first, which[MOST_HALF_SPACES];
  for (; k < corners.last && held < MOST_HALF_SPACES; k++) {
    which[held] = k;
    held += has_plane(separation_pair_at(c, k));
  }
  h->is_full = h->is_empty = false;
  for (; k < corners.last && !h->is_full; k++)
    h->is_full = has_plane(separation_pair_at(c, k));
  if (held > IN_ORDER)
    shuffle(which, held);
  for (int32_t n = 0; n < held; n++)
    h->at[n] = half_space_at(c, which[n]);
  h->count = held;
  h->visits = 0;
  h->most_visits = MOST_VISITS + VISITS_OF_EACH * (int64_t)held;
}

static bool is_exhausted(const half_spaces *h) {
  return h->visits > h->most_visits || (h->is_empty && h->count > IN_ORDER);
}

static bool passes(half_space h, double3 way) {
  return double3_dot(h.normal, way) > h.room;
}

/* `rounding` of half_spaces, as a fraction of the move. */
static const double ROUNDING = 1e-9;

static bool is_beyond(const half_spaces *all, half_space h, double3 at) {
  return double3_dot(h.normal, at) > h.room + all->rounding;
}

/* Directions count as parallel below this sine of their angle, and its square. */
static const double PARALLEL = 1e-9, PARALLEL_SQUARE = 1e-18;

/* Clips the point `at` to the first `count` half-spaces, moving only along the line. */
static double3 nearest_on_line(half_spaces *all, int32_t count, double3 at, double3 along) {
  all->visits += count;
  double least = -INFINITY, most = INFINITY;
  for (int32_t n = 0; n < count; n++) {
    const half_space h = all->at[n];
    const double pace = double3_dot(h.normal, along), end = (h.room - double3_dot(h.normal, at)) / pace;
    if (pace > PARALLEL && end < most)
      most = end;
    if (pace < -PARALLEL && end > least)
      least = end;
    if (!(pace > PARALLEL || pace < -PARALLEL) && is_beyond(all, h, at))
      all->is_empty = true;
  }
  all->is_empty = all->is_empty || least > most + all->rounding;
  const double t = least > 0 ? least : most < 0 ? most : 0;
  return double3_add_scaled(at, along, t);
}

/* The point of a plane nearest to `way` within the first `count` half-spaces. */
static double3 nearest_on_plane(half_spaces *all, int32_t count, half_space plane, double3 way) {
  const double3 foot = double3_add_scaled(way, plane.normal, plane.room - double3_dot(plane.normal, way));
  double3 at = foot;
  all->visits += count;
  for (int32_t n = 0; n < count && !is_exhausted(all); n++) {
    const half_space h = all->at[n];
    const double3 within = double3_add_scaled(h.normal, plane.normal, -double3_dot(h.normal, plane.normal));
    const double square = double3_dot(within, within);
    if (!is_beyond(all, h, at))
      continue;
    if (!(square > PARALLEL_SQUARE)) {
      all->is_empty = all->is_empty || double3_dot(h.normal, plane.normal) < 0;
      continue;
    }
    const double3 on_line = double3_add_scaled(foot, within, (h.room - double3_dot(h.normal, foot)) / square);
    at = nearest_on_line(all, n, on_line,
                         double3_scale(double3_cross(plane.normal, within), 1 / sqrt(square)));
  }
  return at;
}

/* The half-space from the n-th on that a point is farthest outside of; -1 if it is within all. */
static int32_t farthest_beyond(const half_spaces *all, int32_t n, double3 at) {
  int32_t farthest = -1;
  for (double most = all->rounding; n < all->count; n++) {
    const double by = double3_dot(all->at[n].normal, at) - all->at[n].room;
    farthest = by > most ? n : farthest;
    most = by > most ? by : most;
  }
  return farthest;
}

static void swap(half_space *a, half_space *b) {
  const half_space had = *a;
  *a = *b;
  *b = had;
}

/* The point of all half-spaces nearest to `way`, by incremental linear programming (Seidel, 1991).
   Half-spaces are added one by one; if one excludes the nearest point so far, the new one lies on its plane,
   and this repeats on planes and lines. Up to IN_ORDER are added by how far the point is outside, so that few
   are added at all. Rounding may leave the result slightly outside. It is undefined if the half-spaces are
   exhausted. */
static double3 nearest_in(half_spaces *all, double3 way) {
  double3 at = way;
  all->rounding = ROUNDING * sqrt(double3_dot(way, way));
  for (int32_t n = 0; n < all->count && !is_exhausted(all); n++) {
    const int32_t next = all->count > IN_ORDER ? n : farthest_beyond(all, n, at);
    all->visits += all->count > IN_ORDER ? 1 : all->count - n;
    if (next < 0)
      break;
    swap(&all->at[n], &all->at[next]);
    if (is_beyond(all, all->at[n], at))
      at = nearest_on_plane(all, n, all->at[n], way);
  }
  return at;
}

/* How far the planes have moved past x; 0 if none has. */
static double carried(const half_spaces *all) {
  double most = 0;
  for (int32_t n = 0; n < all->count; n++) {
    const double by = -all->at[n].room;
    most = by > most ? by : most;
  }
  return most;
}

/* As nearest_in, or `way` itself if the result is not finite, or 0 if the half-spaces are exhausted. Pairs
   below the least gap move a little apart. */
static double3 go_round(half_spaces *all, double3 way) {
  double3 at = nearest_in(all, way);
  if (is_exhausted(all))
    return (double3){0, 0, 0};
  if (!isfinite(double3_dot(at, at)))
    return way;
  for (int32_t n = 0; n < all->count; n++) {
    const half_space h = all->at[n];
    const double made = h.room < 0 ? h.room : 0;
    if (h.away > 0 && double3_dot(h.normal, at) > made - h.away)
      at = double3_add_scaled(at, h.normal, -h.away);
  }
  return at;
}

/* Clips a displacement to the half-spaces. The result is never longer than `way`, except when it gives way
   to kinematic corners; the bound on that prevents ejection from wedges. It respects all half-spaces that
   contain x, up to their slack. */
static double3 keep_within(half_spaces *all, double3 way) {
  const double3 kept = go_round(all, way);
  const double length = sqrt(double3_dot(kept, kept)), most = sqrt(double3_dot(way, way)) + 4 * carried(all);
  double share = length > most ? most / length : 1;
  for (int32_t n = 0; n < all->count; n++) {
    const half_space h = all->at[n];
    const double room = h.room + h.slack, along = double3_dot(h.normal, kept);
    if (room > 0 && along > room && room < share * along)
      share = room / along;
  }
  return double3_scale(kept, share);
}

static bool is_within(const half_spaces *all, double3 way) {
  bool within = true;
  for (int32_t n = 0; n < all->count && within; n++)
    within = !passes(all->at[n], way);
  return within;
}

/* The same for all half-spaces, gathered or not. */
static bool is_within_each(const cells *c, parallel_range corners, double3 way) {
  bool within = true;
  for (int32_t k = corners.first; k < corners.last && within; k++)
    within = !has_plane(separation_pair_at(c, k)) || !passes(half_space_at(c, k), way);
  return within;
}

static double square_between(const cells *c, const separation_pair *p, int a, int b) {
  const double3 d = double3_subtract(separation_corner(c, p, a)->x, separation_corner(c, p, b)->x);
  return double3_dot(d, d);
}

/* The square of the shortest edge of a pair. */
static double least_square(const cells *c, const separation_pair *p) {
  const double last = square_between(c, p, 2, 3);
  if (p->kind == PAIR_EDGE_EDGE)
    return fmin(last, square_between(c, p, 0, 1));
  return fmin(last, fmin(square_between(c, p, 1, 2), square_between(c, p, 1, 3)));
}

/* Clips the move of a particle. What is cut becomes impulses (separation_transfer), for which the corners whose
   planes it would have passed are marked. A cut of more than SHORT of the edges there would strain what is
   attached to the particle as much if it kept its velocity, which therefore becomes that of the move. */
static const double SHORT = 0.5;

/* False if pins hold the body of one side of a plane, given by a corner in front of it. */
static bool keeps_momentum(const separation_step *s, uint32_t corner) {
  const cells *c = s->cells;
  const uint32_t pair = corner / PAIR_CORNERS;
  bool is_held = false;
  for (int k = 0; k < PAIR_CORNERS; k++)
    is_held = is_held || (s->attached && s->attached[c->slots[k][pair]]);
  return !is_held;
}

static void clip_move(const separation_step *s, int32_t n, const half_spaces *all, double3 way,
                      double3 kept) {
  const cells *c = s->cells;
  const double3 cut = double3_subtract(way, kept);
  const double square = double3_dot(cut, cut);
  bool keeps = true;
  for (int32_t k = 0; k < all->count && keeps; k++) {
    const uint32_t corner = (uint32_t)all->at[k].corner;
    keeps = !passes(all->at[k], way) ||
            (square <= SHORT * SHORT * least_square(c, &c->pairs[corner / PAIR_CORNERS]) &&
             keeps_momentum(s, corner));
  }
  if (!keeps) {
    cell_go(s, n, kept);
    return;
  }
  cell_hold(s, n, kept);
  for (int32_t k = 0; k < all->count; k++) {
    const uint32_t corner = (uint32_t)all->at[k].corner;
    if (passes(all->at[k], way))
      atomic_fetch_or_explicit(&c->struck[corner / PAIR_CORNERS],
                               (unsigned char)(1u << corner % PAIR_CORNERS), memory_order_relaxed);
  }
}

separation_clipped separation_clip(const separation_step *s, parallel_range particles) {
  const cells *c = s->cells;
  half_spaces all;
  separation_clipped clipped = {0, 0};
  for (int32_t n = particles.first; n < particles.last; n++) {
    const cell_particle *a = &c->particles[n];
    const parallel_range corners = {c->corners.first[n], c->corners.last[n]};
    const double3 way = double3_subtract(a->next, a->x);
    take_half_spaces(&all, c, corners);
    clipped.visits += corners.last - corners.first;
    if (a->is_kinematic > 0 || (is_within(&all, way) && !(all.is_full && !is_within_each(c, corners, way))))
      continue;
    clip_move(s, n, &all, way, all.is_full ? (double3){0, 0, 0} : keep_within(&all, way));
    clipped.visits += all.visits;
    clipped.moves++;
  }
  return clipped;
}

static bool is_stopped(const cells *c, int32_t n) {
  bool stops = false;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n] && !stops; k++)
    stops = separation_pair_at(c, k)->stops;
  return stops;
}

double3 separation_find_within(const cells *c, int32_t slot, const separation_bound *bounds, int32_t count,
                               double3 way) {
  half_spaces all;
  const int32_t n = separation_owner(c, slot);
  all.count = 0;
  all.is_full = all.is_empty = false;
  if (n >= 0 && is_stopped(c, n))
    return way;
  if (n >= 0)
    take_half_spaces(&all, c, (parallel_range){c->corners.first[n], c->corners.last[n]});
  if (all.is_full || all.count + count > MOST_HALF_SPACES)
    return (double3){0, 0, 0};
  for (int32_t k = 0; k < count; k++)
    all.at[all.count++] = (half_space){.normal = bounds[k].normal, .room = bounds[k].most};
  all.visits = 0;
  all.most_visits = MOST_VISITS + VISITS_OF_EACH * (int64_t)all.count;
  return is_within(&all, way) ? way : keep_within(&all, way);
}

/* True if the particle is in a pair that touches at x, which has no plane. */
static bool touches(const cells *c, int32_t n) {
  bool is = false;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n] && !is; k++)
    is = separation_pair_at(c, k)->stops && !(separation_pair_at(c, k)->margin > 0);
  return is;
}

void separation_stop(const separation_step *s, parallel_range particles) {
  const double3 none = {0, 0, 0};
  for (int32_t n = particles.first; n < particles.last; n++) {
    if (s->cells->particles[n].is_kinematic > 0 || !is_stopped(s->cells, n))
      continue;
    if (touches(s->cells, n))
      cell_go(s, n, none);
    else
      cell_hold(s, n, none);
  }
}
