#include "engine/stability/softening.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/softening_weights.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------- of one substep */

static void count_spring(const law_terms *terms, double dt, msd_softening *out) {
  const law_tuning defined = law_tune(terms, dt, MSD_LIMIT_NONE);
  const law_tuning limited = law_tune(terms, dt, MSD_LIMIT_COEFFICIENTS);
  out->springs += limited.capped;
  if (defined.stiffness > 0)
    out->stiffness_left = fmin(out->stiffness_left, limited.stiffness / defined.stiffness);
}

/* Those that act alone: what is broken or between two pins has terms of 0. */
static void count_springs(const world_model *model, double dt, msd_softening *out) {
  for (int32_t e = 0; e < model->springs.count; e++) {
    const law_terms terms = spring_split(&model->springs, &model->particles, e);
    if (terms.share > 0)
      count_spring(&terms, dt, out);
  }
  for (int32_t e = 0; e < model->angular_springs.count; e++) {
    const law_terms terms = angular_spring_split(&model->angular_springs, &model->rotors, e);
    if (terms.share > 0)
      count_spring(&terms, dt, out);
  }
}

msd_result softening_find(const world_model *model, double time_step, msd_limit limit, msd_softening *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_softening made = {.time_step = time_step, .stiffness_left = 1};
  if (limit == MSD_LIMIT_COEFFICIENTS) {
    count_springs(model, time_step, &made);
    made.constraints = constraint_bound_capped(model, time_step, &made.stiffness_left);
  } else {
    world_model without_limit = *model;
    without_limit.limit = MSD_LIMIT_NONE;
    if (!softening_count(&without_limit, &scratch, time_step, &made))
      return MSD_OUT_OF_MEMORY;
  }
  *out = made;
  return MSD_OK;
}

/* -------------------------------------------------------------------------------------- of each, which
   substep */

/* The longest dt with k <= share/dt^2 and mu <= share/dt. */
static double longest_step(double stiffness, double damping, double share) {
  double step = INFINITY;
  if (stiffness > 0)
    step = sqrt(share / stiffness);
  if (damping > 0)
    step = fmin(step, share / damping);
  return step;
}

/* Coefficients use as much of the share at every substep. */
static double spring_step(const law_terms *t) {
  if (t->mass_ck > t->share || t->mass_cd > t->share)
    return 0;
  return longest_step(t->stiffness, t->damping, t->share);
}

/* At a substep of 1 s, where coefficients are numbers of the share and the others are what they are. */
static double constraint_step(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  if (constraint_is_broken(s, constraint))
    return INFINITY;
  const constraint_shape shape = constraint_measure(s, &model->particles, constraint);
  if (constraint_mass(shape.weight) == 0)
    return INFINITY; /* it moves nothing at this shape */
  const constraint_factors factors = constraint_factors_at(s, &model->particles, constraint, 1);
  if (law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT))
    return constraint_tune(&factors, &shape, 1, MSD_LIMIT_COEFFICIENTS).capped ? 0 : INFINITY;
  const law_tuning defined = constraint_tune(&factors, &shape, 1, MSD_LIMIT_NONE);
  return longest_step(defined.stiffness, defined.damping, constraint_mass(shape.shared_weight));
}

void softening_find_steps(const world_model *model, double *springs, double *constraints) {
  for (int32_t e = 0; springs && e < model->springs.count; e++) {
    const law_terms terms = spring_split(&model->springs, &model->particles, e);
    springs[e] = spring_step(&terms);
  }
  for (int32_t c = 0; constraints && c < model->constraints.count; c++)
    constraints[c] = constraint_step(model, c);
}
