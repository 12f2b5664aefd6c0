#include "engine/stability/report.h"

#include "engine/stability/bound.h"
#include "engine/stability/constraint_bound.h"
#include "engine/stability/rotor_bound.h"
#include "engine/stability/static_stretch.h"
#include "engine/stability/this_shape.h"
#include "engine/step/anchor_step.h"

#include <math.h>

/* RK4 is stable for dt^2 k + RK4_DAMPING dt mu < RK4_RADIUS; see stability.h. */
#define RK4_RADIUS 8.0
static const double RK4_DAMPING = RK4_RADIUS / 2.785293563405282;

/* Below this many times the typical nothing stands out. */
static const double ALIKE = 2;

/* ------------------------------------------------------------------------------------ steps that are certified */

/* The limit of RK4 by Collatz and Wielandt with the x that certifies symplectic Euler, which is nearly that of
   RK4 too; never below `symplectic`, since k + 2.8722 d <= 1.44 (k + 2 d) < 8. */
static double rk4_step(analysis *a, double symplectic) {
  const spring_store *s = &a->model->springs;
  for (int32_t i = 0; i < a->model->particles.count; i++)
    a->rows[i] = (bound){0, 0, 0};
  for (int32_t e = 0; e < a->count; e++) {
    const law_terms t = spring_split(s, &a->model->particles, a->springs[e].spring);
    const bound kappa = {t.stiffness, t.damping * RK4_DAMPING / 2, t.mass_ck + RK4_DAMPING * t.mass_cd};
    const double sum = a->x[a->springs[e].a] + a->x[a->springs[e].b];
    bound_add(&a->rows[a->springs[e].a], kappa, sum);
    bound_add(&a->rows[a->springs[e].b], kappa, sum);
  }
  for (int32_t i = 0; a->own && i < a->model->particles.count; i++) {
    const bound own = a->own[i]; /* whose coefficient may be all damping */
    bound_add(&a->rows[i],
              (bound){own.stiffness, own.damping * RK4_DAMPING / 2, own.coefficient * RK4_DAMPING / 2},
              a->x[i]);
  }
  double least = INFINITY;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    bound row = {0, 0, 0};
    bound_add(&row, a->rows[i], analysis_inverse_mass(a, i) / a->x[i]);
    least = fmin(least, bound_root(row, RK4_RADIUS * STABILITY_ROUNDING));
  }
  return fmax(least, symplectic);
}

static bool holds_anything(const world_model *model) {
  for (int32_t n = 0; n < model->anchors.count; n++)
    if (anchor_moves(&model->anchors, &model->particles, n))
      return true;
  return false;
}

/* Sequential impulses. Without damping they are the forces of symplectic Euler. Where nothing is stiff, the
   impulse of a spring changes the kinetic energy by -m cd (1 - cd/2) C'^2; and more iterations descend in the
   energy 1/2 v' M v + 1/2 L' diag(G_ee (1/cd - 1)) L of impulse.h, v what L has made of the velocities, whose
   second term is never below 0 for cd <= 1. Both hold for constraints as they do for springs. For the rest there is
   no proof: an anchor, whose motion is exact, counts as stiff. */
static double impulse_step(const analysis *a, double symplectic) {
  const world_model *model = a->model;
  const double cd_max = (model->impulse_iterations > 1 ? 1 : 2) * STABILITY_ROUNDING;
  const constraint_impulse_bound constraints = constraint_bound_impulses(model, cd_max);
  bool is_stiff = constraints.is_stiff || holds_anything(model), is_damped = constraints.is_damped;
  double step = constraints.step;
  for (int32_t e = 0; e < a->count; e++) {
    const law_terms t = spring_split(&model->springs, &model->particles, a->springs[e].spring);
    const double most =
        cd_max / (analysis_inverse_mass(a, a->springs[e].a) + analysis_inverse_mass(a, a->springs[e].b));
    is_stiff = is_stiff || t.stiffness > 0 || t.mass_ck > 0;
    is_damped = is_damped || t.damping > 0 || t.mass_cd > 0;
    if (t.mass_cd > most)
      step = 0;
    else if (t.damping > 0)
      step = fmin(step, most / t.damping);
  }
  if (!is_damped)
    return symplectic;
  return is_stiff || model->impulse_warm_start ? 0 : step;
}

