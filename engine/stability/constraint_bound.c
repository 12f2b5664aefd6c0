#include "engine/stability/constraint_bound.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* A fold has collapsed where a gradient is more than this over its longest side. With equal legs it is 4,
   with the two triangles of a square 2. */
static const double FOLD_SLENDER = 16;

/* ------------------------------------------------------------------------------------- at the present shape */

/* Of a constraint with corners: |g_j|, or more where the shape has no direction, and what corner j adds to
   the own terms by C H over k. */
typedef struct corner_sizes {
  double norm[CONSTRAINT_CORNERS], curve[CONSTRAINT_CORNERS];
} corner_sizes;

static double3 position_of(const particle_store *p, int32_t particle) {
  return vec3_double(particle_vector(p, POSITION_X, particle));
}

static double length(double3 a) {
  return sqrt(lane_dot(a, a));
}

static double distance(double3 a, double3 b) {
  return length(lane_subtract(a, b));
}

/* 0 of 0: what has no size has no gradient. */
static double inverse(double x) {
  return x > 1e-140 ? 1 / x : 0;
}

static corner_sizes angle_sizes(const double3 *x, double error) {
  const double3 a = lane_subtract(x[0], x[1]), b = lane_subtract(x[2], x[1]);
  const double inverse_a = inverse(length(a)), inverse_b = inverse(length(b));
  const double product = length(a) * length(b), along = lane_dot(a, b), across = length(lane_cross(a, b));
  const double cot_half = (product + along) * inverse(across), tan_half = (product - along) * inverse(across);
  const double e = fmax(fabs(error), fmax(error * cot_half, -error * tan_half));
  const double at_a = 2 * e * inverse_a * inverse_a, at_b = 2 * e * inverse_b * inverse_b;
  return (corner_sizes){{inverse_a, distance(x[0], x[2]) * inverse_a * inverse_b, inverse_b},
                        {at_a, at_a + at_b, at_b}};
}

/* One of the two triangles at the edge of a dihedral angle. */
typedef struct wing {
  /* dC/dx of its tip, and its length. */
  double3 slope;
  double inverse_height;
  /* The s of the foot of its height on the edge. */
  double foot;
} wing;

static wing wing_of(double3 edge, double3 normal, double3 to_tip) {
  const double square = lane_dot(edge, edge), size = lane_dot(normal, normal);
  const double scale = sqrt(square) * inverse(size);
  return (wing){{scale * normal.x, scale * normal.y, scale * normal.z},
                scale * sqrt(size),
                lane_dot(to_tip, edge) * inverse(square)};
}

/* |g| at the end of the edge that carries the shares s and t of the two tips. */
static double edge_norm(const wing *one, double s, const wing *other, double t) {
  return length((double3){s * one->slope.x + t * other->slope.x, s * one->slope.y + t * other->slope.y,
                          s * one->slope.z + t * other->slope.z});
}

static corner_sizes dihedral_sizes(const double3 *x, double error) {
  const double3 edge = lane_subtract(x[1], x[0]), a = lane_subtract(x[2], x[0]),
                b = lane_subtract(x[3], x[0]);
  const wing wings[2] = {wing_of(edge, lane_cross(edge, a), a), wing_of(edge, lane_cross(b, edge), b)};
  corner_sizes o = {{edge_norm(&wings[0], 1 - wings[0].foot, &wings[1], 1 - wings[1].foot),
                     edge_norm(&wings[0], wings[0].foot, &wings[1], wings[1].foot), wings[0].inverse_height,
                     wings[1].inverse_height},
                    {0}};
  const double inverse_edge = inverse(length(edge));
  for (int n = 0; n < 2; n++) {
    const double s = fabs(wings[n].foot), r = fabs(1 - wings[n].foot);
    const double tip = fabs(error) * (1 + r + s) * wings[n].inverse_height * wings[n].inverse_height;
    const double ends = 3 * fabs(error) * inverse_edge * inverse_edge;
    o.curve[2 + n] = tip;
    o.curve[0] += r * tip + ends;
    o.curve[1] += s * tip + ends;
  }
  return o;
}

static corner_sizes area_sizes(const double3 *x, double error) {
  const double side[3] = {distance(x[1], x[2]), distance(x[2], x[0]), distance(x[0], x[1])};
  const double twice = length(lane_cross(lane_subtract(x[1], x[0]), lane_subtract(x[2], x[0])));
  const double excess = fmax(error - twice / 2, 0);
  const double across = excess * inverse(2 * twice) * (side[0] + side[1] + side[2]);
  corner_sizes o = {{0}, {0}};
  for (int n = 0; n < 3; n++) {
    o.norm[n] = side[n] / 2;
    o.curve[n] = fabs(error) + across * side[n];
  }
  return o;
}

