#include "stability.h"

#include <math.h>
#include <string.h>

/* Sweeps end early when the bound can no longer gain a part in TIGHT_ENOUGH of itself. */
enum { SWEEPS = 48, SHAPE_SWEEPS = 96 };
static const double TIGHT_ENOUGH = 1e-4;

/* The certificate asks for a radius below 4. A part in a million is kept for the rounding of these sums, and
   of the step to msd_real. */
static const double RADIUS_LIMIT = 4, SAFETY = 1 - 1e-6;

/* dt^2 stiffness + 2 dt damping + coefficient: a bound on the network as a function of the step. */
typedef struct bound {
  double stiffness, damping, coefficient;
} bound;

static double bound_at(bound b, double dt) {
  return dt * dt * b.stiffness + 2 * dt * b.damping + b.coefficient;
}

/* The dt at which the bound reaches `radius`: INFINITY when no dt does, 0 when all do. */
static double bound_root(bound b, double radius) {
  const double room = radius - b.coefficient;
  if (room <= 0) return 0;
  const double slope = b.damping + sqrt(b.damping * b.damping + room * b.stiffness);
  return slope > 0 ? room / slope : INFINITY;
}

static bound spring_bound(const spring_terms *t) {
  return (bound){t->stiffness, t->damping, t->mass_ck + 2 * t->mass_cd};
}

static void add_scaled(bound *sum, bound b, double factor) {
  sum->stiffness += factor * b.stiffness;
  sum->damping += factor * b.damping;
  sum->coefficient += factor * b.coefficient;
}

/* Arrays of one analysis. */
typedef struct analysis {
  const msd_world *world;
  memory *memory;
  spring_terms *terms; /* of each spring */
  double *x;           /* a positive vector, 1 for each particle */
  bound *rows;         /* (A x)_i as a function of dt */
} analysis;

static const spring_store *springs_of(const analysis *a) {
  return &a->world->springs;
}

static const particle_store *particles_of(const analysis *a) {
  return &a->world->particles;
}

static double inverse_mass_of(const analysis *a, int32_t particle) {
  return (double)particles_of(a)->inverse_mass[particle];
}

/* With unit weights the rows are of coefficient springs at Ck = Cd = 1 (for coefficient_limit). */
static void sweep(analysis *a, bool unit_coefficients) {
  const spring_store *s = springs_of(a);
  memset(a->rows, 0, (size_t)particles_of(a)->count * sizeof *a->rows);
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms *terms = &a->terms[e];
    if (terms->share == 0) continue;
    const double wa = inverse_mass_of(a, s->a[e]), wb = inverse_mass_of(a, s->b[e]);
    const bound kappa = unit_coefficients ? (bound){0, 0, 3 / (wa + wb)} : spring_bound(terms);
    const double sum = a->x[s->a[e]] + a->x[s->b[e]];
    add_scaled(&a->rows[s->a[e]], kappa, wa * sum);
    add_scaled(&a->rows[s->b[e]], kappa, wb * sum);
  }
}

/* The certified step of the present x, and the particle whose row gives it. */
static double certified_step(const analysis *a, double radius, int32_t *particle) {
  double least = INFINITY;
  *particle = -1;
  for (int32_t i = 0; i < particles_of(a)->count; i++) {
    if (a->x[i] <= 0) continue;
    const bound row = {a->rows[i].stiffness / a->x[i], a->rows[i].damping / a->x[i],
                       a->rows[i].coefficient / a->x[i]};
    const double step = bound_root(row, radius);
    if (step < least) {
      least = step;
      *particle = i;
    }
  }
  return least;
}

/* x . M A x / x . M x: the radius is at least this. */
static bound rayleigh(const analysis *a) {
  bound sum = {0};
  double norm = 0;
  for (int32_t i = 0; i < particles_of(a)->count; i++) {
    const double w = inverse_mass_of(a, i);
    if (w == 0) continue;
    add_scaled(&sum, a->rows[i], a->x[i] / w);
    norm += a->x[i] * a->x[i] / w;
  }
  if (norm > 0) sum = (bound){sum.stiffness / norm, sum.damping / norm, sum.coefficient / norm};
  return sum;
}

/* x <- A x at the step dt, scaled so that the largest is 1. A part of the network that counts little is held
   above zero: any positive x gives a proof. Particles that no spring moves stay 0. */
static void next_vector(analysis *a, double dt) {
  static const double LEAST = 1e-200;
  double most = 0;
  for (int32_t i = 0; i < particles_of(a)->count; i++) {
    if (a->x[i] <= 0) continue;
    a->x[i] = bound_at(a->rows[i], dt);
    most = a->x[i] > most ? a->x[i] : most;
  }
  for (int32_t i = 0; i < particles_of(a)->count && most > 0; i++)
    if (inverse_mass_of(a, i) > 0 && a->x[i] != 0) {
      a->x[i] /= most;
      if (!(a->x[i] > LEAST)) a->x[i] = LEAST;
    }
}

