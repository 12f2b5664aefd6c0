#include "engine/stability/energy_safe.h"

#include <math.h>

static double ratio_of(double stiff, double damped) {
  return !(stiff > 0) ? 0 : damped > 0 ? stiff / damped : INFINITY;
}

void energy_ratio_add(energy_ratio *ratio, const law_terms *t) {
  ratio->physical = fmax(ratio->physical, ratio_of(t->stiffness, t->damping));
  ratio->coefficient = fmax(ratio->coefficient, ratio_of(t->mass_ck, t->mass_cd));
}

bool energy_ratio_is_bounded(const energy_ratio *ratio) {
  return isfinite(ratio->physical) && isfinite(ratio->coefficient);
}

static bool holds_anything(const world_model *model) {
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (soft_pin_moves(&model->soft_pins, &model->particles, n))
      return true;
  return false;
}

static bool moves_anything(const world_model *model, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(&model->constraints, constraint);
  for (int32_t n = 0; n < corners.count; n++)
    if (model->particles.inverse_mass[corners.particles[n]] > 0)
      return !constraint_is_broken(&model->constraints, constraint);
  return false;
}

/* Diagonal terms of damping alone. For coefficients they are ck + 2 cd of all constraints at a particle, of
   which cd is at most a fraction 1/(2 + the smallest ck/cd). */
static void damp_own(analysis *a, energy_ratio *ratio) {
  const constraint_store *s = &a->model->constraints;
  double least = INFINITY;
  for (int32_t c = 0; c < s->count; c++) {
    if (!moves_anything(a->model, c))
      continue;
    const law_terms t = law_split(s->laws[c], 1, 1);
    energy_ratio_add(ratio, &t);
    if (t.mass_cd > 0)
      least = fmin(least, t.mass_ck / t.mass_cd);
  }
  for (int32_t i = 0; a->own && i < a->model->particles.count; i++)
    a->own[i] = (step_load){0, a->own[i].damping / 2, a->own[i].coefficient / (2 + least)};
}

/* The limit if coefficient laws contribute at most `share` to R and are excluded from the sums. */
static double step_beside(analysis *a, bool physical_only, double share, const energy_ratio *ratio) {
  const step_load growing = {0, ratio->physical / 2, share}, fixed = {0, 0, share + ratio->coefficient};
  const double step = sums_step(a, physical_only, growing, ENERGY_RADIUS);
  return ratio->coefficient > 0 ? fmin(step, sums_step(a, physical_only, fixed, ENERGY_RADIUS)) : step;
}

/* For terms stored per law, which are all in N/m. */
static void damp_laws(analysis *a, energy_ratio *ratio) {
  for (int32_t n = 0; n < a->term_count; n++) {
    const law_terms t = {.stiffness = a->terms[n].stiffness, .damping = a->terms[n].damping};
    energy_ratio_add(ratio, &t);
    a->terms[n] = (step_load){0, t.damping / 2, 0};
  }
}

static void damp_springs(analysis *a, energy_ratio *ratio) {
  for (int32_t e = a->model_springs; e < a->count; e++)
    a->terms[e] = (step_load){0, a->terms[e].damping / 2, 0};
  for (int32_t e = 0; e < a->model_springs; e++) {
    const law_terms t =
        spring_effective_mass(&a->model->springs, &a->model->particles, analysis_spring_at(a, e).spring);
    energy_ratio_add(ratio, &t);
    a->terms[e] = (step_load){0, t.damping / 2, t.mass_cd};
  }
}

double energy_safe_step(analysis *a) {
  energy_ratio ratio = {0, 0};
  if (holds_anything(a->model))
    return 0;
  if (a->law)
    damp_laws(a, &ratio);
  else
    damp_springs(a, &ratio);
  damp_own(a, &ratio);
  if (!energy_ratio_is_bounded(&ratio))
    return 0;
  const double step = step_beside(a, false, 0, &ratio);
  return a->has_coefficient ? fmax(step, step_beside(a, true, coefficient_share(a), &ratio)) : step;
}

/* Clamping limits k and mu to the mass fraction over dt^2 and dt, so that R is at most 1. */
static bool is_damped_enough(law_tuning t, double dt) {
  return dt * t.stiffness <= t.damping * (ENERGY_RADIUS - 1);
}

bool energy_safe_softened(const world_model *model, double dt) {
  for (int32_t e = 0; e < model->springs.count; e++) {
    const law_terms t = spring_effective_mass(&model->springs, &model->particles, e);
    if (!is_damped_enough(law_tune(&t, dt, true), dt))
      return false;
  }
  for (int32_t c = 0; c < model->constraints.count; c++) {
    if (!moves_anything(model, c))
      continue;
    const constraint_factors factors = constraint_factors_at(&model->constraints, &model->particles, c, dt);
    const constraint_shape shape = constraint_measure(&model->constraints, &model->particles, c);
    if (!is_damped_enough(constraint_tune(&factors, &shape, dt, true), dt))
      return false;
  }
  for (int32_t e = 0; e < model->torsion_springs.count; e++) {
    const law_terms t = torsion_spring_split(&model->torsion_springs, &model->rotors, e);
    if (!is_damped_enough(law_tune(&t, dt, true), dt))
      return false;
  }
  return !holds_anything(model);
}
