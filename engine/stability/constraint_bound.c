#include "engine/stability/constraint_bound.h"

#include "engine/stability/fiber_bound.h"
#include "engine/stability/softening_weights.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* Automatic substeps follow gradients up to this multiple of those in the reference configuration. A constraint
   beyond it has collapsed or inflated, and is softened. */
static const double FOLLOWED = 16;

/* Angles and dihedral angles are followed up to the first number divided by the longest side. That is the
   gradient of an angle with equal legs, and twice that of the two triangles of a square. Where a gradient in
   the reference configuration is more than half of that, twice that gradient is followed, at most FOLLOWED
   divided by the longest side. So automatic substeps allow for four times the stiffness against bending of
   the reference configuration. */
static const double ANGLE_FOLLOWED = 4, ANGLE_GROWTH = 2;

static double3 position_of(const particle_store *p, int32_t particle) {
  return vec3_double(particle_vector(p, POSITION_X, particle));
}

static double length(double3 a) {
  return sqrt(lane_dot(a, a));
}

static double distance(double3 a, double3 b) {
  return length(lane_subtract(a, b));
}

/* ---------------------------------------------------------------------------------------- one constraint */

/* The data from which the diagonal terms of one constraint are computed. */
typedef struct measured {
  const world_model *model;
  int32_t constraint;
  law law;
  law_terms terms;
  constraint_shape shape;
  /* Unused for a mesh. */
  constraint_sizes sizes;
  /* Sum of |g|, and of w |g|^2 from the same norms. */
  double norms, weight;
  /* The remaining fraction of stiffness of a constraint that is no longer followed, 0 to 1; 1: all. */
  double left;
} measured;

/* |C| times the lengths of the edges that leave a vertex of a mesh, each once for both of its triangles, over
   6. */
static double mesh_curve(const measured *m, int32_t corner) {
  const constraint_store *s = &m->model->constraints;
  const particle_store *p = &m->model->particles;
  const int32_t vertex = constraint_mesh_of(s, m->constraint)->first_vertex + corner;
  const double3 here = position_of(p, s->vertices[vertex]);
  double sum = 0;
  for (int32_t f = s->vertex_first[vertex]; f < s->vertex_first[vertex + 1]; f++)
    sum += distance(here, position_of(p, constraint_fan_particle(s, f, 1))) +
           distance(here, position_of(p, constraint_fan_particle(s, f, 2)));
  return fabs(m->shape.error) * sum / 6;
}

static double3 gradient_of(const measured *m, int32_t corner) {
  return constraint_gradient(&m->model->constraints, &m->model->particles, m->constraint, corner);
}

static double norm_at(const void *context, int32_t corner) {
  const measured *m = context;
  return constraint_is_mesh(&m->model->constraints, m->constraint) ? length(gradient_of(m, corner))
                                                                   : m->sizes.norm[corner];
}

static double curve_at(const measured *m, int32_t corner) {
  return constraint_is_mesh(&m->model->constraints, m->constraint) ? mesh_curve(m, corner)
                                                                   : m->sizes.curve[corner];
}

/* The rest angle of a straight angle is pi rounded to msd_real, up to 9e-8 more than pi. For a leg closer to
   straight than that, the bound would be infinite, while the substep finds no direction there and applies no
   force. */
static double rounded_error(const constraint_store *s, int32_t constraint, const constraint_shape *shape) {
  const double pi = 3.14159265358979323846;
  const bool is_angle = s->kind[constraint] == MSD_CONSTRAINT_ANGLE;
  return is_angle ? shape->value - fmin((double)s->rest[constraint], pi) : shape->error;
}

static void add_norms(measured *m) {
  const constraint_store *s = &m->model->constraints;
  const constraint_corners corners = constraint_corners_of(s, m->constraint);
  const bool is_mesh = constraint_is_mesh(s, m->constraint);
  /* Tells the compiler the bound of norm[]. */
  const int32_t most = is_mesh ? corners.count : CONSTRAINT_CORNERS;
  for (int32_t n = 0; n < most && n < corners.count; n++) {
    const double norm = norm_at(m, n);
    m->norms += norm;
    m->weight += (double)m->model->particles.inverse_mass[corners.particles[n]] * norm * norm;
  }
}

