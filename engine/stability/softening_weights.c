#include "engine/stability/softening_weights.h"

#include "engine/scaling/mass_scaling.h"
#include "engine/scaling/pair_weights.h"
#include "engine/stability/steps.h"
#include "engine/step/soft_pin_step.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* A reference gradient below this fraction of the mean counts as that, since it may grow. */
static const double SMALL = 0.0625;

/* Keeps weights finite in msd_real. */
static const double WEIGHT_MAX = 1e30;

/* The p_j of one constraint. */
typedef struct placed_norms {
  const msd_real *norms;
  double least, sum;
} placed_norms;

static double norm_of(const placed_norms *p, int32_t corner) {
  return fmax((double)p->norms[corner], p->least);
}

static placed_norms placed_norms_of(const constraint_store *s, int32_t constraint) {
  const int32_t count = constraint_corners_of(s, constraint).count;
  placed_norms p = {.norms = constraint_placed_norms(s, constraint)};
  for (int32_t n = 0; n < count; n++)
    p.least += SMALL / count * (double)p.norms[n];
  for (int32_t n = 0; n < count; n++)
    p.sum += norm_of(&p, n);
  return p;
}

bool softening_has_room(const world_model *model) {
  return !model->clamp_stiffness && constraint_some_take_room(&model->constraints);
}

