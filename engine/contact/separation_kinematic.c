/* Kinematic particles that cross separating planes (separation.h), and the free particles they carry along. */
#include "engine/contact/separation_pairs.h"

/* ----------------------------------------------------------------------------------- forced intersections */

static bool is_fully_kinematic(const cells *c, const separation_pair *p) {
  bool whole = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    whole = whole && separation_corner(c, p, corner)->is_kinematic > 0;
  return whole;
}

static void place_at(const double3 x[PAIR_CORNERS], const double3 next[PAIR_CORNERS], double share,
                     double3 at[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    at[corner] = share < 1 ? double3_add_scaled(x[corner], double3_subtract(next[corner], x[corner]), share)
                           : next[corner];
}

/* True if the witness at one end of a motion separates the pair at both ends, and therefore throughout. The
   gap at the end must be at least `wanted`, or as large as it was. */
static bool is_divided_between(pair_kind kind, const double3 from[PAIR_CORNERS],
                               const double3 to[PAIR_CORNERS], double wanted) {
  for (int end = 0; end < 2; end++) {
    const separation_witness w = separation_find_witness(kind, end ? to : from);
    if (!w.found)
      return false;
    const separation_sides first = separation_sides_of(kind, w.normal, from),
                           last = separation_sides_of(kind, w.normal, to);
    const double gap = first.a - first.b, left = last.a - last.b;
    if (gap > 0 && left > 0 && left >= (gap < wanted ? gap : wanted))
      return true;
  }
  return false;
}

/* Shortest interval of a substep that is tested separately, as a fraction of it. */
static const double LEAST_PART = 1.0 / 1024;

/* True if a pair stays apart although no single plane separates it, like a point that moves around an edge.
   The motion is split into intervals, shorter ones where the pair is close. */
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

static bool is_forced(const cells *c, const separation_pair *p) {
  if (p->is_far || !cell_is_led(c, p))
    return false;
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  cell_take_before(c, p, x);
  cell_take_behind(c, p, next);
  return !(p->is_level && separation_is_divided(p, next)) && !is_divided_between(p->kind, x, next, 0) &&
         !(is_fully_kinematic(c, p) && goes_past(p->kind, x, next));
}

/* A pair whose corners stop at x is not necessarily forced: without kinematic corners it keeps its gap.
   Conversely, a pair that does not stop can be forced, if another pair has stopped one of its carried
   corners. Far pairs cannot be forced, since kinematic corners move exactly as predicted. A fully kinematic
   pair cannot give way to a plane, and is forced only if it meets. */
int32_t separation_find_forced(const separation_step *s, parallel_range pairs) {
  int32_t count = 0;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    separation_pair *p = &s->cells->pairs[n];
    p->is_forced = is_forced(s->cells, p);
    count += p->is_forced;
  }
  return count;
}

/* -------------------------------------------------------------------------------------- carried particles */

/* Free particles make way for kinematic ones in intervals of the substep, in which every particle moves
   straight on. At the beginning of an interval carried particles move to the middle of the space between
   their pairs. They follow what is nearest to them, with the weight 1/gap: that divides the space between two
   kinematic surfaces, and between several layers, in the ratio that it had. Then pairs that would come nearer
   than half of their gap are pushed apart, one after the other, and want less each time. Where that does not
   end, the interval is halved. So what a pair needs shrinks with the space that there is, and only rounding
   limits how narrow that may be. The motion of each pair is tested as in goes_past. */

/* MOST_SWEEPS: over the pairs of an interval. MIDDLE_SWEEPS and MIDDLE_ROUNDS: of steps to the middle, and
   rounds in which they are halved, and then undone, where they do not keep a pair apart. SPREADS: passes in
   which displacements spread from kinematic particles. MOST_TRIES: attempts, each without the particles that
   found no place. MOST_PAIR_VISITS: besides VISITS_OF_PAIR for each pair. */
enum {
  MOST_SWEEPS = 24,
  MIDDLE_SWEEPS = 6,
  MIDDLE_ROUNDS = 8,
  SPREADS = 3,
  MOST_TRIES = 4,
  VISITS_OF_PAIR = 64,
  MOST_PAIR_VISITS = 1 << 23
};

