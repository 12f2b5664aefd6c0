#include "stability.h"

#include "stability_bound.h"
#include "stability_hang.h"
#include "stability_shape.h"

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
  const spring_store *s = &a->world->springs;
  for (int32_t i = 0; i < a->world->particles.count; i++)
    a->rows[i] = (bound){0, 0, 0};
  for (int32_t e = 0; e < a->count; e++) {
    const spring_terms t = spring_split(s, &a->world->particles, a->springs[e].spring);
    const bound kappa = {t.stiffness, t.damping * RK4_DAMPING / 2, t.mass_ck + RK4_DAMPING * t.mass_cd};
    const double sum = a->x[a->springs[e].a] + a->x[a->springs[e].b];
    bound_add(&a->rows[a->springs[e].a], kappa, sum);
    bound_add(&a->rows[a->springs[e].b], kappa, sum);
  }
  double least = INFINITY;
  for (int32_t i = 0; i < a->world->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    bound row = {0, 0, 0};
    bound_add(&row, a->rows[i], analysis_inverse_mass(a, i) / a->x[i]);
    least = fmin(least, bound_root(row, RK4_RADIUS * STABILITY_ROUNDING));
  }
  return fmax(least, symplectic);
}

/* Sequential impulses. Without damping they are the forces of symplectic Euler. Where nothing is stiff, the
   impulse of a spring changes the kinetic energy by -m cd (1 - cd/2) C'^2; and more iterations descend in the
   energy 1/2 v' M v + 1/2 L' diag(G_ee (1/cd - 1)) L of impulse.h, v what L has made of the velocities, whose
   second term is never below 0 for cd <= 1. For the rest there is no proof. */
static double impulse_step(const analysis *a, double symplectic) {
  const msd_world *world = a->world;
  const double cd_max = (world->impulse_iterations > 1 ? 1 : 2) * STABILITY_ROUNDING;
  bool is_stiff = false, is_damped = false;
  double step = INFINITY;
  for (int32_t e = 0; e < a->count; e++) {
    const spring_terms t = spring_split(&world->springs, &world->particles, a->springs[e].spring);
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
  return is_stiff || world->impulse_warm_start ? 0 : step;
}

/* The certified step of every integrator. Leaves the x behind it. */
certificate stability_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]) {
  certificate c = certify_step(a, asked);
  c.step = fmax(c.step, quick);
  const bool is_stiff = a->has_stiffness || a->has_coefficient;
  steps[MSD_SYMPLECTIC_EULER] = steps[MSD_VELOCITY_VERLET] = c.step;
  steps[MSD_EXPLICIT_EULER] = is_stiff ? 0 : c.step;
  steps[MSD_RK4] = rk4_step(a, c.step);
  steps[MSD_SEQUENTIAL_IMPULSE] = impulse_step(a, c.step);
  return c;
}

msd_result stability_stable_step(msd_world *world, double *step) {
  if (world->stable_step_stale) {
    analysis a;
    const bool open = analysis_open(&a, world, &world->memory);
    if (open) {
      stability_steps(&a, 1, quick_step(&a), world->stable_step);
      world->stable_step_stale = false;
    }
    analysis_close(&a);
    if (!open)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to find the stable time step of %d particles",
                        (int)world->particles.count);
  }
  *step = world->stable_step[world->integrator];
  return MSD_OK;
}

int32_t stability_substeps(double stable_step, double frame) {
  if (!(stable_step > 0))
    return 0;
  const double needed = floor(frame / stable_step) + 1;
  return needed <= STABILITY_SUBSTEPS_MAX ? (int32_t)needed : 0;
}

/* ---------------------------------------------------------------------------------------------- the report */

/* Geometric means over the particles and springs that take part. */
typedef struct typical {
  double inverse_mass, springs, kappa;
} typical;

