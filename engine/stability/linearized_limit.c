/* The limit in one configuration is the dt at which the largest eigenvalue theta of M^-1 (dt^2 K + 2 dt D) is
   4. In the coordinates q = M^1/2 x that matrix is symmetric. Lanczos iteration finds its largest eigenvalue
   without storing it. theta converges from below, so dt converges from above. */
#include "engine/stability/linearized_limit.h"

#include "engine/step/soft_pin_step.h"

#include <math.h>
#include <string.h>

enum {
  /* Lanczos steps: while dt is still far off, and at most. */
  SCOUT_STEPS = 8,
  STEPS = 128,
  CHECK_EVERY = 8,
  RUNS = 12,
  /* Up to this number of particles full accuracy is cheap. */
  FEW_PARTICLES = 2048
};

/* A Lanczos run ends if CHECK_EVERY steps have changed theta by less than this fraction. The error of theta
   is then about three times that, and of dt half as much. */
static const double SETTLED = 5e-4, SETTLED_FEW = 1e-8;
/* The relative distance of theta from 4 at which the extrapolated dt starts the last run. */
static const double NEAR = 0.1, NEAR_FEW = 1e-4;
/* Limit of rest/length. */
static const double SLACK_MAX = 1e6;
/* Maximum factor between successive dt, since the exponent is a guess. */
static const double LEAP_MAX = 1e3;

/* dt^2 K + 2 dt D of one spring at one dt: along along' + across 1. */
typedef struct shape_spring {
  double along[3];
  double across;
} shape_spring;

typedef struct vector {
  double c[3];
} vector;

/* kappa g g' of all constraints, and across w w' 1 of fibers with the weights w. The corners of constraint c
   are first[c] .. first[c + 1] - 1; corner n is particle[n], with gradient[n]. */
typedef struct shape_constraints {
  int32_t *first, *particle;
  vector *gradient;
  constraint_shape *measured;
  double *kappa, *across;
} shape_constraints;

typedef struct shape {
  analysis *analyzed;
  size_t particles;
  /* By spring of the analysis. */
  shape_spring *springs;
  shape_constraints constraints;
  /* Of soft pins at one dt; NULL: none. */
  double *diagonal;
  /* sqrt(w) */
  double *root;
  /* Lanczos vectors, in the coordinates q = M^1/2 x. */
  vector *q, *previous;
  /* M^-1/2 q, and its forces. */
  vector *x, *sum;
} shape;

static double slack_of(double rest, double length) {
  return length > 0 ? fmin(rest / length, SLACK_MAX) : 0;
}

/* K = k (u u' + (1 - rest/l) (1 - u u')), D = mu u u'. A spring of zero length counts as k alone. One that is
   compressed to almost zero length has such a large transverse term that theta would be lost in rounding;
   hence SLACK_MAX. */
static shape_spring spring_at(const analysis *a, int32_t e, double dt) {
  if (e >= a->model_springs) /* fibers are among the constraints */
    return (shape_spring){{0, 0, 0}, 0};
  const analysis_spring s = analysis_spring_at(a, e);
  const spring_store *store = &a->model->springs;
  const step_load kappa = analysis_load_of(a, e);
  double u[3];
  const double length = spring_direction(store, &a->model->particles, s.spring, u);
  const double slack = slack_of((double)store->rest[s.spring], length);
  const law_terms t = spring_effective_mass(store, &a->model->particles, s.spring);
  const double stiff = dt * dt * kappa.stiffness + t.mass_ck, damped = 2 * dt * kappa.damping + 2 * t.mass_cd;
  const double along = sqrt(stiff * slack + damped);
  return (shape_spring){{along * u[0], along * u[1], along * u[2]}, stiff * (1 - slack)};
}

/* The arguments of a parallel task. */
typedef struct task {
  const shape *shape;
  double number;
} task;

static void set_springs(analysis *a, const void *question, analysis_range range) {
  const task *t = question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++)
    t->shape->springs[e] = spring_at(a, e, t->number);
}