/* The certified steps of the integrators that take forces as symplectic Euler does. Leaves the x behind them. */
static certificate force_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]) {
  certificate c = certify_step(a, asked);
  c.step = fmax(c.step, quick);
  const bool is_stiff = a->has_stiffness || a->has_coefficient;
  steps[MSD_SYMPLECTIC_EULER] = steps[MSD_VELOCITY_VERLET] = c.step;
  steps[MSD_EXPLICIT_EULER] = is_stiff ? 0 : c.step;
  steps[MSD_RK4] = rk4_step(a, c.step);
  return c;
}

/* Anchors are no forces to symplectic Euler, and weigh less there. Own terms that were made do not need memory
   again. */
certificate stability_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]) {
  double exact_steps[MSD_INTEGRATOR_COUNT];
  if (a->model->anchors.count > 0) {
    analysis_set_own(a, false, 0);
    force_steps(a, asked, quick_step(a), steps);
    analysis_set_own(a, true, 0);
  }
  const certificate c = force_steps(a, asked, quick, a->model->anchors.count > 0 ? exact_steps : steps);
  steps[MSD_SYMPLECTIC_EULER] = c.step;
  steps[MSD_SEQUENTIAL_IMPULSE] = impulse_step(a, c.step);
  return c;
}

static bool open_without_folds(analysis *a, const world_model *model, memory *m) {
  if (!analysis_open_springs(a, model, m))
    return false;
  a->folds = FOLDS_NONE;
  a->sweeps_max = STABILITY_SWEEPS;
  return analysis_set_own(a, anchor_is_exact(model->integrator), 0);
}

/* Of RK4 k + RK4_DAMPING d is bounded by twice as much. */
static constraint_room room_at(analysis *a, double dt) {
  const bool is_rk4 = a->model->integrator == MSD_RK4;
  const double damping = is_rk4 ? RK4_DAMPING / 2 : 1, radius = is_rk4 ? RK4_RADIUS : 4;
  const double left = radius * STABILITY_ROUNDING - radius_at(a, dt, damping);
  return (constraint_room){fmax(left, CONSTRAINT_ROOM_LEAST * damping), 2 * damping};
}

msd_result stability_find_fold_room(world_model *model, double dt) {
  constraint_store *s = &model->constraints;
  if (!constraint_bound_has_room(model)) {
    s->fold_room = (constraint_room){0, 0};
    s->fold_room_made_for = (revision){0};
    return MSD_OK;
  }
  const revision now = revision_of_fold_room(&model->revision, dt);
  if (revision_holds(&s->fold_room_made_for, now))
    return MSD_OK;
  analysis a;
  const bool open = open_without_folds(&a, model, &model->memory);
  if (open) {
    s->fold_room = room_at(&a, dt);
    s->fold_room_made_for = now;
  }
  analysis_close(&a);
  return open ? MSD_OK
              : report_fail(&model->report, MSD_OUT_OF_MEMORY,
                            "no memory to find the stable time step of %d particles",
                            (int)model->particles.count);
}

msd_result stability_stable_step(world_model *model, stability_cache *cache, double *step) {
  const revision now = revision_of_stable_steps(&model->revision);
  const revision rotors_now = revision_of_rotor_steps(&model->revision);
  if (!revision_holds(&cache->stable_step_made_for, now) || !constraint_bound_every_shape(model)) {
    analysis a;
    bool open = analysis_open_springs(&a, model, &model->memory);
    if (open) {
      a.folds = FOLDS_HELD;
      open = analysis_set_own(&a, true, 0);
    }
    if (open) {
      stability_steps(&a, 1, quick_step(&a), cache->stable_step);
      cache->stable_step_made_for = now;
    }
    analysis_close(&a);
    if (!open)
      return report_fail(&model->report, MSD_OUT_OF_MEMORY,
                         "no memory to find the stable time step of %d particles",
                         (int)model->particles.count);
  }
  if (!revision_holds(&cache->rotor_step_made_for, rotors_now) &&
      !rotor_stable_steps(model, &model->memory, cache->rotor_step))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY,
                       "no memory to find the stable time step of %d rotors", (int)model->rotors.count);
  cache->rotor_step_made_for = rotors_now;
  *step = fmin(cache->stable_step[model->integrator], cache->rotor_step[model->integrator]);
  return MSD_OK;
}

int32_t stability_substeps(double stable_step, double frame) {
  if (!(stable_step > 0))
    return 0;
  const double needed = floor(frame / stable_step) + 1;
  return needed <= STABILITY_SUBSTEPS_MAX ? (int32_t)needed : 0;
}