/* x = w for particles that a spring moves, else 0. */
static void first_vector(analysis *a) {
  const spring_store *s = springs_of(a);
  memset(a->x, 0, (size_t)particles_of(a)->count * sizeof *a->x);
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms *terms = &a->terms[e];
    if (terms->share == 0) continue;
    a->x[s->a[e]] = inverse_mass_of(a, s->a[e]);
    a->x[s->b[e]] = inverse_mass_of(a, s->b[e]);
  }
}

typedef struct certificate {
  double step;      /* certified */
  double upper;     /* the operator's own limit is not larger */
  int32_t particle; /* whose row limits; -1: none */
  int sweeps;
} certificate;

/* A dt at which to go on when every step is certified, or none: it only steers the iteration. */
static double steering_step(double step, double asked) {
  return step > 0 && isfinite(step) ? step : asked;
}

static certificate iterate(analysis *a, double radius, double asked, bool unit_coefficients) {
  certificate best = {.step = 0, .upper = INFINITY, .particle = -1};
  first_vector(a);
  for (best.sweeps = 0; best.sweeps < SWEEPS;) {
    sweep(a, unit_coefficients);
    best.sweeps++;
    int32_t particle;
    const double step = certified_step(a, radius, &particle);
    const double upper = bound_root(rayleigh(a), radius);
    if (step > best.step || best.particle < 0) {
      best.step = step;
      best.particle = particle;
    }
    best.upper = upper < best.upper ? upper : best.upper;
    if (best.step >= best.upper * (1 - TIGHT_ENOUGH)) break;
    next_vector(a, steering_step(best.step, asked));
  }
  return best;
}

/* The smallest c such that springs of weight kappa (w_a n_a + w_b n_b) each stay below it together: with
   n counting all springs at an end, sum of share b b^T is at most M, so the radius is at most the largest
   kappa / share. Split, the physical part is bounded by `rows` alone and the coefficient part by this. */
static double coefficient_share(const analysis *a) {
  const spring_store *s = springs_of(a);
  double most = 0;
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms *terms = &a->terms[e];
    if (terms->share > 0) most = fmax(most, (terms->mass_ck + 2 * terms->mass_cd) / terms->share);
  }
  return most;
}

/* One pass: the radius is at most the largest w_a S_a + w_b S_b over the springs, S the sum of kappa at an
   end. Gives the step that this certifies and the spring that attains it. Uses rows for the sums. */
static double quick_step(analysis *a, bool physical_only, double radius, int32_t *spring) {
  const spring_store *s = springs_of(a);
  memset(a->rows, 0, (size_t)particles_of(a)->count * sizeof *a->rows);
  for (int32_t e = 0; e < s->count; e++) {
    bound kappa = spring_bound(&a->terms[e]);
    if (physical_only) kappa.coefficient = 0;
    add_scaled(&a->rows[s->a[e]], kappa, inverse_mass_of(a, s->a[e]));
    add_scaled(&a->rows[s->b[e]], kappa, inverse_mass_of(a, s->b[e]));
  }
  double least = INFINITY;
  *spring = -1;
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms *terms = &a->terms[e];
    if (terms->share == 0) continue;
    bound both = a->rows[s->a[e]];
    add_scaled(&both, a->rows[s->b[e]], 1);
    const double step = bound_root(both, radius);
    if (*spring < 0 || step < least) {
      least = step;
      *spring = e;
    }
  }
  return least;
}

/* Without iteration: all springs by the row sums, or the physical ones by their row sums in what the shares
   of the coefficient springs leave of the radius. */
static double quick_certificate(analysis *a, int32_t *spring) {
  const double share = coefficient_share(a);
  double best = quick_step(a, false, RADIUS_LIMIT, spring);
  if (share > 0 && share < RADIUS_LIMIT) {
    int32_t other;
    const double step = quick_step(a, true, RADIUS_LIMIT - share, &other);
    if (step > best) {
      best = step;
      *spring = other;
    }
  }
  return best;
}

static bool open_analysis(analysis *a, const msd_world *world, memory *m) {
  const size_t count = (size_t)world->particles.count, springs = (size_t)world->springs.count;
  *a = (analysis){.world = world, .memory = m};
  a->terms = memory_allocate(m, springs * sizeof *a->terms);
  a->x = memory_allocate(m, count * sizeof *a->x);
  a->rows = memory_allocate(m, count * sizeof *a->rows);
  if (!a->terms || !a->x || !a->rows) return false;
  for (int32_t e = 0; e < world->springs.count; e++)
    a->terms[e] = spring_split(&world->springs, &world->particles, e);
  return true;
}

