#include "engine/stability/report.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/energy_safe.h"
#include "engine/stability/linearized_limit.h"
#include "engine/stability/rotor_bound.h"
#include "engine/stability/scaled_steps.h"
#include "engine/stability/steps.h"
#include "engine/step/soft_pin_step.h"

#include <math.h>

/* A ratio to the typical value below this is not reported as a cause. */
static const double ALIKE = 2;

/* --------------------------------------------------------------------------------- cause of the limit */

/* Geometric means over the particles, springs and constraints that contribute. */
typedef struct typical {
  double inverse_mass, springs, kappa;
} typical;

typedef struct logarithms {
  double sum;
  int64_t count;
  /* The last value and its logarithm: most values are equal. */
  double value, logarithm;
} logarithms;

static void add_logarithm(logarithms *l, double value) {
  if (!(value > 0))
    return;
  if (value != l->value)
    l->logarithm = log(value);
  l->value = value;
  l->sum += l->logarithm;
  l->count++;
}

/* INFINITY without values, so that no ratio is large. */
static double mean_of(const logarithms *l) {
  return l->count > 0 ? exp(l->sum / (double)l->count) : INFINITY;
}

static typical find_typical(const analysis *a, double step) {
  logarithms inverse_mass = {0}, springs = {0}, kappa = {0};
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    add_logarithm(&inverse_mass, analysis_inverse_mass(a, i));
    add_logarithm(&springs, (double)a->model->particles.valence[i]);
  }
  for (int32_t e = 0; e < a->model_springs; e++)
    add_logarithm(&kappa, step_load_at(analysis_load_of(a, e), step));
  for (int32_t c = 0; c < a->model->constraints.count; c++)
    add_logarithm(&kappa, constraint_bound_influence(a, c, step).weight);
  return (typical){mean_of(&inverse_mass), mean_of(&springs), mean_of(&kappa)};
}

/* The limiting object: its type, its index (a spring index is that of the analysis), its load at each of its
   particles, and the sensitivity of the radius to its stiffness. */
typedef struct culprit {
  msd_limiting limiting;
  int32_t index;
  double weight, moved;
} culprit;

/* `ends` is space for the particles of a spring. */
static constraint_corners particles_of(const analysis *a, const culprit *who, int32_t ends[2]) {
  switch (who->limiting) {
  case MSD_LIMITING_SPRING:
    ends[0] = analysis_spring_at(a, who->index).a, ends[1] = analysis_spring_at(a, who->index).b;
    return (constraint_corners){ends, 2};
  case MSD_LIMITING_CONSTRAINT:
    return constraint_corners_of(&a->model->constraints, who->index);
  default:
    return (constraint_corners){&a->model->soft_pins.entries[who->index].particle, 1};
  }
}

static void find_cause(const analysis *a, double step, const culprit *who, msd_stability_cause *out) {
  const typical usual = find_typical(a, step);
  int32_t ends[2];
  const constraint_corners its = particles_of(a, who, ends);
  double lightest = 0, busiest = 0;
  for (int32_t n = 0; n < its.count; n++) {
    const double w = analysis_inverse_mass(a, its.particles[n]);
    if (w == 0)
      continue;
    lightest = fmax(lightest, w);
    busiest = fmax(busiest, (double)a->model->particles.valence[its.particles[n]]);
  }
  const double ratios[MSD_CAUSE_COUNT] = {
      [MSD_CAUSE_ALL_ALIKE] = ALIKE,
      [MSD_CAUSE_LIGHT_PARTICLE] = lightest / usual.inverse_mass,
      [MSD_CAUSE_STIFF_SPRING] = who->weight / usual.kappa,
      [MSD_CAUSE_MANY_SPRINGS] = busiest / usual.springs,
  };
  out->cause = MSD_CAUSE_ALL_ALIKE;
  for (int c = MSD_CAUSE_LIGHT_PARTICLE; c < MSD_CAUSE_COUNT; c++)
    if (ratios[c] > ratios[out->cause])
      out->cause = (msd_cause)c;
  out->ratio = out->cause == MSD_CAUSE_ALL_ALIKE ? 1 : ratios[out->cause];
}

static int32_t find_limiting_particle(const analysis *a) {
  double most = 0;
  int32_t particle = -1;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const double part = a->x[i] > 0 ? a->x[i] * a->x[i] / analysis_inverse_mass(a, i) : 0;
    if (part > most * (1 + 1e-9)) {
      most = part;
      particle = i;
    }
  }
  return particle;
}

/* Takes the first of equal values, up to rounding. */
static void suspect(culprit *who, culprit other) {
  if (other.moved > who->moved * (1 + 1e-9))
    *who = other;
}

/* The radius is the quotient x . B x / x . M x at its eigenvector. So its sensitivity to kappa of a spring is
   (x_a + x_b)^2 kappa, and to fibers (sum b_i x_i)^2 kappa. For other constraints and soft pins it is the sum
   of their own_i x_i^2, and for the mass of a particle x^2 m. */