/* ---------------------------------------------------------------------------------------------- the report */

/* Geometric means over the particles, springs and constraints that take part. */
typedef struct typical {
  double inverse_mass, springs, kappa;
} typical;

typedef struct logarithms {
  double sum;
  int64_t count;
} logarithms;

static void add_logarithm(logarithms *l, double value) {
  if (!(value > 0))
    return;
  l->sum += log(value);
  l->count++;
}

static double mean_of(const logarithms *l) {
  return exp(l->sum / (double)l->count);
}

static typical find_typical(const analysis *a, double step) {
  logarithms inverse_mass = {0}, springs = {0}, kappa = {0};
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    add_logarithm(&inverse_mass, analysis_inverse_mass(a, i));
    add_logarithm(&springs, (double)a->model->particles.valence[i]);
  }
  for (int32_t e = 0; e < a->count; e++)
    add_logarithm(&kappa, bound_at(a->terms[e], step));
  for (int32_t c = 0; c < a->model->constraints.count; c++)
    add_logarithm(&kappa, constraint_bound_influence(a, c, step).weight);
  return (typical){mean_of(&inverse_mass), mean_of(&springs), mean_of(&kappa)};
}

/* The particles and the weight of what limits. */
typedef struct culprit {
  const int32_t *particles;
  int32_t count;
  double weight;
} culprit;

static void find_cause(const analysis *a, double step, const culprit *who, msd_stability *out) {
  const typical usual = find_typical(a, step);
  double lightest = 0, busiest = 0;
  for (int32_t n = 0; n < who->count; n++) {
    const double w = analysis_inverse_mass(a, who->particles[n]);
    if (w == 0)
      continue;
    lightest = fmax(lightest, w);
    busiest = fmax(busiest, (double)a->model->particles.valence[who->particles[n]]);
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
      out->cause = (msd_stability_cause)c;
  out->cause_ratio = out->cause == MSD_CAUSE_ALL_ALIKE ? 1 : ratios[out->cause];
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

/* The radius is the quotient x . B x / x . M x at its eigenvector, so it moves with kappa of a spring as
   (x_a + x_b)^2 kappa, with a constraint as the sum of its own_i x_i^2, and with the mass of a particle as x^2 m. */
static void find_limiting(const analysis *a, double step, msd_stability *out) {
  const world_model *model = a->model;
  double most = 0;
  int32_t ends[2];
  culprit who = {0};
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const double sum = a->x[s.a] + a->x[s.b], kappa = bound_at(a->terms[e], step);
    if (kappa * sum * sum > most * (1 + 1e-9)) {
      most = kappa * sum * sum;
      out->limiting_spring = s.spring;
      ends[0] = s.a, ends[1] = s.b;
      who = (culprit){ends, 2, kappa};
    }
  }
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_influence influence = constraint_bound_influence(a, c, step);
    if (influence.part > most * (1 + 1e-9)) {
      const constraint_corners corners = constraint_corners_of(&model->constraints, c);
      most = influence.part;
      out->limiting_spring = -1;
      out->limiting_constraint = c;
      who = (culprit){corners.particles, corners.count, influence.weight};
    }
  }
  if (who.count == 0)
    return;
  out->limiting_particle = find_limiting_particle(a);
  find_cause(a, step, &who, out);
}

/* With stiffness times f^2 and damping times f a step dt weighs what f dt did. Masses and coefficients scale
   a part of each row of A. */
static void find_remedies(analysis *a, double step, double dt, msd_stability *out) {
  out->damping_factor = step / dt;
  out->stiffness_factor = out->damping_factor * out->damping_factor;
  out->coefficient_factor = INFINITY;
  sweep_rows(a);
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    const double coefficient = a->rows[i].coefficient / a->x[i];
    const double physical = (bound_at(a->rows[i], dt) - a->rows[i].coefficient) / a->x[i];
    const double mass_room = STABILITY_RADIUS - coefficient, room = STABILITY_RADIUS - physical;
    out->mass_factor = fmax(out->mass_factor, mass_room > 0 ? physical / mass_room : INFINITY);
    if (a->has_coefficient && coefficient > 0)
      out->coefficient_factor = fmin(out->coefficient_factor, room > 0 ? room / coefficient : 0);
  }
}

static void find_stiffest(const analysis *a, msd_stability *out) {
  double least = INFINITY, most = 0;
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const double ck = a->shares[e] * (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
    least = fmin(least, ck);
    most = fmax(most, ck);
  }
  out->stiffest_min = a->count > 0 ? least : 0;
  out->stiffest_max = most;
}

