#include "engine/stability/rotor_bound.h"

#include "engine/stability/bound.h"
#include "engine/stability/energy_safe.h"

#include <math.h>
#include <string.h>

/* Symplectic Euler is stable for dt^2 k + 2 dt mu < 4, RK4 for dt^2 k + RK4_WEIGHT dt mu < 8; see steps.h. */
#define RK4_RADIUS 8.0
static const double SYMPLECTIC_WEIGHT = 2, RK4_WEIGHT = RK4_RADIUS / 2.785293563405282;

/* Sweeps end if the bound is within TIGHT of its limit, or after this much work. Small networks get many
   sweeps; rotors have such networks, and need them most. */
enum { SWEEPS_MIN = 64, SWEEPS_MAX = 4000, SPRINGS_SWEPT = 4000000 };
static const double TIGHT = 1e-4;

/* The arrays of one analysis. */
typedef struct rotor_analysis {
  const world_model *model;
  memory *memory;
  /* By torsion spring; all 0 if it moves nothing. */
  law_terms *terms;
  /* Positive if a spring moves the rotor, else 0. */
  double *x;
  /* A x as a function of dt. */
  step_load *rows;
} rotor_analysis;

/* The condition on kappa = dt^2 stiffness + weight dt damping: its radius plus `beside` stays below
   `radius`. */
typedef struct condition {
  double weight, radius;
  /* For quick_rotor_step. */
  step_load beside;
} condition;

/* The largest proven stable dt, and an upper limit of the exact one. */
typedef struct rotor_certificate {
  double step, upper;
} rotor_certificate;

static bool open_analysis(rotor_analysis *a, const world_model *model, memory *m) {
  const size_t rotors = (size_t)model->rotors.count, springs = (size_t)model->torsion_springs.count;
  *a = (rotor_analysis){.model = model, .memory = m};
  a->terms = memory_allocate(m, springs * sizeof *a->terms);
  a->x = memory_allocate(m, rotors * sizeof *a->x);
  a->rows = memory_allocate(m, rotors * sizeof *a->rows);
  if (!a->terms || !a->x || !a->rows)
    return false;
  for (int32_t e = 0; e < model->torsion_springs.count; e++)
    a->terms[e] = torsion_spring_split(&model->torsion_springs, &model->rotors, e);
  return true;
}

static void close_analysis(rotor_analysis *a) {
  memory_release(a->memory, a->terms);
  memory_release(a->memory, a->x);
  memory_release(a->memory, a->rows);
}

static int32_t spring_count(const rotor_analysis *a) {
  return a->model->torsion_springs.count;
}

static int32_t rotor_count(const rotor_analysis *a) {
  return a->model->rotors.count;
}

static double inverse_inertia(const rotor_analysis *a, int32_t rotor) {
  return torsion_spring_inverse(&a->model->rotors, rotor);
}

/* ----------------------------------------------------------------------------------------------- bounds */

/* kappa, scaled so that step_load_at, which counts damping twice, gives the kappa of the condition. */
static step_load kappa_of(const law_terms *t, double weight) {
  return (step_load){t->stiffness, t->damping * weight / 2, t->mass_ck + weight * t->mass_cd};
}

/* x = w where a spring moves the rotor. */
static void first_vector(rotor_analysis *a) {
  const torsion_spring_store *s = &a->model->torsion_springs;
  memset(a->x, 0, (size_t)rotor_count(a) * sizeof *a->x);
  for (int32_t e = 0; e < spring_count(a); e++) {
    if (a->terms[e].share == 0)
      continue;
    a->x[s->a[e]] = inverse_inertia(a, s->a[e]);
    if (s->b[e] >= 0)
      a->x[s->b[e]] = inverse_inertia(a, s->b[e]);
  }
}

/* A x into rows. */
static void sweep(rotor_analysis *a, double weight) {
  const torsion_spring_store *s = &a->model->torsion_springs;
  memset(a->rows, 0, (size_t)rotor_count(a) * sizeof *a->rows);
  for (int32_t e = 0; e < spring_count(a); e++) {
    if (a->terms[e].share == 0)
      continue;
    const int32_t end = s->a[e], other = s->b[e];
    const double sum = a->x[end] + (other >= 0 ? a->x[other] : 0);
    const step_load kappa = kappa_of(&a->terms[e], weight);
    step_load_add(&a->rows[end], kappa, sum);
    if (other >= 0)
      step_load_add(&a->rows[other], kappa, sum);
  }
  for (int32_t i = 0; i < rotor_count(a); i++)
    a->rows[i] = step_load_scaled(a->rows[i], inverse_inertia(a, i));
}

