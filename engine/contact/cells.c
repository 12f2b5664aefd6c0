#include "engine/contact/cells.h"

#include "engine/base/growth.h"
#include "engine/store/particle.h"

#include "engine/base/record.h"
#include "engine/kernel/widths.h"

#define LANE_DOUBLE
#include "engine/contact/cell_planes.h"

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

static double3 read_at(const msd_real *state, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  return (double3){(double)state[at], (double)state[stride + at], (double)state[2 * stride + at]};
}

static void read_corners(const int32_t slots[PAIR_CORNERS], const msd_real *state, size_t stride,
                         double3 out[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    out[corner] = read_at(state, stride, slots[corner]);
}

static double way_of(const cell_particle *a) {
  const double3 way = double3_subtract(a->next, a->x);
  return sqrt(double3_dot(way, way));
}

_Static_assert(sizeof(cell_particle) == RECORD_SIZE * sizeof(double), "a record");

void cells_read(const cell_step *s, parallel_range particles) {
  const cells *c = s->cells;
  for (int32_t n = particles.first; n < particles.last; n++) {
    const int32_t slot = c->corners.slots[n];
    cell_particle *a = &c->particles[n];
    a->x = read_at(s->before, s->stride, slot);
    a->next = read_at(s->behind, s->stride, slot);
    a->way = way_of(a);
    a->is_led = s->inverse_mass[slot] > 0 ? 0 : 1;
  }
}

static const cell_particle *corner_of(const cells *c, const cell_pair *p, int corner) {
  return &c->particles[p->particles[corner]];
}

static void take_before(const cells *c, const cell_pair *p, double3 x[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    x[corner] = corner_of(c, p, corner)->x;
}

static void take_behind(const cells *c, const cell_pair *p, double3 next[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    next[corner] = corner_of(c, p, corner)->next;
}

/* How much nearer the sides may come than they were at x: by no more than the longest ways of both. */
static double approach_of(const cells *c, const cell_pair *p) {
  double way[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    way[corner] = lane_most(0, corner_of(c, p, corner)->way);
  return lane_most(way[0], way[cell_last_of_a(p->kind)]) +
         lane_most(lane_most(way[cell_first_of_b(p->kind)], way[2]), way[3]);
}

/* What is left of the gap at least, of which rounding is a part of what it had to be. */
static double gap_behind(const cells *c, const cell_pair *p) {
  return p->gap - approach_of(c, p) - p->least / 16;
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
    p->is_far = (p->gap > 0) & (gap_behind(c, p) > p->least);
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

/* Whether some plane across the witness divides it. */
static bool is_apart(const cell_pair *p, const double3 next[PAIR_CORNERS]) {
  const cell_sides then = cell_sides_of(p->kind, p->normal, next);
  return then.a > then.b;
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
  p->next_gap = gap_behind(c, p);
  if (p->is_far) {
    p->stops = !(p->next_gap > 0);
    return;
  }
  double3 next[PAIR_CORNERS];
  take_behind(c, p, next);
  p->stops = p->stops || !is_divided(p, next);
}

static bool is_moved(const cell_particle *a) {
  return a->x.x != a->next.x || a->x.y != a->next.y || a->x.z != a->next.z;
}

/* Whether a corner that nothing can hold is moved. */
static bool is_led(const cells *c, const cell_pair *p) {
  bool led = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led || (corner_of(c, p, corner)->is_led > 0 && is_moved(corner_of(c, p, corner)));
  return led;
}

/* Whether no corner can be held. */
static bool is_led_whole(const cells *c, const cell_pair *p) {
  bool whole = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    whole = whole && corner_of(c, p, corner)->is_led > 0;
  return whole;
}

bool cells_check(const cell_step *s, parallel_range pairs) {
  bool asks = false;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &s->cells->pairs[n];
    check(s->cells, p);
    asks = asks || p->stops || (!p->is_far && is_led(s->cells, p));
  }
  return asks;
}

static void place_at(const double3 x[PAIR_CORNERS], const double3 next[PAIR_CORNERS], double share,
                     double3 at[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    at[corner] = share < 1 ? double3_add_scaled(x[corner], double3_subtract(next[corner], x[corner]), share)
                           : next[corner];
}

/* Whether a plane across the witness at one end of a way divides the pair at both, and so all the way. */
static bool is_divided_between(pair_kind kind, const double3 from[PAIR_CORNERS],
                               const double3 to[PAIR_CORNERS]) {
  for (int end = 0; end < 2; end++) {
    const cell_witness w = cell_find_witness(kind, end ? to : from);
    if (!w.found)
      return false;
    const cell_sides first = cell_sides_of(kind, w.normal, from), last = cell_sides_of(kind, w.normal, to);
    if (first.a > first.b && last.a > last.b)
      return true;
  }
  return false;
}

/* The shortest part of a way that is looked at for itself. */
static const double LEAST_PART = 1.0 / 1024;

/* Whether what no one plane divides stays apart all the same, as a point that is led round an edge does: the
   way is followed in parts that become shorter where it is close. */
static bool goes_past(pair_kind kind, const double3 x[PAIR_CORNERS], const double3 next[PAIR_CORNERS]) {
  double3 from[PAIR_CORNERS], to[PAIR_CORNERS];
  double gone = 0, part = 0.5;
  while (gone < 1 && part >= LEAST_PART) {
    place_at(x, next, gone, from);
    place_at(x, next, gone + part, to);
    if (is_divided_between(kind, from, to))
      gone += part;
    else
      part /= 2;
  }
  return gone >= 1;
}

static bool is_forced(const cells *c, const cell_pair *p) {
  if (p->is_far || !is_led(c, p))
    return false;
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  take_before(c, p, x);
  take_behind(c, p, next);
  return !is_apart(p, next) && !(is_led_whole(c, p) && goes_past(p->kind, x, next));
}

/* What stops need not be pinched: where nothing is led it stays at x, however near that is. And what does not
   stop may be, where a corner that was to be taken along has been stopped by another pair. What is far is not,
   as what is led has gone no further than it was going. What is led as a whole cannot make way for a plane, and
   is pinched only where it meets. */
int32_t cells_find_pinched(const cell_step *s, parallel_range pairs) {
  int32_t count = 0;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &s->cells->pairs[n];
    p->is_pinched = is_forced(s->cells, p);
    count += p->is_pinched;
  }
  return count;
}

/* --------------------------------------------------------------------------------------------- particles */

/* The ways w from x that a pair leaves a corner: normal . w <= room, where `slack` more is but rounding. What
   has come so near that rounding might take it nearer still goes `away` where its way is cut. */
typedef struct half_space {
  double3 normal;
  double room, slack, away;
} half_space;

/* Of the k-th of corners.corners. */
static const cell_pair *pair_at(const cells *c, int32_t k) {
  return &c->pairs[(uint32_t)c->corners.corners[k] / PAIR_CORNERS];
}

/* Whether a pair has a plane, and so half-spaces. */
static bool has_plane(const cell_pair *p) {
  return !(p->is_far | p->stops);
}

static half_space half_space_at(const cells *c, int32_t k) {
  const int corner = (int)((uint32_t)c->corners.corners[k] % PAIR_CORNERS);
  const cell_pair *p = pair_at(c, k);
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
    held += has_plane(pair_at(c, k));
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
  return has_plane(pair_at(h->cells, k)) ? half_space_at(h->cells, k) : (half_space){{0, 0, 0}, 0, 0, 0};
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

/* Where a particle is by now, as the state has it. */
static void go(const cell_step *s, int32_t n, double3 way) {
  cell_particle *a = &s->cells->particles[n];
  const double step[3] = {way.x, way.y, way.z}, x[3] = {a->x.x, a->x.y, a->x.z};
  const size_t slot = (size_t)s->cells->corners.slots[n];
  for (size_t axis = 0; axis < 3; axis++) {
    s->behind[axis * s->stride + slot] = (msd_real)(x[axis] + step[axis]);
    s->behind[(3 + axis) * s->stride + slot] = (msd_real)(step[axis] / s->time_step);
  }
  a->next = read_at(s->behind, s->stride, (int32_t)slot);
  a->way = way_of(a);
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
    go(s, n, keep_within(&all, way));
    count++;
  }
  return count;
}

void cells_stop(const cell_step *s, parallel_range particles) {
  const corner_lists *c = &s->cells->corners;
  for (int32_t n = particles.first; n < particles.last; n++) {
    bool stops = false;
    for (int32_t k = c->first[n]; k < c->last[n] && !stops; k++)
      stops = pair_at(s->cells, k)->stops;
    if (stops && !(s->cells->particles[n].is_led > 0))
      go(s, n, (double3){0, 0, 0});
  }
}

/* ------------------------------------------------------------------------------------------------ going along */

/* How many times what is in the way of what goes along is asked to go along as well. */
enum { RIDE_ROUNDS = 32 };

static bool has_rider(const cells *c, const cell_pair *p) {
  bool rides = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    rides = rides || c->rides[p->particles[corner]].rides;
  return rides;
}

/* Whether a plane parts it all the way; and where some ride, as far apart as planes would have left them. */
static bool is_parted(const cells *c, const cell_pair *p) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  if (p->is_far && gap_behind(c, p) > 0)
    return true;
  take_before(c, p, x);
  take_behind(c, p, next);
  if (is_led_whole(c, p))
    return !is_led(c, p) || goes_past(p->kind, x, next);
  const bool rides = has_rider(c, p);
  for (int end = 0; end < 2; end++) {
    const cell_witness w = cell_find_witness(p->kind, end ? next : x);
    if (!w.found)
      return false;
    const cell_sides first = cell_sides_of(p->kind, w.normal, x), last = cell_sides_of(p->kind, w.normal, next);
    const double from = first.a - first.b, to = last.a - last.b, least = cell_least_gap(x, p->thickness) / 4;
    if (from > 0 && to > 0 && (!rides || to >= (from < least ? from : least)))
      return true;
  }
  return false;
}

static bool goes_along(const cells *c, int32_t n) {
  return c->particles[n].is_led > 0 || c->rides[n].rides;
}

/* How much of the closest points each corner has. */
static void weigh(pair_kind kind, const double3 x[PAIR_CORNERS], double weights[PAIR_CORNERS]) {
  const double3 a = double3_subtract(x[1], x[0]), b = double3_subtract(x[2], x[0]), c = double3_subtract(x[3], x[0]);
  if (kind == PAIR_POINT_TRIANGLE) {
    const closest_points at = closest_on_triangle(a, b, c);
    weights[0] = 1, weights[1] = 1 - at.b - at.c, weights[2] = at.b, weights[3] = at.c;
  } else {
    const closest_points at = closest_of_edges(a, b, double3_subtract(c, b));
    weights[0] = 1 - at.b, weights[1] = at.b, weights[2] = 1 - at.c, weights[3] = at.c;
  }
}

/* Of what goes along, where the pair is closest; false where nothing does. */
static bool find_way(const cells *c, const cell_pair *p, double3 *way) {
  double3 x[PAIR_CORNERS], sum = {0, 0, 0};
  double weights[PAIR_CORNERS], all = 0;
  take_before(c, p, x);
  weigh(p->kind, x, weights);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const int32_t n = p->particles[corner];
    if (!goes_along(c, n))
      continue;
    const double weight = weights[corner] + 1.0 / 64;
    const double3 own = double3_subtract(c->particles[n].next, c->particles[n].x);
    sum = double3_add_scaled(sum, own, weight);
    all += weight;
  }
  if (all > 0)
    *way = double3_scale(sum, 1 / all);
  return all > 0;
}

static int32_t find_unparted(const cells *c) {
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    cell_pair *p = &c->pairs[n];
    p->is_pinched = !is_parted(c, p);
    p->stops = p->stops || p->is_pinched;
    count += p->is_pinched;
  }
  return count;
}

/* What is too near goes away from what it goes along with, as above. */
static double3 away_from(const cells *c, const cell_pair *p, int corner) {
  double3 x[PAIR_CORNERS];
  take_before(c, p, x);
  const cell_witness w = cell_find_witness(p->kind, x);
  const double least = cell_least_gap(x, p->thickness);
  const bool is_near = w.found && cell_gap(p->kind, &w) < least;
  return double3_scale(w.normal, is_near ? (cell_is_first(p->kind, corner) ? least : -least) / 8 : 0);
}

/* The mean of the ways along which its pairs that do not hold are led. */
static bool find_ride(const cells *c, int32_t n, double3 *way) {
  double3 sum = {0, 0, 0};
  int count = 0;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++) {
    const cell_pair *p = pair_at(c, k);
    double3 own;
    if (!p->stops || !find_way(c, p, &own))
      continue;
    const double3 away = away_from(c, p, (int)((uint32_t)c->corners.corners[k] % PAIR_CORNERS));
    sum = double3_add_scaled(double3_add_scaled(sum, own, 1), away, 1);
    count++;
  }
  *way = double3_scale(sum, 1.0 / (count > 0 ? count : 1));
  return count > 0;
}