static double longest_side(const particle_store *p, const constraint_corners *corners) {
  double longest = 0;
  for (int32_t n = 1; n < corners->count; n++)
    for (int32_t k = 0; k < n; k++) {
      const double side =
          distance(position_of(p, corners->particles[n]), position_of(p, corners->particles[k]));
      if (side > longest)
        longest = side;
    }
  return longest;
}

/* The gradient norm up to which a corner is followed. */
static double norm_followed(const measured *m, int32_t corner, double longest) {
  const constraint_store *s = &m->model->constraints;
  const double placed = (double)constraint_placed_norms(s, m->constraint)[corner];
  if (!constraint_gradients_grow((msd_constraint_kind)s->kind[m->constraint]))
    return FOLLOWED * placed;
  return longest > 0 ? fmin(fmax(ANGLE_FOLLOWED / longest, ANGLE_GROWTH * placed), FOLLOWED / longest) : 0;
}

/* The remaining fraction if gradients are limited to that. */
static double share_left(const measured *m) {
  const constraint_corners corners = constraint_corners_of(&m->model->constraints, m->constraint);
  const particle_store *p = &m->model->particles;
  const bool is_mesh = constraint_is_mesh(&m->model->constraints, m->constraint);
  const double longest = is_mesh ? 0 : longest_side(p, &corners);
  double whole = 0, most = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const double norm = norm_at(m, n), followed = fmin(norm, norm_followed(m, n, longest));
    const double shared = (double)p->inverse_mass[corners.particles[n]] * p->valence[corners.particles[n]];
    whole += shared * norm * norm;
    most += shared * followed * followed;
  }
  return whole > 0 ? most / whole : 1;
}

static measured measure(const world_model *model, int32_t constraint, bool is_held) {
  const constraint_store *s = &model->constraints;
  const particle_store *p = &model->particles;
  measured m = {.model = model,
                .constraint = constraint,
                .law = s->laws[constraint],
                .terms = constraint_split(s, p, constraint),
                .shape = constraint_measure(s, p, constraint)};
  if (!constraint_is_mesh(s, constraint))
    m.sizes = constraint_present_sizes(s, p, constraint, rounded_error(s, constraint, &m.shape));
  add_norms(&m);
  m.left = is_held && constraint_takes_room(s, constraint) ? share_left(&m) : 1;
  return m;
}

/* 1/w and 1/(n w) of a free corner. */
typedef struct corner_mass {
  double whole, shared;
} corner_mass;

static corner_mass corner_mass_of(const world_model *model, int32_t particle) {
  const double w = (double)model->particles.inverse_mass[particle];
  return (corner_mass){1 / w, 1 / (model->particles.valence[particle] * w)};
}

/* ck + 2 cd times m/w_j, or the same with m^/(n_j w_j). No configuration has more. */
static double coefficient_term(const measured *m, corner_mass mass) {
  const constraint_masses placed =
      constraint_placed_masses(&m->model->constraints, &m->model->particles, m->constraint);
  const double load = m->terms.mass_ck + 2 * m->terms.mass_cd;
  const bool is_alone = constraint_counts_alone(&m->model->constraints, m->constraint);
  const double unit = is_alone ? placed.whole : placed.shared;
  return unit > 0 ? load / unit * (is_alone ? mass.whole : mass.shared) : 0;
}

/* The table of constraint_bound.h. */
static step_load own_term(const measured *m, int32_t particle, int32_t corner) {
  if (law_is(m->law, MSD_SPRING_COEFFICIENT))
    return (step_load){0, 0, coefficient_term(m, corner_mass_of(m->model, particle))};
  const double product = norm_at(m, corner) * m->norms;
  const double margin = CONSTRAINT_MARGIN * m->left;
  return (step_load){margin * m->terms.stiffness * (product + curve_at(m, corner)),
                     margin * m->terms.damping * product, 0};
}

/* With k <= m^/dt^2 and mu <= m^/dt the a_j of the max_stable law serve every law. */
static step_load limited_term(const measured *m, int32_t particle, double dt) {
  const constraint_factors factors =
      constraint_factors_at(&m->model->constraints, &m->model->particles, m->constraint, dt);
  const law_tuning t = constraint_tune(&factors, &m->shape, dt, true);
  const double spread = m->shape.shared_weight * corner_mass_of(m->model, particle).shared;
  return (step_load){t.stiffness * spread, t.damping * spread, 0};
}

/* ------------------------------------------------------------------------------------ all constraints */

