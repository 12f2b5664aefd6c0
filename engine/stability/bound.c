#include "engine/stability/bound.h"

#include "engine/stability/constraint_bound.h"
#include "engine/step/anchor_step.h"

#include <math.h>
#include <string.h>

/* Sweeps end early when the bound is within TIGHT of the true radius, or has gained less than that in
   PATIENCE sweeps: a plateau that long belongs to a uniform part 2 PATIENCE springs wide, where at most
   (pi / 4 PATIENCE)^2 could still be gained. */
enum { SWEEPS_BETWEEN_ROWS = 7, PATIENCE = 16 };
static const double TIGHT = 1e-4;

double step_load_at(step_load load, double dt) {
  return dt * dt * load.stiffness + 2 * dt * load.damping + load.coefficient;
}

double step_load_root(step_load load, double radius) {
  const double room = radius - load.coefficient;
  if (room <= 0)
    return 0;
  const double slope = load.damping + sqrt(load.damping * load.damping + room * load.stiffness);
  return slope > 0 ? room / slope : INFINITY;
}

static step_load multiplied(step_load b, step_load by) {
  return (step_load){b.stiffness * by.stiffness, b.damping * by.damping, b.coefficient * by.coefficient};
}

static bool is_zero(step_load b) {
  return b.stiffness == 0 && b.damping == 0 && b.coefficient == 0;
}

static size_t particle_count(const analysis *a) {
  return (size_t)a->model->particles.count;
}

/* ----------------------------------------------------------------------------------------------- sweeps */

/* x = w where a spring or an own term moves the particle, else 0. */
static void first_vector(analysis *a) {
  memset(a->x, 0, particle_count(a) * sizeof *a->x);
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    a->x[s.a] = analysis_inverse_mass(a, s.a);
    a->x[s.b] = analysis_inverse_mass(a, s.b);
  }
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    if (!is_zero(a->own[i]) || a->sharers[i] > 0)
      a->x[i] = analysis_inverse_mass(a, (int32_t)i);
}

void sweep_rows(analysis *a) {
  memset(a->rows, 0, particle_count(a) * sizeof *a->rows);
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const double sum = a->x[s.a] + a->x[s.b];
    step_load_add(&a->rows[s.a], a->terms[e], sum);
    step_load_add(&a->rows[s.b], a->terms[e], sum);
  }
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    step_load_add(&a->rows[i], a->own[i], a->x[i]);
  for (size_t i = 0; i < particle_count(a); i++)
    a->rows[i] = step_load_scaled(a->rows[i], analysis_inverse_mass(a, (int32_t)i));
}

/* Both ends of what the radius can be. */
typedef struct radius_range {
  double lower, upper;
} radius_range;

/* y = A x with the present kappa: the largest y/x, and the Rayleigh quotient. */
static radius_range sweep(analysis *a) {
  memset(a->y, 0, particle_count(a) * sizeof *a->y);
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const double part = a->kappa[e] * (a->x[s.a] + a->x[s.b]);
    a->y[s.a] += part;
    a->y[s.b] += part;
  }
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    a->y[i] += a->own_kappa[i] * a->x[i];
  radius_range range = {0, 0};
  double product = 0, norm = 0;
  for (size_t i = 0; i < particle_count(a); i++) {
    const double x = a->x[i], w = analysis_inverse_mass(a, (int32_t)i);
    if (x <= 0)
      continue;
    product += x * a->y[i];
    norm += x * x / w;
    a->y[i] *= w;
    const double ratio = a->y[i] / x;
    if (ratio > range.upper)
      range.upper = ratio;
  }
  if (norm > 0)
    range.lower = product / norm;
  return range;
}

/* x <- y, scaled so that the largest is 1. A part of the network that counts little is held above zero: any
   positive x gives a proof. */
static void take_swept(analysis *a) {
  static const double LEAST = 1e-200;
  double most = 0;
  for (size_t i = 0; i < particle_count(a); i++)
    if (a->x[i] > 0)
      most = a->y[i] > most ? a->y[i] : most;
  if (!(most > 0))
    return;
  for (size_t i = 0; i < particle_count(a); i++)
    if (a->x[i] > 0)
      a->x[i] = a->y[i] > LEAST * most ? a->y[i] / most : LEAST;
}

static void set_kappa(analysis *a, double dt) {
  for (int32_t e = 0; e < a->count; e++)
    a->kappa[e] = step_load_at(a->terms[e], dt);
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    a->own_kappa[i] = step_load_at(a->own[i], dt);
}