static void set_step(shape *s, double dt) {
  const world_model *model = s->analyzed->model;
  analysis_run(s->analyzed, set_springs, &(task){s, dt});
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_factors factors = constraint_factors_at(&model->constraints, &model->particles, c, dt);
    const law_tuning t = constraint_tune(&factors, &s->constraints.measured[c], dt, false);
    const double slack = constraint_is_fiber(&model->constraints, c)
                             ? slack_of((double)model->constraints.rest[c], s->constraints.measured[c].value)
                             : 1;
    s->constraints.kappa[c] = dt * dt * t.stiffness * slack + 2 * dt * t.damping;
    s->constraints.across[c] = dt * dt * t.stiffness * (1 - slack);
  }
  for (int32_t n = 0; n < model->soft_pins.count; n++) {
    const int32_t particle = model->soft_pins.entries[n].particle;
    if (particle < 0 || !(s->root[particle] > 0))
      continue;
    const soft_pin_weight weight = soft_pin_weigh(model, n, true);
    s->diagonal[particle] =
        (double)model->particles.mass[particle] *
        step_load_at((step_load){weight.stiffness, weight.damping, weight.coefficient}, dt);
  }
}

static int32_t corner_count(const world_model *model) {
  int32_t count = 0;
  for (int32_t c = 0; c < model->constraints.count; c++)
    count += constraint_corners_of(&model->constraints, c).count;
  return count;
}

static void measure_constraints(shape *s) {
  const world_model *model = s->analyzed->model;
  shape_constraints *all = &s->constraints;
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_corners corners = constraint_corners_of(&model->constraints, c);
    const int32_t first = all->first[c];
    all->first[c + 1] = first + corners.count;
    all->measured[c] = constraint_measure(&model->constraints, &model->particles, c);
    for (int32_t n = 0; n < corners.count; n++) {
      const double3 g = constraint_gradient(&model->constraints, &model->particles, c, n);
      all->particle[first + n] = corners.particles[n];
      all->gradient[first + n] = (vector){{g.x, g.y, g.z}};
    }
  }
}

/* Deterministic numbers in -0.5..0.5 that excite every mode (T. Wang, "Integer Hash Function", 1997). */
static double pattern(uint32_t i) {
  i = (i ^ 61u) ^ (i >> 16);
  i *= 9u;
  i ^= i >> 4;
  i *= 0x27d4eb2du;
  i ^= i >> 15;
  return (double)i / 4294967296.0 - 0.5;
}

/* Adds the product with across w w' of a fiber. */
static void multiply_across(const shape *s, int32_t fiber) {
  const shape_constraints *all = &s->constraints;
  const msd_real *weights = constraint_fiber_of(&s->analyzed->model->constraints, fiber);
  const int32_t first = all->first[fiber], last = all->first[fiber + 1];
  double sum[3] = {0, 0, 0};
  for (int32_t n = first; n < last; n++)
    for (int k = 0; k < 3; k++)
      sum[k] += (double)weights[n - first] * s->x[all->particle[n]].c[k];
  for (int32_t n = first; n < last; n++)
    for (int k = 0; k < 3; k++)
      s->sum[all->particle[n]].c[k] += all->across[fiber] * (double)weights[n - first] * sum[k];
}

/* Adds the products with constraints and soft pins. */
static void multiply_others(const shape *s) {
  const shape_constraints *all = &s->constraints;
  for (int32_t c = 0; c < s->analyzed->model->constraints.count; c++) {
    double rate = 0;
    for (int32_t n = all->first[c]; n < all->first[c + 1]; n++)
      for (int k = 0; k < 3; k++)
        rate += all->gradient[n].c[k] * s->x[all->particle[n]].c[k];
    for (int32_t n = all->first[c]; n < all->first[c + 1]; n++)
      for (int k = 0; k < 3; k++)
        s->sum[all->particle[n]].c[k] += all->kappa[c] * rate * all->gradient[n].c[k];
    if (all->across[c] != 0)
      multiply_across(s, c);
  }
  for (size_t i = 0; s->diagonal && i < s->particles; i++)
    for (int k = 0; k < 3; k++)
      s->sum[i].c[k] += s->diagonal[i] * s->x[i].c[k];
}