static typical find_typical(const analysis *a, double step) {
  double inverse_mass = 0, springs = 0, kappa = 0;
  int64_t particles = 0, weighing = 0;
  for (int32_t i = 0; i < a->world->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    inverse_mass += log(analysis_inverse_mass(a, i));
    springs += log((double)a->world->particles.valence[i]);
    particles++;
  }
  for (int32_t e = 0; e < a->count; e++) {
    const double weight = bound_at(a->terms[e], step);
    if (!(weight > 0))
      continue;
    kappa += log(weight);
    weighing++;
  }
  return (typical){exp(inverse_mass / (double)particles), exp(springs / (double)particles),
                   exp(kappa / (double)weighing)};
}

static void find_cause(const analysis *a, double step, msd_stability *report) {
  if (report->limiting_spring < 0)
    return;
  const spring_store *s = &a->world->springs;
  const int32_t ends[2] = {s->a[report->limiting_spring], s->b[report->limiting_spring]};
  const typical usual = find_typical(a, step);
  double lightest = 0, busiest = 0, weight = 0;
  for (int n = 0; n < 2; n++) {
    const double w = analysis_inverse_mass(a, ends[n]);
    if (w == 0)
      continue;
    lightest = fmax(lightest, w);
    busiest = fmax(busiest, (double)a->world->particles.valence[ends[n]]);
  }
  for (int32_t e = 0; e < a->count; e++)
    if (a->springs[e].spring == report->limiting_spring)
      weight = bound_at(a->terms[e], step);
  const double ratios[MSD_CAUSE_COUNT] = {
      [MSD_CAUSE_ALL_ALIKE] = ALIKE,
      [MSD_CAUSE_LIGHT_PARTICLE] = lightest / usual.inverse_mass,
      [MSD_CAUSE_STIFF_SPRING] = weight / usual.kappa,
      [MSD_CAUSE_MANY_SPRINGS] = busiest / usual.springs,
  };
  report->cause = MSD_CAUSE_ALL_ALIKE;
  for (int c = MSD_CAUSE_LIGHT_PARTICLE; c < MSD_CAUSE_COUNT; c++)
    if (ratios[c] > ratios[report->cause])
      report->cause = (msd_stability_cause)c;
  report->cause_ratio = report->cause == MSD_CAUSE_ALL_ALIKE ? 1 : ratios[report->cause];
}

/* The radius is the quotient x . B x / x . M x at its eigenvector, so it moves with kappa of a spring as
   (x_a + x_b)^2 kappa, and with the mass of a particle as x^2 m. */
static void find_limiting(const analysis *a, double step, msd_stability *report) {
  double most = 0;
  int32_t spring = -1;
  for (int32_t e = 0; e < a->count; e++) {
    const double sum = a->x[a->springs[e].a] + a->x[a->springs[e].b];
    const double part = bound_at(a->terms[e], step) * sum * sum;
    if (part > most * (1 + 1e-9)) {
      most = part;
      spring = e;
    }
  }
  if (spring < 0)
    return;
  report->limiting_spring = a->springs[spring].spring;
  most = 0;
  for (int32_t i = 0; i < a->world->particles.count; i++) {
    const double part = a->x[i] > 0 ? a->x[i] * a->x[i] / analysis_inverse_mass(a, i) : 0;
    if (part > most * (1 + 1e-9)) {
      most = part;
      report->limiting_particle = i;
    }
  }
  find_cause(a, step, report);
}

/* With stiffness times f^2 and damping times f a step dt weighs what f dt did. Masses and coefficients scale
   a part of each row of A. */
static void find_remedies(analysis *a, double step, double dt, msd_stability *report) {
  report->damping_factor = step / dt;
  report->stiffness_factor = report->damping_factor * report->damping_factor;
  report->coefficient_factor = INFINITY;
  sweep_rows(a);
  for (int32_t i = 0; i < a->world->particles.count; i++) {
    if (a->x[i] <= 0)
      continue;
    const double coefficient = a->rows[i].coefficient / a->x[i];
    const double physical = (bound_at(a->rows[i], dt) - a->rows[i].coefficient) / a->x[i];
    const double mass_room = STABILITY_RADIUS - coefficient, room = STABILITY_RADIUS - physical;
    report->mass_factor = fmax(report->mass_factor, mass_room > 0 ? physical / mass_room : INFINITY);
    if (coefficient > 0)
      report->coefficient_factor = fmin(report->coefficient_factor, room > 0 ? room / coefficient : 0);
  }
}

