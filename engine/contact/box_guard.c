/* The guard of boxes: no element ends a substep in one (box_contact.h). */
#include "engine/contact/box_contact.h"

/* The part of the distance at x that an element keeps at least. Below the part FLOOR of the thickness it comes
   no nearer. */
static const double LEAST_OF_DISTANCE = 0.45, FLOOR = 1.0 / 1024;

/* The part of a least distance that is tolerance for rounding. */
static const double SLACK = 1.0 / 8;

/* m: the least distance after the substep, from that at x. */
static double least_distance(const self_contact_step *s, double distance) {
  const double thickness = (double)s->settings.thickness, share = thickness * BOX_LEAST,
               part = LEAST_OF_DISTANCE * distance, least = thickness * FLOOR;
  if (!(distance > least))
    return distance;
  return share < part ? share : part > least ? part : least;
}

/* Whether a distance is large enough. */
static bool is_enough(double distance, double least) {
  return distance >= least - (least > 0 ? SLACK * least : 0);
}

/* The plane of an element: at the end of the substep all corners are at least `least` from the box along
   `normal`, in the frame of the box. */
typedef struct box_plane {
  double3 normal;
  double least;
  bool is_violated;
} box_plane;

/* Of the sides of the box that separate the element after the substep as well as at x, the one that separates x
   best; violated if there is none. */
static box_plane find_side(const self_contact_step *s, double3 half, const box_corners *corners) {
  box_plane best = {.is_violated = true};
  double most = 0;
  for (int n = 0; n < 6; n++) {
    const double sign = n % 2 ? -1 : 1;
    const double3 normal = {n / 2 == 0 ? sign : 0, n / 2 == 1 ? sign : 0, n / 2 == 2 ? sign : 0};
    const double distance = box_separation_along(half, normal, corners->before),
                 least = least_distance(s, distance);
    if (!(distance > most) || !is_enough(box_separation_along(half, normal, corners->behind), least))
      continue;
    most = distance;
    best = (box_plane){normal, least, false};
  }
  return best;
}

/* Shortest interval of a substep that is tested separately, as a fraction of it. */
static const double LEAST_PART = 1.0 / 64;

static void place_at(const box_corners *c, double share, double3 at[BOX_CORNERS]) {
  for (int n = 0; n < BOX_CORNERS; n++)
    at[n] = double3_add_scaled(c->before[n], double3_subtract(c->behind[n], c->before[n]), share);
}

/* True if an element stays outside on straight ways although no single plane separates it, as one that tilts
   about an edge. `at`: its separation at x. */
static bool goes_past(box_edges_find *edges, double3 half, const box_corners *c, box_separation at,
                      bool is_segment) {
  double3 from[BOX_CORNERS], to[BOX_CORNERS];
  double gone = 0, part = 0.5;
  while (gone < 1 && part >= LEAST_PART && at.distance > 0) {
    place_at(c, gone, from);
    place_at(c, gone + part, to);
    const box_separation then = box_separation_find(edges, half, to, is_segment);
    const bool is_apart = box_separation_along(half, at.normal, to) > 0 ||
                          (then.distance > 0 && box_separation_along(half, then.normal, from) > 0);
    gone += is_apart ? part : 0;
    part = is_apart ? part : part / 2;
    at = is_apart ? then : at;
  }
  return gone >= 1;
}

/* The plane that separates an element after the substep as well as at x, or if it only went past the box,
   after it. */
