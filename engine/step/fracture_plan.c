#include "engine/step/fracture_plan.h"

#include "engine/base/vec3.h"
#include "engine/intersection/piece.h"

#include <math.h>

/* --------------------------------------------------------------------------------------- sides of the cut */

static double3 position_of(const cutter *w, int32_t particle) {
  return vec3_double(particle_vector(&w->model->particles, POSITION_X, particle));
}

static element_corners corners_of(const cutter *w, int32_t element) {
  return one_ring_corners(&w->model->surfaces, element);
}

bool cut_is_whole(const cutter *w, int32_t element) {
  const element_corners own = corners_of(w, element);
  return !torn_edges_cut(&w->around.torn, own.particle, own.count);
}

bool cut_is_edge(const cutter *w, int32_t one, int32_t other) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[one]; n < at->first[one + 1]; n++)
    if (element_has(corners_of(w, at->item[n]), other) && cut_is_whole(w, at->item[n]))
      return true;
  return false;
}

/* True if the mean of some particles, without the particle that is cut, lies on the side of the spring. */
static bool is_towards(const cutter *w, const cut *c, const int32_t *particles, int32_t count) {
  double sum = 0;
  for (int32_t n = 0; n < count; n++)
    if (particles[n] != c->particle)
      sum += double3_dot(c->normal, double3_subtract(position_of(w, particles[n]), c->at));
  return sum > 0;
}

static bool share_an_edge(const cutter *w, const cut *c, int32_t one, int32_t other) {
  const element_corners a = corners_of(w, one);
  for (int n = 0; n < a.count; n++)
    if (a.particle[n] != c->particle && element_has(corners_of(w, other), a.particle[n]))
      return true;
  return false;
}

/* True if an element at the particle has a common edge with an element on the moving side. */
static bool hangs_on(const cutter *w, const cut *c, int32_t element) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++)
    if (w->goes[at->item[n]] && share_an_edge(w, c, element, at->item[n]))
      return true;
  return false;
}

/* The moving side starts with the elements that have the spring as an edge. It grows over common edges to all
   elements on that side of the plane. */
static void choose_pieces(cutter *w, const cut *c) {
  const incidence *at = &w->around.pieces;
  const int32_t first = at->first[c->particle], last = at->first[c->particle + 1];
  for (int32_t n = first; n < last; n++)
    w->goes[at->item[n]] =
        cut_is_whole(w, at->item[n]) && element_has(corners_of(w, at->item[n]), c->towards);
  for (bool grows = true; grows;) {
    grows = false;
    for (int32_t n = first; n < last; n++) {
      const int32_t element = at->item[n];
      const element_corners own = corners_of(w, element);
      if (w->goes[element] || !cut_is_whole(w, element) || !is_towards(w, c, own.particle, own.count) ||
          !hangs_on(w, c, element))
        continue;
      w->goes[element] = grows = true;
    }
  }
}

/* Marks the corners of both sides. Returns the sides that are not empty. */
static uint8_t mark_corners(cutter *w, const cut *c) {
  const incidence *at = &w->around.pieces;
  uint8_t all = 0;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const element_corners own = corners_of(w, at->item[n]);
    if (!cut_is_whole(w, at->item[n]))
      continue;
    const uint8_t mark = w->goes[at->item[n]] ? MARK_GOES : MARK_STAYS;
    all |= mark;
    for (int k = 0; k < own.count; k++)
      w->marks[own.particle[k]] |= mark;
  }
  return all;
}

void cut_unmark(cutter *w, const cut *c, uint8_t left) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const element_corners own = corners_of(w, at->item[n]);
    for (int k = 0; k < own.count; k++)
      w->marks[own.particle[k]] = (uint8_t)((w->marks[own.particle[k]] & ~(MARK_GOES | MARK_STAYS)) | left);
  }
  w->marks[c->particle] &= (uint8_t) ~(MARK_GOES | MARK_STAYS);
}

/* An edge follows its elements. Any other spring follows the side of its other end. */
cut_fate cut_spring(const cutter *w, const cut *c, int32_t spring) {
  const spring_store *s = &w->model->springs;
  const int32_t other = s->a[spring] == c->particle ? s->b[spring] : s->a[spring];
  switch (w->marks[other] & (MARK_GOES | MARK_STAYS)) {
  case MARK_GOES | MARK_STAYS:
    return CUT_BOTH;
  case MARK_GOES:
    return CUT_GOES;
  case MARK_STAYS:
    return CUT_STAYS;
  default:
    return is_towards(w, c, &other, 1) ? CUT_GOES : CUT_STAYS;
  }
}

