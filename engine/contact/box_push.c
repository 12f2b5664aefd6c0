/* Impulses of boxes on elements (box_contact.h). */
#include "engine/contact/box_contact.h"

#include "engine/base/bits.h"

#include <float.h>
#include <string.h>

static const growth_array particle_arrays[] = {GROWTH_ARRAY(box_contacts, particles)};
const growth_table box_particle_growth =
    GROWTH(box_contacts, particle_count, particle_capacity, particle_arrays, .most = INT32_MAX / 2);
static const growth_array impulse_arrays[] = {GROWTH_ARRAY(box_contacts, impulses)};
const growth_table box_impulse_growth =
    GROWTH(box_contacts, impulse_count, impulse_capacity, impulse_arrays, .most = INT32_MAX / 4);
static const growth_array due_arrays[] = {GROWTH_ARRAY(box_contacts, due)};
const growth_table box_due_growth =
    GROWTH(box_contacts, due_count, due_capacity, due_arrays, .most = INT32_MAX / 4);

/* Rounding of a coordinate, relative. */
static const double ROUNDING = 4 * (sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON);

/* The corners of an element at x in the frame of its box. */
static void find_corners(const box_contacts *b, const box_candidate *c, double3 x[BOX_CORNERS]) {
  for (int n = 0; n < BOX_CORNERS; n++) {
    const int32_t at = c->places[n] % BOX_GROUP;
    const box_places *places = &b->places[c->places[n] / BOX_GROUP];
    x[n] = (double3){places->at[0][at], places->at[1][at], places->at[2][at]};
  }
}

/* m: the longest way of a corner in the substep. */
static double way_of(const self_contact_step *s, const box_candidate *c) {
  double most = 0;
  for (int n = 0; n < BOX_CORNERS; n++) {
    const double3 way = double3_subtract(box_contact_read(s->behind, s->stride, c->slots[n]),
                                         box_contact_read(s->before, s->stride, c->slots[n]));
    const double square = double3_dot(way, way);
    most = most < square ? square : most;
  }
  return sqrt(most);
}

/* True if a distance is more than the element can come nearer than the thickness in the substep. */
static inline bool is_beyond(const self_contact_step *s, const box_candidate *c, double reach,
                             double distance) {
  const double thickness = (double)s->settings.thickness;
  return distance > thickness + reach && distance > thickness + (way_of(s, c) + reach);
}

/* The index of a particle among those that boxes push. */
static int32_t particle_at(const self_contact_step *s, int32_t slot) {
  box_contacts *b = &s->contact->boxes;
  if (b->mark[slot] == 0) {
    const double3 x = box_contact_read(s->before, s->stride, slot),
                  next = box_contact_read(s->behind, s->stride, slot);
    const bool is_awake = !s->awake || s->awake[slot];
    b->particles[b->particle_count] =
        (box_particle){.slot = slot,
                       .inverse_mass = is_awake ? (double)s->inverse_mass[slot] : 0,
                       .x = x,
                       .next = next,
                       .given = next,
                       .first = -1};
    b->mark[slot] = ++b->particle_count;
  }
  return b->mark[slot] - 1;
}

/* m: the distance that an element keeps from the box, from its distance at x; as for vertices
   (kernel/contacts.h). */
static double height_of(const self_contact_step *s, const box_motion *box, const double3 *x,
                        double distance) {
  const double thickness = (double)s->settings.thickness, allowed = distance + CONTACT_PUSH * s->dt;
  const double3 o = box->before.origin;
  double size = fabs(o.x) + fabs(o.y) + fabs(o.z) + box->half.x + box->half.y + box->half.z;
  for (int corner = 0; corner < BOX_CORNERS; corner++)
    size += fabs(x[corner].x) + fabs(x[corner].y) + fabs(x[corner].z);
  if (fabs(distance - thickness) <= ROUNDING * size)
    return distance;
  return allowed < thickness ? allowed : thickness;
}