static void keep_base(const cell_step *s, int32_t n) {
  cell_ride *r = &s->cells->rides[n];
  const size_t slot = (size_t)s->cells->corners.slots[n];
  for (size_t k = 0; k < COMPONENTS; k++)
    r->behind[k] = s->behind[k * s->stride + slot];
}

static void return_to_base(const cell_step *s, int32_t n) {
  cell_ride *r = &s->cells->rides[n];
  cell_particle *a = &s->cells->particles[n];
  const int32_t slot = s->cells->corners.slots[n];
  for (size_t k = 0; k < COMPONENTS; k++)
    s->behind[k * s->stride + (size_t)slot] = r->behind[k];
  a->next = read_at(s->behind, s->stride, slot);
  a->way = way_of(a);
  r->rides = false;
  r->stays = true;
}

static bool is_in_unparted(const cells *c, int32_t n) {
  bool is = false;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n] && !is; k++)
    is = pair_at(c, k)->is_pinched;
  return is;
}

/* Who is to ride is decided before anybody moves. */
static bool ride(const cell_step *s) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++) {
    cell_ride *r = &c->rides[n];
    r->stays = c->particles[n].is_led > 0 || !is_in_unparted(c, n) || !find_ride(c, n, &r->way);
  }
  for (int32_t n = 0; n < c->particle_count; n++) {
    cell_ride *r = &c->rides[n];
    if (r->stays)
      continue;
    some = true;
    r->rides = true;
    go(s, n, r->way);
  }
  return some;
}

static bool give_up(const cell_step *s) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++)
    if (c->rides[n].rides && is_in_unparted(c, n)) {
      return_to_base(s, n);
      some = true;
    }
  return some;
}

int32_t cells_take_along(const cell_step *s) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    c->rides[n].rides = false;
    keep_base(s, n);
  }
  int round = 0;
  for (int32_t n = 0; n < c->count; n++)
    c->pairs[n].stops = false;
  while (find_unparted(c) > 0 && round < RIDE_ROUNDS && ride(s))
    round++;
  while (find_unparted(c) > 0 && give_up(s))
    ;
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    cell_pair *p = &c->pairs[n];
    p->is_pinched = p->is_pinched && is_led(c, p);
    p->next_gap = gap_behind(c, p);
    count += p->is_pinched;
  }
  return count;
}