/* Adds the diagonal terms of a constraint with a stiffness budget to rows, and raises the budget to its
   demand. */
static void add_to_room(analysis *a, const measured *m, step_load *room) {
  const constraint_corners corners = constraint_corners_of(&a->model->constraints, m->constraint);
  const step_load asked = step_load_scaled(
      softening_load(a->model, a->placed_loads, m->constraint, norm_at, m), m->left / SOFTENING_SHARE);
  room->stiffness = fmax(room->stiffness, asked.stiffness);
  room->damping = fmax(room->damping, asked.damping);
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t particle = corners.particles[n];
    if (analysis_inverse_mass(a, particle) > 0)
      step_load_add(&a->rows[particle], own_term(m, particle, n), 1);
  }
}

/* For each particle the larger of the terms in rows and the budget. The budget is the load of the most
   demanding constraint, so that none is softened in the current configuration, plus SOFTENING_LEFT_LEAST, so
   that none is soon after. */
static void add_room(analysis *a, step_load room) {
  const bool has_coefficient = a->has_coefficient;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const double w = analysis_inverse_mass(a, i);
    if (w > 0 && a->model->particles.valence[i] > 0)
      analysis_add_own(a, i,
                       (step_load){fmax(a->rows[i].stiffness, room.stiffness / w),
                                   fmax(a->rows[i].damping, room.damping / w), SOFTENING_LEFT_LEAST / w});
  }
  a->has_coefficient = has_coefficient;
  a->has_room = true;
}