void softening_placed_loads(const world_model *model, step_load *loads) {
  const constraint_store *s = &model->constraints;
  memset(loads, 0, (size_t)model->particles.count * sizeof *loads);
  for (int32_t c = 0; c < s->count; c++) {
    if (!constraint_takes_room(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    const law_terms terms = constraint_split(s, &model->particles, c);
    const placed_norms placed = placed_norms_of(s, c);
    for (int32_t n = 0; n < corners.count; n++)
      step_load_add(&loads[corners.particles[n]], (step_load){terms.stiffness, terms.damping, 0},
                    norm_of(&placed, n) * placed.sum);
  }
}

/* The budget times a_j. A constraint with a degenerate reference configuration counts like all others at the
   particle. */
static step_load weight_at(const world_model *model, const step_load *loads, law_terms terms,
                           const placed_norms *placed, int32_t particle, int32_t corner) {
  const double w = (double)model->particles.inverse_mass[particle];
  if (placed->sum > 0)
    return step_load_scaled(loads[particle], w / (norm_of(placed, corner) * placed->sum));
  const double shared = model->particles.valence[particle] * w;
  return (step_load){shared * terms.stiffness, shared * terms.damping, 0};
}

step_load softening_load(const world_model *model, const step_load *loads, int32_t constraint,
                         softening_norm *norm, const void *context) {
  const constraint_corners corners = constraint_corners_of(&model->constraints, constraint);
  const law_terms terms = constraint_split(&model->constraints, &model->particles, constraint);
  const placed_norms placed = placed_norms_of(&model->constraints, constraint);
  step_load sum = {0, 0, 0};
  for (int32_t n = 0; n < corners.count; n++) {
    const double size = norm(context, n);
    step_load_add(&sum, weight_at(model, loads, terms, &placed, corners.particles[n], n), size * size);
  }
  return sum;
}

/* The available budget, and the weight of the damping: for RK4 k + damping d is bounded. */
typedef struct softening_room {
  double room, damping;
} softening_room;

static softening_room room_at(analysis *a, double dt) {
  const double damping = stability_damping_weight(a->model->integrator);
  const double left =
      stability_radius_limit(a->model->integrator) * STABILITY_MARGIN - radius_at(a, dt, damping);
  return (softening_room){SOFTENING_SHARE * fmax(left, SOFTENING_LEFT_LEAST * damping), damping};
}

static double load_at(step_load load, double dt, softening_room room) {
  load.damping *= room.damping;
  return step_load_at(load, dt) / room.room;
}

/* Leaves the loads in the rows of the analysis. */
static bool open_room(analysis *a, const world_model *model, memory *m, double dt, softening_room *room) {
  if (!analysis_open_springs(a, model, m))
    return false;
  a->softened = SOFTENED_LEFT_OUT;
  a->sweeps_max = STABILITY_SWEEPS;
  if (!analysis_set_own(a, soft_pin_is_exact(model), 0))
    return false;
  *room = room_at(a, dt);
  softening_placed_loads(model, a->rows);
  return true;
}

static void write_weights(world_model *model, const step_load *loads, double dt, softening_room room) {
  const constraint_store *s = &model->constraints;
  for (int32_t c = 0; c < s->count; c++) {
    if (!constraint_takes_room(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    const law_terms terms = constraint_split(s, &model->particles, c);
    const placed_norms placed = placed_norms_of(s, c);
    msd_real *weights = constraint_weights(s, c);
    for (int32_t n = 0; n < corners.count; n++) {
      const step_load weight = weight_at(model, loads, terms, &placed, corners.particles[n], n);
      weights[n] = (msd_real)fmin(load_at(weight, dt, room), WEIGHT_MAX);
    }
  }
}

/* Weights of constraints without a budget. Types that are bounded in every configuration are never
   softened. */
static void write_other_weights(world_model *model) {
  const constraint_store *s = &model->constraints;
  const bool is_limited = model->clamp_stiffness;
  for (int32_t c = 0; c < s->count; c++) {
    if (!is_limited && constraint_takes_room(s, c))
      continue;
    const constraint_corners corners = constraint_corners_of(s, c);
    const constraint_masses placed = constraint_placed_masses(s, &model->particles, c);
    const bool is_alone = constraint_counts_alone(s, c) && !is_limited;
    const bool is_bounded = constraint_gradients_stay((msd_constraint_kind)s->kind[c]);
    const double mass = is_limited ? 1 : is_bounded ? 0 : is_alone ? placed.whole : placed.shared;
    for (int32_t n = 0; n < corners.count; n++) {
      const int32_t particle = corners.particles[n];
      const double shares = is_alone ? 1 : model->particles.valence[particle];
      constraint_weights(s, c)[n] =
          (msd_real)fmin(mass * shares * (double)model->particles.inverse_mass[particle], WEIGHT_MAX);
    }
  }
}

/* Returns whether the budget is known without a search: with selective mass scaling, which provides for it,
   and with the Gauss-Seidel solver, which uses none of the 4. */
static bool is_given(const world_model *model) {
  return !model->clamp_stiffness &&
         (model->mass_scaling != MSD_MASS_SCALING_NONE || model->solver == MSD_SOLVER_GAUSS_SEIDEL);
}

/* a_j in that case. Constraints without pairs of scaled particles get 1/n_j of the load that a particle may
   carry. */
static double given_weight(const world_model *model, int32_t constraint, double dt, int32_t corner) {
  const constraint_store *s = &model->constraints;
  const bool is_scaled = model->mass_scaling != MSD_MASS_SCALING_NONE;
  const double size = is_scaled ? scaled_constraint_size(model, constraint) : 0;
  if (is_scaled && constraint_is_fiber(s, constraint))
    return 0;
  if (size > 0)
    return 1 / size;
  const int32_t particle = constraint_corners_of(s, constraint).particles[corner];
  const double mass_shares =
      model->particles.valence[particle] * (double)model->particles.inverse_mass[particle];
  return scaled_constraint_load(model, constraint, dt) * mass_shares /
         (is_scaled ? MASS_SCALING_RADIUS : SOFTENING_SHARE * MASS_SCALING_RADIUS);
}

static void write_given_weights(world_model *model, double dt) {
  const constraint_store *s = &model->constraints;
  for (int32_t c = 0; c < s->count; c++)
    for (int32_t n = 0; n < constraint_corners_of(s, c).count; n++)
      constraint_weights(s, c)[n] = (msd_real)fmin(given_weight(model, c, dt, n), WEIGHT_MAX);
}

msd_result softening_weights_make(world_model *model, double dt) {
  constraint_store *s = &model->constraints;
  const revision now = revision_of_softening(&model->revision, dt);
  if (s->count == 0 || revision_holds(&s->weights_made_for, now))
    return MSD_OK;
  if (is_given(model)) {
    write_given_weights(model, dt);
    s->weights_made_for = now;
    return MSD_OK;
  }
  bool open = true;
  if (softening_has_room(model)) {
    analysis a;
    softening_room room;
    open = open_room(&a, model, &model->memory, dt, &room);
    if (open)
      write_weights(model, a.rows, dt, room);
    analysis_close(&a);
  }
  if (open)
    write_other_weights(model);
  if (!open)
    return report_fail(&model->report, MSD_OUT_OF_MEMORY,
                       "no memory to find the stable time step of %d particles", (int)model->particles.count);
  s->weights_made_for = now;
  return MSD_OK;
}

typedef struct present_shape {
  const world_model *model;
  int32_t constraint;
} present_shape;

static double present_norm(const void *context, int32_t corner) {
  const present_shape *shape = context;
  const double3 g =
      constraint_gradient(&shape->model->constraints, &shape->model->particles, shape->constraint, corner);
  return sqrt(lane_dot(g, g));
}

static void count_excess(double excess, msd_softening *out) {
  out->constraints += excess > 1;
  out->stiffness_left = fmin(out->stiffness_left, 1 / fmax(excess, 1));
}

static void count_given(const world_model *model, double dt, msd_softening *out) {
  for (int32_t c = 0; c < model->constraints.count; c++) {
    double excess = 0;
    for (int32_t n = 0; n < constraint_corners_of(&model->constraints, c).count; n++) {
      const double size = present_norm(&(present_shape){model, c}, n);
      excess += given_weight(model, c, dt, n) * size * size;
    }
    count_excess(excess, out);
  }
}

bool softening_count(const world_model *model, memory *m, double dt, msd_softening *out) {
  if (is_given(model))
    count_given(model, dt, out);
  if (is_given(model) || !softening_has_room(model))
    return true;
  analysis a;
  softening_room room;
  const bool open = open_room(&a, model, m, dt, &room);
  for (int32_t c = 0; open && c < model->constraints.count; c++) {
    if (!constraint_takes_room(&model->constraints, c))
      continue;
    const present_shape shape = {model, c};
    count_excess(load_at(softening_load(model, a.rows, c, present_norm, &shape), dt, room), out);
  }
  analysis_close(&a);
  return open;
}