static corner_sizes volume_sizes(const double3 *x, double error) {
  corner_sizes o = {{0}, {0}};
  for (int n = 0; n < 4; n++) {
    const double3 a = x[(n + 1) % 4], b = x[(n + 2) % 4], c = x[(n + 3) % 4];
    o.norm[n] = length(lane_cross(lane_subtract(b, a), lane_subtract(c, a))) / 6;
    o.curve[n] = fabs(error) * (distance(a, b) + distance(b, c) + distance(c, a)) / 6;
  }
  return o;
}

typedef corner_sizes sizes_of_kind(const double3 *x, double error);

static sizes_of_kind *const kind_sizes[MSD_CONSTRAINT_KIND_COUNT] = {
    [MSD_CONSTRAINT_ANGLE] = angle_sizes,
    [MSD_CONSTRAINT_DIHEDRAL] = dihedral_sizes,
    [MSD_CONSTRAINT_AREA] = area_sizes,
    [MSD_CONSTRAINT_VOLUME] = volume_sizes,
};

/* ---------------------------------------------------------------------------------------- one constraint */

/* What the own terms of one constraint follow from. */
typedef struct measured {
  const world_model *model;
  int32_t constraint;
  law law;
  /* At a substep of 1 s, so that those of a coefficient law are ck and cd. */
  constraint_factors factors;
  constraint_shape shape;
  /* Not of a mesh. */
  corner_sizes sizes;
  /* Sum of |g|, and of w |g|^2 from the same norms. */
  double norms, weight;
  /* m, 0 without a direction. */
  double mass;
  /* What is left of a fold that has collapsed, 0 to 1; 1: all. */
  double left;
} measured;

/* |C| times the edges that leave a vertex of a mesh, each once for both of its triangles, over 6. */
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

static double norm_at(const measured *m, int32_t corner) {
  return constraint_is_mesh(&m->model->constraints, m->constraint) ? length(gradient_of(m, corner))
                                                                   : m->sizes.norm[corner];
}

static double curve_at(const measured *m, int32_t corner) {
  return constraint_is_mesh(&m->model->constraints, m->constraint) ? mesh_curve(m, corner)
                                                                   : m->sizes.curve[corner];
}

static corner_sizes sizes_of(const constraint_store *s, const particle_store *p, int32_t constraint,
                             double error) {
  const int32_t *particles = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  double3 x[CONSTRAINT_CORNERS];
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    x[n] = position_of(p, particles[particles[n] < 0 ? 0 : n]);
  return kind_sizes[s->kind[constraint]](x, error);
}

/* The rest of a straight angle is pi as msd_real has it, 9e-8 more than pi. A leg closer than that to
   straight would seem to be pushed out without bound, while the step finds no direction there. */
static double rounded_error(const constraint_store *s, int32_t constraint, const constraint_shape *shape) {
  const double pi = 3.14159265358979323846;
  const bool is_angle = s->kind[constraint] == MSD_CONSTRAINT_ANGLE;
  return is_angle ? shape->value - fmin((double)s->rest[constraint], pi) : shape->error;
}

static void add_norms(measured *m) {
  const constraint_store *s = &m->model->constraints;
  const constraint_corners corners = constraint_corners_of(s, m->constraint);
  const bool is_mesh = constraint_is_mesh(s, m->constraint);
  /* Tells compilers that norm[] ends. */
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

/* What is left of a fold if its gradients count as at most FOLD_SLENDER over its longest side. */
static double share_left(const measured *m) {
  const constraint_corners corners = constraint_corners_of(&m->model->constraints, m->constraint);
  const particle_store *p = &m->model->particles;
  const double side = longest_side(p, &corners);
  double whole = 0, most = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const double norm = m->sizes.norm[n], capped = fmin(norm, FOLD_SLENDER * inverse(side));
    const double shared = (double)p->inverse_mass[corners.particles[n]] * p->valence[corners.particles[n]];
    whole += shared * norm * norm;
    most += shared * capped * capped;
  }
  return whole > 0 ? most / whole : 1;
}