/* x <- A x at dt, scaled to a largest entry of 1, and kept above zero: any positive x gives a proof. */
static void take_swept(rotor_analysis *a, double dt) {
  static const double LEAST = 1e-200;
  double most = 0;
  for (int32_t i = 0; i < rotor_count(a); i++)
    if (a->x[i] > 0)
      most = fmax(most, step_load_at(a->rows[i], dt));
  for (int32_t i = 0; i < rotor_count(a) && most > 0; i++)
    if (a->x[i] > 0)
      a->x[i] = fmax(step_load_at(a->rows[i], dt) / most, LEAST);
}

/* The bounds of the current rows: the smallest root of (A x)_i/x_i, and the root of the quotient x . A x / x
   . x with the inner product of M, which is a lower bound of the radius. */
static rotor_certificate read_rows(const rotor_analysis *a, double radius) {
  rotor_certificate c = {INFINITY, INFINITY};
  step_load product = {0, 0, 0};
  double norm = 0;
  for (int32_t i = 0; i < rotor_count(a); i++) {
    const double x = a->x[i];
    if (x <= 0)
      continue;
    c.step = fmin(c.step, step_load_root(step_load_scaled(a->rows[i], 1 / x), radius));
    const double weight = x / inverse_inertia(a, i);
    step_load_add(&product, a->rows[i], weight);
    norm += x * weight;
  }
  if (norm > 0)
    c.upper = step_load_root(step_load_scaled(product, 1 / norm), radius);
  return c;
}

static int sweeps_of(const rotor_analysis *a) {
  const int sweeps = SPRINGS_SWEPT / (spring_count(a) + 1);
  return sweeps < SWEEPS_MIN ? SWEEPS_MIN : sweeps > SWEEPS_MAX ? SWEEPS_MAX : sweeps;
}

/* From sums over the springs alone: with S the sum of w kappa at a rotor, the radius is at most the largest
   S_a + S_b of a spring. For coefficient laws it is at most the largest kappa/share. */
static double quick_rotor_step(rotor_analysis *a, condition c) {
  const torsion_spring_store *s = &a->model->torsion_springs;
  double share = 0;
  for (int32_t e = 0; e < spring_count(a); e++)
    if (a->terms[e].share > 0)
      share = fmax(share, kappa_of(&a->terms[e], c.weight).coefficient / a->terms[e].share);
  memset(a->rows, 0, (size_t)rotor_count(a) * sizeof *a->rows);
  for (int32_t e = 0; e < spring_count(a); e++) {
    const step_load kappa = kappa_of(&a->terms[e], c.weight);
    step_load_add(&a->rows[s->a[e]], kappa, inverse_inertia(a, s->a[e]));
    if (s->b[e] >= 0)
      step_load_add(&a->rows[s->b[e]], kappa, inverse_inertia(a, s->b[e]));
  }
  double all = INFINITY, physical = share < c.radius ? INFINITY : 0;
  for (int32_t e = 0; e < spring_count(a); e++) {
    if (a->terms[e].share == 0)
      continue;
    step_load ends = c.beside;
    step_load_add(&ends, a->rows[s->a[e]], 1);
    if (s->b[e] >= 0)
      step_load_add(&ends, a->rows[s->b[e]], 1);
    all = fmin(all, step_load_root(ends, c.radius));
    ends.coefficient = c.beside.coefficient;
    if (share < c.radius)
      physical = fmin(physical, step_load_root(ends, c.radius - share));
  }
  return fmax(all, physical);
}

static rotor_certificate certify(rotor_analysis *a, condition c, double asked) {
  rotor_certificate best = {quick_rotor_step(a, c), INFINITY};
  first_vector(a);
  for (int n = sweeps_of(a); n > 0; n--) {
    sweep(a, c.weight);
    const rotor_certificate now = read_rows(a, c.radius);
    best = (rotor_certificate){fmax(best.step, now.step), fmin(best.upper, now.upper)};
    if (best.step >= best.upper * (1 - TIGHT))
      break;
    take_swept(a, steering_step(best.step, asked));
  }
  return best;
}

