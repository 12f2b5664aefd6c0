#include "engine/stability/bound.h"
#include <string.h>

/* Sweeps end when the bound is within `tight` of the true radius, or has improved by less than that in
   PATIENCE sweeps. Such a plateau belongs to a uniform region 2 PATIENCE springs wide, where at most (pi / 4
   PATIENCE)^2 is left to gain. */
enum { SWEEPS_BETWEEN_ROWS = 7, PATIENCE = 16 };

static step_load multiplied(step_load b, step_load by) {
  return (step_load){b.stiffness * by.stiffness, b.damping * by.damping, b.coefficient * by.coefficient};
}

static step_load physical_part(step_load b) {
  return (step_load){b.stiffness, b.damping, 0};
}

static bool is_zero(step_load b) {
  return b.stiffness == 0 && b.damping == 0 && b.coefficient == 0;
}

static size_t particle_count(const analysis *a) {
  return (size_t)a->model->particles.count;
}

/* The maximum of a value over all springs. */
typedef double spring_value(const analysis *a, int32_t e, const void *question);

typedef struct spring_question {
  spring_value *value;
  const void *question;
} spring_question;

static void find_extremes(analysis *a, const void *question, analysis_range range) {
  const spring_question *q = question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    double *most = &a->parts[e / ANALYSIS_SPRINGS].extreme;
    const double value = analysis_counts(a, e) ? q->value(a, e, q->question) : -INFINITY;
    if (e % ANALYSIS_SPRINGS == 0 || value > *most)
      *most = value;
  }
}

/* Returns `least` if there are no springs, or none has a larger value. */
static double most_of_springs(analysis *a, double least, spring_value *value, const void *question) {
  analysis_run(a, find_extremes, &(spring_question){value, question});
  const int32_t blocks = a->count / ANALYSIS_SPRINGS + (a->count % ANALYSIS_SPRINGS > 0);
  for (int32_t block = 0; block < blocks; block++)
    least = fmax(least, a->parts[block].extreme);
  analysis_find_largest(a, &least, 1);
  return least;
}

/* ----------------------------------------------------------------------------------------------- sweeps */

/* x = w where a spring or a diagonal term moves the particle, else 0. */
static void first_vector(analysis *a) {
  const int32_t *valence = a->model->particles.valence;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const bool is_moved = valence[i] > 0 || (a->own && !is_zero(a->own[i]));
    a->x[i] = is_moved ? analysis_inverse_mass(a, i) : 0;
  }
  a->fresh = a->whole ? a->whole->depth : 0;
}

/* The same with 1 instead of w. */
static void even_vector(analysis *a) {
  first_vector(a);
  for (size_t i = 0; i < particle_count(a); i++)
    a->x[i] = a->x[i] > 0 ? 1 : 0;
}