static void multiply_range(analysis *a, const void *question, analysis_range range) {
  const shape *s = ((const task *)question)->shape;
  const parallel_range particles = range.particles;
  memset(s->sum + particles.first, 0, (size_t)(particles.last - particles.first) * sizeof *s->sum);
  for (analysis_visit v = {0}; analysis_visit_next(a, particles, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      const analysis_spring ends = analysis_spring_at(a, e);
      const shape_spring *k = &s->springs[e];
      const double *x = s->x[ends.a].c, *other = s->x[ends.b].c, *u = k->along;
      const double d[3] = {x[0] - other[0], x[1] - other[1], x[2] - other[2]};
      const double along = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
      const bool has_a = v.is_inside || analysis_has(particles, ends.a);
      const bool has_b = v.is_inside || analysis_has(particles, ends.b);
      for (int c = 0; c < 3; c++) {
        const double force = along * u[c] + k->across * d[c];
        if (has_a)
          s->sum[ends.a].c[c] += force;
        if (has_b)
          s->sum[ends.b].c[c] -= force;
      }
    }
}

/* sum = (dt^2 K + 2 dt D) x */
static void multiply(const shape *s) {
  analysis_run(s->analyzed, multiply_range, &(task){s, 0});
  multiply_others(s);
}

static void advance_range(analysis *a, const void *question, analysis_range range) {
  const task *t = question;
  const shape *s = t->shape;
  const parallel_range particles = range.particles;
  for (int32_t first = particles.first; first < particles.last;
       first = analysis_block_end(a, first, particles)) {
    analysis_part part = {0};
    for (int32_t i = first; i < analysis_block_end(a, first, particles); i++)
      for (int c = 0; c < 3; c++) {
        const double next = s->root[i] * s->sum[i].c[c] - t->number * s->previous[i].c[c];
        s->previous[i].c[c] = next;
        part.sum += s->q[i].c[c] * next;
      }
    *analysis_part_of(a, first) = part;
  }
}

/* next = M^-1/2 sum - beside previous, which it overwrites; returns q . next. */
static double next_vector(const shape *s, double beside) {
  analysis_run(s->analyzed, advance_range, &(task){s, beside});
  return analysis_sum(s->analyzed).sum;
}

static void subtract_range(analysis *a, const void *question, analysis_range range) {
  const task *t = question;
  const shape *s = t->shape;
  const parallel_range particles = range.particles;
  for (int32_t first = particles.first; first < particles.last;
       first = analysis_block_end(a, first, particles)) {
    analysis_part part = {0};
    for (int32_t i = first; i < analysis_block_end(a, first, particles); i++)
      for (int c = 0; c < 3; c++) {
        const double next = s->previous[i].c[c] - t->number * s->q[i].c[c];
        s->previous[i].c[c] = next;
        part.sum += next * next;
      }
    *analysis_part_of(a, first) = part;
  }
}

/* next -= diagonal q; returns the length of next. */
static double make_orthogonal(const shape *s, double diagonal) {
  analysis_run(s->analyzed, subtract_range, &(task){s, diagonal});
  return sqrt(analysis_sum(s->analyzed).sum);
}

static void take_range(analysis *a, const void *question, analysis_range range) {
  const task *t = question;
  const shape *s = t->shape;
  (void)a;
  for (int32_t i = range.particles.first; i < range.particles.last; i++)
    for (int c = 0; c < 3; c++) {
      s->q[i].c[c] *= t->number;
      s->x[i].c[c] = s->root[i] * s->q[i].c[c];
    }
}

/* q = next / length, and x = M^-1/2 q. */
static void take_next(shape *s, double length) {
  vector *next = s->previous;
  s->previous = s->q;
  s->q = next;
  analysis_run(s->analyzed, take_range, &(task){s, 1 / length});
}

/* The tridiagonal Lanczos matrix so far. */
typedef struct tridiagonal {
  double diagonal[STEPS], beside[STEPS];
  int size;
} tridiagonal;

/* Returns whether all eigenvalues are below `shift`: the pivots of shift - T are then positive. */
static bool is_above_all(const tridiagonal *t, double shift) {
  double pivot = 1;
  for (int i = 0; i < t->size; i++) {
    const double beside = i > 0 ? t->beside[i - 1] : 0;
    pivot = shift - t->diagonal[i] - beside * beside / pivot;
    if (!(pivot > 0))
      return false;
  }
  return true;
}

/* By bisection, starting with the bounds of Gershgorin. */
static double largest_eigenvalue(const tridiagonal *t) {
  double low = t->diagonal[0], high = -INFINITY;
  for (int i = 0; i < t->size; i++) {
    const double radius = (i > 0 ? t->beside[i - 1] : 0) + (i + 1 < t->size ? t->beside[i] : 0);
    low = fmax(low, t->diagonal[i]);
    high = fmax(high, t->diagonal[i] + radius);
  }
  for (int n = 0; n < 60 && high - low > 1e-14 * fabs(high); n++) {
    const double middle = low + (high - low) / 2;
    if (is_above_all(t, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Overwrites previous and zeroes q. Returns the length of the vector. */
static double first_vector(shape *s) {
  double square = 0;
  for (size_t i = 0; i < s->particles; i++)
    for (int c = 0; c < 3; c++) {
      const double start = s->root[i] > 0 ? pattern((uint32_t)(3 * i) + (uint32_t)c) : 0;
      s->previous[i].c[c] = start;
      s->q[i].c[c] = 0;
      square += start * start;
    }
  return sqrt(square);
}

/* theta at the dt of set_step, from below. */
static double lanczos(shape *s, int steps) {
  const double settled = s->particles <= FEW_PARTICLES ? SETTLED_FEW : SETTLED;
  tridiagonal t = {.size = 0};
  double theta = 0, length = first_vector(s), beside = 0;
  bool done = !(length > 0);
  while (!done && t.size < steps) {
    take_next(s, length);
    multiply(s);
    const double diagonal = next_vector(s, beside);
    length = beside = make_orthogonal(s, diagonal);
    t.diagonal[t.size] = diagonal;
    t.beside[t.size] = beside;
    t.size++;
    /* If the next vector vanishes, the previous ones span the Krylov space. */
    done = !(beside > 1e-12 * fabs(diagonal));
    if (!done && t.size % CHECK_EVERY != 0)
      continue;
    const double before = theta;
    theta = largest_eigenvalue(&t);
    done = done || fabs(theta - before) <= settled * theta;
  }
  return theta;
}

/* The power of dt with which the sum of kappa over all springs grows. */
static double power_of_kappa(const analysis *a, double dt) {
  step_load sum = {0, 0, 0};
  for (int32_t e = 0; e < a->count; e++)
    step_load_add(&sum, analysis_load_of(a, e), 1);
  for (int32_t i = 0; a->own && i < a->model->particles.count; i++)
    step_load_add(&sum, a->own[i], 1);
  return fmax(0.25, (2 * dt * dt * sum.stiffness + 2 * dt * sum.damping) / step_load_at(sum, dt));
}

/* theta grows with a power of dt between 0 (coefficients) and 2 (stiffness). The exponent is a guess at
   first, then taken from the last two dt. Short runs approach the dt where theta is 4, and a long one
   finishes. */
static double solve(shape *s, double start) {
  const analysis *a = s->analyzed;
  const bool homogeneous = analysis_is_homogeneous(a), few = s->particles <= FEW_PARTICLES;
  double dt = start, last_dt = 0, last_theta = 0;
  double power = power_of_kappa(a, start);
  bool is_near = homogeneous;
  for (int run = 0; run < RUNS; run++) {
    set_step(s, dt);
    const double theta = lanczos(s, is_near || few ? STEPS : SCOUT_STEPS);
    if (!(theta > 0))
      return INFINITY;
    if (homogeneous && (a->has_coefficient || a->has_room))
      return theta < STABILITY_RADIUS ? INFINITY : 0;
    if (last_dt > 0 && dt != last_dt && !is_near)
      power = fmin(2, fmax(0.25, log(theta / last_theta) / log(dt / last_dt)));
    double next = dt * pow(4 / theta, 1 / power);
    if (is_near)
      return next;
    next = fmin(fmax(next, dt / LEAP_MAX), dt * LEAP_MAX);
    is_near = fabs(theta / 4 - 1) < (few ? NEAR_FEW : NEAR);
    last_dt = dt;
    last_theta = theta;
    dt = next;
  }
  return dt;
}

/* ------------------------------------------------------------------------------------ opening and solving */

static bool open_constraints(shape_constraints *c, const world_model *model, memory *m) {
  const size_t count = (size_t)model->constraints.count, corners = (size_t)corner_count(model);
  c->first = memory_allocate(m, (count + 1) * sizeof *c->first);
  c->particle = memory_allocate(m, corners * sizeof *c->particle);
  c->gradient = memory_allocate(m, corners * sizeof *c->gradient);
  c->measured = memory_allocate(m, count * sizeof *c->measured);
  c->kappa = memory_allocate(m, count * sizeof *c->kappa);
  c->across = memory_allocate(m, count * sizeof *c->across);
  return c->first && c->particle && c->gradient && c->measured && c->kappa && c->across;
}

/* Returns false if memory runs out; close it in any case. */
static bool open_shape(shape *s, analysis *a) {
  const particle_store *p = &a->model->particles;
  const size_t count = (size_t)p->count, springs = (size_t)a->count;
  *s = (shape){.analyzed = a, .particles = count};
  s->springs = memory_allocate(a->memory, springs * sizeof *s->springs);
  s->root = memory_allocate(a->memory, count * sizeof *s->root);
  s->q = memory_allocate(a->memory, count * sizeof *s->q);
  s->previous = memory_allocate(a->memory, count * sizeof *s->previous);
  s->x = memory_allocate(a->memory, count * sizeof *s->x);
  s->sum = memory_allocate(a->memory, count * sizeof *s->sum);
  const bool anchored = a->model->soft_pins.count > 0;
  s->diagonal = anchored ? memory_allocate(a->memory, count * sizeof *s->diagonal) : NULL;
  if (!open_constraints(&s->constraints, a->model, a->memory) || !s->springs || !s->root || !s->q ||
      !s->previous || !s->x || !s->sum || (anchored && !s->diagonal))
    return false;
  measure_constraints(s);
  for (size_t i = 0; i < count; i++)
    s->root[i] = sqrt((double)p->inverse_mass[i]);
  return true;
}

static void close_shape(shape *s) {
  void *const blocks[] = {s->springs,
                          s->root,
                          s->q,
                          s->previous,
                          s->x,
                          s->sum,
                          s->diagonal,
                          s->constraints.first,
                          s->constraints.particle,
                          s->constraints.gradient,
                          s->constraints.measured,
                          s->constraints.kappa,
                          s->constraints.across};
  for (size_t n = 0; n < sizeof blocks / sizeof blocks[0]; n++)
    memory_release(s->analyzed->memory, blocks[n]);
}

bool shape_stable_step(analysis *a, double start, double *step) {
  shape s;
  const bool done = open_shape(&s, a);
  if (done)
    *step = s.particles > 0 ? solve(&s, start) : INFINITY;
  close_shape(&s);
  return done;
}