/* A proven radius bound for symplectic Euler at dt. */
static double certify_radius_at(rotor_analysis *a, double dt) {
  double share = 0, upper = INFINITY;
  for (int32_t e = 0; e < spring_count(a); e++)
    if (a->terms[e].share > 0)
      share = fmax(share, step_load_at(kappa_of(&a->terms[e], SYMPLECTIC_WEIGHT), dt) / a->terms[e].share);
  first_vector(a);
  for (int n = sweeps_of(a); n > 0; n--) {
    double largest = 0, product = 0, norm = 0;
    sweep(a, SYMPLECTIC_WEIGHT);
    for (int32_t i = 0; i < rotor_count(a); i++) {
      if (a->x[i] <= 0)
        continue;
      const double swept = step_load_at(a->rows[i], dt), weight = a->x[i] / inverse_inertia(a, i);
      largest = fmax(largest, swept / a->x[i]);
      product += weight * swept;
      norm += weight * a->x[i];
    }
    upper = fmin(upper, largest);
    if (!(norm > 0) || product >= norm * upper * (1 - TIGHT))
      break;
    take_swept(a, dt);
  }
  return fmin(upper, share);
}

/* ------------------------------------------------------------------------------------------ integrators */

/* As impulse_step of steps.c. A spring that shares no rotor with another gets the impulse of its force, so a
   network of such springs has the limit of symplectic Euler. */
static double impulse_step(const rotor_analysis *a, double symplectic) {
  const torsion_spring_store *s = &a->model->torsion_springs;
  const double cd_max = (a->model->impulse_iterations > 1 ? 1 : 2) * STABILITY_MARGIN;
  bool is_stiff = false, is_damped = false, are_alone = true;
  double step = INFINITY;
  for (int32_t e = 0; e < spring_count(a); e++) {
    const law_terms t = a->terms[e];
    if (t.share == 0)
      continue;
    const double reduced = 1 / (inverse_inertia(a, s->a[e]) + inverse_inertia(a, s->b[e]));
    are_alone = are_alone && t.share == reduced;
    is_stiff = is_stiff || t.stiffness > 0 || t.mass_ck > 0;
    is_damped = is_damped || t.damping > 0 || t.mass_cd > 0;
    if (t.mass_cd > cd_max * reduced)
      step = 0;
    else if (t.damping > 0)
      step = fmin(step, cd_max * reduced / t.damping);
  }
  if (are_alone || !is_damped)
    return symplectic;
  return is_stiff || a->model->impulse_warm_start ? 0 : step;
}

static bool is_stiff(const rotor_analysis *a) {
  for (int32_t e = 0; e < spring_count(a); e++)
    if (a->terms[e].stiffness > 0 || a->terms[e].mass_ck > 0)
      return true;
  return false;
}

static rotor_certificate find_steps(rotor_analysis *a, double asked, double steps[MSD_INTEGRATOR_COUNT]) {
  const rotor_certificate rk4 =
      certify(a, (condition){.weight = RK4_WEIGHT, .radius = RK4_RADIUS * STABILITY_MARGIN}, asked);
  const rotor_certificate c =
      certify(a, (condition){.weight = SYMPLECTIC_WEIGHT, .radius = STABILITY_RADIUS}, asked);
  steps[MSD_SYMPLECTIC_EULER] = steps[MSD_VELOCITY_VERLET] = c.step;
  steps[MSD_EXPLICIT_EULER] = is_stiff(a) ? 0 : c.step;
  steps[MSD_RK4] = fmax(rk4.step, c.step); /* k + 2.8722 d <= 1.44 (k + 2 d) < 8 */
  steps[MSD_SEQUENTIAL_IMPULSE] = impulse_step(a, c.step);
  return c;
}

/* As find_remedies of error.c, with the x of the certificate: all inertias scale the stiffness and damping
   terms of a row, all coefficients the other term. */
