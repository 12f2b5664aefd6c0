#include "engine/contact/cells.h"

#include "engine/base/growth.h"
#include "engine/base/record.h"
#include "engine/contact/cell_pairs.h"
#include "engine/kernel/widths.h"

static const cell_kernel *const widths[MSD_SIMD_COUNT] = {
    [MSD_SIMD_SCALAR] = &cell_kernel_scalar,
    [MSD_SIMD_128] = &cell_kernel_128,
#ifdef MSD_KERNELS_X86
    [MSD_SIMD_256] = &cell_kernel_256,
    [MSD_SIMD_512] = &cell_kernel_512,
#endif
};

/* ------------------------------------------------------------------------------------------------ memory */

static const growth_array arrays[] = {GROWTH_ARRAY(cells, pairs), GROWTH_ARRAY(cells, slots[0]),
                                      GROWTH_ARRAY(cells, slots[1]), GROWTH_ARRAY(cells, slots[2]),
                                      GROWTH_ARRAY(cells, slots[3])};
static const growth_table cell_growth = GROWTH(cells, count, capacity, arrays, .most = INT32_MAX / 8);

static const growth_array particle_arrays[] = {GROWTH_ARRAY(cells, particles), GROWTH_ARRAY(cells, rides)};
static const growth_table particle_growth =
    GROWTH(cells, particle_count, particle_capacity, particle_arrays, .most = INT32_MAX / 2);

bool cells_reserve(cells *c, memory *m, int32_t particles) {
  cells_free(c, m);
  return corner_lists_reserve(&c->corners, m, particles);
}

void cells_free(cells *c, memory *m) {
  growth_free(&cell_growth, c, m);
  growth_free(&particle_growth, c, m);
  corner_lists_free(&c->corners, m);
  *c = (cells){0};
}

bool cells_make_room(cells *c, memory *m, int32_t first, int32_t pairs) {
  c->count = first;
  return growth_reserve(&cell_growth, c, m, pairs);
}

void cells_put(cells *c, int32_t n, const int32_t slots[PAIR_CORNERS], pair_kind kind, double thickness) {
  c->pairs[n] = (cell_pair){.kind = kind, .thickness = thickness};
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    c->slots[corner][n] = slots[corner];
}

bool cells_finish(cells *c, memory *m, int32_t first, int32_t count, const msd_tasks *tasks, int threads) {
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

/* ------------------------------------------------------------------------------------------------ planes */

static void read_corners(const int32_t slots[PAIR_CORNERS], const msd_real *state, size_t stride,
                         double3 out[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    out[corner] = cell_read_at(state, stride, slots[corner]);
}

_Static_assert(sizeof(cell_particle) == RECORD_SIZE * sizeof(double), "a record");

void cells_read(const cell_step *s, parallel_range particles) {
  const cells *c = s->cells;
  for (int32_t n = particles.first; n < particles.last; n++) {
    const int32_t slot = c->corners.slots[n];
    cell_particle *a = &c->particles[n];
    a->x = cell_read_at(s->before, s->stride, slot);
    cell_take_next(s, n);
    a->is_led = s->inverse_mass[slot] > 0 ? 0 : 1;
  }
}

/* Pairs of a kind that are to have planes, so many at once. */
enum { PLANES_AT_ONCE = 64 };

typedef struct cell_batch {
  int32_t count, pairs[PLANES_AT_ONCE];
} cell_batch;

void cells_divide(const cell_step *s, parallel_range pairs) {
  const cells *c = s->cells;
  const cell_kernel *kernel = widths[kernels_width(s->simd)];
  cell_batch near[PAIR_KINDS];
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    near[kind].count = 0;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &c->pairs[n];
    cell_batch *batch = &near[p->kind];
    p->gap = s->is_again ? p->gap : p->next_gap;
    p->is_far = (p->gap > 0) & (cell_gap_behind(c, p) > p->least);
    p->is_pinched = p->stops = false;
    batch->pairs[batch->count] = n;
    batch->count += !p->is_far;
    if (batch->count == PLANES_AT_ONCE) {
      kernel->divide(c, p->kind, batch->pairs, batch->count);
      batch->count = 0;
    }
  }
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    kernel->divide(c, (pair_kind)kind, near[kind].pairs, near[kind].count);
}

void cells_tell(const cells *c, cell_distance *distances) {
  for (int32_t n = 0; n < c->count; n++)
    distances[n] = (cell_distance){c->pairs[n].next_gap, c->pairs[n].least};
}

/* Whoever made up a distance may not keep a plane from being asked for. */
void cells_go_on(cells *c, const cell_distance *distances, const msd_real *before, size_t stride) {
  for (int32_t n = 0; n < c->count; n++) {
    cell_pair *p = &c->pairs[n];
    int32_t slots[PAIR_CORNERS];
    double3 x[PAIR_CORNERS];
    cells_slots(c, n, slots);
    read_corners(slots, before, stride, x);
    const cell_witness w = cell_find_witness(p->kind, x);
    if (!(distances[n].least >= 2 * (p->thickness / 50)) || !w.found)
      continue;
    p->next_gap = distances[n].gap <= cell_gap(p->kind, &w) ? distances[n].gap : 0;
    p->least = distances[n].least;
  }
}

/* Whether the state behind has each side where it belongs. */
static bool is_divided(const cell_pair *p, const double3 next[PAIR_CORNERS]) {
  const cell_sides then = cell_sides_of(p->kind, p->normal, next);
  return then.a > p->plane && then.b < p->plane;
}

bool cells_have_divided(const cell_step *s, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                        double thickness) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  read_corners(slots, s->before, s->stride, x);
  read_corners(slots, s->behind, s->stride, next);
  const cell_witness w = cell_find_witness(kind, x);
  if (!w.found)
    return false;
  const cell_sides then = cell_sides_of(kind, w.normal, next);
  const double margin = cell_margin(thickness, cell_gap(kind, &w), cell_least_gap(x, thickness));
  return margin > 0 && then.a - then.b >= 2 * (margin - cell_slack(margin));
}