/* The radius with the present kappa, from the present x on. */
static radius_range sweep_radius(analysis *a, int sweeps) {
  radius_range best = sweep(a);
  double plateau = best.upper;
  for (int n = 1; n < sweeps && best.lower < best.upper * (1 - TIGHT); n++) {
    take_swept(a);
    const radius_range now = sweep(a);
    best = (radius_range){fmax(best.lower, now.lower), fmin(best.upper, now.upper)};
    if (n % PATIENCE != 0)
      continue;
    if (best.upper > plateau * (1 - TIGHT))
      break;
    plateau = best.upper;
  }
  return best;
}

/* ----------------------------------------------------------------------------------------- certificates */

/* The step that the rows of the present x certify. */
static double step_of_rows(const analysis *a) {
  double least = INFINITY;
  for (size_t i = 0; i < particle_count(a); i++)
    if (a->x[i] > 0)
      least = fmin(least, step_load_root(step_load_scaled(a->rows[i], 1 / a->x[i]), STABILITY_RADIUS));
  return least;
}

/* x . M A x / x . M x: the radius is at least this. */
static step_load rayleigh_of_rows(const analysis *a) {
  step_load sum = {0, 0, 0};
  double norm = 0;
  for (size_t i = 0; i < particle_count(a); i++) {
    if (a->x[i] <= 0)
      continue;
    const double weight = a->x[i] / analysis_inverse_mass(a, (int32_t)i);
    step_load_add(&sum, a->rows[i], weight);
    norm += a->x[i] * weight;
  }
  return norm > 0 ? step_load_scaled(sum, 1 / norm) : sum;
}

certificate certify_step(analysis *a, double asked) {
  certificate c = {.step = 0, .upper = INFINITY};
  double plateau = -1; /* even a step of 0 is worth a second look */
  first_vector(a);
  for (;;) {
    sweep_rows(a);
    c.sweeps++;
    c.step = fmax(c.step, step_of_rows(a));
    c.upper = fmin(c.upper, step_load_root(rayleigh_of_rows(a), STABILITY_RADIUS));
    if (c.step >= c.upper * (1 - TIGHT) || c.sweeps + SWEEPS_BETWEEN_ROWS >= a->sweeps_max)
      break;
    if (c.sweeps % (2 * SWEEPS_BETWEEN_ROWS + 2) == 1) {
      if (c.step <= plateau * (1 + TIGHT))
        break;
      plateau = c.step;
    }
    set_kappa(a, steering_step(c.step, asked));
    for (int n = 0; n < SWEEPS_BETWEEN_ROWS; n++) {
      sweep(a);
      take_swept(a);
    }
    c.sweeps += SWEEPS_BETWEEN_ROWS;
  }
  return c;
}

static step_load physical_part(step_load b) {
  return (step_load){b.stiffness, b.damping, 0};
}

/* Sums of kappa times inverse mass at each particle, into rows. */
static void sum_rows(analysis *a, bool physical_only) {
  memset(a->rows, 0, particle_count(a) * sizeof *a->rows);
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    const step_load kappa = physical_only ? physical_part(a->terms[e]) : a->terms[e];
    step_load_add(&a->rows[s.a], kappa, analysis_inverse_mass(a, s.a));
    step_load_add(&a->rows[s.b], kappa, analysis_inverse_mass(a, s.b));
  }
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    step_load_add(&a->rows[i], physical_only ? physical_part(a->own[i]) : a->own[i],
                  analysis_inverse_mass(a, (int32_t)i));
}

static step_load sum_at_ends(const analysis *a, int32_t e) {
  step_load both = a->rows[a->springs[e].a];
  step_load_add(&both, a->rows[a->springs[e].b], 1);
  return both;
}

static double step_of_sums(analysis *a, bool physical_only, double radius) {
  sum_rows(a, physical_only);
  double least = INFINITY;
  for (int32_t e = 0; e < a->count; e++)
    if (!is_zero(a->terms[e]))
      least = fmin(least, step_load_root(sum_at_ends(a, e), radius));
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    if (!is_zero(a->own[i]))
      least = fmin(least, step_load_root(a->rows[i], radius));
  return least;
}

static double radius_of_sums(analysis *a, bool physical_only, double dt) {
  sum_rows(a, physical_only);
  double most = 0;
  for (int32_t e = 0; e < a->count; e++)
    if (!is_zero(a->terms[e]))
      most = fmax(most, step_load_at(sum_at_ends(a, e), dt));
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    if (!is_zero(a->own[i]))
      most = fmax(most, step_load_at(a->rows[i], dt));
  return most;
}

