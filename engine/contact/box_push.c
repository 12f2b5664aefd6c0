/* Impulses of boxes on elements (box_contact.h). */
#include "engine/contact/box_contact.h"

#include <float.h>

static const growth_array particle_arrays[] = {GROWTH_ARRAY(box_contacts, particles)};
const growth_table box_particle_growth =
    GROWTH(box_contacts, particle_count, particle_capacity, particle_arrays, .most = INT32_MAX / 2);
static const growth_array impulse_arrays[] = {GROWTH_ARRAY(box_contacts, impulses)};
const growth_table box_impulse_growth =
    GROWTH(box_contacts, impulse_count, impulse_capacity, impulse_arrays, .most = INT32_MAX / 2);

/* Rounding of a coordinate, relative. */
static const double ROUNDING = 4 * (sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON);

/* True if all corners face the same side of the box and nothing else: then the vertices suffice. */
static bool is_above_side(double3 half, const double3 x[BOX_CORNERS]) {
  const double most[3] = {half.x, half.y, half.z};
  int outside = 0;
  bool same = true;
  for (int axis = 0; axis < 3; axis++) {
    int above = 0, below = 0;
    for (int corner = 0; corner < BOX_CORNERS; corner++) {
      const double at[3] = {x[corner].x, x[corner].y, x[corner].z};
      above += at[axis] > most[axis];
      below += at[axis] < -most[axis];
    }
    same = same && (above % BOX_CORNERS == 0) && (below % BOX_CORNERS == 0);
    outside += above + below > 0;
  }
  return same && outside == 1;
}

/* The index of a particle among those that boxes push. */
static int32_t particle_at(const self_contact_step *s, int32_t slot) {
  box_contacts *b = &s->contact->boxes;
  if (b->mark[slot] == 0) {
    const size_t at = (size_t)slot;
    const double3 x = {(double)s->before[at], (double)s->before[s->stride + at],
                       (double)s->before[2 * s->stride + at]},
                  next = {(double)s->behind[at], (double)s->behind[s->stride + at],
                          (double)s->behind[2 * s->stride + at]};
    const bool is_awake = !s->awake || s->awake[slot];
    b->particles[b->particle_count] =
        (box_particle){.slot = slot,
                       .inverse_mass = is_awake ? (double)s->inverse_mass[slot] : 0,
                       .x = x,
                       .next = next,
                       .given = next};
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

static void put_impulse(const self_contact_step *s, const box_candidate *c, const box_corners *corners,
                        const box_separation *apart) {
  box_contacts *b = &s->contact->boxes;
  const box_motion *box = &b->boxes[c->box];
  box_impulse *i = &b->impulses[b->impulse_count++];
  *i = (box_impulse){.box = c->box, .corners = 0};
  double3 point = double3_scale(apart->normal, -apart->distance);
  for (int corner = 0; corner < BOX_CORNERS; corner++) {
    const double weight = apart->weight[corner];
    point = double3_add_scaled(point, corners->before[corner], weight);
    if (!(weight > 0))
      continue;
    const int32_t n = particle_at(s, c->slots[corner]);
    i->particles[i->corners] = n;
    i->weight[i->corners++] = weight;
    i->inverse_mass += weight * weight * b->particles[n].inverse_mass;
  }
  i->normal = box_contact_turn(&box->behind, apart->normal);
  i->least = double3_dot(i->normal, box->behind.origin) + box_separation_extent(box->half, apart->normal) +
             height_of(s, box, corners->before, apart->distance);
  const double3 from = box_contact_turn(&box->before, point), to = box_contact_turn(&box->behind, point);
  i->way = double3_add_scaled(double3_subtract(box->behind.origin, box->before.origin),
                              double3_subtract(to, from), 1);
}

/* True if the nearest point is a corner, which the colliders push. */
static bool is_vertex(const box_separation *apart) {
  return apart->weight[0] == 1 || apart->weight[1] == 1 || apart->weight[2] == 1;
}

static bool find_impulses(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  const double thickness = (double)s->settings.thickness;
  b->impulse_count = b->particle_count = 0;
  for (int32_t n = 0; n < b->candidate_count; n++) {
    const box_candidate *c = &b->candidates[n];
    const double3 half = b->boxes[c->box].half;
    const box_corners corners = box_contact_corners(s, c);
    if (box_contact_gap(half, corners.before) > thickness + corners.approach ||
        is_above_side(half, corners.before))
      continue;
    const box_separation apart = box_separation_find(half, corners.before, c->is_segment);
    if (apart.distance > thickness + corners.approach || (apart.distance > 0 && is_vertex(&apart)))
      continue;
    if (!growth_reserve(&box_impulse_growth, b, s->memory, (int64_t)b->impulse_count + 1) ||
        !growth_reserve(&box_particle_growth, b, s->memory, (int64_t)b->particle_count + BOX_CORNERS))
      return false;
    put_impulse(s, c, &corners, &apart);
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------- solve */

/* Most sweeps over all impulses, and the change in m at which they end, as a fraction of the thickness. */
enum { MOST_SWEEPS = 32 };
static const double TOLERANCE = 1e-6;

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

static void sweep_all(box_contacts *b, box_phase phase, double tolerance) {
  double largest = (double)INFINITY;
  for (int sweep = 0; sweep < MOST_SWEEPS && largest > tolerance; sweep++) {
    largest = 0;
    for (int32_t n = 0; n < b->impulse_count; n++) {
      box_impulse *i = &b->impulses[n];
      if (!(i->inverse_mass > 0))
        continue;
      const double moved =
          phase == BOX_RUBS ? rub_one(b, i, b->boxes[i->box].friction) : push_one(b, i, phase == BOX_HOLDS);
      largest = moved > largest ? moved : largest;
    }
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

bool box_contact_push(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  const double tolerance = TOLERANCE * (double)s->settings.thickness;
  const bool done = find_impulses(s);
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