/* Sums the rows of a range in the order of the springs, weighted by x or by w. */
static inline void add_to_rows(analysis *a, parallel_range particles, bool physical_only, bool by_mass) {
  memset(a->rows + particles.first, 0, (size_t)(particles.last - particles.first) * sizeof *a->rows);
  for (analysis_visit v = {0}; analysis_visit_next(a, particles, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      const analysis_spring s = analysis_spring_at(a, e);
      const step_load kappa = physical_only ? physical_part(analysis_load_of(a, e)) : analysis_load_of(a, e);
      const double sum = by_mass ? 0 : a->x[s.a] + a->x[s.b];
      if (v.is_inside || analysis_has(particles, s.a))
        step_load_add(&a->rows[s.a], kappa, by_mass ? analysis_inverse_mass(a, s.a) : sum);
      if (v.is_inside || analysis_has(particles, s.b))
        step_load_add(&a->rows[s.b], kappa, by_mass ? analysis_inverse_mass(a, s.b) : sum);
    }
  for (int32_t i = particles.first; a->own && i < particles.last; i++)
    step_load_add(&a->rows[i], physical_only ? physical_part(a->own[i]) : a->own[i],
                  by_mass ? analysis_inverse_mass(a, i) : a->x[i]);
}

/* Adds the bounds of one row of A x: minus its stable dt as the extreme, and x . M A x with x . M x. */
static void add_row(const analysis *a, int32_t i, analysis_part *part) {
  const double w = analysis_inverse_mass(a, i), x = a->x[i];
  if (x <= 0)
    return;
  part->extreme = fmax(part->extreme, -step_load_root(step_load_scaled(a->rows[i], 1 / x), STABILITY_RADIUS));
  step_load_add(&part->load, a->rows[i], x / w);
  part->norm += x * (x / w);
}

/* Computes rows of A x and their bounds. */
static void read_rows(analysis *a, const void *question, analysis_range range) {
  (void)question;
  const parallel_range particles = range.particles;
  add_to_rows(a, particles, false, false);
  for (int32_t i = particles.first; i < particles.last; i++)
    a->rows[i] = step_load_scaled(a->rows[i], analysis_inverse_mass(a, i));
  for (int32_t first = particles.first, end; first < particles.last; first = end) {
    end = analysis_block_end(a, first, particles);
    analysis_part part = {.extreme = -INFINITY};
    const parallel_range counted = analysis_counted(a, (parallel_range){first, end});
    for (int32_t i = counted.first; i < counted.last; i++)
      add_row(a, i, &part);
    *analysis_part_of(a, first) = part;
  }
}

void sweep_rows(analysis *a) {
  analysis_run(a, read_rows, NULL);
}

/* Lower and upper bound of the radius, and the largest y. */
typedef struct radius_range {
  double lower, upper, most;
} radius_range;

static void sweep_range(analysis *a, const void *question, analysis_range range) {
  (void)question;
  const parallel_range particles = range.particles;
  memset(a->y + particles.first, 0, (size_t)(particles.last - particles.first) * sizeof *a->y);
  for (analysis_visit v = {0}; analysis_visit_next(a, particles, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      const analysis_spring s = analysis_spring_at(a, e);
      const double part = analysis_kappa_of(a, e) * (a->x[s.a] + a->x[s.b]);
      if (v.is_inside || analysis_has(particles, s.a))
        a->y[s.a] += part;
      if (v.is_inside || analysis_has(particles, s.b))
        a->y[s.b] += part;
    }
  for (int32_t i = particles.first; a->own && i < particles.last; i++)
    a->y[i] += a->own_kappa[i] * a->x[i];
  for (int32_t first = particles.first, end; first < particles.last; first = end) {
    end = analysis_block_end(a, first, particles);
    analysis_part part = {.extreme = 0};
    for (int32_t i = first; i < end; i++) {
      const double x = a->x[i], w = analysis_inverse_mass(a, i);
      if (x <= 0)
        continue;
      part.sum += x * a->y[i];
      part.norm += x * x / w;
      a->y[i] *= w;
      if (!analysis_has(a->counted, i))
        continue;
      part.extreme = fmax(part.extreme, a->y[i] / x);
      part.largest = fmax(part.largest, a->y[i]);
    }
    *analysis_part_of(a, first) = part;
  }
}

/* y = A x with the current kappa: the largest y/x, and the Rayleigh quotient. */
static radius_range sweep(analysis *a) {
  analysis_run(a, sweep_range, NULL);
  const analysis_part all = analysis_sum(a);
  return (radius_range){all.norm > 0 ? all.sum / all.norm : 0, fmax(all.extreme, 0), all.largest};
}

/* Entries of x that would vanish are kept above zero: any positive x gives a proof. */
static void take_range(analysis *a, const void *question, analysis_range range) {
  static const double LEAST = 1e-200;
  const double most = *(const double *)question;
  for (int32_t i = range.particles.first; i < range.particles.last; i++)
    if (a->x[i] > 0)
      a->x[i] = a->y[i] > LEAST * most ? a->y[i] / most : LEAST;
}

/* x <- y, scaled so that the largest entry, `most`, becomes 1. */
static void take_swept(analysis *a, double most) {
  if (most > 0)
    analysis_run(a, take_range, &most);
}

/* x <- A x over the global domain, scaled to a largest entry of 1. */
static void advance(analysis *a) {
  analysis_freshen(a);
  analysis_run(a, sweep_range, NULL);
  double most = analysis_sum(a).largest;
  analysis_find_largest(a, &most, 1);
  take_swept(a, most);
  a->fresh--;
}

static void set_range(analysis *a, const void *question, analysis_range range) {
  const double dt = *(const double *)question;
  for (int32_t e = range.springs.first; !a->law && e < range.springs.last; e++)
    a->kappa[e] = step_load_at(a->terms[e], dt);
  for (int32_t i = range.particles.first; a->own && i < range.particles.last; i++)
    a->own_kappa[i] = step_load_at(a->own[i], dt);
}

static void set_kappa(analysis *a, double dt) {
  for (int32_t n = 0; a->law && n < a->term_count; n++)
    a->kappa[n] = step_load_at(a->terms[n], dt);
  analysis_run(a, set_range, &dt);
}

/* The radius with the current kappa, from the current x on. */
static radius_range sweep_radius(analysis *a, int sweeps) {
  radius_range best = sweep(a);
  double plateau = best.upper;
  for (int n = 1; n < sweeps && best.lower < best.upper * (1 - a->tight); n++) {
    take_swept(a, best.most);
    const radius_range now = sweep(a);
    best = (radius_range){fmax(best.lower, now.lower), fmin(best.upper, now.upper), now.most};
    if (n % PATIENCE != 0)
      continue;
    if (best.upper > plateau * (1 - a->tight))
      break;
    plateau = best.upper;
  }
  return best;
}

/* ----------------------------------------------------------------------------------------- certificates */

/* The proven stable dt for the current x, and the dt at which the Rayleigh quotient of x is too large. */
static certificate certify_rows(analysis *a) {
  analysis_freshen(a);
  sweep_rows(a);
  const analysis_part all = analysis_sum_whole(a, add_row);
  const step_load quotient = all.norm > 0 ? step_load_scaled(all.load, 1 / all.norm) : (step_load){0, 0, 0};
  return (certificate){-all.extreme, step_load_root(quotient, STABILITY_RADIUS), 1};
}

/* Uses rows that no split changes (step/fracture.h). */
static certificate certify_even(analysis *a, double known) {
  even_vector(a);
  const certificate rows = certify_rows(a);
  return (certificate){fmax(known, rows.step), rows.upper, rows.sweeps};
}

certificate certify_step(analysis *a, double asked, double known) {
  if (a->keeps_rows)
    return certify_even(a, known);
  certificate c = {.step = known, .upper = INFINITY};
  double plateau = -1; /* negative, so that a step of 0 is not taken as a plateau */
  first_vector(a);
  for (;;) {
    const certificate rows = certify_rows(a);
    c = (certificate){fmax(c.step, rows.step), fmin(c.upper, rows.upper), c.sweeps + 1};
    if (c.step >= c.upper * (1 - a->tight) || c.sweeps + SWEEPS_BETWEEN_ROWS >= a->sweeps_max)
      break;
    if (c.sweeps % (2 * SWEEPS_BETWEEN_ROWS + 2) == 1) {
      if (c.step <= plateau * (1 + a->tight))
        break;
      plateau = c.step;
    }
    set_kappa(a, steering_step(c.step, asked));
    for (int n = 0; n < SWEEPS_BETWEEN_ROWS; n++)
      advance(a);
    c.sweeps += SWEEPS_BETWEEN_ROWS;
  }
  return c;
}

static void sum_all(analysis *a, const void *question, analysis_range range) {
  (void)question;
  add_to_rows(a, range.particles, false, true);
}

static void sum_physical(analysis *a, const void *question, analysis_range range) {
  (void)question;
  add_to_rows(a, range.particles, true, true);
}

/* Sums of kappa times inverse mass at each particle, into rows. For a subdomain they are valid at both ends
   of the springs that count. */
static void sum_rows(analysis *a, bool physical_only) {
  analysis_run(a, physical_only ? sum_physical : sum_all, NULL);
  analysis_exchange(a, a->rows, sizeof *a->rows);
}

static void sum_physical_by_x(analysis *a, const void *question, analysis_range range) {
  (void)question;
  add_to_rows(a, range.particles, true, false);
}

void even_rows(analysis *a) {
  even_vector(a);
  analysis_run(a, sum_physical_by_x, NULL);
}

static step_load sum_of(step_load one, step_load other) {
  step_load_add(&one, other, 1);
  return one;
}

typedef struct sums_question {
  /* True if rows exclude the coefficient laws. */
  bool physical_only;
  step_load beside;
  /* The radius limit, or the dt at which to evaluate. */
  double number;
} sums_question;

static double below(double a, double b) {
  return fmin(fmin(a, b), 0);
}

/* w times the diagonal term. */
static step_load own_at(const analysis *a, int32_t particle, bool physical_only) {
  const step_load own = physical_only ? physical_part(a->own[particle]) : a->own[particle];
  return step_load_scaled(own, analysis_inverse_mass(a, particle));
}

/* The radius bound by the sums at the two ends of a spring. */
static step_load load_of_ends(const analysis *a, int32_t e, const sums_question *q) {
  const int32_t at_a = analysis_spring_at(a, e).a, at_b = analysis_spring_at(a, e).b;
  step_load both = sum_of(sum_of(a->rows[at_a], a->rows[at_b]), q->beside);
  if (!a->own || a->count == a->model_springs)
    return both;
  const step_load own_a = own_at(a, at_a, q->physical_only), own_b = own_at(a, at_b, q->physical_only);
  const step_load less = {below(own_a.stiffness, own_b.stiffness), below(own_a.damping, own_b.damping),
                          below(own_a.coefficient, own_b.coefficient)};
  step_load_add(&both, less, -1);
  return both;
}

/* Negated, because the minimum is needed. Springs without load have no limit. */
static double root_at_ends(const analysis *a, int32_t e, const void *question) {
  const sums_question *q = question;
  return is_zero(analysis_load_of(a, e)) ? -INFINITY : -step_load_root(load_of_ends(a, e, q), q->number);
}

double sums_step(analysis *a, bool physical_only, step_load beside, double radius) {
  sum_rows(a, physical_only);
  double least =
      -most_of_springs(a, -INFINITY, root_at_ends, &(sums_question){physical_only, beside, radius});
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    if (!is_zero(a->own[i]))
      least = fmin(least, step_load_root(sum_of(a->rows[i], beside), radius));
  return least;
}

static double load_at_ends(const analysis *a, int32_t e, const void *question) {
  const sums_question *q = question;
  return is_zero(analysis_load_of(a, e)) ? 0 : step_load_at(load_of_ends(a, e, q), q->number);
}

static double radius_of_sums(analysis *a, bool physical_only, double dt) {
  sum_rows(a, physical_only);
  double most = most_of_springs(a, 0, load_at_ends, &(sums_question){physical_only, {0, 0, 0}, dt});
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    if (!is_zero(a->own[i]))
      most = fmax(most, step_load_at(a->rows[i], dt));
  return most;
}

/* The fraction of the items at a particle that are springs. */
static double spring_part(const analysis *a, size_t i) {
  const double all = a->model->particles.valence[i];
  return all > 0 ? (all - a->sharers[i]) / all : 0;
}

/* If springs use at most `share` of their mass fractions, they use share (n - c)/n of the mass of a particle.
   Adds the diagonal terms to that. */
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

/* Fibers have no mass fractions. */
static double over_share(const analysis *a, int32_t e, double load) {
  if (e >= a->model_springs)
    return load > 0 ? INFINITY : 0;
  return load / analysis_share(a, e);
}

static double coefficient_over_share(const analysis *a, int32_t e, const void *question) {
  (void)question;
  return over_share(a, e, analysis_load_of(a, e).coefficient);
}

double coefficient_share(analysis *a) {
  return with_own(a, most_of_springs(a, 0, coefficient_over_share, NULL), 0, true);
}

/* The stable dt by x = 1, with a radius of `share` added. */
static double even_step(analysis *a, double share) {
  double least = INFINITY;
  even_rows(a);
  for (int32_t i = a->counted.first; i < a->counted.last; i++)
    if (a->x[i] > 0)
      least = fmin(least, step_load_root(step_load_scaled(a->rows[i], analysis_inverse_mass(a, i)),
                                         STABILITY_RADIUS - share));
  return analysis_find_least(a, least);
}

double quick_step(analysis *a) {
  if (a->keeps_rows)
    return certify_even(a, 0).step;
  const bool has_share = a->has_coefficient || a->has_room;
  const double step = sums_step(a, false, (step_load){0, 0, 0}, STABILITY_RADIUS);
  const double share = has_share ? coefficient_share(a) : 0;
  if (share >= STABILITY_RADIUS)
    return step;
  const double even = fmax(step, even_step(a, share));
  return has_share ? fmax(even, sums_step(a, true, (step_load){0, 0, share}, STABILITY_RADIUS)) : even;
}

static double load_over_share(const analysis *a, int32_t e, const void *dt) {
  return over_share(a, e, step_load_at(analysis_load_of(a, e), *(const double *)dt));
}

static double radius_of_shares(analysis *a, double dt) {
  return with_own(a, most_of_springs(a, 0, load_over_share, &dt), dt, false);
}

/* As many as certify_step uses to improve x. */
static int radius_sweeps(const analysis *a) {
  return a->sweeps_max == STABILITY_SWEEPS_AGAIN ? STABILITY_SWEEPS_AGAIN - 1 : a->sweeps_max;
}

double certify_radius(analysis *a, const certificate *c, double dt) {
  const bool steps_alike =
      analysis_is_homogeneous(a) && !a->has_coefficient && !a->has_room; /* then x is already converged */
  set_kappa(a, dt);
  double radius = sweep_radius(a, steps_alike ? 1 : radius_sweeps(a)).upper;
  radius = fmin(radius, radius_of_sums(a, false, dt));
  radius = fmin(radius, radius_of_shares(a, dt));
  if (a->has_coefficient || a->has_room)
    radius = fmin(radius, radius_of_sums(a, true, dt) + coefficient_share(a));
  /* A shorter substep has a smaller radius. */
  return dt <= c->step ? fmin(radius, STABILITY_RADIUS) : radius;
}

double radius_at(analysis *a, double dt, double damping) {
  const step_load factors = {1, damping, damping};
  for (int32_t n = 0; n < (a->law ? a->term_count : a->count); n++)
    a->terms[n] = multiplied(a->terms[n], factors);
  for (size_t i = 0; a->own && i < particle_count(a); i++)
    a->own[i] = multiplied(a->own[i], factors);
  first_vector(a);
  return certify_radius(a, &(certificate){.step = 0}, dt);
}

double certify_coefficient(analysis *a) {
  double share = 0; /* the radius at c = 1 by mass fractions, where kappa is 3 m */
  for (int32_t e = a->model_springs; e < a->count; e++)
    a->kappa[e] = 0; /* fibers are counted in sharers */
  for (int32_t e = 0; e < a->model_springs; e++) {
    const analysis_spring s = analysis_spring_at(a, e);
    a->kappa[e] = 3 / (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
    share = fmax(share, a->kappa[e] / analysis_share(a, e));
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