static bool belongs_to(element_corners element, constraint_corners constraint) {
  for (int n = 0; n < element.count; n++) {
    bool found = false;
    for (int32_t k = 0; k < constraint.count; k++)
      found = found || constraint.particles[k] == element.particle[n];
    if (!found)
      return false;
  }
  return true;
}

/* A constraint follows the elements whose corners it contains, or the side of its other corners if there are
   none. */
cut_fate cut_constraint(const cutter *w, const cut *c, int32_t constraint) {
  const constraint_corners own = constraint_corners_of(&w->model->constraints, constraint);
  const incidence *at = &w->around.pieces;
  bool goes = false, stays = false;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const int32_t element = at->item[n];
    if (!cut_is_whole(w, element) || !belongs_to(corners_of(w, element), own))
      continue;
    goes = goes || w->goes[element];
    stays = stays || !w->goes[element];
  }
  if (goes && stays)
    return CUT_BOTH;
  return goes || (!stays && is_towards(w, c, own.particles, own.count)) ? CUT_GOES : CUT_STAYS;
}

/* ------------------------------------------------------------------------------------ row sums and masses */

static double at_step(const cutter *w, law_terms t) {
  const double dt = w->substep;
  return dt * dt * t.stiffness + 2 * dt * t.damping + t.mass_ck + 2 * t.mass_cd;
}

static double moves(const world_model *model, int32_t particle) {
  return model->particles.inverse_mass[particle] > 0 ? 1 : 0;
}

/* Row sum that a spring contributes at the particle, with x = 1 (stability/bound.h). row_of_fiber is the same
   for a fiber with a bound for every configuration. */
static double row_of_spring(const cutter *w, int32_t spring, int32_t particle) {
  const world_model *model = w->model;
  const spring_store *s = &model->springs;
  const int32_t other = s->a[spring] == particle ? s->b[spring] : s->a[spring];
  return at_step(w, spring_effective_mass(s, &model->particles, spring)) * (1 + moves(model, other));
}

static double row_of_fiber(const cutter *w, int32_t constraint, int32_t particle) {
  const world_model *model = w->model;
  const constraint_store *s = &model->constraints;
  if (!constraint_is_fiber(s, constraint) || law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT))
    return 0;
  const constraint_corners own = constraint_corners_of(s, constraint);
  const msd_real *weights = constraint_fiber_of(s, constraint);
  double sum = 0, here = 0;
  for (int32_t n = 0; n < own.count; n++) {
    sum += fabs((double)weights[n]) * moves(model, own.particles[n]);
    here += own.particles[n] == particle ? fabs((double)weights[n]) : 0;
  }
  return at_step(w, constraint_split(s, &model->particles, constraint)) * here * sum;
}

/* The smaller mass is a product and the larger one the remainder. Computed as a remainder, the smaller one
   would have the rounding error of the whole mass, and its row sum could exceed the limit. */
static bool share_mass(cut *c, msd_real mass, double staying, double going) {
  const double all = staying + going;
  c->share = all > 0 ? going / all : 0;
  const msd_real smaller = (msd_real)(all > 0 ? (double)mass * (fmin(staying, going) / all) : 0);
  c->gone = going <= staying ? smaller : mass - smaller;
  c->kept = going <= staying ? mass - smaller : smaller;
  return particle_inverse(c->gone) > 0 && particle_inverse(c->kept) > 0;
}

/* Returns false if one of the two particles would have no row sum or no mass. */
static bool find_share(const cutter *w, cut *c) {
  static const double PARTS[] = {[CUT_STAYS] = 0, [CUT_GOES] = 1, [CUT_BOTH] = 0.5};
  const world_model *model = w->model;
  double going = 0, staying = 0;
  const incidence *at = &w->around.springs;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const double row = row_of_spring(w, at->item[n], c->particle);
    const double part = PARTS[cut_spring(w, c, at->item[n])];
    going += row * part;
    staying += row * (1 - part);
  }
  at = &w->around.constraints;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const cut_fate own = cut_constraint(w, c, at->item[n]);
    const double row = own == CUT_BOTH ? 0 : row_of_fiber(w, at->item[n], c->particle);
    going += row * PARTS[own];
    staying += row * (1 - PARTS[own]);
  }
  return share_mass(c, model->particles.mass[c->particle], staying, going);
}

/* -------------------------------------------------------------------------------------- the two particles */

/* Initial distance in m between the two particles. Contact needs a gap in which its separating planes are exact
   (contact/separation.c): above 2^-18 of the size of a pair and above 16 units of rounding of its position. */