/* Most displacement of a corner, as a multiple of that of the closest points; how much less a pair wants when
   it was pushed; the shortest interval, as a fraction of the substep. */
static const double MOST_LEVER = 4, YIELD = 0.75, LEAST_INTERVAL = 1.0 / 4096;

/* Added to the weight of each corner in the closest points, so that every corner counts. */
static const double LEAST_WEIGHT = 1.0 / 64;

/* The search for the places of free particles. `done` and `end` are the interval; `framed`: pairs of
   cells.active with a normal in this interval. */
typedef struct carry_search {
  const separation_step *step;
  int64_t left;
  double done, end;
  int32_t active, framed, sweeps;
} carry_search;

/* Counts one visit of a pair; now and then the callback is asked to stop. */
static void spend(carry_search *search) {
  search->left--;
  if (search->left % STOP_POLL_ITEMS == 0)
    stop_poll_ask(search->step->stop, 0);
}

static bool is_over(const carry_search *search) {
  return search->left <= 0 || stop_poll_is_stopped(search->step->stop);
}

/* True if a corner is or was carried. */
static bool is_touched(const cells *c, const separation_pair *p) {
  bool touched = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    touched = touched || c->rides[p->particles[corner]].is_touched;
  return touched;
}

static bool may_move(const cells *c, int32_t n) {
  return !c->rides[n].stays;
}

static bool has_movable(const cells *c, const separation_pair *p) {
  bool has = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    has = has || may_move(c, p->particles[corner]);
  return has;
}

/* Where a particle that is not carried is at a time of the substep. */
static double3 on_its_way(const cells *c, int32_t n, double share) {
  const cell_particle *a = &c->particles[n];
  return share < 1 ? double3_add_scaled(a->x, cell_way(a), share) : a->next;
}

static double3 from_of(const carry_search *search, int32_t n) {
  const cells *c = search->step->cells;
  return c->rides[n].rides ? c->rides[n].from : on_its_way(c, n, search->done);
}

static double3 to_of(const carry_search *search, int32_t n) {
  const cells *c = search->step->cells;
  return c->rides[n].rides ? c->rides[n].to : on_its_way(c, n, search->end);
}

/* Call when the end of its interval has changed. */
static void note_reach(const carry_search *search, int32_t n) {
  const cells *c = search->step->cells;
  const double3 way = double3_subtract(to_of(search, n), c->particles[n].x);
  c->rides[n].reach = sqrt(double3_dot(way, way));
}

static void note_reaches(const carry_search *search) {
  for (int32_t n = 0; n < search->step->cells->particle_count; n++)
    note_reach(search, n);
}

static void activate(carry_search *search, separation_pair *p) {
  const cells *c = search->step->cells;
  if (!p->is_active)
    c->active[search->active++] = (int32_t)(p - c->pairs);
  p->is_active = true;
}

/* From now on the particle is carried, and its pairs are looked at. */
static void touch(carry_search *search, int32_t n) {
  const cells *c = search->step->cells;
  carry_state *r = &c->rides[n];
  if (r->rides)
    return;
  r->from = from_of(search, n);
  r->to = to_of(search, n);
  r->way = cell_way(&c->particles[n]);
  r->rides = r->is_touched = true;
  note_reach(search, n);
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++)
    activate(search, separation_pair_at(c, k));
}

/* The weight of each corner in the closest points. */
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
    weights[corner] += LEAST_WEIGHT;
}

/* m: what two margins need. */
static double enough_gap(const separation_pair *p) {
  return p->thickness / 25;
}

/* The witness, gap and weights of a pair at the beginning of the interval, and the gap that it wants at its
   end: half of that, but no more than two margins need. */