static void put_impulse(const self_contact_step *s, const box_candidate *c, const double3 x[BOX_CORNERS],
                        const box_separation *apart) {
  box_contacts *b = &s->contact->boxes;
  const box_motion *box = &b->boxes[c->box];
  const int32_t at = b->impulse_count++;
  box_impulse *i = &b->impulses[at];
  *i = (box_impulse){.box = c->box, .distance = apart->distance, .side = apart->normal};
  double3 point = double3_scale(apart->normal, -apart->distance);
  for (int corner = 0; corner < BOX_CORNERS; corner++) {
    const double weight = apart->weight[corner];
    point = double3_add_scaled(point, x[corner], weight);
    if (!(weight > 0))
      continue;
    const int32_t n = particle_at(s, c->slots[corner]);
    i->particles[i->corners] = n;
    i->next[i->corners] = b->particles[n].first;
    b->particles[n].first = BOX_CORNERS * at + i->corners;
    i->weight[i->corners++] = weight;
    i->inverse_mass += weight * weight * b->particles[n].inverse_mass;
  }
  i->normal = box_contact_turn(&box->behind, apart->normal);
  i->least = double3_dot(i->normal, box->behind.origin) + box_separation_extent(box->half, apart->normal) +
             height_of(s, box, x, apart->distance);
  if (!(box->reach > 0))
    return;
  const double3 from = box_contact_turn(&box->before, point), to = box_contact_turn(&box->behind, point);
  i->way = double3_add_scaled(double3_subtract(box->behind.origin, box->before.origin),
                              double3_subtract(to, from), 1);
}

/* True if the nearest point is a corner, which the colliders push. */
static bool is_vertex(const box_separation *apart) {
  return apart->weight[0] == 1 || apart->weight[1] == 1 || apart->weight[2] == 1;
}

static bool is_corner(const box_candidate *c, int32_t slot) {
  return c->slots[0] == slot || c->slots[1] == slot || c->slots[2] == slot;
}

/* True if an impulse on an edge of the triangle separates all of it: then the edge is nearest to the box. */
static bool is_found(const box_contacts *b, const box_candidate *c, const double3 x[BOX_CORNERS]) {
  const double3 half = b->boxes[c->box].half;
  bool is = false;
  for (int corner = 0; corner < 2 && !is; corner++) {
    const int32_t mark = b->mark[c->slots[corner]];
    for (int32_t k = mark ? b->particles[mark - 1].first : -1; k >= 0 && !is;
         k = b->impulses[k / BOX_CORNERS].next[k % BOX_CORNERS]) {
      const box_impulse *i = &b->impulses[k / BOX_CORNERS];
      is = i->corners == 2 && i->box == c->box && i->distance > 0 &&
           is_corner(c, b->particles[i->particles[0]].slot) &&
           is_corner(c, b->particles[i->particles[1]].slot) &&
           box_separation_along(half, i->side, x) >= i->distance;
    }
  }
  return is;
}

static bool find_impulse(const self_contact_step *s, box_edges_find *edges, const box_candidate *c) {
  box_contacts *b = &s->contact->boxes;
  const box_motion *box = &b->boxes[c->box];
  const double3 half = box->half;
  double3 x[BOX_CORNERS];
  find_corners(b, c, x);
  if ((!c->is_segment && is_found(b, c, x)) || is_beyond(s, c, box->reach, box_contact_gap(half, x)))
    return true;
  const box_separation apart = box_separation_find(edges, half, x, c->is_segment);
  if (is_beyond(s, c, box->reach, apart.distance) || (apart.distance > 0 && is_vertex(&apart)))
    return true;
  if (!growth_reserve(&box_impulse_growth, b, s->memory, (int64_t)b->impulse_count + 1) ||
      !growth_reserve(&box_particle_growth, b, s->memory, (int64_t)b->particle_count + BOX_CORNERS))
    return false;
  put_impulse(s, c, x, &apart);
  return true;
}

static bool find_impulses(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  box_edges_find *edges = box_kernel_choose(s->simd)->find_edges;
  b->impulse_count = b->particle_count = 0;
  const uint16_t *codes = b->run_count > 0 ? b->codes->of : NULL;
  bool done = true;
  for (int32_t block = 0; block < b->block_count; block++) {
    if (box_contact_block_passes(b, &b->blocks[block]))
      continue;
    const box_candidate *end = b->candidates + b->blocks[block].last;
    for (const box_candidate *c = b->candidates + b->blocks[block].first; done && c < end; c++)
      done = box_contact_passes(codes, c) || find_impulse(s, edges, c);
  }
  return done;
}