static void close_analysis(analysis *a) {
  memory_release(a->memory, a->terms);
  memory_release(a->memory, a->x);
  memory_release(a->memory, a->rows);
}

static double stable_step_of(analysis *a, double asked, certificate *c) {
  int32_t spring;
  const double quick = quick_certificate(a, &spring);
  *c = iterate(a, RADIUS_LIMIT, asked, false);
  return SAFETY * fmax(quick, c->step);
}

msd_result stability_stable_step(msd_world *world, double *step) {
  if (world->stable_step_stale) {
    analysis a;
    const bool open = open_analysis(&a, world, &world->memory);
    if (open) {
      certificate c;
      world->stable_step = stable_step_of(&a, 1, &c);
      world->stable_step_stale = false;
    }
    close_analysis(&a);
    if (!open)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to find the stable time step of %d particles",
                        (int)world->particles.count);
  }
  *step = world->stable_step;
  return MSD_OK;
}

int32_t stability_substeps(double stable_step, double frame) {
  if (!(stable_step > 0)) return 0;
  const double needed = floor(frame / stable_step) + 1;
  return needed <= STABILITY_SUBSTEPS_MAX ? (int32_t)needed : 0;
}

/* ------------------------------------------------------------------------------------ the present shape */

/* Start of the power iteration: a fixed pattern with a part in every mode. */
static double pattern(uint32_t i) {
  i = (i ^ 61u) ^ (i >> 16);
  i *= 9u;
  i ^= i >> 4;
  i *= 0x27d4eb2du;
  i ^= i >> 15;
  return (double)i / 4294967296.0 - 0.5;
}

/* M^-1 (dt^2 K + 2 dt D) at the present positions times x, as one vector for each power of dt. */
typedef struct shape_product {
  double stiffness[3], damping[3], coefficient[3];
} shape_product;

/* The exact linear limit asks for the largest eigenvalue of that operator to be 4. Its estimate is the
   Rayleigh quotient of a power iteration at the step which the quotient itself allows; it comes from above. */
static double this_shape_step(const analysis *analysed, double start, bool *out_of_memory) {
  const spring_store *s = springs_of(analysed);
  const particle_store *p = particles_of(analysed);
  memory *m = analysed->memory;
  const size_t count = (size_t)p->count;
  double(*x)[3] = memory_allocate(m, count * sizeof *x);
  shape_product *y = memory_allocate(m, count * sizeof *y);
  double step = INFINITY;
  *out_of_memory = !x || !y;
  if (!*out_of_memory) {
    for (uint32_t i = 0; i < (uint32_t)p->count; i++)
      for (uint32_t c = 0; c < 3; c++)
        x[i][c] = p->inverse_mass[i] > 0 ? pattern(3 * i + c) : 0;
    double dt = start;
    for (int n = 0; n < SHAPE_SWEEPS; n++) {
      memset(y, 0, count * sizeof *y);
      bound quotient = {0};
      double norm = 0;
      for (int32_t e = 0; e < s->count; e++) {
        const spring_terms t = analysed->terms[e];
        if (t.share == 0) continue;
        const int32_t a = s->a[e], b = s->b[e];
        double u[3];
        const double length = spring_direction(s, p, e, u);
        /* K = k (u u^T + (1 - rest/l)(1 - u u^T)); D = mu u u^T. */
        const double across = length > 0 ? 1 - (double)s->rest[e] / length : 0;
        double d[3], along = 0;
        for (int c = 0; c < 3; c++) {
          d[c] = x[a][c] - x[b][c];
          along += d[c] * u[c];
        }
        for (int c = 0; c < 3; c++) {
          const double damped = along * u[c], stiff = damped + across * (d[c] - damped);
          const double part[3] = {t.stiffness * stiff, t.damping * damped,
                                  t.mass_ck * stiff + 2 * t.mass_cd * damped};
          const double ends[2] = {(double)p->inverse_mass[a], -(double)p->inverse_mass[b]};
          y[a].stiffness[c] += ends[0] * part[0], y[b].stiffness[c] += ends[1] * part[0];
          y[a].damping[c] += ends[0] * part[1], y[b].damping[c] += ends[1] * part[1];
          y[a].coefficient[c] += ends[0] * part[2], y[b].coefficient[c] += ends[1] * part[2];
          add_scaled(&quotient, (bound){part[0], part[1], part[2]}, d[c]);
        }
      }
      for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3 && p->inverse_mass[i] > 0; c++)
          norm += x[i][c] * x[i][c] / (double)p->inverse_mass[i];
      if (!(norm > 0)) break;
      quotient = (bound){quotient.stiffness / norm, quotient.damping / norm, quotient.coefficient / norm};
      step = quotient.stiffness >= 0 ? bound_root(quotient, RADIUS_LIMIT) : INFINITY;
      dt = steering_step(step, dt);
      double most = 0;
      for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
          x[i][c] = bound_at((bound){y[i].stiffness[c], y[i].damping[c], y[i].coefficient[c]}, dt);
          most = fabs(x[i][c]) > most ? fabs(x[i][c]) : most;
        }
      for (size_t i = 0; i < count && most > 0; i++)
        for (int c = 0; c < 3; c++)
          x[i][c] /= most;
    }
  }
  memory_release(m, x);
  memory_release(m, y);
  return step;
}