static void frame(carry_search *search, separation_pair *p) {
  double3 from[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    from[corner] = from_of(search, p->particles[corner]);
  const separation_witness w = separation_find_witness(p->kind, from);
  const double gap = w.found ? separation_gap(p->kind, &w) : 0, enough = enough_gap(p),
               rounding = CELL_ROUNDING / 4 * (cell_size_of(from[0]) + p->thickness);
  weigh(p->kind, from, p->room);
  p->normal = w.normal;
  p->plane = gap;
  for (int corner = 0; corner < PAIR_CORNERS && gap <= enough; corner++)
    search->step->cells->rides[p->particles[corner]].is_near = true;
  p->margin = lane_least(gap / 2, enough);
  p->away = lane_most(lane_least(gap, rounding) / 2, lane_least(gap, enough) / 8);
}

static void frame_all(carry_search *search) {
  const cells *c = search->step->cells;
  for (; search->framed < search->active; search->framed++) {
    spend(search);
    frame(search, &c->pairs[c->active[search->framed]]);
  }
}

/* Adds the displacement of one side to what the free corners of the other one follow. */
static void follow_side(const cells *c, const separation_pair *p, bool first,
                        const double weights[PAIR_CORNERS]) {
  double3 sum = {0, 0, 0};
  double all = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const int32_t n = p->particles[corner];
    const carry_state *r = &c->rides[n];
    if (separation_is_first(p->kind, corner) == first || !(r->is_led || (r->rides && r->has_way)))
      continue;
    sum = double3_add_scaled(sum, r->way, weights[corner]);
    all += weights[corner];
  }
  if (!(all > 0) || !isfinite(double3_dot(sum, sum)))
    return;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    carry_state *r = &c->rides[p->particles[corner]];
    if (separation_is_first(p->kind, corner) != first || !r->rides)
      continue;
    const double share = weights[corner] / p->plane;
    r->sum = double3_add_scaled(r->sum, sum, share);
    r->weight += share * all;
  }
}

/* The displacements that carried particles follow, from their distances at the beginning of the interval. */
static void spread_ways(carry_search *search) {
  const cells *c = search->step->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    c->rides[n].sum = (double3){0, 0, 0};
    c->rides[n].weight = 0;
  }
  for (int32_t k = 0; k < search->framed; k++) {
    const separation_pair *p = &c->pairs[c->active[k]];
    spend(search);
    if (!(p->plane > 0) || p->plane > p->thickness)
      continue;
    follow_side(c, p, true, p->room);
    follow_side(c, p, false, p->room);
  }
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    if (!(r->weight > 0))
      continue;
    r->way = double3_scale(r->sum, 1 / r->weight);
    r->has_way = true;
  }
}

static void move_end(carry_search *search, int32_t n, double3 by) {
  touch(search, n);
  carry_state *r = &search->step->cells->rides[n];
  r->ease = double3_dot(r->push, by) < 0 ? r->ease / 2 : r->ease;
  r->push = by;
  r->to = double3_add_scaled(r->to, by, 1);
  r->moved_in = search->sweeps;
  note_reach(search, n);
}

/* Pushes the closest points of a pair apart. A particle that others push back gives way less and less, so that
   the other corners turn the element around it. False if no corner can move. */
static bool push_points(carry_search *search, const separation_pair *p, double3 normal,
                        const double weights[PAIR_CORNERS], double by) {
  const cells *c = search->step->cells;
  double all = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    if (may_move(c, p->particles[corner]))
      all += c->rides[p->particles[corner]].ease * weights[corner] * weights[corner];
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const int32_t n = p->particles[corner];
    const double share = lane_least(c->rides[n].ease * weights[corner] / all, MOST_LEVER);
    if (may_move(c, n))
      move_end(search, n,
               double3_scale(normal, separation_is_first(p->kind, corner) ? by * share : -by * share));
  }
  return all > 0;
}

/* Moves all corners to their side of a plane, each with half of what is wanted, except where a corner cannot
   move. */
static void push_corners(carry_search *search, const separation_pair *p, const double3 to[PAIR_CORNERS],
                         double wanted) {
  const cells *c = search->step->cells;
  double along[PAIR_CORNERS], held_a = INFINITY, held_b = -INFINITY;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const bool is_fixed = !may_move(c, p->particles[corner]);
    along[corner] = double3_dot(p->normal, to[corner]);
    if (is_fixed && separation_is_first(p->kind, corner))
      held_a = lane_least(held_a, along[corner]);
    else if (is_fixed)
      held_b = lane_most(held_b, along[corner]);
  }
  const separation_sides sides = separation_sides_along(p->kind, along);
  const double middle = cell_between(held_b + wanted / 2, (sides.a + sides.b) / 2, held_a - wanted / 2);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const bool first = separation_is_first(p->kind, corner);
    const double by = first ? middle + wanted / 2 - along[corner] : middle - wanted / 2 - along[corner];
    if (may_move(c, p->particles[corner]) && (first ? by > 0 : by < 0))
      move_end(search, p->particles[corner], double3_scale(p->normal, by));
  }
}