static void add_remedies(rotor_analysis *a, double dt, msd_stability_remedy *out) {
  sweep(a, SYMPLECTIC_WEIGHT);
  for (int32_t i = 0; i < rotor_count(a); i++) {
    if (a->x[i] <= 0)
      continue;
    const double coefficient = a->rows[i].coefficient / a->x[i];
    const double physical = (step_load_at(a->rows[i], dt) - a->rows[i].coefficient) / a->x[i];
    const double mass_room = STABILITY_RADIUS - coefficient, room = STABILITY_RADIUS - physical;
    out->mass_factor = fmax(out->mass_factor, mass_room > 0 ? physical / mass_room : INFINITY);
    if (coefficient > 0)
      out->coefficient_factor = fmin(out->coefficient_factor, room > 0 ? room / coefficient : 0);
  }
}

/* Replaces the springs by those after stiffness clamping at dt. */
static void soften(rotor_analysis *a, double dt) {
  for (int32_t e = 0; e < spring_count(a); e++) {
    const law_tuning limited = law_tune(&a->terms[e], dt, true);
    a->terms[e] =
        (law_terms){.stiffness = limited.stiffness, .damping = limited.damping, .share = a->terms[e].share};
  }
}

static double find_radius(rotor_analysis *a, const rotor_certificate *c, double dt) {
  if (a->model->clamp_stiffness)
    soften(a, dt);
  const double radius = certify_radius_at(a, dt);
  return !a->model->clamp_stiffness && dt <= c->step ? fmin(radius, STABILITY_RADIUS) : radius;
}

/* As energy_safe_step; the analysis is invalid afterwards. */
static double find_energy_step(rotor_analysis *a) {
  energy_ratio ratio = {0, 0};
  for (int32_t e = 0; e < spring_count(a); e++) {
    const law_terms t = torsion_spring_split(&a->model->torsion_springs, &a->model->rotors, e);
    energy_ratio_add(&ratio, &t);
    a->terms[e] = (law_terms){.damping = t.damping, .mass_cd = t.mass_cd, .share = t.share};
  }
  if (!energy_ratio_is_bounded(&ratio))
    return 0;
  const condition growing = {1, ENERGY_RADIUS, {0, ratio.physical / 2, 0}};
  const condition fixed = {1, ENERGY_RADIUS, {0, 0, ratio.coefficient}};
  return fmin(quick_rotor_step(a, growing), quick_rotor_step(a, fixed));
}

static void lower_limits(rotor_analysis *a, msd_stability *limit, msd_stability_explanation *why) {
  const double dt = limit->substep;
  double steps[MSD_INTEGRATOR_COUNT];
  const double quick =
      quick_rotor_step(a, (condition){.weight = SYMPLECTIC_WEIGHT, .radius = STABILITY_RADIUS});
  const rotor_certificate c = find_steps(a, dt, steps);
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    limit->integrator_stable_substep[n] = fmin(limit->integrator_stable_substep[n], steps[n]);
  limit->rotor_stable_substep = c.step;
  limit->stable_substep_quick = fmin(limit->stable_substep_quick, quick);
  if (c.step < limit->stable_substep) {
    limit->stable_substep = c.step;
    limit->tightness = isfinite(c.upper) && c.upper > 0 ? fmin(1, c.step / c.upper) : 1;
  }
  if (why) {
    why->remedy.damping_factor = fmin(why->remedy.damping_factor, c.step / dt);
    why->remedy.stiffness_factor = why->remedy.damping_factor * why->remedy.damping_factor;
    add_remedies(a, dt, &why->remedy);
  }
  limit->radius = fmax(limit->radius, find_radius(a, &c, dt));
  limit->energy_safe_substep = fmin(limit->energy_safe_substep, find_energy_step(a));
}

/* ------------------------------------------------------------------------------------------ whole worlds */

bool rotor_stable_steps(const world_model *model, memory *m, double steps[MSD_INTEGRATOR_COUNT]) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    steps[n] = INFINITY;
  if (model->torsion_springs.count == 0)
    return true;
  rotor_analysis a;
  const bool open = open_analysis(&a, model, m);
  if (open)
    find_steps(&a, 1, steps);
  close_analysis(&a);
  return open;
}

bool rotor_lower_limits(const world_model *model, memory *m, msd_stability *limit,
                        msd_stability_explanation *why) {
  limit->rotor_stable_substep = INFINITY;
  if (model->torsion_springs.count == 0)
    return true;
  rotor_analysis a;
  const bool open = open_analysis(&a, model, m);
  if (open)
    lower_limits(&a, limit, why);
  close_analysis(&a);
  return open;
}
