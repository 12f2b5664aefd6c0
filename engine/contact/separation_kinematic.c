/* Kinematic particles that cross separating planes (separation.h), and the free particles they carry along. */
#include "engine/contact/separation_pairs.h"

/* ----------------------------------------------------------------------------------- forced intersections */

/* True if some plane across the witness separates the sides after the substep. */
static bool is_apart(const separation_pair *p, const double3 next[PAIR_CORNERS]) {
  const separation_sides then = separation_sides_of(p->kind, p->normal, next);
  return then.a > then.b;
}

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
  return !is_apart(p, next) && !(is_fully_kinematic(c, p) && goes_past(p->kind, x, next));
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

/* Most rounds of carrying along, and of restoring particles that still meet; most attempts without the
   restored ones before nothing is carried. Most tests of pairs before that, besides TESTS_OF_EACH for each
   pair. */
enum { MOST_ROUNDS = 32, MOST_TRIES = 4, MOST_TESTS = 1 << 15, TESTS_OF_EACH = 2 };

/* The search for particles to carry; `left`: tests of pairs. */
typedef struct carry_search {
  const separation_step *step;
  int64_t left;
} carry_search;

/* Counts one test of a pair; now and then the callback is asked to stop. */
static void spend(carry_search *search) {
  search->left--;
  if (search->left % STOP_POLL_ITEMS == 0)
    stop_poll_ask(search->step->stop, 0);
}

static bool is_over(const carry_search *search) {
  return search->left <= 0 || stop_poll_is_stopped(search->step->stop);
}

static bool has_rider(const cells *c, const separation_pair *p) {
  bool rides = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    rides = rides || c->rides[p->particles[corner]].rides;
  return rides;
}

/* True if a corner is or was carried. */
static bool is_touched(const cells *c, const separation_pair *p) {
  bool touched = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    touched = touched || c->rides[p->particles[corner]].is_touched;
  return touched;
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

/* Fully kinematic pairs are asked about only if they meet, which nothing here changes. */
static bool is_parted(const cells *c, const separation_pair *p) {
  return !is_fully_kinematic(c, p) && is_parted_on_its_way(c, p);
}

/* Updates `is_forced` of forced and carried pairs and counts them. `stops` marks pairs that were ever
   forced. */
static int32_t find_meeting(carry_search *search) {
  const cells *c = search->step->cells;
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    separation_pair *p = &c->pairs[n];
    if (!p->is_forced && !is_touched(c, p))
      continue;
    spend(search);
    p->is_forced = !is_parted(c, p);
    p->stops = p->stops || p->is_forced;
    count += p->is_forced;
  }
  return count;
}

/* The weight of each corner in the closest points, plus 1/64 so that every corner counts. */
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

/* The displacement of the kinematic and carried corners at the closest points. False if there are none. */
static bool contact_displacement(const cells *c, const separation_pair *p, const double3 x[PAIR_CORNERS],
                                 double3 *way) {
  double weights[PAIR_CORNERS], all = 0;
  double3 sum = {0, 0, 0};
  weigh(p->kind, x, weights);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if (!(separation_corner(c, p, corner)->is_kinematic > 0) && !c->rides[p->particles[corner]].rides)
      continue;
    sum = double3_add_scaled(sum, cell_way(separation_corner(c, p, corner)), weights[corner]);
    all += weights[corner];
  }
  *way = double3_scale(sum, 1 / (all > 0 ? all : 1));
  return all > 0 && isfinite(double3_dot(*way, *way));
}

/* An extra displacement that moves a corner away from the other side if the pair is below the least gap. */
static double3 find_away(const separation_pair *p, const double3 x[PAIR_CORNERS], int corner) {
  const separation_witness w = separation_find_witness(p->kind, x);
  const double least = separation_least_gap(x, p->thickness),
               away = separation_gap(p->kind, &w) < least ? least / 8 : 0;
  return double3_scale(w.normal, w.found ? (separation_is_first(p->kind, corner) ? away : -away) : 0);
}