static double gap_along(const separation_pair *p, double3 normal, const double3 x[PAIR_CORNERS]) {
  const separation_sides sides = separation_sides_of(p->kind, normal, x);
  return sides.a - sides.b;
}

/* Takes the normal at the end of the interval instead, or the mean of both, if that separates the pair at both
   ends. */
static bool turn_normal(separation_pair *p, const separation_witness *w, const double3 from[PAIR_CORNERS],
                        const double3 to[PAIR_CORNERS], double wanted) {
  const double3 sum = double3_add_scaled(w->normal, p->normal, 1);
  const double square = double3_dot(sum, sum);
  const double3 normals[2] = {w->normal, double3_scale(sum, 1 / sqrt(square > 0 ? square : 1))};
  for (int n = 0; n < 2 && w->found; n++) {
    const double at_first = gap_along(p, normals[n], from), at_last = gap_along(p, normals[n], to);
    if (!(at_first > 0 && at_last >= wanted))
      continue;
    p->normal = normals[n];
    return true;
  }
  return false;
}

/* True if the sides cannot have come within `least` of each other since x. */
static bool is_out_of_reach(const cells *c, const separation_pair *p, double least) {
  double reach[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    reach[corner] = c->rides[p->particles[corner]].reach;
  return p->gap - (lane_most(reach[0], reach[cell_last_of_a(p->kind)]) +
                   lane_most(lane_most(reach[cell_first_of_b(p->kind)], reach[2]), reach[3])) >
         least;
}

/* Pushes the closest points of a pair apart that is nearer than wanted at the end of the interval, or has
   crossed: then along the normal where it begins. If they are far enough, its corners. */
static void push_apart(carry_search *search, const separation_pair *p, const separation_witness *w,
                       const double3 to[PAIR_CORNERS], double wanted) {
  double weights[PAIR_CORNERS];
  const bool is_crossed = !w->found || double3_dot(w->normal, p->normal) <= 0;
  const double3 normal = is_crossed ? p->normal : w->normal;
  weigh(p->kind, to, weights);
  double distance = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const double along = (weights[corner] - LEAST_WEIGHT) * double3_dot(normal, to[corner]);
    distance += separation_is_first(p->kind, corner) ? along : -along;
  }
  if (!(distance < wanted) || !push_points(search, p, normal, weights, wanted - distance))
    push_corners(search, p, to, wanted);
}

/* True if the pair ends the interval apart by nearly what is wanted. If not it is pushed, and wants less. */
static bool is_content(carry_search *search, separation_pair *p) {
  const cells *c = search->step->cells;
  double3 from[PAIR_CORNERS], to[PAIR_CORNERS];
  spend(search);
  if (is_out_of_reach(c, p, enough_gap(p)) || !has_movable(c, p))
    return true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    to[corner] = to_of(search, p->particles[corner]);
  if (!(p->plane > 0))
    return false;
  const double wanted = lane_most(p->margin, p->away);
  if (gap_along(p, p->normal, to) >= wanted / 2)
    return true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    from[corner] = from_of(search, p->particles[corner]);
  const separation_witness w = separation_find_witness(p->kind, to);
  if (turn_normal(p, &w, from, to, wanted / 2) ||
      (w.found && separation_gap(p->kind, &w) >= wanted / 2 && goes_past(p->kind, from, to)))
    return true;
  push_apart(search, p, &w, to, wanted);
  p->margin *= YIELD;
  return false;
}

/* True if a corner has moved in this sweep or the last one. A pair is content for as long as none does. */
static bool has_moved(const carry_search *search, const separation_pair *p) {
  const cells *c = search->step->cells;
  int32_t last = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    last = int_max(last, c->rides[p->particles[corner]].moved_in);
  return last >= search->sweeps - 1;
}