/* Ways are no longer by now, but for what has been taken along; what is far may have been. */
static void check(const cells *c, cell_pair *p) {
  p->next_gap = cell_gap_behind(c, p);
  if (p->is_far) {
    p->stops = !(p->next_gap > 0);
    return;
  }
  double3 next[PAIR_CORNERS];
  cell_take_behind(c, p, next);
  p->stops = p->stops || !is_divided(p, next);
}

bool cells_check(const cell_step *s, parallel_range pairs) {
  bool asks = false;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &s->cells->pairs[n];
    check(s->cells, p);
    asks = asks || p->stops || (!p->is_far && cell_is_led(s->cells, p));
  }
  return asks;
}

/* --------------------------------------------------------------------------------------------- particles */

/* The ways w from x that a pair leaves a corner: normal . w <= room, where `slack` more is but rounding. What
   has come so near that rounding might take it nearer still goes `away` where its way is cut. */
typedef struct half_space {
  double3 normal;
  double room, slack, away;
} half_space;

/* Whether a pair has a plane, and so half-spaces. */
static bool has_plane(const cell_pair *p) {
  return !(p->is_far | p->stops);
}

static half_space half_space_at(const cells *c, int32_t k) {
  const int corner = cell_corner_at(c, k);
  const cell_pair *p = cell_pair_at(c, k);
  const int towards = 1 - 2 * cell_is_first(p->kind, corner);
  return (half_space){double3_scale(p->normal, towards), p->room[corner], cell_slack(p->margin), p->away};
}

enum { AT_HAND = 64 };

/* Those of a particle, in the order of its pairs. The first of them are at hand, which is all but for what is
   in very many pairs; behind these are the corners from `rest` on, of which some may have none. */
typedef struct half_spaces {
  const cells *cells;
  int32_t held, rest, count;
  double normal[3][AT_HAND], room[AT_HAND], slack[AT_HAND], away[AT_HAND];
} half_spaces;

static void take_half_spaces(half_spaces *h, const cells *c, parallel_range corners) {
  int32_t held = 0, k = corners.first, which[AT_HAND];
  for (; k < corners.last && held < AT_HAND; k++) {
    which[held] = k;
    held += has_plane(cell_pair_at(c, k));
  }
  for (int32_t n = 0; n < held; n++) {
    const half_space at = half_space_at(c, which[n]);
    h->normal[0][n] = at.normal.x, h->normal[1][n] = at.normal.y, h->normal[2][n] = at.normal.z;
    h->room[n] = at.room, h->slack[n] = at.slack, h->away[n] = at.away;
  }
  h->cells = c;
  h->held = held;
  h->rest = k;
  h->count = held + corners.last - k;
}

/* Where there is none, one that holds all. */
static inline half_space nth(const half_spaces *h, int32_t n) {
  if (n < h->held)
    return (half_space){
        {h->normal[0][n], h->normal[1][n], h->normal[2][n]}, h->room[n], h->slack[n], h->away[n]};
  const int32_t k = h->rest + n - h->held;
  return has_plane(cell_pair_at(h->cells, k)) ? half_space_at(h->cells, k) : (half_space){{0, 0, 0}, 0, 0, 0};
}

static bool passes(half_space h, double3 way) {
  return double3_dot(h.normal, way) > h.room;
}

/* The sine of the angle between what counts as parallel, and its square. */
static const double PARALLEL = 1e-9, PARALLEL_SQUARE = 1e-18;