static culprit find_culprit(const analysis *a, double step) {
  const world_model *model = a->model;
  culprit who = {MSD_LIMITING_NOTHING, -1, 0, 0};
  for (int32_t e = 0; e < a->model_springs; e++) {
    const double sum = a->x[analysis_spring_at(a, e).a] + a->x[analysis_spring_at(a, e).b],
                 kappa = step_load_at(analysis_load_of(a, e), step);
    suspect(&who, (culprit){MSD_LIMITING_SPRING, e, kappa, kappa * sum * sum});
  }
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_influence influence = constraint_bound_influence(a, c, step);
    suspect(&who, (culprit){MSD_LIMITING_CONSTRAINT, c, influence.weight, influence.part});
  }
  for (int32_t n = 0; n < model->soft_pins.count; n++) {
    if (!soft_pin_moves(&model->soft_pins, &model->particles, n))
      continue;
    const double own = step_load_at(analysis_soft_pin_term(a, n, true), step);
    const double x = a->x[model->soft_pins.entries[n].particle];
    suspect(&who, (culprit){MSD_LIMITING_SOFT_PIN, n, own / 2, own * x * x});
  }
  return who;
}

static msd_stability_cause nobody(msd_limiting limiting) {
  return (msd_stability_cause){
      .limiting = limiting, .spring = -1, .constraint = -1, .soft_pin = -1, .particle = -1};
}

static msd_stability_cause explain_limit(const analysis *a, double step) {
  const culprit who = find_culprit(a, step);
  msd_stability_cause cause = nobody(who.limiting);
  if (who.limiting == MSD_LIMITING_NOTHING)
    return cause;
  if (who.limiting == MSD_LIMITING_SPRING)
    cause.spring = analysis_spring_at(a, who.index).spring;
  else if (who.limiting == MSD_LIMITING_CONSTRAINT)
    cause.constraint = who.index;
  else
    cause.soft_pin = who.index;
  cause.particle = find_limiting_particle(a);
  find_cause(a, step, &who, &cause);
  return cause;
}

/* --------------------------------------------------------------------------------------------- remedies */

/* With stiffness times f^2 and damping times f, a substep dt has the load of f dt before. Masses and
   coefficients scale one of the terms in each row of A. */
static void find_remedies(analysis *a, double step, double dt, msd_stability_remedy *out) {
  out->damping_factor = step / dt;
  out->stiffness_factor = out->damping_factor * out->damping_factor;
  out->coefficient_factor = INFINITY;
  sweep_rows(a);
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    const double coefficient = a->rows[i].coefficient / a->x[i];
    const double physical = (step_load_at(a->rows[i], dt) - a->rows[i].coefficient) / a->x[i];
    const double mass_room = STABILITY_RADIUS - coefficient, room = STABILITY_RADIUS - physical;
    out->mass_factor = fmax(out->mass_factor, mass_room > 0 ? physical / mass_room : INFINITY);
    if (a->has_coefficient && coefficient > 0)
      out->coefficient_factor = fmin(out->coefficient_factor, room > 0 ? room / coefficient : 0);
  }
}

