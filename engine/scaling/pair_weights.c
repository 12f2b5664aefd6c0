#include "engine/scaling/pair_weights.h"

#include "engine/scaling/mass_scaling.h"

#include <math.h>

/* The growth of squared gradients before a constraint is softened. Coefficient laws use the gradients of the
   reference configuration. */
static const double GROWTH = 2;

typedef struct pair_visitor {
  const world_model *model;
  scaled_pair_visit *visit;
  void *context;
} pair_visitor;

/* `shares`: the pair has a mass fraction that is smaller by this factor than that of a spring. */
static void visit_pair(const pair_visitor *v, int32_t a, int32_t b, double kappa, double shares) {
  const particle_store *p = &v->model->particles;
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (wa + wb == 0 || !(kappa > 0))
    return;
  const double added = kappa / MASS_SCALING_RADIUS - 1 / (shares * (p->valence[a] * wa + p->valence[b] * wb));
  if (added > 0)
    v->visit(v->context, particle_slot(p, wa == 0 ? b : a), particle_slot(p, wb == 0 ? a : b), added);
}

static void visit_springs(const pair_visitor *v, double substep) {
  const spring_store *s = &v->model->springs;
  const particle_store *p = &v->model->particles;
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = spring_effective_mass(s, p, e);
    const double added = mass_scaling_of(&terms, substep, v->model->clamp_stiffness);
    const int32_t a = s->a[e], b = s->b[e];
    if (added > 0)
      v->visit(v->context, particle_slot(p, p->inverse_mass[a] == 0 ? b : a),
               particle_slot(p, p->inverse_mass[b] == 0 ? a : b), added);
  }
}

double scaled_constraint_load(const world_model *model, int32_t constraint, double substep) {
  const law_terms terms = constraint_split(&model->constraints, &model->particles, constraint);
  const law_tuning t = law_tune(&terms, substep, model->clamp_stiffness);
  return substep * substep * t.stiffness + 2 * substep * t.damping;
}

double scaled_constraint_size(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  const int32_t corners = constraint_corners_of(s, constraint).count;
  double sum = 0;
  if (constraint_is_mesh(s, constraint))
    return 0;
  for (int32_t n = 0; n < corners; n++) {
    const double norm = (double)constraint_placed_norms(s, constraint)[n];
    sum += norm * norm;
  }
  return law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT) ? sum : GROWTH * sum;
}

/* As in substeps: the first weight makes the sum 0. */
static void weights_of(const constraint_store *s, int32_t constraint, int32_t corners,
                       double weights[CONSTRAINT_CORNERS]) {
  const msd_real *fiber = constraint_fiber_of(s, constraint);
  weights[0] = 0;
  for (int32_t n = 1; n < corners; n++) {
    weights[n] = (double)fiber[n];
    weights[0] -= weights[n];
  }
}

static void visit_constraint(const pair_visitor *v, int32_t constraint, double substep) {
  const constraint_store *s = &v->model->constraints;
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const bool is_fiber = constraint_is_fiber(s, constraint);
  const double load = scaled_constraint_load(v->model, constraint, substep);
  const double size = is_fiber ? 0 : scaled_constraint_size(v->model, constraint) / corners.count;
  double weights[CONSTRAINT_CORNERS] = {0};
  if (is_fiber)
    weights_of(s, constraint, corners.count, weights);
  else if (size == 0)
    return;
  for (int32_t i = 0; i < corners.count; i++)
    for (int32_t j = i + 1; j < corners.count; j++)
      visit_pair(v, corners.particles[i], corners.particles[j],
                 load * (is_fiber ? -weights[i] * weights[j] : size), corners.count - 1);
}

static void visit_soft_pins(const pair_visitor *v, double substep) {
  const soft_pin_store *s = &v->model->soft_pins;
  const particle_store *p = &v->model->particles;
  for (int32_t n = 0; n < s->count; n++) {
    if (!soft_pin_moves(s, p, n))
      continue;
    const int32_t particle = s->entries[n].particle;
    const double mass = (double)p->mass[particle];
    const law_terms terms = law_split(s->entries[n].law, mass, mass);
    const law_tuning t = law_tune(&terms, substep, false);
    const double kappa = substep * substep * t.stiffness + 2 * substep * t.damping;
    if (kappa > 0)
      v->visit(v->context, particle_slot(p, particle), particle_slot(p, particle),
               kappa / MASS_SCALING_RADIUS);
  }
}

void pair_weights_visit(const world_model *model, double substep, scaled_pair_visit *visit, void *context) {
  const pair_visitor v = {model, visit, context};
  visit_springs(&v, substep);
  for (int32_t c = 0; c < model->constraints.count && !model->clamp_stiffness; c++)
    if (!constraint_is_broken(&model->constraints, c))
      visit_constraint(&v, c, substep);
  visit_soft_pins(&v, substep);
}
