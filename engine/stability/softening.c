#include "engine/stability/softening.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/softening_weights.h"

#include <math.h>

/* -------------------------------------------------------------------------------------------- one substep */

static void count_spring(const law_terms *terms, double dt, msd_softening *out) {
  const law_tuning defined = law_tune(terms, dt, false);
  const law_tuning limited = law_tune(terms, dt, true);
  out->springs += limited.capped;
  if (defined.stiffness > 0)
    out->stiffness_left = fmin(out->stiffness_left, limited.stiffness / defined.stiffness);
}

/* Counts active springs: a broken spring, or one between two pins, has terms of 0. */
static void count_springs(const world_model *model, double dt, msd_softening *out) {
  for (int32_t e = 0; e < model->springs.count; e++) {
    const law_terms terms = spring_effective_mass(&model->springs, &model->particles, e);
    if (terms.share > 0)
      count_spring(&terms, dt, out);
  }
  for (int32_t e = 0; e < model->torsion_springs.count; e++) {
    const law_terms terms = torsion_spring_split(&model->torsion_springs, &model->rotors, e);
    if (terms.share > 0)
      count_spring(&terms, dt, out);
  }
}

msd_result softening_find(const world_model *model, double substep, bool limit, msd_softening *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_softening made = {.substep = substep, .stiffness_left = 1};
  if (limit) {
    count_springs(model, substep, &made);
    made.constraints = constraint_bound_capped(model, substep, &made.stiffness_left);
  } else {
    world_model without_limit = *model;
    without_limit.clamp_stiffness = false;
    if (!softening_count(&without_limit, &scratch, substep, &made))
      return MSD_OUT_OF_MEMORY;
  }
  *out = made;
  return MSD_OK;
}

/* --------------------------------------------------------------------------------- substep of each object */

/* The longest dt with k <= share/dt^2 and mu <= share/dt. */
static double longest_step(double stiffness, double damping, double share) {
  double step = INFINITY;
  if (stiffness > 0)
    step = sqrt(share / stiffness);
  if (damping > 0)
    step = fmin(step, share / damping);
  return step;
}

/* Coefficient laws use the same fraction at every substep. */
static double spring_step(const law_terms *t) {
  if (t->mass_ck > t->share || t->mass_cd > t->share)
    return 0;
  return longest_step(t->stiffness, t->damping, t->share);
}

/* Evaluated at a substep of 1 s, where coefficients are multiples of the mass fraction and other laws have
   their defined values. */
static double constraint_step(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  if (constraint_is_broken(s, constraint))
    return INFINITY;
  const constraint_shape shape = constraint_measure(s, &model->particles, constraint);
  if (constraint_mass(shape.weight) == 0)
    return INFINITY; /* it moves nothing in this configuration */
  const constraint_factors factors = constraint_factors_at(s, &model->particles, constraint, 1);
  if (law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT))
    return constraint_tune(&factors, &shape, 1, true).capped ? 0 : INFINITY;
  const law_tuning defined = constraint_tune(&factors, &shape, 1, false);
  return longest_step(defined.stiffness, defined.damping, constraint_mass(shape.shared_weight));
}

void softening_find_steps(const world_model *model, double *springs, double *constraints) {
  for (int32_t e = 0; springs && e < model->springs.count; e++) {
    const law_terms terms = spring_effective_mass(&model->springs, &model->particles, e);
    springs[e] = spring_step(&terms);
  }
  for (int32_t c = 0; constraints && c < model->constraints.count; c++)
    constraints[c] = constraint_step(model, c);
}