static void find_max_stable(const analysis *a, msd_stability_explanation *out) {
  double least = INFINITY, most = 0;
  for (int32_t e = 0; e < a->model_springs; e++) {
    const analysis_spring s = analysis_spring_at(a, e);
    const double ck = analysis_share(a, e) * (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
    least = fmin(least, ck);
    most = fmax(most, ck);
  }
  out->max_stable_min = a->model_springs > 0 ? least : 0;
  out->max_stable_max = most;
}

/* ----------------------------------------------------------------------------------------------- report */

/* Replaces the springs of an analysis by those after stiffness clamping at dt. */
static void soften(analysis *a, double dt) {
  for (int32_t e = 0; e < a->model_springs; e++) {
    const law_terms terms =
        spring_effective_mass(&a->model->springs, &a->model->particles, analysis_spring_at(a, e).spring);
    const law_tuning t = law_tune(&terms, dt, true);
    a->terms[e] = (step_load){t.stiffness, t.damping, 0};
  }
  /* Fibers become diagonal terms. */
  for (int32_t e = a->model_springs; e < a->count; e++)
    a->terms[e] = (step_load){0, 0, 0};
  analysis_set_own(a, true, dt);
}

/* Finds the limits of the particles. Leaves the x of the radius. */
static void find_limits(analysis *a, msd_stability *out, msd_stability_cause *cause) {
  const double dt = out->substep;
  out->stable_substep_quick = quick_step(a);
  const certificate c = stability_steps(a, dt, out->stable_substep_quick, out->integrator_stable_substep);
  const double steering = steering_step(c.step, dt);
  out->stable_substep = c.step;
  out->every_shape = constraint_bound_every_shape(a->model);
  out->sweeps = c.sweeps;
  out->tightness = isfinite(c.upper) && c.upper > 0 ? fmin(1, c.step / c.upper) : 1;
  /* The analysis now has the x of the limit. If every substep is stable, only the radius computation finds a
     useful x. */
  const bool is_limit_known = steering == c.step;
  if (cause && is_limit_known)
    *cause = explain_limit(a, steering);
  out->radius = certify_radius(a, &c, dt);
  if (cause && !is_limit_known)
    *cause = explain_limit(a, dt);
}

/* Computes the values that need other terms; the analysis is invalid afterwards. */
static void find_others(analysis *a, msd_stability *out) {
  out->energy_safe_substep = energy_safe_step(a);
  if (!a->model->clamp_stiffness)
    return;
  soften(a, out->substep);
  out->radius = certify_radius(a, &(certificate){.step = 0}, out->substep);
}

/* Adjusts the limits of particles for selective mass scaling. Returns false if memory runs out in `m`. */
static bool scale_masses(const world_model *model, memory *m, msd_stability *out) {
  out->radius = scaled_radius(model, out->radius);
  return scaled_raise_step(model, m, &out->integrator_stable_substep[MSD_SYMPLECTIC_EULER]);
}

/* Derives the remaining values from all limits. */
static void conclude(const world_model *model, msd_stability *out) {
  const msd_integrator own = model->integrator;
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    out->integrator_substeps[n] = stability_limit_certifies(model, (msd_integrator)n)
                                      ? 1
                                      : stability_substeps(out->integrator_stable_substep[n], out->substep);
  out->substeps = out->integrator_substeps[own];
  out->used = out->radius / 4;
  /* Below a billionth of the stable substep only rounding is left. */
  if (out->energy_safe_substep < 1e-9 * out->stable_substep)
    out->energy_safe_substep = 0;
  out->energy_safe_substep = fmin(out->energy_safe_substep, out->stable_substep);
  out->energy_safe = out->substep <= out->energy_safe_substep ||
                     (model->clamp_stiffness && energy_safe_softened(model, out->substep));
  out->certified =
      own == MSD_SYMPLECTIC_EULER ? out->used < 1 : out->substep <= out->integrator_stable_substep[own];
}

msd_result stability_report(const world_model *model, double substep, msd_stability *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_stability made = {.substep = substep};
  analysis a;
  bool done = analysis_open(&a, model, &scratch);
  if (done) {
    find_limits(&a, &made, NULL);
    find_others(&a, &made);
    done = scale_masses(model, &scratch, &made) && rotor_lower_limits(model, &scratch, &made, NULL);
  }
  analysis_close(&a);
  if (!done)
    return MSD_OUT_OF_MEMORY;
  conclude(model, &made);
  *out = made;
  return MSD_OK;
}

static void explain(analysis *a, msd_stability_explanation *out) {
  msd_stability *limit = &out->limit;
  const double dt = limit->substep;
  find_limits(a, limit, &out->cause);
  find_remedies(a, limit->stable_substep, dt, &out->remedy);
  out->coefficient_limit = certify_coefficient(a);
  find_max_stable(a, out);
  find_others(a, limit);
}

msd_result stability_explain(const world_model *model, double substep, msd_stability_explanation *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_stability_explanation made = {.limit.substep = substep};
  analysis a;
  bool done = analysis_open(&a, model, &scratch) && analysis_spread(&a);
  if (done) {
    explain(&a, &made);
    done =
        scale_masses(model, &scratch, &made.limit) && rotor_lower_limits(model, &scratch, &made.limit, &made);
  }
  analysis_close(&a);
  if (!done)
    return MSD_OUT_OF_MEMORY;
  if (isfinite(made.limit.rotor_stable_substep) &&
      made.limit.rotor_stable_substep <= made.limit.stable_substep)
    made.cause = nobody(MSD_LIMITING_ROTORS);
  conclude(model, &made.limit);
  *out = made;
  return MSD_OK;
}

/* The limit of the current configuration is never below the proven one. If that is unlimited, nothing is left
   to compute. */
static bool estimate(analysis *a, double asked, double *limit) {
  const double certified = certify_step(a, asked, quick_step(a)).step;
  *limit = INFINITY;
  if (isfinite(certified) && !shape_stable_step(a, steering_step(certified, asked), limit))
    return false;
  /* The estimate may be lower because of rounding. */
  *limit = fmax(*limit, certified);
  return true;
}

msd_result stability_estimate_linearized_limit(const world_model *model, double substep, double *limit) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  double found, rotor_steps[MSD_INTEGRATOR_COUNT];
  analysis a;
  const bool done = analysis_open(&a, model, &scratch) && estimate(&a, substep, &found) &&
                    rotor_stable_steps(model, &scratch, rotor_steps);
  analysis_close(&a);
  if (!done)
    return MSD_OUT_OF_MEMORY;
  *limit = fmin(found, rotor_steps[MSD_SYMPLECTIC_EULER]);
  return MSD_OK;
}
