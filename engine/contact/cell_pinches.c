/* What is led through a plane of cells (cells.h), and what goes along with it. */
#include "engine/contact/cell_pairs.h"

/* ----------------------------------------------------------------------------------------------- what meets */

/* Whether some plane across the witness divides it. */
static bool is_apart(const cell_pair *p, const double3 next[PAIR_CORNERS]) {
  const cell_sides then = cell_sides_of(p->kind, p->normal, next);
  return then.a > then.b;
}

/* Whether no corner can be held. */
static bool is_led_whole(const cells *c, const cell_pair *p) {
  bool whole = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    whole = whole && cell_corner(c, p, corner)->is_led > 0;
  return whole;
}

static void place_at(const double3 x[PAIR_CORNERS], const double3 next[PAIR_CORNERS], double share,
                     double3 at[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    at[corner] = share < 1 ? double3_add_scaled(x[corner], double3_subtract(next[corner], x[corner]), share)
                           : next[corner];
}

/* Whether a plane across the witness at one end of a way divides the pair at both, and so all the way; and
   leaves it as much at the end as is wanted, or as it had. */
static bool is_divided_between(pair_kind kind, const double3 from[PAIR_CORNERS],
                               const double3 to[PAIR_CORNERS], double wanted) {
  for (int end = 0; end < 2; end++) {
    const cell_witness w = cell_find_witness(kind, end ? to : from);
    if (!w.found)
      return false;
    const cell_sides first = cell_sides_of(kind, w.normal, from), last = cell_sides_of(kind, w.normal, to);
    const double gap = first.a - first.b, left = last.a - last.b;
    if (gap > 0 && left > 0 && left >= (gap < wanted ? gap : wanted))
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
    if (is_divided_between(kind, from, to, 0))
      gone += part;
    else
      part /= 2;
  }
  return gone >= 1;
}

static bool is_forced(const cells *c, const cell_pair *p) {
  if (p->is_far || !cell_is_led(c, p))
    return false;
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  cell_take_before(c, p, x);
  cell_take_behind(c, p, next);
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

/* ----------------------------------------------------------------------------------------- what goes along */

/* How often what has come to be in the way is asked to go along as well, and those that meet all the same are
   left behind; and how often all is tried anew without these, before nothing goes along. */
enum { MOST_ROUNDS = 32, MOST_TRIES = 4 };

static bool has_rider(const cells *c, const cell_pair *p) {
  bool rides = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    rides = rides || c->rides[p->particles[corner]].rides;
  return rides;
}

/* Whether a corner goes along, or did and was left behind. */
static bool is_touched(const cells *c, const cell_pair *p) {
  bool touched = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    touched = touched || c->rides[p->particles[corner]].is_touched;
  return touched;
}

/* Whether a pair is apart all the way. What goes along may come no nearer than its numbers resolve. */
static bool is_parted(const cells *c, const cell_pair *p) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  cell_take_before(c, p, x);
  cell_take_behind(c, p, next);
  if (is_led_whole(c, p))
    return goes_past(p->kind, x, next);
  if (p->is_far && cell_gap_behind(c, p) > 0)
    return true;
  return is_divided_between(p->kind, x, next, has_rider(c, p) ? cell_least_gap(x, p->thickness) / 4 : 0);
}

/* Which pairs are not, of those that were pinched or are touched; `stops` is for those that ever were. */
static int32_t find_meeting(const cells *c) {
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    cell_pair *p = &c->pairs[n];
    if (!p->is_pinched && !is_touched(c, p))
      continue;
    p->is_pinched = !is_parted(c, p);
    p->stops = p->stops || p->is_pinched;
    count += p->is_pinched;
  }
  return count;
}

/* How much of the closest points each corner has, and a little, so that together they have some. */
static void weigh(pair_kind kind, const double3 x[PAIR_CORNERS], double weights[PAIR_CORNERS]) {
  const double3 a = double3_subtract(x[1], x[0]), b = double3_subtract(x[2], x[0]),
                c = double3_subtract(x[3], x[0]);
  const bool is_point = kind == PAIR_POINT_TRIANGLE;
  const closest_points at =
      is_point ? closest_on_triangle(a, b, c) : closest_of_edges(a, b, double3_subtract(c, b));
  weights[0] = is_point ? 1 : 1 - at.b;
  weights[1] = is_point ? 1 - at.b - at.c : at.b;
  weights[2] = is_point ? at.b : 1 - at.c;
  weights[3] = at.c;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    weights[corner] += 1.0 / 64;
}