/* ---------------------------------------------------------------------------------------------------- solve */

/* In a word of box_contacts.due. */
enum { DUE_BITS = 32 };

/* Most sweeps over all impulses, and the displacement in m, as a fraction of the thickness, up to which an
   impulse does not make those on the same particles be computed again. */
enum { MOST_SWEEPS = 32 };
static const double TOLERANCE = 1e-4;

static double3 point_of(const box_contacts *b, const box_impulse *i) {
  double3 at = {0, 0, 0};
  for (int k = 0; k < i->corners; k++)
    at = double3_add_scaled(at, b->particles[i->particles[k]].next, i->weight[k]);
  return at;
}

static void give(box_contacts *b, const box_impulse *i, double3 impulse) {
  for (int k = 0; k < i->corners; k++) {
    box_particle *p = &b->particles[i->particles[k]];
    p->next = double3_add_scaled(p->next, impulse, i->weight[k] * p->inverse_mass);
  }
}

/* Returns how far the point has moved. With `grows` an impulse only becomes larger. */
static double push_one(box_contacts *b, box_impulse *i, bool grows) {
  const double open = double3_dot(i->normal, point_of(b, i)) - i->least, wanted = -open / i->inverse_mass,
               least = grows ? 0 : -i->push, change = wanted > least ? wanted : least;
  i->push += change;
  give(b, i, double3_scale(i->normal, change));
  return fabs(change) * i->inverse_mass;
}

/* Friction takes the slip of the point from the box, up to Coulomb's limit. */
static double rub_one(box_contacts *b, box_impulse *i, double friction) {
  double3 slip = double3_subtract(point_of(b, i), i->way);
  for (int k = 0; k < i->corners; k++)
    slip = double3_add_scaled(slip, b->particles[i->particles[k]].x, -i->weight[k]);
  slip = double3_add_scaled(slip, i->normal, -double3_dot(slip, i->normal));
  double3 rub = double3_add_scaled(i->rub, slip, -1 / i->inverse_mass);
  const double length = sqrt(double3_dot(rub, rub)), most = friction * i->push;
  rub = double3_scale(rub, length > most ? most / length : 1);
  const double3 change = double3_subtract(rub, i->rub);
  i->rub = rub;
  give(b, i, change);
  return sqrt(double3_dot(change, change)) * i->inverse_mass;
}

typedef enum box_phase { BOX_PUSHES, BOX_RUBS, BOX_HOLDS } box_phase;

static double compute_one(box_contacts *b, box_impulse *i, box_phase phase) {
  return !(i->inverse_mass > 0) ? 0
         : phase == BOX_RUBS    ? rub_one(b, i, b->boxes[i->box].friction)
                                : push_one(b, i, phase == BOX_HOLDS);
}

/* Makes the other impulses on the particles of the n-th one due. */
static void make_due(box_contacts *b, int32_t n) {
  const box_impulse *i = &b->impulses[n];
  for (int corner = 0; corner < i->corners; corner++)
    for (int32_t k = b->particles[i->particles[corner]].first; k >= 0;
         k = b->impulses[k / BOX_CORNERS].next[k % BOX_CORNERS]) {
      const int32_t other = k / BOX_CORNERS;
      b->due[other / DUE_BITS] |= (uint32_t)(other != n) << other % DUE_BITS;
    }
}

/* Computes the impulses of one word that are due, in order; those that become due behind them wait. Returns
   whether there were any. */
static bool sweep_word(box_contacts *b, int32_t word, box_phase phase, double tolerance) {
  const bool some = b->due[word] != 0;
  uint32_t ahead = ~0u;
  for (uint32_t left = b->due[word]; left; left = b->due[word] & ahead) {
    const int32_t bit = lowest_bit(left), n = word * DUE_BITS + bit;
    b->due[word] &= ~(1u << bit);
    ahead = ~1u << bit;
    if (compute_one(b, &b->impulses[n], phase) > tolerance)
      make_due(b, n);
  }
  return some;
}

/* Each impulse is computed at least once, and again when others have moved its particles. One that does not
   push has no friction. */