/* Visits all pairs whose corners have moved, with those of particles that are touched meanwhile; false if some
   were pushed. */
static bool sweep(carry_search *search) {
  const cells *c = search->step->cells;
  bool content = true;
  search->sweeps++;
  for (int32_t k = 0; k < search->active; k++) {
    if (k == search->framed)
      frame_all(search);
    separation_pair *p = &c->pairs[c->active[k]];
    if (!p->is_forced && !has_moved(search, p))
      continue;
    p->is_forced = !is_content(search, p);
    content = content && !p->is_forced;
  }
  return content;
}

/* GCC 12 drops the conversion to float and back when it vectorizes several of them. */
static double round_to_state(double value) {
  const volatile msd_real rounded = (msd_real)value;
  return (double)rounded;
}

/* Rounds the ends of carried particles as the state does, and tests whether all pairs are still apart. */
static bool round_ends(carry_search *search) {
  const cells *c = search->step->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    const double3 x = c->particles[n].x, way = double3_subtract(r->to, x);
    if (r->rides)
      r->to =
          (double3){round_to_state(x.x + way.x), round_to_state(x.y + way.y), round_to_state(x.z + way.z)};
    note_reach(search, n);
  }
  bool apart = true;
  for (int32_t k = 0; k < search->active && apart; k++) {
    separation_pair *p = &c->pairs[c->active[k]];
    double3 from[PAIR_CORNERS], to[PAIR_CORNERS];
    if (!has_movable(c, p) || is_out_of_reach(c, p, 0))
      continue;
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      from[corner] = from_of(search, p->particles[corner]);
      to[corner] = to_of(search, p->particles[corner]);
    }
    apart = gap_along(p, p->normal, to) > 0 || goes_past(p->kind, from, to);
  }
  return apart;
}

/* The distance of the closest points of a pair at the beginning of the interval, where its corners are now. */
static double distance_now(const carry_search *search, const separation_pair *p) {
  double distance = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const double along =
        (p->room[corner] - LEAST_WEIGHT) * double3_dot(p->normal, to_of(search, p->particles[corner]));
    distance += separation_is_first(p->kind, corner) ? along : -along;
  }
  return distance;
}

/* The step of Newton's method towards the least sum of -log(distance) over the pairs of a particle that are
   nearer than they need to be: it divides the space between them. No pair loses more than half of its
   distance. */
static double3 find_middle(carry_search *search, int32_t n) {
  const cells *c = search->step->cells;
  double3 pull = {0, 0, 0}, diagonal = {0, 0, 0}, off = {0, 0, 0};
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++) {
    const separation_pair *p = separation_pair_at(c, k);
    const int corner = cell_corner_at(c, k);
    const double enough = enough_gap(p);
    spend(search);
    if (!(p->plane > 0) || p->plane > enough)
      continue;
    const double distance = distance_now(search, p), share = p->room[corner] / distance;
    const double by = separation_is_first(p->kind, corner) ? share : -share;
    const double3 m = p->normal;
    if (!(distance > 0) || distance > enough)
      continue;
    pull = double3_add_scaled(pull, m, by * (1 - distance / enough));
    diagonal.x += share * share * m.x * m.x, off.x += share * share * m.y * m.z;
    diagonal.y += share * share * m.y * m.y, off.y += share * share * m.z * m.x;
    diagonal.z += share * share * m.z * m.z, off.z += share * share * m.x * m.y;
  }
  const double more = (diagonal.x + diagonal.y + diagonal.z) / 64;
  diagonal.x += more, diagonal.y += more, diagonal.z += more;
  const double3 row = {diagonal.y * diagonal.z - off.x * off.x, off.x * off.y - off.z * diagonal.z,
                       off.z * off.x - off.y * diagonal.y};
  const double determinant = diagonal.x * row.x + off.z * row.y + off.y * row.z;
  if (!(determinant > 0))
    return (double3){0, 0, 0};
  const double3 second = {row.y, diagonal.x * diagonal.z - off.y * off.y, off.y * off.z - diagonal.x * off.x},
                third = {row.z, second.z, diagonal.x * diagonal.y - off.z * off.z};
  return double3_scale((double3){double3_dot(row, pull), double3_dot(second, pull), double3_dot(third, pull)},
                       1 / determinant);
}