/* The part of what is at a particle that springs are. */
static double spring_part(const analysis *a, size_t i) {
  const double all = a->model->particles.valence[i];
  return all > 0 ? (all - a->sharers[i]) / all : 0;
}

/* Springs that use at most `share` of their shares use share (n - c)/n of the mass of a particle: what own
   terms add to that. */
static double with_own(const analysis *a, double share, double dt, bool coefficients_only) {
  double most = share;
  for (size_t i = 0; a->own && i < particle_count(a); i++) {
    if (is_zero(a->own[i]))
      continue;
    const double own = coefficients_only ? a->own[i].coefficient : step_load_at(a->own[i], dt);
    most = fmax(most, share * spring_part(a, i) + analysis_inverse_mass(a, (int32_t)i) * own);
  }
  return most;
}

/* The radius of the coefficient springs alone, by their shares. */
static double coefficient_share(const analysis *a) {
  double most = 0;
  for (int32_t e = 0; e < a->count; e++)
    most = fmax(most, a->terms[e].coefficient / a->shares[e]);
  return with_own(a, most, 0, true);
}

double quick_step(analysis *a) {
  const double step = step_of_sums(a, false, STABILITY_RADIUS);
  if (!a->has_coefficient && !a->has_room)
    return step;
  const double share = coefficient_share(a);
  if (share >= STABILITY_RADIUS)
    return step;
  return fmax(step, step_of_sums(a, true, STABILITY_RADIUS - share));
}

static double radius_of_shares(const analysis *a, double dt) {
  double most = 0;
  for (int32_t e = 0; e < a->count; e++)
    most = fmax(most, step_load_at(a->terms[e], dt) / a->shares[e]);
  return with_own(a, most, dt, false);
}

/* As many as certify_step gets to see x of. */
static int radius_sweeps(const analysis *a) {
  return a->sweeps_max == STABILITY_SWEEPS_AGAIN ? STABILITY_SWEEPS_AGAIN - 1 : a->sweeps_max;
}

double certify_radius(analysis *a, const certificate *c, double dt) {
  const bool steps_alike =
      analysis_is_homogeneous(a) && !a->has_coefficient && !a->has_room; /* then x is good already */
  set_kappa(a, dt);
  double radius = sweep_radius(a, steps_alike ? 1 : radius_sweeps(a)).upper;
  radius = fmin(radius, radius_of_sums(a, false, dt));
  radius = fmin(radius, radius_of_shares(a, dt));
  if (a->has_coefficient || a->has_room)
    radius = fmin(radius, radius_of_sums(a, true, dt) + coefficient_share(a));
  /* A smaller step has a smaller radius. */
  return dt <= c->step ? fmin(radius, STABILITY_RADIUS) : radius;
}

double radius_at(analysis *a, double dt, double damping) {
  const step_load factors = {1, damping, damping};
  for (int32_t e = 0; e < a->count; e++)
    a->terms[e] = multiplied(a->terms[e], factors);
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    a->own[i] = multiplied(a->own[i], factors);
  first_vector(a);
  return certify_radius(a, &(certificate){.step = 0}, dt);
}

double certify_coefficient(analysis *a) {
  double share = 0; /* the radius at c = 1 by shares, where kappa is 3 m */
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    a->kappa[e] = 3 / (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
    share = fmax(share, a->kappa[e] / a->shares[e]);
  }
  first_vector(a);
  double most = share;
  for (size_t i = 0; a->own && i < particle_count(a); i++) {
    const double w = analysis_inverse_mass(a, (int32_t)i), own = w > 0 ? 3 * a->sharers[i] : 0;
    a->own_kappa[i] = w > 0 ? own / w : 0;
    if (own > 0)
      most = fmax(most, share * spring_part(a, i) + own);
  }
  const double radius = fmin(most, sweep_radius(a, radius_sweeps(a)).upper);
  return radius > 0 ? STABILITY_RADIUS / radius : INFINITY;
}

/* --------------------------------------------------------------------------------------------- analysis */