/* ------------------------------------------------------------------------------------------- public API */

static int32_t count_capped(const msd_world *world, double dt) {
  int32_t capped = 0;
  for (int32_t e = 0; e < world->springs.count; e++) {
    const spring_terms terms = spring_split(&world->springs, &world->particles, e);
    capped += spring_tune(&terms, dt, MSD_LIMIT_COEFFICIENTS).capped;
  }
  return capped;
}

/* c such that Ck = Cd = c for all springs is certified: radius 4 over the radius at c = 1, or 4/3 of the
   smallest 1/n over springs, whichever is larger. */
static double coefficient_limit_of(analysis *a) {
  const spring_store *s = springs_of(a);
  double least = INFINITY;
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms *terms = &a->terms[e];
    if (terms->share == 0) continue;
    const double reduced = 1 / (inverse_mass_of(a, s->a[e]) + inverse_mass_of(a, s->b[e]));
    least = fmin(least, 4.0 / 3 * terms->share / reduced);
  }
  double best = isfinite(least) ? least : 0, most = INFINITY;
  first_vector(a);
  for (int n = 0; n < SWEEPS && best > 0 && best < most * (1 - TIGHT_ENOUGH); n++) {
    sweep(a, true);
    most = fmin(most, RADIUS_LIMIT / rayleigh(a).coefficient);
    double radius = 0;
    for (int32_t i = 0; i < particles_of(a)->count; i++)
      if (a->x[i] > 0) radius = fmax(radius, a->rows[i].coefficient / a->x[i]);
    if (radius > 0) best = fmax(best, RADIUS_LIMIT / radius);
    next_vector(a, 1);
  }
  return best;
}

/* The bound of the network at one step: of the certified iterate, and of the shares. */
static double radius_at(analysis *a, double dt) {
  double best = INFINITY, least = 0;
  first_vector(a);
  for (int n = 0; n < SWEEPS && least < best * (1 - TIGHT_ENOUGH); n++) {
    sweep(a, false);
    least = fmax(least, bound_at(rayleigh(a), dt));
    double radius = 0;
    for (int32_t i = 0; i < particles_of(a)->count; i++)
      if (a->x[i] > 0) radius = fmax(radius, bound_at(a->rows[i], dt) / a->x[i]);
    best = fmin(best, radius);
    next_vector(a, dt);
  }
  return best;
}

msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out) {
  if (!world || !out) return MSD_BAD_VALUE;
  if (!(isfinite(time_step) && time_step > 0)) return MSD_BAD_TIME_STEP;
  const double dt = (double)time_step;
  memory scratch = {.allocator = world->memory.allocator, .limit = world->memory.limit};
  analysis a;
  bool out_of_memory = !open_analysis(&a, world, &scratch);
  msd_stability report = {.time_step = dt, .limiting_spring = -1, .limiting_particle = -1};
  if (!out_of_memory) {
    certificate c;
    report.stable_time_step_quick = SAFETY * quick_certificate(&a, &report.limiting_spring);
    report.stable_time_step = stable_step_of(&a, dt, &c);
    report.limiting_particle = c.particle;
    report.iterations = c.sweeps;
    report.tightness = isfinite(c.upper) && c.upper > 0 ? fmin(1, report.stable_time_step / c.upper) : 1;
    report.radius = radius_at(&a, dt);
    report.coefficient_limit = coefficient_limit_of(&a);
    report.capped_springs = count_capped(world, dt);
    report.substeps =
        world->limit == MSD_LIMIT_COEFFICIENTS ? 1 : stability_substeps(report.stable_time_step, dt);
    report.this_shape_time_step =
        this_shape_step(&a, steering_step(report.stable_time_step, dt), &out_of_memory);
    if (isfinite(report.stable_time_step) && report.this_shape_time_step < report.stable_time_step)
      report.this_shape_time_step = report.stable_time_step;
  }
  close_analysis(&a);
  if (out_of_memory) return MSD_OUT_OF_MEMORY;
  *out = report;
  return MSD_OK;
}