static box_plane plane_of(const self_contact_step *s, const box_candidate *c, const box_corners *corners) {
  const double3 half = s->contact->boxes.boxes[c->box].half;
  box_edges_find *edges = box_kernel_choose(s->simd)->find_edges;
  const box_plane side = find_side(s, half, corners);
  if (!side.is_violated)
    return side;
  const box_separation was = box_separation_find(edges, half, corners->before, c->is_segment);
  const double least = least_distance(s, was.distance);
  if (is_enough(box_separation_along(half, was.normal, corners->behind), least))
    return (box_plane){was.normal, least, false};
  const box_separation is = box_separation_find(edges, half, corners->behind, c->is_segment);
  const bool is_well = is_enough(is.distance, least) &&
                       (!(was.distance > 0) || box_separation_along(half, is.normal, corners->before) > 0 ||
                        goes_past(edges, half, corners, was, c->is_segment));
  return is_well ? (box_plane){is.normal, least, false} : (box_plane){was.normal, least, true};
}

static bool is_near(const self_contact_step *s, const box_candidate *c, const box_corners *corners) {
  const double3 half = s->contact->boxes.boxes[c->box].half;
  return !(box_contact_gap(half, corners->before) >
           corners->approach + (double)s->settings.thickness * BOX_LEAST);
}

static bool is_violated(const self_contact_step *s, const box_candidate *c) {
  const box_corners corners = box_contact_corners(s, c);
  return is_near(s, c, &corners) && plane_of(s, c, &corners).is_violated;
}

static bool check_block(const self_contact_step *s, const box_block *block) {
  const box_contacts *b = &s->contact->boxes;
  const uint16_t *codes = b->codes->of;
  const box_candidate *end = b->candidates + block->last;
  bool some = false;
  for (box_candidate *c = b->candidates + block->first; c < end; c++) {
    if (box_contact_passes(codes, c))
      continue;
    c->is_violated = is_violated(s, c);
    some = some || c->is_violated;
  }
  return some;
}

bool box_contact_check(const self_contact_step *s, parallel_range blocks) {
  const box_contacts *b = &s->contact->boxes;
  bool some = false;
  for (int32_t n = blocks.first; n < blocks.last; n++)
    if (!box_contact_block_passes(b, &b->blocks[n]))
      some = check_block(s, &b->blocks[n]) || some;
  return some;
}

/* ------------------------------------------------------------------------------------------------- resolve */

/* Rounds of moves within planes, and of moves back to x, which can spread from one element to the next. */
enum { MOST_CLIPS = 4, MOST_ROUNDS = 32 };

/* Bounds of one particle that are taken into account. */
enum { MOST_BOUNDS = 256 };

static const growth_array plane_arrays[] = {GROWTH_ARRAY(box_contacts, planes)};
const growth_table box_plane_growth =
    GROWTH(box_contacts, plane_count, plane_capacity, plane_arrays, .most = INT32_MAX / 4);

static const growth_array moved_arrays[] = {GROWTH_ARRAY(box_contacts, moved)};
const growth_table box_moved_growth =
    GROWTH(box_contacts, moved_count, moved_capacity, moved_arrays, .most = INT32_MAX / 4);

static bool is_free(const self_contact_step *s, int32_t slot) {
  return s->inverse_mass[slot] > 0 && (!s->awake || s->awake[slot]);
}

/* The displacement of a particle in the substep. */
static double3 way_of(const self_contact_step *s, int32_t slot) {
  return double3_subtract(box_contact_read(s->behind, s->stride, slot),
                          box_contact_read(s->before, s->stride, slot));
}

static void go_to(const self_contact_step *s, int32_t slot, double3 way) {
  const double3 x = box_contact_read(s->before, s->stride, slot);
  const double from[3] = {x.x, x.y, x.z}, by[3] = {way.x, way.y, way.z};
  for (size_t axis = 0; axis < 3; axis++) {
    msd_real *to = s->behind + axis * s->stride + (size_t)slot, *v = to + 3 * s->stride;
    *to = (msd_real)(from[axis] + by[axis]);
    *v = (msd_real)(by[axis] / s->dt);
  }
  contact_work_forget_own(s->colliders.work, (size_t)slot, (size_t)slot + 1);
}