void constraint_bound_fill(analysis *a, double limited_dt) {
  const constraint_store *s = &a->model->constraints;
  const bool has_room = a->softened != SOFTENED_LEFT_OUT && softening_has_room(a->model);
  step_load room = {0, 0, 0};
  if (has_room)
    softening_placed_loads(a->model, a->placed_loads);
  memset(a->rows, 0, (size_t)a->model->particles.count * sizeof *a->rows);
  for (int32_t c = 0; c < s->count; c++) {
    if (constraint_is_broken(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    for (int32_t n = 0; n < corners.count; n++)
      a->sharers[corners.particles[n]]++;
    if (fiber_bound_has(a->model, c) && !(limited_dt > 0)) {
      for (int32_t n = 0; n < corners.count; n++)
        analysis_add_own(a, corners.particles[n], fiber_bound_term(a->model, c, n, -1));
      continue;
    }
    const bool takes_room = constraint_takes_room(s, c);
    if (takes_room && a->softened == SOFTENED_LEFT_OUT)
      continue;
    const measured m = measure(a->model, c, a->softened == SOFTENED_FOLLOWED);
    if (takes_room && has_room) {
      add_to_room(a, &m, &room);
      continue;
    }
    for (int32_t n = 0; n < corners.count; n++) {
      const int32_t particle = corners.particles[n];
      if (analysis_inverse_mass(a, particle) > 0)
        analysis_add_own(a, particle,
                         limited_dt > 0 ? limited_term(&m, particle, limited_dt) : own_term(&m, particle, n));
    }
  }
  if (has_room)
    add_room(a, room);
}

/* The factor on the masses that a constraint wants for its budget, since its gradients differ from those in
   the reference configuration. Loads of m_j make w m = 1 at each corner. */
static double wanted_share(const analysis *a, const measured *m) {
  return m->left / SOFTENING_SHARE *
         softening_load(a->model, a->placed_loads, m->constraint, norm_at, m).stiffness;
}

void constraint_bound_demands(analysis *a, bool is_held, step_load *used, step_load *wanted) {
  const constraint_store *s = &a->model->constraints;
  const int32_t particles = a->model->particles.count;
  for (int32_t i = 0; i < particles; i++) {
    const double w = analysis_inverse_mass(a, i);
    a->placed_loads[i] = (step_load){w > 0 ? 1 / w : 0, 0, 0};
    used[i] = (step_load){0, 0, 0};
    a->y[i] = 0;
  }
  for (int32_t c = 0; c < s->count; c++) {
    if (!constraint_takes_room(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    const measured m = measure(a->model, c, is_held);
    const double share = wanted_share(a, &m);
    for (int32_t n = 0; n < corners.count; n++) {
      const int32_t particle = corners.particles[n];
      if (!(analysis_inverse_mass(a, particle) > 0))
        continue;
      step_load_add(&used[particle], own_term(&m, particle, n), 1);
      a->y[particle] = fmax(a->y[particle], share);
    }
  }
  softening_placed_loads(a->model, wanted);
  for (int32_t i = 0; i < particles; i++)
    wanted[i] = step_load_scaled(wanted[i], a->y[i]);
}

int32_t constraint_bound_capped(const world_model *model, double dt, double *least) {
  const constraint_store *s = &model->constraints;
  int32_t count = 0;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_shape shape = constraint_measure(s, &model->particles, c);
    /* Without a gradient it moves nothing. */
    if (constraint_mass(shape.weight) == 0)
      continue;
    const constraint_factors factors = constraint_factors_at(s, &model->particles, c, dt);
    const law_tuning defined = constraint_tune(&factors, &shape, dt, false);
    const law_tuning limited = constraint_tune(&factors, &shape, dt, true);
    count += limited.capped;
    if (defined.stiffness > 0)
      *least = fmin(*least, limited.stiffness / defined.stiffness);
  }
  return count;
}

constraint_influence constraint_bound_influence(const analysis *a, int32_t constraint, double dt) {
  const constraint_store *s = &a->model->constraints;
  constraint_influence sum = {0, 0};
  if (constraint_is_broken(s, constraint))
    return sum;
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const bool is_fiber = fiber_bound_has(a->model, constraint);
  const measured m = measure(a->model, constraint, a->softened == SOFTENED_FOLLOWED);
  int32_t moved = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t particle = corners.particles[n];
    if (!(analysis_inverse_mass(a, particle) > 0))
      continue;
    const step_load term =
        is_fiber ? fiber_bound_term(a->model, constraint, n, 1) : own_term(&m, particle, n);
    const double own = step_load_at(term, dt);
    sum.part += own * a->x[particle] * a->x[particle];
    sum.weight += own / 2;
    moved++;
  }
  if (moved > 0)
    sum.weight /= moved;
  if (is_fiber)
    sum.part = fiber_bound_part(a, constraint, dt);
  return sum;
}

/* ----------------------------------------------------------------------------------------- type of bound */

/* The smallest number of springs and constraints at a free corner; 0: all corners are pinned. */
static int32_t fewest_sharers(const world_model *model, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(&model->constraints, constraint);
  int32_t fewest = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t valence = model->particles.valence[corners.particles[n]];
    if (model->particles.inverse_mass[corners.particles[n]] > 0 && (fewest == 0 || valence < fewest))
      fewest = valence;
  }
  return fewest;
}

static bool is_stiff(law_terms t) {
  return t.stiffness > 0 || t.mass_ck > 0;
}

static bool is_bounded(const world_model *model, int32_t constraint) {
  return constraint_gradients_stay((msd_constraint_kind)model->constraints.kind[constraint]);
}

/* Damping alone needs no test: the substep keeps it within its budget in every configuration, and it has no
   geometric term. */
bool constraint_bound_every_shape(const world_model *model) {
  for (int32_t c = 0; c < model->constraints.count; c++)
    if (!is_bounded(model, c) && is_stiff(constraint_split(&model->constraints, &model->particles, c)) &&
        fewest_sharers(model, c) > 0)
      return false;
  return true;
}

/* The largest dt of one constraint; 0 if its cd exceeds cd_max at any dt. */
static double impulse_step(const world_model *model, int32_t constraint, law_terms terms, double cd_max) {
  const constraint_store *s = &model->constraints;
  if (terms.mass_cd > 0)
    return terms.mass_cd <= cd_max * constraint_placed_masses(s, &model->particles, constraint).whole
               ? INFINITY
               : 0;
  const measured m = measure(model, constraint, false);
  const double margin = is_bounded(model, constraint) ? 1 : CONSTRAINT_MARGIN;
  return m.weight > 0 ? cd_max / (margin * terms.damping * m.weight) : INFINITY;
}

constraint_impulse_bound constraint_bound_impulses(const world_model *model, double cd_max) {
  constraint_impulse_bound b = {.step = INFINITY};
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const law_terms terms = constraint_split(&model->constraints, &model->particles, c);
    if (fewest_sharers(model, c) == 0)
      continue;
    b.is_stiff = b.is_stiff || is_stiff(terms);
    if (!(terms.damping > 0 || terms.mass_cd > 0))
      continue;
    b.is_damped = true;
    b.step = fmin(b.step, impulse_step(model, c, terms, cd_max));
  }
  return b;
}