static void find_stiffest(const analysis *a, msd_stability *report) {
  double least = INFINITY, most = 0;
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const double ck = a->shares[e] * (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
    least = fmin(least, ck);
    most = fmax(most, ck);
  }
  report->stiffest_min = a->count > 0 ? least : 0;
  report->stiffest_max = most;
}

static void report_capped(const analysis *a, double dt, msd_stability *report) {
  report->capped_stiffness = 1;
  for (int32_t e = 0; e < a->count; e++) {
    const spring_terms terms = spring_split(&a->world->springs, &a->world->particles, a->springs[e].spring);
    const spring_tuning as_defined = spring_tune(&terms, dt, MSD_LIMIT_NONE);
    const spring_tuning limited = spring_tune(&terms, dt, MSD_LIMIT_COEFFICIENTS);
    report->capped_springs += limited.capped;
    if (as_defined.stiffness > 0)
      report->capped_stiffness = fmin(report->capped_stiffness, limited.stiffness / as_defined.stiffness);
  }
}

/* Softens the springs of the analysis as the limit does at dt. */
static void soften(analysis *a, double dt) {
  for (int32_t e = 0; e < a->count; e++) {
    const spring_terms terms = spring_split(&a->world->springs, &a->world->particles, a->springs[e].spring);
    const spring_tuning t = spring_tune(&terms, dt, MSD_LIMIT_COEFFICIENTS);
    a->terms[e] = (bound){t.stiffness, t.damping, 0};
  }
}

static bool fill_report(analysis *a, double dt, msd_stability *report) {
  const bool limited = a->world->limit == MSD_LIMIT_COEFFICIENTS;
  report->stable_time_step_quick = quick_step(a);
  const certificate c = stability_steps(a, dt, report->stable_time_step_quick, report->integrator_time_step);
  const double steering = steering_step(c.step, dt);
  report->stable_time_step = c.step;
  report->iterations = c.sweeps;
  report->tightness = isfinite(c.upper) && c.upper > 0 ? fmin(1, c.step / c.upper) : 1;
  /* The x of the limit is there now, but for springs that are alike at every step: then the radius finds it. */
  const bool every_step = steering != c.step;
  if (!every_step)
    find_limiting(a, steering, report);
  report->radius = certify_radius(a, &c, dt);
  if (every_step)
    find_limiting(a, dt, report);
  find_remedies(a, c.step, dt, report);
  report->coefficient_limit = certify_coefficient(a);
  find_stiffest(a, report);
  report_capped(a, dt, report);
  report->substeps = limited ? 1 : stability_substeps(report->integrator_time_step[a->world->integrator], dt);
  hang stretch;
  /* The shape's own limit is never below the certified one: nothing is left to find above "any step". */
  report->this_shape_time_step = INFINITY;
  if ((isfinite(c.step) && !shape_stable_step(a, steering, &report->this_shape_time_step)) ||
      !hang_estimate(a, dt, a->world->limit, 1, &stretch))
    return false;
  /* A rounded estimate may be below. */
  report->this_shape_time_step = fmax(report->this_shape_time_step, report->stable_time_step);
  report->static_stretch = stretch.present;
  report->static_stretch_stiffest = stretch.stiffest;
  if (limited) {
    soften(a, dt);
    report->radius = certify_radius(a, &(certificate){.step = 0}, dt);
  }
  return true;
}

msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out) {
  if (!world || !out)
    return MSD_BAD_VALUE;
  if (!(isfinite(time_step) && time_step > 0))
    return MSD_BAD_TIME_STEP;
  memory scratch = {.allocator = world->memory.allocator, .limit = world->memory.limit};
  msd_stability report = {.time_step = (double)time_step, .limiting_spring = -1, .limiting_particle = -1};
  analysis a;
  const bool done = analysis_open(&a, world, &scratch) && fill_report(&a, (double)time_step, &report);
  analysis_close(&a);
  if (!done)
    return MSD_OUT_OF_MEMORY;
  *out = report;
  return MSD_OK;
}
