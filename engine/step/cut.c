#include "engine/step/cut.h"

#include "engine/base/vec3.h"
#include "engine/intersection/piece.h"

#include <math.h>

/* ---------------------------------------------------------------------------------- what goes, what stays */

static double3 position_of(const cutter *w, int32_t particle) {
  return vec3_double(particle_vector(&w->model->particles, POSITION_X, particle));
}

static piece_corners corners_of(const cutter *w, int32_t piece) {
  return surroundings_piece(&w->model->surfaces, piece);
}

bool cut_is_whole(const cutter *w, int32_t piece) {
  const piece_corners own = corners_of(w, piece);
  return !torn_edges_cut(&w->around.torn, own.particle, own.count);
}

bool cut_is_edge(const cutter *w, int32_t one, int32_t other) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[one]; n < at->first[one + 1]; n++)
    if (piece_has(corners_of(w, at->item[n]), other) && cut_is_whole(w, at->item[n]))
      return true;
  return false;
}

/* Whether the mean of some particles, but for the one that is cut, is on the side of the spring. */
static bool is_towards(const cutter *w, const cut *c, const int32_t *particles, int32_t count) {
  double sum = 0;
  for (int32_t n = 0; n < count; n++)
    if (particles[n] != c->particle)
      sum += double3_dot(c->normal, double3_subtract(position_of(w, particles[n]), c->at));
  return sum > 0;
}

static bool share_an_edge(const cutter *w, const cut *c, int32_t one, int32_t other) {
  const piece_corners a = corners_of(w, one);
  for (int n = 0; n < a.count; n++)
    if (a.particle[n] != c->particle && piece_has(corners_of(w, other), a.particle[n]))
      return true;
  return false;
}

/* Whether a piece at the particle hangs by an edge on one that goes. */
static bool hangs_on(const cutter *w, const cut *c, int32_t piece) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++)
    if (w->goes[at->item[n]] && share_an_edge(w, c, piece, at->item[n]))
      return true;
  return false;
}

/* Those with the spring as an edge go, and all on their side of the plane that hang on them. */
static void choose_pieces(cutter *w, const cut *c) {
  const incidence *at = &w->around.pieces;
  const int32_t first = at->first[c->particle], last = at->first[c->particle + 1];
  for (int32_t n = first; n < last; n++)
    w->goes[at->item[n]] = cut_is_whole(w, at->item[n]) && piece_has(corners_of(w, at->item[n]), c->towards);
  for (bool grows = true; grows;) {
    grows = false;
    for (int32_t n = first; n < last; n++) {
      const int32_t piece = at->item[n];
      const piece_corners own = corners_of(w, piece);
      if (w->goes[piece] || !cut_is_whole(w, piece) || !is_towards(w, c, own.particle, own.count) ||
          !hangs_on(w, c, piece))
        continue;
      w->goes[piece] = grows = true;
    }
  }
}

/* Marks the corners of what goes and of what stays. Returns which of both there is. */
static uint8_t mark_corners(cutter *w, const cut *c) {
  const incidence *at = &w->around.pieces;
  uint8_t all = 0;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const piece_corners own = corners_of(w, at->item[n]);
    if (!cut_is_whole(w, at->item[n]))
      continue;
    const uint8_t mark = w->goes[at->item[n]] ? MARK_GOES : MARK_STAYS;
    all |= mark;
    for (int k = 0; k < own.count; k++)
      w->marks[own.particle[k]] |= mark;
  }
  return all;
}

/* Takes these marks away, and leaves others in their place. */
void cut_unmark(cutter *w, const cut *c, uint8_t left) {
  const incidence *at = &w->around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const piece_corners own = corners_of(w, at->item[n]);
    for (int k = 0; k < own.count; k++)
      w->marks[own.particle[k]] = (uint8_t)((w->marks[own.particle[k]] & ~(MARK_GOES | MARK_STAYS)) | left);
  }
  w->marks[c->particle] &= (uint8_t) ~(MARK_GOES | MARK_STAYS);
}

/* Where an edge leads there are its pieces; what is no edge goes by the side of its other end. */
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

static bool belongs_to(piece_corners piece, constraint_corners constraint) {
  for (int n = 0; n < piece.count; n++) {
    bool found = false;
    for (int32_t k = 0; k < constraint.count; k++)
      found = found || constraint.particles[k] == piece.particle[n];
    if (!found)
      return false;
  }
  return true;
}