/* The mean over the forced pairs of a particle. False if there are none. */
static bool mean_displacement(carry_search *search, int32_t n, double3 *way) {
  const cells *c = search->step->cells;
  double3 sum = {0, 0, 0};
  int count = 0;
  for (int32_t k = c->corners.first[n]; k < c->corners.last[n]; k++) {
    const separation_pair *p = separation_pair_at(c, k);
    double3 x[PAIR_CORNERS], own;
    spend(search);
    cell_take_before(c, p, x);
    if (!p->stops || !contact_displacement(c, p, x, &own))
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
    met = separation_pair_at(c, k)->is_forced;
  return met;
}

static void begin_rides(const separation_step *s) {
  const cells *c = s->cells;
  for (int32_t n = 0; n < c->particle_count; n++) {
    const size_t slot = (size_t)c->corners.slots[n];
    c->rides[n] = (carry_state){.stays = c->particles[n].is_kinematic > 0};
    for (size_t k = 0; k < COMPONENTS; k++)
      c->rides[n].kept[k] = s->behind[k * s->stride + slot];
  }
}

/* Carries the free particles of all forced pairs. All displacements are computed before any particle moves.
   False if none is carried. */
static bool carry_along(carry_search *search) {
  const separation_step *s = search->step;
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++) {
    carry_state *r = &c->rides[n];
    r->is_asked = !r->stays && meets(c, n) && mean_displacement(search, n, &r->way);
    some = some || r->is_asked;
  }
  for (int32_t n = 0; n < c->particle_count; n++)
    if (c->rides[n].is_asked) {
      c->rides[n].rides = c->rides[n].is_touched = true;
      cell_go(s, n, c->rides[n].way);
    }
  return some;
}

static void restore_carried(const separation_step *s, int32_t n) {
  carry_state *r = &s->cells->rides[n];
  const size_t slot = (size_t)s->cells->corners.slots[n];
  for (size_t k = 0; k < COMPONENTS; k++)
    s->behind[k * s->stride + slot] = r->kept[k];
  cell_take_next(s, n);
  r->rides = false;
}

/* Restores carried particles that are still in a forced pair, for good. False if there are none. */
static bool leave_those_behind(const separation_step *s) {
  const cells *c = s->cells;
  bool some = false;
  for (int32_t n = 0; n < c->particle_count; n++)
    if (c->rides[n].rides && meets(c, n)) {
      restore_carried(s, n);
      c->rides[n].stays = some = true;
    }
  return some;
}

/* Carries particles that may be carried; false if some had to be restored. */
static bool try_along(carry_search *search) {
  const separation_step *s = search->step;
  for (int32_t n = 0; n < s->cells->count; n++)
    s->cells->pairs[n].stops = false;
  for (int round = 0;
       find_meeting(search) > 0 && round < MOST_ROUNDS && !is_over(search) && carry_along(search);)
    round++;
  bool left = false;
  for (int round = 0;
       find_meeting(search) > 0 && round < MOST_ROUNDS && !is_over(search) && leave_those_behind(s); round++)
    left = true;
  return !left;
}

static void leave_all_behind(carry_search *search) {
  const separation_step *s = search->step;
  for (int32_t n = 0; n < s->cells->particle_count; n++)
    if (s->cells->rides[n].rides)
      restore_carried(s, n);
  find_meeting(search);
}

/* Gap bounds of carried pairs are computed again from their new displacements. */
static int32_t end_rides(const cells *c) {
  int32_t count = 0;
  for (int32_t n = 0; n < c->count; n++) {
    separation_pair *p = &c->pairs[n];
    p->is_forced = p->is_forced && cell_is_led(c, p);
    p->next_gap = is_touched(c, p) ? separation_gap_after(c, p) : p->next_gap;
    count += p->is_forced;
  }
  return count;
}

/* Restored particles may have carried others along, so each attempt begins again without them. A search that
   is over has carried particles that may still meet others. */
int32_t separation_carry_with_kinematics(const separation_step *s) {
  carry_search search = {s, MOST_TESTS + (int64_t)TESTS_OF_EACH * s->cells->count};
  begin_rides(s);
  bool done = false;
  for (int tries = 0; tries < MOST_TRIES && !done && !is_over(&search); tries++) {
    done = try_along(&search) && !is_over(&search);
    if (!done)
      leave_all_behind(&search);
  }
  return end_rides(s->cells);
}

/* ----------------------------------------------------------------------- particles that colliders carry */

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