static double hair_of(const cut *c) {
  static const double OF_LENGTH = 0x1p-12, UNITS = 64;
  const double epsilon = sizeof(msd_real) == sizeof(double) ? 0x1p-52 : 0x1p-23;
  const double far = fmax(fabs(c->at.x), fmax(fabs(c->at.y), fabs(c->at.z)));
  return fmin(fmax(OF_LENGTH * c->length, UNITS * epsilon * far), c->length / 8);
}

static msd_vec3 place_along(const cut *c, double way) {
  const double3 at = double3_add_scaled(c->at, c->normal, way);
  return (msd_vec3){(msd_real)at.x, (msd_real)at.y, (msd_real)at.z};
}

bool cut_make(cutter *w, cut *c, int32_t particle, int32_t towards) {
  double unit[3];
  *c = (cut){.particle = particle, .towards = towards, .part = w->model->particles.count};
  if (w->marks[particle] & MARK_IS_HELD)
    return false;
  c->length = particle_direction(&w->model->particles, towards, particle, unit);
  c->at = position_of(w, particle);
  c->normal = (double3){unit[0], unit[1], unit[2]};
  choose_pieces(w, c);
  if (c->length > 0 && mark_corners(w, c) == (MARK_GOES | MARK_STAYS) && find_share(w, c)) {
    c->stays_at = place_along(c, -c->share * hair_of(c));
    c->goes_to = place_along(c, (1 - c->share) * hair_of(c));
    return true;
  }
  cut_unmark(w, c, 0);
  return false;
}

/* An element as it will be after the particle has been split. */
static mesh_piece piece_cut(const cutter *w, const cut *c, int32_t number, point at[HULL_CORNERS_MAX]) {
  const element_corners own = corners_of(w, number);
  mesh_piece p = {.count = own.count};
  for (int k = 0; k < own.count; k++) {
    const bool is_cut = own.particle[k] == c->particle, goes = is_cut && w->goes[number];
    const msd_vec3 place = goes     ? c->goes_to
                           : is_cut ? c->stays_at
                                    : particle_vector(&w->model->particles, POSITION_X, own.particle[k]);
    vec3_components(place, at[k].at);
    p.particle[k] = goes ? c->part : own.particle[k];
    p.corner[k] = &at[k];
  }
  return p;
}

typedef struct extent {
  double low[3], high[3];
} extent;

static void extend(extent *e, const mesh_piece *p) {
  for (int k = 0; k < p->count; k++)
    for (int axis = 0; axis < 3; axis++) {
      const double at = p->corner[k]->at[axis];
      e->low[axis] = at < e->low[axis] ? at : e->low[axis];
      e->high[axis] = at > e->high[axis] ? at : e->high[axis];
    }
}

static const extent NOWHERE = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool overlap(const extent *a, const extent *b) {
  bool apart = false;
  for (int axis = 0; axis < 3; axis++)
    apart = apart || a->high[axis] < b->low[axis] || b->high[axis] < a->low[axis];
  return !apart;
}

static int32_t surface_of(const surface_store *s, int32_t element) {
  int32_t n = 0;
  for (;; n++) {
    const surface_entry *e = &s->entries[n];
    if (element < s->triangle_count ? element - e->first_triangle < e->triangle_count
                                    : element - s->triangle_count - e->first_segment < e->segment_count)
      return n;
  }
}

/* True if an element around the particle would intersect the given one. */
static bool meets_around(const cutter *w, const cut *c, const mesh_piece *other, int32_t number) {
  const surface_store *s = &w->model->surfaces;
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    point places[HULL_CORNERS_MAX];
    const mesh_piece one = piece_cut(w, c, at->item[n], places);
    if (at->item[n] != number && cut_is_whole(w, at->item[n]) && pieces_meet(&one, other) &&
        !surface_store_ignores(s, surface_of(s, at->item[n]), surface_of(s, number)))
      return true;
  }
  return false;
}

bool cut_intersects(const cutter *w, const cut *c) {
  const surface_store *s = &w->model->surfaces;
  const incidence *at = &w->around.pieces;
  extent around = NOWHERE;
  point places[HULL_CORNERS_MAX];
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const mesh_piece one = piece_cut(w, c, at->item[n], places);
    extend(&around, &one);
  }
  for (int32_t number = 0; number < s->triangle_count + s->segment_count; number++) {
    const mesh_piece other = piece_cut(w, c, number, places);
    extent its = NOWHERE;
    extend(&its, &other);
    if (overlap(&around, &its) && cut_is_whole(w, number) && meets_around(w, c, &other, number))
      return true;
  }
  return false;
}