/* The largest part of a step for which no pair of the particle loses more than half of its distance. */
static double find_room(carry_search *search, int32_t n, double3 by) {
  const cells *c = search->step->cells;
  double share = 1;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++) {
    const separation_pair *p = separation_pair_at(c, k);
    const int corner = cell_corner_at(c, k);
    const double along = double3_dot(p->normal, by) * p->room[corner],
                 loss = separation_is_first(p->kind, corner) ? -along : along;
    if (loss > 0 && p->plane > 0)
      share = lane_least(share, lane_most(0, distance_now(search, p) / 2) / loss);
  }
  return share;
}

static bool has_near(const cells *c, const separation_pair *p) {
  bool has = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    has = has || c->rides[p->particles[corner]].is_near;
  return has;
}

/* Shortens the moves of particles whose pairs are not apart on their way. False if there are none. */
static bool shorten_moves(carry_search *search, double share) {
  const cells *c = search->step->cells;
  bool some = false;
  for (int32_t k = 0; k < search->active; k++) {
    separation_pair *p = &c->pairs[c->active[k]];
    double3 from[PAIR_CORNERS], to[PAIR_CORNERS];
    bool moves = false;
    if (!has_near(c, p))
      continue;
    spend(search);
    if (is_out_of_reach(c, p, enough_gap(p)))
      continue;
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      from[corner] = from_of(search, p->particles[corner]);
      to[corner] = to_of(search, p->particles[corner]);
      const double3 by = double3_subtract(to[corner], from[corner]);
      moves = moves || double3_dot(by, by) > 0;
    }
    if (!moves || (p->plane > 0 && gap_along(p, p->normal, to) > 0) || goes_past(p->kind, from, to))
      continue;
    some = true;
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      carry_state *r = &c->rides[p->particles[corner]];
      if (!r->rides)
        continue;
      r->to = double3_add_scaled(r->from, double3_subtract(r->to, r->from), share);
      note_reach(search, p->particles[corner]);
    }
  }
  return some;
}

/* Moves carried particles that have less space than they need to the middle of what is around them, at the
   beginning of the interval. */
static void spread_out(carry_search *search) {
  const cells *c = search->step->cells;
  const double end = search->end;
  search->end = search->done;
  for (int32_t n = 0; n < c->particle_count; n++)
    c->rides[n].to = c->rides[n].from;
  for (int sweep = 0; sweep < MIDDLE_SWEEPS; sweep++)
    for (int32_t n = 0; n < c->particle_count; n++) {
      carry_state *r = &c->rides[n];
      if (!r->rides || !r->is_near)
        continue;
      const double3 by = find_middle(search, n);
      r->to = double3_add_scaled(r->to, by, find_room(search, n, by));
    }
  note_reaches(search);
  int round = 0;
  for (; round < 2 * MIDDLE_ROUNDS && shorten_moves(search, round < MIDDLE_ROUNDS ? 0.5 : 0); round++)
    continue;
  for (int32_t n = 0; n < c->particle_count && round < 2 * MIDDLE_ROUNDS; n++)
    c->rides[n].from = c->rides[n].to;
  search->end = end;
  for (int32_t k = 0; k < search->framed; k++) {
    separation_pair *p = &c->pairs[c->active[k]];
    if (!has_near(c, p))
      continue;
    spend(search);
    frame(search, p);
  }
}

/* Finds a place for all carried particles at the end of the interval. */
static bool take_interval(carry_search *search) {
  const cells *c = search->step->cells;
  for (int32_t n = 0; n < c->particle_count; n++)
    c->rides[n].is_near = false;
  search->framed = 0;
  frame_all(search);
  spread_out(search);
  for (int n = 0; n < SPREADS; n++)
    spread_ways(search);
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    r->push = (double3){0, 0, 0};
    r->ease = 1;
    r->moved_in = 0;
    if (r->rides)
      r->to = double3_add_scaled(r->from, r->way, search->end - search->done);
    note_reach(search, n);
  }
  search->sweeps = 0;
  for (int n = 0; n < MOST_SWEEPS && !is_over(search); n++)
    if (sweep(search))
      return search->end < 1 || round_ends(search);
  return false;
}