/* The displacement of a particle that the box carries rigidly. */
static double3 carried(const box_motion *box, double3 x) {
  const double3 local = box_contact_place(&box->before, x);
  const double3 to = double3_add_scaled(box->behind.origin, box_contact_turn(&box->behind, local), 1);
  return box->reach > 0 ? double3_subtract(to, x) : (double3){0, 0, 0};
}

/* Adds the free corners of elements that violate the guarantee to the particles. Returns how many such
   elements there are. */
static int32_t add_corners(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  int32_t count = 0;
  for (int32_t n = 0; n < b->candidate_count; n++) {
    const box_candidate *c = &b->candidates[n];
    count += c->is_violated;
    for (int corner = 0; corner < BOX_CORNERS && c->is_violated; corner++) {
      const int32_t slot = c->slots[corner];
      if (!is_free(s, slot) || b->mark[slot])
        continue;
      b->particles[b->particle_count] = (box_particle){.slot = slot, .box = c->box, .given = way_of(s, slot)};
      b->mark[slot] = ++b->particle_count;
    }
  }
  return count;
}

static bool is_marked(const box_contacts *b, const box_candidate *c) {
  return b->mark[c->slots[0]] || b->mark[c->slots[1]] || b->mark[c->slots[2]];
}

/* Adds the plane of an element to its corners. */
static void put_plane(const self_contact_step *s, const box_candidate *c, const box_corners *corners) {
  box_contacts *b = &s->contact->boxes;
  const box_motion *box = &b->boxes[c->box];
  const box_plane plane = plane_of(s, c, corners);
  const int32_t n = b->plane_count++;
  box_plane_at *at = &b->planes[n];
  at->normal = box_contact_turn(&box->behind, plane.normal);
  at->offset = double3_dot(at->normal, box->behind.origin) + box_separation_extent(box->half, plane.normal) +
               plane.least;
  for (int corner = 0; corner < (c->is_segment ? 2 : BOX_CORNERS); corner++) {
    const int32_t mark = b->mark[c->slots[corner]];
    if (mark) {
      at->next[corner] = b->particles[mark - 1].first;
      b->particles[mark - 1].first = BOX_CORNERS * n + corner;
    }
  }
}

/* Finds the planes of all elements that have a corner among the particles. */
static bool find_planes(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  b->plane_count = 0;
  for (int32_t n = 0; n < b->particle_count; n++)
    b->particles[n].first = -1;
  for (int32_t n = 0; n < b->candidate_count; n++) {
    const box_candidate *c = &b->candidates[n];
    if (!is_marked(b, c))
      continue;
    if (!growth_reserve(&box_plane_growth, b, s->memory, (int64_t)b->plane_count + 1))
      return false;
    const box_corners corners = box_contact_corners(s, c);
    if (is_near(s, c, &corners))
      put_plane(s, c, &corners);
  }
  return true;
}

static double3 find_way(const self_contact_step *s, const box_particle *p) {
  const box_contacts *b = &s->contact->boxes;
  separation_bound bounds[MOST_BOUNDS];
  int32_t count = 0;
  const double3 x = box_contact_read(s->before, s->stride, p->slot), way = way_of(s, p->slot);
  for (int32_t k = p->first; k >= 0 && count < MOST_BOUNDS;
       k = b->planes[k / BOX_CORNERS].next[k % BOX_CORNERS]) {
    const box_plane_at *at = &b->planes[k / BOX_CORNERS];
    bounds[count++] =
        (separation_bound){double3_scale(at->normal, -1), double3_dot(at->normal, x) - at->offset};
  }
  return separation_find_within(&s->contact->cells, p->slot, bounds, count, way);
}

/* Moves the particles within all planes. All displacements are found before any particle moves. */
static bool clip_all(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  if (!find_planes(s))
    return false;
  for (int32_t n = 0; n < b->particle_count; n++)
    b->particles[n].next = find_way(s, &b->particles[n]);
  for (int32_t n = 0; n < b->particle_count; n++)
    go_to(s, b->particles[n].slot, b->particles[n].next);
  return true;
}