static measured measure(const world_model *model, int32_t constraint, bool is_held) {
  const constraint_store *s = &model->constraints;
  const constraint_shape shape = constraint_measure(s, &model->particles, constraint);
  measured m = {.model = model,
                .constraint = constraint,
                .law = s->laws[constraint],
                .factors = constraint_factors_at(s, constraint, 1),
                .shape = shape,
                .mass = constraint_mass(shape.weight)};
  if (!constraint_is_mesh(s, constraint))
    m.sizes = sizes_of(s, &model->particles, constraint, rounded_error(s, constraint, &shape));
  add_norms(&m);
  m.left = is_held && constraint_is_fold(s, constraint) ? share_left(&m) : 1;
  return m;
}

/* 1/w and 1/(n w) of a corner that can move. */
typedef struct corner_mass {
  double whole, shared;
} corner_mass;

static corner_mass corner_mass_of(const world_model *model, int32_t particle) {
  const double w = (double)model->particles.inverse_mass[particle];
  return (corner_mass){1 / w, 1 / (model->particles.valence[particle] * w)};
}

/* The table of constraint_bound.h. */
static step_load own_term(const measured *m, int32_t particle, int32_t corner) {
  const constraint_factors *factors = &m->factors;
  const corner_mass mass = corner_mass_of(m->model, particle);
  if (law_is(m->law, MSD_SPRING_COEFFICIENT))
    return (step_load){0, 0,
                       (factors->mass_stiffness + 2 * factors->mass_damping) * mass.whole +
                           (factors->shared_stiffness + 2 * factors->shared_damping) * mass.shared};
  if (law_is(m->law, MSD_SPRING_FREQUENCY)) {
    const double curve = CONSTRAINT_MARGIN * m->mass * curve_at(m, corner);
    return (step_load){factors->mass_stiffness * (mass.whole + curve), factors->mass_damping * mass.whole, 0};
  }
  const double product = norm_at(m, corner) * m->norms;
  const double margin = CONSTRAINT_MARGIN * m->left;
  return (step_load){margin * factors->stiffness * (product + curve_at(m, corner)),
                     margin * factors->damping * product, 0};
}

/* With k <= m^/dt^2 and mu <= m^/dt the a_j of the stiffest law serve every law. */
static step_load limited_term(const measured *m, int32_t particle, double dt) {
  const constraint_factors factors = constraint_factors_at(&m->model->constraints, m->constraint, dt);
  const law_tuning t = constraint_tune(&factors, &m->shape, dt, MSD_LIMIT_COEFFICIENTS);
  const double spread = m->shape.shared_weight * corner_mass_of(m->model, particle).shared;
  return (step_load){t.stiffness * spread, t.damping * spread, 0};
}

/* ---------------------------------------------------------------------------------------- all of them */

bool constraint_bound_has_room(const world_model *model) {
  return model->limit == MSD_LIMIT_NONE && constraint_has_folds(&model->constraints);
}

/* Adds the own terms of a fold to rows, and raises `room` to what it asks for. */
static void add_fold(analysis *a, const measured *m, step_load *room) {
  const constraint_corners corners = constraint_corners_of(&a->model->constraints, m->constraint);
  const double weight = m->left * m->shape.shared_weight;
  room->stiffness = fmax(room->stiffness, m->factors.stiffness * weight);
  room->damping = fmax(room->damping, m->factors.damping * weight);
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t particle = corners.particles[n];
    if (analysis_inverse_mass(a, particle) > 0)
      step_load_add(&a->rows[particle], own_term(m, particle, n), 1);
  }
}

/* At each particle what the folds use there, or the room for them where that is more: the load of the one
   that needs most, so that none is softened at the present shape, and CONSTRAINT_ROOM_LEAST, so that none is
   soon after. */
static void add_folds(analysis *a, step_load room) {
  const bool has_coefficient = a->has_coefficient;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const double w = analysis_inverse_mass(a, i);
    if (w > 0 && a->model->particles.valence[i] > 0)
      analysis_add_own(a, i,
                       (step_load){fmax(a->rows[i].stiffness, room.stiffness / w),
                                   fmax(a->rows[i].damping, room.damping / w), CONSTRAINT_ROOM_LEAST / w});
  }
  a->has_coefficient = has_coefficient;
  a->has_room = true;
}