/* Of the pieces whose corners it has; where there are none, of the side of its other corners. */
cut_fate cut_constraint(const cutter *w, const cut *c, int32_t constraint) {
  const constraint_corners own = constraint_corners_of(&w->model->constraints, constraint);
  const incidence *at = &w->around.pieces;
  bool goes = false, stays = false;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const int32_t piece = at->item[n];
    if (!cut_is_whole(w, piece) || !belongs_to(corners_of(w, piece), own))
      continue;
    goes = goes || w->goes[piece];
    stays = stays || !w->goes[piece];
  }
  if (goes && stays)
    return CUT_BOTH;
  return goes || (!stays && is_towards(w, c, own.particles, own.count)) ? CUT_GOES : CUT_STAYS;
}

/* ---------------------------------------------------------------------------------------- rows and masses */

static double at_step(const cutter *w, law_terms t) {
  const double dt = w->substep;
  return dt * dt * t.stiffness + 2 * dt * t.damping + t.mass_ck + 2 * t.mass_cd;
}

static double moves(const world_model *model, int32_t particle) {
  return model->particles.inverse_mass[particle] > 0 ? 1 : 0;
}

/* What a spring, or a fibre that is bounded at every shape, adds to the row of the particle at x = 1. */
static double row_of_spring(const cutter *w, int32_t spring, int32_t particle) {
  const world_model *model = w->model;
  const spring_store *s = &model->springs;
  const int32_t other = s->a[spring] == particle ? s->b[spring] : s->a[spring];
  return at_step(w, spring_split(s, &model->particles, spring)) * (1 + moves(model, other));
}

static double row_of_fibre(const cutter *w, int32_t constraint, int32_t particle) {
  const world_model *model = w->model;
  const constraint_store *s = &model->constraints;
  if (!constraint_is_fibre(s, constraint) || law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT))
    return 0;
  const constraint_corners own = constraint_corners_of(s, constraint);
  const msd_real *weights = constraint_fibre_of(s, constraint);
  double sum = 0, here = 0;
  for (int32_t n = 0; n < own.count; n++) {
    sum += fabs((double)weights[n]) * moves(model, own.particles[n]);
    here += own.particles[n] == particle ? fabs((double)weights[n]) : 0;
  }
  return at_step(w, constraint_split(s, &model->particles, constraint)) * here * sum;
}

/* The smaller part is a product and the larger one the rest: the other way round the smaller one would have the
   rounding of the whole, and its row would be longer than it may be. */
static bool share_mass(cut *c, msd_real mass, double staying, double going) {
  const double all = staying + going;
  c->share = all > 0 ? going / all : 0;
  const msd_real smaller = (msd_real)(all > 0 ? (double)mass * (fmin(staying, going) / all) : 0);
  c->gone = going <= staying ? smaller : mass - smaller;
  c->kept = going <= staying ? mass - smaller : smaller;
  return particle_inverse(c->gone) > 0 && particle_inverse(c->kept) > 0;
}

/* False where a part would have no row, or no mass. */
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
    const double row = own == CUT_BOTH ? 0 : row_of_fibre(w, at->item[n], c->particle);
    going += row * PARTS[own];
    staying += row * (1 - PARTS[own]);
  }
  return share_mass(c, model->particles.mass[c->particle], staying, going);
}

/* ------------------------------------------------------------------------------------------ the two parts */

/* m: how far apart the parts begin. Contact needs a gap across which its planes are exact (contact/cells.c):
   what is above 2^-18 of the size of a pair, and 16 units of rounding of where it is. */
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

/* A piece as it will be, when the particle has become two. */
static mesh_piece piece_cut(const cutter *w, const cut *c, int32_t number, point at[HULL_CORNERS_MAX]) {
  const piece_corners own = corners_of(w, number);
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

static int32_t surface_of(const surface_store *s, int32_t piece) {
  int32_t n = 0;
  for (;; n++) {
    const surface_entry *e = &s->entries[n];
    if (piece < s->triangle_count ? piece - e->first_triangle < e->triangle_count
                                  : piece - s->triangle_count - e->first_segment < e->segment_count)
      return n;
  }
}

/* Whether some piece around the particle would meet a given one. */
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