/* How a pair is led where its sides are closest; false where none of it is. */
static bool find_way(const cells *c, const cell_pair *p, const double3 x[PAIR_CORNERS], double3 *way) {
  double weights[PAIR_CORNERS], all = 0;
  double3 sum = {0, 0, 0};
  weigh(p->kind, x, weights);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if (!(cell_corner(c, p, corner)->is_led > 0) && !c->rides[p->particles[corner]].rides)
      continue;
    sum = double3_add_scaled(sum, cell_way(cell_corner(c, p, corner)), weights[corner]);
    all += weights[corner];
  }
  *way = double3_scale(sum, 1 / (all > 0 ? all : 1));
  return all > 0 && isfinite(double3_dot(*way, *way));
}

/* What a corner goes away as it goes along, where the pair is nearer than its least gap. */
static double3 find_away(const cell_pair *p, const double3 x[PAIR_CORNERS], int corner) {
  const cell_witness w = cell_find_witness(p->kind, x);
  const double least = cell_least_gap(x, p->thickness), away = cell_gap(p->kind, &w) < least ? least / 8 : 0;
  return double3_scale(w.normal, w.found ? (cell_is_first(p->kind, corner) ? away : -away) : 0);
}

/* The mean of the ways of its pairs that have met. */
static bool find_ride(const cells *c, int32_t n, double3 *way) {
  double3 sum = {0, 0, 0};
  int count = 0;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++) {
    const cell_pair *p = cell_pair_at(c, k);
    double3 x[PAIR_CORNERS], own;
    cell_take_before(c, p, x);
    if (!p->stops || !find_way(c, p, x, &own))
      continue;
    sum = double3_add_scaled(sum, own, 1);
    sum = double3_add_scaled(sum, find_away(p, x, cell_corner_at(c, k)), 1);
    count++;
  }
  *way = double3_scale(sum, 1.0 / (count > 0 ? count : 1));
  return count > 0;
}

static bool meets(const cells *c, int32_t n) {
  bool met = false;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n] && !met; k++)
    met = cell_pair_at(c, k)->is_pinched;
  return met;
}

static void begin_rides(const cell_step *s) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    const size_t slot = (size_t)c->corners.slots[n];
    c->rides[n] = (cell_ride){.stays = c->particles[n].is_led > 0};
    for (size_t k = 0; k < COMPONENTS; k++)
      c->rides[n].kept[k] = s->behind[k * s->stride + slot];
  }
}

/* All that is free of pairs that meet. Who goes where is found before anybody goes; false where nobody does. */
static bool go_along(const cell_step *s) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++) {
    cell_ride *r = &c->rides[n];
    r->is_asked = !r->stays && meets(c, n) && find_ride(c, n, &r->way);
    some = some || r->is_asked;
  }
  for (int32_t n = 0; n < c->particle_count; n++)
    if (c->rides[n].is_asked) {
      c->rides[n].rides = c->rides[n].is_touched = true;
      cell_go(s, n, c->rides[n].way);
    }
  return some;
}

static void leave_behind(const cell_step *s, int32_t n) {
  cell_ride *r = &s->cells->rides[n];
  const size_t slot = (size_t)s->cells->corners.slots[n];
  for (size_t k = 0; k < COMPONENTS; k++)
    s->behind[k * s->stride + slot] = r->kept[k];
  cell_take_next(s, n);
  r->rides = false;
}

/* Who goes along and meets all the same, and from now on stays; false where there is nobody. */
static bool leave_those_behind(const cell_step *s) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++)
    if (c->rides[n].rides && meets(c, n)) {
      leave_behind(s, n);
      c->rides[n].stays = some = true;
    }
  return some;
}

/* Lets go along who is not to stay; false where some had to be left behind. */
static bool try_along(const cell_step *s) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->count; n++)
    c->pairs[n].stops = false;
  for (int round = 0; find_meeting(c) > 0 && round < MOST_ROUNDS && go_along(s);)
    round++;
  bool left = false;
  for (int round = 0; find_meeting(c) > 0 && round < MOST_ROUNDS && leave_those_behind(s); round++)
    left = true;
  return !left;
}

static void leave_all_behind(const cell_step *s) {
  for (int32_t n = 0; n < s->cells->particle_count; n++)
    if (s->cells->rides[n].rides)
      leave_behind(s, n);
  find_meeting(s->cells);
}

/* Gaps of what has gone along are those of its new ways. */
static int32_t end_rides(const cells *c) {
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    cell_pair *p = &c->pairs[n];
    p->is_pinched = p->is_pinched && cell_is_led(c, p);
    p->next_gap = is_touched(c, p) ? cell_gap_behind(c, p) : p->next_gap;
    count += p->is_pinched;
  }
  return count;
}

/* Who had to be left behind may have taken others along: so without them all is tried anew. */
int32_t cells_take_along(const cell_step *s) {
  begin_rides(s);
  bool done = false;
  for (int tries = 0; tries < MOST_TRIES && !done; tries++) {
    done = try_along(s);
    if (!done)
      leave_all_behind(s);
  }
  return end_rides(s->cells);
}