/* The intervals of a substep. */
static bool make_way(carry_search *search) {
  const cells *c = search->step->cells;
  double interval = 1;
  search->done = 0;
  while (search->done < 1 && interval >= LEAST_INTERVAL && !is_over(search)) {
    search->end = lane_least(1, search->done + interval);
    if (!take_interval(search)) {
      interval /= 2;
      continue;
    }
    for (int32_t n = 0; n < c->particle_count; n++)
      c->rides[n].from = c->rides[n].to;
    search->done = search->end;
    interval *= 2;
  }
  return search->done >= 1;
}

static void begin_rides(const separation_step *s) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    const bool is_led = c->particles[n].is_kinematic > 0;
    c->rides[n] = (carry_state){.stays = is_led, .is_led = is_led, .way = cell_way(&c->particles[n])};
  }
}

/* The free corners of forced pairs are carried. */
static void begin_search(carry_search *search) {
  const cells *c = search->step->cells;
  search->active = search->framed = 0;
  search->done = 0;
  search->end = 1;
  for (int32_t n = 0; n < c->count; n++)
    c->pairs[n].is_active = false;
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    r->rides = r->is_touched = r->has_way = false;
    r->way = cell_way(&c->particles[n]);
  }
  for (int32_t n = 0; n < c->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS && c->pairs[n].is_forced; corner++)
      if (may_move(c, c->pairs[n].particles[corner]))
        touch(search, c->pairs[n].particles[corner]);
}

/* Particles of pairs that were not parted go where they would have gone. */
static void leave_behind(carry_search *search, bool all) {
  const cells *c = search->step->cells;
  for (int32_t k = 0; k < search->active; k++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      const separation_pair *p = &c->pairs[c->active[k]];
      c->rides[p->particles[corner]].stays |= all || p->is_forced;
    }
  for (int32_t n = 0; n < c->count; n++)
    c->pairs[n].is_forced = is_forced(c, &c->pairs[n]);
}

/* Moves the carried particles. No plane of a carried pair holds any longer, and its bound follows from its
   new displacements. Returns how many pairs remain forced. */
static int32_t end_rides(const carry_search *search, bool found) {
  const cells *c = search->step->cells;
  for (int32_t n = 0; n < c->particle_count && found; n++)
    if (c->rides[n].rides)
      cell_go(search->step, n, double3_subtract(c->rides[n].to, c->particles[n].x));
  for (int32_t k = 0; k < search->active && found; k++) {
    separation_pair *p = &c->pairs[c->active[k]];
    p->is_forced = !has_movable(c, p) && is_forced(c, p);
    p->next_gap = separation_gap_after(c, p);
    p->stops = true;
  }
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++)
    count += c->pairs[n].is_forced;
  return count;
}

/* What has no place is left behind for good. It may have carried others, so each attempt begins again. */
int32_t separation_carry_with_kinematics(const separation_step *s, int64_t *visits) {
  const int64_t most = MOST_PAIR_VISITS + (int64_t)VISITS_OF_PAIR * s->cells->count;
  carry_search search = {.step = s, .left = most};
  begin_rides(s);
  bool found = false;
  for (int tries = 1; tries <= MOST_TRIES && !found; tries++) {
    begin_search(&search);
    found = make_way(&search);
    if (!found)
      leave_behind(&search, is_over(&search));
  }
  *visits = most - search.left;
  return end_rides(&search, found);
}

/* ----------------------------------------------------------------------- particles that colliders carry */

static bool has_rider(const cells *c, const separation_pair *p) {
  bool rides = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    rides = rides || c->rides[p->particles[corner]].rides;
  return rides;
}

/* True if the pair is apart during the whole substep. A carried pair must also keep a gap that the state
   resolves. */
static bool is_parted_on_its_way(const cells *c, const separation_pair *p) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  cell_take_before(c, p, x);
  cell_take_behind(c, p, next);
  if (p->is_far && separation_gap_after(c, p) > 0)
    return true;
  return is_divided_between(p->kind, x, next,
                            has_rider(c, p) ? separation_least_gap(x, p->thickness) / 4 : 0);
}