static void add_spring(analysis *a, int32_t spring) {
  const spring_store *s = &a->model->springs;
  const law_terms t = spring_split(s, &a->model->particles, spring);
  if (t.share == 0)
    return;
  const step_load kappa = {t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
  a->springs[a->count] = (analysis_spring){spring, s->a[spring], s->b[spring]};
  a->terms[a->count] = kappa;
  a->shares[a->count] = t.share;
  a->count++;
  a->has_stiffness = a->has_stiffness || kappa.stiffness > 0;
  a->has_damping = a->has_damping || kappa.damping > 0;
  a->has_coefficient = a->has_coefficient || kappa.coefficient > 0;
}

static bool make_own(analysis *a) {
  if (a->own)
    return true;
  a->own = memory_allocate(a->memory, particle_count(a) * sizeof *a->own);
  a->own_kappa = memory_allocate(a->memory, particle_count(a) * sizeof *a->own_kappa);
  a->sharers = memory_allocate(a->memory, particle_count(a) * sizeof *a->sharers);
  return a->own && a->own_kappa && a->sharers;
}

void analysis_add_own(analysis *a, int32_t particle, step_load term) {
  if (!(analysis_inverse_mass(a, particle) > 0))
    return;
  step_load_add(&a->own[particle], term, 1);
  a->has_stiffness = a->has_stiffness || term.stiffness > 0;
  a->has_damping = a->has_damping || term.damping > 0;
  a->has_coefficient = a->has_coefficient || term.coefficient > 0;
}

step_load analysis_anchor_term(const analysis *a, int32_t anchor, bool is_exact) {
  const anchor_weight weight = anchor_weigh(a->model, anchor, is_exact);
  const double mass = 1 / analysis_inverse_mass(a, a->model->anchors.entries[anchor].particle);
  return (step_load){mass * weight.stiffness, mass * weight.damping, mass * weight.coefficient};
}

static void add_anchors(analysis *a, bool is_exact, double limited_dt) {
  const anchor_store *s = &a->model->anchors;
  for (int32_t n = 0; n < s->count; n++) {
    if (!anchor_moves(s, &a->model->particles, n))
      continue;
    const int32_t particle = s->entries[n].particle;
    const step_load defined = analysis_anchor_term(a, n, is_exact);
    const double most = ANCHOR_SHARE / analysis_inverse_mass(a, particle);
    const step_load limited = {0, 0, fmin(step_load_at(defined, limited_dt), most)};
    analysis_add_own(a, particle, limited_dt > 0 ? limited : defined);
  }
}

bool analysis_set_own(analysis *a, bool is_exact, double limited_dt) {
  const world_model *model = a->model;
  if (model->constraints.count == model->constraints.broken && model->anchors.count == 0)
    return true;
  if (!make_own(a))
    return false;
  memset(a->own, 0, particle_count(a) * sizeof *a->own);
  memset(a->sharers, 0, particle_count(a) * sizeof *a->sharers);
  constraint_bound_fill(a, limited_dt);
  add_anchors(a, is_exact, limited_dt);
  return true;
}

bool analysis_open_springs(analysis *a, const world_model *model, memory *m) {
  const size_t particles = (size_t)model->particles.count, springs = (size_t)model->springs.count;
  *a = (analysis){.model = model,
                  .memory = m,
                  .sweeps_max =
                      constraint_bound_every_shape(model) ? STABILITY_SWEEPS : STABILITY_SWEEPS_AGAIN};
  a->springs = memory_allocate(m, springs * sizeof *a->springs);
  a->terms = memory_allocate(m, springs * sizeof *a->terms);
  a->kappa = memory_allocate(m, springs * sizeof *a->kappa);
  a->shares = memory_allocate(m, springs * sizeof *a->shares);
  a->x = memory_allocate(m, particles * sizeof *a->x);
  a->y = memory_allocate(m, particles * sizeof *a->y);
  a->rows = memory_allocate(m, particles * sizeof *a->rows);
  if (!a->springs || !a->terms || !a->kappa || !a->shares || !a->x || !a->y || !a->rows)
    return false;
  for (int32_t e = 0; e < model->springs.count; e++)
    add_spring(a, e);
  return true;
}

bool analysis_open(analysis *a, const world_model *model, memory *m) {
  return analysis_open_springs(a, model, m) && analysis_set_own(a, true, 0);
}

void analysis_close(analysis *a) {
  memory_release(a->memory, a->springs);
  memory_release(a->memory, a->terms);
  memory_release(a->memory, a->kappa);
  memory_release(a->memory, a->shares);
  memory_release(a->memory, a->x);
  memory_release(a->memory, a->y);
  memory_release(a->memory, a->rows);
  memory_release(a->memory, a->own);
  memory_release(a->memory, a->own_kappa);
  memory_release(a->memory, a->sharers);
}