static void sweep_all(box_contacts *b, box_phase phase, double tolerance) {
  memset(b->due, 0, (size_t)b->due_count * sizeof *b->due);
  for (int32_t n = 0; n < b->impulse_count; n++)
    b->due[n / DUE_BITS] |= (uint32_t)(phase != BOX_RUBS || b->impulses[n].push > 0) << n % DUE_BITS;
  bool some = true;
  for (int sweep = 0; sweep < MOST_SWEEPS && some; sweep++) {
    some = false;
    for (int32_t word = 0; word < b->due_count; word++)
      some = sweep_word(b, word, phase, tolerance) || some;
  }
}

/* Leaves the share of the penetration that contact settings want. */
static void relax(box_contacts *b, double share) {
  for (int32_t n = 0; n < b->particle_count; n++) {
    box_particle *p = &b->particles[n];
    p->next = double3_add_scaled(p->given, double3_subtract(p->next, p->given), share);
  }
  for (int32_t n = 0; n < b->impulse_count; n++)
    b->impulses[n].push *= share;
}

static void write_back(const self_contact_step *s) {
  const box_contacts *b = &s->contact->boxes;
  for (int32_t n = 0; n < b->particle_count; n++) {
    const box_particle *p = &b->particles[n];
    const double change[3] = {p->next.x - p->given.x, p->next.y - p->given.y, p->next.z - p->given.z};
    for (size_t axis = 0; axis < 3; axis++) {
      msd_real *x = s->behind + axis * s->stride + (size_t)p->slot, *v = x + 3 * s->stride;
      if (change[axis] == 0)
        continue;
      *x = (msd_real)((double)*x + change[axis]);
      *v = (msd_real)((double)*v + change[axis] / s->dt);
    }
  }
}

static bool reserve_due(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  b->due_count = 0;
  if (!growth_reserve(&box_due_growth, b, s->memory, b->impulse_count / DUE_BITS + 1))
    return false;
  b->due_count = b->impulse_count / DUE_BITS + 1;
  return true;
}

bool box_contact_push(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  const double tolerance = TOLERANCE * (double)s->settings.thickness;
  const bool done = find_impulses(s) && reserve_due(s);
  for (int32_t n = 0; n < b->particle_count; n++)
    b->mark[b->particles[n].slot] = 0;
  if (!done || b->impulse_count == 0)
    return done;
  sweep_all(b, BOX_PUSHES, tolerance);
  if (s->settings.relaxation > 0)
    relax(b, 1 - (double)s->settings.relaxation);
  sweep_all(b, BOX_RUBS, tolerance);
  if (s->settings.relaxation == 0)
    sweep_all(b, BOX_HOLDS, tolerance);
  write_back(s);
  return true;
}

/* ----------------------------------------------------------------------------------------------------- note */

static void note_corner(const self_contact_step *s, const box_impulse *i, int corner) {
  const box_contacts *b = &s->contact->boxes;
  contact_work *w = s->colliders.work;
  const box_particle *p = &b->particles[i->particles[corner]];
  const double3 way =
      double3_scale(double3_add_scaled(i->rub, i->normal, i->push), i->weight[corner] * p->inverse_mass);
  const msd_real ways[3] = {(msd_real)way.x, (msd_real)way.y, (msd_real)way.z};
  const int32_t collider = b->boxes[i->box].collider;
  for (size_t axis = 0; axis < 3; axis++)
    w->given[axis * w->stride + (size_t)p->slot] += (msd_real)((double)ways[axis] / s->dt);
  w->tallies[0].contacts += w->pushed_by[p->slot] != collider;
  w->pushed_by[p->slot] = collider;
  w->is_pushed[p->slot / CONTACT_GROUP] = true;
  if (!w->pushes)
    return;
  const int32_t n = atomic_fetch_add_explicit(&w->pushes->count, 1, memory_order_relaxed);
  if (n < w->pushes->capacity)
    w->pushes->items[n] = (contact_push){p->slot, collider, {ways[0], ways[1], ways[2]}};
}

void box_contact_note(const self_contact_step *s) {
  const box_contacts *b = &s->contact->boxes;
  for (int32_t n = 0; n < b->impulse_count; n++)
    for (int corner = 0; corner < b->impulses[n].corners && b->impulses[n].push > 0; corner++)
      if (b->particles[b->impulses[n].particles[corner]].inverse_mass > 0)
        note_corner(s, &b->impulses[n], corner);
}