/* A pair may meet because of moved particles if it was not forced before. */
static bool may_meet(const cells *c, const separation_pair *p) {
  return is_touched(c, p) && !p->is_forced;
}

/* True if one collider carries all corners, which therefore keep their distances. */
static bool is_carried_rigidly(const cells *c, const separation_pair *p) {
  const carry_state *first = &c->rides[p->particles[0]];
  bool is = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const carry_state *r = &c->rides[p->particles[corner]];
    is = is && r->rides && r->collider == first->collider;
  }
  return is;
}

static bool meets_now(const cells *c, const separation_pair *p) {
  return may_meet(c, p) && !is_carried_rigidly(c, p) && !is_parted_on_its_way(c, p);
}

static int32_t collider_of(const cells *c, const separation_pair *p) {
  int32_t collider = -1;
  for (int corner = 0; corner < PAIR_CORNERS && collider < 0; corner++)
    collider = c->rides[p->particles[corner]].is_touched ? c->rides[p->particles[corner]].collider : -1;
  return collider;
}

/* Asks the free corners of pairs that meet to ride. */
static bool ask_riders(const cells *c) {
  bool some = false;
  for (int32_t n = 0; n < c->count; n++) {
    const separation_pair *p = &c->pairs[n];
    if (!meets_now(c, p))
      continue;
    const int32_t collider = collider_of(c, p);
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      carry_state *r = &c->rides[p->particles[corner]];
      if (r->stays || r->rides || r->is_asked)
        continue;
      r->is_asked = some = true;
      r->collider = r->is_touched ? r->collider : collider;
    }
  }
  return some;
}

static void carry_riders(const separation_step *s, separation_ride *ride, const void *context) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    if (!r->is_asked)
      continue;
    r->is_asked = false;
    r->rides = r->is_touched = true;
    cell_go(s, n, ride(context, r->collider, c->particles[n].x));
  }
}

/* Moves touched particles of pairs that still meet, or all, back to where they were. */
static bool put_back(const separation_step *s, bool all) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->count; n++) {
    const separation_pair *p = &c->pairs[n];
    const bool meets = all || meets_now(c, p);
    for (int corner = 0; corner < PAIR_CORNERS && meets; corner++)
      c->rides[p->particles[corner]].is_asked |= c->rides[p->particles[corner]].is_touched;
  }
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    if (!r->is_asked)
      continue;
    r->is_asked = r->rides = r->is_touched = false;
    cell_go(s, n, r->way);
    some = true;
  }
  return some;
}

static void begin_moved(const separation_step *s, const separation_moved *moved, int32_t count) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++)
    c->rides[n] = (carry_state){
        .stays = c->particles[n].is_kinematic > 0, .way = cell_way(&c->particles[n]), .collider = -1};
  for (int32_t k = 0; k < count; k++) {
    const int32_t n = separation_owner(c, moved[k].slot);
    if (n < 0)
      continue;
    cell_take_next(s, n);
    c->rides[n].way = moved[k].kept;
    c->rides[n].collider = moved[k].collider;
    c->rides[n].is_touched = true;
  }
}

static void end_moved(const cells *c) {
  for (int32_t n = 0; n < c->count; n++) {
    separation_pair *p = &c->pairs[n];
    const double gap = separation_gap_after(c, p);
    p->next_gap = gap < p->next_gap ? gap : p->next_gap;
  }
}

/* Rounds in which what meets what rides comes to ride, too. */
enum { MOST_RIDES = 64 };

void separation_carry_moved(const separation_step *s, const separation_moved *moved, int32_t count,
                            separation_ride *ride, const void *context) {
  const cells *c = s->cells;
  if (c->count == 0 || count == 0)
    return;
  begin_moved(s, moved, count);
  for (int round = 0; round < MOST_RIDES && !stop_poll_ask(s->stop, 0) && ask_riders(c); round++)
    carry_riders(s, ride, context);
  for (int32_t n = 0; n < c->particle_count; n++)
    c->rides[n].is_asked = false;
  for (int round = 0; round <= MOST_RIDES && put_back(s, round == MOST_RIDES);)
    round++;
  end_moved(c);
}