/* Takes the free corners of elements that still violate the guarantee back to x, or to where their box carries
   x. False if all are there already. */
static bool take_back(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  bool some = false;
  for (int32_t n = 0; n < b->candidate_count; n++) {
    const box_candidate *c = &b->candidates[n];
    for (int corner = 0; corner < BOX_CORNERS && c->is_violated; corner++) {
      const int32_t slot = c->slots[corner], mark = b->mark[slot];
      if (!mark || b->particles[mark - 1].is_back)
        continue;
      go_to(s, slot, carried(&b->boxes[c->box], box_contact_read(s->before, s->stride, slot)));
      b->particles[mark - 1].is_back = some = true;
    }
  }
  return some;
}

/* Tests the elements with a corner among the particles again. */
static void check_again(const self_contact_step *s) {
  const box_contacts *b = &s->contact->boxes;
  for (int32_t n = 0; n < b->candidate_count; n++)
    if (b->candidates[n].is_violated || is_marked(b, &b->candidates[n]))
      b->candidates[n].is_violated = is_violated(s, &b->candidates[n]);
}

/* Moves the corners of elements that violate the guarantee, within planes only in so many rounds. Returns how
   many are left; *moves becomes true if any corner has moved. */
static int32_t move_out(const self_contact_step *s, int clips, bool *done, bool *moves) {
  int32_t left = add_corners(s);
  for (int round = 0; *done && round < clips + MOST_ROUNDS && left > 0; round++) {
    if (round < clips)
      *done = clip_all(s);
    else if (!take_back(s))
      break;
    *moves = true;
    check_again(s);
    left = add_corners(s);
  }
  return left;
}

static double3 ride_on(const void *context, int32_t box, double3 x) {
  const box_contacts *b = context;
  return carried(&b->boxes[box], x);
}

/* Keeps other pairs apart from the particles, which may take some of them back. Returns how many elements then
   violate the guarantee. */
static int32_t keep_pairs_apart(const self_contact_step *s, const separation_step *pairs, int32_t left) {
  box_contacts *b = &s->contact->boxes;
  if (pairs->cells->count == 0)
    return left;
  for (int32_t n = 0; n < b->particle_count; n++) {
    const box_particle *p = &b->particles[n];
    b->moved[n] = (separation_moved){p->slot, p->box, p->given};
  }
  separation_carry_moved(pairs, b->moved, b->particle_count, ride_on, b);
  for (int32_t n = 0; n < b->particle_count; n++)
    b->particles[n].given = way_of(s, b->particles[n].slot);
  left = 0;
  for (int32_t n = 0; n < b->candidate_count; n++) {
    b->candidates[n].is_violated = is_violated(s, &b->candidates[n]);
    left += b->candidates[n].is_violated;
  }
  return left;
}

/* Particles that are carried along by others may come into a box in turn. */
enum { MOST_PASSES = 16 };

bool box_contact_resolve(const self_contact_step *s, const separation_step *pairs) {
  box_contacts *b = &s->contact->boxes;
  b->particle_count = 0;
  bool done = growth_reserve(&box_particle_growth, b, s->memory, b->slot_count) &&
              growth_reserve(&box_moved_growth, b, s->memory, b->slot_count),
       moves = true;
  int32_t left = 1;
  /* A pass in which nothing moves would only be repeated. */
  for (int pass = 0; done && moves && pass < MOST_PASSES && left > 0; pass++) {
    moves = false;
    left = keep_pairs_apart(s, pairs, move_out(s, pass == 0 ? MOST_CLIPS : 0, &done, &moves));
  }
  s->colliders.work->tallies[0].squeezed += left;
  for (int32_t n = 0; n < b->candidate_count; n++)
    b->candidates[n].is_violated = false;
  for (int32_t n = 0; n < b->particle_count; n++)
    b->mark[b->particles[n].slot] = 0;
  return done;
}