static void report_capped(const analysis *a, double dt, msd_stability *out) {
  out->capped_stiffness = 1;
  out->capped_constraints = constraint_bound_capped(a->model, dt, &out->capped_stiffness);
  for (int32_t e = 0; e < a->count; e++) {
    const law_terms terms = spring_split(&a->model->springs, &a->model->particles, a->springs[e].spring);
    const law_tuning as_defined = law_tune(&terms, dt, MSD_LIMIT_NONE);
    const law_tuning limited = law_tune(&terms, dt, MSD_LIMIT_COEFFICIENTS);
    out->capped_springs += limited.capped;
    if (as_defined.stiffness > 0)
      out->capped_stiffness = fmin(out->capped_stiffness, limited.stiffness / as_defined.stiffness);
  }
}

/* Softens what the analysis is of as the limit does at dt. */
static void soften(analysis *a, double dt) {
  for (int32_t e = 0; e < a->count; e++) {
    const law_terms terms = spring_split(&a->model->springs, &a->model->particles, a->springs[e].spring);
    const law_tuning t = law_tune(&terms, dt, MSD_LIMIT_COEFFICIENTS);
    a->terms[e] = (bound){t.stiffness, t.damping, 0};
  }
  analysis_set_own(a, true, dt);
}

/* In an analysis of its own, whose own terms are without folds. */
static bool find_softened(const analysis *a, double dt, msd_stability *out) {
  if (!constraint_bound_has_room(a->model))
    return true;
  analysis rest;
  const bool open = open_without_folds(&rest, a->model, a->memory);
  if (open) {
    const constraint_room room = room_at(&rest, dt);
    out->softened_folds = constraint_bound_softened(a->model, &room, dt);
  }
  analysis_close(&rest);
  return open;
}

static bool fill_report(analysis *a, double dt, msd_stability *out) {
  const bool limited = a->model->limit == MSD_LIMIT_COEFFICIENTS;
  out->stable_time_step_quick = quick_step(a);
  const certificate c = stability_steps(a, dt, out->stable_time_step_quick, out->integrator_time_step);
  const double steering = steering_step(c.step, dt);
  out->stable_time_step = c.step;
  out->every_shape = constraint_bound_every_shape(a->model);
  out->iterations = c.sweeps;
  out->tightness = isfinite(c.upper) && c.upper > 0 ? fmin(1, c.step / c.upper) : 1;
  /* The x of the limit is there now, but for springs that are alike at every step: then the radius finds it. */
  const bool every_step = steering != c.step;
  if (!every_step)
    find_limiting(a, steering, out);
  out->radius = certify_radius(a, &c, dt);
  if (every_step)
    find_limiting(a, dt, out);
  find_remedies(a, c.step, dt, out);
  out->coefficient_limit = certify_coefficient(a);
  find_stiffest(a, out);
  report_capped(a, dt, out);
  if (!find_softened(a, dt, out))
    return false;
  const msd_integrator integrator = a->model->integrator;
  out->substeps = limited && integrator == MSD_SYMPLECTIC_EULER
                      ? 1
                      : stability_substeps(out->integrator_time_step[integrator], dt);
  hang stretch;
  /* The shape's own limit is never below the certified one: nothing is left to find above "any step". */
  out->this_shape_time_step = INFINITY;
  if ((isfinite(c.step) && !shape_stable_step(a, steering, &out->this_shape_time_step)) ||
      !hang_estimate(a, dt, a->model->limit, 1, &stretch))
    return false;
  /* A rounded estimate may be below. */
  out->this_shape_time_step = fmax(out->this_shape_time_step, out->stable_time_step);
  out->static_stretch = stretch.present;
  out->static_stretch_stiffest = stretch.stiffest;
  if (limited) {
    soften(a, dt);
    out->radius = certify_radius(a, &(certificate){.step = 0}, dt);
  }
  return true;
}

msd_result stability_report(const world_model *model, double time_step, msd_stability *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_stability made = {
      .time_step = time_step, .limiting_spring = -1, .limiting_constraint = -1, .limiting_particle = -1};
  analysis a;
  const bool done = analysis_open(&a, model, &scratch) && fill_report(&a, time_step, &made) &&
                    rotor_lower_report(model, &scratch, &made);
  analysis_close(&a);
  if (!done)
    return MSD_OUT_OF_MEMORY;
  *out = made;
  return MSD_OK;
}