/* The point of a line nearest to `at` on it that is in a range of half-spaces. */
static double3 nearest_on_line(const half_spaces *all, int32_t count, double3 at, double3 along) {
  double least = -INFINITY, most = INFINITY;
  for (int32_t n = 0; n < count; n++) {
    const half_space h = nth(all, n);
    const double pace = double3_dot(h.normal, along), end = (h.room - double3_dot(h.normal, at)) / pace;
    if (pace > PARALLEL && end < most)
      most = end;
    if (pace < -PARALLEL && end > least)
      least = end;
  }
  const double t = least > 0 ? least : most < 0 ? most : 0;
  return double3_add_scaled(at, along, t);
}

/* The point of a plane nearest to `way` that is in a range of half-spaces. */
static double3 nearest_on_plane(const half_spaces *all, int32_t count, half_space plane, double3 way) {
  const double3 foot = double3_add_scaled(way, plane.normal, plane.room - double3_dot(plane.normal, way));
  double3 at = foot;
  for (int32_t n = 0; n < count; n++) {
    const half_space h = nth(all, n);
    const double3 within = double3_add_scaled(h.normal, plane.normal, -double3_dot(h.normal, plane.normal));
    const double square = double3_dot(within, within);
    if (!passes(h, at) || !(square > PARALLEL_SQUARE))
      continue;
    const double3 on_line = double3_add_scaled(foot, within, (h.room - double3_dot(h.normal, foot)) / square);
    at = nearest_on_line(all, n, on_line,
                         double3_scale(double3_cross(plane.normal, within), 1 / sqrt(square)));
  }
  return at;
}

/* The point of a range of half-spaces nearest to `way`. One after the other is added to those before: where it
   does not hold what was nearest so far, what is now nearest is on its plane, and likewise there and on lines
   (Seidel, 1991). Rounding may leave it outside. */
static double3 nearest_in(const half_spaces *all, double3 way) {
  double3 at = way;
  for (int32_t n = 0; n < all->count; n++) {
    const half_space h = nth(all, n);
    if (passes(h, at))
      at = nearest_on_plane(all, n, h, way);
  }
  return at;
}

/* How far the furthest of the half-spaces has moved over x. */
static double carried(const half_spaces *all) {
  double most = 0;
  for (int32_t n = 0; n < all->count; n++) {
    const double by = -nth(all, n).room;
    most = by > most ? by : most;
  }
  return most;
}

/* The same, or the way itself where nothing finite is left; and a little away from what is too near. */
static double3 go_round(const half_spaces *all, double3 way) {
  double3 at = nearest_in(all, way);
  if (!isfinite(double3_dot(at, at)))
    return way;
  for (int32_t n = 0; n < all->count; n++) {
    const half_space h = nth(all, n);
    const double made = h.room < 0 ? h.room : 0;
    if (h.away > 0 && double3_dot(h.normal, at) > made - h.away)
      at = double3_add_scaled(at, h.normal, -h.away);
  }
  return at;
}

/* What the half-spaces leave of a way: never longer than it is, but where it makes way for what is led, which
   it does without being thrown out of wedges; and in all those that have not moved, but for their slack. */
static double3 keep_within(const half_spaces *all, double3 way) {
  const double3 kept = go_round(all, way);
  const double length = sqrt(double3_dot(kept, kept)), most = sqrt(double3_dot(way, way)) + 4 * carried(all);
  double share = length > most ? most / length : 1;
  for (int32_t n = 0; n < all->count; n++) {
    const half_space h = nth(all, n);
    const double room = h.room + h.slack, along = double3_dot(h.normal, kept);
    if (room > 0 && along > room && room < share * along)
      share = room / along;
  }
  return double3_scale(kept, share);
}

static bool is_within(const half_spaces *all, double3 way) {
  bool within = true;
  for (int32_t n = 0; n < all->count && within; n++)
    within = !passes(nth(all, n), way);
  return within;
}

int32_t cells_shorten(const cell_step *s, parallel_range particles) {
  const cells *c = s->cells;
  half_spaces all;
  int32_t count = 0;
  for (int32_t n = particles.first; n < particles.last; n++) {
    const cell_particle *a = &c->particles[n];
    take_half_spaces(&all, c, (parallel_range){c->corners.first[n], c->corners.last[n]});
    const double3 way = double3_subtract(a->next, a->x);
    if (a->is_led > 0 || is_within(&all, way))
      continue;
    cell_go(s, n, keep_within(&all, way));
    count++;
  }
  return count;
}

void cells_stop(const cell_step *s, parallel_range particles) {
  const corner_lists *c = &s->cells->corners;
  for (int32_t n = particles.first; n < particles.last; n++) {
    bool stops = false;
    for (int32_t k = c->first[n]; k < c->last[n] && !stops; k++)
      stops = cell_pair_at(s->cells, k)->stops;
    if (stops && !(s->cells->particles[n].is_led > 0))
      cell_go(s, n, (double3){0, 0, 0});
  }
}