void constraint_bound_fill(analysis *a, double limited_dt) {
  const constraint_store *s = &a->model->constraints;
  const bool has_room = a->folds != FOLDS_NONE && constraint_bound_has_room(a->model);
  step_load room = {0, 0, 0};
  memset(a->rows, 0, (size_t)a->model->particles.count * sizeof *a->rows);
  for (int32_t c = 0; c < s->count; c++) {
    if (constraint_is_broken(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    for (int32_t n = 0; n < corners.count; n++)
      a->sharers[corners.particles[n]]++;
    const bool is_fold = constraint_is_fold(s, c);
    if (is_fold && a->folds == FOLDS_NONE)
      continue;
    const measured m = measure(a->model, c, a->folds == FOLDS_HELD);
    if (is_fold && has_room) {
      add_fold(a, &m, &room);
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
    add_folds(a, room);
}

int32_t constraint_bound_softened(const world_model *model, const constraint_room *room, double dt,
                                  double *least) {
  const constraint_store *s = &model->constraints;
  int32_t count = 0;
  for (int32_t c = 0; c < s->count; c++) {
    if (!constraint_is_fold(s, c))
      continue;
    const constraint_factors defined = constraint_factors_at(s, c, dt);
    const constraint_factors softened = constraint_softened_factors_at(s, c, room, dt);
    const constraint_shape shape = constraint_measure(s, &model->particles, c);
    const law_tuning left = constraint_tune(&softened, &shape, dt, MSD_LIMIT_NONE);
    const double whole = constraint_tune(&defined, &shape, dt, MSD_LIMIT_NONE).stiffness;
    count += left.capped;
    if (left.capped && whole > 0)
      *least = fmin(*least, left.stiffness / whole);
  }
  return count;
}

int32_t constraint_bound_capped(const world_model *model, double dt, double *least) {
  const constraint_store *s = &model->constraints;
  int32_t count = 0;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_shape shape = constraint_measure(s, &model->particles, c);
    /* Without a direction it moves nothing, and there is nothing to soften. */
    if (constraint_mass(shape.weight) == 0)
      continue;
    const constraint_factors factors = constraint_factors_at(s, c, dt);
    const law_tuning defined = constraint_tune(&factors, &shape, dt, MSD_LIMIT_NONE);
    const law_tuning limited = constraint_tune(&factors, &shape, dt, MSD_LIMIT_COEFFICIENTS);
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
  const measured m = measure(a->model, constraint, a->folds == FOLDS_HELD);
  int32_t moved = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t particle = corners.particles[n];
    if (!(analysis_inverse_mass(a, particle) > 0))
      continue;
    const double own = step_load_at(own_term(&m, particle, n), dt);
    sum.part += own * a->x[particle] * a->x[particle];
    sum.weight += own / 2;
    moved++;
  }
  if (moved > 0)
    sum.weight /= moved;
  return sum;
}

/* ------------------------------------------------------------------------------------ what kind of bound */

/* The least number of springs and constraints at a corner that can move; 0: none can. */
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

static bool is_stiff(const constraint_factors *factors) {
  return factors->stiffness > 0 || factors->mass_stiffness > 0 || factors->shared_stiffness > 0;
}

bool constraint_bound_every_shape(const world_model *model) {
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_factors factors = constraint_factors_at(&model->constraints, c, 1);
    if ((is_stiff(&factors) || factors.damping > 0) && fewest_sharers(model, c) > 0)
      return false;
  }
  return true;
}

/* The largest dt of one constraint; 0 when its cd is over cd_max at any dt. A cd of 1 of m^ is one of at most
   1/n of m, with n of the corner where fewest meet. */
static double impulse_step(const world_model *model, int32_t constraint, const constraint_factors *factors,
                           int32_t sharers, double cd_max) {
  if (law_is(model->constraints.laws[constraint], MSD_SPRING_COEFFICIENT))
    return factors->mass_damping <= cd_max && factors->shared_damping / sharers <= cd_max ? INFINITY : 0;
  if (factors->mass_damping > 0)
    return cd_max / factors->mass_damping;
  const measured m = measure(model, constraint, false);
  return m.weight > 0 ? cd_max / (CONSTRAINT_MARGIN * factors->damping * m.weight) : INFINITY;
}

constraint_impulse_bound constraint_bound_impulses(const world_model *model, double cd_max) {
  constraint_impulse_bound b = {.step = INFINITY};
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_factors factors = constraint_factors_at(&model->constraints, c, 1);
    const int32_t sharers = fewest_sharers(model, c);
    if (sharers == 0)
      continue;
    b.is_stiff = b.is_stiff || is_stiff(&factors);
    if (!(factors.damping > 0 || factors.mass_damping > 0 || factors.shared_damping > 0))
      continue;
    b.is_damped = true;
    b.step = fmin(b.step, impulse_step(model, c, &factors, sharers, cd_max));
  }
  return b;
}
